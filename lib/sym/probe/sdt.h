/* SPDX-License-Identifier: MIT */
/* Static probes in a program (SystemTap's sys/sdt.h): their names and locations, from notes with
 * owner "stapsdt" in the section .note.stapsdt. */
#ifndef PFX_SYM_SDT_H
#define PFX_SYM_SDT_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "sym/elf/buildid.h"

struct pfx_sdt_probe {
	char *provider, *name;
	char *arguments;           /* in the compiler's syntax, "-4@%edi 8@%rsi"; may be "" */
	uint64_t offset;           /* of the probe in the file */
	uint64_t semaphore_offset; /* file offset of the counter that enables the probe; 0: none */
};

struct pfx_sdt {
	PFX_VEC(struct pfx_sdt_probe) probes;
	struct pfx_build_id build_id; /* of the file; size 0: none */
};

/* The probes of an ELF file; a file without probes is not an error. Truncated and invalid notes are
 * skipped. */
int pfx_sdt_read(const char *path, struct pfx_sdt *ret, struct pfx_error *err);
void pfx_sdt_fini(struct pfx_sdt *sdt);

#endif
