/* SPDX-License-Identifier: MIT */
/*
 * The block of `--header`. A file's features are inside the block; features of a stream are records
 * and are printed after it, as in perf. Ends with the list of missing features.
 */
#include "file/reader/header_text.h"

#include <time.h>

#include "file/header/feature.h"

/* Features that perf 6.1 lists if they are missing. */
#define LISTED_FEATURES (PFX_FEAT_PMU_CAPS + 1)

static void add_fixed(const struct pfx_file_info *info, struct pfx_str *to)
{
	time_t captured = (time_t)info->mtime;
	char day[64];

	pfx_str_addf(to, "# captured on    : %s", ctime_r(&captured, day) ? day : "unknown\n");
	pfx_str_addf(to, "# header version : %u\n", info->version == 1 ? 0u : 1u);
	pfx_str_addf(to, "# data offset    : %llu\n", (unsigned long long)info->data_offset);
	pfx_str_addf(to, "# data size      : %llu\n", (unsigned long long)info->data_size);
	pfx_str_addf(to, "# feat offset    : %llu\n", (unsigned long long)info->feature_offset);
}

static void add_features(struct pfx_reader *reader, bool full, struct pfx_str *to)
{
	const struct pfx_meta *meta = pfx_reader_meta(reader);
	unsigned feature;

	for (feature = 1; feature < PFX_FEAT_MAX; feature++)
		pfx_feature_text(meta, feature, full, to);
	for (feature = 0; feature < PFX_FEAT_BITS; feature++)
		if (!pfx_feature_name(feature) && pfx_env_has(&meta->env, feature))
			pfx_str_addf(to, "# unknown feature %u: %llu byte%s\n", feature,
				     (unsigned long long)meta->env.raw[feature].size,
				     meta->env.raw[feature].size == 1 ? "" : "s");
}

static void add_missing(struct pfx_reader *reader, struct pfx_str *to)
{
	const struct pfx_env *env = &pfx_reader_meta(reader)->env;
	unsigned feature;

	pfx_str_add(to, "# missing features: ");
	for (feature = 1; feature < LISTED_FEATURES; feature++)
		if (!pfx_env_has(env, feature))
			pfx_str_addf(to, "%s ", pfx_feature_name(feature));
	pfx_str_addc(to, '\n');
}

void pfx_header_text(struct pfx_reader *reader, bool full, struct pfx_str *to)
{
	const struct pfx_file_info *info = pfx_reader_info(reader);
	bool is_pipe = info->form == PFX_READER_PIPE;

	pfx_str_add(to, "# ========\n");
	add_fixed(info, to);
	if (!is_pipe) {
		add_features(reader, full, to);
		add_missing(reader, to);
	}
	pfx_str_add(to, "# ========\n#\n");
	if (is_pipe)
		add_features(reader, full, to);
}
