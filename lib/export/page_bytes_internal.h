/* SPDX-License-Identifier: MIT */
/* The HTML page without its data, joined from lib/export/page by scripts/join_page. */
#ifndef PFX_EXPORT_PAGE_BYTES_INTERNAL_H
#define PFX_EXPORT_PAGE_BYTES_INTERNAL_H

#include <stddef.h>

/* Up to the attributes of the element that holds the data; from the end of that element on. */
extern const unsigned char pfx_page_before[], pfx_page_after[];
extern const size_t pfx_page_before_size, pfx_page_after_size;

#endif
