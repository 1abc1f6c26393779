/* SPDX-License-Identifier: MIT */
/*
 * Events of a recording: from the words of `-e` and the other options to counters, and from opened
 * counters to what the file says about itself. The kernel is asked by sys/, words are parsed by
 * pmu/.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "base/ns.h"
#include "cmd/app/commands.h"
#include "cmd/record/record_internal.h"
#include "pmu/sysfs/tracefs.h"
#include "sys/host/bpf_programs.h"
#include "sys/host/host.h"
#include "trace/format.h"

/* cycles at the best precision, and for everything we are allowed to see. */
static void add_default(struct pfx_recorder *rec)
{
	struct pfx_attr attr = {.type = PFX_TYPE_HARDWARE, .config = PFX_HW_CPU_CYCLES};
	struct pfx_counter *counter;

	pfx_attr_set_precise(&attr, 3);
	if (!pfx_perm_kernel(&rec->perm) && !rec->is_system_wide && !rec->options->all_kernel) {
		attr.flags |= PFX_ATTR_EXCLUDE_KERNEL;
		rec->counters.fell_to_user = true;
	}
	counter = pfx_counters_add(&rec->counters, &attr, NULL);
	counter->precise_max = true;
}

/* The call graph of one event where its terms say anything about it. */
static void set_callgraph(struct pfx_counter *counter, const struct pfx_event_sampling *said,
			  const struct pfx_stack_options *of_all)
{
	struct pfx_stack_options *graph = &counter->callgraph;

	counter->has_callgraph = said->has_callgraph || said->max_frames || said->stack_bytes;
	*graph = *of_all;
	if (said->has_callgraph)
		*graph = (struct pfx_stack_options){.mode = said->callgraph};
	else if (said->max_frames && graph->mode == PFX_CALLGRAPH_NONE)
		graph->mode = PFX_CALLGRAPH_FP;
	if (said->max_frames)
		graph->max_frames = said->max_frames;
	if (said->stack_bytes)
		graph->stack_bytes = said->stack_bytes;
	else if (!graph->stack_bytes)
		graph->stack_bytes = PFX_STACK_DEFAULT;
}

/* -c and -F win over the rate that a named event proposes, not over the user's own terms. */
static bool keeps_rate(const struct pfx_record_options *o, const struct pfx_event_spec *spec)
{
	if (spec->is_rate_proposed && (o->freq || o->period))
		return false;
	return spec->has_period || spec->has_freq;
}

static void add_spec(struct pfx_recorder *rec, const struct pfx_event_spec *spec)
{
	struct pfx_counter *counter = pfx_counters_add(&rec->counters, &spec->attr, spec->name);
	char shown[128];

	counter->precise_max = spec->precise_max;
	counter->has_rate = keeps_rate(rec->options, spec);
	counter->guest_unsaid = spec->exclude_guest_default;
	counter->group = rec->options->one_group ? 1 : spec->group;
	counter->reads_group = spec->is_leader_sampling;
	counter->is_weak = spec->is_weak;
	pfx_record_probe_counter(spec, counter);
	if (spec->cpus)
		pfx_list_parse(spec->cpus, &counter->cpus);
	if (!counter->has_rate)
		counter->attr.sample_period = 0;
	else if (spec->has_freq)
		counter->attr.flags |= PFX_ATTR_FREQ;
	if (spec->sampling.counting_only && !rec->options->quiet)
		pfx_print_note("record",
			       "'%s': percore and nr are about counts and change no samples",
			       pfx_escape(shown, sizeof(shown), spec->name));
	if (spec->sampling.aux_output)
		counter->attr.flags |= PFX_ATTR_AUX_OUTPUT;
	set_callgraph(counter, &spec->sampling, &rec->options->callgraph);
	counter->branch_type = spec->sampling.branch_type;
	counter->time = spec->sampling.time;
	counter->inherit = spec->sampling.inherit;
	counter->overwrite = spec->sampling.overwrite;
}

/* Where the period of an event with a ratio is that of -c, the one before it follows here. */
static int set_ratios(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_record_options *o = rec->options;
	char shown[128];
	size_t i;

	for (i = 1; i < o->events.specs.nr; i++) {
		const struct pfx_event_spec *spec = &o->events.specs.at[i];
		struct pfx_counter *prev = &rec->counters.list.at[i - 1];

		if (spec->ratio_to_prev <= 0 || spec->has_period)
			continue;
		if (!o->period) {
			pfx_error_set(err, EINVAL, "ratio-to-prev of '%s' needs a period",
				      pfx_escape(shown, sizeof(shown), spec->name));
			pfx_error_hint(err, "add the term period=, or -c");
			return -EINVAL;
		}
		prev->attr.sample_period = pfx_ratio_period(o->period, spec->ratio_to_prev);
		prev->has_rate = true;
	}
	return 0;
}

/* The rate that the kernel allows; says when it is not the one that was wanted. */
static int allowed_freq(const struct pfx_recorder *rec, uint64_t *ret, struct pfx_error *err)
{
	const struct pfx_record_options *o = rec->options;
	uint64_t wanted = o->freq ? o->freq : PFX_RECORD_DEFAULT_FREQ;
	uint64_t max = rec->perm.max_rate;

	*ret = wanted;
	if (o->period || wanted <= max || max == 0)
		return 0;
	*ret = max;
	if (o->strict_freq) {
		pfx_error_set(err, EINVAL,
			      "%llu samples a second are more than the kernel allows (%llu)",
			      (unsigned long long)wanted, (unsigned long long)max);
		pfx_error_hint(err,
			       "-F max takes what is allowed; sudo sysctl -w "
			       "kernel.perf_event_max_sample_rate=%llu allows it",
			       (unsigned long long)wanted);
		return -EINVAL;
	}
	if (!o->quiet)
		pfx_print_note("record",
			       "%llu samples a second are more than the kernel allows; taking %llu "
			       "(kernel.perf_event_max_sample_rate)",
			       (unsigned long long)wanted, (unsigned long long)max);
	return 0;
}

struct choice {
	bool on;
	uint64_t bits;
};

static uint64_t chosen(const struct choice *choices, size_t nr)
{
	uint64_t bits = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		bits |= choices[i].on ? choices[i].bits : 0;
	return bits;
}

#define CHOSEN(choices) chosen(choices, sizeof(choices) / sizeof((choices)[0]))

static uint64_t fields(const struct pfx_record_options *o)
{
	const struct choice choices[] = {
		{o->data, PFX_SAMPLE_ADDR | PFX_SAMPLE_DATA_SRC},
		{o->mem_info, PFX_SAMPLE_DATA_SRC},
		{o->phys_data, PFX_SAMPLE_PHYS_ADDR},
		{o->data_page_size, PFX_SAMPLE_DATA_PAGE_SIZE},
		{o->code_page_size, PFX_SAMPLE_CODE_PAGE_SIZE},
		{o->weight, PFX_SAMPLE_WEIGHT_STRUCT},
		{o->transaction, PFX_SAMPLE_TRANSACTION},
		{o->sample_cpu, PFX_SAMPLE_CPU},
		{o->identifier, PFX_SAMPLE_IDENTIFIER},
		{o->all_cgroups, PFX_SAMPLE_CGROUP},
		{o->raw, PFX_SAMPLE_RAW | PFX_SAMPLE_TIME | PFX_SAMPLE_CPU},
	};

	return CHOSEN(choices);
}

static uint64_t tracking(const struct pfx_record_options *o)
{
	const struct choice choices[] = {
		{o->data || o->data_mmap, PFX_ATTR_MMAP_DATA},
		{o->switch_events, PFX_ATTR_CONTEXT_SWITCH},
		{o->namespaces, PFX_ATTR_NAMESPACES},
		{o->all_cgroups, PFX_ATTR_CGROUP},
		{o->buildid_mmap, PFX_ATTR_BUILD_ID},
	};

	return CHOSEN(choices);
}

static uint64_t callgraph_flags(const struct pfx_record_options *o)
{
	const struct choice choices[] = {
		{o->kernel_callchains, PFX_ATTR_EXCLUDE_CALLCHAIN_USER},
		{o->user_callchains, PFX_ATTR_EXCLUDE_CALLCHAIN_KERNEL},
	};

	return CHOSEN(choices);
}

/* One ring a thread: nothing may be added to a thread's counter that runs elsewhere, and where all
 * samples of a thread are in order no time is needed. */
static struct pfx_sampling sampling_of(const struct pfx_recorder *rec)
{
	const struct pfx_record_options *o = rec->options;
	bool threads_only = o->tids && !o->inherit_said;

	return (struct pfx_sampling){
		.period = o->period,
		.rate_given = o->freq || o->period,
		.no_samples = o->no_samples,
		.fields = fields(o),
		.period_field = (signed char)(o->period_said ? (o->period_field ? 1 : -1) : 0),
		.no_time = o->timestamp_said ? !o->timestamp : rec->target.per_thread,
		.user_regs = o->user_regs,
		.intr_regs = o->intr_regs,
		.branch_type = o->branch_type,
		.callgraph = o->callgraph,
		.callgraph_flags = callgraph_flags(o),
		.stack_regs = pfx_arch_host_user_regs(),
		.stack_regs_minimum = pfx_arch_host_frame_regs(),
		.leaf_regs = pfx_arch_host_leaf_regs(),
		.tracking = tracking(o),
		.no_tracking = o->no_bpf_event ? PFX_ATTR_BPF_EVENT : 0,
		.running_time = o->running_time,
		.stat = o->stat,
		.no_inherit = o->no_inherit || threads_only || rec->target.per_thread,
		.all_user = o->all_user,
		.all_kernel = o->all_kernel,
		.use_clockid = o->use_clockid,
		.clockid = o->clockid,
		.system_wide = rec->is_system_wide,
		.overwrite = o->output_side.overwrite,
		.target_is_threads = rec->target.per_thread,
		.text_poke = o->output_side.kcore && !rec->target.per_thread,
		.delayed = o->output_side.delayed,
		.enable_on_exec = rec->command && !rec->is_system_wide && !rec->target.is_attached,
		.is_pipe = rec->is_pipe,
	};
}

/* What the user asked for and does not get; and what no event can have on this kind of CPU. */
static int check_callgraphs(const struct pfx_recorder *rec, const struct pfx_sampling *sampling,
			    struct pfx_error *err)
{
	size_t i;

	for (i = 0; i < rec->counters.list.nr; i++) {
		const struct pfx_counter *counter = &rec->counters.list.at[i];
		const struct pfx_stack_options *graph =
			counter->has_callgraph ? &counter->callgraph : &sampling->callgraph;

		if (graph->mode == PFX_CALLGRAPH_DWARF && !sampling->stack_regs)
			return pfx_error_set(err, ENOTSUP,
					     "stack dumps are not supported on this kind of CPU");
		if (graph->mode == PFX_CALLGRAPH_LBR && !pfx_counter_may_lbr(counter, sampling) &&
		    !rec->options->quiet)
			pfx_print_note("record", "call graphs by lbr go neither with -b or -j nor "
						 "with events of the kernel only: taking frame "
						 "pointers");
	}
	return 0;
}

int pfx_record_events(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_record_options *o = rec->options;
	struct pfx_sampling sampling = sampling_of(rec);
	int rc = allowed_freq(rec, &sampling.freq, err);
	size_t i;

	if (rc < 0)
		return rc;
	sampling.may_everywhere = rec->perm.may_profile || rec->perm.paranoid < 1;
	if (o->events.specs.nr == 0)
		add_default(rec);
	for (i = 0; i < o->events.specs.nr; i++)
		add_spec(rec, &o->events.specs.at[i]);
	pfx_record_offcpu_add(rec);
	rc = set_ratios(rec, err);
	if (rc >= 0)
		rc = pfx_record_bind(rec, err);
	if (rc >= 0)
		rc = check_callgraphs(rec, &sampling, err);
	if (rc >= 0)
		rc = pfx_record_aux_setup(rec, &sampling, err);
	if (rc >= 0)
		pfx_counters_setup(&rec->counters, &sampling);
	pfx_record_offcpu_setup(rec);
	return rc;
}

/* The clock of the samples, and what it and the wall clock show now, so that times can be shown as
 * times of day. */
static void describe_clock(const struct pfx_record_options *o, struct pfx_env *env)
{
	struct timespec wall, clock;

	if (!o->use_clockid)
		return;
	env->clockid_res_ns = o->clock_res_ns;
	pfx_env_set(env, PFX_FEAT_CLOCKID);
	if (clock_gettime(CLOCK_REALTIME, &wall) < 0 || clock_gettime(o->clockid, &clock) < 0)
		return;
	env->clock_version = 1;
	env->clockid = (uint32_t)o->clockid;
	env->wall_clock_ns = pfx_ns_of(&wall);
	env->clockid_ns = pfx_ns_of(&clock);
	pfx_env_set(env, PFX_FEAT_CLOCK_DATA);
}

static void describe_event(struct pfx_recorder *rec, const struct pfx_counter *counter)
{
	struct pfx_attr attr = counter->attr;
	struct pfx_event *event;
	size_t i;

	pfx_record_offcpu_describe(rec, counter, &attr);
	event = pfx_meta_add_event(rec->meta, &attr, counter->name);
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
			names[nr++] = rec->options->events.specs.at[i].probe.tracepoint
					      ? rec->options->events.specs.at[i].probe.tracepoint
					      : rec->options->events.specs.at[i].name;
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

bool pfx_record_wants_kernel(const struct pfx_recorder *rec)
{
	size_t i;

	for (i = 0; i < rec->counters.list.nr; i++)
		if (!(rec->counters.list.at[i].attr.flags & PFX_ATTR_EXCLUDE_KERNEL))
			return true;
	return false;
}

void pfx_record_describe_bpf(struct pfx_recorder *rec)
{
	if (!rec->options->no_bpf_event && pfx_record_wants_kernel(rec))
		pfx_bpf_programs_read(rec->meta);
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
	describe_clock(rec->options, &rec->meta->env);
	pfx_record_describe_bpf(rec);
	return describe_tracepoints(rec, err);
}
