/* SPDX-License-Identifier: MIT */
/*
 * Small recordings for tests: one or two events, samples of 40 bytes {ip, pid/tid, time, period},
 * made with the writer or byte by byte, in either byte order.
 */
#ifndef PFX_TESTS_RECORDING_H
#define PFX_TESTS_RECORDING_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/io.h"
#include "event/meta.h"
#include "file/order/order.h"
#include "file/reader/reader.h"
#include "file/writer/writer.h"

#define SAMPLE_BYTES     40
#define TEST_SAMPLE_TYPE (PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_PERIOD)

static inline struct pfx_attr test_attr(void)
{
	return (struct pfx_attr){
		.type = PFX_TYPE_SOFTWARE,
		.size = PFX_ATTR_SIZE_VER7,
		.sample_period = 4000,
		.sample_type = TEST_SAMPLE_TYPE,
		.read_format = PFX_FORMAT_ID,
		.flags = PFX_ATTR_FREQ | PFX_ATTR_EXCLUDE_GUEST | PFX_ATTR_SAMPLE_ID_ALL |
			 PFX_ATTR_MMAP | PFX_ATTR_COMM,
	};
}

static inline struct pfx_meta *test_meta(bool swap)
{
	struct pfx_meta *meta = pfx_meta_new();
	struct pfx_attr attr = test_attr();
	struct pfx_event *event;

	meta->swap = swap;
	event = pfx_meta_add_event(meta, &attr, "cpu-clock");
	pfx_meta_add_id(meta, event, 11);
	pfx_meta_add_id(meta, event, 12);
	attr.config = PFX_SW_PAGE_FAULTS;
	event = pfx_meta_add_event(meta, &attr, "faults");
	pfx_meta_add_id(meta, event, 13);
	pfx_meta_update(meta);
	meta->env.hostname = "box";
	pfx_env_set(&meta->env, PFX_FEAT_HOSTNAME);
	meta->env.arch = "x86_64";
	pfx_env_set(&meta->env, PFX_FEAT_ARCH);
	meta->env.nr_cpus_avail = meta->env.nr_cpus_online = 4;
	pfx_env_set(&meta->env, PFX_FEAT_NRCPUS);
	return meta;
}

static inline void put_head(struct pfx_buffer *to, uint32_t type, uint16_t size)
{
	pfx_buffer_u32(to, type);
	pfx_buffer_u16(to, PFX_MODE_USER);
	pfx_buffer_u16(to, size);
}

static inline void put_sample(struct pfx_buffer *to, uint64_t ip, uint64_t time)
{
	put_head(to, PFX_RECORD_SAMPLE, SAMPLE_BYTES);
	pfx_buffer_u64(to, ip);
	pfx_buffer_u32(to, 7);
	pfx_buffer_u32(to, 8);
	pfx_buffer_u64(to, time);
	pfx_buffer_u64(to, 1);
}

static inline void put_round(struct pfx_buffer *to)
{
	put_head(to, PFX_RECORD_FINISHED_ROUND, 8);
}

/* A COMM with the trailer of sample_id_all: TID and TIME. */
static inline void put_comm(struct pfx_buffer *to, const char *comm, uint64_t time)
{
	size_t start = to->len;

	put_head(to, PFX_RECORD_COMM, 0);
	pfx_buffer_u32(to, 7);
	pfx_buffer_u32(to, 8);
	pfx_buffer_cstr(to, comm, 8);
	pfx_buffer_u32(to, 7);
	pfx_buffer_u32(to, 8);
	pfx_buffer_u64(to, time);
	pfx_buffer_patch16(to, start + 6, (uint16_t)(to->len - start));
}

/* A COMM, three samples of one thread, and FINISHED_ROUND. */
static inline struct pfx_buffer three_samples(bool swap)
{
	struct pfx_buffer b = {.swap = swap};

	put_comm(&b, "work", 50);
	put_sample(&b, 1, 100);
	put_sample(&b, 2, 200);
	put_sample(&b, 3, 300);
	put_round(&b);
	return b;
}

/* A new file each time: some file systems sync when a file is truncated and rewritten. */
static inline int save_bytes(const char *path, const void *data, size_t size)
{
	FILE *f;
	size_t n;

	unlink(path);
	f = fopen(path, "w");
	n = f ? fwrite(data, 1, size, f) : 0;

	if (f)
		fclose(f);
	return n == size ? 0 : -1;
}

/* Write a complete recording of @records with the writer. */
static inline int write_recording(const char *path, struct pfx_meta *meta,
				  const struct pfx_buffer *records)
{
	struct pfx_writer *writer;
	struct pfx_error err;
	int rc = pfx_writer_open(&writer, path, &err);

	if (rc)
		return rc;
	rc = pfx_writer_begin(writer, meta, &err);
	if (!rc)
		rc = pfx_writer_append(writer, records->at, records->len, &err);
	if (!rc)
		rc = pfx_writer_end(writer, &err);
	pfx_writer_free(writer);
	return rc;
}

/* The result of reading a file. */
struct outcome {
	int rc;
	struct pfx_error err;
	uint64_t nr_records, nr_samples, time_sum;
	struct pfx_reader_damage damage;
};

static inline struct outcome read_recording(const char *path,
					    const struct pfx_reader_options *options)
{
	struct outcome ret = {0};
	struct pfx_reader *reader;
	struct pfx_order *order;
	struct pfx_record rec;

	ret.rc = pfx_reader_open(&reader, path, options, &ret.err);
	if (ret.rc < 0)
		return ret;
	order = pfx_order_new(reader, false);
	while ((ret.rc = pfx_order_next(order, &rec, &ret.err)) > 0) {
		ret.nr_records++;
		ret.nr_samples += rec.type == PFX_RECORD_SAMPLE;
		ret.time_sum += rec.time == PFX_NO_TIME ? 0 : rec.time;
	}
	ret.damage = *pfx_reader_damage(reader);
	pfx_order_free(order);
	pfx_reader_free(reader);
	return ret;
}

/* Send the bytes through a pipe in pieces of @piece bytes and read them at the other end. */
static inline struct outcome read_through_pipe(const void *data, size_t size, size_t piece)
{
	int fds[2], status, saved = dup(STDIN_FILENO);
	struct outcome ret = {.rc = -EPIPE};
	size_t at;
	pid_t pid;

	if (pipe(fds))
		return ret;
	pid = fork();
	if (!pid) {
		close(fds[0]);
		for (at = 0; at < size; at += piece)
			if (pfx_write_full(fds[1], (const char *)data + at,
					   size - at < piece ? size - at : piece))
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	ret = read_recording("-", NULL);
	dup2(saved, STDIN_FILENO);
	close(saved);
	waitpid(pid, &status, 0);
	return ret;
}

#endif
