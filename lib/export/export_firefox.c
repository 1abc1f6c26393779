/* SPDX-License-Identifier: MIT */
/*
 * The processed profile of Firefox Profiler, version 66, streamed. A thread has the samples of one
 * event: with several events, there is a thread for each that occurs in it, with the event in its
 * name. Times are ms since the first sample. The functions of a frame that are inlined at its
 * address have the same address and a growing depth. Counters: events that count something else
 * than time, by process. Markers: started programs, losses, and tracepoints.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/groups.h"
#include "base/ns.h"
#include "export/export_internal.h"
#include "export/samples/export_frames.h"
#include "export/samples/export_rows.h"
#include "out/json_parts.h"

#define VERSION 66

enum { CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_INLINED, CATEGORY_JIT };

/* Texts of markers: kinds, then names of events. */
#define NR_MARKERS 2
static const char *const marker_names[NR_MARKERS] = {
	[PFX_MARKER_EXEC] = "exec",
	[PFX_MARKER_LOST] = "lost",
};

struct marker {
	uint64_t time;
	uint32_t text, order;
	const struct pfx_profile_marker *of; /* NULL: a tracepoint */
};

struct firefox {
	const struct pfx_export_input *in;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_str *to; /* out->text */
	struct pfx_export_rows rows;
	bool several;
	struct pfx_intern files;
	uint32_t *file_of_function; /* PFX_NO_ID: none */
	uint32_t *depth_of;         /* by frame: 0 unless inlined */
	const uint32_t *group;      /* rows of the thread that is written */
	uint32_t nr_group;
	struct pfx_groups recorded;     /* markers by thread, then those of no thread */
	PFX_VEC(struct marker) markers; /* of this thread */
};

typedef void (*cell_fn)(struct firefox *f, uint32_t i);

/* "name":[...] of @nr cells. */
static void add_column(struct firefox *f, const char *name, uint32_t nr, cell_fn cell)
{
	uint32_t i;

	pfx_json_add_name(f->to, name);
	pfx_str_addc(f->to, '[');
	for (i = 0; i < nr && !pfx_export_flush(f->out); i++) {
		pfx_json_add_comma(f->to, i);
		cell(f, i);
	}
	pfx_str_addc(f->to, ']');
}

static void null_cell(struct firefox *f, uint32_t i)
{
	(void)i;
	pfx_str_add(f->to, "null");
}

static void zero_cell(struct firefox *f, uint32_t i)
{
	(void)i;
	pfx_str_addc(f->to, '0');
}

static void one_cell(struct firefox *f, uint32_t i)
{
	(void)i;
	pfx_str_addc(f->to, '1');
}

static void false_cell(struct firefox *f, uint32_t i)
{
	(void)i;
	pfx_str_add(f->to, "false");
}

static void index_cell(struct firefox *f, uint32_t i)
{
	pfx_str_u64(f->to, i, 0);
}

static void empty_cell(struct firefox *f, uint32_t i)
{
	(void)f;
	(void)i;
}

static void add_index(struct firefox *f, uint32_t id)
{
	if (id == PFX_NO_ID)
		pfx_str_add(f->to, "-1");
	else
		pfx_str_u64(f->to, id, 0);
}

/* ns as ms, exact. */
static void add_ms(struct firefox *f, uint64_t ns)
{
	pfx_str_u64(f->to, ns / PFX_NS_PER_MS, 0);
	pfx_str_addc(f->to, '.');
	pfx_str_u64_zeros(f->to, ns, 6);
}

static uint64_t since_start(const struct firefox *f, uint64_t time)
{
	return time > f->profile->first_time ? time - f->profile->first_time : 0;
}

static void begin_table(struct firefox *f, const char *name, uint32_t nr)
{
	pfx_json_add_name(f->to, name);
	pfx_str_addc(f->to, '{');
	pfx_json_add_number(f->to, "length", nr);
}

static void end_table(struct firefox *f)
{
	pfx_str_addc(f->to, '}');
}

struct column {
	const char *name; /* NULL: the end */
	cell_fn cell;
};

/* A table of @nr rows with these columns. */
static void add_table(struct firefox *f, const char *name, uint32_t nr,
		      const struct column *columns)
{
	begin_table(f, name, nr);
	for (; columns->name; columns++)
		add_column(f, columns->name, nr, columns->cell);
	end_table(f);
}

/* --- meta --- */

static void add_interval(struct firefox *f)
{
	uint64_t ns = f->in->selection->nr_events ? pfx_export_interval(f->in, 0) : 0;

	pfx_json_add_name(f->to, "interval");
	add_ms(f, ns ? ns : PFX_NS_PER_MS);
}

static void add_meta(struct firefox *f)
{
	static const char fixed[] =
		"\"categories\":["
		"{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Inlined\",\"color\":\"lightblue\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":[\"Other\"]}],"
		"\"debug\":false,"
		"\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},"
		"\"processType\":0,\"version\":24,\"symbolicated\":true,\"pausedRanges\":[],"
		"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":"
		"\"\\u00b5s\"},"
		"\"markerSchema\":[{\"name\":\"exec\",\"display\":[\"marker-chart\",\"marker-"
		"table\","
		"\"timeline-overview\"],\"fields\":[{\"key\":\"program\",\"label\":\"Program\","
		"\"format\":\"string\"}]},{\"name\":\"lost\",\"display\":[\"marker-chart\","
		"\"marker-table\",\"timeline-overview\"],\"fields\":[{\"key\":\"number\","
		"\"label\":\"Number\",\"format\":\"integer\"}]}]";
	const struct pfx_env *env = &f->in->meta->env;
	uint64_t wall = 0;

	pfx_json_add_name(f->to, "meta");
	pfx_str_addc(f->to, '{');
	pfx_str_add(f->to, fixed);
	pfx_json_add_number(f->to, "preprocessedProfileVersion", VERSION);
	pfx_json_add_text(f->to, "product",
			  f->profile->nr_processes ? f->profile->processes[0].comm : "");
	pfx_json_add_text(f->to, "oscpu", env->arch ? env->arch : "");
	add_interval(f);
	pfx_export_wall_time(f->in->meta, f->profile->first_time, &wall);
	pfx_json_add_name(f->to, "startTime");
	add_ms(f, wall);
	pfx_str_addc(f->to, '}');
}

/* --- libraries --- */

static void add_build_id(struct firefox *f, const char *name, const struct pfx_profile_dso *dso)
{
	pfx_json_add_name(f->to, name);
	pfx_str_addc(f->to, '"');
	pfx_export_add_build_id(f->to, dso);
	pfx_str_addc(f->to, '"');
}

static void lib_cell(struct firefox *f, uint32_t i)
{
	const struct pfx_profile_dso *dso = &f->profile->dsos[i];

	pfx_str_addc(f->to, '{');
	pfx_json_add_text(f->to, "name", dso->short_name);
	pfx_json_add_text(f->to, "path", dso->name);
	pfx_json_add_text(f->to, "debugName", dso->short_name);
	pfx_json_add_text(f->to, "debugPath", dso->name);
	add_build_id(f, "breakpadId", dso);
	add_build_id(f, "codeId", dso);
	pfx_json_add_text(f->to, "arch", f->in->meta->env.arch ? f->in->meta->env.arch : "unknown");
	pfx_str_addc(f->to, '}');
}

/* --- shared tables --- */

static uint32_t parent_of(const struct firefox *f, uint32_t i)
{
	return f->in->selection->nodes.parent[i + 1];
}

static void prefix_cell(struct firefox *f, uint32_t i)
{
	uint32_t parent = parent_of(f, i);

	pfx_str_u64(f->to, parent ? i + 1 - parent : 0, 0);
}

static void stack_frame_cell(struct firefox *f, uint32_t i)
{
	pfx_str_u64(f->to, f->in->selection->nodes.frame[i + 1], 0);
}

static void frame_func_cell(struct firefox *f, uint32_t i)
{
	pfx_str_u64(f->to, f->profile->frames[i].function, 0);
}

static void frame_category_cell(struct firefox *f, uint32_t i)
{
	const struct pfx_profile_frame *frame = &f->profile->frames[i];
	const struct pfx_profile_function *function = &f->profile->functions[frame->function];
	unsigned category = CATEGORY_USER;

	if (function->level == 'k' || function->level == 'g')
		category = CATEGORY_KERNEL;
	else if (function->is_inlined)
		category = CATEGORY_INLINED;
	else if (frame->dso != PFX_NO_ID && pfx_export_is_jit(&f->profile->dsos[frame->dso]))
		category = CATEGORY_JIT;
	pfx_str_u64(f->to, category, 0);
}

static void frame_line_cell(struct firefox *f, uint32_t i)
{
	if (f->profile->frames[i].line)
		pfx_str_u64(f->to, f->profile->frames[i].line, 0);
	else
		null_cell(f, i);
}

static void frame_address_cell(struct firefox *f, uint32_t i)
{
	if (f->profile->frames[i].dso == PFX_NO_ID)
		add_index(f, PFX_NO_ID);
	else
		pfx_str_u64(f->to, f->profile->frames[i].address, 0);
}

static void frame_depth_cell(struct firefox *f, uint32_t i)
{
	pfx_str_u64(f->to, f->depth_of[i], 0);
}

static void func_resource_cell(struct firefox *f, uint32_t i)
{
	add_index(f, f->profile->functions[i].dso);
}

static void func_source_cell(struct firefox *f, uint32_t i)
{
	if (f->file_of_function[i] == PFX_NO_ID)
		null_cell(f, i);
	else
		pfx_str_u64(f->to, f->file_of_function[i], 0);
}

/* The texts are the names of functions, libraries, files, markers and events. */
static void library_text_cell(struct firefox *f, uint32_t i)
{
	pfx_str_u64(f->to, (uint64_t)f->profile->nr_functions + i, 0);
}

static void file_text_cell(struct firefox *f, uint32_t i)
{
	pfx_str_u64(f->to, (uint64_t)f->profile->nr_functions + f->profile->nr_dsos + i, 0);
}

static uint32_t first_marker_text(const struct firefox *f)
{
	return f->profile->nr_functions + f->profile->nr_dsos + f->files.nr;
}

static void other_text(struct firefox *f, uint32_t i)
{
	if (i < f->files.nr)
		pfx_json_add_string(f->to, pfx_intern_get(&f->files, i));
	else if (i - f->files.nr < NR_MARKERS)
		pfx_json_add_string(f->to, marker_names[i - f->files.nr]);
	else
		pfx_json_add_string(f->to, f->profile->events[i - f->files.nr - NR_MARKERS].name);
}

static void text_cell(struct firefox *f, uint32_t i)
{
	const struct pfx_profile *profile = f->profile;

	if (i < profile->nr_functions)
		pfx_json_add_string(f->to, profile->functions[i].name);
	else if (i - profile->nr_functions < profile->nr_dsos)
		pfx_json_add_string(f->to, profile->dsos[i - profile->nr_functions].short_name);
	else
		other_text(f, i - profile->nr_functions - profile->nr_dsos);
}

/* Its table is empty, as is that of place_columns: the viewer requires both. */
static const struct column symbol_columns[] = {
	{"address", empty_cell},
	{"functionSize", empty_cell},
	{"libIndex", empty_cell},
	{"name", empty_cell},
	{NULL},
};

static const struct column stack_columns[] = {
	{"prefixOffset", prefix_cell},
	{"frame", stack_frame_cell},
	{NULL},
};

static const struct column frame_columns[] = {
	{"func", frame_func_cell},
	{"category", frame_category_cell},
	{"subcategory", zero_cell},
	{"line", frame_line_cell},
	{"column", null_cell},
	{"address", frame_address_cell},
	{"nativeSymbol", null_cell},
	{"inlineDepth", frame_depth_cell},
	{"innerWindowID", zero_cell},
	{"originalLocation", null_cell},
	{NULL},
};

static const struct column function_columns[] = {
	{"name", index_cell},
	{"isJS", false_cell},
	{"relevantForJS", false_cell},
	{"resource", func_resource_cell},
	{"source", func_source_cell},
	{"lineNumber", null_cell},
	{"columnNumber", null_cell},
	{"originalLocation", null_cell},
	{NULL},
};

static const struct column library_columns[] = {
	{"lib", index_cell},
	{"name", library_text_cell},
	{"host", null_cell},
	{"type", one_cell},
	{NULL},
};

static const struct column file_columns[] = {
	{"id", null_cell},
	{"filename", file_text_cell},
	{"startLine", one_cell},
	{"startColumn", one_cell},
	{"sourceMapURL", null_cell},
	{"content", null_cell},
	{NULL},
};

static const struct column place_columns[] = {
	{"source", empty_cell},
	{"line", empty_cell},
	{"column", empty_cell},
	{NULL},
};

static void add_shared(struct firefox *f)
{
	const struct pfx_profile *profile = f->profile;

	pfx_json_add_name(f->to, "shared");
	pfx_str_addc(f->to, '{');
	add_table(f, "stackTable", f->in->selection->nodes.nr - 1, stack_columns);
	add_table(f, "frameTable", profile->nr_frames, frame_columns);
	add_table(f, "funcTable", profile->nr_functions, function_columns);
	add_table(f, "nativeSymbols", 0, symbol_columns);
	add_table(f, "resourceTable", profile->nr_dsos, library_columns);
	add_table(f, "sources", f->files.nr, file_columns);
	add_table(f, "sourceLocationTable", 0, place_columns);
	add_column(f, "stringArray", first_marker_text(f) + NR_MARKERS + profile->nr_events,
		   text_cell);
	pfx_str_addc(f->to, '}');
}

static void make_tables(struct firefox *f)
{
	const struct pfx_profile *profile = f->profile;
	const struct pfx_nodes *nodes = &f->in->selection->nodes;
	const struct pfx_profile_frame *frame;
	uint32_t i, parent;

	f->depth_of = pfx_calloc(profile->nr_frames + 1ul, sizeof(*f->depth_of));
	f->file_of_function = pfx_malloc((profile->nr_functions + 1ul) * sizeof(uint32_t));
	memset(f->file_of_function, 0xff, profile->nr_functions * sizeof(uint32_t));
	for (i = 0; i < profile->nr_frames; i++) {
		frame = &profile->frames[i];
		if (frame->file && f->file_of_function[frame->function] == PFX_NO_ID)
			f->file_of_function[frame->function] =
				pfx_intern_str(&f->files, frame->file);
	}
	for (i = 1; i < nodes->nr; i++) {
		parent = nodes->parent[i];
		if (pfx_export_is_in_parent(f->in->selection, i))
			f->depth_of[nodes->frame[i]] = f->depth_of[nodes->frame[parent]] + 1;
	}
}

/* --- threads --- */

static void sample_stack_cell(struct firefox *f, uint32_t i)
{
	uint32_t node = pfx_selection_node(f->in->selection, f->group[i]);

	if (node)
		pfx_str_u64(f->to, node - 1, 0);
	else
		null_cell(f, i);
}

static void delta_cell(struct firefox *f, uint32_t i)
{
	const uint64_t *times = f->profile->row_time;
	uint64_t before = i ? times[f->group[i - 1]] : f->profile->first_time;
	uint64_t time = times[f->group[i]];

	pfx_profile_pass(f->profile, f->group[i]);
	add_ms(f, time > before ? time - before : 0);
}

static void weight_cell(struct firefox *f, uint32_t i)
{
	pfx_profile_pass(f->profile, f->group[i]);
	pfx_str_u64(f->to, f->profile->row_period[f->group[i]], 0);
}

static void weight_ms_cell(struct firefox *f, uint32_t i)
{
	pfx_profile_pass(f->profile, f->group[i]);
	add_ms(f, f->profile->row_period[f->group[i]]);
}

static void cpu_delta_cell(struct firefox *f, uint32_t i)
{
	pfx_profile_pass(f->profile, f->group[i]);
	pfx_str_u64(f->to, f->profile->row_period[f->group[i]] / 1000, 0);
}

static void add_samples(struct firefox *f, uint32_t column)
{
	bool ns = pfx_export_counts_ns(f->in, column);
	bool by_period = f->in->measure == PFX_MEASURE_PERIOD;

	begin_table(f, "samples", f->nr_group);
	pfx_json_add_text(f->to, "weightType", by_period && ns ? "tracing-ms" : "samples");
	add_column(f, "stack", f->nr_group, sample_stack_cell);
	add_column(f, "timeDeltas", f->nr_group, delta_cell);
	if (ns)
		add_column(f, "threadCPUDelta", f->nr_group, cpu_delta_cell);
	if (by_period)
		add_column(f, "weight", f->nr_group, ns ? weight_ms_cell : weight_cell);
	else
		pfx_str_add(f->to, ",\"weight\":null");
	end_table(f);
}

/* --- markers --- */

static void push_marker(struct firefox *f, uint64_t time, uint32_t text, const void *of)
{
	pfx_vec_push(&f->markers, ((struct marker){time, text, (uint32_t)f->markers.nr, of}));
}

static uint32_t thread_of_marker(const void *context, uint32_t i)
{
	const struct pfx_profile *profile = context;
	uint32_t task = profile->markers[i].task;

	return task == PFX_NO_ID ? profile->nr_threads : profile->tasks[task].thread;
}

static void push_recorded(struct firefox *f, uint32_t thread)
{
	const struct pfx_profile_marker *marker;
	uint32_t i;

	for (i = f->recorded.first[thread]; i < f->recorded.first[thread + 1]; i++) {
		marker = &f->profile->markers[f->recorded.at[i]];
		push_marker(f, marker->time, marker->kind, marker);
	}
}

/* Of the thread, in its first group; of no thread, in the first of all. */
static void make_recorded(struct firefox *f, uint32_t group)
{
	const struct pfx_export_group *groups = f->rows.groups;

	if (group && groups[group - 1].thread == groups[group].thread)
		return;
	if (!group)
		push_recorded(f, f->profile->nr_threads);
	push_recorded(f, groups[group].thread);
}

static int by_time(const void *a, const void *b)
{
	const struct marker *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void make_markers(struct firefox *f, uint32_t group)
{
	uint32_t event = f->in->selection->events[f->rows.groups[group].column], i;

	f->markers.nr = 0;
	make_recorded(f, group);
	if (f->in->meta->events[event]->attr.type == PFX_TYPE_TRACEPOINT)
		for (i = 0; i < f->nr_group; i++)
			push_marker(f, f->profile->row_time[f->group[i]], NR_MARKERS + event, NULL);
	if (f->markers.nr)
		qsort(f->markers.at, f->markers.nr, sizeof(*f->markers.at), by_time);
}

static void marker_data_cell(struct firefox *f, uint32_t i)
{
	const struct pfx_profile_marker *marker = f->markers.at[i].of;

	if (!marker) {
		null_cell(f, i);
		return;
	}
	pfx_str_addc(f->to, '{');
	pfx_json_add_text(f->to, "type", marker_names[marker->kind]);
	if (marker->kind == PFX_MARKER_EXEC)
		pfx_json_add_text(f->to, "program",
				  f->profile->comms[f->profile->tasks[marker->task].comm]);
	else
		pfx_json_add_number(f->to, "number", marker->value);
	pfx_str_addc(f->to, '}');
}

static void marker_name_cell(struct firefox *f, uint32_t i)
{
	pfx_str_u64(f->to, (uint64_t)first_marker_text(f) + f->markers.at[i].text, 0);
}

static void marker_time_cell(struct firefox *f, uint32_t i)
{
	add_ms(f, since_start(f, f->markers.at[i].time));
}

static const struct column marker_columns[] = {
	{"category", zero_cell},
	{"data", marker_data_cell},
	{"endTime", null_cell},
	{"name", marker_name_cell},
	{"phase", zero_cell},
	{"startTime", marker_time_cell},
	{NULL},
};

/* --- counters: events that count something else than time, over time and by process --- */

struct counter {
	uint32_t process, column;
};

struct counters {
	const struct firefox *f;
	PFX_VEC(struct counter) all;
	struct pfx_hash known; /* by process and column: index of all */
};

static bool is_counted(const struct firefox *f, uint32_t column)
{
	const struct pfx_event *event = f->in->meta->events[f->in->selection->events[column]];

	return event->attr.type != PFX_TYPE_TRACEPOINT && !pfx_export_counts_ns(f->in, column);
}

/* The counter of a row; their number if it has none. */
static uint64_t *counter_at(struct counters *counters, uint32_t row, bool *ret_new)
{
	const struct firefox *f = counters->f;
	const struct pfx_profile *profile = f->profile;
	uint32_t thread = profile->tasks[profile->row_task[row]].thread;
	uint32_t column = pfx_selection_column(f->in->selection, profile->row_event[row]);
	uint64_t *at;

	pfx_profile_pass(profile, row);
	if (!is_counted(f, column))
		return NULL;
	at = pfx_hash_add(&counters->known,
			  (uint64_t)profile->threads[thread].process << 32 | column, ret_new);
	if (!*ret_new)
		return at;
	*at = counters->all.nr;
	pfx_vec_push(&counters->all, ((struct counter){profile->threads[thread].process, column}));
	return at;
}

/* Those without a counter are in a group after all others. */
static uint32_t counter_key(const void *context, uint32_t i)
{
	struct counters *counters = (struct counters *)(uintptr_t)context;
	bool is_new;
	const uint64_t *at = counter_at(counters, counters->f->in->selection->rows[i], &is_new);

	return at ? (uint32_t)*at : (uint32_t)counters->all.nr;
}

/* The first group of rows of each process; the caller frees them. */
static uint32_t *first_groups(const struct firefox *f)
{
	uint32_t *first = pfx_calloc(f->profile->nr_processes + 1ul, sizeof(*first)), i;

	for (i = f->rows.nr_groups; i--;)
		first[f->profile->threads[f->rows.groups[i].thread].process] = i;
	return first;
}

/* How it is drawn and what its tooltip has. */
static void add_display(struct firefox *f, const char *event)
{
	pfx_str_add(f->to, ",\"display\":{\"graphType\":\"line-rate\",\"unit\":\"\","
			   "\"color\":\"grey\",\"markerSchemaLocation\":null,\"sortWeight\":50");
	pfx_json_add_text(f->to, "label", event);
	pfx_str_add(f->to, ",\"tooltipRows\":[{\"type\":\"value\",\"source\":\"count\","
			   "\"format\":{\"unit\":\"number\"}");
	pfx_json_add_text(f->to, "label", event);
	pfx_str_add(f->to, "}]}");
}

static void add_counter(struct firefox *f, const struct counter *counter, uint32_t thread)
{
	const char *event = f->profile->events[f->in->selection->events[counter->column]].name;

	pfx_str_addc(f->to, '{');
	pfx_json_add_text(f->to, "name", event);
	pfx_json_add_text(f->to, "category", "event");
	pfx_json_add_text(f->to, "description", "periods of the samples of this event");
	add_display(f, event);
	pfx_str_addf(f->to, ",\"pid\":\"%u\"", f->profile->processes[counter->process].pid);
	pfx_json_add_number(f->to, "mainThreadIndex", thread);
	begin_table(f, "samples", f->nr_group);
	add_column(f, "timeDeltas", f->nr_group, delta_cell);
	add_column(f, "count", f->nr_group, weight_cell);
	end_table(f);
	pfx_str_addc(f->to, '}');
}

static void find_counters(struct counters *counters)
{
	const struct pfx_selection *selection = counters->f->in->selection;
	bool is_new;
	uint32_t i;

	for (i = 0; i < selection->nr_rows; i++)
		counter_at(counters, selection->rows[i], &is_new);
}

static void add_groups(struct firefox *f, const struct counters *counters)
{
	const struct pfx_selection *selection = f->in->selection;
	uint32_t nr = (uint32_t)counters->all.nr, i, *first = first_groups(f);
	struct pfx_groups groups;

	pfx_groups_make(&groups, selection->nr_rows, nr + 1, counter_key, counters);
	for (i = 0; i < selection->nr_rows; i++)
		groups.at[i] = selection->rows[groups.at[i]];
	for (i = 0; i < nr && !pfx_export_flush(f->out); i++) {
		pfx_json_add_comma(f->to, i);
		f->group = groups.at + groups.first[i];
		f->nr_group = groups.first[i + 1] - groups.first[i];
		add_counter(f, &counters->all.at[i], first[counters->all.at[i].process]);
	}
	pfx_groups_fini(&groups);
	free(first);
}

static void add_counters(struct firefox *f)
{
	struct counters counters = {.f = f};

	find_counters(&counters);
	pfx_json_add_name(f->to, "counters");
	pfx_str_addc(f->to, '[');
	if (counters.all.nr)
		add_groups(f, &counters);
	pfx_str_addc(f->to, ']');
	pfx_vec_free(&counters.all);
	pfx_hash_fini(&counters.known);
}

/* --- the profile --- */

static void add_time(struct firefox *f, const char *name, uint64_t time)
{
	pfx_json_add_name(f->to, name);
	if (time)
		add_ms(f, since_start(f, time));
	else
		pfx_str_add(f->to, "null");
}

static void add_name_of(struct firefox *f, const struct pfx_profile_thread *thread, uint32_t column)
{
	char *name;

	if (!f->several) {
		pfx_json_add_text(f->to, "name", thread->comm);
		return;
	}
	name = pfx_strfmt("%s (%s)", thread->comm,
			  f->profile->events[f->in->selection->events[column]].name);
	pfx_json_add_text(f->to, "name", name);
	free(name);
}

static void add_thread(struct firefox *f, uint32_t group)
{
	const struct pfx_export_group *of = &f->rows.groups[group];
	const struct pfx_profile_thread *thread = &f->profile->threads[of->thread];
	const struct pfx_profile_process *process = &f->profile->processes[thread->process];

	f->group = f->rows.at + of->first;
	f->nr_group = of->nr;
	make_markers(f, group);
	pfx_str_addc(f->to, '{');
	add_name_of(f, thread, of->column);
	pfx_str_addf(f->to, ",\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":\"%u\"",
		     thread->tid == process->pid ? "true" : "false", process->pid, thread->tid);
	pfx_json_add_text(f->to, "processName", process->comm);
	pfx_str_add(f->to, ",\"processType\":\"default\",\"processStartupTime\":0,"
			   "\"processShutdownTime\":null,\"pausedRanges\":[],"
			   "\"showMarkersInTimeline\":true");
	pfx_json_add_name(f->to, "registerTime");
	add_ms(f, since_start(f, thread->start));
	add_time(f, "unregisterTime", thread->end);
	add_samples(f, of->column);
	add_table(f, "markers", (uint32_t)f->markers.nr, marker_columns);
	pfx_str_addc(f->to, '}');
}

static void add_all(struct firefox *f)
{
	uint32_t i;

	pfx_str_addc(f->to, '{');
	add_meta(f);
	add_column(f, "libs", f->profile->nr_dsos, lib_cell);
	pfx_str_add(f->to, ",\"pages\":[],\"profilerOverhead\":[]");
	add_counters(f);
	add_shared(f);
	pfx_json_add_name(f->to, "threads");
	pfx_str_addc(f->to, '[');
	for (i = 0; i < f->rows.nr_groups && !pfx_export_flush(f->out); i++) {
		pfx_json_add_comma(f->to, i);
		add_thread(f, i);
	}
	pfx_str_add(f->to, "]}\n");
}

void pfx_export_firefox(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct firefox f = {
		.in = in,
		.profile = in->selection->profile,
		.out = out,
		.to = &out->text,
		.several = pfx_export_has_several(in->selection),
	};

	pfx_export_rows_make(&f.rows, in->selection);
	make_tables(&f);
	pfx_groups_make(&f.recorded, f.profile->nr_markers, f.profile->nr_threads + 1,
			thread_of_marker, f.profile);
	add_all(&f);
	pfx_export_rows_fini(&f.rows);
	pfx_intern_fini(&f.files);
	pfx_vec_free(&f.markers);
	pfx_groups_fini(&f.recorded);
	free(f.depth_of);
	free(f.file_of_function);
}
