/* SPDX-License-Identifier: MIT */
/*
 * profile.proto of pprof, streamed. An event has two values, the number of samples and the sum of
 * periods, so that several events are side by side. A location is an address with the functions
 * inlined there; addresses are those in the binary. Labels are named as in Google's converter of
 * perf.data. Numbers of fields: proto/profile.proto of github.com/google/pprof.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "export/export_internal.h"
#include "export/output/protobuf.h"
#include "export/samples/export_frames.h"

enum { /* fields of Profile */
       SAMPLE_TYPE = 1,
       SAMPLE,
       MAPPING,
       LOCATION,
       FUNCTION,
       STRING_TABLE,
       TIME_NANOS = 9,
       DURATION_NANOS,
       PERIOD_TYPE,
       PERIOD,
       COMMENT,
       DEFAULT_SAMPLE_TYPE,
};

#define PAGE 4096ull

/* A frame; with functions inlined in others, base is the location of the outer ones, plus 1. */
struct location {
	uint32_t base, frame;
};

struct pprof {
	const struct pfx_export_input *in;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_intern texts;
	struct pfx_str message, part, text; /* scratch */
	PFX_VEC(struct location) locations;
	struct pfx_hash by_frames;
	uint32_t *location_of; /* by node of the selection */
	uint32_t *mapping_of;  /* by dso: its number, from 1 */
	uint32_t *columns, nr_columns;
	uint64_t *values;
	PFX_VEC(uint64_t) path;
};

/* --- texts --- */

static uint32_t text_id(struct pprof *pprof, const char *text)
{
	pfx_str_clear(&pprof->text);
	pfx_str_add_foreign(&pprof->text, text);
	return pfx_intern_str(&pprof->texts, pfx_str_get(&pprof->text));
}

static void add_texts(struct pprof *pprof)
{
	uint32_t i;

	for (i = 0; i < pprof->texts.nr && !pfx_export_flush(pprof->out); i++)
		pfx_protobuf_bytes(&pprof->out->text, STRING_TABLE,
				   pfx_intern_get(&pprof->texts, i), pprof->texts.entries[i].len);
}

/* --- types of values --- */

static void add_type(struct pprof *pprof, unsigned field, const char *type, const char *unit)
{
	pfx_protobuf_number(&pprof->message, 1, text_id(pprof, type));
	pfx_protobuf_number(&pprof->message, 2, text_id(pprof, unit));
	pfx_protobuf_message(&pprof->out->text, field, &pprof->message);
}

static const char *name_of_column(const struct pprof *pprof, uint32_t column)
{
	return pprof->profile->events[pprof->in->selection->events[column]].name;
}

static const char *unit_of(const struct pprof *pprof, uint32_t column)
{
	return pfx_export_counts_ns(pprof->in, column) ? "nanoseconds" : "count";
}

/* The type of a column's periods, which the caller frees. A single event has the names that pprof
 * gives to profiles of CPU time. */
static char *type_of_periods(const struct pprof *pprof, uint32_t column)
{
	const char *name = name_of_column(pprof, column);

	if (pprof->nr_columns != 1)
		return pfx_strfmt("%s_event", name);
	return pfx_strdup(pfx_export_counts_ns(pprof->in, column) ? "cpu" : name);
}

static void add_types_of(struct pprof *pprof, uint32_t column)
{
	char *periods = type_of_periods(pprof, column);
	char *samples = pprof->nr_columns == 1
				? pfx_strdup("samples")
				: pfx_strfmt("%s_sample", name_of_column(pprof, column));

	add_type(pprof, SAMPLE_TYPE, samples, "count");
	add_type(pprof, SAMPLE_TYPE, periods, unit_of(pprof, column));
	free(samples);
	free(periods);
}

static void add_period(struct pprof *pprof, const char *type)
{
	const struct pfx_attr *attr;

	if (pprof->nr_columns != 1)
		return;
	attr = &pprof->in->meta->events[pprof->in->selection->events[pprof->columns[0]]]->attr;
	if (attr->flags & PFX_ATTR_FREQ)
		return;
	add_type(pprof, PERIOD_TYPE, type, unit_of(pprof, pprof->columns[0]));
	pfx_protobuf_number(&pprof->out->text, PERIOD, attr->sample_period);
}

/* The periods of the first event are shown unless the reader asks for others. */
static void add_types(struct pprof *pprof)
{
	char *first;
	uint32_t i;

	for (i = 0; i < pprof->nr_columns; i++)
		add_types_of(pprof, pprof->columns[i]);
	if (!i)
		return;
	first = type_of_periods(pprof, pprof->columns[0]);
	pfx_protobuf_number(&pprof->out->text, DEFAULT_SAMPLE_TYPE, text_id(pprof, first));
	add_period(pprof, first);
	free(first);
}

/* --- mappings --- */

/* The file of the program: pprof shows the name of the first mapping. */
static bool is_main(const struct pfx_profile *profile, const struct pfx_profile_dso *dso)
{
	uint32_t i;

	for (i = 0; dso->kind == PFX_DSO_FILE && i < profile->nr_processes; i++)
		if (*profile->processes[i].comm &&
		    !strncmp(dso->short_name, profile->processes[i].comm,
			     strlen(profile->processes[i].comm)))
			return true;
	return false;
}

/* The first address after all that are shown. */
static uint64_t *ends_of_dsos(const struct pfx_profile *profile)
{
	uint64_t *ends = pfx_calloc(profile->nr_dsos + 1ul, sizeof(*ends));
	const struct pfx_profile_frame *frame;
	uint32_t i;

	for (i = 0; i < profile->nr_frames; i++) {
		frame = &profile->frames[i];
		if (frame->dso != PFX_NO_ID && frame->address >= ends[frame->dso])
			ends[frame->dso] = frame->address | (PAGE - 1);
	}
	for (i = 0; i < profile->nr_dsos; i++)
		ends[i] += ends[i] != UINT64_MAX;
	return ends;
}

static uint32_t build_id_text(struct pprof *pprof, const struct pfx_profile_dso *dso)
{
	pfx_str_clear(&pprof->text);
	pfx_export_add_build_id(&pprof->text, dso);
	return pfx_intern_str(&pprof->texts, pfx_str_get(&pprof->text));
}

static void add_mapping(struct pprof *pprof, const struct pfx_profile_dso *dso, uint32_t id,
			uint64_t end)
{
	struct pfx_str *to = &pprof->message;
	unsigned flag;

	pfx_protobuf_number(to, 1, id);
	pfx_protobuf_number(to, 3, end);
	pfx_protobuf_number(to, 5, text_id(pprof, dso->name));
	pfx_protobuf_number(to, 6, build_id_text(pprof, dso));
	for (flag = 7; flag <= 10; flag++)
		pfx_protobuf_number(to, flag, 1);
	pfx_protobuf_message(&pprof->out->text, MAPPING, to);
}

static void add_mappings(struct pprof *pprof)
{
	const struct pfx_profile *profile = pprof->profile;
	uint64_t *ends = ends_of_dsos(profile);
	uint32_t main = 0, i, dso, nr = 0;

	pprof->mapping_of = pfx_calloc(profile->nr_dsos + 1ul, sizeof(*pprof->mapping_of));
	while (main < profile->nr_dsos && !is_main(profile, &profile->dsos[main]))
		main++;
	if (main == profile->nr_dsos)
		main = 0;
	for (i = 0; i < profile->nr_dsos; i++) {
		dso = i == 0 ? main : i <= main ? i - 1 : i;
		pprof->mapping_of[dso] = ++nr;
		add_mapping(pprof, &profile->dsos[dso], nr, ends[dso]);
	}
	free(ends);
}

/* --- functions and locations --- */

static void add_functions(struct pprof *pprof)
{
	const struct pfx_profile *profile = pprof->profile;
	const char **files = pfx_export_files(profile);
	uint32_t i, name;

	for (i = 0; i < profile->nr_functions && !pfx_export_flush(pprof->out); i++) {
		name = text_id(pprof, profile->functions[i].name);
		pfx_protobuf_number(&pprof->message, 1, i + 1ull);
		pfx_protobuf_number(&pprof->message, 2, name);
		pfx_protobuf_number(&pprof->message, 3, name);
		if (files[i])
			pfx_protobuf_number(&pprof->message, 4, text_id(pprof, files[i]));
		pfx_protobuf_message(&pprof->out->text, FUNCTION, &pprof->message);
	}
	free(files);
}

static void make_locations(struct pprof *pprof)
{
	const struct pfx_nodes *nodes = &pprof->in->selection->nodes;
	uint32_t *of = pfx_calloc(nodes->nr + 1ul, sizeof(*of)), i;
	struct location location;
	uint64_t *at;
	bool is_new;

	for (i = 1; i < nodes->nr; i++) {
		location.base = pfx_export_is_in_parent(pprof->in->selection, i)
					? of[nodes->parent[i]] + 1
					: 0;
		location.frame = nodes->frame[i];
		at = pfx_hash_add(&pprof->by_frames, (uint64_t)location.base << 32 | location.frame,
				  &is_new);
		if (is_new) {
			*at = pprof->locations.nr;
			pfx_vec_push(&pprof->locations, location);
		}
		of[i] = (uint32_t)*at;
	}
	pprof->location_of = of;
}

static void add_line(struct pprof *pprof, const struct pfx_profile_frame *frame)
{
	pfx_protobuf_number(&pprof->part, 1, frame->function + 1ull);
	pfx_protobuf_number(&pprof->part, 2, frame->line);
	pfx_protobuf_message(&pprof->message, 4, &pprof->part);
}

static void add_location(struct pprof *pprof, uint32_t id)
{
	const struct location *location = &pprof->locations.at[id];
	const struct pfx_profile_frame *frame = &pprof->profile->frames[location->frame];

	pfx_protobuf_number(&pprof->message, 1, id + 1ull);
	if (frame->dso != PFX_NO_ID)
		pfx_protobuf_number(&pprof->message, 2, pprof->mapping_of[frame->dso]);
	pfx_protobuf_number(&pprof->message, 3, frame->address);
	add_line(pprof, frame);
	while (location->base) {
		location = &pprof->locations.at[location->base - 1];
		add_line(pprof, &pprof->profile->frames[location->frame]);
	}
	pfx_protobuf_message(&pprof->out->text, LOCATION, &pprof->message);
}

static void add_locations(struct pprof *pprof)
{
	uint32_t i;

	for (i = 0; i < pprof->locations.nr && !pfx_export_flush(pprof->out); i++)
		add_location(pprof, i);
}

/* --- samples --- */

static void add_text_label(struct pprof *pprof, const char *key, const char *text)
{
	pfx_protobuf_number(&pprof->part, 1, text_id(pprof, key));
	pfx_protobuf_number(&pprof->part, 2, text_id(pprof, text));
	pfx_protobuf_message(&pprof->message, 3, &pprof->part);
}

static void add_number_label(struct pprof *pprof, const char *key, uint64_t number)
{
	pfx_protobuf_number(&pprof->part, 1, text_id(pprof, key));
	pfx_protobuf_number(&pprof->part, 3, number);
	pfx_protobuf_message(&pprof->message, 3, &pprof->part);
}

static void add_labels(struct pprof *pprof, uint32_t row)
{
	const struct pfx_profile *profile = pprof->profile;
	const struct pfx_profile_task *task = &profile->tasks[profile->row_task[row]];
	const struct pfx_profile_thread *thread = &profile->threads[task->thread];
	uint32_t cpu = profile->cpus[profile->row_cpu[row]];

	add_number_label(pprof, "pid", profile->processes[thread->process].pid);
	add_number_label(pprof, "tid", thread->tid);
	add_text_label(pprof, "comm", profile->processes[thread->process].comm);
	add_text_label(pprof, "thread_comm", profile->comms[task->comm]);
	if (cpu != UINT32_MAX)
		add_number_label(pprof, "cpu", cpu);
}

static void make_path(struct pprof *pprof, uint32_t node)
{
	const struct pfx_nodes *nodes = &pprof->in->selection->nodes;

	pprof->path.nr = 0;
	for (; node; node = nodes->parent[node]) {
		pfx_vec_push(&pprof->path, pprof->location_of[node] + 1ull);
		while (pfx_export_is_in_parent(pprof->in->selection, node))
			node = nodes->parent[node];
	}
}

static void add_sample(struct pprof *pprof, uint32_t row)
{
	const struct pfx_selection *selection = pprof->in->selection;
	const struct pfx_profile *profile = pprof->profile;
	uint32_t column = pfx_selection_column(selection, profile->row_event[row]), i;

	make_path(pprof, pfx_selection_node(selection, row));
	for (i = 0; i < pprof->nr_columns; i++) {
		pprof->values[2 * i] =
			pprof->columns[i] == column ? pfx_profile_count(profile, row) : 0;
		pprof->values[2 * i + 1] =
			pprof->columns[i] == column ? profile->row_period[row] : 0;
	}
	pfx_protobuf_packed(&pprof->message, 1, pprof->path.at, pprof->path.nr);
	pfx_protobuf_packed(&pprof->message, 2, pprof->values, 2 * pprof->nr_columns);
	add_labels(pprof, row);
	pfx_protobuf_message(&pprof->out->text, SAMPLE, &pprof->message);
}

static void add_samples(struct pprof *pprof)
{
	const struct pfx_selection *selection = pprof->in->selection;
	uint32_t i;

	for (i = 0; i < selection->nr_rows && !pfx_export_flush(pprof->out); i++)
		add_sample(pprof, selection->rows[i]);
}

/* --- the recording --- */

static void add_comment(struct pprof *pprof, const char *what, const char *text)
{
	char *comment;

	if (!text)
		return;
	comment = pfx_strfmt("%s: %s", what, text);
	pfx_protobuf_number(&pprof->out->text, COMMENT, text_id(pprof, comment));
	free(comment);
}

static void add_facts(struct pprof *pprof)
{
	const struct pfx_profile *profile = pprof->profile;
	const struct pfx_env *env = &pprof->in->meta->env;
	struct pfx_str command = {0};
	uint64_t wall;

	if (pfx_export_wall_time(pprof->in->meta, profile->first_time, &wall))
		pfx_protobuf_number(&pprof->out->text, TIME_NANOS, wall);
	pfx_protobuf_number(&pprof->out->text, DURATION_NANOS,
			    profile->last_time - profile->first_time);
	pfx_export_add_words(&command, &env->cmdline, 0);
	add_comment(pprof, "host", env->hostname);
	add_comment(pprof, "command", command.len ? command.at : NULL);
	pfx_str_fini(&command);
}

static void pprof_fini(struct pprof *pprof)
{
	pfx_intern_fini(&pprof->texts);
	pfx_str_fini(&pprof->message);
	pfx_str_fini(&pprof->part);
	pfx_str_fini(&pprof->text);
	pfx_vec_free(&pprof->locations);
	pfx_vec_free(&pprof->path);
	pfx_hash_fini(&pprof->by_frames);
	free(pprof->location_of);
	free(pprof->mapping_of);
	free(pprof->columns);
	free(pprof->values);
}

void pfx_export_pprof(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pprof pprof = {.in = in, .profile = in->selection->profile, .out = out};

	pprof.nr_columns = pfx_export_columns(in->selection, &pprof.columns);
	pprof.values = pfx_calloc(pprof.nr_columns + 1ul, 2 * sizeof(*pprof.values));
	pfx_export_gzip(out);
	text_id(&pprof, ""); /* text 0 */
	add_types(&pprof);
	add_facts(&pprof);
	make_locations(&pprof);
	add_mappings(&pprof);
	add_functions(&pprof);
	add_locations(&pprof);
	add_samples(&pprof);
	add_texts(&pprof);
	pprof_fini(&pprof);
}
