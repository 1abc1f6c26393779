/* SPDX-License-Identifier: MIT */
/*
 * The numbers of tables by function equal those of `pfx report -s dso,sym`, and those of tables
 * with several keys those of `pfx report` with these, for every row of every event, with and
 * without filters: on the recordings of tests/golden, and on those of $PFX_CORPUS where it is
 * present.
 */
#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "hist/key_text.h"
#include "hist/read_hists.h"
#include "kit/kit.h"
#include "view/read_profile.h"
#include "view/table_keys.h"
#include "view/view_code.h"
#include "view/view_tree.h"

/* What both are asked for. */
struct wish {
	const char *comms, *dsos, *cpus, *times;
	bool by_view;               /* filters of the view, not of its reader */
	bool by_costs;              /* count code, too */
	const char *sort;           /* several keys; NULL: dso,sym */
	struct pfx_table_keys keys; /* the same */
};

struct line {
	char *text; /* of event and row */
	uint64_t self, children, samples;
};

struct lines {
	PFX_VEC(struct line) at;
};

static void add_line(struct lines *lines, char *text, uint64_t self, uint64_t children,
		     uint64_t samples)
{
	pfx_vec_push(&lines->at, ((struct line){text, self, children, samples}));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

/* Sort, and merge lines that look equal. */
static void settle(struct lines *lines)
{
	size_t i, nr = 0;

	if (lines->at.nr)
		qsort(lines->at.at, lines->at.nr, sizeof(*lines->at.at), by_text);
	for (i = 0; i < lines->at.nr; i++) {
		if (nr && !strcmp(lines->at.at[nr - 1].text, lines->at.at[i].text)) {
			lines->at.at[nr - 1].self += lines->at.at[i].self;
			lines->at.at[nr - 1].children += lines->at.at[i].children;
			lines->at.at[nr - 1].samples += lines->at.at[i].samples;
			free(lines->at.at[i].text);
			continue;
		}
		lines->at.at[nr++] = lines->at.at[i];
	}
	lines->at.nr = nr;
}

static void lines_fini(struct lines *lines)
{
	size_t i;

	for (i = 0; i < lines->at.nr; i++)
		free(lines->at.at[i].text);
	pfx_vec_free(&lines->at);
}

/* An inlined function is one wherever it is inlined. */
static char *text_of(uint32_t event, const char *dso, const char *name, uint64_t start,
		     bool inlined)
{
	if (inlined)
		return pfx_strfmt("%" PRIu32 " inlined %s", event, name);
	return pfx_strfmt("%" PRIu32 " %s %s %" PRIx64, event, dso ? dso : "?", name, start);
}

/* --- by lib/hist --- */

static int no_step(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	return 0;
}

static bool has_chains(const struct pfx_meta *meta)
{
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (meta->events[i]->attr.sample_type & PFX_SAMPLE_CALLCHAIN)
			return true;
	return false;
}

/* The keys of a row, and what they are. */
static char *keys_of_row(const struct pfx_hists *hists, const struct pfx_hist *hist,
			 const struct pfx_row *row)
{
	const struct pfx_columns *columns = pfx_hists_options(hists)->columns;
	const struct pfx_symbol *sym = row->place->sym;
	const struct pfx_key_text how = {.hists = hists};
	struct pfx_str text = {0};
	size_t i;

	pfx_str_addf(&text, "%" PRIu32, hist->event->idx);
	for (i = 0; i < columns->shown.nr; i++) {
		if (pfx_key_is_value(columns->shown.at[i].key))
			continue;
		pfx_str_add(&text, " | ");
		if (columns->shown.at[i].key == PFX_KEY_SYM)
			pfx_str_add(&text, sym ? sym->name : "(no symbol)");
		else if (columns->shown.at[i].key == PFX_KEY_PID) /* its threads may have names */
			pfx_str_addf(&text, "%d", (int)row->thread->tid);
		else
			pfx_key_text(&how, row, &columns->shown.at[i], 0, &text);
	}
	return text.at;
}

static void add_row(const struct pfx_hists *hists, const struct pfx_hist *hist,
		    const struct pfx_row *row, const struct wish *wish, struct lines *lines)
{
	bool children = pfx_hists_options(hists)->children;
	const struct pfx_symbol *sym = row->place->sym;
	const char *dso = row->place->dso ? row->place->dso->short_name : NULL;
	char address[32];

	snprintf(address, sizeof(address), "0x%" PRIx64, row->shown);
	add_line(lines,
		 wish->sort ? keys_of_row(hists, hist, row)
			    : text_of(hist->event->idx, dso, sym ? sym->name : address,
				      sym ? sym->start : row->shown, sym && sym->is_inlined),
		 row->stat->period, children ? row->stat->children : row->stat->period,
		 row->stat->count);
}

static void filter_init(struct pfx_filter *filter, const struct wish *wish)
{
	memset(filter, 0, sizeof(*filter));
	if (wish->comms)
		assert_int_equal(pfx_names_parse(&filter->comms, wish->comms, NULL), 0);
	if (wish->dsos)
		assert_int_equal(pfx_names_parse(&filter->dsos, wish->dsos, NULL), 0);
	if (wish->cpus)
		assert_true(pfx_list_parse(wish->cpus, &filter->cpus));
	filter->cpus_given = wish->cpus != NULL;
}

static int times_init(struct pfx_time_ranges *times, const struct wish *wish,
		      const struct pfx_meta *meta)
{
	memset(times, 0, sizeof(*times));
	return wish->times ? pfx_time_ranges_parse(times, wish->times, meta->env.first_sample_ns,
						   meta->env.last_sample_ns, NULL)
			   : 0;
}

static struct pfx_recording *open_at(const char *path)
{
	static const struct pfx_resolve_options resolving = {.inlines = true, .keep_root = true};
	struct pfx_recording *recording;

	if (pfx_recording_open(&recording, path, NULL, NULL) < 0)
		return NULL;
	if (!pfx_recording_session(recording) || !pfx_recording_meta(recording)->nr_events) {
		pfx_recording_free(recording);
		return NULL;
	}
	pfx_recording_resolve(recording, &resolving);
	return recording;
}

static void count_rows(const struct pfx_hists *hists, const struct wish *wish, struct lines *lines)
{
	const struct pfx_hist *hist;
	uint32_t i, k;

	for (i = 0; i < pfx_hists_nr(hists); i++) {
		hist = pfx_hists_at(hists, i);
		for (k = 0; k < hist->nr_rows; k++)
			add_row(hists, hist, hist->rows[k], wish, lines);
	}
}

static void by_hists(struct pfx_recording *recording, const struct wish *wish, struct lines *lines)
{
	const struct pfx_meta *meta = pfx_recording_meta(recording);
	struct pfx_columns_request request = {
		.sort = wish->sort ? wish->sort : "dso,sym",
		.children = has_chains(meta),
	};
	struct pfx_callgraph graph = pfx_callgraph_default;
	struct pfx_record_counts counts = {0};
	struct pfx_event_switch off = {0};
	struct pfx_columns columns = {0};
	struct pfx_time_ranges times;
	struct pfx_filter filter;
	struct pfx_hist_options options = {
		.meta = meta,
		.session = pfx_recording_session(recording),
		.resolver = pfx_recording_resolver(recording),
		.columns = &columns,
		.filter = &filter,
		.graph = &graph,
		.guest = true,
		.chains = true,
		.children = request.children,
	};
	struct pfx_hists_reading reading = {
		.recording = recording,
		.batch = true,
		.filter = &filter,
		.times = &times,
		.event_switch = &off,
		.counts = &counts,
		.step = no_step,
	};

	graph.caller = request.children;
	filter_init(&filter, wish);
	times_init(&times, wish, meta);
	assert_int_equal(pfx_columns_build(&columns, &request, NULL), 0);
	reading.hists = pfx_hists_new(&options);
	if (pfx_hists_read(&reading, NULL) >= 0) {
		pfx_hists_finish(reading.hists);
		count_rows(reading.hists, wish, lines);
	}
	pfx_hists_free(reading.hists);
	pfx_columns_fini(&columns);
	pfx_record_counts_fini(&counts);
	pfx_time_ranges_fini(&times);
	pfx_filter_fini(&filter);
	settle(lines);
}

/* --- by lib/view --- */

static void add_function(const struct pfx_selection *selection, const struct pfx_table_row *row,
			 struct lines *lines)
{
	const struct pfx_profile *profile = selection->profile;
	const struct pfx_profile_function *function = &profile->functions[row->id];
	const char *dso =
		function->dso == PFX_NO_ID ? NULL : profile->dsos[function->dso].short_name;
	const struct pfx_table_value *value;
	uint32_t i;

	for (i = 0; i < selection->nr_events; i++) {
		value = &row->values[i];
		if (value->self || value->total || value->samples)
			add_line(lines,
				 text_of(selection->events[i], dso, function->name, function->start,
					 function->is_inlined),
				 value->self, value->total, value->samples);
	}
}

/* As keys_of_row(). */
static void add_key(const struct pfx_profile *profile, enum pfx_table_key key, uint32_t id,
		    struct pfx_str *to)
{
	const struct pfx_profile_frame *frame = &profile->frames[id];
	const struct pfx_profile_function *function = &profile->functions[id];

	switch (key) {
	case PFX_TABLE_BY_COMM:
		pfx_str_add_foreign(to, profile->comms[id]);
		break;
	case PFX_TABLE_BY_THREAD:
		pfx_str_addf(to, "%d", (int)profile->threads[id].tid);
		break;
	case PFX_TABLE_BY_CPU:
		pfx_str_addf(to, "%3.3d", (int)profile->cpus[id]);
		break;
	case PFX_TABLE_BY_SOCKET:
		pfx_str_addf(to, "%.3d", (int)id);
		break;
	case PFX_TABLE_BY_DSO:
		pfx_str_add_foreign(to,
				    id == PFX_NO_ID ? "[unknown]" : profile->dsos[id].short_name);
		break;
	case PFX_TABLE_BY_FUNCTION:
		pfx_str_add(to,
			    strncmp(function->name, "0x", 2) != 0 ? function->name : "(no symbol)");
		break;
	case PFX_TABLE_BY_FILE:
		if (id != PFX_NO_ID)
			pfx_str_add_foreign(to, strrchr(frame->file, '/')
							? strrchr(frame->file, '/') + 1
							: frame->file);
		break;
	default:
		fail_msg("no text for key %d", key);
	}
}

static void add_keyed(const struct pfx_selection *selection, const struct pfx_table *table,
		      const struct pfx_table_row *row, struct lines *lines)
{
	const struct pfx_table_value *value;
	struct pfx_str text = {0};
	unsigned k;
	uint32_t i;

	for (i = 0; i < selection->nr_events; i++) {
		value = &row->values[i];
		if (!value->self && !value->total && !value->samples)
			continue;
		pfx_str_clear(&text);
		pfx_str_addf(&text, "%" PRIu32, selection->events[i]);
		for (k = 0; k < table->keys.nr; k++) {
			pfx_str_add(&text, " | ");
			add_key(selection->profile, table->keys.at[k],
				pfx_table_id(table, row->id, k), &text);
		}
		add_line(lines, pfx_strdup(text.at), value->self, value->total, value->samples);
	}
	pfx_str_fini(&text);
}

/* The samples that a row stands for are those that it counts. */
static void check_narrow(const struct pfx_selection *selection, const struct pfx_table *table)
{
	struct pfx_view_filter filter;
	struct pfx_selection own;
	uint64_t total = 0;
	uint32_t i;

	for (i = 0; i < table->keys.nr; i++)
		if (pfx_table_key_is_code(table->keys.at[i]))
			return;
	for (i = 0; i < table->nr_rows && selection->nr_events; i++) {
		pfx_view_filter_init(&filter, selection->profile);
		pfx_table_narrow(table, table->rows[i].id, &filter);
		assert_int_equal(pfx_selection_make(&own, &filter, NULL), 0);
		assert_int_equal(own.total_samples[0], table->rows[i].values[0].samples);
		total += own.total_samples[0];
		pfx_selection_fini(&own);
		pfx_view_filter_fini(&filter);
	}
	assert_true(!selection->nr_events || total == selection->total_samples[0]);
}

static void count_keyed(const struct pfx_selection *selection, const struct wish *wish,
			const struct pfx_meta *meta, struct lines *lines)
{
	struct pfx_table table;
	uint32_t i;

	pfx_table_make_by_keys(&table, selection, &wish->keys, meta);
	for (i = 0; i < table.nr_rows; i++)
		add_keyed(selection, &table, &table.rows[i], lines);
	if (!wish->dsos)
		check_narrow(selection, &table);
	pfx_table_fini(&table);
}

static void add_names(struct pfx_view_filter *filter, enum pfx_view_by by, const char *words)
{
	char *copy = pfx_strdup(words), *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		pfx_view_filter_add_name(filter, by, word);
	free(copy);
}

static void view_filter_init(struct pfx_view_filter *filter, const struct pfx_profile *profile,
			     const struct wish *wish, const struct pfx_meta *meta)
{
	pfx_view_filter_init(filter, profile);
	if (wish->dsos)
		add_names(filter, PFX_VIEW_DSO, wish->dsos);
	if (!wish->by_view)
		return;
	if (wish->comms)
		add_names(filter, PFX_VIEW_COMM, wish->comms);
	if (wish->cpus)
		add_names(filter, PFX_VIEW_CPU, wish->cpus);
	times_init(&filter->times, wish, meta);
}

static uint64_t nr_codes;

/* All samples are in a tree once: where they end, and inverted, where they begin. */
static void check_trees(const struct pfx_selection *selection)
{
	struct pfx_view_tree_options options = {.function = PFX_NO_ID};
	struct pfx_view_tree tree;
	uint64_t sum;
	uint32_t i;

	for (; options.column < selection->nr_events; options.column += !options.inverted) {
		pfx_view_tree_make(&tree, selection, &options);
		for (sum = 0, i = 0; i < tree.nr_nodes; i++)
			sum += tree.nodes[i].self;
		assert_int_equal(sum, tree.nodes[0].total);
		assert_int_equal(sum, selection->total_period[options.column]);
		pfx_view_tree_fini(&tree);
		options.inverted = !options.inverted;
	}
}

/* The code of a function has the samples of its row. */
static void check_code(const struct pfx_selection *selection, struct pfx_costs *costs)
{
	const struct pfx_profile *profile = selection->profile;
	const struct pfx_code_function *functions, *code;
	struct pfx_table table;
	uint32_t i, k, nr;

	nr = pfx_costs_functions(costs, profile->nr_events, &functions);
	pfx_table_make(&table, selection, PFX_VIEW_FUNCTION);
	for (i = 0; i < table.nr_rows; i++) {
		code = pfx_view_code(profile, table.rows[i].id, functions, nr);
		for (k = 0; code && k < selection->nr_events; k++) {
			assert_true(pfx_cost_of(&code->costs, selection->events[k]).period <=
				    table.rows[i].values[k].self);
			nr_codes++;
		}
	}
	pfx_table_fini(&table);
}

static void count_functions(const struct pfx_profile *profile, const struct wish *wish,
			    const struct pfx_meta *meta, struct pfx_costs *costs,
			    struct lines *lines)
{
	struct pfx_view_filter filter;
	struct pfx_selection selection;
	struct pfx_table table;
	uint32_t i;

	view_filter_init(&filter, profile, wish, meta);
	assert_int_equal(pfx_selection_make(&selection, &filter, NULL), 0);
	pfx_table_make(&table, &selection, PFX_VIEW_FUNCTION);
	for (i = 0; i < table.nr_rows && !wish->sort; i++)
		add_function(&selection, &table.rows[i], lines);
	if (wish->sort)
		count_keyed(&selection, wish, meta, lines);
	pfx_table_fini(&table);
	check_trees(&selection);
	if (costs)
		check_code(&selection, costs);
	pfx_selection_fini(&selection);
	pfx_view_filter_fini(&filter);
}

static void by_view(struct pfx_recording *recording, const struct wish *wish, struct lines *lines)
{
	const struct pfx_meta *meta = pfx_recording_meta(recording);
	struct pfx_profile_reading reading = {
		.recording = recording,
		.keep_times = wish->times && wish->by_view,
		.frames_by = pfx_table_keys_find(&wish->keys, PFX_TABLE_BY_FILE, NULL)
				     ? PFX_FRAMES_BY_LINE
				     : PFX_FRAMES_BY_FUNCTION,
	};
	struct wish reader = *wish;
	struct pfx_profile *profile;
	struct pfx_time_ranges times;
	struct pfx_filter filter;

	if (wish->by_costs)
		reading.costs = pfx_costs_new(pfx_recording_resolver(recording));
	reader.dsos = NULL;
	if (wish->by_view)
		reader = (struct wish){0};
	filter_init(&filter, &reader);
	times_init(&times, &reader, meta);
	reading.filter = &filter;
	reading.times = &times;
	if (pfx_profile_read(&reading, &profile, NULL) >= 0) {
		count_functions(profile, wish, meta, reading.costs, lines);
		pfx_profile_free(profile);
	}
	pfx_costs_free(reading.costs);
	pfx_time_ranges_fini(&times);
	pfx_filter_fini(&filter);
	settle(lines);
}

/* --- comparison --- */

static void print_line(const char *name, const char *by, const struct line *line)
{
	print_error("%s: %s: %s self %" PRIu64 " children %" PRIu64 " samples %" PRIu64 "\n", name,
		    by, line->text, line->self, line->children, line->samples);
}

static unsigned compare(const char *name, struct lines *hist, struct lines *view)
{
	size_t i = 0, k = 0;
	const struct line *a, *b;
	unsigned wrong = 0;
	int rc;

	while (i < hist->at.nr || k < view->at.nr) {
		a = &hist->at.at[i];
		b = &view->at.at[k];
		rc = i == hist->at.nr ? 1 : k == view->at.nr ? -1 : strcmp(a->text, b->text);
		if (!rc) {
			wrong += a->self != b->self || a->children != b->children ||
				 a->samples != b->samples;
			if (a->self != b->self || a->children != b->children ||
			    a->samples != b->samples) {
				print_line(name, "hist", a);
				print_line(name, "view", b);
			}
			i++;
			k++;
		} else if (rc < 0) {
			if (a->self || a->children || a->samples) {
				print_line(name, "hist only", a);
				wrong++;
			}
			i++;
		} else {
			print_line(name, "view only", b);
			wrong++;
			k++;
		}
	}
	return wrong;
}

static uint64_t nr_compared;

/* Whether the recording says when it began and ended, if that matters. */
static bool can_have(struct pfx_recording *recording, const struct wish *wish)
{
	struct pfx_time_ranges times;
	int rc = times_init(&times, wish, pfx_recording_meta(recording));

	pfx_time_ranges_fini(&times);
	return !rc;
}

static unsigned check(const char *name, const char *path, const struct wish *wish)
{
	struct pfx_recording *recording = open_at(path);
	struct lines hist = {0}, view = {0};
	unsigned wrong;

	if (!recording || !can_have(recording, wish)) {
		pfx_recording_free(recording);
		return 0;
	}
	by_hists(recording, wish, &hist);
	pfx_recording_free(recording);
	recording = open_at(path);
	by_view(recording, wish, &view);
	pfx_recording_free(recording);
	wrong = compare(name, &hist, &view);
	nr_compared += hist.at.nr;
	lines_fini(&hist);
	lines_fini(&view);
	return wrong;
}

static unsigned check_all(const char *name, const char *path)
{
	static const struct wish wishes[] = {
		{0},
		{.by_costs = true},
		{.cpus = "0"},
		{.cpus = "1", .by_view = true},
		{.dsos = "[kernel.kallsyms],chain"},
		{.comms = "perf,swapper,chain,sh"},
		{.comms = "perf,swapper,chain,sh", .by_view = true},
		{.times = "20%-60%"},
		{.times = "20%-60%", .by_view = true},
		{.sort = "comm,dso,sym",
		 .keys = {{PFX_TABLE_BY_COMM, PFX_TABLE_BY_DSO, PFX_TABLE_BY_FUNCTION}, 3}},
#ifndef PFX_SANITIZED
		{.sort = "sym,comm", .keys = {{PFX_TABLE_BY_FUNCTION, PFX_TABLE_BY_COMM}, 2}},
		{.sort = "pid,dso", .keys = {{PFX_TABLE_BY_THREAD, PFX_TABLE_BY_DSO}, 2}},
		{.sort = "cpu,comm,socket",
		 .keys = {{PFX_TABLE_BY_CPU, PFX_TABLE_BY_COMM, PFX_TABLE_BY_SOCKET}, 3}},
		{.sort = "srcfile,comm", .keys = {{PFX_TABLE_BY_FILE, PFX_TABLE_BY_COMM}, 2}},
#endif
	};
	unsigned wrong = 0;
	size_t i;

	for (i = 0; i < sizeof(wishes) / sizeof(*wishes); i++)
		wrong += check(name, path, &wishes[i]);
	return wrong;
}

static void ends_with_txt(const char *folder, const char *file, void *context)
{
	char *path = pfx_strfmt("%s/%s", folder, file), *text = NULL, at[64];
	struct pfx_buffer built = {0};
	unsigned *wrong = context;
	int fd;

	if (!strstr(file, ".txt") || strstr(file, "CMake") ||
	    pfx_read_file(path, 16u << 20, &text, NULL, NULL) < 0 ||
	    pfx_kit_build(text, &(struct pfx_kit_options){0}, &built, NULL) < 0)
		goto out;
	fd = memfd_create("view", 0);
	assert_true(fd >= 0);
	assert_int_equal(pfx_write_full(fd, built.at, built.len), 0);
	snprintf(at, sizeof(at), "/proc/self/fd/%d", fd);
	*wrong += check_all(file, at);
	close(fd);
out:
	pfx_buffer_fini(&built);
	free(text);
	free(path);
}

static void plain_file(const char *folder, const char *file, void *context)
{
	char *path = pfx_strfmt("%s/%s", folder, file);
	unsigned *wrong = context;

	*wrong += check_all(file, path);
	free(path);
}

static void each_file(const char *folder,
		      void (*take)(const char *folder, const char *file, void *context),
		      void *context)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (*entry->d_name != '.')
			take(folder, entry->d_name, context);
	closedir(dir);
}

static void test_golden(void **state)
{
	unsigned wrong = 0;

	each_file(PFX_SOURCE_DIR "/tests/golden", ends_with_txt, &wrong);
	assert_int_equal(wrong, 0);
	assert_true(nr_compared > 400);
}

static void check_corpus(const char *folder)
{
	const char *corpus = getenv("PFX_CORPUS");
	char *path =
		pfx_strfmt("%s/%s", corpus ? corpus : PFX_SOURCE_DIR "/../shared/corpus", folder);
	unsigned wrong = 0;

	if (access(path, R_OK)) {
		free(path);
		skip();
	}
	each_file(path, plain_file, &wrong);
	assert_true(nr_codes > 0);
	free(path);
	assert_int_equal(wrong, 0);
}

static void test_public(void **state)
{
	check_corpus("public");
}

static void test_recorded(void **state)
{
	check_corpus("recorded");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_public),
		cmocka_unit_test(test_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
