/* SPDX-License-Identifier: MIT */
/*
 * Profiles of OpenTelemetry (opentelemetry.proto.profiles.v1development, as of version 1.11 of the
 * definitions): an ExportProfilesServiceRequest, as a collector takes it. An event is a Profile of
 * its own, with its name as an attribute. Samples with equal stack, thread and CPU are one, with
 * their values, and with their times where the wall-clock time is known. Samples are written twice,
 * first only to know the size of the messages around them. In tables, element 0 stands for nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "export/export_internal.h"
#include "export/output/protobuf.h"
#include "export/samples/export_frames.h"
#include "pfx_version.h"

enum { REQUEST_RESOURCE_PROFILES = 1, REQUEST_DICTIONARY };
enum { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPE_PROFILES };
enum { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES,
	PROFILE_TIME,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ID,
	PROFILE_ATTRIBUTES = 11,
};
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_VALUES = 4, SAMPLE_TIMES };
enum {
	TABLE_MAPPINGS = 1,
	TABLE_LOCATIONS,
	TABLE_FUNCTIONS,
	TABLE_LINKS,
	TABLE_STRINGS,
	TABLE_ATTRIBUTES,
	TABLE_STACKS,
};

#define PER_TASK 4 /* attributes of a thread under one of its names */

/* A frame; with functions inlined in others, base is the location of the outer ones, plus 1. */
struct location {
	uint32_t base, frame;
};

#define ENTRIES_IN_MEMORY (1u << 18) /* samples between two times that pages are dropped */
#define PUT_IN_MEMORY     (1u << 14) /* the same, where each may be in a page of its own */

/* Samples that are equal but for their time and weight. */
struct equal {
	uint32_t stack, task, cpu; /* as in the profile, but stack: of the selection */
	uint32_t row;              /* the first of them */
	uint64_t first, nr;        /* of the entries */
};

struct entry {
	uint64_t time, weight;
};

struct profile {
	uint32_t column;
	PFX_VEC(struct equal) samples; /* by stack, task and CPU */
	struct pfx_paged entries;      /* of each of them in order of time */
	uint64_t size;                 /* of its samples */
	struct pfx_str head;           /* its other fields */
};

struct otlp {
	const struct pfx_export_input *in;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_intern texts, attributes;
	struct pfx_str message, part, scratch;
	struct pfx_str attribute_table; /* encoded elements */
	PFX_VEC(struct location) locations;
	struct pfx_hash by_frames;
	uint32_t *location_of;    /* by node of the selection */
	uint32_t *stack_of;       /* by node: its stack, 0: none yet */
	PFX_VEC(uint32_t) stacks; /* nodes, from stack 1 on */
	uint64_t *task_attributes, *cpu_attributes;
	PFX_VEC(uint64_t) path, values, times;
	struct profile *profiles;
	uint32_t nr_profiles;
	bool has_times;
};

/* --- texts and attributes --- */

static uint32_t text_id(struct otlp *o, const char *text)
{
	pfx_str_clear(&o->scratch);
	pfx_str_add_foreign(&o->scratch, text);
	return pfx_intern_str(&o->texts, pfx_str_get(&o->scratch));
}

/* AnyValue: a text, or a number. */
static void add_value(struct pfx_str *to, unsigned field, const char *text, uint64_t number)
{
	struct pfx_str value = {0}, safe = {0};

	if (text) {
		pfx_str_add_foreign(&safe, text);
		pfx_protobuf_bytes(&value, 1, pfx_str_get(&safe), safe.len);
	} else {
		pfx_protobuf_number(&value, 3, number);
		if (!number)
			pfx_str_addn(&value, "\x18\0", 2); /* a member of a oneof is written */
	}
	pfx_protobuf_message(to, field, &value);
	pfx_str_fini(&value);
	pfx_str_fini(&safe);
}

/* The index of an attribute of the dictionary; 0 is none. */
static uint32_t attribute(struct otlp *o, const char *key, const char *text, uint64_t number)
{
	uint32_t id, before = o->attributes.nr;
	struct pfx_str row = {0};

	pfx_protobuf_number(&row, 1, text_id(o, key));
	add_value(&row, 2, text, number);
	id = pfx_intern_add(&o->attributes, pfx_str_get(&row), row.len);
	if (o->attributes.nr > before)
		pfx_protobuf_message(&o->attribute_table, TABLE_ATTRIBUTES, &row);
	pfx_str_fini(&row);
	return id + 1;
}

/* KeyValue, of resources: the key is a text. */
static void add_pair(struct pfx_str *to, const char *key, const char *text)
{
	struct pfx_str pair = {0};

	if (!text || !*text)
		return;
	pfx_protobuf_bytes(&pair, 1, key, strlen(key));
	add_value(&pair, 2, text, 0);
	pfx_protobuf_message(to, 1, &pair);
	pfx_str_fini(&pair);
}

static void make_attributes(struct otlp *o)
{
	const struct pfx_profile *p = o->profile;
	const struct pfx_profile_thread *thread;
	uint64_t *at;
	uint32_t i;

	o->task_attributes = pfx_calloc(p->nr_tasks + 1ul, PER_TASK * sizeof(*at));
	for (i = 0; i < p->nr_tasks; i++) {
		thread = &p->threads[p->tasks[i].thread];
		at = &o->task_attributes[PER_TASK * i];
		at[0] = attribute(o, "process.pid", NULL, p->processes[thread->process].pid);
		at[1] = attribute(o, "process.executable.name", p->processes[thread->process].comm,
				  0);
		at[2] = attribute(o, "thread.id", NULL, thread->tid);
		at[3] = attribute(o, "thread.name", p->comms[p->tasks[i].comm], 0);
	}
	o->cpu_attributes = pfx_calloc(p->nr_cpus + 1ul, sizeof(*at));
	for (i = 0; i < p->nr_cpus; i++)
		if (p->cpus[i] != UINT32_MAX)
			o->cpu_attributes[i] = attribute(o, "cpu.logical_number", NULL, p->cpus[i]);
}

/* --- locations and stacks --- */

static void make_locations(struct otlp *o)
{
	const struct pfx_nodes *nodes = &o->in->selection->nodes;
	uint32_t *of = pfx_calloc(nodes->nr + 1ul, sizeof(*of)), i;
	struct location location;
	uint64_t *at;
	bool is_new;

	for (i = 1; i < nodes->nr; i++) {
		location.base =
			pfx_export_is_in_parent(o->in->selection, i) ? of[nodes->parent[i]] + 1 : 0;
		location.frame = nodes->frame[i];
		at = pfx_hash_add(&o->by_frames, (uint64_t)location.base << 32 | location.frame,
				  &is_new);
		if (is_new) {
			*at = o->locations.nr;
			pfx_vec_push(&o->locations, location);
		}
		of[i] = (uint32_t)*at;
	}
	o->location_of = of;
	o->stack_of = pfx_calloc(nodes->nr + 1ul, sizeof(*o->stack_of));
}

/* The root alone is a stack without locations: stack 0. */
static uint32_t stack_id(struct otlp *o, uint32_t node)
{
	if (node && !o->stack_of[node]) {
		pfx_vec_push(&o->stacks, node);
		o->stack_of[node] = (uint32_t)o->stacks.nr;
	}
	return o->stack_of[node];
}

static void add_stack(struct otlp *o, uint32_t node)
{
	const struct pfx_nodes *nodes = &o->in->selection->nodes;

	o->path.nr = 0;
	for (; node; node = nodes->parent[node]) {
		pfx_vec_push(&o->path, o->location_of[node] + 1ull);
		while (pfx_export_is_in_parent(o->in->selection, node))
			node = nodes->parent[node];
	}
	pfx_protobuf_packed(&o->message, 1, o->path.at, o->path.nr);
}

static void add_line(struct otlp *o, const struct pfx_profile_frame *frame)
{
	pfx_protobuf_number(&o->part, 1, frame->function + 1ull);
	pfx_protobuf_number(&o->part, 2, frame->line);
	pfx_protobuf_message(&o->message, 3, &o->part);
}

static void add_location(struct otlp *o, uint32_t id)
{
	const struct location *location = &o->locations.at[id];
	const struct pfx_profile_frame *frame = &o->profile->frames[location->frame];
	uint64_t kind;

	if (frame->dso != PFX_NO_ID)
		pfx_protobuf_number(&o->message, 1, frame->dso + 1ull);
	pfx_protobuf_number(&o->message, 2, frame->address);
	add_line(o, frame);
	kind = attribute(o, "profile.frame.type",
			 o->profile->functions[frame->function].level == 'k' ? "kernel" : "native",
			 0);
	while (location->base) {
		location = &o->locations.at[location->base - 1];
		add_line(o, &o->profile->frames[location->frame]);
	}
	pfx_protobuf_packed(&o->message, 4, &kind, 1);
}

/* --- samples --- */

static void add_sample_attributes(struct otlp *o, uint32_t row)
{
	const uint64_t *task = &o->task_attributes[PER_TASK * o->profile->row_task[row]];
	uint64_t ids[PER_TASK + 1];

	memcpy(ids, task, PER_TASK * sizeof(*ids));
	ids[PER_TASK] = o->cpu_attributes[o->profile->row_cpu[row]];
	pfx_protobuf_packed(&o->message, SAMPLE_ATTRIBUTES, ids, PER_TASK + (ids[PER_TASK] != 0));
}

static const struct entry *entries_of(const struct profile *profile)
{
	return profile->entries.at;
}

/* With times a value for each, else their sum. */
static void add_values(struct otlp *o, const struct entry *entries, uint64_t nr)
{
	uint64_t sum = 0, wall = 0, i;

	o->values.nr = o->times.nr = 0;
	for (i = 0; i < nr; i++) {
		sum += entries[i].weight;
		if (!o->has_times)
			continue;
		pfx_export_wall_time(o->in->meta, entries[i].time, &wall);
		pfx_vec_push(&o->values, entries[i].weight);
		pfx_vec_push(&o->times, wall);
	}
	if (!o->has_times)
		pfx_vec_push(&o->values, sum);
	pfx_protobuf_packed(&o->message, SAMPLE_VALUES, o->values.at, o->values.nr);
	pfx_protobuf_packed_fixed(&o->message, SAMPLE_TIMES, o->times.at, o->times.nr);
}

/* Appends to o->message. */
static void make_sample(struct otlp *o, const struct profile *profile, const struct equal *of)
{
	pfx_protobuf_number(&o->message, SAMPLE_STACK,
			    stack_id(o, pfx_selection_node(o->in->selection, of->row)));
	add_sample_attributes(o, of->row);
	add_values(o, entries_of(profile) + of->first, of->nr);
	if (of->first / ENTRIES_IN_MEMORY != (of->first + of->nr) / ENTRIES_IN_MEMORY)
		pfx_paged_drop(&profile->entries);
}

static void measure_samples(struct otlp *o, struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->samples.nr; i++) {
		make_sample(o, profile, &profile->samples.at[i]);
		profile->size +=
			pfx_protobuf_open_size(PROFILE_SAMPLES, o->message.len) + o->message.len;
		pfx_str_clear(&o->message);
	}
}

static void add_samples(struct otlp *o, const struct profile *profile)
{
	size_t i;

	for (i = 0; i < profile->samples.nr && !pfx_export_flush(o->out); i++) {
		make_sample(o, profile, &profile->samples.at[i]);
		pfx_protobuf_message(&o->out->text, PROFILE_SAMPLES, &o->message);
	}
}

/* --- profiles --- */

static void add_type(struct otlp *o, struct pfx_str *to, unsigned field, const char *type,
		     const char *unit)
{
	pfx_protobuf_number(&o->message, 1, text_id(o, type));
	pfx_protobuf_number(&o->message, 2, text_id(o, unit));
	pfx_protobuf_message(to, field, &o->message);
}

/* FNV-1a: the hashes of lib/base differ from run to run. */
static uint64_t mix(uint64_t hash, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return hash;
}

/* 16 bytes that are equal for equal recordings, and differ for others. */
static void add_id(struct otlp *o, struct pfx_str *to, const char *event)
{
	const struct pfx_env *env = &o->in->meta->env;
	struct pfx_str id = {0};

	pfx_str_clear(&o->scratch);
	pfx_str_addf(&o->scratch, "%s %s %llu %llu %u", env->hostname ? env->hostname : "", event,
		     (unsigned long long)o->profile->first_time,
		     (unsigned long long)o->profile->last_time, o->in->selection->nr_rows);
	pfx_str_addf(
		&id, "%08llx",
		(unsigned long long)(mix(0xcbf29ce484222325ull, o->scratch.at, o->scratch.len) &
				     UINT32_MAX));
	pfx_str_addf(
		&id, "%08llx",
		(unsigned long long)(mix(0x84222325cbf29ce4ull, o->scratch.at, o->scratch.len) &
				     UINT32_MAX));
	pfx_protobuf_bytes(to, PROFILE_ID, id.at, id.len);
	pfx_str_fini(&id);
}

static void make_head(struct otlp *o, struct profile *profile)
{
	uint32_t event = o->in->selection->events[profile->column];
	const struct pfx_attr *attr = &o->in->meta->events[event]->attr;
	const char *name = o->profile->events[event].name;
	bool is_time = pfx_export_counts_ns(o->in, profile->column);
	const char *unit = is_time ? "nanoseconds" : "count";
	uint64_t wall, id;

	if (o->in->measure == PFX_MEASURE_SAMPLES)
		add_type(o, &profile->head, PROFILE_SAMPLE_TYPE, "samples", "count");
	else
		add_type(o, &profile->head, PROFILE_SAMPLE_TYPE, is_time ? "cpu" : name, unit);
	if (pfx_export_wall_time(o->in->meta, o->profile->first_time, &wall))
		pfx_protobuf_fixed(&profile->head, PROFILE_TIME, wall);
	pfx_protobuf_number(&profile->head, PROFILE_DURATION,
			    o->profile->last_time - o->profile->first_time);
	if (!(attr->flags & PFX_ATTR_FREQ)) {
		add_type(o, &profile->head, PROFILE_PERIOD_TYPE, is_time ? "cpu" : name, unit);
		pfx_protobuf_number(&profile->head, PROFILE_PERIOD, attr->sample_period);
	}
	add_id(o, &profile->head, name);
	id = attribute(o, "perf.event", name, 0);
	pfx_protobuf_packed(&profile->head, PROFILE_ATTRIBUTES, &id, 1);
}

/* The size that an array grows to; it only grows if @need is more than it has. */
static size_t room_for(const struct pfx_paged *array, size_t need)
{
	return need <= array->size ? need : need + need / 2;
}

/* The rows of a profile's event, in their order. */
struct taking {
	struct profile *profile;
	struct pfx_hash places, known; /* task and CPU: a number; with the stack: of samples */
	struct pfx_paged ids;          /* by row of the event: of samples */
	uint64_t nr;
	uint32_t *order; /* of samples */
};

static uint32_t equal_of(struct taking *taking, uint32_t stack, uint32_t row,
			 const struct pfx_profile *from)
{
	uint32_t task = from->row_task[row], cpu = from->row_cpu[row];
	uint64_t *place, *at;
	bool is_new;

	place = pfx_hash_add(&taking->places, (uint64_t)task << 32 | cpu, &is_new);
	if (is_new)
		*place = taking->places.nr;
	at = pfx_hash_add(&taking->known, (uint64_t)stack << 32 | *place, &is_new);
	if (is_new) {
		*at = taking->profile->samples.nr;
		pfx_vec_push(
			&taking->profile->samples,
			((struct equal){.stack = stack, .task = task, .cpu = cpu, .row = row}));
	}
	return (uint32_t)*at;
}

static void find_equal(struct otlp *o, struct taking *taking, uint32_t event)
{
	const struct pfx_selection *selection = o->in->selection;
	uint32_t i, row, id, *ids;

	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		pfx_profile_pass(o->profile, row);
		if (o->profile->row_event[row] != event)
			continue;
		id = equal_of(taking, selection->stack_at[o->profile->row_stack[row]], row,
			      o->profile);
		taking->profile->samples.at[id].nr++;
		ids = pfx_paged_grow(&taking->ids, room_for(&taking->ids, (taking->nr + 1) * 4));
		ids[taking->nr++] = id;
		if (taking->nr % ENTRIES_IN_MEMORY == 0)
			pfx_paged_drop(&taking->ids);
	}
}

static int by_stack(const void *x, const void *y, void *context)
{
	const struct profile *profile = context;
	const struct equal *a = &profile->samples.at[*(const uint32_t *)x];
	const struct equal *b = &profile->samples.at[*(const uint32_t *)y];

	if (a->stack != b->stack)
		return a->stack > b->stack ? 1 : -1;
	if (a->task != b->task)
		return a->task > b->task ? 1 : -1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

/* Gives each its part of the entries, in this order. */
static void place_equal(struct taking *taking)
{
	struct profile *profile = taking->profile;
	uint32_t nr = (uint32_t)profile->samples.nr, i;
	struct equal *of;
	uint64_t first = 0;

	taking->order = pfx_malloc((nr + 1ul) * sizeof(*taking->order));
	for (i = 0; i < nr; i++)
		taking->order[i] = i;
	qsort_r(taking->order, nr, sizeof(*taking->order), by_stack, profile);
	for (i = 0; i < nr; i++) {
		of = &profile->samples.at[taking->order[i]];
		of->first = first;
		first += of->nr;
		of->nr = 0;
	}
}

static void put_entries(struct otlp *o, struct taking *taking, uint32_t event)
{
	const struct pfx_selection *selection = o->in->selection;
	struct profile *profile = taking->profile;
	struct entry *entries = pfx_paged_grow(&profile->entries, taking->nr * sizeof(*entries));
	uint64_t drop_after =
		profile->samples.nr > PUT_IN_MEMORY ? PUT_IN_MEMORY : ENTRIES_IN_MEMORY;
	const uint32_t *ids = taking->ids.at;
	struct equal *of;
	uint64_t nr = 0;
	uint32_t i, row;

	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		pfx_profile_pass(o->profile, row);
		if (o->profile->row_event[row] != event)
			continue;
		of = &profile->samples.at[ids[nr++]];
		entries[of->first + of->nr++] = (struct entry){
			o->profile->row_time ? o->profile->row_time[row] : 0,
			pfx_row_weight(o->profile, o->in->measure, row),
		};
		if (nr % drop_after == 0)
			pfx_paged_drop(&profile->entries);
		if (nr % ENTRIES_IN_MEMORY == 0)
			pfx_paged_drop(&taking->ids);
	}
}

/* Equal samples beside each other. The order of memory is that of the rows, so that rows in files
 * are read from the first to the last. */
static void take_rows(struct otlp *o, struct profile *profile)
{
	uint32_t event = o->in->selection->events[profile->column], i;
	struct taking taking = {.profile = profile};
	struct equal *sorted;

	find_equal(o, &taking, event);
	place_equal(&taking);
	put_entries(o, &taking, event);
	sorted = pfx_malloc((profile->samples.nr + 1) * sizeof(*sorted));
	for (i = 0; i < profile->samples.nr; i++)
		sorted[i] = profile->samples.at[taking.order[i]];
	free(profile->samples.at);
	profile->samples.at = sorted;
	pfx_hash_fini(&taking.places);
	pfx_hash_fini(&taking.known);
	pfx_paged_free(&taking.ids);
	free(taking.order);
}

static void make_profiles(struct otlp *o)
{
	uint32_t *columns, i;

	o->nr_profiles = pfx_export_columns(o->in->selection, &columns);
	o->profiles = pfx_calloc(o->nr_profiles + 1ul, sizeof(*o->profiles));
	for (i = 0; i < o->nr_profiles; i++) {
		o->profiles[i].column = columns[i];
		take_rows(o, &o->profiles[i]);
		make_head(o, &o->profiles[i]);
		measure_samples(o, &o->profiles[i]);
	}
	free(columns);
}

static void make_resource(struct otlp *o, struct pfx_str *to)
{
	const struct pfx_env *env = &o->in->meta->env;
	struct pfx_str command = {0};

	pfx_export_add_words(&command, &env->cmdline, 0);
	add_pair(to, "host.name", env->hostname);
	add_pair(to, "host.arch", env->arch);
	add_pair(to, "os.type", "linux");
	add_pair(to, "os.version", env->osrelease);
	add_pair(to, "process.command_line", pfx_str_get(&command));
	pfx_str_fini(&command);
}

static uint64_t with_frame(unsigned field, uint64_t size)
{
	return pfx_protobuf_open_size(field, size) + size;
}

static void add_profiles(struct otlp *o)
{
	struct pfx_str resource = {0}, scope = {0}, *to = &o->out->text;
	uint64_t size, all;
	uint32_t i;

	make_resource(o, &resource);
	pfx_protobuf_bytes(&scope, 1, "pfx", 3);
	pfx_protobuf_bytes(&scope, 2, PFX_VERSION, strlen(PFX_VERSION));
	size = with_frame(SCOPE_PROFILES_SCOPE, scope.len);
	for (i = 0; i < o->nr_profiles; i++)
		size += with_frame(SCOPE_PROFILES_PROFILES,
				   o->profiles[i].head.len + o->profiles[i].size);
	all = with_frame(RESOURCE_PROFILES_RESOURCE, resource.len) +
	      with_frame(RESOURCE_PROFILES_SCOPE_PROFILES, size);
	pfx_protobuf_open(to, REQUEST_RESOURCE_PROFILES, all);
	pfx_protobuf_message(to, RESOURCE_PROFILES_RESOURCE, &resource);
	pfx_protobuf_open(to, RESOURCE_PROFILES_SCOPE_PROFILES, size);
	pfx_protobuf_message(to, SCOPE_PROFILES_SCOPE, &scope);
	for (i = 0; i < o->nr_profiles; i++) {
		pfx_protobuf_open(to, SCOPE_PROFILES_PROFILES,
				  o->profiles[i].head.len + o->profiles[i].size);
		pfx_str_addn(to, o->profiles[i].head.at, o->profiles[i].head.len);
		add_samples(o, &o->profiles[i]);
	}
	pfx_str_fini(&resource);
	pfx_str_fini(&scope);
}

/* --- the dictionary --- */

static void add_mappings(struct otlp *o, struct pfx_str *to)
{
	const struct pfx_profile_dso *dso;
	uint64_t id;
	uint32_t i;

	pfx_protobuf_message(to, TABLE_MAPPINGS, &o->message); /* element 0 */
	for (i = 0; i < o->profile->nr_dsos; i++) {
		dso = &o->profile->dsos[i];
		pfx_protobuf_number(&o->message, 4, text_id(o, dso->name));
		if (dso->build_id_size) {
			struct pfx_str text = {0};

			pfx_export_add_build_id(&text, dso);
			id = attribute(o, "process.executable.build_id.gnu", pfx_str_get(&text), 0);
			pfx_protobuf_packed(&o->message, 5, &id, 1);
			pfx_str_fini(&text);
		}
		pfx_protobuf_message(to, TABLE_MAPPINGS, &o->message);
	}
}

static void add_functions(struct otlp *o, struct pfx_str *to)
{
	const char **files = pfx_export_files(o->profile);
	uint32_t i, name;

	pfx_protobuf_message(to, TABLE_FUNCTIONS, &o->message);
	for (i = 0; i < o->profile->nr_functions; i++) {
		name = text_id(o, o->profile->functions[i].name);
		pfx_protobuf_number(&o->message, 1, name);
		pfx_protobuf_number(&o->message, 2, name);
		if (files[i])
			pfx_protobuf_number(&o->message, 3, text_id(o, files[i]));
		pfx_protobuf_message(to, TABLE_FUNCTIONS, &o->message);
	}
	free(files);
}

/* No sample has a link; element 0 has ids of zeros. */
static void add_links(struct pfx_str *to)
{
	static const char zeros[16];
	struct pfx_str link = {0};

	pfx_protobuf_bytes(&link, 1, zeros, 16);
	pfx_protobuf_bytes(&link, 2, zeros, 8);
	pfx_protobuf_message(to, TABLE_LINKS, &link);
	pfx_str_fini(&link);
}

static void add_dictionary(struct otlp *o)
{
	struct pfx_str table = {0};
	size_t i;

	add_mappings(o, &table);
	pfx_protobuf_message(&table, TABLE_LOCATIONS, &o->message);
	for (i = 0; i < o->locations.nr; i++) {
		add_location(o, (uint32_t)i);
		pfx_protobuf_message(&table, TABLE_LOCATIONS, &o->message);
	}
	add_functions(o, &table);
	add_links(&table);
	pfx_protobuf_message(&table, TABLE_ATTRIBUTES, &o->message);
	if (o->attribute_table.len)
		pfx_str_addn(&table, o->attribute_table.at, o->attribute_table.len);
	pfx_protobuf_message(&table, TABLE_STACKS, &o->message);
	for (i = 0; i < o->stacks.nr; i++) {
		add_stack(o, o->stacks.at[i]);
		pfx_protobuf_message(&table, TABLE_STACKS, &o->message);
	}
	for (i = 0; i < o->texts.nr; i++)
		pfx_protobuf_bytes(&table, TABLE_STRINGS, pfx_intern_get(&o->texts, (uint32_t)i),
				   o->texts.entries[i].len);
	pfx_protobuf_message(&o->out->text, REQUEST_DICTIONARY, &table);
	pfx_str_fini(&table);
}

static void otlp_fini(struct otlp *o)
{
	uint32_t i;

	for (i = 0; i < o->nr_profiles; i++) {
		pfx_vec_free(&o->profiles[i].samples);
		pfx_paged_free(&o->profiles[i].entries);
		pfx_str_fini(&o->profiles[i].head);
	}
	free(o->profiles);
	pfx_intern_fini(&o->texts);
	pfx_intern_fini(&o->attributes);
	pfx_str_fini(&o->message);
	pfx_str_fini(&o->part);
	pfx_str_fini(&o->scratch);
	pfx_str_fini(&o->attribute_table);
	pfx_vec_free(&o->locations);
	pfx_vec_free(&o->stacks);
	pfx_vec_free(&o->path);
	pfx_vec_free(&o->values);
	pfx_vec_free(&o->times);
	pfx_hash_fini(&o->by_frames);
	free(o->location_of);
	free(o->stack_of);
	free(o->task_attributes);
	free(o->cpu_attributes);
}

void pfx_export_otlp(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct otlp o = {.in = in, .profile = in->selection->profile, .out = out};
	uint64_t wall;

	o.has_times =
		o.profile->row_time && pfx_export_wall_time(in->meta, o.profile->first_time, &wall);
	text_id(&o, ""); /* text 0 */
	make_attributes(&o);
	make_locations(&o);
	make_profiles(&o);
	add_profiles(&o);
	add_dictionary(&o);
	otlp_fini(&o);
}
