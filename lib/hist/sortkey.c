/* SPDX-License-Identifier: MIT */
/*
 * Parses -s and -F into columns, by perf's rules: without -F the overhead columns are first and
 * sort the rows, then the keys; -s with a plus adds to the default keys, -F with a plus adds
 * columns before the keys; -F alone shows only its columns and sorts by them from left to right.
 */
#include "hist/sortkey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/words.h"
#include "read/filter.h"

#define WORD_MAX  96
#define WIDTH_MAX 4096 /* of a column */

/* A list of words being parsed. */
struct reading {
	struct pfx_columns *columns;
	const struct pfx_columns_request *request;
	const char *option, *list;
	struct pfx_error *err;
};

/* Set the hint: the list with a caret below the word. */
static void point_at(const struct reading *r, const char *at, const char *more)
{
	pfx_error_point(r->err, r->list, (size_t)(at - r->list), more);
}

static int unknown_word(const struct reading *r, const char *word, const char *at)
{
	const char *names[PFX_KEY_NR];
	const char *near;
	char safe[3 * WORD_MAX],
		more[128] = "keys are comm, dso, sym and many more: see pfx-report(1)";
	int i, rc;

	for (i = 0; i < PFX_KEY_NR; i++)
		names[i] = pfx_key_info(i)->name;
	near = pfx_nearest(word, names, PFX_KEY_NR);
	if (!near && r->request->near_field)
		near = r->request->near_field(r->request->ctx, word);
	rc = pfx_error_set(r->err, EINVAL, "'%s' is not a key for %s",
			   pfx_escape(safe, sizeof(safe), word), r->option);
	if (near)
		snprintf(more, sizeof(more), "did you mean '%s'?",
			 pfx_escape(safe, sizeof(safe), near));
	point_at(r, at, more);
	return rc;
}

/* Checks that keys of this kind are valid for the report's mode. */
static int check_mode(const struct reading *r, enum pfx_key key, const char *at)
{
	enum pfx_report_mode mode = r->request->mode;
	enum pfx_key_kind kind = pfx_key_info(key)->kind;
	bool for_branches = kind == PFX_KEY_OF_BRANCH;
	bool for_memory = kind == PFX_KEY_OF_MEMORY || kind == PFX_KEY_ACCESS;
	int rc;

	if (mode == PFX_REPORT_ANY || (!for_branches && !for_memory) ||
	    mode == (for_branches ? PFX_REPORT_BRANCH : PFX_REPORT_MEM))
		return 0;
	rc = pfx_error_set(r->err, EINVAL, "'%s' is a key for %s", pfx_key_info(key)->name,
			   for_branches ? "branches" : "memory accesses");
	point_at(r, at,
		 for_branches ? "it needs samples with branch stacks (record -b)"
			      : "it needs --mem-mode");
	return rc;
}

#define KIND(kind) (1u << PFX_KEY_##kind)

/* Find the key of these kinds for @word: its name or a sufficiently long prefix. */
static bool find_in(unsigned kinds, const char *word, enum pfx_key *ret)
{
	const struct pfx_key_info *info;
	size_t len = strlen(word);
	enum pfx_key key;

	for (key = 0; key < PFX_KEY_NR; key++) {
		info = pfx_key_info(key);
		if (kinds >> info->kind & 1 && len >= info->prefix &&
		    !strncasecmp(info->name, word, len)) {
			*ret = key;
			return true;
		}
	}
	return false;
}

static bool find_key(const char *word, enum pfx_key *ret)
{
	return find_in(KIND(OF_SAMPLE), word, ret) || find_in(KIND(VALUE), word, ret) ||
	       find_in(KIND(OF_BRANCH) | KIND(OF_MEMORY), word, ret) ||
	       find_in(KIND(ACCESS), word, ret);
}

static void add_order(struct pfx_columns *columns, enum pfx_key key)
{
	if (!pfx_columns_has(columns, key))
		pfx_vec_push(&columns->order, key);
}

static const char *title_of(const struct pfx_columns *columns, enum pfx_key key)
{
	if (key >= PFX_KEY_FIELD)
		return columns->fields.at[key - PFX_KEY_FIELD].name;
	return pfx_key_info(key)->title;
}

static void add_shown(struct pfx_columns *columns, enum pfx_key key)
{
	struct pfx_column column = {.key = key, .title = title_of(columns, key)};

	if (!pfx_columns_shows(columns, key))
		pfx_vec_push(&columns->shown, column);
}

typedef void (*add_fn)(struct pfx_columns *columns, enum pfx_key key);

/* Add all tracepoint fields of that name; false if there is none. */
static bool add_fields(const struct reading *r, const char *word, add_fn add)
{
	size_t first = r->columns->fields.nr, i;
	unsigned nr;

	if (!r->request->find_fields)
		return false;
	nr = r->request->find_fields(r->request->ctx, word, r->columns);
	for (i = first; i < r->columns->fields.nr; i++)
		add(r->columns, PFX_KEY_FIELD + i);
	return nr > 0;
}

/* Weights have two names: in -F averages, in -s keys. */
static bool find_average(const char *word, enum pfx_key *ret)
{
	static const struct {
		const char *name;
		enum pfx_key key;
	} names[] = {{"ins_lat", PFX_KEY_WEIGHT2},
		     {"retire_lat", PFX_KEY_WEIGHT3},
		     {"p_stage_cyc", PFX_KEY_WEIGHT3}};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(word, names[i].name)) {
			*ret = names[i].key;
			return true;
		}
	return false;
}

/* In -F, values have precedence over keys of the same name: averages, and memory access kinds. */
static bool find_value(const struct reading *r, const char *word, enum pfx_key *ret)
{
	if (strcmp(r->option, "-F") != 0)
		return false;
	return find_average(word, ret) ||
	       (strcmp(word, "mem") != 0 && r->request->mode == PFX_REPORT_MEM &&
		find_in(KIND(ACCESS), word, ret));
}

static int add_word(const struct reading *r, const char *word, const char *at, add_fn add)
{
	enum pfx_key key = PFX_KEY_OVERHEAD;
	bool is_key;
	int rc;

	if (find_value(r, word, &key)) {
		add(r->columns, key);
		return 0;
	}
	is_key = !strchr(word, '.') && find_key(word, &key);
	/* A field has precedence over a key that is only a prefix match: ret of system calls, not
	 * retire_lat. */
	if (!is_key || strcasecmp(word, pfx_key_info(key)->name) != 0) {
		if (add_fields(r, word, add))
			return 0;
		if (!is_key)
			return r->request->mode == PFX_REPORT_ANY ? 0 : unknown_word(r, word, at);
	}
	rc = check_mode(r, key, at);
	if (key == PFX_KEY_LOCAL_STAGE && !r->request->stages && r->list != r->request->sort)
		return rc;
	if (!rc)
		add(r->columns, key);
	return rc;
}

/* Call @add for every key in a list of words separated by commas or blanks. */
static int add_words(const struct reading *r, add_fn add)
{
	const char *at = r->list;
	char word[WORD_MAX];
	size_t len;
	int rc;

	for (; *at; at += len) {
		len = strspn(at, ", ");
		if (len)
			continue;
		len = strcspn(at, ", ");
		snprintf(word, sizeof(word), "%.*s", (int)(len < WORD_MAX ? len : WORD_MAX), at);
		rc = add_word(r, word, at, add);
		if (rc)
			return rc;
	}
	return 0;
}

/* Add the default overhead columns. */
static void add_standard(struct pfx_columns *columns, const struct pfx_columns_request *request)
{
	if (request->latency && request->children)
		add_shown(columns, PFX_KEY_LATENCY_CHILDREN);
	if (request->latency)
		add_shown(columns, PFX_KEY_LATENCY);
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

/* The overheads sort the rows first, unless -s contains them. */
static void order_by_overhead(struct pfx_columns *columns,
			      const struct pfx_columns_request *request)
{
	const char *sort = request->sort ? request->sort : "";

	if (request->latency && !strstr(sort, "latency"))
		add_order(columns, request->children ? PFX_KEY_LATENCY_CHILDREN : PFX_KEY_LATENCY);
	if (request->children && !strstr(sort, "overhead_children"))
		add_order(columns, PFX_KEY_OVERHEAD_CHILDREN);
	if (!strstr(sort, "overhead"))
		add_order(columns, PFX_KEY_OVERHEAD);
}

static int add_sort(struct pfx_columns *columns, const struct pfx_columns_request *request,
		    bool strict, struct pfx_error *err)
{
	struct reading r = {columns, request, "-s", request->usual, err};
	const char *sort = request->sort;
	int rc = 0;

	if (!r.list)
		r.list = pfx_columns_usual(request->mode);
	if ((!sort && !strict) || (sort && *sort == '+'))
		rc = add_words(&r, add_order);
	if (rc || !sort)
		return rc;
	r.list = sort + (*sort == '+');
	rc = add_words(&r, add_order);
	if (!rc && strstr(sort, "symbol") && request->mode != PFX_REPORT_ANY)
		add_order(columns,
			  request->mode == PFX_REPORT_BRANCH ? PFX_KEY_IPC_LBR : PFX_KEY_IPC_NULL);
	return rc;
}

/* "5,10": widths of the shown columns from left to right; an empty one is unchanged. */
static int set_widths(struct pfx_columns *columns, const char *widths, struct pfx_error *err)
{
	const char *all = widths;
	char safe[3 * WORD_MAX];
	unsigned long width;
	size_t i, at;
	char *end;

	columns->widths_given = widths != NULL;
	for (i = 0; widths && *widths; i++) {
		width = strtoul(widths, &end, 10);
		if ((*end && *end != ',') || width > WIDTH_MAX || *widths == '-') {
			pfx_error_set(err, EINVAL, "'%s' is not a list of column widths",
				      pfx_escape(safe, sizeof(safe), all));
			at = (*end && *end != ',' && *widths != '-' ? end : widths) - all;
			pfx_error_point(err, all, at, "for example: 8,16,30");
			return -EINVAL;
		}
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
	struct reading r = {ret, request, "-F", NULL, err};
	size_t i;
	int rc;

	memset(ret, 0, sizeof(*ret));
	if (!strict) {
		add_standard(ret, request);
		order_by_overhead(ret, request);
	}
	rc = add_sort(ret, request, strict, err);
	if (!rc && request->fields) {
		r.list = request->fields + !strict;
		rc = add_words(&r, add_shown);
	}
	if (rc)
		return rc;
	if (request->fields && !ret->shown.nr && request->mode != PFX_REPORT_ANY)
		return pfx_error_set(err, EINVAL, "-F names no column");
	for (i = 0; i < ret->order.nr; i++)
		add_shown(ret, ret->order.at[i]);
	for (i = 0; i < ret->shown.nr; i++) {
		add_order(ret, ret->shown.at[i].key);
		if (!pfx_key_is_value(ret->shown.at[i].key))
			pfx_vec_push(&ret->levels, ret->shown.at[i].key);
	}
	return set_widths(ret, request->widths, err);
}

const char *pfx_key_only_word(enum pfx_key key, const struct pfx_filter *filter)
{
	switch (key) {
	case PFX_KEY_COMM:
		return pfx_names_only(&filter->comms);
	case PFX_KEY_DSO:
		return pfx_names_only(&filter->dsos);
	case PFX_KEY_SYM:
		return pfx_names_only(&filter->symbols);
	default:
		return NULL;
	}
}

void pfx_columns_elide(struct pfx_columns *columns, const struct pfx_filter *filter)
{
	size_t i, nr_keys = 0, nr_elided = 0;

	for (i = 0; i < columns->shown.nr; i++) {
		struct pfx_column *column = &columns->shown.at[i];

		if (pfx_key_is_value(column->key))
			continue;
		nr_keys++;
		column->elided = pfx_key_only_word(column->key, filter) != NULL;
		nr_elided += column->elided;
	}
	for (i = 0; i < columns->shown.nr && nr_elided == nr_keys; i++)
		columns->shown.at[i].elided = false;
}
