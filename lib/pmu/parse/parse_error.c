/* SPDX-License-Identifier: MIT */
/*
 * Error messages for event specifications: one sentence, the text with a caret under the bad word,
 * and the name that was probably meant.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "pmu/parse/parse_internal.h"

#define SHORT_WORD   3  /* shorter words are similar to too many names */
#define SHOWN_WORD   40 /* characters of a word in a sentence */
#define WINDOW       72 /* characters of the specification above the caret */
#define BEFORE_CARET 40 /* of them at most before the caret */
#define KNOWN        "event syntax error: "

const char *pfx_parse_show(char out[PFX_SHOWN_SIZE], const struct pfx_token *tok)
{
	char text[SHOWN_WORD + 4];
	int len = tok->len > SHOWN_WORD ? SHOWN_WORD : (int)tok->len;

	snprintf(text, sizeof(text), "%.*s%s", len, tok->at, tok->len > SHOWN_WORD ? "..." : "");
	return pfx_escape(out, PFX_SHOWN_SIZE, text);
}

/* One character for each byte, so that the caret stays below its word. */
static void add_plain(struct pfx_str *s, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		pfx_str_addc(s, isprint((unsigned char)text[i]) ? text[i] : '?');
}

static void add_caret_lines(struct pfx_str *s, const char *text, const struct pfx_token *tok)
{
	size_t start = tok->col > BEFORE_CARET ? tok->col - BEFORE_CARET : 0;
	size_t left = strlen(text + start);
	size_t shown = left > WINDOW ? WINDOW : left;
	size_t tail = tok->end > tok->col + 1 ? tok->end - tok->col - 1 : 0;
	size_t at = tok->col - start;

	pfx_str_add(s, "  ");
	pfx_str_add(s, start ? "..." : "");
	add_plain(s, text + start, shown);
	pfx_str_add(s, shown < left ? "...\n  " : "\n  ");
	pfx_str_pad(s, ' ', at + (start ? 3 : 0));
	pfx_str_addc(s, '^');
	if (at + tail >= shown)
		tail = shown > at + 1 ? shown - at - 1 : 0;
	pfx_str_pad(s, '~', tail);
}

/* perf's form: the specification, and below it a pointer to the bad word with the reason. Of a
 * long one, the part around the word. */
static void set_known(struct pfx_parser *p, const struct pfx_token *tok, const char *reason)
{
	size_t start = tok->col > BEFORE_CARET ? tok->col - BEFORE_CARET : 0;
	size_t left = strlen(p->scan.text + start);
	const char *lead = start ? "..." : "";
	struct pfx_str shown = {0};

	add_plain(&shown, p->scan.text + start, left > WINDOW ? WINDOW : left);
	pfx_error_known(p->err, KNOWN "'%s%s%s'\n%*s\\___ %s", lead, pfx_str_get(&shown),
			left > WINDOW ? "..." : "",
			(int)(strlen(KNOWN "'") + strlen(lead) + tok->col - start), "", reason);
	pfx_str_fini(&shown);
}

void pfx_parse_reason(struct pfx_parser *p, const struct pfx_token *tok, const char *fmt, ...)
{
	char reason[sizeof(((struct pfx_error *)0)->known)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	set_known(p, tok, reason);
}

int pfx_parse_fail(struct pfx_parser *p, const struct pfx_token *tok, const char *fmt, ...)
{
	struct pfx_str lines = {0};
	char text[sizeof(((struct pfx_error *)0)->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pfx_error_set(p->err, EINVAL, "%s", text);
	add_caret_lines(&lines, p->scan.text, tok);
	pfx_error_hint(p->err, "%s", pfx_str_get(&lines));
	set_known(p, tok, text);
	pfx_str_fini(&lines);
	return -EINVAL;
}

void pfx_parse_advise(struct pfx_parser *p, const char *fmt, ...)
{
	char line[sizeof(((struct pfx_error *)0)->hint)];
	size_t len;
	va_list ap;

	if (!p->err)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	len = strlen(p->err->hint);
	snprintf(p->err->hint + len, sizeof(p->err->hint) - len, "%s%s", len ? "\n" : "", line);
}

bool pfx_parse_near(struct pfx_parser *p, const char *word, const struct pfx_name_list *names)
{
	const char *near = pfx_nearest(word, names->names.at, names->names.nr);
	char shown[PFX_SHOWN_SIZE];

	if (!near || (strlen(word) <= SHORT_WORD && pfx_edit_distance(word, near) > 1))
		return false;
	pfx_parse_advise(p, "did you mean '%s'?", pfx_escape(shown, sizeof(shown), near));
	return true;
}

void pfx_parse_list(struct pfx_parser *p, const char *text, const struct pfx_name_list *names)
{
	struct pfx_str line = {0};
	size_t i;

	if (!names->names.nr)
		return;
	for (i = 0; i < names->names.nr; i++) {
		pfx_str_add(&line, i ? ", " : "");
		pfx_str_add_foreign(&line, names->names.at[i]);
	}
	pfx_parse_advise(p, "%s %s", text, pfx_str_get(&line));
	pfx_str_fini(&line);
}

int pfx_parse_unexpected(struct pfx_parser *p, const char *wanted)
{
	const struct pfx_token *tok = &p->scan.tok;
	char shown[PFX_SHOWN_SIZE];

	if (tok->kind == PFX_TOKEN_END)
		return pfx_parse_fail(p, tok, "%s is missing at the end", wanted);
	if (tok->kind == PFX_TOKEN_BAD && strchr("'\"", *tok->at))
		return pfx_parse_fail(p, tok, "a quote begins here and does not end");
	return pfx_parse_fail(p, tok, "%s is missing before '%s'", wanted,
			      pfx_parse_show(shown, tok));
}
