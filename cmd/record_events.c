/* SPDX-License-Identifier: MIT */
/*
 * Events of a recording: from the words of `-e` and the other options to counters, and from opened
 * counters to what the file says about itself. The kernel is asked by sys/, words are parsed by
 * pmu/.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/regs_host.h"
#include "cmd/commands.h"
#include "cmd/record_internal.h"
#include "sys/host.h"
#include "trace/format.h"

/* cycles at the best precision, and for everything we are allowed to see. */
static void add_default(struct pfx_recorder *rec)
{
	struct pfx_attr attr = {.type = PFX_TYPE_HARDWARE, .config = PFX_HW_CPU_CYCLES};
	struct pfx_counter *counter;

	pfx_attr_set_precise(&attr, 3);
	if (!pfx_perm_kernel(&rec->perm) && !rec->is_system_wide) {
		attr.flags |= PFX_ATTR_EXCLUDE_KERNEL;
		rec->counters.fell_to_user = true;
	}
	counter = pfx_counters_add(&rec->counters, &attr, NULL);
	counter->precise_max = true;
}

static void add_spec(struct pfx_recorder *rec, const struct pfx_event_spec *spec)
{
	struct pfx_counter *counter = pfx_counters_add(&rec->counters, &spec->attr, spec->name);

	counter->precise_max = spec->precise_max;
	counter->has_rate = spec->has_period || spec->has_freq;
	counter->guest_unsaid = spec->exclude_guest_default;
	counter->group = spec->group;
	counter->reads_group = spec->is_leader_sampling;
	counter->is_weak = spec->is_weak;
	if (spec->cpus)
		pfx_list_parse(spec->cpus, &counter->cpus);
	if (spec->has_freq)
		counter->attr.flags |= PFX_ATTR_FREQ;
	if (spec->has_freq)
		counter->attr.sample_type |= PFX_SAMPLE_PERIOD;
}

/* The rate that the kernel allows; says when it is not the one that was wanted. */
static uint64_t allowed_freq(const struct pfx_recorder *rec)
{
	const struct pfx_record_options *o = rec->options;
	uint64_t wanted = o->freq ? o->freq : PFX_RECORD_DEFAULT_FREQ;

	if (o->period || wanted <= rec->perm.max_rate || rec->perm.max_rate == 0)
		return wanted;
	if (!o->quiet)
		pfx_print_note("record",
			       "%llu samples a second are more than the kernel allows; taking %llu "
			       "(kernel.perf_event_max_sample_rate)",
			       (unsigned long long)wanted, (unsigned long long)rec->perm.max_rate);
	return rec->perm.max_rate;
}

int pfx_record_events(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_record_options *o = rec->options;
	struct pfx_sampling sampling = {
		.freq = allowed_freq(rec),
		.period = o->period,
		.rate_given = o->freq || o->period,
		.callchain = o->callchain,
		.stack = o->stack,
		.stack_bytes = o->stack_bytes,
		.user_regs = pfx_arch_host_user_regs(),
		.no_time = !o->timestamp,
		.data = o->data,
		.raw = o->raw,
		.stat = o->stat,
		.no_inherit = o->no_inherit || (o->tids && !o->pids && !o->inherit_said),
		.all_user = o->all_user,
		.all_kernel = o->all_kernel,
		.system_wide = rec->is_system_wide,
		.enable_on_exec = rec->command && !rec->is_system_wide && !rec->target.is_attached,
		.is_pipe = rec->is_pipe,
	};
	size_t i;

	if (o->stack && !sampling.user_regs)
		return pfx_error_set(err, ENOTSUP,
				     "stack dumps are not supported on this kind of CPU");
	if (o->events.specs.nr == 0)
		add_default(rec);
	for (i = 0; i < o->events.specs.nr; i++)
		add_spec(rec, &o->events.specs.at[i]);
	pfx_counters_setup(&rec->counters, &sampling);
	return 0;
}

static void describe_event(struct pfx_recorder *rec, const struct pfx_counter *counter)
{
	struct pfx_event *event = pfx_meta_add_event(rec->meta, &counter->attr, counter->name);
	size_t i;

	event->leader = counter->leader;
	for (i = 0; i < counter->fds.nr; i++)
		pfx_meta_add_id(rec->meta, event, counter->fds.at[i].id);
}

static void describe_groups(struct pfx_recorder *rec)
{
	struct pfx_meta *meta = rec->meta;
	struct pfx_env *env = &meta->env;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		meta->events[meta->events[i]->leader]->nr_members++;
	env->groups = pfx_arena_array(&meta->arena, struct pfx_env_group, meta->nr_events);
	for (i = 0; i < meta->nr_events; i++) {
		const struct pfx_event *event = meta->events[i];
		const char *name = i < rec->options->events.specs.nr
					   ? rec->options->events.specs.at[i].group_name
					   : NULL;

		if (event->nr_members < 2)
			continue;
		env->groups[env->nr_groups++] = (struct pfx_env_group){
			.name = name ? name : "{anon_group}",
			.leader_idx = i,
			.nr_members = event->nr_members,
		};
		pfx_env_set(env, PFX_FEAT_GROUP_DESC);
	}
}

static int describe_tracepoints(struct pfx_recorder *rec, struct pfx_error *err)
{
	size_t nr = 0, size = 0, i;
	const char **names = pfx_calloc(rec->counters.list.nr, sizeof(*names));
	const char *tracefs;
	uint8_t *blob = NULL;
	int rc = 0;

	for (i = 0; i < rec->options->events.specs.nr; i++)
		if (rec->options->events.specs.at[i].attr.type == PFX_TYPE_TRACEPOINT)
			names[nr++] = rec->options->events.specs.at[i].name;
	if (nr) {
		tracefs = pfx_tracefs(NULL, err);
		rc = tracefs ? pfx_trace_collect(tracefs, names, nr, &blob, &size, err)
			     : -err->code;
	}
	if (rc >= 0 && blob) {
		rec->meta->env.tracing_data.at = pfx_arena_memdup(&rec->meta->arena, blob, size);
		rec->meta->env.tracing_data.size = size;
		pfx_env_set(&rec->meta->env, PFX_FEAT_TRACING_DATA);
	}
	free(blob);
	free(names);
	return rc;
}

int pfx_record_describe(struct pfx_recorder *rec, int argc, char **argv, struct pfx_error *err)
{
	/* The words as they were typed: the program in front of the command's own name. */
	const char **words = pfx_calloc((size_t)argc + 2, sizeof(*words));
	struct pfx_host_options host = {.argc = argc + 1, .argv = words};
	size_t i;
	int rc;

	words[0] = "pfx";
	memcpy(words + 1, argv, (size_t)argc * sizeof(*words));

	rec->meta = pfx_meta_new();
	rec->meta->is_pipe = rec->is_pipe;
	for (i = 0; i < rec->counters.list.nr; i++)
		describe_event(rec, &rec->counters.list.at[i]);
	pfx_meta_update(rec->meta);
	describe_groups(rec);
	rc = pfx_host_describe(rec->meta, &host, err);
	free(words);
	if (rc < 0)
		return rc;
	pfx_env_set(&rec->meta->env, PFX_FEAT_EVENT_DESC);
	return describe_tracepoints(rec, err);
}
