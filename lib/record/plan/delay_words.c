/* SPDX-License-Identifier: MIT */
#include "record/plan/delay_words.h"

#include <limits.h>
#include <string.h>

#include "base/words.h"

static bool parse_range(const char *word, size_t len, struct pfx_recorder_range *ret)
{
	char copy[48], *dash;

	if (len == 0 || len >= sizeof(copy))
		return false;
	memcpy(copy, word, len);
	copy[len] = '\0';
	dash = strchr(copy, '-');
	if (!dash)
		return false;
	*dash = '\0';
	return pfx_parse_u64(copy, &ret->from) && pfx_parse_u64(dash + 1, &ret->to) &&
	       ret->from < ret->to && ret->to < INT_MAX;
}

static bool parse_ranges(struct pfx_recorder_output_options *o, const char *arg)
{
	struct pfx_recorder_range *range;
	uint64_t after = 0;
	size_t len;

	for (;; arg += len + 1) {
		len = strcspn(arg, ",");
		range = pfx_vec_add(&o->ranges);
		if (!parse_range(arg, len, range) || range->from < after)
			return false;
		after = range->to;
		if (!arg[len])
			return true;
	}
}

bool pfx_delay_parse(const char *words, struct pfx_recorder_output_options *ret)
{
	uint64_t ms;

	pfx_vec_free(&ret->ranges);
	if (!pfx_parse_u64(words, &ms) || ms >= INT_MAX) {
		ret->delayed = true;
		return parse_ranges(ret, words);
	}
	ret->delayed = ms > 0;
	pfx_vec_push(&ret->ranges, ((struct pfx_recorder_range){ms, UINT64_MAX}));
	return true;
}
