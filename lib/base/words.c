/* SPDX-License-Identifier: MIT */
/* Parses words of the command line. Where a function reports only success or failure, the caller
 * makes the message. */
#include "base/words.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

#define WORD_MAX 64 /* longer words get no "did you mean" */

bool pfx_parse_u64(const char *word, uint64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)word[0]))
		return false;
	errno = 0;
	*ret = strtoull(word, &end, 0);
	return !errno && !*end;
}

bool pfx_parse_percent(const char *word, double *ret)
{
	char *end;

	*ret = strtod(word, &end);
	if (end == word || !isfinite(*ret) || *ret < 0)
		return false;
	return !end[*end == '%'];
}

bool pfx_parse_size(const char *word, uint64_t *ret)
{
	static const char units[] = "BKMG";
	const char *unit;
	char *end;
	uint64_t v;

	if (!isdigit((unsigned char)word[0]))
		return false;
	errno = 0;
	v = strtoull(word, &end, 10);
	if (errno)
		return false;
	if (*end) {
		unit = strchr(units, toupper((unsigned char)*end));
		if (!unit || end[1] || __builtin_mul_overflow(v, 1ull << (10 * (unit - units)), &v))
			return false;
	}
	*ret = v;
	return true;
}

/* Leaves *@at after the range, or at the error. */
static bool parse_range(const char **at, int *first, int *last)
{
	char *end;
	long a, b;

	if (!isdigit((unsigned char)**at))
		return false;
	a = b = strtol(*at, &end, 10);
	if (*end == '-') {
		*at = end + 1;
		if (!isdigit((unsigned char)**at))
			return false;
		b = strtol(*at, &end, 10);
	}
	*first = (int)a;
	*last = (int)b;
	if (a > b || b >= PFX_LIST_MAX)
		return false;
	*at = end;
	return *end == ',' || !*end;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void sort_and_unique(struct pfx_list *list)
{
	size_t i, to = 0;

	qsort(list->at, list->nr, sizeof(*list->at), compare_ints);
	for (i = 0; i < list->nr; i++)
		if (!to || list->at[to - 1] != list->at[i])
			list->at[to++] = list->at[i];
	list->nr = to;
}

bool pfx_list_parse(const char *word, struct pfx_list *ret)
{
	PFX_VEC(int) ids = {0};
	int first, last, i;
	bool ok;

	*ret = (struct pfx_list){0};
	for (;;) {
		ok = parse_range(&word, &first, &last) && ids.nr < PFX_LIST_MAX * 4;
		if (!ok)
			break;
		for (i = first; i <= last; i++)
			pfx_vec_push(&ids, i);
		if (!*word)
			break;
		word++;
	}
	if (!ok) {
		pfx_vec_free(&ids);
		return false;
	}
	*ret = (struct pfx_list){ids.at, ids.nr};
	sort_and_unique(ret);
	return true;
}

size_t pfx_list_fault(const char *word)
{
	const char *at = word;
	int first, last;

	while (parse_range(&at, &first, &last) && *at)
		at++;
	return (size_t)(at - word);
}

int pfx_list_read(const char *word, struct pfx_list *ret, const char *what, const char *example,
		  struct pfx_error *err)
{
	char shown[64];

	if (!word || pfx_list_parse(word, ret))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not %s", pfx_escape(shown, sizeof(shown), word), what);
	pfx_error_point(err, word, pfx_list_fault(word), example);
	return -EINVAL;
}

bool pfx_list_has(const struct pfx_list *list, int id)
{
	return list->nr && bsearch(&id, list->at, list->nr, sizeof(id), compare_ints);
}

void pfx_list_format(const struct pfx_list *list, char *out, size_t size)
{
	size_t i = 0, j, len = 0;

	if (size)
		out[0] = '\0';
	while (i < list->nr && len < size) {
		for (j = i; j + 1 < list->nr && list->at[j + 1] == list->at[j] + 1; j++)
			;
		if (j == i)
			len += (size_t)snprintf(out + len, size - len, "%s%d", i ? "," : "",
						list->at[i]);
		else
			len += (size_t)snprintf(out + len, size - len, "%s%d-%d", i ? "," : "",
						list->at[i], list->at[j]);
		i = j + 1;
	}
}

void pfx_list_fini(struct pfx_list *list)
{
	if (!list)
		return;
	free(list->at);
	*list = (struct pfx_list){0};
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

unsigned pfx_edit_distance(const char *a, const char *b)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2], *spare;
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la > WORD_MAX || lb > WORD_MAX)
		return WORD_MAX + 1;
	for (j = 0; j <= lb; j++)
		last[j] = (unsigned)j;
	for (i = 1; i <= la; i++) {
		now[0] = (unsigned)i;
		for (j = 1; j <= lb; j++) {
			now[j] = min3(last[j] + 1, now[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[lb];
}

const char *pfx_nearest(const char *word, const char *const *candidates, size_t nr)
{
	unsigned limit = ((unsigned)strlen(word) + 1) / 3;
	unsigned best = limit + 1, distance;
	const char *found = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		distance = pfx_edit_distance(word, candidates[i]);
		if (distance < best) {
			best = distance;
			found = candidates[i];
		}
	}
	return found;
}
