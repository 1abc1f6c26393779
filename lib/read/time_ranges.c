/* SPDX-License-Identifier: MIT */
/*
 * Parses time ranges. "start,stop" in seconds, either may be empty, several separated by blanks; or
 * parts of the recording, "10%/2" the second tenth, "0%-10%", several separated by commas. The
 * caller gives the start and end of the recording.
 */
#include "read/time_ranges.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ns.h"
#include "base/str.h"

#define RANGES_MAX 10000 /* limit for one --time; "0.01%/..." has no more parts */

bool pfx_parse_seconds(const char *word, uint64_t *ret)
{
	uint64_t seconds = 0, ns = 0, unit = PFX_NS_PER_SECOND;
	bool any = false;

	for (; isdigit((unsigned char)*word); word++, any = true) {
		if (seconds > UINT64_MAX / PFX_NS_PER_SECOND / 10 - 1)
			return false;
		seconds = seconds * 10 + (uint64_t)(*word - '0');
	}
	if (*word == '.')
		for (word++; isdigit((unsigned char)*word) && unit > 1; word++, any = true)
			ns += (uint64_t)(*word - '0') * (unit /= 10);
	*ret = seconds * PFX_NS_PER_SECOND + ns;
	return any && !*word;
}

/* The reason of the error, and its position in the argument. */
struct fault {
	const char *at;
	const char *what; /* NULL: not a time range */
};

static int malformed(const char *words, size_t at, const char *what, struct pfx_error *err)
{
	char shown[256];

	pfx_error_set(err, EINVAL, "'%s' is not a span of time",
		      pfx_escape(shown, sizeof(shown), words));
	pfx_error_point(err, words, at,
			what ? what
			     : "give seconds as 'start,stop' (either may be empty), "
			       "or parts of the whole as '10%-20%' or '10%/2'");
	return -EINVAL;
}

static bool add_range(struct pfx_time_ranges *ret, uint64_t start, uint64_t end,
		      struct fault *fault)
{
	if (start > end)
		fault->what = "the span ends before it begins";
	else if (ret->at.nr >= RANGES_MAX)
		fault->what = "these are too many spans";
	if (fault->what)
		return false;
	pfx_vec_push(&ret->at, ((struct pfx_time_range){start, end}));
	return true;
}

/* "start,stop" */
static bool parse_span(struct pfx_time_ranges *ret, char *word, struct fault *fault)
{
	char *comma = strchr(word, ',');
	uint64_t start = 0, end = UINT64_MAX;

	fault->at = word;
	if (!comma)
		return false;
	*comma++ = '\0';
	if (*word && !pfx_parse_seconds(word, &start))
		return false;
	fault->at = comma;
	if (*comma && !pfx_parse_seconds(comma, &end))
		return false;
	return add_range(ret, start, end, fault);
}

static bool parse_percent(const char *word, char **end, double *ret, struct fault *fault)
{
	fault->at = word;
	if (!isdigit((unsigned char)*word) && *word != '.')
		return false;
	*ret = strtod(word, end);
	if (*end == word || **end != '%')
		return false;
	if (*ret > 100)
		fault->what = "the whole is 100%";
	++*end;
	return !fault->what;
}

/* Parses "a%-b%" or "a%/n" into a part of the recording, in percent. */
static bool parse_part(const char *word, double *from, double *to, struct fault *fault)
{
	unsigned long n = 1;
	char *end;

	if (!parse_percent(word, &end, from, fault))
		return false;
	fault->at = end;
	if (*end == '-') {
		if (!parse_percent(end + 1, &end, to, fault) || *end)
			return false;
		if (*from > *to)
			fault->what = "the span ends before it begins";
		return !fault->what;
	}
	if (*end == '/') {
		fault->at = ++end;
		if (!isdigit((unsigned char)*end))
			return false;
		n = strtoul(end, &end, 10);
	}
	if (*end)
		return false;
	*to = *from * (double)n;
	*from = *from * (double)(n - 1);
	if (!n || *to > 100.0000001)
		fault->what = n ? "the whole has not so many of these parts" : "parts count from 1";
	return !fault->what;
}

/* The end of a part belongs to the next part, except at the end of the recording. */
static bool add_part(struct pfx_time_ranges *ret, const char *word, uint64_t first, uint64_t last,
		     struct fault *fault)
{
	double whole = (double)(last - first), from, to;
	uint64_t start, end;

	if (!parse_part(word, &from, &to, fault))
		return false;
	start = first + (uint64_t)(from * whole / 100.0 + 0.5);
	end = first + (uint64_t)(to * whole / 100.0 + 0.5);
	if (end > start && end != last)
		end--;
	return add_range(ret, start, end, fault);
}

int pfx_time_ranges_parse(struct pfx_time_ranges *ret, const char *words, uint64_t first,
			  uint64_t last, struct pfx_error *err)
{
	bool parts = strchr(words, '%');
	char *copy = pfx_strdup(words), *rest = copy, *word;
	struct fault fault = {copy, NULL};
	size_t at = 0;
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
		ok = parts ? add_part(ret, word, first, last, &fault)
			   : parse_span(ret, word, &fault);
		at = (size_t)(fault.at - copy);
	}
	free(copy);
	if (ok && ret->at.nr)
		return 0;
	pfx_time_ranges_fini(ret);
	return malformed(words, at, fault.what, err);
}

static uint64_t later(uint64_t time, uint64_t by)
{
	return time > UINT64_MAX - by ? UINT64_MAX : time + by;
}

void pfx_time_ranges_shift(struct pfx_time_ranges *ranges, uint64_t start)
{
	size_t i;

	for (i = 0; i < ranges->at.nr; i++) {
		ranges->at.at[i].start = later(ranges->at.at[i].start, start);
		ranges->at.at[i].end = later(ranges->at.at[i].end, start);
	}
}

int pfx_time_ranges_check(const char *words, struct pfx_error *err)
{
	struct pfx_time_ranges ranges;
	int rc = words ? pfx_time_ranges_parse(&ranges, words, 0, PFX_NS_PER_SECOND, err) : 0;

	if (words)
		pfx_time_ranges_fini(&ranges);
	return rc;
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
