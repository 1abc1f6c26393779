/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the section of one header feature: decoded, printed, and encoded again. What was
 * decoded once and encoded must come back the same. The first byte says which order the bytes are
 * in and how many CPUs there are (CPU_TOPOLOGY does not say), the second which feature it is.
 */
#include <stdlib.h>

#include "file/header/feature.h"
#include "unit/file/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct pfx_meta *make_meta(const uint8_t *how)
{
	struct pfx_meta *meta = test_meta(how[0] & 1);

	memset(meta->env.has, 0, sizeof(meta->env.has));
	meta->env.nr_cpus_avail = how[0] >> 1 & 7;
	return meta;
}

static void print(const struct pfx_meta *meta, unsigned feature)
{
	struct pfx_str text = {0};

	pfx_feature_text(meta, feature, false, &text);
	pfx_feature_text(meta, feature, true, &text);
	pfx_str_fini(&text);
}

/* Decode and encode again; false when the bytes are refused or there is nothing to say. */
static bool convert(const uint8_t *how, unsigned feature, const void *data, size_t size,
		    struct pfx_buffer *to)
{
	struct pfx_meta *meta = make_meta(how);
	struct pfx_error err = {0};
	int rc = pfx_feature_decode(meta, feature, data, size, &err);
	bool ok;

	if (rc ? !err.text[0] : !pfx_env_has(&meta->env, feature))
		abort();
	print(meta, feature);
	to->swap = meta->swap;
	ok = !rc && pfx_feature_encode(meta, feature, to);
	pfx_meta_free(meta);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_buffer first = {0}, again = {0};
	unsigned feature;

	if (size < 2)
		return 0;
	feature = data[1] % (PFX_FEAT_MAX + 1);
	if (convert(data, feature, data + 2, size - 2, &first)) {
		if (!convert(data, feature, first.at, first.len, &again))
			abort();
		if (first.len != again.len || (first.len && memcmp(first.at, again.at, first.len)))
			abort();
	}
	pfx_buffer_fini(&first);
	pfx_buffer_fini(&again);
	return 0;
}
