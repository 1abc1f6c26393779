/* SPDX-License-Identifier: MIT */
/* Shared by the feature code, whose table has one row for each feature (feature.c). */
#ifndef PFX_FILE_FEATURE_INTERNAL_H
#define PFX_FILE_FEATURE_INTERNAL_H

#include "base/cursor.h"
#include "file/header/feature.h"

/* Decoders change the meta only if the whole section is valid. */
typedef bool (*pfx_feature_decode_fn)(struct pfx_meta *meta, struct pfx_cursor *c);
/* Encoders are only called for features that the env has. False: the section would be empty. */
typedef bool (*pfx_feature_encode_fn)(const struct pfx_meta *meta, struct pfx_buffer *to);
typedef void (*pfx_feature_text_fn)(const struct pfx_meta *meta, struct pfx_str *to);

/* As pfx_feature_decode(), but the bytes are borrowed: they live as long as the meta. */
int pfx_feature_borrow(struct pfx_meta *meta, unsigned feature, const void *data, uint64_t size,
		       struct pfx_error *err);
pfx_feature_decode_fn pfx_feature_decoder(unsigned feature);
pfx_feature_encode_fn pfx_feature_encoder(unsigned feature);
pfx_feature_text_fn pfx_feature_printer(unsigned feature);

/* Append a build ID; the caller fills the entry. Strings in it must be in the meta's arena. */
struct pfx_env_build_id *pfx_feature_add_build_id(struct pfx_meta *meta);

/* An event of EVENT_DESC. */
struct pfx_event_desc {
	struct pfx_attr attr;
	const char *name;
	struct pfx_words ids;
};
/* Returns the number of events and moves the cursor after it; 0 if malformed. */
uint32_t pfx_event_desc_begin(struct pfx_cursor *c, uint32_t *ret_attr_size);
bool pfx_event_desc_next(struct pfx_meta *meta, struct pfx_cursor *c, uint32_t attr_size,
			 struct pfx_event_desc *ret);

/* feature_bpf.c */
bool pfx_feature_decode_bpf(struct pfx_meta *meta, struct pfx_cursor *c);
bool pfx_feature_decode_btf(struct pfx_meta *meta, struct pfx_cursor *c);
void pfx_feature_text_bpf(const struct pfx_meta *meta, struct pfx_str *to);
void pfx_feature_text_btf(const struct pfx_meta *meta, struct pfx_str *to);

#endif
