/* SPDX-License-Identifier: MIT */
/* Build ids: of an ELF file, of notes, as text. */
#ifndef PFX_SYM_BUILDID_H
#define PFX_SYM_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PFX_BUILD_ID_SIZE 20

struct pfx_build_id {
	uint8_t size; /* 0: none */
	uint8_t data[PFX_BUILD_ID_SIZE];
};

/* A copy of @size bytes; without them (NULL), or with more than an id has, no id. */
struct pfx_build_id pfx_build_id_make(const void *data, size_t size);
/* Whether both are known and the same. */
bool pfx_build_id_same(const struct pfx_build_id *a, const struct pfx_build_id *b);
/* From the notes of an ELF file; -ENOENT when it has none. */
int pfx_build_id_of_file(const char *path, struct pfx_build_id *ret, struct pfx_error *err);
/* From raw ELF notes (/sys/kernel/notes, /sys/module/x/notes/..., the vdso in memory). */
int pfx_build_id_of_notes(const void *data, size_t size, struct pfx_build_id *ret);
/* The running kernel, one of its modules. */
int pfx_build_id_of_kernel(struct pfx_build_id *ret);
int pfx_build_id_of_module(const char *name, struct pfx_build_id *ret);
/* From an ELF image in memory (the vdso that this process has mapped). */
int pfx_build_id_of_image(const void *data, size_t size, struct pfx_build_id *ret);
/* Lower-case hex; @out has room for 41 bytes. Returns @out. */
char *pfx_build_id_text(const struct pfx_build_id *id, char *out);
/* A build id from @len digits of hex; false when it is none. */
bool pfx_build_id_parse(const char *text, size_t len, struct pfx_build_id *ret);

#endif
