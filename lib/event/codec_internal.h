/* SPDX-License-Identifier: MIT */
/* The codecs of the record types: record.c has the table, record_kernel.c and record_user.c fill
 * it. */
#ifndef PFX_CODEC_INTERNAL_H
#define PFX_CODEC_INTERNAL_H

#include "event/event_internal.h"
#include "event/record.h"

/* Parameters of a codec besides the bytes. */
struct pfx_record_context {
	const struct pfx_attr *attr; /* NULL: none */
	uint16_t misc;
};

/* Decoders read the body; if it is too short, the cursor fails. Bytes may be left over. */
typedef void (*pfx_record_decode_fn)(struct pfx_cursor *c, const struct pfx_record_context *ctx,
				     struct pfx_body *ret);
typedef void (*pfx_record_encode_fn)(const struct pfx_body *body,
				     const struct pfx_record_context *ctx, struct pfx_buffer *to);

struct pfx_record_codec {
	const char *name;
	pfx_record_decode_fn decode; /* NULL: header only */
	pfx_record_encode_fn encode;
	bool unaligned; /* the size is not a multiple of 8 */
};

/* From record_kernel.c (types 1 to 22) and record_user.c (64 to 86). */
extern const struct pfx_record_codec pfx_record_kernel_codecs[PFX_RECORD_KERNEL_MAX];
extern const struct pfx_record_codec
	pfx_record_user_codecs[PFX_RECORD_USER_MAX - PFX_RECORD_USER_FIRST];

/* codec.c: all remaining words, or @nr words; the cursor fails if there are fewer. */
struct pfx_words pfx_record_words(struct pfx_cursor *c, uint64_t nr);
struct pfx_words pfx_record_rest_words(struct pfx_cursor *c);
struct pfx_bytes pfx_record_bytes(struct pfx_cursor *c, uint64_t nr, size_t size);
void pfx_record_put_words(struct pfx_buffer *to, const struct pfx_words *words);
/* Append @s as a field of @size bytes, truncated so that a NUL fits. */
void pfx_record_put_field(struct pfx_buffer *to, const char *s, size_t size);

#endif
