/* SPDX-License-Identifier: MIT */
/*
 * Code that a program made while it ran: /tmp/perf-PID.map, one "START SIZE name" a line in hex,
 * written by the program itself. Memory is used again, for a function that was compiled again or
 * for others: the line further down counts. The file is read piece by piece, and only what
 * may be a symbol is kept: what else is in it, and its holes, take no memory. Where it comes from
 * is not known here.
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
#define NUMBERS    64                             /* bytes of a line before its name, at most */
#define LINE_LIMIT (NUMBERS + PFX_NAME_LIMIT + 1) /* what is behind is not looked at */

/* What is read of the file. */
struct reading {
	int fd;
	uint64_t at, end;
	char *piece;
	size_t len;
	bool is_rest; /* the piece begins inside of a line that was taken */
};

/* Take one line apart, whose end is a NUL; false when it is no entry. */
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

/* The lines of the piece; what is left of it, the beginning of a line, goes to its start. */
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

/* A hole is passed over. File systems that know of none say so or find data everywhere. */
static void skip_hole(struct reading *r)
{
	off_t data = lseek(r->fd, (off_t)r->at, SEEK_DATA);

	if (data < 0 && errno == ENXIO)
		r->at = r->end;
	else if (data > (off_t)r->at)
		r->at = (uint64_t)data;
}

/* More of the file behind what is left: the number of bytes, 0 at its end, or a negative errno. */
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
