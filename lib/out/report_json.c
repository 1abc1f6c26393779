/* SPDX-License-Identifier: MIT */
/*
 * The tables as JSON: the machine, each event with its columns and rows, call trees, and missing
 * data. Texts come from key_text.c, so that they equal those of the table.
 */
#include <inttypes.h>
#include <string.h>

#include "hist/key_text.h"
#include "out/form_internal.h"
#include "out/hist_text_internal.h"
#include "out/json_parts.h"
#include "out/recording_text.h"
#include "out/term/term.h"

#define SCHEMA     "pfx.report/1" /* Documentation/report-schema.json */
#define FLUSH_SIZE (256u << 10)

static void add_header(const struct pfx_env *env, struct pfx_str *to)
{
	uint32_t i;

	pfx_json_add_name(to, "header");
	pfx_str_addc(to, '{');
	pfx_json_add_text(to, "hostname", env->hostname);
	pfx_json_add_text(to, "osrelease", env->osrelease);
	pfx_json_add_text(to, "version", env->version);
	pfx_json_add_text(to, "arch", env->arch);
	pfx_json_add_text(to, "cpudesc", env->cpudesc);
	pfx_json_add_text(to, "cpuid", env->cpuid);
	if (env->nr_cpus_online)
		pfx_json_add_number(to, "cpus_online", env->nr_cpus_online);
	if (env->nr_cpus_avail)
		pfx_json_add_number(to, "cpus_available", env->nr_cpus_avail);
	if (env->total_mem_kb)
		pfx_json_add_number(to, "total_memory_kb", env->total_mem_kb);
	if (env->first_sample_ns)
		pfx_json_add_number(to, "first_sample_ns", env->first_sample_ns);
	if (env->last_sample_ns)
		pfx_json_add_number(to, "last_sample_ns", env->last_sample_ns);
	pfx_json_add_name(to, "cmdline");
	pfx_str_addc(to, '[');
	for (i = 0; i < env->cmdline.nr; i++) {
		pfx_json_add_comma(to, i);
		pfx_json_add_string(to, env->cmdline.at[i]);
	}
	pfx_str_add(to, "]}");
}

/* The values of a frame's branches. */
static void add_branch(const struct pfx_branch_sum *sum, struct pfx_str *to)
{
	struct pfx_str kinds = {0};

	pfx_json_add_name(to, "branch");
	pfx_str_addc(to, '{');
	if (sum->to) {
		pfx_branch_kinds_text(sum->kinds, &kinds);
		kinds.len -= kinds.len > 0;
		pfx_json_add_number(to, "to", sum->to);
		pfx_json_add_number(to, "predicted", sum->predicted);
		pfx_json_add_number(to, "aborted", sum->aborts);
		pfx_json_add_name(to, "kinds");
		pfx_str_addf(to, "\"%.*s\"", (int)kinds.len, pfx_str_get(&kinds));
		pfx_str_fini(&kinds);
	}
	if (sum->from) {
		pfx_json_add_number(to, "from", sum->from);
		pfx_json_add_number(to, "cycles", sum->cycles);
		pfx_json_add_number(to, "loops", sum->loops);
		pfx_json_add_number(to, "loop_cycles", sum->loop_cycles);
	}
	pfx_str_addc(to, '}');
}

static void add_frame(const struct pfx_place *place, const struct pfx_branch_sum *sum,
		      struct pfx_str *to)
{
	pfx_str_addc(to, '{');
	if (place->sym)
		pfx_json_add_text(to, "symbol", place->sym->name);
	if (place->sym && place->sym->is_nameless)
		pfx_json_add_text(to, "bounds_from", PFX_BOUNDS_FROM);
	if (place->dso)
		pfx_json_add_text(to, "dso", place->dso->short_name);
	pfx_json_add_name(to, "address");
	pfx_str_addf(to, "\"%#" PRIx64 "\"", place->ip);
	if (place->sym && place->sym->is_inlined)
		pfx_str_add(to, ",\"inlined\":true");
	if (sum && (sum->to || sum->from))
		add_branch(sum, to);
	pfx_str_addc(to, '}');
}

static void add_node(const struct pfx_call_node *node, struct pfx_str *to)
{
	uint32_t i;

	pfx_str_addc(to, '{');
	pfx_json_add_name(to, "frames");
	pfx_str_addc(to, '[');
	for (i = 0; i < node->nr_frames; i++) {
		pfx_json_add_comma(to, i);
		add_frame(node->frames[i], node->branches ? &node->branches[i] : NULL, to);
	}
	pfx_str_addc(to, ']');
	pfx_json_add_number(to, "period", node->hit + node->kids_hit);
	pfx_json_add_number(to, "samples", node->hits + node->kids_hits);
	pfx_json_add_number(to, "own_period", node->hit);
	pfx_json_add_number(to, "own_samples", node->hits);
	pfx_json_add_name(to, "kids");
	pfx_str_addc(to, '[');
	for (i = 0; i < node->nr_kids; i++) {
		pfx_json_add_comma(to, i);
		add_node(node->kids[i], to);
	}
	pfx_str_add(to, "]}");
}

static void add_tree(const struct pfx_hists *hists, const struct pfx_hist *hist,
		     const struct pfx_row *row, struct pfx_str *to)
{
	struct pfx_arena arena = {0};
	struct pfx_call_node *root;

	row = pfx_row_for_chains(hists, hist, row, &hist);
	if (!row)
		return;
	root = pfx_hist_calltree(hists, hist, row, &arena);
	if (root) {
		pfx_json_add_name(to, "callgraph");
		add_node(root, to);
	}
	pfx_arena_clear(&arena);
}

static const char *short_name(const struct pfx_column *column)
{
	return column->key >= PFX_KEY_FIELD ? column->title : pfx_key_info(column->key)->name;
}

/* Whether an earlier column, or another member, has the same name. */
static bool is_taken(const struct pfx_columns *columns, const struct pfx_column *column)
{
	static const char *const members[] = {"values", "kids", "callgraph"};
	const char *name = short_name(column);
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (!strcmp(name, members[i]))
			return true;
	for (i = 0; &columns->shown.at[i] != column; i++)
		if (!strcmp(name, short_name(&columns->shown.at[i])))
			return true;
	return false;
}

/* Tracepoint fields may have the names of others, or of keys: they are renamed to "event.field" or
 * "field/raw". @room: for the name. */
static const char *key_name(const struct pfx_columns *columns, const struct pfx_column *column,
			    struct pfx_str *room)
{
	const struct pfx_key_field *field;

	if (column->key < PFX_KEY_FIELD || !is_taken(columns, column))
		return short_name(column);
	field = &columns->fields.at[column->key - PFX_KEY_FIELD];
	if (field->event)
		pfx_str_addf(room, "%s.", field->event);
	pfx_str_addf(room, "%s%s", field->name, field->raw ? "/raw" : "");
	return pfx_str_get(room);
}

/* A symbol is written without the level, which is a separate member. */
static void add_key(const struct pfx_form_rows *from, const struct pfx_row *row,
		    const struct pfx_column *column, struct pfx_str *to)
{
	const struct pfx_key_text how = {from->hists, from->look.verbose, from->look.ns};
	const struct pfx_columns *columns = pfx_hists_options(from->hists)->columns;
	struct pfx_str text = {0}, name = {0};
	const char *at;

	pfx_key_text(&how, row, column, 0, &text);
	at = pfx_str_get(&text);
	if (column->key == PFX_KEY_SYM && row->place->sym)
		at = row->place->sym->name;
	else if (column->key == PFX_KEY_SYM && !strncmp(at, "[", 1) && strlen(at) > 4)
		at += 4;
	while (*at == ' ')
		at++;
	pfx_json_add_text(to, key_name(columns, column, &name), at);
	pfx_str_fini(&text);
	pfx_str_fini(&name);
}

/* Accesses by kind, each in percent. */
static void add_access(enum pfx_key field, const struct pfx_row_stat *stat, struct pfx_str *to)
{
	const char *name;
	unsigned kind;

	pfx_json_add_name(to, pfx_key_info(field)->name);
	pfx_str_addc(to, '{');
	for (kind = 0; (name = pfx_access_name(pfx_key_info(field)->access, kind)); kind++)
		pfx_json_add_percent(
			to, name,
			stat->access ? stat->access->period[pfx_key_info(field)->access][kind] : 0,
			stat->period);
	pfx_str_addc(to, '}');
}

static void add_member(const struct pfx_hists *hists, const struct pfx_hist *hist,
		       const struct pfx_row *row, uint32_t m, struct pfx_str *to)
{
	const struct pfx_columns *columns = pfx_hists_options(hists)->columns;
	const struct pfx_row_stat *stat = &row->stat[m];
	uint64_t whole = pfx_hist_period(hists, hist, m);
	enum pfx_key key;
	size_t i;

	pfx_str_addc(to, '{');
	pfx_json_add_number(to, "samples", stat->count);
	pfx_json_add_number(to, "period", stat->period);
	pfx_json_add_percent(to, "percent", stat->period, whole);
	if (pfx_hists_options(hists)->children) {
		pfx_json_add_number(to, "children_period", stat->children);
		pfx_json_add_percent(to, "children_percent", stat->children, whole);
	}
	for (i = 0; i < columns->shown.nr; i++) {
		key = columns->shown.at[i].key;
		if (!pfx_key_is_value(key) || key == PFX_KEY_OVERHEAD || key == PFX_KEY_SAMPLE ||
		    key == PFX_KEY_PERIOD || key == PFX_KEY_OVERHEAD_CHILDREN)
			continue;
		if (pfx_key_is_access(key))
			add_access(key, stat, to);
		else if (pfx_key_info(key)->is_percent)
			pfx_json_add_percent(to, pfx_key_info(key)->name, pfx_row_value(stat, key),
					     pfx_hist_whole(hists, hist, m, key));
		else
			pfx_json_add_number(to, pfx_key_info(key)->name, pfx_row_value(stat, key));
	}
	pfx_str_addc(to, '}');
}

/* --samples: some of the row's samples. */
static void add_kept(const struct pfx_row *row, struct pfx_str *to)
{
	const struct pfx_kept_sample *kept;
	uint32_t i;

	pfx_json_add_name(to, "samples");
	pfx_str_addc(to, '[');
	for (i = 0; i < row->nr_kept; i++) {
		kept = &row->kept[i];
		pfx_json_add_comma(to, i);
		pfx_str_addc(to, '{');
		if (kept->time != PFX_NO_TIME)
			pfx_json_add_number(to, "time_ns", kept->time);
		pfx_json_add_int(to, "pid", (int)kept->pid);
		pfx_json_add_int(to, "tid", (int)kept->tid);
		pfx_json_add_int(to, "cpu", (int)kept->cpu);
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
}

static void add_row(const struct pfx_form_rows *from, const struct pfx_hist *hist,
		    const struct pfx_row *row, struct pfx_str *to)
{
	const struct pfx_hists *hists = from->hists;
	const struct pfx_columns *columns = pfx_hists_options(hists)->columns;
	const char level[2] = {row->level, '\0'};
	uint32_t m;
	size_t i;

	pfx_str_addc(to, '{');
	pfx_json_add_name(to, "keys");
	pfx_str_addc(to, '{');
	for (i = 0; i < columns->shown.nr; i++)
		if (!pfx_key_is_value(columns->shown.at[i].key))
			add_key(from, row, &columns->shown.at[i], to);
	pfx_str_addc(to, '}');
	if (pfx_columns_shows(columns, PFX_KEY_SYM))
		pfx_json_add_text(to, "level", level);
	if (pfx_columns_shows(columns, PFX_KEY_SYM) && row->place->sym &&
	    row->place->sym->is_nameless)
		pfx_json_add_text(to, "bounds_from", PFX_BOUNDS_FROM);
	pfx_json_add_name(to, "values");
	pfx_str_addc(to, '[');
	for (m = 0; m < hist->nr_members; m++) {
		pfx_json_add_comma(to, m);
		add_member(hists, hist, row, m, to);
	}
	pfx_str_addc(to, ']');
	if (row->nr_kept)
		add_kept(row, to);
	add_tree(hists, hist, row, to);
	pfx_str_addc(to, '}');
}

/* --- a hierarchy --- */

static void add_entry(const struct pfx_form_rows *from, const struct pfx_hist *hist,
		      const struct pfx_hist_entry *entry, struct pfx_str *to)
{
	const struct pfx_hists *hists = from->hists;
	const struct pfx_columns *columns = pfx_hists_options(hists)->columns;
	enum pfx_key key = columns->levels.at[entry->depth];
	uint32_t m, k;
	size_t i;

	pfx_str_addc(to, '{');
	for (i = 0; i < columns->shown.nr; i++)
		if (columns->shown.at[i].key == key)
			add_key(from, entry->row, &columns->shown.at[i], to);
	pfx_json_add_name(to, "values");
	pfx_str_addc(to, '[');
	for (m = 0; m < hist->nr_members; m++) {
		pfx_json_add_comma(to, m);
		add_member(hists, hist, entry->row, m, to);
	}
	pfx_str_addc(to, ']');
	if (entry->is_leaf)
		add_tree(hists, hist, entry->row, to);
	pfx_json_add_name(to, "kids");
	pfx_str_addc(to, '[');
	for (k = 0; !entry->is_leaf && k < entry->nr_kids; k++) {
		pfx_json_add_comma(to, k);
		add_entry(from, hist, entry->kids[k], to);
	}
	pfx_str_add(to, "]}");
}

static void add_hierarchy(const struct pfx_form_rows *from, const struct pfx_hist *hist,
			  struct pfx_str *to)
{
	uint32_t i;

	pfx_json_add_name(to, "hierarchy");
	pfx_str_addc(to, '[');
	for (i = 0; i < hist->nr_top; i++) {
		pfx_json_add_comma(to, i);
		add_entry(from, hist, hist->top[i], to);
	}
	pfx_str_addc(to, ']');
}

/* --- blocks of code between branches --- */

static void add_block(const struct pfx_form_rows *from, const struct pfx_block *block,
		      uint64_t whole, struct pfx_str *to)
{
	struct pfx_resolver *resolver = pfx_hists_options(from->hists)->resolver;
	const struct pfx_symbol *sym = block->end->sym;
	struct pfx_str range = {0};

	pfx_str_addc(to, '{');
	pfx_block_range(resolver, block, from->look.full_source_path, &range);
	pfx_json_add_text(to, "range", pfx_str_get(&range));
	pfx_json_add_text(to, "dso", block->end->dso->short_name);
	pfx_json_add_text(to, "symbol", sym->name);
	if (block->start)
		pfx_json_add_number(to, "start", block->start->addr - sym->start);
	pfx_json_add_number(to, "end", block->end->addr - sym->start);
	pfx_json_add_number(to, "cycles", block->cycles);
	pfx_json_add_number(to, "count", block->count);
	pfx_json_add_percent(to, "percent", block->cycles, whole);
	pfx_str_addc(to, '}');
	pfx_str_fini(&range);
}

static void add_blocks(const struct pfx_form_rows *from, const struct pfx_hist *hist,
		       struct pfx_str *to)
{
	struct pfx_hists *hists = from->hists;
	uint64_t whole = pfx_hist_cycles(hists, hist);
	const struct pfx_block *blocks;
	uint32_t i, nr = pfx_hist_blocks(hists, hist, &blocks);

	pfx_json_add_name(to, "blocks");
	pfx_str_addc(to, '[');
	for (i = 0; i < nr; i++) {
		pfx_json_add_comma(to, i);
		pfx_str_addc(to, '\n');
		add_block(from, &blocks[i], whole, to);
	}
	pfx_str_addc(to, ']');
}

static void add_branch_counts(const struct pfx_branch_counts *counts, struct pfx_str *to)
{
	const char *name;
	uint64_t nr;
	unsigned i;

	pfx_json_add_name(to, "branches");
	pfx_str_addc(to, '{');
	for (i = 0; (name = pfx_branch_count(counts, i, &nr)); i++)
		if (nr)
			pfx_json_add_number(to, name, nr);
	pfx_str_addc(to, '}');
}

static void add_event(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m,
		      struct pfx_str *to)
{
	pfx_str_addc(to, '{');
	pfx_json_add_text(to, "name", hist->members[m]->name);
	pfx_json_add_number(to, "samples", hist->totals[m].nr_samples);
	pfx_json_add_number(to, "period", hist->totals[m].period);
	pfx_json_add_number(to, "samples_passed", hist->totals[m].nr_passed);
	pfx_json_add_number(to, "period_passed", hist->totals[m].passed_period);
	pfx_str_addc(to, '}');
}

static void add_columns(const struct pfx_columns *columns, struct pfx_str *to)
{
	const struct pfx_column *column;
	struct pfx_str name = {0};
	size_t i;

	pfx_json_add_name(to, "columns");
	pfx_str_addc(to, '[');
	for (i = 0; i < columns->shown.nr; i++) {
		column = &columns->shown.at[i];
		pfx_json_add_comma(to, i);
		pfx_str_addc(to, '{');
		pfx_str_clear(&name);
		pfx_json_add_text(to, "key", key_name(columns, column, &name));
		pfx_json_add_text(to, "title", column->title + strspn(column->title, " "));
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
	pfx_str_fini(&name);
}

/* @whole: nothing is written to standard output. */
static int add_table(const struct pfx_form_rows *from, const struct pfx_hist *hist, bool whole,
		     struct pfx_str *to)
{
	const struct pfx_hists *hists = from->hists;
	const struct pfx_hist_options *options = pfx_hists_options(hists);
	uint32_t max = from->look.max_rows ? from->look.max_rows : UINT32_MAX, i, m, nr = 0;
	int rc = 0;

	pfx_str_addc(to, '{');
	pfx_json_add_name(to, "events");
	pfx_str_addc(to, '[');
	for (m = 0; m < hist->nr_members; m++) {
		pfx_json_add_comma(to, m);
		add_event(hists, hist, m, to);
	}
	pfx_str_addc(to, ']');
	add_columns(options->columns, to);
	pfx_json_add_name(to, "rows");
	pfx_str_addc(to, '[');
	for (i = 0; i < hist->nr_rows && nr < max && !rc; i++) {
		if (!pfx_hist_row_is_shown(hists, hist, hist->rows[i]))
			continue;
		pfx_json_add_comma(to, nr++);
		pfx_str_addc(to, '\n');
		add_row(from, hist, hist->rows[i], to);
		if (!whole && to->len > FLUSH_SIZE)
			rc = pfx_out_flush(to);
	}
	pfx_str_add(to, "\n]");
	if (options->hierarchy)
		add_hierarchy(from, hist, to);
	if (options->blocks)
		add_blocks(from, hist, to);
	pfx_str_addc(to, '}');
	return rc;
}

void pfx_hist_json(const struct pfx_form_rows *from, const struct pfx_hist *hist,
		   struct pfx_str *to)
{
	add_table(from, hist, true, to);
}

static void add_missing(const struct pfx_form_rows *from, struct pfx_str *to)
{
	const struct pfx_hists *hists = from->hists;
	const struct pfx_hist_options *options = pfx_hists_options(hists);
	const struct pfx_session_stats *lost = pfx_session_stats(options->session);
	const struct pfx_unwind_stats *unwind = pfx_resolver_unwind_stats(options->resolver);
	uint64_t nr, all = pfx_hists_counted(hists);
	const struct pfx_dso *dso;
	uint32_t i, found = 0;

	pfx_json_add_name(to, "missing");
	pfx_str_addc(to, '{');
	pfx_json_add_number(to, "lost_samples", lost->nr_lost_samples);
	pfx_json_add_number(to, "lost_records", lost->nr_lost);
	pfx_json_add_number(to, "chains_from_stacks", unwind->nr_chains);
	pfx_json_add_number(to, "chains_from_frame_pointers",
			    pfx_pointer_chain_stats(options->resolver)->nr_chains);
	pfx_json_add_number(to, "chains_incomplete",
			    unwind->nr_chains - unwind->nr_ends[PFX_UNWIND_COMPLETE] +
				    pfx_pointer_chain_incomplete(options->resolver));
	pfx_json_add_number(to, "samples", all);
	pfx_json_add_number(to, "samples_nowhere", pfx_hists_unresolved(hists, NULL));
	pfx_json_add_name(to, "dsos_without_symbols");
	pfx_str_addc(to, '[');
	for (i = 0; i < pfx_session_nr_dsos(options->session); i++) {
		dso = pfx_session_dso_at(options->session, i);
		nr = pfx_hists_unresolved(hists, dso);
		if (!nr)
			continue;
		pfx_json_add_comma(to, found++);
		pfx_str_addc(to, '{');
		pfx_json_add_text(to, "dso", dso->name);
		pfx_json_add_number(to, "samples", nr);
		pfx_json_add_percent(to, "percent", nr, all);
		pfx_json_add_text(to, "reason", pfx_resolver_no_symbols(options->resolver, dso));
		pfx_str_addc(to, '}');
	}
	pfx_str_add(to, "]}");
}

/* The requested data besides samples. */
static void add_recording(const struct pfx_form_rows *from, struct pfx_str *to)
{
	const struct pfx_hist_options *options = pfx_hists_options(from->hists);

	if (from->threads) {
		pfx_json_add_name(to, "threads");
		pfx_thread_reads_json(from->threads, options->meta, to);
	}
	if (from->counts) {
		pfx_json_add_name(to, "records");
		pfx_record_counts_json(from->counts, options->session, options->meta, to);
	}
	if (from->tasks || from->mmaps) {
		pfx_json_add_name(to, "tasks");
		pfx_tasks_json(options->session, from->mmaps, to);
	}
}

int pfx_form_json(const struct pfx_form_rows *from, struct pfx_str *to)
{
	const struct pfx_hists *hists = from->hists;
	uint32_t i;
	int rc = 0;

	pfx_str_addc(to, '{');
	pfx_json_add_text(to, "schema", SCHEMA);
	add_header(&pfx_hists_options(hists)->meta->env, to);
	pfx_json_add_text(to, "time", from->look.time);
	pfx_json_add_name(to, "tables");
	pfx_str_addc(to, '[');
	for (i = 0; i < pfx_hists_nr(hists) && !rc; i++) {
		pfx_json_add_comma(to, i);
		rc = add_table(from, pfx_hists_at(hists, i), false, to);
	}
	pfx_str_addc(to, ']');
	if (pfx_hists_branches(hists)->total)
		add_branch_counts(pfx_hists_branches(hists), to);
	add_recording(from, to);
	add_missing(from, to);
	pfx_str_add(to, "}\n");
	return rc;
}
