/* SPDX-License-Identifier: MIT */
/*
 * A recording and everything that its reader needs in one archive, for another machine: binaries,
 * their debug files, the kernel's symbols, names of code that was made at run time.
 */
#ifndef PFX_REWRITE_ARCHIVE_PACK_H
#define PFX_REWRITE_ARCHIVE_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

struct pfx_archive_options {
	const char *recording;   /* a file or a directory; a stream is refused */
	const char *output;      /* NULL: the recording's name with .tar.zst */
	const char *exclude;     /* a file with build ids to leave out; NULL: none */
	const char *buildid_dir; /* the build-id cache; NULL: there is none */
	bool no_data;            /* leave the recording itself out */
	bool force;              /* also read a file that belongs to somebody else */
};

struct pfx_archive_entry {
	char *what; /* "elf", "debug", "dwp", ...; NULL: missing */
	char *path; /* the file; of what is missing the binary's name */
};

/* What went into the archive, in its order. */
struct pfx_archive_contents {
	char *output;                  /* NULL: it was not reached */
	uint64_t nr_taken, nr_missing; /* binaries */
	PFX_VEC(struct pfx_archive_entry) entries;
};

/* Write the archive. @ret is filled after an error, too; free it with
 * pfx_archive_contents_fini(). */
int pfx_archive_pack(const struct pfx_archive_options *options, struct pfx_archive_contents *ret,
		     struct pfx_error *err);
void pfx_archive_contents_fini(struct pfx_archive_contents *contents);

#endif
