/* SPDX-License-Identifier: MIT */
/*
 * Writing tar archives. An entry is a block with its name, then its bytes, padded to blocks; long
 * names are in an extra entry before it. Owner and time are 0, so that equal contents make equal
 * archives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/late_file.h"
#include "base/str.h"
#include "file/pack/tar.h"
#include "tar_internal.h"
#include "zstd_internal.h"

#define CHUNK      (1u << 20)
#define PACK_LEVEL 3
#define SIZE_MAX_8 077777777777ull /* maximum of the size field: 8 GiB */
#define LONG_NAME  "././@LongLink"

struct pfx_tar_writer {
	char *path;
	struct pfx_late_file file;
	struct pfx_zstd_pack *pack; /* NULL: not compressed */
	uint8_t *in, *out;
	size_t in_nr; /* bytes in `in` that were not written yet */
};

unsigned pfx_tar_checksum(const struct pfx_tar_block *block)
{
	const uint8_t *bytes = (const uint8_t *)block;
	size_t i, at = offsetof(struct pfx_tar_block, checksum);
	unsigned sum = 0;

	for (i = 0; i < PFX_TAR_BLOCK; i++)
		sum += i >= at && i < at + sizeof(block->checksum) ? ' ' : bytes[i];
	return sum;
}

static int cannot_write(const struct pfx_tar_writer *tar, int rc, struct pfx_error *err)
{
	char shown[256];

	return pfx_error_sys(err, -rc, "cannot write '%s'",
			     pfx_escape(shown, sizeof(shown), tar->path));
}

int pfx_tar_create(struct pfx_tar_writer **ret, const char *path, struct pfx_error *err)
{
	struct pfx_tar_writer *tar = pfx_calloc(1, sizeof(*tar));
	size_t len = strlen(path);
	bool is_plain = len > 4 && !strcmp(path + len - 4, ".tar");
	int rc = 0;

	tar->file.fd = -1;
	if (!is_plain)
		rc = pfx_zstd_pack_new(&tar->pack, PACK_LEVEL, err);
	tar->path = pfx_strdup(path);
	tar->in = pfx_malloc(CHUNK);
	tar->out = pfx_malloc(CHUNK);
	if (!rc) {
		rc = pfx_late_file_open(&tar->file, path, 0600);
		if (rc < 0)
			cannot_write(tar, rc, err);
	}
	if (rc)
		pfx_tar_writer_free(tar);
	else
		*ret = tar;
	return rc;
}

void pfx_tar_writer_free(struct pfx_tar_writer *tar)
{
	if (!tar)
		return;
	pfx_late_file_close(&tar->file, -ECANCELED);
	pfx_zstd_pack_free(tar->pack);
	free(tar->path);
	free(tar->in);
	free(tar->out);
	free(tar);
}

/* Write the bytes in `in`, compressed. */
static int drain(struct pfx_tar_writer *tar)
{
	const uint8_t *at = tar->in;
	size_t left = tar->in_nr, made;
	int rc, more = 1;

	if (!tar->pack) {
		tar->in_nr = 0;
		return pfx_write_full(tar->file.fd, at, left);
	}
	while (more > 0) {
		more = pfx_zstd_pack(tar->pack, &at, &left, tar->out, CHUNK, &made);
		rc = more < 0 ? more : pfx_write_full(tar->file.fd, tar->out, made);
		if (rc < 0)
			return rc;
	}
	tar->in_nr = 0;
	return 0;
}

static int put(struct pfx_tar_writer *tar, const void *data, size_t size)
{
	const uint8_t *at = data;
	size_t n;
	int rc;

	while (size) {
		n = size < CHUNK - tar->in_nr ? size : CHUNK - tar->in_nr;
		memcpy(tar->in + tar->in_nr, at, n);
		tar->in_nr += n;
		at += n;
		size -= n;
		rc = tar->in_nr == CHUNK ? drain(tar) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int put_padding(struct pfx_tar_writer *tar, uint64_t size)
{
	static const uint8_t zeros[PFX_TAR_BLOCK];

	return put(tar, zeros, -size & (PFX_TAR_BLOCK - 1));
}

static int put_block(struct pfx_tar_writer *tar, char type, const char *name, const char *link,
		     uint64_t size)
{
	struct pfx_tar_block block = {.type = type, .magic = "ustar", .version = {'0', '0'}};

	strncpy(block.name, name, sizeof(block.name) - 1);
	strncpy(block.link, link, sizeof(block.link) - 1);
	snprintf(block.mode, sizeof(block.mode), "%07o", type == PFX_TAR_LINK ? 0777 : 0644);
	snprintf(block.uid, sizeof(block.uid), "%07o", 0);
	snprintf(block.gid, sizeof(block.gid), "%07o", 0);
	snprintf(block.size, sizeof(block.size), "%011llo", (unsigned long long)size & SIZE_MAX_8);
	snprintf(block.mtime, sizeof(block.mtime), "%011o", 0);
	snprintf(block.checksum, sizeof(block.checksum), "%06o", pfx_tar_checksum(&block));
	block.checksum[7] = ' ';
	return put(tar, &block, sizeof(block));
}

static int put_long(struct pfx_tar_writer *tar, char type, const char *text)
{
	size_t size = strlen(text) + 1;
	int rc = 0;

	if (size <= sizeof(((struct pfx_tar_block *)0)->name))
		return 0;
	rc = put_block(tar, type, LONG_NAME, "", size);
	if (!rc)
		rc = put(tar, text, size);
	return rc ? rc : put_padding(tar, size);
}

static int put_head(struct pfx_tar_writer *tar, char type, const char *name, const char *link,
		    uint64_t size)
{
	int rc = size > SIZE_MAX_8 ? -EFBIG : 0;

	if (!rc)
		rc = put_long(tar, PFX_TAR_LONG_NAME, name);
	if (!rc)
		rc = put_long(tar, PFX_TAR_LONG_LINK, link);
	return rc ? rc : put_block(tar, type, name, link, size);
}

/* Exactly @size bytes: if the file shrinks, the rest is zeros. */
static int put_contents(struct pfx_tar_writer *tar, int fd, uint64_t size)
{
	uint8_t *chunk = pfx_malloc(CHUNK);
	size_t want;
	ssize_t got;
	int rc = 0;

	for (; size && !rc; size -= want) {
		want = size < CHUNK ? (size_t)size : CHUNK;
		got = pfx_read_full(fd, chunk, want);
		if (got < 0)
			rc = (int)got;
		else
			memset(chunk + got, 0, want - (size_t)got);
		if (!rc)
			rc = put(tar, chunk, want);
	}
	free(chunk);
	return rc;
}

int pfx_tar_add_file(struct pfx_tar_writer *tar, const char *name, const char *from,
		     struct pfx_error *err)
{
	struct stat st;
	int rc, fd = pfx_open_plain(from, 0, &st);
	char shown[256];

	if (fd == -EINVAL)
		return pfx_error_set(err, EINVAL, "'%s' is not a regular file",
				     pfx_escape(shown, sizeof(shown), from));
	if (fd < 0)
		return pfx_error_sys(err, -fd, "cannot open '%s'",
				     pfx_escape(shown, sizeof(shown), from));
	rc = put_head(tar, PFX_TAR_FILE, name, "", (uint64_t)st.st_size);
	if (!rc)
		rc = put_contents(tar, fd, (uint64_t)st.st_size);
	if (!rc)
		rc = put_padding(tar, (uint64_t)st.st_size);
	close(fd);
	return rc ? cannot_write(tar, rc, err) : 0;
}

int pfx_tar_add_bytes(struct pfx_tar_writer *tar, const char *name, const void *data, size_t size,
		      struct pfx_error *err)
{
	int rc = put_head(tar, PFX_TAR_FILE, name, "", size);

	if (!rc)
		rc = put(tar, data, size);
	if (!rc)
		rc = put_padding(tar, size);
	return rc ? cannot_write(tar, rc, err) : 0;
}

int pfx_tar_add_link(struct pfx_tar_writer *tar, const char *name, const char *target,
		     struct pfx_error *err)
{
	int rc = put_head(tar, PFX_TAR_LINK, name, target, 0);

	return rc ? cannot_write(tar, rc, err) : 0;
}

/* End the compressed stream. */
static int put_end(struct pfx_tar_writer *tar)
{
	size_t made;
	int rc, more = 1;

	while (tar->pack && more > 0) {
		more = pfx_zstd_pack_end(tar->pack, tar->out, CHUNK, &made);
		rc = more < 0 ? more : pfx_write_full(tar->file.fd, tar->out, made);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int pfx_tar_finish(struct pfx_tar_writer *tar, struct pfx_error *err)
{
	static const uint8_t zeros[2 * PFX_TAR_BLOCK];
	int rc = put(tar, zeros, sizeof(zeros));

	if (!rc)
		rc = drain(tar);
	if (!rc)
		rc = put_end(tar);
	rc = pfx_late_file_close(&tar->file, rc);
	return rc ? cannot_write(tar, rc, err) : 0;
}
