/* SPDX-License-Identifier: MIT */
/*
 * How long a change of a filter takes for each view: a million samples with 120,000 distinct call
 * chains of 40 functions (1.2 million nodes), 3,000 functions, 16 threads, 8 CPUs. Prints a line
 * "NAME MILLISECONDS" for each filter and view, of making the selection and the view;
 * tests/bench/run shows the slowest. With a file: the seconds that reading it as a profile takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "tests/bench/bench_profile.h"
#include "view/read_profile.h"
#include "view/table.h"
#include "view/timeline.h"
#include "view/view_tree.h"

#define NR_THREADS 16
#define ROUNDS     3 /* the fastest counts */

/* Of CPU time: other programs do not matter. */
static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- views --- */

static void functions(const struct pfx_selection *selection)
{
	struct pfx_table table;

	pfx_table_make(&table, selection, PFX_VIEW_FUNCTION);
	pfx_table_sort(&table, selection->profile, PFX_TABLE_TOTAL, 0);
	pfx_table_fini(&table);
}

static void threads(const struct pfx_selection *selection)
{
	struct pfx_table table;

	pfx_table_make(&table, selection, PFX_VIEW_THREAD);
	pfx_table_fini(&table);
}

static void make_tree(const struct pfx_selection *selection,
		      const struct pfx_view_tree_options *options)
{
	struct pfx_view_tree tree;

	pfx_view_tree_make(&tree, selection, options);
	pfx_view_tree_fini(&tree);
}

/* What a screen or a page can show: 0.05 % is one pixel of 2,000. */
#define PIXEL 0.0005

static void flame(const struct pfx_selection *selection)
{
	make_tree(selection, &(struct pfx_view_tree_options){.function = PFX_NO_ID,
							     .order = PFX_TREE_BY_NAME,
							     .min_share = PIXEL});
}

static void flame_by_thread(const struct pfx_selection *selection)
{
	make_tree(selection, &(struct pfx_view_tree_options){.function = PFX_NO_ID,
							     .order = PFX_TREE_BY_NAME,
							     .grouped = true,
							     .groups = PFX_VIEW_THREAD,
							     .min_share = PIXEL});
}

static void callers(const struct pfx_selection *selection)
{
	make_tree(selection, &(struct pfx_view_tree_options){
				     .function = PFX_NO_ID, .inverted = true, .min_share = PIXEL});
}

static void sandwich(const struct pfx_selection *selection)
{
	struct pfx_view_tree_options options = {.function = 7};
	struct pfx_sandwich both;

	pfx_sandwich_make(&both, selection, &options);
	pfx_sandwich_fini(&both);
}

static void timeline(const struct pfx_selection *selection)
{
	struct pfx_timeline_options options = {.lanes = PFX_VIEW_THREAD, .nr_cells = 2000};
	struct pfx_timeline cells;

	pfx_timeline_make(&cells, selection, &options, NULL);
	pfx_timeline_fini(&cells);
}

static const struct {
	const char *name;
	void (*make)(const struct pfx_selection *selection);
} views[] = {
	{"functions", functions}, {"threads", threads},
	{"flame", flame},         {"flame-by-thread", flame_by_thread},
	{"callers", callers},     {"sandwich", sandwich},
	{"timeline", timeline},
};

/* --- filters --- */

static void no_filter(struct pfx_view_filter *filter)
{
}

static void some_threads(struct pfx_view_filter *filter)
{
	uint32_t i;

	for (i = 0; i < NR_THREADS; i += 2)
		pfx_view_filter_add(filter, PFX_VIEW_THREAD, i);
}

static void some_time(struct pfx_view_filter *filter)
{
	pfx_vec_push(&filter->times.at,
		     ((struct pfx_time_range){100000ull * 1000, 900000ull * 1000}));
}

static void focus(struct pfx_view_filter *filter)
{
	pfx_view_filter_pattern(filter, PFX_VIEW_FOCUS, "module_1[0-9]::.*int", NULL);
}

static void hide(struct pfx_view_filter *filter)
{
	pfx_view_filter_pattern(filter, PFX_VIEW_HIDE, "function_[1-9]*0\\(", NULL);
}

static void show(struct pfx_view_filter *filter)
{
	pfx_view_filter_pattern(filter, PFX_VIEW_SHOW, "module_[1-3]", NULL);
}

static const struct {
	const char *name;
	void (*set)(struct pfx_view_filter *filter);
} filters[] = {
	{"none", no_filter}, {"threads", some_threads},
	{"time", some_time}, {"focus", focus},
	{"hide", hide},      {"show", show},
};

static double measure(const struct pfx_profile *profile, size_t f, size_t v)
{
	struct pfx_view_filter filter;
	struct pfx_selection selection;
	double start = seconds();

	pfx_view_filter_init(&filter, profile);
	filters[f].set(&filter);
	if (pfx_selection_make(&selection, &filter, NULL))
		abort();
	views[v].make(&selection);
	start = seconds() - start;
	pfx_selection_fini(&selection);
	pfx_view_filter_fini(&filter);
	return start * 1000;
}

static int measure_views(void)
{
	struct pfx_profile *profile = bench_profile(NR_THREADS);
	double best, now;
	size_t f, v;
	int i;

	for (f = 0; f < sizeof(filters) / sizeof(*filters); f++)
		for (v = 0; v < sizeof(views) / sizeof(*views); v++) {
			for (best = 1e9, i = 0; i < ROUNDS; i++) {
				now = measure(profile, f, v);
				best = now < best ? now : best;
			}
			printf("%s/%s %.1f\n", filters[f].name, views[v].name, best);
		}
	pfx_profile_free(profile);
	return 0;
}

static int measure_reading(const char *path)
{
	struct pfx_resolve_options resolving = {.inlines = true, .keep_root = true};
	struct pfx_profile_reading reading = {0};
	struct pfx_profile *profile;
	struct pfx_error err = {0};
	double start = seconds();

	if (pfx_recording_open(&reading.recording, path, NULL, &err) < 0)
		goto fail;
	pfx_recording_resolve(reading.recording, &resolving);
	if (pfx_profile_read(&reading, &profile, &err) < 0)
		goto fail;
	pfx_recording_free(reading.recording);
	pfx_profile_free(profile);
	printf("%.3f\n", seconds() - start);
	return 0;
fail:
	fprintf(stderr, "bench_views: %s\n", err.text);
	return 1;
}

int main(int argc, char **argv)
{
	return argc > 1 ? measure_reading(argv[1]) : measure_views();
}
