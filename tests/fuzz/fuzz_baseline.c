/* SPDX-License-Identifier: MIT */
/* Any text as a baseline: parsed, compared with itself, written again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "diff/baseline/baseline.h"
#include "diff/tree.h"

#define TEXT_MAX 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare(const struct pfx_baseline *baseline, const struct pfx_diff_options *options)
{
	struct pfx_diff *diff = pfx_diff_new(options);
	struct pfx_diff_noise *noise;
	size_t i;

	for (i = 0; i < baseline->runs.nr; i++) {
		pfx_diff_add_run(diff, 0, baseline->runs.at[i]);
		pfx_diff_add_run(diff, 1, baseline->runs.at[i]);
	}
	pfx_diff_finish(diff);
	noise = pfx_diff_noise_new(diff, PFX_DIFF_SHARE, PFX_DIFF_CONFIDENCE);
	pfx_diff_noise_free(noise);
	pfx_diff_free(diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pfx_diff_options options = {
		.keys = {PFX_DIFF_DSO, PFX_DIFF_SYM}, .nr_keys = 2, .nr_sides = 2, .noise = true};
	struct pfx_diff_options tree = pfx_diff_tree_options(&options);
	struct pfx_baseline baseline, again;
	struct pfx_str text = {0};
	struct pfx_error err;
	size_t i;

	if (size > TEXT_MAX)
		return 0;
	pfx_str_addn(&text, (const char *)data, size);
	if (!pfx_baseline_parse(&baseline, pfx_str_get(&text), &err)) {
		compare(&baseline, &options);
		compare(&baseline, &tree);
		pfx_str_clear(&text);
		pfx_baseline_add_head(baseline.machine, &text);
		for (i = 0; i < baseline.runs.nr; i++)
			pfx_baseline_add_run(baseline.runs.at[i], &text);
		if (pfx_baseline_parse(&again, pfx_str_get(&text), &err) ||
		    again.runs.nr != baseline.runs.nr)
			abort();
		pfx_baseline_fini(&again);
		pfx_baseline_fini(&baseline);
	}
	pfx_str_fini(&text);
	return 0;
}
