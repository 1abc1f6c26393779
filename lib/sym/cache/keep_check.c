/* SPDX-License-Identifier: MIT */
/*
 * Checks that a file in the build-ID cache is the build that it is stored as. Files come from
 * archives, servers and processes that may have written anything: the build ID in the file is
 * compared with the one in its name.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/sha1.h"
#include "sym/cache/keep.h"
#include "sym/cache/keep_internal.h"
#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"

/* Files stored by the hash of their contents are text files of JIT compilers, or small. */
#define LINE_MAX_READ 512 /* the first line of kallsyms is much shorter */

static bool is_plain(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Build IDs shorter than 20 bytes are padded with zeros where a recording does not contain their
 * size. */
static bool fits(const struct pfx_build_id *filed, const struct pfx_build_id *own)
{
	static const uint8_t zeros[PFX_BUILD_ID_SIZE];

	return own->size && own->size <= filed->size &&
	       !memcmp(filed->data, own->data, own->size) &&
	       !memcmp(filed->data + own->size, zeros, filed->size - own->size);
}

static bool is_hash(const void *data, size_t size, const struct pfx_build_id *id)
{
	struct pfx_build_id own = {.size = PFX_SHA1_SIZE};
	struct pfx_sha1 sha;

	if (size > PFX_KEEP_BYTES_MAX)
		return false;
	pfx_sha1_init(&sha);
	pfx_sha1_add(&sha, data, size);
	pfx_sha1_end(&sha, own.data);
	return pfx_build_id_same(id, &own);
}

static bool is_hash_of(const char *path, const struct pfx_build_id *id)
{
	struct pfx_mapping map;
	bool same;

	if (pfx_map_file(path, &map, NULL))
		return false;
	same = is_hash(map.data, map.size, id);
	pfx_unmap(&map);
	return same;
}

/* A program without a build ID may be stored under the SHA-1 of its contents. */
static bool is_build(const char *path, const struct pfx_build_id *id)
{
	struct pfx_elf elf;
	bool good;

	if (pfx_elf_open(path, &elf, NULL))
		return false;
	good = elf.build_id.size ? fits(id, &elf.build_id)
				 : is_hash(elf.map.data, elf.map.size, id);
	pfx_elf_close(&elf);
	return good;
}

static bool is_elf(const char *path)
{
	struct pfx_elf elf;

	if (pfx_elf_open(path, &elf, NULL))
		return false;
	pfx_elf_close(&elf);
	return true;
}

/* "ffffffff81000000 T _stext": the text does not identify its kernel. */
static bool is_kallsyms(const char *path)
{
	char line[LINE_MAX_READ];
	int fd = pfx_open_plain(path, 0, NULL);
	ssize_t got = fd < 0 ? -1 : pfx_read_full(fd, line, sizeof(line) - 1);
	size_t digits;

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return false;
	line[got] = '\0';
	digits = strspn(line, "0123456789abcdef");
	return (digits == 8 || digits == 16) && line[digits] == ' ' &&
	       isalpha((unsigned char)line[digits + 1]) && line[digits + 2] == ' ' &&
	       isgraph((unsigned char)line[digits + 3]);
}

bool pfx_keep_is_right(const char *path, const struct pfx_build_id *id, const char *what)
{
	if (!is_plain(path))
		return false;
	if (!strcmp(what, "kallsyms"))
		return is_kallsyms(path);
	if (!strcmp(what, "map") || !strcmp(what, "jitdump"))
		return is_hash_of(path, id);
	/* split debug information has unit ids, which its readers compare */
	if (!strcmp(what, "dwp") ||
	    !strncmp(what, PFX_KEEP_SPLIT_START, strlen(PFX_KEEP_SPLIT_START)))
		return is_elf(path);
	return is_build(path, id);
}
