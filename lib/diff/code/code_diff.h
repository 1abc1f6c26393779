/* SPDX-License-Identifier: MIT */
/*
 * `pfx annotate --diff`: the code of functions in two recordings side by side. Functions are
 * matched by name and library, without what differs from build to build.
 */
#ifndef PFX_DIFF_CODE_DIFF_H
#define PFX_DIFF_CODE_DIFF_H

#include "out/annotate/annotate.h"

/* What of it could not be shown, for each recording: the old one first. */
struct pfx_code_diff_result {
	struct pfx_missing_code missing[2];
	uint32_t nr_shown;
	bool has_new; /* a function that is shown is in the new one alone */
};

/* Write the code of functions that @recordings (the old one first) have: of their function
 * "symbol", or of all above "percent_limit" in one of them, those whose share changed most first.
 * The options are those of the new one but for what belongs to a recording. Costs must be read.
 * -ENOENT: neither has that function; -ENODATA: they have no event in common, or the code of the
 * function is not available. Free the result with pfx_code_diff_fini(). */
int pfx_code_diff_write(const struct pfx_annotate *const recordings[2],
			struct pfx_code_diff_result *ret, struct pfx_str *to,
			struct pfx_error *err);
void pfx_code_diff_fini(struct pfx_code_diff_result *result);

#endif
