/* SPDX-License-Identifier: MIT */
/* Brackets of operators, and of a name that begins with one (Rust's <T as Trait>::f), are not those
 * of arguments. */
#include "base/names/fitting_name.h"

#include <stdbool.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)"
#define OPERATOR  "operator"

size_t pfx_chars_length(const char *text, size_t nr)
{
	size_t at = 0;

	while (text[at] && nr--)
		for (at++; !pfx_begins_char(text[at]); at++)
			;
	return at;
}

static bool fits(const char *text, size_t room)
{
	return !text[pfx_chars_length(text, room)];
}

static bool ends_with_operator(const struct pfx_str *text)
{
	size_t len = text->len, word = strlen(OPERATOR);

	while (len && (text->at[len - 1] == '<' || text->at[len - 1] == '('))
		len--;
	return len >= word && !memcmp(text->at + len - word, OPERATOR, word);
}

/* False if brackets do not match. */
static bool drop_brackets(const char *name, struct pfx_str *to)
{
	size_t depth = 0, i;

	for (i = 0; name[i]; i++) {
		if (!depth && !strncmp(name + i, ANONYMOUS, strlen(ANONYMOUS))) {
			pfx_str_add(to, ANONYMOUS);
			i += strlen(ANONYMOUS) - 1;
			continue;
		}
		if ((name[i] == '<' || name[i] == '(') && i && !ends_with_operator(to))
			depth++;
		if (!depth)
			pfx_str_addc(to, name[i]);
		else if (name[i] == '>' || name[i] == ')')
			depth--;
	}
	return !depth;
}

static const char *after_last_scope(const char *name)
{
	const char *at = name, *next;

	for (next = strstr(name, "::"); next; next = strstr(next + 1, "::"))
		if (next > name)
			at = next + 2;
	return *at ? at : name;
}

void pfx_fitting_name(struct pfx_str *to, const char *name, size_t room)
{
	struct pfx_str bare = {0};
	const char *text = name;

	if (!fits(text, room) && drop_brackets(name, &bare) && bare.len) {
		text = pfx_str_get(&bare);
		if (!fits(text, room))
			text = after_last_scope(text);
	}
	if (fits(text, room)) {
		pfx_str_add(to, text);
	} else {
		pfx_str_addn(to, text, pfx_chars_length(text, room - 1));
		pfx_str_add(to, PFX_ELLIPSIS);
	}
	pfx_str_fini(&bare);
}
