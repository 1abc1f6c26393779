/* SPDX-License-Identifier: MIT */
/* The events and the header of a merged recording. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "rewrite/merge_internal.h"
#include "trace/format.h"

/* --- events --- */

/* What is counted and what a sample has. Other flags say which records a counter adds for the
 * others, and how it was started. */
#define MEANING                                                                                \
	(PFX_ATTR_EXCLUDE_USER | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV |               \
	 PFX_ATTR_EXCLUDE_IDLE | PFX_ATTR_EXCLUDE_HOST | PFX_ATTR_EXCLUDE_GUEST |              \
	 PFX_ATTR_EXCLUDE_CALLCHAIN_KERNEL | PFX_ATTR_EXCLUDE_CALLCHAIN_USER | PFX_ATTR_FREQ | \
	 PFX_ATTR_PRECISE_MASK | PFX_ATTR_DEFER_CALLCHAIN)
#define IDENTIFYING (PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_ID | PFX_SAMPLE_STREAM_ID)

/* The attr without what does not matter, and the name. */
static void describe_event(const struct pfx_event *event, struct pfx_buffer *to)
{
	struct pfx_attr attr = event->attr;

	attr.size = PFX_ATTR_SIZE_VER9;
	attr.tail_size = 0;
	attr.flags &= MEANING;
	attr.sample_type &= ~(uint64_t)IDENTIFYING;
	if (!(attr.sample_type & PFX_SAMPLE_READ))
		attr.read_format = 0;
	attr.wakeup = attr.aux_watermark = 0;
	attr.clockid = 0;
	pfx_attr_encode(&attr, to);
	pfx_buffer_cstr(to, event->name, 1);
}

/* Equal events of all inputs, by their description. */
struct kinds {
	struct pfx_intern descriptions;
	struct pfx_hash events; /* description, and which of the equal ones: event of the output */
	struct pfx_hash counts; /* by description: how many a recording has */
};

/* Where the event of the output is that this one is, plus 1; 0: a new one. The second of two equal
 * events of a recording is the second of the output. */
static uint64_t *find_event(struct kinds *kinds, const struct pfx_event *event)
{
	struct pfx_buffer text = {0};
	uint32_t kind;
	uint64_t nth;

	describe_event(event, &text);
	kind = pfx_intern_add(&kinds->descriptions, text.at, text.len);
	pfx_buffer_fini(&text);
	nth = (*pfx_hash_add(&kinds->counts, kind, NULL))++;
	return pfx_hash_add(&kinds->events, (uint64_t)kind << 32 | nth, NULL);
}

static void take_events(struct pfx_merge *merge, struct pfx_merge_source *source,
			struct kinds *kinds)
{
	const struct pfx_meta *from = pfx_recording_meta(source->recording);
	struct pfx_event *event;
	uint64_t *at;
	uint32_t i;

	pfx_hash_fini(&kinds->counts);
	for (i = 0; i < from->nr_events; i++) {
		at = find_event(kinds, from->events[i]);
		event = *at ? merge->meta->events[*at - 1] : NULL;
		if (!event) {
			*at = merge->meta->nr_events + 1ul;
			event = pfx_meta_add_event(merge->meta, &from->events[i]->attr,
						   from->events[i]->name);
			event->unit = from->events[i]->unit;
			event->scale = from->events[i]->scale;
		}
		event->attr.flags |= from->events[i]->attr.flags;
		pfx_vec_push(&source->events, event);
	}
}

/* Ids of the input become ids that no other recording has. */
static void take_ids(struct pfx_merge *merge, struct pfx_merge_source *source, uint64_t *next)
{
	const struct pfx_meta *from = pfx_recording_meta(source->recording);
	uint32_t i, k;

	for (i = 0; i < from->nr_events; i++) {
		pfx_vec_push(&source->first_ids, *next);
		for (k = 0; k < from->events[i]->nr_ids; k++) {
			*pfx_hash_add(&source->new_ids, from->events[i]->ids[k], NULL) = *next;
			pfx_meta_add_id(merge->meta, source->events.at[i], (*next)++);
		}
		if (!k)
			pfx_meta_add_id(merge->meta, source->events.at[i], (*next)++);
	}
}

/* With several events, records say which one they belong to, all in the same place. */
static void identify(struct pfx_meta *meta)
{
	uint32_t i;

	for (i = 0; meta->nr_events > 1 && i < meta->nr_events; i++) {
		meta->events[i]->attr.sample_type |= PFX_SAMPLE_IDENTIFIER;
		meta->events[i]->attr.flags |= PFX_ATTR_SAMPLE_ID_ALL;
	}
}

/* --- formats of tracepoints --- */

static bool has_tracepoints(const struct pfx_meta *meta)
{
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (meta->events[i]->attr.type == PFX_TYPE_TRACEPOINT)
			return true;
	return false;
}

static int compare_formats(const struct pfx_merge_source *source, struct pfx_trace *base,
			   struct pfx_trace *trace, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_recording_meta(source->recording);
	struct pfx_str one = {0}, other = {0};
	char shown[128], path[256];
	uint32_t i;
	int rc = 0;

	for (i = 0; i < meta->nr_events && !rc; i++) {
		const struct pfx_event *event = meta->events[i];

		if (event->attr.type != PFX_TYPE_TRACEPOINT)
			continue;
		pfx_str_clear(&one);
		pfx_str_clear(&other);
		if (pfx_trace_fields(base, event->attr.config, &one) ==
			    pfx_trace_fields(trace, event->attr.config, &other) &&
		    !strcmp(pfx_str_get(&one), pfx_str_get(&other)))
			continue;
		rc = -EINVAL;
		pfx_error_set(err, EINVAL, "'%s' has another format in '%s' than in the others",
			      pfx_escape(shown, sizeof(shown), event->name),
			      pfx_escape(path, sizeof(path), source->told.path));
		pfx_error_hint(err,
			       "tracepoints can be merged that were recorded by equal kernels");
	}
	pfx_str_fini(&one);
	pfx_str_fini(&other);
	return rc;
}

static int check_trace(const struct pfx_merge_source *source, const struct pfx_env_blob *base,
		       struct pfx_error *err)
{
	const struct pfx_env_blob *blob = &pfx_recording_meta(source->recording)->env.tracing_data;
	struct pfx_trace *one = NULL, *other = NULL;
	int rc;

	if (blob->size == base->size && !memcmp(blob->at, base->at, base->size))
		return 0;
	rc = pfx_trace_open(&one, base->at, base->size, err);
	if (rc >= 0)
		rc = pfx_trace_open(&other, blob->at, blob->size, err);
	if (rc >= 0)
		rc = compare_formats(source, one, other, err);
	pfx_trace_free(one);
	pfx_trace_free(other);
	return rc;
}

static int take_trace(struct pfx_merge *merge, struct pfx_error *err)
{
	struct pfx_env *env = &merge->meta->env;
	const struct pfx_meta *from;
	size_t i;
	int rc = 0;

	for (i = 0; i < merge->options.nr && !rc; i++) {
		from = pfx_recording_meta(merge->sources[i].recording);
		if (!from->env.tracing_data.size || !has_tracepoints(from))
			continue;
		if (env->tracing_data.size) {
			rc = check_trace(&merge->sources[i], &env->tracing_data, err);
			continue;
		}
		env->tracing_data = from->env.tracing_data;
		env->raw[PFX_FEAT_TRACING_DATA] = from->env.raw[PFX_FEAT_TRACING_DATA];
		pfx_env_set(env, PFX_FEAT_TRACING_DATA);
	}
	return rc;
}

/* --- the header --- */

static void unset(struct pfx_env *env, unsigned feature)
{
	pfx_env_unset(env, feature);
	env->raw[feature] = (struct pfx_env_blob){0};
}

/* Changed features lose their bytes, so that they are encoded anew. */
static void set(struct pfx_env *env, unsigned feature)
{
	env->raw[feature] = (struct pfx_env_blob){0};
	pfx_env_set(env, feature);
}

/* "one,two", each once. */
static void join_hosts(struct pfx_merge *merge)
{
	struct pfx_str names = {0};
	const char *name;
	size_t i, k;

	for (i = 0; i < merge->options.nr; i++) {
		name = merge->sources[i].told.hostname;
		for (k = 0; name && k < i; k++)
			if (merge->sources[k].told.hostname &&
			    !strcmp(merge->sources[k].told.hostname, name))
				break;
		if (name && k == i)
			pfx_str_addf(&names, "%s%s", names.len ? "," : "", name);
	}
	if (names.len) {
		merge->meta->env.hostname =
			pfx_arena_strdup(&merge->meta->arena, pfx_str_get(&names));
		set(&merge->meta->env, PFX_FEAT_HOSTNAME);
	}
	pfx_str_fini(&names);
}

/* Whether no earlier one is of the same file. */
static bool is_new_file(struct pfx_intern *files, struct pfx_str *key,
			const struct pfx_env_build_id *id)
{
	uint32_t nr = files->nr;

	pfx_str_clear(key);
	pfx_str_addn(key, (const char *)&id->pid, sizeof(id->pid));
	pfx_str_add(key, id->filename);
	return pfx_intern_add(files, key->at, key->len) == nr;
}

/* The first recording with a name counts; the others' binaries have theirs in their maps. */
static void join_build_ids(struct pfx_merge *merge)
{
	struct pfx_env *env = &merge->meta->env;
	const struct pfx_env *from;
	struct pfx_env_build_id *all;
	struct pfx_intern files = {0};
	struct pfx_str key = {0};
	uint32_t nr = 0, i;
	size_t k, max = 0;

	for (k = 0; k < merge->options.nr; k++)
		max += pfx_recording_meta(merge->sources[k].recording)->env.nr_build_ids;
	all = pfx_arena_alloc(&merge->meta->arena, (max + 1) * sizeof(*all));
	for (k = 0; k < merge->options.nr; k++) {
		from = &pfx_recording_meta(merge->sources[k].recording)->env;
		for (i = 0; i < from->nr_build_ids; i++)
			if (is_new_file(&files, &key, &from->build_ids[i]))
				all[nr++] = from->build_ids[i];
	}
	pfx_intern_fini(&files);
	pfx_str_fini(&key);
	env->build_ids = all;
	env->nr_build_ids = nr;
	if (nr)
		set(env, PFX_FEAT_BUILD_ID);
}

static void join_times(struct pfx_merge *merge)
{
	struct pfx_env *env = &merge->meta->env;
	const struct pfx_env *from;
	uint64_t first, last;
	size_t i;

	unset(env, PFX_FEAT_SAMPLE_TIME);
	env->first_sample_ns = UINT64_MAX;
	env->last_sample_ns = 0;
	for (i = 0; i < merge->options.nr; i++) {
		from = &pfx_recording_meta(merge->sources[i].recording)->env;
		if (!pfx_env_has(from, PFX_FEAT_SAMPLE_TIME))
			return;
		first = from->first_sample_ns + (uint64_t)merge->sources[i].told.time_shift;
		last = from->last_sample_ns + (uint64_t)merge->sources[i].told.time_shift;
		if (first < env->first_sample_ns)
			env->first_sample_ns = first;
		if (last > env->last_sample_ns)
			env->last_sample_ns = last;
	}
	set(env, PFX_FEAT_SAMPLE_TIME);
}

/* The common clock: that of the recording whose times do not change. */
static void take_clock(struct pfx_merge *merge)
{
	struct pfx_env *env = &merge->meta->env;
	const struct pfx_env *from;
	size_t i;

	for (i = 0; i < merge->options.nr; i++) {
		if (!merge->sources[i].told.has_clock) {
			unset(env, PFX_FEAT_CLOCK_DATA);
			return;
		}
		if (merge->sources[i].told.time_shift)
			continue;
		from = &pfx_recording_meta(merge->sources[i].recording)->env;
		env->clock_version = from->clock_version;
		env->clockid = from->clockid;
		env->wall_clock_ns = from->wall_clock_ns;
		env->clockid_ns = from->clockid_ns;
		set(env, PFX_FEAT_CLOCK_DATA);
	}
}

static void take_command(struct pfx_merge *merge)
{
	struct pfx_env *env = &merge->meta->env;
	size_t i;

	env->cmdline.nr = (uint32_t)merge->options.nr_command;
	env->cmdline.at = pfx_arena_alloc(&merge->meta->arena,
					  (env->cmdline.nr + 1ul) * sizeof(*env->cmdline.at));
	for (i = 0; i < env->cmdline.nr; i++)
		env->cmdline.at[i] = merge->options.command[i];
	set(env, PFX_FEAT_CMDLINE);
}

static void join_cpus(struct pfx_merge *merge)
{
	struct pfx_env *env = &merge->meta->env;
	const struct pfx_env *from;
	size_t i;

	for (i = 0; i < merge->options.nr; i++) {
		from = &pfx_recording_meta(merge->sources[i].recording)->env;
		if (from->nr_cpus_avail <= env->nr_cpus_avail)
			continue;
		env->nr_cpus_avail = from->nr_cpus_avail;
		env->nr_cpus_online = from->nr_cpus_online;
		set(env, PFX_FEAT_NRCPUS);
	}
}

int pfx_merge_make_meta(struct pfx_merge *merge, struct pfx_error *err)
{
	static const unsigned dropped[] = {PFX_FEAT_COMPRESSED,   PFX_FEAT_DIR_FORMAT,
					   PFX_FEAT_AUXTRACE,     PFX_FEAT_GROUP_DESC,
					   PFX_FEAT_TRACING_DATA, PFX_FEAT_STAT};
	const struct pfx_meta *first = pfx_recording_meta(merge->sources[0].recording);
	struct kinds kinds = {.events = {0}};
	uint64_t next = 1;
	size_t i;

	merge->meta = pfx_meta_new();
	merge->meta->swap = first->swap;
	merge->meta->env = first->env;
	merge->meta->env.tracing_data = (struct pfx_env_blob){0};
	for (i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		unset(&merge->meta->env, dropped[i]);
	for (i = 0; i < merge->options.nr; i++) {
		take_events(merge, &merge->sources[i], &kinds);
		take_ids(merge, &merge->sources[i], &next);
	}
	pfx_intern_fini(&kinds.descriptions);
	pfx_hash_fini(&kinds.events);
	pfx_hash_fini(&kinds.counts);
	identify(merge->meta);
	set(&merge->meta->env, PFX_FEAT_EVENT_DESC);
	pfx_meta_update(merge->meta);
	join_hosts(merge);
	join_build_ids(merge);
	join_times(merge);
	join_cpus(merge);
	take_clock(merge);
	take_command(merge);
	return take_trace(merge, err);
}
