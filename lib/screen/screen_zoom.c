/* SPDX-License-Identifier: MIT */
/*
 * Actions that all views of a profile share: zooming into what the row with the cursor belongs to,
 * choosing events, and going to other views. Where a row has several threads, a menu asks which.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "screen/screen_internal.h"

#define CHOICES_MAX 200 /* threads, CPUs and so on in a menu */

/* --- zooming --- */

static void zoom_by_name(struct pfx_screen *s, enum pfx_view_by by, const char *name)
{
	struct pfx_zoom zoom = {.kind = PFX_ZOOM_BY, .by = by};

	zoom.name = pfx_screen_intern(s, name);
	pfx_screen_zoom(s, &zoom);
}

static void choose_name(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	zoom_by_name(s, entry->by, entry->name);
}

static bool is_zoomed(struct pfx_screen *s, enum pfx_view_by by, enum pfx_zoom_kind kind)
{
	unsigned i;

	for (i = 0; i < s->place.nr_zooms; i++)
		if (s->place.zooms[i].kind == kind &&
		    (kind != PFX_ZOOM_BY || s->place.zooms[i].by == by))
			return true;
	return false;
}

/* As in perf, the key that zoomed in zooms out. */
static bool zoom_out(struct pfx_screen *s, enum pfx_view_by by, enum pfx_zoom_kind kind)
{
	struct pfx_zoom zoom;
	unsigned i;

	if (!is_zoomed(s, by, kind))
		return false;
	for (i = 0; i < s->place.nr_zooms; i++) {
		zoom = s->place.zooms[i];
		if (zoom.kind == kind && (kind != PFX_ZOOM_BY || zoom.by == by))
			break;
	}
	pfx_screen_zoom(s, &zoom);
	return true;
}

/* The selection, or the part of it with the row's function in the stack. */
static bool narrow(struct pfx_screen *s, struct pfx_selection *ret)
{
	uint32_t function = pfx_screen_row_function(s);
	struct pfx_view_filter *filter = &s->filter;
	struct pfx_view_set set = filter->sets[PFX_VIEW_FUNCTION];
	bool ok;

	pfx_screen_select(s);
	if (function == PFX_NO_ID)
		return false;
	/* The set is borrowed for one selection. */
	filter->sets[PFX_VIEW_FUNCTION] = (struct pfx_view_set){0};
	pfx_view_filter_add(filter, PFX_VIEW_FUNCTION, function);
	ok = !pfx_selection_make(ret, filter, NULL);
	free(filter->sets[PFX_VIEW_FUNCTION].has);
	filter->sets[PFX_VIEW_FUNCTION] = set;
	return ok;
}

static void add_choice(struct pfx_screen *s, enum pfx_view_by by, const struct pfx_table_row *row,
		       uint64_t total)
{
	struct pfx_str name = {0}, label = {0};

	pfx_screen_add_id(s, by, row->id, &name);
	pfx_str_addf(&label, "%6.2f%%  ",
		     pfx_screen_percent(row->values[pfx_screen_column(s)].samples, total));
	pfx_str_add(&label, pfx_str_get(&name));
	pfx_menu_add(s, pfx_str_get(&label), choose_name);
	pfx_menu_last(s)->by = by;
	pfx_menu_last(s)->name = pfx_screen_intern(s, pfx_str_get(&name));
	pfx_str_fini(&name);
	pfx_str_fini(&label);
}

/* A menu of threads and so on, the heaviest first. */
static void ask_which(struct pfx_screen *s, enum pfx_view_by by)
{
	static const char *const titles[PFX_VIEW_NR_BYS] = {
		[PFX_VIEW_DSO] = "Which library?",
		[PFX_VIEW_THREAD] = "Which thread?",
		[PFX_VIEW_PROCESS] = "Which process?",
		[PFX_VIEW_CPU] = "Which CPU?",
	};
	const struct pfx_selection *of = pfx_screen_select_code(s);
	struct pfx_selection own = {0};
	uint64_t total;
	struct pfx_table table;
	uint32_t i;

	if (narrow(s, &own) && own.nr_rows)
		of = &own;
	total = of->nr_events ? of->total_samples[pfx_screen_column(s)] : 0;
	pfx_table_make(&table, of, by);
	if (of->nr_events)
		pfx_table_sort(&table, s->profile, PFX_TABLE_SAMPLES, pfx_screen_column(s));
	pfx_menu_open(s, titles[by]);
	for (i = 0; i < table.nr_rows && i < CHOICES_MAX && of->nr_events; i++)
		if (table.rows[i].values[pfx_screen_column(s)].samples)
			add_choice(s, by, &table.rows[i], total);
	pfx_table_fini(&table);
	pfx_selection_fini(&own);
	pfx_menu_ask(s, "there are no samples");
}

/* Both keys are about libraries. */
static bool zoom_out_of_code(struct pfx_screen *s)
{
	return zoom_out(s, PFX_VIEW_DSO, PFX_ZOOM_BY) || zoom_out(s, 0, PFX_ZOOM_KERNEL);
}

/* False: the row has several, or none. */
static bool dso_of_row(struct pfx_screen *s, uint32_t *ret)
{
	uint32_t function = pfx_screen_row_function(s);

	if (pfx_screen_row_id(s, pfx_screen_row(s), PFX_VIEW_DSO, ret))
		return true;
	if (function == PFX_NO_ID)
		return false;
	*ret = s->profile->functions[function].dso;
	return true;
}

static void zoom_dso(struct pfx_screen *s)
{
	struct pfx_str name = {0};
	uint32_t dso;

	if (zoom_out_of_code(s))
		return;
	if (!dso_of_row(s, &dso)) {
		ask_which(s, PFX_VIEW_DSO);
		return;
	}
	if (dso >= s->profile->nr_dsos) {
		pfx_screen_say(s, "the library of this row is not known");
		return;
	}
	pfx_screen_add_id(s, PFX_VIEW_DSO, dso, &name);
	zoom_by_name(s, PFX_VIEW_DSO, pfx_str_get(&name));
	pfx_str_fini(&name);
}

static void zoom_which(struct pfx_screen *s, enum pfx_view_by by)
{
	struct pfx_str name = {0};
	uint32_t id;

	if (zoom_out(s, by, PFX_ZOOM_BY))
		return;
	if (!pfx_screen_row_id(s, pfx_screen_row(s), by, &id)) {
		ask_which(s, by);
		return;
	}
	pfx_screen_add_id(s, by, id, &name);
	zoom_by_name(s, by, pfx_str_get(&name));
	pfx_str_fini(&name);
}

static void choose_socket(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	pfx_screen_zoom(
		s, &(struct pfx_zoom){.kind = PFX_ZOOM_SOCKET, .number = (uint32_t)entry->number});
}

static void zoom_socket(struct pfx_screen *s)
{
	const struct pfx_meta *meta = s->options.meta;
	const struct pfx_env_topology *topology = meta ? &meta->env.topology : NULL;
	struct pfx_hash seen = {0};
	char label[32];
	uint32_t i;
	bool is_new;

	if (zoom_out(s, 0, PFX_ZOOM_SOCKET))
		return;
	pfx_menu_open(s, "Which socket?");
	for (i = 0; topology && i < topology->nr_cpus; i++) {
		pfx_hash_add(&seen, topology->cpus[i].socket_id, &is_new);
		if (!is_new || s->menu.entries.nr >= CHOICES_MAX)
			continue;
		snprintf(label, sizeof(label), "socket %d", (int)topology->cpus[i].socket_id);
		pfx_menu_add(s, label, choose_socket);
		pfx_menu_last(s)->number = topology->cpus[i].socket_id;
	}
	pfx_hash_fini(&seen);
	pfx_menu_ask(s, "the recording does not say which CPUs share a socket");
}

static void zoom_through(struct pfx_screen *s)
{
	uint32_t function = pfx_screen_row_function(s);

	if (zoom_out(s, 0, PFX_ZOOM_THROUGH))
		return;
	if (function == PFX_NO_ID)
		pfx_screen_say(s, "this row is not a function");
	else
		pfx_screen_zoom(
			s, &(struct pfx_zoom){.kind = PFX_ZOOM_THROUGH,
					      .name = pfx_screen_intern(
						      s, s->profile->functions[function].name)});
}

bool pfx_screen_act_zoom(struct pfx_screen *s, enum pfx_screen_action action)
{
	switch (action) {
	case PFX_ACT_ZOOM_DSO:
		zoom_dso(s);
		return true;
	case PFX_ACT_ZOOM_THREAD:
		zoom_which(s, PFX_VIEW_THREAD);
		return true;
	case PFX_ACT_ZOOM_PROCESS:
		zoom_which(s, PFX_VIEW_PROCESS);
		return true;
	case PFX_ACT_ZOOM_CPU:
		zoom_which(s, PFX_VIEW_CPU);
		return true;
	case PFX_ACT_ZOOM_KERNEL:
		if (!zoom_out_of_code(s))
			pfx_screen_zoom(s, &(struct pfx_zoom){.kind = PFX_ZOOM_KERNEL});
		return true;
	case PFX_ACT_ZOOM_SOCKET:
		zoom_socket(s);
		return true;
	case PFX_ACT_ZOOM_THROUGH:
		zoom_through(s);
		return true;
	case PFX_ACT_ALL:
		pfx_screen_unzoom_all(s);
		return true;
	default:
		return false;
	}
}

/* --- other views --- */

/* False: there is none, and the screen says why. */
static bool read_code_pair(struct pfx_screen *s, uint32_t function)
{
	const struct pfx_screen_host *host = &s->options.host;
	struct pfx_error err = {0};
	struct pfx_str text = {0};

	if (host->code_pair(host->context, function, &text, &err) < 0) {
		pfx_screen_say(s, err.text);
		pfx_str_fini(&text);
		return false;
	}
	pfx_str_fini(&s->code_pair);
	s->code_pair = text;
	pfx_screen_stale(s);
	return true;
}

static void open_function_view(struct pfx_screen *s, enum pfx_screen_view view)
{
	uint32_t function = pfx_screen_row_function(s);

	if (s->place.view == PFX_SCREEN_CODE)
		function = pfx_screen_find_function(s, s->place.function);
	if (function == PFX_NO_ID) {
		pfx_screen_say(s, s->place.view == PFX_SCREEN_CODE ? "the function has no samples"
								   : "this row is not a function");
		return;
	}
	if (view == PFX_SCREEN_CODE && s->options.host.code_pair)
		view = PFX_SCREEN_PAIR;
	if (view == PFX_SCREEN_PAIR && !read_code_pair(s, function))
		return;
	if (view == PFX_SCREEN_CODE && !pfx_screen_open_code(s, s->function_keys[function]))
		return;
	pfx_screen_go_view(s, view);
	s->place.function = s->function_keys[function];
	if (view == PFX_SCREEN_CODE)
		pfx_screen_go_hottest(s);
}

/* The profile has times. False: it has not, and the screen says why. */
static bool need_times(struct pfx_screen *s)
{
	const struct pfx_screen_host *host = &s->options.host;
	struct pfx_error err = {0};

	if (!s->profile->row_time && host->times && host->times(host->context, &err) < 0)
		pfx_screen_say(s, err.text);
	else if (!s->profile->row_time)
		pfx_screen_say(s, "the samples have no times (record -T)");
	return s->profile->row_time != NULL;
}

bool pfx_screen_needs_times(const struct pfx_screen *s)
{
	unsigned i;

	for (i = 0; i < s->place.nr_zooms; i++)
		if (s->place.zooms[i].kind == PFX_ZOOM_TIME)
			return true;
	return s->place.view == PFX_SCREEN_TIMELINE;
}

bool pfx_screen_act_open(struct pfx_screen *s, enum pfx_screen_action action)
{
	switch (action) {
	case PFX_ACT_CODE:
		open_function_view(s, PFX_SCREEN_CODE);
		return true;
	case PFX_ACT_SANDWICH:
		open_function_view(s, PFX_SCREEN_SANDWICH);
		return true;
	case PFX_ACT_TABLE:
		pfx_screen_go_view(s, PFX_SCREEN_TABLE);
		s->place.selected = s->place.function;
		return true;
	case PFX_ACT_FLAME:
		pfx_screen_go_view(s, PFX_SCREEN_FLAME);
		return true;
	case PFX_ACT_TIMELINE:
		if (pfx_screen_compares(s))
			pfx_screen_say(s, "two recordings have no common time");
		else if (need_times(s))
			pfx_screen_go_view(s, PFX_SCREEN_TIMELINE);
		return true;
	case PFX_ACT_HEADER:
		pfx_screen_go_view(s, PFX_SCREEN_HEADER);
		return true;
	case PFX_ACT_HELP:
		pfx_screen_go_view(s, PFX_SCREEN_HELP);
		return true;
	default:
		return false;
	}
}

/* --- samples of a row --- */

#define AROUND 1000000ull /* ns before and after a sample */

static void choose_sample(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	uint64_t at = entry->number;

	pfx_screen_zoom(s, &(struct pfx_zoom){.kind = PFX_ZOOM_TIME,
					      .start = at > AROUND ? at - AROUND : 0,
					      .end = at + AROUND});
}

/* A menu of the samples that the row keeps; what is around one can be looked at. */
static void open_samples(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);
	const struct pfx_kept_sample *kept;
	char label[96];
	uint32_t i;

	(void)entry;
	pfx_menu_open(s, "What is around a sample");
	for (i = 0; row && i < row->nr_kept && i < CHOICES_MAX; i++) {
		kept = &row->kept[i];
		snprintf(label, sizeof(label), "%5" PRIu64 ".%09" PRIu64 "  thread %d  CPU %d",
			 kept->time / 1000000000, kept->time % 1000000000, (int)kept->tid,
			 (int)kept->cpu);
		pfx_menu_add(s, label, choose_sample);
		pfx_menu_last(s)->number = kept->time;
	}
	pfx_menu_ready(s, "the row keeps no samples");
}

/* --- the menu of a row --- */

static void choose_action(struct pfx_screen *s, const struct pfx_menu_entry *entry)
{
	enum pfx_screen_action action = (enum pfx_screen_action)entry->number;

	if (!pfx_screen_act_zoom(s, action) && !pfx_screen_act_open(s, action))
		pfx_screen_act_output(s, action);
}

static void add_action(struct pfx_screen *s, enum pfx_screen_action action, const char *what,
		       const char *name)
{
	struct pfx_str label = {0};

	if (!pfx_screen_offers(s, action))
		return;
	pfx_str_add(&label, what);
	pfx_str_add(&label, name);
	pfx_menu_add(s, pfx_str_get(&label), choose_action);
	pfx_menu_last(s)->number = action;
	pfx_str_fini(&label);
}

static void add_dso_action(struct pfx_screen *s)
{
	struct pfx_str name = {0};
	uint32_t dso;

	if (is_zoomed(s, PFX_VIEW_DSO, PFX_ZOOM_BY)) {
		add_action(s, PFX_ACT_ZOOM_DSO, "Zoom out of library", "");
	} else if (dso_of_row(s, &dso) && dso < s->profile->nr_dsos) {
		pfx_screen_add_id(s, PFX_VIEW_DSO, dso, &name);
		add_action(s, PFX_ACT_ZOOM_DSO, "Zoom into library ", pfx_str_get(&name));
	}
	pfx_str_fini(&name);
}

void pfx_screen_open_menu(struct pfx_screen *s)
{
	uint32_t function = pfx_screen_row_function(s);
	const char *name;

	pfx_screen_select(s);
	pfx_menu_open(s, "What next?");
	if (function != PFX_NO_ID) {
		name = s->profile->functions[function].name;
		add_action(s, PFX_ACT_CODE, "Annotate ", name);
		add_action(s, PFX_ACT_SANDWICH, "Callers and callees of ", name);
		add_action(s, PFX_ACT_ZOOM_THROUGH,
			   is_zoomed(s, 0, PFX_ZOOM_THROUGH) ? "Zoom out of samples through "
							     : "Zoom into samples through ",
			   name);
	}
	add_dso_action(s);
	if (pfx_screen_row(s) && pfx_screen_row(s)->nr_kept)
		pfx_menu_add(s, "Samples of the row", open_samples);
	add_action(s, PFX_ACT_ZOOM_THREAD, "Zoom into a thread, or out", "");
	add_action(s, PFX_ACT_ZOOM_PROCESS, "Zoom into a process, or out", "");
	add_action(s, PFX_ACT_ZOOM_CPU, "Zoom into a CPU, or out", "");
	add_action(s, PFX_ACT_ZOOM_KERNEL, "Zoom into the kernel, or out", "");
	add_action(s, PFX_ACT_FLAME, "Flame graph", "");
	add_action(s, PFX_ACT_TIMELINE, "Timeline", "");
	add_action(s, PFX_ACT_HEADER, "Header of the recording", "");
	add_action(s, PFX_ACT_SCRIPTS, "Run a script with all samples", "");
	add_action(s, PFX_ACT_RECORDINGS, "Open another recording of this folder", "");
	pfx_menu_ready(s, NULL);
}
