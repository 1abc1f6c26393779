/* SPDX-License-Identifier: MIT */
/*
 * The public functions for features: find a feature's decoder, encoder or printer and record which
 * features the env has. The contents of sections are in feature_decode.c, feature_encode.c and
 * feature_text.c.
 */
#include "file/header/feature.h"

#include <errno.h>

#include "feature_internal.h"

int pfx_feature_borrow(struct pfx_meta *meta, unsigned feature, const void *data, uint64_t size,
		       struct pfx_error *err)
{
	struct pfx_cursor c = pfx_cursor_make(data, size, meta->swap);
	pfx_feature_decode_fn decode = pfx_feature_decoder(feature);

	if (feature >= PFX_FEAT_BITS)
		return pfx_error_set(err, EBADMSG, "there is no feature %u", feature);
	meta->env.raw[feature] = (struct pfx_env_blob){data, size};
	if (decode && !decode(meta, &c))
		return pfx_error_set(err, EBADMSG, "the feature %s of the header is malformed",
				     pfx_feature_name(feature));
	pfx_env_set(&meta->env, feature);
	return 0;
}

int pfx_feature_decode(struct pfx_meta *meta, unsigned feature, const void *data, uint64_t size,
		       struct pfx_error *err)
{
	return pfx_feature_borrow(meta, feature, pfx_arena_memdup(&meta->arena, data, size), size,
				  err);
}

/* Features that are derived from events and ids are present although no bit is set. */
static bool is_there(const struct pfx_meta *meta, unsigned feature)
{
	const struct pfx_env *env = &meta->env;

	switch (feature) {
	case PFX_FEAT_EVENT_DESC:
		return meta->nr_events > 0;
	case PFX_FEAT_TRACING_DATA:
		return env->tracing_data.size > 0;
	case PFX_FEAT_BUILD_ID:
		return env->nr_build_ids > 0;
	default:
		return feature < PFX_FEAT_BITS && pfx_env_has(env, feature);
	}
}

/* Unknown features are copied as bytes, if the byte order is the same. */
static bool encode_raw(const struct pfx_meta *meta, unsigned feature, struct pfx_buffer *to)
{
	const struct pfx_env_blob *raw = &meta->env.raw[feature];

	if (!raw->size || to->swap != meta->swap)
		return false;
	pfx_buffer_bytes(to, raw->at, raw->size);
	return true;
}

bool pfx_feature_encode(const struct pfx_meta *meta, unsigned feature, struct pfx_buffer *to)
{
	pfx_feature_encode_fn encode = pfx_feature_encoder(feature);
	size_t start = to->len;

	if (!is_there(meta, feature))
		return false;
	if (encode ? encode(meta, to) : encode_raw(meta, feature, to))
		return true;
	to->len = start;
	return false;
}

bool pfx_feature_encode_kept(const struct pfx_meta *meta, unsigned feature, struct pfx_buffer *to)
{
	const struct pfx_env_blob *raw = &meta->env.raw[feature];

	if (!raw->at && !pfx_env_has(&meta->env, feature))
		return false;
	if (!raw->at || to->swap != meta->swap)
		return pfx_feature_encode(meta, feature, to);
	pfx_buffer_bytes(to, raw->at, raw->size);
	return true;
}

/* The features that perf sends: all except those that are known only at the end, or have a record
 * type. */
bool pfx_feature_in_pipe(unsigned feature)
{
	switch (feature) {
	case PFX_FEAT_TRACING_DATA:
	case PFX_FEAT_BUILD_ID:
	case PFX_FEAT_BRANCH_STACK:
	case PFX_FEAT_AUXTRACE:
	case PFX_FEAT_STAT:
	case PFX_FEAT_CACHE:
	case PFX_FEAT_DIR_FORMAT:
	case PFX_FEAT_HYBRID_TOPOLOGY:
		return false;
	default:
		return feature >= PFX_FEAT_HOSTNAME && feature < PFX_FEAT_MAX;
	}
}

/* Features of many lines are only shown on request. */
static bool is_long(unsigned feature)
{
	return feature == PFX_FEAT_CPU_TOPOLOGY || feature == PFX_FEAT_NUMA_TOPOLOGY ||
	       feature == PFX_FEAT_CACHE || feature == PFX_FEAT_MEM_TOPOLOGY ||
	       feature == PFX_FEAT_HYBRID_TOPOLOGY || feature == PFX_FEAT_CPU_DOMAIN_INFO;
}

void pfx_feature_text(const struct pfx_meta *meta, unsigned feature, bool full, struct pfx_str *to)
{
	pfx_feature_text_fn print = pfx_feature_printer(feature);

	if (feature >= PFX_FEAT_BITS || !pfx_env_has(&meta->env, feature) || !print)
		return;
	if (is_long(feature) && !full)
		pfx_str_addf(to, "# %s info available, use -I to display\n",
			     pfx_feature_name(feature));
	else
		print(meta, to);
}
