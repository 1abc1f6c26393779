/* SPDX-License-Identifier: MIT */
/*
 * The files that JIT compilers write for profilers: /tmp/perf-PID.map and jit-PID.dump. Anyone may
 * write into /tmp: files that belong to strangers are refused unless the options force it.
 */
#ifndef PFX_SYM_JIT_FILES_H
#define PFX_SYM_JIT_FILES_H

#include "sym/find/request.h"
#include "sym/table/symtab.h"

/* One of them, read into memory: it may still be written to. */
struct pfx_jit_file {
	char *path;
	uint8_t *data; /* a zero follows its end; NULL after pfx_jit_file_open() */
	size_t size;
	int fd; /* after pfx_jit_file_open(): the caller closes it */
};

/* How a process sees the world, which it may not do any more when its files are wanted. */
struct pfx_jit_view {
	char root[64];   /* a path to its root directory, or to its /tmp */
	const char *tmp; /* its /tmp from there: "tmp/" or "" */
	char file[64];   /* a path to its jitdump; empty: by the name below its root */
	int32_t pid;     /* its number in its own namespace */
	uint32_t owner;  /* the user that it runs as */
};

/* The view of a process that runs; false when it is gone. */
bool pfx_jit_view_of(int32_t pid, struct pfx_jit_view *ret);
/* The file of @request (kinds PERF_MAP and JITDUMP): the copy that was kept when it was recorded,
 * else as its process sees it, else by its path here. Free it when 0 was returned. */
int pfx_jit_file_read(const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		      struct pfx_jit_file *ret, struct pfx_error *err);
/* The same, to be read piece by piece. */
int pfx_jit_file_open(const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		      struct pfx_jit_file *ret, struct pfx_error *err);
void pfx_jit_file_free(struct pfx_jit_file *file);
/* What such a file is called in the build-id cache: "map" or "jitdump". */
const char *pfx_jit_file_kept_as(enum pfx_sym_kind kind);

#endif
