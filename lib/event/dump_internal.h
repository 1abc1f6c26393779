/* SPDX-License-Identifier: MIT */
/* The printers of the dump: dump.c has the frame, dump_kernel.c, dump_user.c and dump_sample.c the
 * fields of the record types. */
#ifndef PFX_DUMP_INTERNAL_H
#define PFX_DUMP_INTERNAL_H

#include "event/dump.h"
#include "event/sample.h"

/* Append the text after "PERF_RECORD_NAME", without the last newline. */
typedef void (*pfx_dump_fn)(const struct pfx_body *body, const struct pfx_record *rec,
			    struct pfx_str *to);

extern const pfx_dump_fn pfx_dump_kernel[PFX_RECORD_KERNEL_MAX];
extern const pfx_dump_fn pfx_dump_user[PFX_RECORD_USER_MAX - PFX_RECORD_USER_FIRST];
void pfx_dump_sample(const struct pfx_record *rec, const struct pfx_dump_context *ctx,
		     struct pfx_str *to);

/* dump_text.c: untrusted text, escaped. */
void pfx_dump_text(struct pfx_str *to, const char *text);
/* 0x and hex digits; 0 is printed as "0". */
void pfx_dump_hex_number(struct pfx_str *to, uint64_t v);
/* "000102ff" */
void pfx_dump_hex_bytes(struct pfx_str *to, const uint8_t *bytes, size_t nr);

#endif
