/* SPDX-License-Identifier: MIT */
/*
 * Reads untrusted tar archives: the checksum of every block is verified, sizes are bounded by the
 * input, names by the length of a path.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "file/pack/tar.h"
#include "tar_internal.h"
#include "zstd_internal.h"

#define CHUNK       (256u << 10)
#define RATIO_MAX   2000          /* of unpacked to packed size */
#define FREE_BYTES  (64ull << 20) /* unpacked regardless of the ratio */
#define ENTRIES_MAX (1u << 20)
#define EXTRA_MAX   (64u << 10) /* of an entry with POSIX attributes; longer ones are skipped */

static const uint8_t zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};

struct pfx_tar_reader {
	char *path;
	int fd;
	struct pfx_zstd *zstd; /* NULL: not compressed */
	uint8_t *in;
	const uint8_t *at; /* in `in`: compressed bytes that were not read yet */
	size_t left;
	char *name, *link;
	uint64_t entry_left;    /* bytes of the current entry that were not read yet */
	size_t padding;         /* after the entry */
	uint64_t nr_in, nr_out; /* bytes so far */
	uint32_t nr_entries;
};

static int damaged(const struct pfx_tar_reader *tar, const char *what, struct pfx_error *err)
{
	char shown[256];

	return pfx_error_set(err, EBADMSG, "'%s' is a damaged archive: %s",
			     pfx_escape(shown, sizeof(shown), tar->path), what);
}

static bool is_block(const struct pfx_tar_block *block)
{
	return !memcmp(block->magic, "ustar", 5) &&
	       strtoul(block->checksum, NULL, 8) == pfx_tar_checksum(block);
}

/* Refuses other compressed formats, in which perf and others pack archives: unpack them first. */
static int refuse_packed(const struct pfx_tar_reader *tar, struct pfx_error *err)
{
	static const struct {
		const char *magic, *name;
	} packers[] = {{"BZh", "bzip2"},
		       {"\x1f\x8b", "gzip"},
		       {"\xfd"
			"7zXZ",
			"xz"}};
	char shown[256];
	size_t i, len;

	for (i = 0; i < sizeof(packers) / sizeof(*packers); i++) {
		len = strlen(packers[i].magic);
		if (tar->left < len || memcmp(tar->at, packers[i].magic, len))
			continue;
		pfx_error_set(err, ENOTSUP, "'%s' is packed by %s",
			      pfx_escape(shown, sizeof(shown), tar->path), packers[i].name);
		pfx_error_hint(err, "unpack it first: '%s -d' makes a tar file of it",
			       packers[i].name);
		return -ENOTSUP;
	}
	return 0;
}

int pfx_tar_open(struct pfx_tar_reader **ret, const char *path, struct pfx_error *err)
{
	struct pfx_tar_reader *tar = pfx_calloc(1, sizeof(*tar));
	char shown[256];
	ssize_t n;
	int rc = 0;

	tar->path = pfx_strdup(path);
	tar->in = pfx_malloc(CHUNK);
	tar->fd = open(path, O_RDONLY | O_CLOEXEC);
	n = tar->fd < 0 ? -errno : pfx_read_full(tar->fd, tar->in, CHUNK);
	if (n < 0) {
		rc = pfx_error_sys(err, (int)-n, "cannot read '%s'",
				   pfx_escape(shown, sizeof(shown), path));
	} else {
		tar->at = tar->in;
		tar->left = tar->nr_in = (size_t)n;
		if (n >= (ssize_t)sizeof(zstd_magic) &&
		    !memcmp(tar->in, zstd_magic, sizeof(zstd_magic)))
			rc = pfx_zstd_new(&tar->zstd, err);
		else
			rc = refuse_packed(tar, err);
	}
	if (rc)
		pfx_tar_reader_free(tar);
	else
		*ret = tar;
	return rc;
}

void pfx_tar_reader_free(struct pfx_tar_reader *tar)
{
	if (!tar)
		return;
	if (tar->fd >= 0)
		close(tar->fd);
	pfx_zstd_free(tar->zstd);
	free(tar->path);
	free(tar->in);
	free(tar->name);
	free(tar->link);
	free(tar);
}

static int fill(struct pfx_tar_reader *tar)
{
	ssize_t n;

	if (tar->left)
		return 0;
	n = pfx_read_full(tar->fd, tar->in, CHUNK);
	tar->at = tar->in;
	tar->left = n > 0 ? (size_t)n : 0;
	tar->nr_in += tar->left;
	return n < 0 ? (int)n : 0;
}

/* Zeros compress to almost nothing: a small archive must not fill the disk. */
static bool is_bloated(const struct pfx_tar_reader *tar)
{
	return tar->zstd && tar->nr_out > FREE_BYTES && tar->nr_out / RATIO_MAX > tar->nr_in;
}

/* Up to @size unpacked bytes of the archive: returns their number, less only at its end, or an
 * error. */
static ssize_t take(struct pfx_tar_reader *tar, uint8_t *to, size_t size)
{
	size_t have = 0, made;
	int rc = 0;

	while (have < size && rc >= 0) {
		rc = fill(tar);
		if (rc < 0)
			break;
		if (tar->zstd) {
			rc = pfx_zstd_unpack(tar->zstd, &tar->at, &tar->left, to + have,
					     size - have, &made);
		} else {
			made = tar->left < size - have ? tar->left : size - have;
			memcpy(to + have, tar->at, made);
			tar->at += made;
			tar->left -= made;
		}
		if (rc >= 0) {
			have += made;
			tar->nr_out += made;
		}
		if (!made && !tar->left && fill(tar) >= 0 && !tar->left)
			break;
	}
	return rc < 0 ? rc : (ssize_t)have;
}

static int take_all(struct pfx_tar_reader *tar, void *to, size_t size, struct pfx_error *err)
{
	ssize_t n = take(tar, to, size);

	if (is_bloated(tar))
		return damaged(tar, "it is packed smaller than anything real", err);
	if (n < 0)
		return damaged(tar, "what is in it cannot be unpacked", err);
	return (size_t)n < size ? damaged(tar, "it is cut short", err) : 0;
}

static int skip_rest(struct pfx_tar_reader *tar, struct pfx_error *err)
{
	uint8_t chunk[16 * PFX_TAR_BLOCK];
	uint64_t left = tar->entry_left + tar->padding;
	size_t n;
	int rc = 0;

	for (; left && !rc; left -= n) {
		n = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
		rc = take_all(tar, chunk, n, err);
	}
	tar->entry_left = tar->padding = 0;
	return rc;
}

/* Octal, or with the highest bit set a number in 11 bytes. */
static bool parse_size(const char *field, uint64_t *ret)
{
	const uint8_t *bytes = (const uint8_t *)field;
	size_t i;

	*ret = 0;
	if (bytes[0] & 0x80) {
		for (i = 4; i < 12; i++)
			*ret = *ret << 8 | bytes[i];
		return bytes[0] == 0x80 && !bytes[1] && !bytes[2] && !bytes[3] && !(*ret >> 62);
	}
	for (i = 0; i < 12 && field[i] == ' '; i++)
		;
	for (; i < 12 && field[i] >= '0' && field[i] <= '7'; i++)
		*ret = *ret << 3 | (uint64_t)(field[i] - '0');
	return i == 12 || !field[i] || field[i] == ' ';
}

static char *text_of(const char *field, size_t size)
{
	return pfx_strndup(field, strnlen(field, size));
}

static char *name_of(const struct pfx_tar_block *block)
{
	char *name = text_of(block->name, sizeof(block->name)), *prefix, *both;

	if (!block->prefix[0] || memcmp(block->magic, "ustar\0", 6))
		return name;
	prefix = text_of(block->prefix, sizeof(block->prefix));
	both = pfx_strfmt("%s/%s", prefix, name);
	free(prefix);
	free(name);
	return both;
}

/* The name of the next entry, which is the contents of this one. */
static int take_long(struct pfx_tar_reader *tar, char **ret, struct pfx_error *err)
{
	size_t size = (size_t)tar->entry_left;
	int rc;

	if (tar->entry_left > PATH_MAX)
		return damaged(tar, "a name in it is too long", err);
	free(*ret);
	*ret = pfx_calloc(1, size + 1);
	rc = take_all(tar, *ret, size, err);
	tar->entry_left = 0;
	return rc ? rc : skip_rest(tar, err);
}

/* "30 path=usr/lib/x\n": the length includes itself. Returns it, or 0 if not valid. */
static size_t take_attribute(struct pfx_tar_reader *tar, const char *at, size_t left)
{
	char *key, *value;
	size_t size = strtoul(at, &key, 10);

	/* blanks before the number could lie beyond the attribute */
	if (!isdigit((unsigned char)*at) || size < 5 || size > left || *key != ' ' ||
	    at[size - 1] != '\n')
		return 0;
	value = memchr(key, '=', (size_t)(at + size - key));
	if (!value)
		return 0;
	if (!strncmp(key, " path=", 6)) {
		free(tar->name);
		tar->name = pfx_strndup(value + 1, (size_t)(at + size - value - 2));
	} else if (!strncmp(key, " linkpath=", 10)) {
		free(tar->link);
		tar->link = pfx_strndup(value + 1, (size_t)(at + size - value - 2));
	}
	return size;
}

/* POSIX attributes of the next entry: names that do not fit in its block. */
static int take_extra(struct pfx_tar_reader *tar, struct pfx_error *err)
{
	size_t size = (size_t)tar->entry_left, at = 0, step = 1;
	char *text;
	int rc;

	if (tar->entry_left > EXTRA_MAX)
		return skip_rest(tar, err);
	text = pfx_calloc(1, size + 1);
	rc = take_all(tar, text, size, err);
	tar->entry_left = 0;
	for (; !rc && at < size && step; at += step)
		step = take_attribute(tar, text + at, size - at);
	free(text);
	return rc ? rc : skip_rest(tar, err);
}

/* The next block: 1, 0 at the end of the archive. */
static int take_block(struct pfx_tar_reader *tar, struct pfx_tar_block *block,
		      struct pfx_error *err)
{
	static const struct pfx_tar_block zeros;
	ssize_t n = take(tar, (uint8_t *)block, sizeof(*block));
	uint64_t size;

	if (!n)
		return 0;
	if (is_bloated(tar) || ++tar->nr_entries > ENTRIES_MAX)
		return damaged(tar, "there are more files in it than anything real has", err);
	if (n != (ssize_t)sizeof(*block))
		return damaged(tar, n < 0 ? "it cannot be unpacked" : "it is cut short", err);
	if (!memcmp(block, &zeros, sizeof(zeros)))
		return 0;
	if (!is_block(block) || !parse_size(block->size, &size))
		return damaged(tar, "it has an invalid entry", err);
	tar->entry_left = size;
	tar->padding = -size & (PFX_TAR_BLOCK - 1);
	return 1;
}

static void describe(struct pfx_tar_reader *tar, const struct pfx_tar_block *block,
		     struct pfx_tar_entry *ret)
{
	bool is_link = block->type == PFX_TAR_LINK;

	if (!tar->name)
		tar->name = name_of(block);
	if (!tar->link)
		tar->link = text_of(block->link, sizeof(block->link));
	*ret = (struct pfx_tar_entry){
		.name = tar->name,
		.link = is_link ? tar->link : NULL,
		.size = tar->entry_left,
		.is_file = block->type == PFX_TAR_FILE || block->type == PFX_TAR_OLD_FILE,
	};
}

int pfx_tar_next(struct pfx_tar_reader *tar, struct pfx_tar_entry *ret, struct pfx_error *err)
{
	struct pfx_tar_block block;
	int rc = skip_rest(tar, err);

	pfx_free_and_null((void **)&tar->name);
	pfx_free_and_null((void **)&tar->link);
	while (!rc) {
		rc = take_block(tar, &block, err);
		if (rc <= 0)
			return rc;
		if (block.type == PFX_TAR_LONG_NAME)
			rc = take_long(tar, &tar->name, err);
		else if (block.type == PFX_TAR_LONG_LINK)
			rc = take_long(tar, &tar->link, err);
		else if (block.type == PFX_TAR_EXTRA)
			rc = take_extra(tar, err);
		else if (block.type == PFX_TAR_GLOBAL)
			rc = skip_rest(tar, err);
		else
			break;
	}
	if (rc < 0)
		return rc;
	describe(tar, &block, ret);
	return 1;
}

int pfx_tar_copy(struct pfx_tar_reader *tar, int fd, struct pfx_error *err)
{
	uint8_t *chunk = pfx_malloc(CHUNK);
	size_t n;
	int rc = 0;

	for (; tar->entry_left && !rc; tar->entry_left -= n) {
		n = tar->entry_left < CHUNK ? (size_t)tar->entry_left : CHUNK;
		rc = take_all(tar, chunk, n, err);
		if (!rc) {
			rc = pfx_write_full(fd, chunk, n);
			if (rc < 0)
				pfx_error_sys(err, -rc, "cannot write what is in an archive");
		}
	}
	free(chunk);
	return rc;
}

/* A pipe must not be read, since its bytes could not be read again. A recording may be compressed,
 * too, so the first block decides. */
bool pfx_tar_is_archive(const char *path)
{
	struct pfx_tar_reader *tar;
	struct pfx_tar_entry entry;
	struct stat st;
	bool is_archive;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || pfx_tar_open(&tar, path, NULL))
		return false;
	is_archive = pfx_tar_next(tar, &entry, NULL) > 0;
	pfx_tar_reader_free(tar);
	return is_archive;
}
