/* SPDX-License-Identifier: MIT */
/* Header features: bytes to struct pfx_env and back, and their lines in `--header`. */
#ifndef PFX_FILE_FEATURE_H
#define PFX_FILE_FEATURE_H

#include "base/buffer.h"
#include "base/str.h"
#include "event/meta.h"

/* Decode one feature section into meta->env (EVENT_DESC: into the events' names and ids). The bytes
 * are copied into the meta's arena. Malformed: -EBADMSG, the env is unchanged except `raw`. */
int pfx_feature_decode(struct pfx_meta *meta, unsigned feature, const void *data, uint64_t size,
		       struct pfx_error *err);
/* Append the section's bytes in the buffer's byte order. False if the section would be empty. */
bool pfx_feature_encode(const struct pfx_meta *meta, unsigned feature, struct pfx_buffer *to);
/* The same, but features that were read and not changed since (meta->env.raw) are copied as
 * bytes. */
bool pfx_feature_encode_kept(const struct pfx_meta *meta, unsigned feature, struct pfx_buffer *to);
/* Whether a pipe carries the feature as HEADER_FEATURE. */
bool pfx_feature_in_pipe(unsigned feature);
/* The feature's lines in perf's format, each starting with "# "; @full for `-I`. */
void pfx_feature_text(const struct pfx_meta *meta, unsigned feature, bool full, struct pfx_str *to);

#endif
