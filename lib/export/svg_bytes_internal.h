/* SPDX-License-Identifier: MIT */
/* The style and the script of the SVG, from lib/export/svg by scripts/join_page. */
#ifndef PFX_EXPORT_SVG_BYTES_INTERNAL_H
#define PFX_EXPORT_SVG_BYTES_INTERNAL_H

#include <stddef.h>

extern const unsigned char pfx_svg_style[], pfx_svg_script[];
extern const size_t pfx_svg_style_size, pfx_svg_script_size;

#endif
