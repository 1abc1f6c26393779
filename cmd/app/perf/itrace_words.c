/* SPDX-License-Identifier: MIT */
/* Letters, some with a number, a period with a unit, or flags with a sign. */
#include "cmd/app/perf/itrace_words.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"

#define ALONE      "bcrxwpoIZfmtaMqAT ,"
#define WITH_FLAGS "ed"
#define WITH_SIZE  "gGlL"
#define SKIPPED    "s" /* a number must follow */

static const char *after_digits(const char *at)
{
	return at + strspn(at, "0123456789");
}

/* "100us", "1000i", "10t": a number alone is in instructions. NULL: another unit. */
static const char *after_period(const char *at)
{
	const char *end = at + strspn(at, " ,"), *unit;

	if (!isdigit((unsigned char)*end))
		return at;
	unit = after_digits(end);
	unit += strspn(unit, " ,");
	if (!*unit || *unit == 'i' || *unit == 't')
		return unit + (*unit != 0);
	return strchr("mun", *unit) && unit[1] == 's' ? unit + 2 : NULL;
}

/* "+o-l" */
static const char *after_flags(const char *at)
{
	while ((*at == '+' || *at == '-') && islower((unsigned char)at[1]))
		at += 2;
	return at;
}

/* After the letter at @at and what belongs to it; NULL: there is no such letter, or it is wrong. */
static const char *after_letter(const char *at)
{
	if (*at == 'i')
		return after_period(at + 1);
	if (strchr(WITH_FLAGS, *at))
		return after_flags(at + 1);
	if (strchr(WITH_SIZE, *at))
		return after_digits(at + 1 + strspn(at + 1, " ,"));
	if (strchr(SKIPPED, *at))
		return isdigit((unsigned char)at[1]) ? after_digits(at + 1) : NULL;
	return strchr(ALONE, *at) ? at + 1 : NULL;
}

int pfx_itrace_check(const char *words, struct pfx_error *err)
{
	const char *at = words ? words : "", *next;
	char shown[128];

	for (; *at; at = next) {
		next = after_letter(at);
		if (next)
			continue;
		pfx_error_set(err, EINVAL, "'%s' is not valid for --itrace",
			      pfx_escape(shown, sizeof(shown), words));
		pfx_error_known(err, "Bad Instruction Tracing options '%s'", shown);
		return -EINVAL;
	}
	return 0;
}
