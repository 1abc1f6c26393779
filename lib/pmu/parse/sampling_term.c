/* SPDX-License-Identifier: MIT */
/*
 * Sampling terms of one event, which override the options for all events: "call-graph=fp",
 * "time=0", "no-inherit". The recorder applies them to attrs.
 */
#include <errno.h>

#include "pmu/parse/parse_internal.h"

#define FRAMES_LIMIT UINT16_MAX /* of the attr's field */

static int bad_value(struct pfx_parser *p, const struct pfx_term *term, const char *advice)
{
	char name[PFX_SHOWN_SIZE], value[PFX_SHOWN_SIZE];
	bool is_missing = term->value.kind == PFX_TOKEN_END;

	pfx_parse_show(name, &term->name);
	if (is_missing)
		pfx_parse_fail(p, &term->where, "term '%s' needs a value", name);
	else
		pfx_parse_fail(p, &term->value, "'%s' is not a valid value for term '%s'",
			       pfx_parse_show(value, &term->value), name);
	pfx_parse_advise(p, "%s", advice);
	return -EINVAL;
}

static int set_callgraph(struct pfx_parser *p, const struct pfx_term *term,
			 struct pfx_event_sampling *ret)
{
	if (term->value.kind == PFX_TOKEN_END ||
	    !pfx_callgraph_mode_parse(term->value.at, term->value.len, &ret->callgraph))
		return bad_value(p, term, "values are fp, dwarf, lbr and no");
	ret->has_callgraph = true;
	return 0;
}

static int set_branch_type(struct pfx_parser *p, const struct pfx_term *term,
			   struct pfx_event_sampling *ret)
{
	const char *bad;
	size_t len;

	if (pfx_token_is(&term->value, "no"))
		return 0;
	if (term->value.kind == PFX_TOKEN_END ||
	    !pfx_branch_filter_parse(term->value.at, term->value.len, &ret->branch_type, &bad,
				     &len))
		return bad_value(p, term, pfx_branch_filter_words());
	return 0;
}

static int set_stack_size(struct pfx_parser *p, const struct pfx_term *term,
			  struct pfx_event_sampling *ret)
{
	uint64_t bytes;

	if (!pfx_token_number(&term->value, &bytes) || bytes == 0 || bytes > PFX_STACK_MAX)
		return bad_value(p, term, "bytes up to 65528");
	ret->stack_bytes = (uint32_t)((bytes + 7) & ~7ull);
	return 0;
}

static int set_max_stack(struct pfx_parser *p, const struct pfx_term *term,
			 struct pfx_event_sampling *ret)
{
	uint64_t frames;

	if (!pfx_token_number(&term->value, &frames) || frames == 0 || frames > FRAMES_LIMIT)
		return bad_value(p, term, "a number of frames up to 65535");
	ret->max_frames = (uint16_t)frames;
	return 0;
}

static int set_aux_sample_size(struct pfx_parser *p, const struct pfx_term *term,
			       struct pfx_event_sampling *ret)
{
	uint64_t bytes;

	if (!pfx_token_number(&term->value, &bytes) || bytes > PFX_AUX_SAMPLE_MAX)
		return bad_value(p, term, "bytes up to 61440 (60 KiB), 0 for none");
	ret->has_aux_sample_size = true;
	ret->aux_sample_size = (uint32_t)bytes;
	return 0;
}

/* The effect of an overflow on the AUX trace of the group's leader. */
static int set_aux_action(struct pfx_parser *p, const struct pfx_term *term,
			  struct pfx_event_sampling *ret)
{
	static const struct {
		const char *word;
		uint32_t bit;
	} actions[] = {
		{"start-paused", PFX_AUX_START_PAUSED},
		{"pause", PFX_AUX_PAUSE},
		{"resume", PFX_AUX_RESUME},
	};
	size_t i;

	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (!pfx_token_is(&term->value, actions[i].word))
			continue;
		ret->aux_action = actions[i].bit;
		return 0;
	}
	return bad_value(p, term, "values are pause, resume and start-paused");
}

static int set_counting_only(struct pfx_parser *p, const struct pfx_term *term,
			     struct pfx_event_sampling *ret)
{
	uint64_t number;
	int err = pfx_term_number(p, term, &number);

	ret->counting_only = true;
	if (!err && pfx_token_is(&term->name, "percore"))
		ret->percore = number != 0;
	return err;
}

/* A switch: without a value it means @yes, with the value 0 the opposite. */
static int set_switch(struct pfx_parser *p, const struct pfx_term *term, signed char yes,
		      signed char *ret)
{
	uint64_t on;
	int err = pfx_term_number(p, term, &on);

	if (!err)
		*ret = (signed char)(on ? yes : -yes);
	return err;
}

int pfx_term_sampling(struct pfx_parser *p, const struct pfx_term *term,
		      struct pfx_event_sampling *ret)
{
	const struct pfx_token *name = &term->name;
	signed char on = 0;
	int err;

	if (pfx_token_is(name, "call-graph"))
		return set_callgraph(p, term, ret);
	if (pfx_token_is(name, "branch_type"))
		return set_branch_type(p, term, ret);
	if (pfx_token_is(name, "stack-size"))
		return set_stack_size(p, term, ret);
	if (pfx_token_is(name, "max-stack"))
		return set_max_stack(p, term, ret);
	if (pfx_token_is(name, "time"))
		return set_switch(p, term, 1, &ret->time);
	if (pfx_token_is(name, "inherit"))
		return set_switch(p, term, 1, &ret->inherit);
	if (pfx_token_is(name, "no-inherit"))
		return set_switch(p, term, -1, &ret->inherit);
	if (pfx_token_is(name, "overwrite"))
		return set_switch(p, term, 1, &ret->overwrite);
	if (pfx_token_is(name, "no-overwrite"))
		return set_switch(p, term, -1, &ret->overwrite);
	if (pfx_token_is(name, "aux-sample-size"))
		return set_aux_sample_size(p, term, ret);
	if (pfx_token_is(name, "aux-action"))
		return set_aux_action(p, term, ret);
	if (pfx_token_is(name, "nr") || pfx_token_is(name, "percore"))
		return set_counting_only(p, term, ret);
	err = set_switch(p, term, 1, &on);
	ret->aux_output = on > 0;
	return err;
}
