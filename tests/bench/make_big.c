/* SPDX-License-Identifier: MIT */
/*
 * Writes recordings of any size for measuring readers: samples of several rings, in rounds or
 * without, as a file, a stream or a directory, plain or compressed. Each sample is
 * {ip, pid/tid, time, cpu, period}, with call chains if wanted.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "event/meta.h"
#include "file/pack/pack.h"
#include "file/writer/writer.h"

#define BURST      1000 /* records that a ring gives at once */
#define PIECE      ((size_t)1 << 20)
#define NR_THREADS 8
#define NR_IPS     1024
#define CODE       0x400000
#define WALL       1700000000000000000ull /* ns since 1970 */

struct big {
	uint64_t nr, round; /* samples in all and in a round, 0: no rounds */
	uint32_t rings, depth;
	bool packed, is_dir, falls; /* falls: each record is older than the one before */
	bool has_clock;             /* wall-clock times are known */
	const char *path;
	struct pfx_writer *writer;
	struct pfx_pack *pack;
	struct pfx_buffer records, wire;
	uint64_t random;
	int fd; /* of the ring's own file */
};

static void die(const struct pfx_error *err)
{
	fprintf(stderr, "make_big: %s\n", err->text);
	exit(1);
}

static struct pfx_meta *make_meta(const struct big *big)
{
	struct pfx_meta *meta = pfx_meta_new();
	struct pfx_attr attr = {
		.type = PFX_TYPE_SOFTWARE,
		.size = PFX_ATTR_SIZE_VER7,
		.sample_period = 1000,
		.sample_type = PFX_SAMPLE_IP | PFX_SAMPLE_TID | PFX_SAMPLE_TIME | PFX_SAMPLE_CPU |
			       PFX_SAMPLE_PERIOD | (big->depth ? PFX_SAMPLE_CALLCHAIN : 0),
		.flags = PFX_ATTR_SAMPLE_ID_ALL | PFX_ATTR_MMAP | PFX_ATTR_COMM,
	};

	pfx_meta_add_id(meta, pfx_meta_add_event(meta, &attr, "cpu-clock"), 1);
	pfx_meta_update(meta);
	meta->env.arch = "x86_64";
	pfx_env_set(&meta->env, PFX_FEAT_ARCH);
	if (big->has_clock) {
		meta->env.clock_version = 1;
		meta->env.clockid = CLOCK_MONOTONIC;
		meta->env.wall_clock_ns = WALL;
		pfx_env_set(&meta->env, PFX_FEAT_CLOCK_DATA);
	}
	return meta;
}

static void put(struct big *big)
{
	const struct pfx_buffer *out = &big->records;
	struct pfx_error err;
	int rc = 0;

	if (big->pack) {
		pfx_buffer_clear(&big->wire);
		rc = pfx_pack_bytes(big->pack, out->at, out->len, &big->wire, &err);
		out = &big->wire;
	}
	if (!rc && big->fd >= 0)
		rc = pfx_write_full(big->fd, out->at, out->len);
	else if (!rc)
		rc = pfx_writer_append(big->writer, out->at, out->len, &err);
	if (rc)
		die(&err);
	pfx_buffer_clear(&big->records);
}

static void head(struct pfx_buffer *to, uint32_t type, uint16_t size)
{
	pfx_buffer_u32(to, type);
	pfx_buffer_u16(to, PFX_MODE_USER);
	pfx_buffer_u16(to, size);
}

static void put_sample(struct big *big, uint64_t time, uint32_t cpu)
{
	struct pfx_buffer *to = &big->records;
	uint64_t ip;
	uint32_t i;

	big->random = big->random * 6364136223846793005ull + 1442695040888963407ull;
	ip = CODE + (big->random >> 54) % NR_IPS;
	head(to, PFX_RECORD_SAMPLE, (uint16_t)(48 + (big->depth ? 8 + 8 * big->depth : 0)));
	pfx_buffer_u64(to, ip);
	pfx_buffer_u32(to, 100);
	pfx_buffer_u32(to, 100 + (uint32_t)(big->random >> 40) % NR_THREADS);
	pfx_buffer_u64(to, time);
	pfx_buffer_u64(to, cpu);
	pfx_buffer_u64(to, 1000);
	if (big->depth) {
		pfx_buffer_u64(to, big->depth);
		pfx_buffer_u64(to, ip);
		for (i = 1; i < big->depth; i++)
			pfx_buffer_u64(to, CODE + i * 64 + ip % 8);
	}
	if (to->len >= PIECE)
		put(big);
}

static void put_tasks(struct big *big)
{
	struct pfx_buffer *to = &big->records;
	uint32_t i;

	for (i = 0; i < NR_THREADS; i++) {
		head(to, PFX_RECORD_COMM, 56);
		pfx_buffer_u32(to, 100);
		pfx_buffer_u32(to, 100 + i);
		pfx_buffer_bytes(to, "thread\0", 8);
		pfx_buffer_u32(to, 100);
		pfx_buffer_u32(to, 100 + i);
		pfx_buffer_u64(to, 1);
		pfx_buffer_u64(to, 0);
		pfx_buffer_u64(to, 0);
	}
}

/* One ring after another gives a burst; a round ends where its number of samples is reached. */
static void put_samples(struct big *big)
{
	uint64_t done = 0, in_round = 0, burst, i;
	uint64_t top = big->nr * 10 + 10;
	uint32_t ring = 0;

	for (; done < big->nr; done += i) {
		burst = done / ((uint64_t)BURST * big->rings) * BURST;
		for (i = 0; i < BURST && done + i < big->nr; i++)
			put_sample(big,
				   big->falls ? top - 10 * (done + i)
					      : 10 + (burst + i) * big->rings + ring,
				   ring);
		in_round += i;
		ring = (ring + 1) % big->rings;
		if (!big->round || in_round < big->round || ring)
			continue;
		head(&big->records, PFX_RECORD_FINISHED_ROUND, 8);
		in_round = 0;
	}
}

static void put_ring(struct big *big, uint32_t ring, struct pfx_error *err)
{
	char path[4096];
	uint64_t i;

	snprintf(path, sizeof(path), "%s/data.%u", big->path, ring);
	big->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (big->fd < 0) {
		pfx_error_sys(err, errno, "cannot open '%s'", path);
		die(err);
	}
	if (big->pack)
		pfx_pack_restart(big->pack, err);
	for (i = ring; i < big->nr; i += big->rings)
		put_sample(big, 10 + i, ring);
	put(big);
	close(big->fd);
	big->fd = -1;
}

static void make(struct big *big)
{
	struct pfx_meta *meta = make_meta(big);
	struct pfx_error err;
	uint32_t ring;
	int rc;

	rc = big->is_dir ? pfx_writer_open_dir(&big->writer, big->path, &err)
			 : pfx_writer_open(&big->writer, big->path, &err);
	if (!rc && big->packed) {
		rc = pfx_pack_new(&big->pack, 1, &err);
		if (!rc)
			pfx_pack_describe(big->pack, &meta->env);
	}
	if (!rc)
		rc = pfx_writer_begin(big->writer, meta, &err);
	if (rc)
		die(&err);
	put_tasks(big);
	if (!big->is_dir)
		put_samples(big);
	put(big);
	for (ring = 0; big->is_dir && ring < big->rings; ring++)
		put_ring(big, ring, &err);
	if (pfx_writer_end(big->writer, &err))
		die(&err);
	pfx_writer_free(big->writer);
	pfx_pack_free(big->pack);
	pfx_buffer_fini(&big->records);
	pfx_buffer_fini(&big->wire);
	pfx_meta_free(meta);
}

static int usage(void)
{
	fprintf(stderr, "usage: make_big [-n SAMPLES] [-r SAMPLES-A-ROUND] [-c RINGS] [-g DEPTH]\n"
			"                [-z] [-d] [-f] [-k] OUTPUT\n"
			"-z compressed, -d a directory, -f time falls, -k with wall-clock times; "
			"OUTPUT - is a stream\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct big big = {.nr = 10000000, .rings = 4, .random = 1, .fd = -1};
	int c;

	while ((c = getopt(argc, argv, "n:r:c:g:zdfk")) != -1) {
		switch (c) {
		case 'n':
			big.nr = strtoull(optarg, NULL, 0);
			break;
		case 'r':
			big.round = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			big.rings = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'g':
			big.depth = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'z':
			big.packed = true;
			break;
		case 'd':
			big.is_dir = true;
			break;
		case 'f':
			big.falls = true;
			break;
		case 'k':
			big.has_clock = true;
			break;
		default:
			return usage();
		}
	}
	if (optind + 1 != argc || !big.rings || big.depth > 8000)
		return usage();
	big.path = argv[optind];
	make(&big);
	return 0;
}
