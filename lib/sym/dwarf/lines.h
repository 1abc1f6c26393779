/* SPDX-License-Identifier: MIT */
/*
 * Source lines and inlined functions of one program, from its debug information or that of its
 * debug file, never that of another build. Everything is read on first use, and only the
 * compilation unit that contains the address. All results are owned by the lines and live as long
 * as they do. Calls from several threads are serialized.
 */
#ifndef PFX_SYM_LINES_H
#define PFX_SYM_LINES_H

#include "base/alloc.h"
#include "sym/find/request.h"
#include "sym/table/source.h"
#include "sym/table/symtab.h"

struct pfx_lines;

/* A file of split debug information that a compilation unit uses. */
struct pfx_split_place {
	uint64_t id; /* of the unit */
	char *path;
};

struct pfx_split_list {
	PFX_VEC(struct pfx_split_place) files;
};

/* Missing files of split debug information: the first one, and the number of units without
 * theirs. */
struct pfx_split_gaps {
	const char *refused; /* found, but of another build; NULL: none */
	const char *missing; /* not found; NULL: none */
	uint32_t nr_refused, nr_missing;
};

/* A function that is inlined into another one. */
struct pfx_inlined {
	const char *name;      /* demangled, depending on the options; untrusted text */
	const void *call;      /* for pfx_lines_call() */
	uint32_t line, column; /* of the call; 0: unknown */
};

/* A frame of an address, as profiles for compilers have it. */
struct pfx_line_frame {
	const char *function;   /* its linkage name; untrusted text */
	uint32_t declared;      /* the line where it is declared; 0: unknown */
	uint32_t line;          /* of the address, or of the call in it */
	uint32_t discriminator; /* of the line, as in the line table; 0: none */
};

#define PFX_LINE_FRAMES_MAX 64

/* Whether debug information can be read. Lines of jitdumps always can. */
bool pfx_lines_are_built_in(void);
/* Open the debug information of @request (all kinds except PERF_MAP; "offsets" of the kernel and
 * its modules are their recorded addresses). -ENODATA when there is none, or only that of another
 * build (@err is then ESTALE); -ENOTSUP when no library is built in. */
int pfx_lines_open(struct pfx_lines **ret, const struct pfx_sym_request *request,
		   const struct pfx_sym_options *options, struct pfx_error *err);
void pfx_lines_free(struct pfx_lines *lines);
/* The source line of the byte at @offset; false when it is unknown. */
bool pfx_lines_source(struct pfx_lines *lines, uint64_t offset, struct pfx_source *ret);
/* The same; the next @ret_size bytes of the function, at least 1, have the same answer. */
bool pfx_lines_source_range(struct pfx_lines *lines, uint64_t offset, struct pfx_source *ret,
			    uint64_t *ret_size);
/* The functions inlined at @offset, the innermost first, without the function that contains them.
 * Returns their number. */
uint32_t pfx_lines_inlined(struct pfx_lines *lines, uint64_t offset,
			   const struct pfx_inlined **ret);
/* The same; the next @ret_size bytes of the function, at least 1, have the same answer. */
uint32_t pfx_lines_inlined_range(struct pfx_lines *lines, uint64_t offset,
				 const struct pfx_inlined **ret, uint64_t *ret_size);
/* The source location of the call that was inlined; false when it is unknown. */
bool pfx_lines_call(struct pfx_lines *lines, const struct pfx_inlined *inlined,
		    struct pfx_source *ret);
/* The frames of the byte at @offset, innermost first: inlined functions, then the one that contains
 * them. Fills @ret with at most PFX_LINE_FRAMES_MAX; returns their number, 0 if the function or
 * line is unknown. */
uint32_t pfx_lines_frames(struct pfx_lines *lines, uint64_t offset, struct pfx_line_frame *ret);
/* The compilation unit of the byte at @offset, as a number; 0: unknown. */
uint64_t pfx_lines_unit(struct pfx_lines *lines, uint64_t offset);
/* The offsets in [@begin, @end] at which a row of the line table begins, in the unit of @begin and
 * in ascending order: the first @max. */
uint32_t pfx_lines_rows(struct pfx_lines *lines, uint64_t begin, uint64_t end, uint64_t *ret,
			uint32_t max);
/* Whether units of the program are in separate files (.dwo) or in a package (.dwp). */
bool pfx_lines_are_split(struct pfx_lines *lines);
/* List the .dwo files that exist and match the build; units in a package are not listed. Only for
 * units that contain the bytes at @offsets or the bytes before them; NULL: for all units. The
 * caller frees the list, even if it is empty. */
void pfx_lines_splits(struct pfx_lines *lines, const uint64_t *offsets, size_t nr,
		      struct pfx_split_list *ret);
void pfx_split_list_free(struct pfx_split_list *list);
/* Missing split files of the look-ups so far; the paths live as long as @lines. */
struct pfx_split_gaps pfx_lines_gaps(struct pfx_lines *lines);

#endif
