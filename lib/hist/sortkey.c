/* SPDX-License-Identifier: MIT */
/*
 * From the words of -s and -F to columns. The rules of perf: without -F the overhead columns come
 * first and order the rows, then the keys; -s with a plus adds to the default keys, -F with a plus
 * adds columns in front of the keys; -F alone shows just its columns and orders by them from left
 * to right. Knows no samples.
 */
#include "hist/sortkey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/words.h"

#define DEFAULT_KEYS "comm,dso,symbol"
#define WORD_MAX     64

static const struct pfx_key_info key_table[PFX_KEY_NR] = {
	[PFX_KEY_PID] = {"pid", "    Pid:Command", 0},
	[PFX_KEY_COMM] = {"comm", "Command", 0},
	[PFX_KEY_DSO] = {"dso", "Shared Object", 0},
	[PFX_KEY_SYM] = {"symbol", "Symbol", 0},
	[PFX_KEY_CPU] = {"cpu", "CPU", 0},
	[PFX_KEY_TGID] = {"tgid", "   Tgid:Command", 0},
	[PFX_KEY_TID] = {"tid", "    Tid:Command", 0},
	[PFX_KEY_TRACE] = {"trace", "Trace output", 0},
	[PFX_KEY_OVERHEAD] = {"overhead", "Overhead", 8},
	[PFX_KEY_OVERHEAD_SYS] = {"overhead_sys", "sys", 8},
	[PFX_KEY_OVERHEAD_US] = {"overhead_us", "usr", 8},
	[PFX_KEY_OVERHEAD_GUEST_SYS] = {"overhead_guest_sys", "guest sys", 8},
	[PFX_KEY_OVERHEAD_GUEST_US] = {"overhead_guest_us", "guest usr", 8},
	[PFX_KEY_OVERHEAD_CHILDREN] = {"overhead_children", "Children", 8},
	[PFX_KEY_SAMPLE] = {"sample", "Samples", 12},
	[PFX_KEY_PERIOD] = {"period", "Period", 12},
};

const struct pfx_key_info *pfx_key_info(enum pfx_key key)
{
	return &key_table[key];
}

static int unknown_word(const char *option, const char *word, struct pfx_error *err)
{
	const char *names[PFX_KEY_NR];
	const char *near;
	char safe[3 * WORD_MAX];
	int i, rc;

	for (i = 0; i < PFX_KEY_NR; i++)
		names[i] = key_table[i].name;
	near = pfx_nearest(word, names, PFX_KEY_NR);
	rc = pfx_error_set(err, EINVAL, "'%s' is no key for %s",
			   pfx_escape(safe, sizeof(safe), word), option);
	if (near)
		pfx_error_hint(err, "The nearest one is '%s'.", near);
	else
		pfx_error_hint(
			err, "Keys are comm, dso, sym, pid, tid, tgid, cpu, trace; columns for -F "
			     "also overhead, overhead_children, overhead_sys, overhead_us, "
			     "sample, period.");
	return rc;
}

/* The first key of which @word is a prefix, the way perf looks names up. */
static int find_key(const char *option, const char *word, enum pfx_key *ret, struct pfx_error *err)
{
	int i;

	for (i = 0; i < PFX_KEY_NR; i++)
		if (!strncasecmp(key_table[i].name, word, strlen(word))) {
			*ret = i;
			return 0;
		}
	return unknown_word(option, word, err);
}

static bool has_key(const struct pfx_columns *columns, enum pfx_key key)
{
	size_t i;

	for (i = 0; i < columns->order.nr; i++)
		if (columns->order.at[i] == key)
			return true;
	return false;
}

static bool is_shown(const struct pfx_columns *columns, enum pfx_key key)
{
	size_t i;

	for (i = 0; i < columns->shown.nr; i++)
		if (columns->shown.at[i].key == key)
			return true;
	return false;
}

static void add_order(struct pfx_columns *columns, enum pfx_key key)
{
	if (!has_key(columns, key))
		pfx_vec_push(&columns->order, key);
}

static void add_shown(struct pfx_columns *columns, enum pfx_key key)
{
	struct pfx_column column = {.key = key, .title = key_table[key].title};

	if (!is_shown(columns, key))
		pfx_vec_push(&columns->shown, column);
}

typedef void (*add_fn)(struct pfx_columns *columns, enum pfx_key key);

/* Call @add for every key in a list of words separated by commas or blanks. */
static int add_words(struct pfx_columns *columns, const char *option, const char *list, add_fn add,
		     struct pfx_error *err)
{
	char word[WORD_MAX];
	enum pfx_key key = PFX_KEY_OVERHEAD;
	size_t len;
	int rc;

	for (; *list; list += len) {
		len = strspn(list, ", ");
		if (len)
			continue;
		len = strcspn(list, ", ");
		snprintf(word, sizeof(word), "%.*s", (int)(len < WORD_MAX ? len : WORD_MAX), list);
		rc = find_key(option, word, &key, err);
		if (rc)
			return rc;
		add(columns, key);
	}
	return 0;
}

/* The overhead columns that come without being asked for. */
static void add_standard(struct pfx_columns *columns, const struct pfx_columns_request *request)
{
	if (request->children)
		add_shown(columns, PFX_KEY_OVERHEAD_CHILDREN);
	add_shown(columns, PFX_KEY_OVERHEAD);
	if (request->children)
		columns->shown.at[columns->shown.nr - 1].title = "Self";
	if (request->cpu_utilization) {
		add_shown(columns, PFX_KEY_OVERHEAD_SYS);
		add_shown(columns, PFX_KEY_OVERHEAD_US);
		if (request->guest) {
			add_shown(columns, PFX_KEY_OVERHEAD_GUEST_SYS);
			add_shown(columns, PFX_KEY_OVERHEAD_GUEST_US);
		}
	}
	if (request->nr_samples)
		add_shown(columns, PFX_KEY_SAMPLE);
	if (request->total_period)
		add_shown(columns, PFX_KEY_PERIOD);
}

/* The overheads order the rows before all else, unless -s says where they stand. */
static void order_by_overhead(struct pfx_columns *columns,
			      const struct pfx_columns_request *request)
{
	const char *sort = request->sort ? request->sort : "";

	if (request->children && !strstr(sort, "overhead_children"))
		add_order(columns, PFX_KEY_OVERHEAD_CHILDREN);
	if (!strstr(sort, "overhead"))
		add_order(columns, PFX_KEY_OVERHEAD);
}

static int add_sort(struct pfx_columns *columns, const struct pfx_columns_request *request,
		    bool strict, struct pfx_error *err)
{
	const char *usual = request->usual ? request->usual : DEFAULT_KEYS;
	const char *sort = request->sort;
	int rc = 0;

	if ((!sort && !strict) || (sort && *sort == '+'))
		rc = add_words(columns, "-s", usual, add_order, err);
	if (!rc && sort)
		rc = add_words(columns, "-s", sort + (*sort == '+'), add_order, err);
	return rc;
}

/* "5,10": widths of the shown columns from left to right; an empty one is left alone. */
static int set_widths(struct pfx_columns *columns, const char *widths, struct pfx_error *err)
{
	char safe[3 * WORD_MAX];
	unsigned long width;
	size_t i;
	char *end;

	for (i = 0; widths && *widths; i++) {
		width = strtoul(widths, &end, 10);
		if ((*end && *end != ',') || width > 4096 || *widths == '-')
			return pfx_error_set(err, EINVAL,
					     "'%s' is no list of column widths like 8,16,30",
					     pfx_escape(safe, sizeof(safe), widths));
		if (i < columns->shown.nr)
			columns->shown.at[i].width = width;
		widths = *end ? end + 1 : end;
	}
	return 0;
}

int pfx_columns_build(struct pfx_columns *ret, const struct pfx_columns_request *request,
		      struct pfx_error *err)
{
	bool strict = request->fields && *request->fields != '+';
	size_t i;
	int rc;

	memset(ret, 0, sizeof(*ret));
	if (!strict) {
		add_standard(ret, request);
		order_by_overhead(ret, request);
	}
	rc = add_sort(ret, request, strict, err);
	if (!rc && request->fields)
		rc = add_words(ret, "-F", request->fields + !strict, add_shown, err);
	if (rc)
		return rc;
	if (request->fields && !ret->shown.nr)
		return pfx_error_set(err, EINVAL, "-F names no column");
	for (i = 0; i < ret->order.nr; i++)
		add_shown(ret, ret->order.at[i]);
	for (i = 0; i < ret->shown.nr; i++)
		add_order(ret, ret->shown.at[i].key);
	return set_widths(ret, request->widths, err);
}

void pfx_columns_fini(struct pfx_columns *columns)
{
	pfx_vec_free(&columns->shown);
	pfx_vec_free(&columns->order);
}

bool pfx_columns_has(const struct pfx_columns *columns, enum pfx_key key)
{
	return has_key(columns, key);
}

bool pfx_columns_shows(const struct pfx_columns *columns, enum pfx_key key)
{
	return is_shown(columns, key);
}
