/* SPDX-License-Identifier: MIT */
/*
 * Finds the debug file of a stripped program in the places that distributions and perf's build-ID
 * cache use, in perf's order. A file is used only if its build ID matches; if the build ID is
 * unknown, only the file that .gnu_debuglink names, if its CRC matches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sym/cache/debuginfod_internal.h"
#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"
#include "sym/find/find_internal.h"
#include "sym/find/request.h"
#include "sym/find/symfs_internal.h"

#define DEBUG_DIR "/usr/lib/debug"
#define MERGED    "/usr/" /* replaced by "/", the last character */

struct search {
	const struct pfx_elf *runtime; /* NULL: not found */
	const char *path;
	const char *symfs;
	const struct pfx_build_id *build_id;
	const struct pfx_sym_options *options;
	const char *link; /* name from .gnu_debuglink or NULL */
	uint32_t crc;
	char **refused; /* the first candidate that is another build */
};

static uint32_t crc32_of(const uint8_t *data, size_t size)
{
	uint32_t table[256], crc = ~0u, c;
	size_t i;
	int k;

	for (i = 0; i < 256; i++) {
		c = (uint32_t)i;
		for (k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		table[i] = c;
	}
	for (i = 0; i < size; i++)
		crc = table[(crc ^ data[i]) & 0xff] ^ crc >> 8;
	return ~crc;
}

/* Opens @path if it is the wanted file; frees @path otherwise. */
static bool try_file(const struct search *s, char *path, bool by_link, struct pfx_elf *ret,
		     char **ret_path)
{
	bool ok;

	if (pfx_elf_open(path, ret, NULL)) {
		free(path);
		return false;
	}
	if (s->build_id->size)
		ok = pfx_build_id_same(s->build_id, &ret->build_id);
	else
		ok = by_link && crc32_of(ret->map.data, ret->map.size) == s->crc;
	if (ok && pfx_elf_has_symtab(ret)) {
		*ret_path = path;
		return true;
	}
	if (!ok && !*s->refused)
		*s->refused = pfx_strdup(path);
	pfx_elf_close(ret);
	free(path);
	return false;
}

static bool try_debuglink(const struct search *s, struct pfx_elf *ret, char **ret_path)
{
	const char *slash = strrchr(s->path, '/');
	int dir = slash ? (int)(slash - s->path) : 0;

	if (!s->link)
		return false;
	/* a link to the program's own name: the program itself was tried already */
	return (strcmp(slash ? slash + 1 : s->path, s->link) &&
		try_file(s, pfx_strfmt("%s%.*s/%s", s->symfs, dir, s->path, s->link), true, ret,
			 ret_path)) ||
	       try_file(s, pfx_strfmt("%s%.*s/.debug/%s", s->symfs, dir, s->path, s->link), true,
			ret, ret_path) ||
	       try_file(s, pfx_strfmt("%s" DEBUG_DIR "%.*s/%s", s->symfs, dir, s->path, s->link),
			true, ret, ret_path);
}

char *pfx_debugfile_cached(const struct pfx_sym_options *options,
			   const struct pfx_build_id *build_id, const char *what)
{
	const char *dir = options->buildid_dir, *home = pfx_home();
	char text[2 * PFX_BUILD_ID_SIZE + 1], *below;

	if (build_id->size < 2)
		return NULL;
	pfx_build_id_text(build_id, text);
	if (options->symfs) {
		below = pfx_strfmt("%s/.debug/.build-id/%.2s/%s/%s", options->symfs, text, text + 2,
				   what);
		if (!access(below, R_OK))
			return below;
		free(below);
	}
	if (!dir && !home)
		return NULL;
	return pfx_strfmt("%s%s/.build-id/%.2s/%s/%s", dir ? dir : home, dir ? "" : "/.debug", text,
			  text + 2, what);
}

static bool try_cache(const struct search *s, const char *what, struct pfx_elf *ret,
		      char **ret_path)
{
	char *path = pfx_debugfile_cached(s->options, s->build_id, what);

	return path && try_file(s, path, false, ret, ret_path);
}

/* Less common places: OpenEmbedded's .debug directory; the path without /usr, for debug files named
 * before /usr was merged; and with a flat symfs, the program's own directory. */
static bool try_odd(const struct search *s, struct pfx_elf *ret, char **ret_path)
{
	const char *slash = strrchr(s->path, '/');

	return slash &&
	       (try_file(s,
			 pfx_strfmt("%s%.*s/.debug%s", s->symfs, (int)(slash - s->path), s->path,
				    slash),
			 false, ret, ret_path) ||
		(!strncmp(s->path, MERGED, strlen(MERGED)) &&
		 try_file(s,
			  pfx_strfmt("%s" DEBUG_DIR "%s", s->symfs, s->path + strlen(MERGED) - 1),
			  false, ret, ret_path)) ||
		(s->options->symfs && s->options->symfs_flat &&
		 try_file(s, pfx_strfmt("%s%s.debug", s->symfs, s->path), false, ret, ret_path)));
}

static bool try_system(const struct search *s, struct pfx_elf *ret, char **ret_path)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1];

	pfx_build_id_text(s->build_id, text);
	return try_file(s, pfx_strfmt("%s" DEBUG_DIR "%s.debug", s->symfs, s->path), false, ret,
			ret_path) ||
	       try_file(s, pfx_strfmt("%s" DEBUG_DIR "%s", s->symfs, s->path), false, ret,
			ret_path) ||
	       (s->build_id->size >= 2 &&
		try_file(s,
			 pfx_strfmt("%s" DEBUG_DIR "/.build-id/%.2s/%s.debug", s->symfs, text,
				    text + 2),
			 false, ret, ret_path)) ||
	       try_odd(s, ret, ret_path);
}

static bool try_servers(const struct search *s, struct pfx_elf *ret, char **ret_path)
{
	char *path = pfx_debuginfod_fetch(s->options->fetch, PFX_FETCH_DEBUG, s->build_id, s->path);

	return path && try_file(s, path, false, ret, ret_path);
}

bool pfx_debugfile_open(const struct pfx_elf *runtime, const char *path,
			const struct pfx_build_id *build_id, const struct pfx_sym_options *options,
			struct pfx_elf *ret, char **ret_path)
{
	struct search s = {.runtime = runtime,
			   .path = pfx_symfs_part(options, path),
			   .symfs = pfx_symfs_dir(options),
			   .build_id = build_id,
			   .options = options};
	bool stripped = !runtime || !pfx_elf_has_symtab(runtime), found;
	char *refused = NULL;

	s.refused = &refused;

	if (runtime)
		s.link = pfx_elf_debuglink(runtime, &s.crc);
	found = try_debuglink(&s, ret, ret_path) || try_cache(&s, "debug", ret, ret_path) ||
		(stripped && try_cache(&s, "elf", ret, ret_path)) ||
		try_system(&s, ret, ret_path) || (stripped && try_servers(&s, ret, ret_path));
	if (found)
		free(refused);
	else
		*ret_path = refused;
	return found;
}
