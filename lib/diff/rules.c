/* SPDX-License-Identifier: MIT */
/* The words of a rule. */
#include "diff/rules.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pattern/pattern.h"
#include "base/str.h"

#define BLANKS   " \t"
#define EXAMPLES "for example: 'self > +5%', 'total:parse_.* > +2 points', 'total-time > +3%'"

static int refuse(const char *text, const char *at, const char *what, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL, "'%s' is not a rule: %s", pfx_escape(shown, sizeof(shown), text),
		      what);
	pfx_error_point(err, text, (size_t)(at - text), EXAMPLES);
	return -EINVAL;
}

static void skip_blanks(const char **at)
{
	*at += strspn(*at, BLANKS);
}

/* The whole name must match. */
static int compile(struct pfx_diff_rule *rule, const char *text, const char *at, size_t len,
		   struct pfx_error *err)
{
	struct pfx_str pattern = {0};
	char why[128];

	pfx_str_add(&pattern, "^(");
	pfx_str_addn(&pattern, at, len);
	pfx_str_add(&pattern, ")$");
	rule->has_pattern = pfx_pattern_compile(&rule->pattern, pfx_str_get(&pattern), REG_NOSUB,
						why, sizeof(why));
	pfx_str_fini(&pattern);
	return rule->has_pattern ? 0 : refuse(text, at, why, err);
}

/* The operator of a rule: the last > or < with a number after it, so that names and patterns may
 * have such characters, too. */
static const char *find_operator(const char *text)
{
	const char *at = text + strlen(text);

	while (at > text && *at != '>' && *at != '<')
		at--;
	return *at == '>' || *at == '<' ? at : NULL;
}

static int parse_subject(struct pfx_diff_rule *rule, const char *text, const char *end,
			 struct pfx_error *err)
{
	const char *at = text, *colon;
	size_t len;

	skip_blanks(&at);
	while (end > at && strchr(BLANKS, end[-1]))
		end--;
	len = (size_t)(end - at);
	if (!len)
		return refuse(text, at, "the name of what is compared is missing", err);
	colon = memchr(at, ':', len);
	rule->subject = PFX_DIFF_RULE_AMOUNT;
	if (!strncmp(at, "self", 4) && (len == 4 || at[4] == ':'))
		rule->subject = PFX_DIFF_RULE_SELF;
	else if (!strncmp(at, "total", 5) && (len == 5 || at[5] == ':'))
		rule->subject = PFX_DIFF_RULE_TOTAL;
	if (rule->subject == PFX_DIFF_RULE_AMOUNT && strchr("<>", end[-1]))
		return refuse(text, end, "a number is missing", err);
	rule->name = pfx_strndup(at, len);
	if (!colon || rule->subject == PFX_DIFF_RULE_AMOUNT)
		return 0;
	if (colon + 1 == end)
		return refuse(text, end, "a pattern is missing after the colon", err);
	return compile(rule, text, colon + 1, (size_t)(end - colon - 1), err);
}

static int parse_unit(struct pfx_diff_rule *rule, const char *text, const char *at,
		      struct pfx_error *err)
{
	static const char *const units[][2] = {
		[PFX_DIFF_BY_PERCENT] = {"%", "percent"},
		[PFX_DIFF_BY_POINTS] = {"points", "point"},
		[PFX_DIFF_BY_MS] = {"ms", "ms"},
		[PFX_DIFF_BY_SAMPLES] = {"samples", "sample"},
		[PFX_DIFF_BY_NUMBER] = {"", ""},
	};
	bool of_rows = rule->subject != PFX_DIFF_RULE_AMOUNT;
	size_t len, i;

	skip_blanks(&at);
	len = strlen(at);
	while (len && strchr(BLANKS, at[len - 1]))
		len--;
	for (i = 0; i <= PFX_DIFF_BY_NUMBER; i++)
		if ((strlen(units[i][0]) == len && !memcmp(at, units[i][0], len)) ||
		    (strlen(units[i][1]) == len && !memcmp(at, units[i][1], len)))
			break;
	if (i > PFX_DIFF_BY_NUMBER)
		return refuse(text, at, "the unit must be %, points, ms or samples", err);
	rule->unit = (enum pfx_diff_unit)i;
	if (of_rows && rule->unit == PFX_DIFF_BY_NUMBER)
		return refuse(text, at, "a unit is missing: %, points, ms or samples", err);
	if (!of_rows && (rule->unit == PFX_DIFF_BY_POINTS || rule->unit == PFX_DIFF_BY_SAMPLES))
		return refuse(text, at, "the unit of a count must be %", err);
	if (!of_rows && rule->unit == PFX_DIFF_BY_MS && strcmp(rule->name, PFX_DIFF_TOTAL_TIME))
		return refuse(text, at, "only total-time has the unit ms", err);
	return 0;
}

static int parse_limit(struct pfx_diff_rule *rule, const char *text, const char *at,
		       struct pfx_error *err)
{
	const char *number;
	char *end;

	rule->is_less = *at++ == '<';
	skip_blanks(&at);
	number = at;
	if (*at == '+' || *at == '-')
		at++;
	if (*at < '0' || *at > '9')
		return refuse(text, at, "a number is missing", err);
	if (*at == '0' && (at[1] == 'x' || at[1] == 'X'))
		return refuse(text, at + 1, "numbers are decimal", err);
	rule->limit = strtod(number, &end);
	if (!isfinite(rule->limit))
		return refuse(text, number, "the number is too large", err);
	return parse_unit(rule, text, end, err);
}

int pfx_diff_rule_parse(struct pfx_diff_rule *ret, const char *text, struct pfx_error *err)
{
	const char *at = find_operator(text);
	int rc;

	*ret = (struct pfx_diff_rule){.text = pfx_strdup(text)};
	if (!at)
		rc = refuse(text, text + strlen(text), "> or < is missing", err);
	else
		rc = parse_subject(ret, text, at, err);
	if (!rc)
		rc = parse_limit(ret, text, at, err);
	if (rc)
		pfx_diff_rule_fini(ret);
	return rc;
}

void pfx_diff_rule_fini(struct pfx_diff_rule *rule)
{
	if (rule->has_pattern)
		regfree(&rule->pattern);
	free(rule->text);
	free(rule->name);
	*rule = (struct pfx_diff_rule){0};
}
