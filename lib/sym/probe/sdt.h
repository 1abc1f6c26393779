/* SPDX-License-Identifier: MIT */
/* Static probes that a program was built with (SystemTap's sys/sdt.h): where they are and what they
 * are called. They stand as notes of owner "stapsdt" in the section .note.stapsdt. */
#ifndef PFX_SYM_SDT_H
#define PFX_SYM_SDT_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "sym/elf/buildid.h"

struct pfx_sdt_probe {
	char *provider, *name;
	char *arguments;           /* as the compiler wrote them, "-4@%edi 8@%rsi"; may be "" */
	uint64_t offset;           /* of the probe in the file */
	uint64_t semaphore_offset; /* of the counter that switches it on; 0: none */
};

struct pfx_sdt {
	PFX_VEC(struct pfx_sdt_probe) probes;
	struct pfx_build_id build_id; /* of the file; size 0: none */
};

/* The probes of an ELF file; none is no error. Notes that are cut or lie are left out. */
int pfx_sdt_read(const char *path, struct pfx_sdt *ret, struct pfx_error *err);
void pfx_sdt_fini(struct pfx_sdt *sdt);

#endif
