/* SPDX-License-Identifier: MIT */
/*
 * Unpacks a compressed file (gzip, xz or zstd, detected by the first bytes) into an unnamed file,
 * which exists until its descriptor is closed. Of a truncated or damaged file, the valid part is
 * unpacked; extreme compression ratios are refused. Section 2.6 of Documentation/file-format.md.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/paged/paged.h"
#include "file/buffer/spill_internal.h"
#include "spool_internal.h"
#include "zstd_internal.h"

#define BUFFER_BYTES ((size_t)256 << 10)
/* Recordings shrink to a tenth or a hundredth. Greater ratios are attempts to fill the disk. */
#define RATIO_MAX  2000
#define FREE_BYTES (64u << 20) /* allowed regardless of the ratio */

typedef int (*new_fn)(void **ret, struct pfx_error *err);
typedef int (*unpack_fn)(void *state, const uint8_t **in, size_t *in_left, uint8_t *to, size_t room,
			 size_t *ret_made);
typedef void (*free_fn)(void *state);

#define FORMAT(name)                                                                          \
	static int name##_begin(void **ret, struct pfx_error *err)                            \
	{                                                                                     \
		struct pfx_##name *state = NULL;                                              \
		int rc = pfx_##name##_new(&state, err);                                       \
                                                                                              \
		*ret = state;                                                                 \
		return rc;                                                                    \
	}                                                                                     \
                                                                                              \
	static int name##_step(void *state, const uint8_t **in, size_t *in_left, uint8_t *to, \
			       size_t room, size_t *ret_made)                                 \
	{                                                                                     \
		return pfx_##name##_unpack(state, in, in_left, to, room, ret_made);           \
	}                                                                                     \
                                                                                              \
	static void name##_end(void *state)                                                   \
	{                                                                                     \
		pfx_##name##_free(state);                                                     \
	}

FORMAT(gzip)
FORMAT(xz)
FORMAT(zstd)

static const struct format {
	const char *magic;
	unsigned len;
	new_fn begin;
	unpack_fn step;
	free_fn end;
} formats[] = {
	{"\x1f\x8b", 2, gzip_begin, gzip_step, gzip_end},
	{"\xfd"
	 "7zXZ",
	 5, xz_begin, xz_step, xz_end},
	{"\x28\xb5\x2f\xfd", 4, zstd_begin, zstd_step, zstd_end},
};

static const struct format *find_format(const uint8_t *data, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (size >= formats[i].len && !memcmp(data, formats[i].magic, formats[i].len))
			return &formats[i];
	return NULL;
}

bool pfx_spool_knows(const uint8_t *data, size_t size)
{
	return find_format(data, size) != NULL;
}

static int cannot_store(const struct pfx_spool *spool, int code, struct pfx_error *err)
{
	pfx_error_sys(err, code, spool->is_plain ? "cannot store '%s'" : "cannot unpack '%s'",
		      spool->name);
	pfx_error_hint(err, "TMPDIR names a folder with more room%s",
		       spool->is_plain ? "; or save it as a file first" : ", or unpack it first");
	return -code;
}

static int too_much(const struct pfx_spool *spool, struct pfx_error *err)
{
	pfx_error_set(err, EFBIG, "'%s' unpacks to more than %d times its size", spool->name,
		      RATIO_MAX);
	pfx_error_hint(err, "no recording does that; unpack it first if it is one");
	return -EFBIG;
}

/* Input, output and decompressor of one run. */
struct run {
	struct pfx_spool *spool;
	const struct format *format;
	void *state;
	uint8_t *buffer; /* for the output */
	int fd;
};

/* Read more input into @buffer: returns its size, 0 at the end. */
static ssize_t read_more(struct pfx_spool *spool, uint8_t *buffer, const uint8_t **ret)
{
	ssize_t n;

	*ret = buffer;
	if (spool->nr_first) {
		*ret = spool->first;
		n = (ssize_t)spool->nr_first;
		spool->nr_first = 0;
	} else {
		n = pfx_read_full(spool->fd, buffer, BUFFER_BYTES);
	}
	if (n > 0)
		spool->in += (uint64_t)n;
	return n;
}

/* Unpack the input that was read: 0 done, 1 the rest is not valid, or an error. */
static int work_off(const struct run *run, const uint8_t *in, size_t left, struct pfx_error *err)
{
	struct pfx_spool *spool = run->spool;
	size_t made = 0, before;
	int rc = 0, failed;

	do {
		before = left;
		failed =
			run->format->step(run->state, &in, &left, run->buffer, BUFFER_BYTES, &made);
		spool->out += made;
		rc = pfx_write_full(run->fd, run->buffer, made);
		if (rc < 0)
			return cannot_store(spool, -rc, err);
		if (spool->out > FREE_BYTES && spool->out / RATIO_MAX > spool->in)
			return too_much(spool, err);
		if (failed < 0 || (left && !made && before == left))
			return 1;
	} while (left || made == BUFFER_BYTES);
	return 0;
}

static int unpack(struct run *run, struct pfx_error *err)
{
	uint8_t *in = pfx_malloc(2 * BUFFER_BYTES);
	const uint8_t *at;
	ssize_t n;
	int rc = 0;

	run->buffer = in + BUFFER_BYTES;
	while (!rc && (n = read_more(run->spool, in, &at)) != 0) {
		if (n < 0)
			rc = pfx_error_sys(err, (int)-n, "cannot read '%s'", run->spool->name);
		else
			rc = work_off(run, at, (size_t)n, err);
	}
	free(in);
	run->spool->is_damaged = rc == 1;
	return rc < 0 ? rc : 0;
}

static int copy(const struct run *run, struct pfx_error *err)
{
	const uint8_t *at;
	ssize_t n;
	int rc;

	while ((n = read_more(run->spool, run->buffer, &at)) > 0) {
		rc = pfx_write_full(run->fd, at, (size_t)n);
		if (rc < 0)
			return cannot_store(run->spool, -rc, err);
	}
	return n < 0 ? pfx_error_sys(err, (int)-n, "cannot read '%s'", run->spool->name) : 0;
}

int pfx_spool_copy(struct pfx_spool *spool, int *ret_fd, struct pfx_error *err)
{
	struct run run = {.spool = spool};
	int rc;

	*ret_fd = -1;
	spool->is_plain = true;
	run.fd = pfx_open_unnamed();
	if (run.fd < 0)
		return cannot_store(spool, -run.fd, err);
	run.buffer = pfx_malloc(BUFFER_BYTES);
	rc = copy(&run, err);
	free(run.buffer);
	if (rc < 0)
		close(run.fd);
	else
		*ret_fd = run.fd;
	return rc;
}

int pfx_spool_unpack(struct pfx_spool *spool, int *ret_fd, struct pfx_error *err)
{
	struct run run = {.spool = spool};
	int rc;

	*ret_fd = -1;
	run.format = find_format(spool->first, spool->nr_first);
	if (!run.format)
		return pfx_error_set(err, EINVAL, "'%s' is not compressed", spool->name);
	rc = run.format->begin(&run.state, err);
	if (rc < 0)
		return rc;
	run.fd = pfx_open_unnamed();
	rc = run.fd < 0 ? cannot_store(spool, -run.fd, err) : unpack(&run, err);
	run.format->end(run.state);
	if (rc < 0 && run.fd >= 0)
		close(run.fd);
	else
		*ret_fd = run.fd;
	return rc;
}
