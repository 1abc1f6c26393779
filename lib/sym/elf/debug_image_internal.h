/* SPDX-License-Identifier: MIT */
/*
 * The debug information of an ELF file with its sections unpacked, for libdw. libelf unpacks zlib
 * slowly, and does not know zstd before version 0.189.
 */
#ifndef PFX_SYM_DEBUG_IMAGE_INTERNAL_H
#define PFX_SYM_DEBUG_IMAGE_INTERNAL_H

#include <libelf.h>

struct pfx_debug_image;

/* The debug sections of @elf, at their indexes; the image owns its bytes. NULL: no section is
 * packed in a way that this build unpacks, or one is damaged; then libelf gets the file itself. */
struct pfx_debug_image *pfx_debug_image_new(Elf *elf);
Elf *pfx_debug_image_elf(const struct pfx_debug_image *image);
void pfx_debug_image_free(struct pfx_debug_image *image);

/* When libdw opens a file, it unpacks all sections that it knows: makes those that are not needed
 * look empty. For files without an image. */
void pfx_debug_hide_needless(Elf *elf);

#endif
