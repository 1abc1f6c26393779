/* SPDX-License-Identifier: MIT */
/*
 * Tables beside the samples, where they are recorded: accesses to memory by level and by function
 * and data, and branches by function. They are made as `pfx report` makes them, of all samples that
 * the options keep; the filters of the page do not change them.
 */
#include <stdlib.h>
#include <string.h>

#include "export/page_data_internal.h"
#include "export/page_tables.h"
#include "hist/key_text.h"
#include "out/json_parts.h"

#define MOST_ROWS 300 /* of a table of an event */

static const struct table_kind {
	const char *name, *title, *keys;
	enum pfx_report_mode mode;
	uint64_t sample_type; /* what samples need */
} kinds[] = {
	{"memory", "By level", "mem,tlb,snoop,locked", PFX_REPORT_MEM, PFX_SAMPLE_DATA_SRC},
	{"memory", "By function and data", "sym,dso,symbol_daddr,dso_daddr,mem", PFX_REPORT_MEM,
	 PFX_SAMPLE_DATA_SRC},
	{"branches", "By function", "symbol_from,symbol_to,dso_from,dso_to,mispredict",
	 PFX_REPORT_BRANCH, PFX_SAMPLE_BRANCH_STACK},
};

#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

struct pfx_page_tables {
	struct pfx_columns columns[NR_KINDS];
	struct pfx_hists *hists[NR_KINDS]; /* NULL: the recording has no such data */
	struct pfx_callgraph graph;
};

/* Call stacks in the place of branches are none. */
static bool has_data(const struct pfx_attr *attr, const struct table_kind *kind)
{
	return attr->sample_type & kind->sample_type &&
	       !(kind->mode == PFX_REPORT_BRANCH &&
		 attr->branch_sample_type & PFX_BRANCH_CALL_STACK);
}

static bool is_recorded(const struct pfx_meta *meta, const struct table_kind *kind)
{
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (has_data(&meta->events[i]->attr, kind))
			return true;
	return false;
}

static void make_table(struct pfx_page_tables *tables, size_t i,
		       const struct pfx_page_tables_setup *setup)
{
	const struct pfx_columns_request request = {.sort = kinds[i].keys, .mode = kinds[i].mode};
	struct pfx_hist_options options = {
		.meta = setup->meta,
		.session = setup->session,
		.resolver = setup->resolver,
		.columns = &tables->columns[i],
		.filter = setup->filter,
		.graph = &tables->graph,
		.mode = kinds[i].mode,
		.guest = setup->guest,
	};

	if (is_recorded(setup->meta, &kinds[i]) &&
	    !pfx_columns_build(&tables->columns[i], &request, NULL))
		tables->hists[i] = pfx_hists_new(&options);
}

struct pfx_page_tables *pfx_page_tables_new(const struct pfx_page_tables_setup *setup)
{
	struct pfx_page_tables *tables = pfx_calloc(1, sizeof(*tables));
	size_t i;

	for (i = 0; i < NR_KINDS; i++)
		make_table(tables, i, setup);
	return tables;
}

void pfx_page_tables_free(struct pfx_page_tables *tables)
{
	size_t i;

	for (i = 0; tables && i < NR_KINDS; i++) {
		pfx_hists_free(tables->hists[i]);
		pfx_columns_fini(&tables->columns[i]);
	}
	free(tables);
}

void pfx_page_tables_take(void *context, const struct pfx_event *event,
			  const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct pfx_page_tables *tables = context;
	size_t i;

	for (i = 0; i < NR_KINDS; i++)
		if (tables->hists[i] && has_data(&event->attr, &kinds[i]))
			pfx_hists_add(tables->hists[i], event, sample, thread);
}

/* --- as data of the page --- */

/* The text that distinguishes rows. `pfx report` adds the column of instructions per cycle to
 * functions; here nothing counts them. */
static bool is_text(const struct pfx_column *column)
{
	return !pfx_key_is_value(column->key) &&
	       strncmp(pfx_key_info(column->key)->name, "ipc", 3) != 0;
}

static void add_titles(struct pfx_page_data *h, const struct pfx_columns *columns)
{
	uint32_t nr = 0;
	size_t i;

	pfx_page_begin(h, "columns", '[');
	for (i = 0; i < columns->shown.nr; i++) {
		if (!is_text(&columns->shown.at[i]))
			continue;
		pfx_json_add_comma(h->to, nr++);
		pfx_json_add_string(h->to, columns->shown.at[i].title);
	}
	pfx_page_end(h, ']');
}

static void add_key(struct pfx_page_data *h, const struct pfx_hists *hists,
		    const struct pfx_row *row, const struct pfx_column *column)
{
	const struct pfx_key_text how = {.hists = hists};
	struct pfx_str text = {0};

	pfx_key_text(&how, row, column, 0, &text);
	pfx_json_add_string(h->to, pfx_str_get(&text) + strspn(pfx_str_get(&text), " "));
	pfx_str_fini(&text);
}

static void add_keys(struct pfx_page_data *h, const struct pfx_hists *hists,
		     const struct pfx_hist *hist, uint32_t nr_rows)
{
	const struct pfx_columns *columns = pfx_hists_options(hists)->columns;
	uint32_t row, nr;
	size_t i;

	pfx_page_begin(h, "keys", '[');
	for (row = 0; row < nr_rows; row++) {
		pfx_json_add_comma(h->to, row);
		pfx_str_addc(h->to, '[');
		for (i = 0, nr = 0; i < columns->shown.nr; i++) {
			if (!is_text(&columns->shown.at[i]))
				continue;
			pfx_json_add_comma(h->to, nr++);
			add_key(h, hists, hist->rows[row], &columns->shown.at[i]);
		}
		pfx_str_addc(h->to, ']');
	}
	pfx_page_end(h, ']');
}

static void add_table(struct pfx_page_data *h, const struct table_kind *kind,
		      const struct pfx_hists *hists, const struct pfx_hist *hist)
{
	uint32_t nr_rows = hist->nr_rows < MOST_ROWS ? hist->nr_rows : MOST_ROWS, i;

	pfx_json_add_text(h->to, "kind", kind->name);
	pfx_json_add_text(h->to, "title", kind->title);
	pfx_json_add_number(h->to, "event", pfx_selection_column(h->selection, hist->event->idx));
	pfx_json_add_number(h->to, "count", nr_rows);
	pfx_json_add_number(h->to, "all", hist->nr_rows);
	pfx_json_add_number(h->to, "whole", pfx_hist_period(hists, hist, 0));
	pfx_json_add_number(h->to, "times", pfx_hist_samples(hists, hist, 0));
	add_titles(h, pfx_hists_options(hists)->columns);
	for (i = 0; i < nr_rows; i++)
		pfx_vec_push(&h->column, hist->rows[i]->stat->count);
	pfx_page_column(h, "samples");
	for (i = 0; i < nr_rows; i++)
		pfx_vec_push(&h->column, hist->rows[i]->stat->period);
	pfx_page_column(h, "period");
	add_keys(h, hists, hist, nr_rows);
}

/* Samples with copied stacks have the fields of accesses, too, with nothing in them. */
static bool says_nothing(const struct pfx_hists *hists, const struct pfx_hist *hist)
{
	const struct pfx_key_text how = {.hists = hists};
	const struct pfx_columns *columns = pfx_hists_options(hists)->columns;
	struct pfx_str text = {0};
	bool is_nothing = hist->nr_rows == 1;
	size_t i;

	for (i = 0; i < columns->shown.nr && is_nothing; i++) {
		if (columns->shown.at[i].key != PFX_KEY_MEM)
			continue;
		pfx_key_text(&how, hist->rows[0], &columns->shown.at[i], 0, &text);
		is_nothing = !strncmp(pfx_str_get(&text), "N/A", 3);
	}
	pfx_str_fini(&text);
	return is_nothing;
}

static void add_tables_of(struct pfx_page_data *h, const struct pfx_page_tables *tables,
			  uint32_t event, uint32_t *nr)
{
	const struct pfx_hist *hist;
	bool is_nothing = false;
	uint32_t k;
	size_t i;

	for (i = 0; i < NR_KINDS; i++)
		for (k = 0; tables->hists[i] && k < pfx_hists_nr(tables->hists[i]); k++) {
			hist = pfx_hists_at(tables->hists[i], k);
			if (hist->event->idx != event || !hist->nr_rows)
				continue;
			if (kinds[i].mode == PFX_REPORT_MEM && !i)
				is_nothing = says_nothing(tables->hists[i], hist);
			if (kinds[i].mode == PFX_REPORT_MEM && is_nothing)
				continue;
			pfx_page_element(h, (*nr)++);
			add_table(h, &kinds[i], tables->hists[i], hist);
			pfx_page_end(h, '}');
		}
}

void pfx_page_add_tables(struct pfx_page_data *h)
{
	const struct pfx_page_tables *tables = h->in->tables;
	uint32_t nr = 0, column;
	size_t i;

	if (!tables)
		return;
	for (i = 0; i < NR_KINDS; i++)
		if (tables->hists[i])
			pfx_hists_finish(tables->hists[i]);
	pfx_page_begin(h, "tables", '[');
	for (column = 0; column < h->selection->nr_events; column++)
		if (h->selection->events[column] < h->nr_new_events)
			add_tables_of(h, tables, h->selection->events[column], &nr);
	pfx_page_end(h, ']');
	h->has_tables = nr > 0;
}
