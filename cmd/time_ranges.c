/* SPDX-License-Identifier: MIT */
/*
 * Spans of time from the user's words. "start,stop" in seconds, either side may be empty, several
 * separated by blanks; or parts of the whole, "10%/2" the second tenth, "0%-10%", several separated
 * by commas. Knows no recording: the ends of the whole are given.
 */
#include "cmd/time_ranges.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define NS_PER_SECOND 1000000000ull
#define RANGES_MAX    10000 /* of one --time; "0.01%/..." has no more */

bool pfx_parse_seconds(const char *word, uint64_t *ret)
{
	uint64_t seconds = 0, ns = 0, unit = NS_PER_SECOND;
	bool any = false;

	for (; isdigit((unsigned char)*word); word++, any = true) {
		if (seconds > UINT64_MAX / NS_PER_SECOND / 10 - 1)
			return false;
		seconds = seconds * 10 + (uint64_t)(*word - '0');
	}
	if (*word == '.')
		for (word++; isdigit((unsigned char)*word) && unit > 1; word++, any = true)
			ns += (uint64_t)(*word - '0') * (unit /= 10);
	*ret = seconds * NS_PER_SECOND + ns;
	return any && !*word;
}

static int malformed(const char *words, struct pfx_error *err)
{
	char shown[256];

	pfx_error_set(err, EINVAL, "'%s' is not a span of time",
		      pfx_escape(shown, sizeof(shown), words));
	pfx_error_hint(err, "give seconds as 'start,stop' (either may be empty), "
			    "or parts of the whole as '10%%-20%%' or '10%%/2'");
	return -EINVAL;
}

static bool add_range(struct pfx_time_ranges *ret, uint64_t start, uint64_t end)
{
	if (start > end || ret->at.nr >= RANGES_MAX)
		return false;
	pfx_vec_push(&ret->at, ((struct pfx_time_range){start, end}));
	return true;
}

/* "start,stop" */
static bool parse_span(struct pfx_time_ranges *ret, char *word)
{
	char *comma = strchr(word, ',');
	uint64_t start = 0, end = UINT64_MAX;

	if (!comma)
		return false;
	*comma++ = '\0';
	if (*word && !pfx_parse_seconds(word, &start))
		return false;
	if (*comma && !pfx_parse_seconds(comma, &end))
		return false;
	return add_range(ret, start, end);
}

static bool parse_percent(const char *word, char **end, double *ret)
{
	if (!isdigit((unsigned char)*word) && *word != '.')
		return false;
	*ret = strtod(word, end);
	if (**end != '%' || *ret < 0 || *ret > 100)
		return false;
	++*end;
	return true;
}

/* "a%-b%" or "a%/n" to a part of the span, in percent. */
static bool parse_part(const char *word, double *from, double *to)
{
	unsigned long n = 1;
	char *end;

	if (!parse_percent(word, &end, from))
		return false;
	if (*end == '-')
		return parse_percent(end + 1, &end, to) && !*end && *from <= *to;
	if (*end == '/') {
		n = strtoul(end + 1, &end, 10);
		if (!n)
			return false;
	}
	*to = *from * (double)n;
	*from = *from * (double)(n - 1);
	return !*end && *to <= 100.0000001;
}

/* The end of a part belongs to the next one, but for the end of the whole. */
static bool add_part(struct pfx_time_ranges *ret, const char *word, uint64_t first, uint64_t last)
{
	double whole = (double)(last - first), from, to;
	uint64_t start, end;

	if (!parse_part(word, &from, &to))
		return false;
	start = first + (uint64_t)(from * whole / 100.0 + 0.5);
	end = first + (uint64_t)(to * whole / 100.0 + 0.5);
	if (end > start && end != last)
		end--;
	return add_range(ret, start, end);
}

int pfx_time_ranges_parse(struct pfx_time_ranges *ret, const char *words, uint64_t first,
			  uint64_t last, struct pfx_error *err)
{
	bool parts = strchr(words, '%');
	char *copy = pfx_strdup(words), *rest = copy, *word;
	bool ok = true;

	*ret = (struct pfx_time_ranges){0};
	if (parts && last <= first) {
		free(copy);
		pfx_error_set(err, EINVAL, "the recording does not say when it began and ended");
		pfx_error_hint(err, "give --time in seconds, as 'start,stop'");
		return -EINVAL;
	}
	while (ok && (word = strsep(&rest, parts ? ", " : " "))) {
		if (!*word)
			continue;
		ok = parts ? add_part(ret, word, first, last) : parse_span(ret, word);
	}
	free(copy);
	if (ok && ret->at.nr)
		return 0;
	pfx_time_ranges_fini(ret);
	return malformed(words, err);
}

bool pfx_time_ranges_have(const struct pfx_time_ranges *ranges, uint64_t time)
{
	size_t i;

	for (i = 0; i < ranges->at.nr; i++)
		if (time >= ranges->at.at[i].start && time <= ranges->at.at[i].end)
			return true;
	return !ranges->at.nr;
}

void pfx_time_ranges_fini(struct pfx_time_ranges *ranges)
{
	pfx_vec_free(&ranges->at);
}
