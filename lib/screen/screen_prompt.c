/* SPDX-License-Identifier: MIT */
/* The last line as a line to type in: filter, search, percentage. A filter acts while it is typed.
 */
#include <stdlib.h>

#include "screen/screen_internal.h"

#define TYPED_MAX 200

const char *pfx_prompt_label(enum pfx_prompt prompt)
{
	static const char *const labels[] = {
		[PFX_PROMPT_NONE] = "",
		[PFX_PROMPT_FILTER] = "Only rows with: ",
		[PFX_PROMPT_SEARCH] = "Search: ",
		[PFX_PROMPT_SEARCH_BACK] = "Search backwards: ",
		[PFX_PROMPT_LIMIT] = "Hide rows below (percent): ",
		[PFX_PROMPT_KEYS] = "Sort keys, as of -s: ",
	};

	return labels[prompt];
}

void pfx_prompt_open(struct pfx_screen *s, enum pfx_prompt prompt)
{
	s->prompt = prompt;
	pfx_str_clear(&s->typed);
	if (prompt == PFX_PROMPT_KEYS)
		pfx_screen_add_sort(s, &s->typed);
	if (prompt == PFX_PROMPT_FILTER)
		pfx_screen_push(s);
}

static const char *typed(struct pfx_screen *s)
{
	return s->typed.len ? pfx_screen_intern(s, s->typed.at) : NULL;
}

static void take_limit(struct pfx_screen *s)
{
	char *end;
	double percent = strtod(pfx_str_get(&s->typed), &end);

	if (*end || !(percent >= 0 && percent <= 100)) {
		pfx_screen_sayf(s, "'%s' is not a percentage", pfx_str_get(&s->typed));
		return;
	}
	s->min_percent = s->min_branch = percent;
	pfx_screen_free_trees(s);
	pfx_screen_begin_rows(s);
}

static void filter_by(struct pfx_screen *s, const char *text)
{
	s->place.filter = text;
	pfx_screen_begin_rows(s);
}

static void accept(struct pfx_screen *s)
{
	enum pfx_prompt prompt = s->prompt;

	s->prompt = PFX_PROMPT_NONE;
	if (prompt == PFX_PROMPT_FILTER) {
		if (!s->typed.len)
			filter_by(s, NULL);
	} else if (prompt == PFX_PROMPT_LIMIT) {
		take_limit(s);
	} else if (prompt == PFX_PROMPT_KEYS) {
		s->take_typed(s);
	} else if (prompt == PFX_PROMPT_SEARCH || prompt == PFX_PROMPT_SEARCH_BACK) {
		s->search = typed(s);
		s->searches_back = prompt == PFX_PROMPT_SEARCH_BACK;
		pfx_screen_find(s, s->searches_back);
	}
}

/* The rows follow what is typed. */
static void follow(struct pfx_screen *s)
{
	if (s->prompt != PFX_PROMPT_FILTER)
		return;
	filter_by(s, typed(s));
}

static void cancel(struct pfx_screen *s)
{
	if (s->prompt == PFX_PROMPT_FILTER) {
		pfx_screen_back(s);
		s->forward.nr = 0;
	}
	s->prompt = PFX_PROMPT_NONE;
}

static void remove_char(struct pfx_str *text)
{
	while (text->len && !pfx_begins_char(text->at[text->len - 1]))
		text->len--;
	if (text->len)
		text->at[--text->len] = '\0';
}

void pfx_prompt_press(struct pfx_screen *s, const struct pfx_press *press)
{
	switch (press->code) {
	case PFX_PRESS_ENTER:
		accept(s);
		return;
	case PFX_PRESS_ESC:
	case PFX_PRESS_CTRL('C'):
		cancel(s);
		return;
	case PFX_PRESS_BACKSPACE:
		remove_char(&s->typed);
		break;
	case PFX_PRESS_CTRL('U'):
		pfx_str_clear(&s->typed);
		break;
	default:
		if (press->code < ' ' || press->code >= PFX_PRESS_UP || s->typed.len > TYPED_MAX)
			return;
		pfx_str_add_utf8(&s->typed, press->code);
	}
	follow(s);
}
