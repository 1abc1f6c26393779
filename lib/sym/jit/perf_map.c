/* SPDX-License-Identifier: MIT */
/*
 * Reads perf maps: /tmp/perf-PID.map, which a program writes about its JIT code, with lines "START
 * SIZE name" in hex. Addresses are reused, for recompiled or other functions: a later line replaces
 * earlier ones. The file is read in pieces and only symbols are kept: other contents and holes take
 * no memory. jit_files.c finds the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "sym/find/request.h"
#include "sym/jit/jit_files.h"
#include "sym/jit/jit_table_internal.h"
#include "sym/table/symtab_internal.h"

#define PIECE      ((size_t)1 << 20)
#define NUMBERS    64                             /* maximum bytes of a line before the name */
#define LINE_LIMIT (NUMBERS + PFX_NAME_LIMIT + 1) /* the rest of a longer line is ignored */

/* State of reading the file. */
struct reading {
	int fd;
	uint64_t at, end;
	char *piece;
	size_t len;
	bool is_rest; /* the piece begins inside a line that was already handled */
};

/* Parses one NUL-terminated line; false when it is not an entry. */
static bool add_line(struct pfx_symtab *tab, const char *line)
{
	uint64_t start, size;
	char *at;

	start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return false;
	line = at;
	size = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !at[1] || !size)
		return false;
	pfx_symtab_add(tab, start, size, pfx_arena_strndup(&tab->arena, at + 1, PFX_NAME_LIMIT + 1),
		       'g', true);
	return true;
}

/* Adds the lines of the piece; an incomplete last line is moved to the start of the buffer. */
static void add_lines(struct pfx_symtab *tab, struct reading *r)
{
	char *line = r->piece, *stop = r->piece + r->len, *end;

	while ((end = memchr(line, '\n', (size_t)(stop - line)))) {
		*end = '\0';
		if (!r->is_rest)
			add_line(tab, line);
		r->is_rest = false;
		line = end + 1;
	}
	r->len = (size_t)(stop - line);
	memmove(r->piece, line, r->len);
	r->piece[r->len] = '\0';
	if (r->len < LINE_LIMIT)
		return;
	if (!r->is_rest)
		add_line(tab, r->piece);
	r->is_rest = true;
	r->len = 0;
}

/* Skips a hole. File systems without support for holes report an error, or data everywhere. */
static void skip_hole(struct reading *r)
{
	off_t data = lseek(r->fd, (off_t)r->at, SEEK_DATA);

	if (data < 0 && errno == ENXIO)
		r->at = r->end;
	else if (data > (off_t)r->at)
		r->at = (uint64_t)data;
}

/* Reads on after the incomplete line: the number of bytes, 0 at the end of the file, or a negative
 * errno. */
static ssize_t read_more(struct reading *r)
{
	size_t want = PIECE;
	ssize_t got;

	skip_hole(r);
	if (r->at >= r->end)
		return 0;
	if (want > r->end - r->at)
		want = (size_t)(r->end - r->at);
	do
		got = pread(r->fd, r->piece + r->len, want, (off_t)r->at);
	while (got < 0 && errno == EINTR);
	if (got > 0) {
		r->len += (size_t)got;
		r->at += (uint64_t)got;
	}
	return got < 0 ? -errno : got;
}

static int read_map(struct pfx_symtab *tab, const struct pfx_jit_file *file)
{
	struct reading r = {.fd = file->fd, .end = file->size};
	ssize_t got;

	r.piece = pfx_malloc(LINE_LIMIT + PIECE + 1);
	while ((got = read_more(&r)) > 0)
		add_lines(tab, &r);
	r.piece[r.len] = '\0';
	if (!r.is_rest)
		add_line(tab, r.piece);
	free(r.piece);
	return (int)got;
}

int pfx_symtab_load_perf_map(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			     const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_jit_file file;
	char shown[256];
	int rc = pfx_jit_file_open(request, options, &file, err);

	if (rc)
		return rc;
	tab->last_wins = true;
	pfx_escape(shown, sizeof(shown), file.path);
	rc = read_map(tab, &file);
	if (rc)
		pfx_error_sys(err, -rc, "cannot read '%s'", shown);
	else if (!tab->syms.nr)
		rc = pfx_error_set(err, ENOENT, "'%s' has no entries", shown);
	pfx_symtab_set_source(tab, file.path);
	close(file.fd);
	pfx_jit_file_free(&file);
	return rc;
}
