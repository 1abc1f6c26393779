/* SPDX-License-Identifier: MIT */
/* Build IDs of ELF files and from notes, and their text form. */
#ifndef PFX_SYM_BUILDID_H
#define PFX_SYM_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PFX_BUILD_ID_SIZE 20

struct pfx_build_id {
	uint8_t size; /* 0: no build ID */
	uint8_t data[PFX_BUILD_ID_SIZE];
};

/* A copy of @size bytes; NULL or more bytes than a build ID can have give an empty one. */
struct pfx_build_id pfx_build_id_make(const void *data, size_t size);
/* Whether both are known and equal. */
bool pfx_build_id_same(const struct pfx_build_id *a, const struct pfx_build_id *b);
/* From the notes of an ELF file; -ENOENT when it has none. */
int pfx_build_id_of_file(const char *path, struct pfx_build_id *ret, struct pfx_error *err);
/* From raw ELF notes (/sys/kernel/notes, /sys/module/x/notes/..., the vdso in memory). */
int pfx_build_id_of_notes(const void *data, size_t size, struct pfx_build_id *ret);
/* The kernel's name among binaries. */
#define PFX_KERNEL_NAME "[kernel.kallsyms]"
/* The running kernel, one of its modules. */
int pfx_build_id_of_kernel(struct pfx_build_id *ret);
int pfx_build_id_of_module(const char *name, struct pfx_build_id *ret);
/* From an ELF image in memory (the vdso that this process has mapped). */
int pfx_build_id_of_image(const void *data, size_t size, struct pfx_build_id *ret);
/* Lower-case hex digits into @out, which needs 41 bytes. Returns @out. */
char *pfx_build_id_text(const struct pfx_build_id *id, char *out);
/* A build ID from @len hex digits; false when they are not valid. */
bool pfx_build_id_parse(const char *text, size_t len, struct pfx_build_id *ret);

#endif
