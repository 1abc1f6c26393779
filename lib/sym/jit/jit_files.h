/* SPDX-License-Identifier: MIT */
/*
 * The files that JIT compilers write for profilers: /tmp/perf-PID.map and jit-PID.dump. /tmp is
 * writable for all: files of other users are refused unless the options set `force`. In a
 * process's own root, only files of its user are accepted.
 */
#ifndef PFX_SYM_JIT_FILES_H
#define PFX_SYM_JIT_FILES_H

#include "sym/find/request.h"
#include "sym/table/symtab.h"

/* A file that was read into memory, since its writer may still change it. */
struct pfx_jit_file {
	char *path;
	uint8_t *data; /* NUL-terminated; NULL after pfx_jit_file_open() */
	size_t size;
	size_t nr_data; /* the bytes that are in the file; the others are holes */
	unsigned mode;  /* its permissions */
	int fd;         /* after pfx_jit_file_open(): the caller closes it */
};

/* The root directory and namespaces of a process, saved because the process may have ended when its
 * files are needed. */
struct pfx_jit_view {
	char root[64];   /* path to its root directory, or to its /tmp */
	const char *tmp; /* its /tmp relative to root: "tmp/" or "" */
	char file[64];   /* path to its jitdump; empty: the recorded path below its root */
	int32_t pid;     /* pid in its own namespace */
	uint32_t owner;  /* user id of the process */
};

/* The view of a running process; false when it has ended. */
bool pfx_jit_view_of(int32_t pid, struct pfx_jit_view *ret);
/* Read the file of @request (kinds PERF_MAP and JITDUMP): the copy in the build-ID cache, else the
 * file in the process's own root, else at the path here. Free it after success. */
int pfx_jit_file_read(const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		      struct pfx_jit_file *ret, struct pfx_error *err);
/* Open the file instead, to be read in pieces. */
int pfx_jit_file_open(const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		      struct pfx_jit_file *ret, struct pfx_error *err);
void pfx_jit_file_free(struct pfx_jit_file *file);
/* The name of the file in the build-ID cache: "map" or "jitdump". */
const char *pfx_jit_file_kept_as(enum pfx_sym_kind kind);

#endif
