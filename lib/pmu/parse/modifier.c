/* SPDX-License-Identifier: MIT */
/*
 * The modifiers after an event. They are applied in order, with perf's effect on the exclude bits:
 * the first of u, k, h excludes the other two, u and p exclude guests unless G or H was given, and
 * modifiers of the event itself (not of its group) drop the default exclusion of guests. b (let BPF
 * add up) does not affect what is counted. R is for counting: it shows the retirement latency from
 * samples instead of the count.
 */
#include <errno.h>
#include <string.h>

#include "pmu/parse/parse_internal.h"

#define LETTERS     "ukhpPGHSDIeWXbR"
#define PRECISE_MAX 3

#define EXCLUDE_LEVELS (PFX_ATTR_EXCLUDE_USER | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV)
#define EXCLUDE_WHERE  (PFX_ATTR_EXCLUDE_HOST | PFX_ATTR_EXCLUDE_GUEST)

bool pfx_modifiers_plausible(const struct pfx_token *tok)
{
	return tok->kind == PFX_TOKEN_WORD && strspn(tok->at, LETTERS) >= tok->len;
}

static void keep_level(struct pfx_event_spec *spec, uint64_t bit)
{
	if (!(spec->attr.flags & EXCLUDE_LEVELS))
		spec->attr.flags |= EXCLUDE_LEVELS;
	spec->attr.flags &= ~bit;
}

static void keep_where(struct pfx_event_spec *spec, uint64_t bit)
{
	if (!spec->has_guest_modifier)
		spec->attr.flags |= EXCLUDE_WHERE;
	spec->has_guest_modifier = true;
	spec->exclude_guest_default = false;
	spec->attr.flags &= ~bit;
}

static void exclude_guest(struct pfx_event_spec *spec)
{
	if (spec->has_guest_modifier)
		return;
	spec->exclude_guest_default = false;
	spec->attr.flags |= PFX_ATTR_EXCLUDE_GUEST;
}

/* The letters that change exclude bits and precision. */
static void apply_selection(struct pfx_event_spec *spec, char c)
{
	switch (c) {
	case 'u':
		if (!(spec->attr.flags & EXCLUDE_LEVELS))
			exclude_guest(spec);
		keep_level(spec, PFX_ATTR_EXCLUDE_USER);
		break;
	case 'k':
		keep_level(spec, PFX_ATTR_EXCLUDE_KERNEL);
		break;
	case 'h':
		keep_level(spec, PFX_ATTR_EXCLUDE_HV);
		break;
	case 'G':
		keep_where(spec, PFX_ATTR_EXCLUDE_GUEST);
		break;
	case 'H':
		keep_where(spec, PFX_ATTR_EXCLUDE_HOST);
		break;
	case 'I':
		spec->attr.flags |= PFX_ATTR_EXCLUDE_IDLE;
		break;
	case 'p':
		pfx_attr_set_precise(&spec->attr, pfx_attr_precise(&spec->attr) + 1);
		exclude_guest(spec);
		break;
	}
}

/* The letters that change how the event is scheduled and read. */
static void apply_scheduling(struct pfx_event_spec *spec, char c, bool leads)
{
	switch (c) {
	case 'P':
		spec->precise_max = true;
		break;
	case 'S':
		spec->is_leader_sampling = true;
		break;
	case 'W':
		spec->is_weak = true;
		break;
	case 'R':
		spec->is_latency = true;
		break;
	case 'X':
		spec->is_as_written = true;
		break;
	case 'D':
		spec->attr.flags |= leads ? PFX_ATTR_PINNED : 0;
		break;
	case 'e':
		spec->attr.flags |= leads ? PFX_ATTR_EXCLUSIVE : 0;
		break;
	}
}

static void apply_to(struct pfx_event_spec *spec, const struct pfx_token *tok, bool leads)
{
	size_t i;

	for (i = 0; i < tok->len; i++) {
		apply_selection(spec, tok->at[i]);
		apply_scheduling(spec, tok->at[i], leads);
	}
}

/* An event's own modifiers determine the exclusion of guests; those of its group only add to it. */
static void drop_guest_default(struct pfx_event_spec *spec)
{
	if (spec->exclude_guest_default)
		spec->attr.flags &= ~PFX_ATTR_EXCLUDE_GUEST;
	spec->exclude_guest_default = false;
}

static unsigned count(const struct pfx_token *tok, char c)
{
	unsigned nr = 0;
	size_t i;

	for (i = 0; i < tok->len; i++)
		nr += tok->at[i] == c;
	return nr;
}

static struct pfx_token letter_at(const struct pfx_token *tok, size_t i)
{
	return (struct pfx_token){PFX_TOKEN_WORD, tok->at + i, 1, tok->col + i, tok->col + i + 1};
}

/* Report the first invalid letter with the reason. */
static int check_letters(struct pfx_parser *p, const struct pfx_token *tok)
{
	char shown[PFX_SHOWN_SIZE];
	struct pfx_token letter;
	size_t i;
	char c;

	for (i = 0; i < tok->len; i++) {
		c = tok->at[i];
		letter = letter_at(tok, i);
		pfx_parse_show(shown, &letter);
		if (c == 'R' && !(p->roots && p->roots->counts_only))
			return pfx_parse_fail(
				p, &letter,
				"modifier 'R' (latency of retirement) makes a count of "
				"samples, and here they are wanted");
		if (!strchr(LETTERS, c)) {
			pfx_parse_fail(p, &letter, "unknown modifier '%s'", shown);
			pfx_parse_advise(p, "modifiers are u k h G H I p P S D e W X b R");
			return -EINVAL;
		}
		if (c != 'p' && count(tok, c) > 1)
			return pfx_parse_fail(p, &letter, "modifier '%s' is given twice", shown);
	}
	return 0;
}

int pfx_modifiers_apply(struct pfx_parser *p, const struct pfx_token *tok, size_t first,
			bool is_group)
{
	struct pfx_event_spec *spec;
	unsigned precise = count(tok, 'p');
	size_t i;
	int ret;

	ret = check_letters(p, tok);
	if (ret)
		return ret;
	for (i = first; i < p->list->specs.nr; i++) {
		spec = &p->list->specs.at[i];
		if (pfx_attr_precise(&spec->attr) + precise > PRECISE_MAX)
			return pfx_parse_fail(p, tok, "more than three times 'p'");
		if (!is_group)
			drop_guest_default(spec);
		apply_to(spec, tok, !is_group || i == first);
	}
	return 0;
}
