/* SPDX-License-Identifier: MIT */
/*
 * Source lines and inlined functions of one program, from its debug information or that of its
 * separate debug file, never that of another build. Nothing is read before it is asked for, and
 * then only the part (the unit of the compiler) that the address lies in. All results are owned by
 * the lines and live as long as they do. Calls from several threads take turns.
 */
#ifndef PFX_SYM_LINES_H
#define PFX_SYM_LINES_H

#include "base/alloc.h"
#include "sym/find/request.h"
#include "sym/table/source.h"
#include "sym/table/symtab.h"

struct pfx_lines;

/* A file of split debug information that a unit of the compiler stands in. */
struct pfx_split_place {
	uint64_t id; /* of the unit */
	char *path;
};

struct pfx_split_list {
	PFX_VEC(struct pfx_split_place) files;
};

/* Files of split debug information that units of the compiler are without: the first that was met,
 * and how many units. */
struct pfx_split_gaps {
	const char *refused; /* in place, and of another build; NULL: none */
	const char *missing; /* not there; NULL: none */
	uint32_t nr_refused, nr_missing;
};

/* A function whose code stands inside another one. */
struct pfx_inlined {
	const char *name;      /* readable unless asked otherwise; foreign text */
	const void *call;      /* for pfx_lines_call() */
	uint32_t line, column; /* of the call; 0: unknown */
};

/* Open the debug information of @request (all kinds but PERF_MAP; addresses of the kernel and its
 * modules are those of the recording, and stand for offsets). -ENODATA when there is none, or only
 * that of another build (@err is ESTALE then); -ENOTSUP when no library for it is built in. */
int pfx_lines_open(struct pfx_lines **ret, const struct pfx_sym_request *request,
		   const struct pfx_sym_options *options, struct pfx_error *err);
void pfx_lines_free(struct pfx_lines *lines);
/* The line that the byte at @offset of the file was made from; false when it is unknown. */
bool pfx_lines_source(struct pfx_lines *lines, uint64_t offset, struct pfx_source *ret);
/* The functions inlined at @offset, the innermost first. Returns their number. The function that
 * they all stand in is not among them. */
uint32_t pfx_lines_inlined(struct pfx_lines *lines, uint64_t offset,
			   const struct pfx_inlined **ret);
/* Where the inlined function is called from; false when it is unknown. */
bool pfx_lines_call(struct pfx_lines *lines, const struct pfx_inlined *inlined,
		    struct pfx_source *ret);
/* Whether units of the program stand in files of their own (.dwo) or in a package. */
bool pfx_lines_are_split(struct pfx_lines *lines);
/* Those files, as far as they are there and of this build; none of units in a package. Of the units
 * that the bytes at @offsets, or those before them, belong to; NULL: of all. The caller frees the
 * list, also an empty one. */
void pfx_lines_splits(struct pfx_lines *lines, const uint64_t *offsets, size_t nr,
		      struct pfx_split_list *ret);
void pfx_split_list_free(struct pfx_split_list *list);
/* Of what was asked for so far; its paths live as long as @lines. */
struct pfx_split_gaps pfx_lines_gaps(struct pfx_lines *lines);

#endif
