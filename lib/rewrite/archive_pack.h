/* SPDX-License-Identifier: MIT */
/*
 * Packs a recording and everything that its reader needs into one archive, for another machine:
 * binaries, their debug files, the kernel's symbols, names of JIT code.
 */
#ifndef PFX_REWRITE_ARCHIVE_PACK_H
#define PFX_REWRITE_ARCHIVE_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

struct pfx_archive_options {
	const char *recording;   /* a file or a directory; a stream (-) is refused */
	const char *output;      /* NULL: the recording's name with .tar.zst */
	const char *exclude;     /* a file with build IDs to leave out; NULL: none */
	const char *buildid_dir; /* the build-ID cache; NULL: none */
	bool no_data;            /* leave the recording itself out */
	bool sources;            /* add the source files of the lines that were hit */
	bool force;              /* also read a file that belongs to another user */
};

struct pfx_archive_entry {
	char *what; /* "elf", "debug", "dwp", "source", ...; NULL: missing */
	char *path; /* path of the file; for a missing file, the binary's name */
};

/* The entries of the archive, in order. */
struct pfx_archive_contents {
	char *output;                  /* NULL: not created */
	uint64_t nr_taken, nr_missing; /* binaries */
	uint64_t nr_sources;           /* source files */
	uint64_t nr_foreign; /* files in a directory recording that are not of it, or links */
	char *foreign;       /* the first of these; NULL: none */
	PFX_VEC(struct pfx_archive_entry) entries;
	struct pfx_recording *recording; /* that was read, for notes; NULL: none */
};

/* Write the archive. @ret is filled also after an error; free it with
 * pfx_archive_contents_fini(). */
int pfx_archive_pack(const struct pfx_archive_options *options, struct pfx_archive_contents *ret,
		     struct pfx_error *err);
void pfx_archive_contents_fini(struct pfx_archive_contents *contents);

#endif
