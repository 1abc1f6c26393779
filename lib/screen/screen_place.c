/* SPDX-License-Identifier: MIT */
/*
 * Where the user is: filters by name, so that they hold for a newer profile, and the history of
 * places. Makes the selection of lib/view from them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "screen/screen_internal.h"

#define HISTORY_MAX 1000

/* --- what is made from the place --- */

void pfx_screen_stale(struct pfx_screen *s)
{
	s->has_rows = false;
	s->left.nr = 0;
}

void pfx_screen_begin_rows(struct pfx_screen *s)
{
	if (s->place.view == PFX_SCREEN_TABLE)
		s->place.selected = s->place.cursor = s->place.top = 0;
	pfx_screen_stale(s);
}

void pfx_screen_reset(struct pfx_screen *s)
{
	pfx_screen_stale(s);
	s->generation++;
	if (s->has_table)
		pfx_table_fini(&s->table);
	if (s->has_selection) {
		pfx_selection_fini(&s->selection);
		pfx_view_filter_fini(&s->filter);
	}
	if (s->has_code)
		pfx_selection_fini(&s->code);
	s->has_table = s->has_selection = s->has_code = false;
}

/* --- the selection --- */

static bool is_named(struct pfx_screen *s, const struct pfx_zoom *zoom, uint32_t id)
{
	struct pfx_str name = {0};
	bool same;

	pfx_screen_add_id(s, zoom->by, id, &name);
	same = !strcmp(pfx_str_get(&name), zoom->name);
	pfx_str_fini(&name);
	return same;
}

static void choose_ids(struct pfx_screen *s, const struct pfx_zoom *zoom)
{
	uint32_t nr = pfx_view_nr_ids(s->profile, zoom->by), id;

	for (id = 0; id < nr; id++)
		if (!is_named(s, zoom, id))
			pfx_view_filter_remove(&s->filter, zoom->by, id);
}

static uint32_t socket_of(const struct pfx_screen *s, uint32_t cpu)
{
	const struct pfx_env_topology *topology = &s->options.meta->env.topology;

	return cpu < topology->nr_cpus ? topology->cpus[cpu].socket_id : UINT32_MAX;
}

static void choose_socket(struct pfx_screen *s, uint32_t number)
{
	uint32_t id;

	for (id = 0; s->options.meta && id < s->profile->nr_cpus; id++)
		if (socket_of(s, s->profile->cpus[id]) != number)
			pfx_view_filter_remove(&s->filter, PFX_VIEW_CPU, id);
}

/* Characters that regular expressions give a meaning are taken literally. */
static void choose_through(struct pfx_screen *s, const char *name)
{
	struct pfx_str pattern = {0};

	pfx_str_addc(&pattern, '^');
	for (; *name; name++) {
		if (strchr("\\^$.[]|()*+?{}", *name))
			pfx_str_addc(&pattern, '\\');
		pfx_str_addc(&pattern, *name);
	}
	pfx_str_addc(&pattern, '$');
	pfx_view_filter_pattern(&s->filter, PFX_VIEW_FOCUS, pattern.at, NULL);
	pfx_str_fini(&pattern);
}

static void choose_time(struct pfx_screen *s, const struct pfx_zoom *zoom)
{
	/* A range is marked within the one before. */
	pfx_time_ranges_fini(&s->filter.times);
	pfx_vec_push(&s->filter.times.at, ((struct pfx_time_range){zoom->start, zoom->end}));
}

/* As in perf, the kernel is a library: modules are others. */
static void choose_kernel(struct pfx_screen *s)
{
	uint32_t id;

	for (id = 0; id < s->profile->nr_dsos; id++)
		if (s->profile->dsos[id].kind != PFX_DSO_KERNEL)
			pfx_view_filter_remove(&s->filter, PFX_VIEW_DSO, id);
}

static void apply(struct pfx_screen *s, const struct pfx_zoom *zoom)
{
	switch (zoom->kind) {
	case PFX_ZOOM_BY:
		choose_ids(s, zoom);
		break;
	case PFX_ZOOM_KERNEL:
		choose_kernel(s);
		break;
	case PFX_ZOOM_SOCKET:
		choose_socket(s, zoom->number);
		break;
	case PFX_ZOOM_TIME:
		choose_time(s, zoom);
		break;
	case PFX_ZOOM_THROUGH:
		choose_through(s, zoom->name);
		break;
	}
}

/* The event of the place, or the first with samples. */
static uint32_t find_event(const struct pfx_screen *s)
{
	const struct pfx_profile *profile = s->profile;
	uint32_t i;

	for (i = 0; s->place.event && i < profile->nr_events; i++)
		if (!strcmp(profile->events[i].name, s->place.event) && pfx_screen_has_event(s, i))
			return i;
	for (i = 0; i < profile->nr_events; i++)
		if (profile->events[i].nr_samples && pfx_screen_has_event(s, i))
			return i;
	return 0;
}

/* The event, or all of its group. */
static void choose_events(struct pfx_screen *s)
{
	const struct pfx_profile *profile = s->profile;
	uint32_t leader, i;

	s->event = find_event(s);
	if (pfx_screen_compares(s)) {
		pfx_view_filter_add(&s->filter, PFX_VIEW_EVENT, s->event);
		if (pfx_screen_old_event(s, s->event) != PFX_NO_ID)
			pfx_view_filter_add(&s->filter, PFX_VIEW_EVENT,
					    pfx_screen_old_event(s, s->event));
		return;
	}
	for (i = 0; i < profile->nr_events; i++) {
		leader = profile->events[s->event].leader;
		if (i == s->event ||
		    (profile->events[leader].nr_members > 1 && profile->events[i].leader == leader))
			pfx_view_filter_add(&s->filter, PFX_VIEW_EVENT, i);
	}
}

static void choose_names(struct pfx_screen *s, enum pfx_view_by by, const struct pfx_names *names)
{
	uint32_t i;

	for (i = 0; names->given && i < names->words.nr; i++)
		pfx_view_filter_add_name(&s->filter, by, pfx_intern_get(&names->words, i));
}

static void choose_levels(struct pfx_screen *s)
{
	const struct pfx_screen_options *o = &s->options;

	snprintf(s->filter.levels, sizeof(s->filter.levels), "%s", o->levels ? o->levels : "");
	s->filter.drop_unresolved = o->drop_unresolved;
}

/* What the options of the command say. */
static void choose_fixed(struct pfx_screen *s)
{
	const struct pfx_screen_options *o = &s->options;

	choose_levels(s);
	if (!o->only)
		return;
	choose_names(s, PFX_VIEW_DSO, &o->only->dsos);
	choose_names(s, PFX_VIEW_FUNCTION, &o->only->symbols);
}

/* Whether it is by library. */
static bool is_of_code(const struct pfx_zoom *zoom)
{
	return zoom->kind == PFX_ZOOM_KERNEL ||
	       (zoom->kind == PFX_ZOOM_BY && zoom->by == PFX_VIEW_DSO);
}

static bool has_zooms_of_code(const struct pfx_screen *s)
{
	unsigned i;

	for (i = 0; i < s->place.nr_zooms; i++)
		if (is_of_code(&s->place.zooms[i]))
			return true;
	return false;
}

const char *pfx_screen_why_no_samples(const struct pfx_screen *s)
{
	bool any = s->profile->nr_events && s->profile->events[s->event].nr_samples;

	return any && has_zooms_of_code(s)
		       ? "no sample is in this library itself; R removes all filters"
		       : "there are no samples";
}

/* @code: with filters by library. */
static void make_filter(struct pfx_screen *s, bool code)
{
	unsigned i;

	pfx_view_filter_init(&s->filter, s->profile);
	choose_fixed(s);
	choose_events(s);
	for (i = 0; i < s->place.nr_zooms; i++)
		if (code || !is_of_code(&s->place.zooms[i]))
			apply(s, &s->place.zooms[i]);
}

/* The selection for the filter; without its times if the profile has none. */
static void select_now(struct pfx_screen *s, struct pfx_selection *ret)
{
	if (pfx_selection_make(ret, &s->filter, NULL) < 0) {
		pfx_time_ranges_fini(&s->filter.times);
		pfx_selection_make(ret, &s->filter, NULL);
	}
}

/* The same with another filter than that of the place. */
static void select_code(struct pfx_screen *s, bool code, struct pfx_selection *ret)
{
	struct pfx_view_filter whole = s->filter;

	make_filter(s, code);
	select_now(s, ret);
	pfx_view_filter_fini(&s->filter);
	s->filter = whole;
}

/* Whether options leave samples out that no percentages are of. */
static bool leaves_out(const struct pfx_screen *s)
{
	const struct pfx_profile *profile = s->profile;
	const char *levels = s->options.levels;
	uint32_t i;

	if (s->options.drop_unresolved)
		return true;
	for (i = 0; levels && *levels && i < profile->nr_stacks; i++)
		if (!strchr(levels, profile->stack_level[i]))
			return true;
	return false;
}

/* All samples that options leave. */
static void find_whole(struct pfx_screen *s)
{
	const struct pfx_profile_event *event;
	struct pfx_view_filter whole = s->filter;
	struct pfx_selection all = {0};
	bool some = leaves_out(s);
	uint32_t i;

	pfx_view_filter_init(&s->filter, s->profile);
	choose_levels(s);
	choose_events(s);
	if (some)
		pfx_selection_make(&all, &s->filter, NULL);
	pfx_view_filter_fini(&s->filter);
	s->filter = whole;
	s->whole.nr = 0;
	for (i = 0; i < s->selection.nr_events; i++) {
		event = &s->profile->events[s->selection.events[i]];
		pfx_vec_push(&s->whole, ((struct pfx_stack_sum){
						(some ? all.total_period[i] : event->period) +
							event->rejected_period,
						(some ? all.total_samples[i] : event->nr_samples) +
							event->nr_rejected,
					}));
	}
	pfx_selection_fini(&all);
}

const struct pfx_selection *pfx_screen_select(struct pfx_screen *s)
{
	struct pfx_error err = {0};

	if (s->has_selection)
		return &s->selection;
	make_filter(s, true);
	if (pfx_selection_make(&s->selection, &s->filter, &err) < 0) {
		pfx_screen_say(s, err.text);
		select_now(s, &s->selection);
	}
	s->has_selection = true;
	find_whole(s);
	s->measure = s->profile->events && s->profile->events[s->event].period
			     ? PFX_MEASURE_PERIOD
			     : PFX_MEASURE_SAMPLES;
	return &s->selection;
}

const struct pfx_selection *pfx_screen_select_code(struct pfx_screen *s)
{
	const struct pfx_selection *selection = pfx_screen_select(s);

	if (!has_zooms_of_code(s))
		return selection;
	if (!s->has_code)
		select_code(s, false, &s->code);
	s->has_code = true;
	return &s->code;
}

static bool has_broken_chains(const struct pfx_screen *s)
{
	uint32_t i;

	for (i = 0; i < s->profile->nr_functions; i++)
		if (s->profile->functions[i].role == PFX_ROLE_BROKEN)
			return true;
	return false;
}

const struct pfx_selection *pfx_screen_select_picture(struct pfx_screen *s,
						      struct pfx_selection *room)
{
	const struct pfx_selection *selection = pfx_screen_select(s);
	struct pfx_view_filter whole = s->filter;

	if (!has_broken_chains(s))
		return selection;
	make_filter(s, true);
	s->filter.join_broken = true;
	select_now(s, room);
	pfx_view_filter_fini(&s->filter);
	s->filter = whole;
	return room;
}

/* The library of a row of code; PFX_NO_ID: unknown. */
static uint32_t dso_of(const struct pfx_screen *s, const struct pfx_screen_row *row)
{
	uint32_t dso = PFX_NO_ID;

	if (pfx_screen_row_id(s, row, PFX_VIEW_DSO, &dso))
		return dso;
	if (row->by == PFX_VIEW_FUNCTION && row->id < s->profile->nr_functions)
		return s->profile->functions[row->id].dso;
	if (pfx_screen_row_id(s, row, PFX_VIEW_LINE, &dso) && dso < s->profile->nr_frames)
		return s->profile->frames[dso].dso;
	return PFX_NO_ID;
}

bool pfx_screen_row_stays(struct pfx_screen *s, const struct pfx_screen_row *row)
{
	const struct pfx_zoom *zoom;
	uint32_t dso = dso_of(s, row);
	unsigned i;

	for (i = 0; i < s->place.nr_zooms; i++) {
		zoom = &s->place.zooms[i];
		if (is_of_code(zoom) &&
		    (dso >= s->profile->nr_dsos ||
		     (zoom->kind == PFX_ZOOM_KERNEL ? s->profile->dsos[dso].kind != PFX_DSO_KERNEL
						    : !is_named(s, zoom, dso))))
			return false;
	}
	return true;
}

void pfx_screen_select_row(struct pfx_screen *s, const struct pfx_screen_row *row,
			   struct pfx_selection *ret)
{
	struct pfx_view_filter whole = s->filter;

	make_filter(s, !pfx_screen_rows_are_code(s));
	pfx_table_narrow(&s->table, row->at, &s->filter);
	select_now(s, ret);
	pfx_view_filter_fini(&s->filter);
	s->filter = whole;
}

static const char *name_of_kernel(const struct pfx_screen *s)
{
	const struct pfx_profile *profile = s->profile;
	uint32_t i;

	for (i = 0; i < profile->nr_dsos; i++)
		if (profile->dsos[i].kind == PFX_DSO_KERNEL)
			return profile->dsos[i].short_name;
	return "[kernel.kallsyms]";
}

bool pfx_screen_only_dso(const struct pfx_screen *s, const char **ret_dso)
{
	unsigned i, nr = 0;

	*ret_dso = NULL;
	for (i = 0; i < s->place.nr_zooms; i++) {
		if (!is_of_code(&s->place.zooms[i]))
			continue;
		*ret_dso = s->place.zooms[i].kind == PFX_ZOOM_KERNEL ? name_of_kernel(s)
								     : s->place.zooms[i].name;
		nr++;
	}
	return nr == s->place.nr_zooms;
}

void pfx_screen_select_of(struct pfx_screen *s, const struct pfx_profile *profile, bool any_dso,
			  struct pfx_selection *ret)
{
	const struct pfx_profile *shown = s->profile;
	struct pfx_view_filter whole = s->filter;

	s->profile = profile;
	make_filter(s, true);
	if (any_dso)
		pfx_view_filter_all(&s->filter, PFX_VIEW_DSO);
	select_now(s, ret);
	pfx_view_filter_fini(&s->filter);
	s->filter = whole;
	s->profile = shown;
}

uint32_t pfx_screen_column(const struct pfx_screen *s)
{
	uint32_t column = pfx_selection_column(&s->selection, s->event);

	return column == PFX_NO_ID ? 0 : column;
}

uint64_t pfx_screen_total_of(const struct pfx_screen *s, uint32_t column, enum pfx_measure measure)
{
	const struct pfx_stack_sum *sum = &s->whole.at[column];

	if (s->relative && !s->left.nr)
		return pfx_selection_total(&s->selection, column, measure);
	if (s->relative)
		sum = &s->left.at[column];
	return measure == PFX_MEASURE_PERIOD ? sum->period : sum->samples;
}

uint64_t pfx_screen_total(const struct pfx_screen *s)
{
	if (!s->selection.nr_events)
		return 0;
	return pfx_screen_total_of(s, pfx_screen_column(s), s->measure);
}

uint32_t pfx_screen_find_function(const struct pfx_screen *s, uint64_t key)
{
	uint32_t i;

	for (i = 0; key && i < s->profile->nr_functions; i++)
		if (s->function_keys[i] == key)
			return i;
	return PFX_NO_ID;
}

/* --- history --- */

void pfx_screen_push(struct pfx_screen *s)
{
	if (s->back.nr >= HISTORY_MAX)
		memmove(s->back.at, s->back.at + 1, --s->back.nr * sizeof(*s->back.at));
	pfx_vec_push(&s->back, s->place);
	s->forward.nr = 0;
}

static bool same_filters(const struct pfx_screen_place *a, const struct pfx_screen_place *b)
{
	return a->nr_zooms == b->nr_zooms && a->event == b->event &&
	       !memcmp(a->zooms, b->zooms, a->nr_zooms * sizeof(*a->zooms));
}

static void go(struct pfx_screen *s, const struct pfx_screen_place *place)
{
	if (!same_filters(place, &s->place))
		pfx_screen_reset(s);
	if (s->has_table && (place->by != s->place.by ||
			     memcmp(&place->keys, &s->place.keys, sizeof(place->keys)))) {
		pfx_table_fini(&s->table);
		s->has_table = false;
		s->generation++;
	}
	s->place = *place;
	pfx_screen_stale(s);
}

bool pfx_screen_back(struct pfx_screen *s)
{
	if (!s->back.nr)
		return false;
	pfx_vec_push(&s->forward, s->place);
	s->back.nr--;
	go(s, &s->back.at[s->back.nr]);
	return true;
}

bool pfx_screen_forward(struct pfx_screen *s)
{
	if (!s->forward.nr)
		return false;
	pfx_vec_push(&s->back, s->place);
	s->forward.nr--;
	go(s, &s->forward.at[s->forward.nr]);
	return true;
}

/* The number of places up to the last one in another view. */
static size_t nr_before_view(const struct pfx_screen *s)
{
	size_t i = s->back.nr;

	while (i && s->back.at[i - 1].view == s->place.view)
		i--;
	return i;
}

bool pfx_screen_can_leave(const struct pfx_screen *s, enum pfx_screen_view *ret)
{
	enum pfx_screen_view first = s->options.code_first ? PFX_SCREEN_CODE : s->options.view;
	size_t i = s->place.view != first ? nr_before_view(s) : 0;

	if (i && ret)
		*ret = s->back.at[i - 1].view;
	return i > 0;
}

bool pfx_screen_leave(struct pfx_screen *s)
{
	struct pfx_screen_place to;
	size_t i = nr_before_view(s);

	if (!pfx_screen_can_leave(s, NULL))
		return false;
	to = s->back.at[i - 1];
	s->back.nr = i - 1;
	s->forward.nr = 0;
	if (same_filters(&to, &s->place)) {
		go(s, &to);
		return true;
	}
	/* What was filtered in the view is what people came for: Esc removes it. */
	pfx_vec_push(&s->back, to);
	memcpy(to.zooms, s->place.zooms, sizeof(to.zooms));
	to.nr_zooms = s->place.nr_zooms;
	to.event = s->place.event;
	go(s, &to);
	pfx_screen_begin_rows(s);
	return true;
}

void pfx_screen_go_view(struct pfx_screen *s, enum pfx_screen_view view)
{
	if (view == s->place.view)
		return;
	pfx_screen_push(s);
	s->place.view = view;
	s->place.selected = s->place.cursor = s->place.top = s->place.left = 0;
	pfx_screen_stale(s);
}

/* --- filters --- */

static bool same_zoom(const struct pfx_zoom *a, const struct pfx_zoom *b)
{
	return a->kind == b->kind && a->by == b->by && a->name == b->name && a->start == b->start &&
	       a->end == b->end && a->number == b->number;
}

void pfx_screen_zoom(struct pfx_screen *s, const struct pfx_zoom *zoom)
{
	struct pfx_screen_place *place = &s->place;
	unsigned i;

	pfx_screen_push(s);
	for (i = 0; i < place->nr_zooms && !same_zoom(&place->zooms[i], zoom); i++)
		;
	if (i < place->nr_zooms) {
		place->nr_zooms--;
		memmove(&place->zooms[i], &place->zooms[i + 1],
			(place->nr_zooms - i) * sizeof(*place->zooms));
	} else if (i < PFX_SCREEN_ZOOMS_MAX) {
		memset(&place->zooms[i], 0, sizeof(*place->zooms));
		place->zooms[i] = *zoom;
		place->nr_zooms++;
	} else {
		pfx_screen_say(s, "there are too many filters; R removes them");
	}
	pfx_screen_reset(s);
	pfx_screen_begin_rows(s);
}

void pfx_screen_unzoom_all(struct pfx_screen *s)
{
	pfx_screen_push(s);
	s->place.nr_zooms = 0;
	s->place.filter = NULL;
	s->place.root = 0;
	pfx_screen_reset(s);
	pfx_screen_begin_rows(s);
}

static void add_seconds(struct pfx_str *to, uint64_t ns)
{
	pfx_str_addf(to, "%.3f", (double)ns / 1e9);
}

static void add_zoom(struct pfx_screen *s, const struct pfx_zoom *zoom, struct pfx_str *to)
{
	static const char *const words[PFX_VIEW_NR_BYS] = {
		[PFX_VIEW_FUNCTION] = "function", [PFX_VIEW_DSO] = "library",
		[PFX_VIEW_LINE] = "line",         [PFX_VIEW_PROCESS] = "process",
		[PFX_VIEW_THREAD] = "thread",     [PFX_VIEW_COMM] = "command",
		[PFX_VIEW_CPU] = "CPU",           [PFX_VIEW_EVENT] = "event",
	};

	switch (zoom->kind) {
	case PFX_ZOOM_BY:
		pfx_str_addf(to, "%s %s", words[zoom->by], zoom->name);
		break;
	case PFX_ZOOM_KERNEL:
		pfx_str_add(to, "kernel");
		break;
	case PFX_ZOOM_SOCKET:
		pfx_str_addf(to, "socket %u", zoom->number);
		break;
	case PFX_ZOOM_TIME:
		pfx_str_add(to, "time ");
		add_seconds(to, zoom->start - s->profile->first_time);
		pfx_str_add(to, "-");
		add_seconds(to, zoom->end - s->profile->first_time);
		pfx_str_add(to, " s");
		break;
	case PFX_ZOOM_THROUGH:
		pfx_str_addf(to, "through %s", zoom->name);
		break;
	}
}

void pfx_screen_add_zooms(struct pfx_screen *s, struct pfx_str *to)
{
	unsigned i;

	for (i = 0; i < s->place.nr_zooms; i++) {
		pfx_str_add(to, i ? " > " : "  only ");
		add_zoom(s, &s->place.zooms[i], to);
	}
	if (s->place.filter)
		pfx_str_addf(to, "  /%s/", s->place.filter);
}
