/* SPDX-License-Identifier: MIT */
/* Events of a recording, from parsed options to counters. */
#include <errno.h>

#include "arch/arch.h"
#include "arch/cpuid.h"
#include "base/str.h"
#include "record/plan/plan.h"
#include "record/plan/probes.h"

/* Precision matters more than guests, where the CPU cannot have both. */
static bool can_exclude_guests(void)
{
	char id[128];

	return !pfx_cpuid_host(NULL, id, sizeof(id)) || !pfx_cpuid_precise_has_guests(id);
}

/* cycles at the highest precision, in all privilege levels that are allowed. */
static void add_default(const struct pfx_record_plan *plan, struct pfx_counters *counters)
{
	struct pfx_attr attr = {.type = PFX_TYPE_HARDWARE, .config = PFX_HW_CPU_CYCLES};
	const char *name = "cycles:P";
	struct pfx_counter *counter;

	pfx_attr_set_precise(&attr, 3);
	if (can_exclude_guests())
		attr.flags |= PFX_ATTR_EXCLUDE_GUEST;
	if (!pfx_perm_kernel(&plan->perm) && !plan->is_system_wide && !plan->options->all_kernel) {
		attr.flags |= PFX_ATTR_EXCLUDE_KERNEL;
		name = "cycles:Pu";
		counters->fell_to_user = true;
	}
	counter = pfx_counters_add(counters, &attr, name);
	counter->precise_max = true;
	counter->guest_unsaid = true;
}

/* Set the event's own call graph mode if its terms contain one. */
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

/* -c and -F override the rate of a predefined event, but not the user's own terms. */
static bool keeps_rate(const struct pfx_recorder_options *o, const struct pfx_event_spec *spec)
{
	if (spec->is_rate_proposed && (o->freq || o->period))
		return false;
	return spec->has_period || spec->has_freq;
}

static void add_spec(const struct pfx_record_plan *plan, const struct pfx_event_spec *spec,
		     struct pfx_counters *counters)
{
	struct pfx_counter *counter = pfx_counters_add(counters, &spec->attr, spec->name);

	counter->precise_max = spec->precise_max;
	counter->has_rate = keeps_rate(plan->options, spec);
	counter->guest_unsaid = spec->exclude_guest_default;
	counter->group = plan->options->one_group ? 1 : spec->group;
	counter->reads_group = spec->is_leader_sampling;
	counter->is_weak = spec->is_weak;
	pfx_probe_counter(spec, counter);
	if (spec->cpus)
		pfx_list_parse(spec->cpus, &counter->cpus);
	if (!counter->has_rate)
		counter->attr.sample_period = 0;
	else if (spec->has_freq)
		counter->attr.flags |= PFX_ATTR_FREQ;
	if (spec->sampling.counting_only)
		PFX_RECORDER_NOTIFY(plan->observer, PFX_RECORDER_EVENT_COUNTS_ONLY,
				    .name = spec->name);
	if (spec->sampling.aux_output)
		counter->attr.flags |= PFX_ATTR_AUX_OUTPUT;
	set_callgraph(counter, &spec->sampling, &plan->options->callgraph);
	counter->branch_type = spec->sampling.branch_type;
	counter->time = spec->sampling.time;
	counter->inherit = spec->sampling.inherit;
	counter->overwrite = spec->sampling.overwrite;
}

/* If an event with a ratio gets its period from -c, the preceding event's period is computed
 * here. */
static int set_ratios(const struct pfx_recorder_options *o, struct pfx_counters *counters,
		      struct pfx_error *err)
{
	char shown[128];
	size_t i;

	for (i = 1; i < o->events.specs.nr; i++) {
		const struct pfx_event_spec *spec = &o->events.specs.at[i];
		struct pfx_counter *prev = &counters->list.at[i - 1];

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

/* The rate that the kernel allows; reports if it is lower than requested. */
static int allowed_freq(const struct pfx_record_plan *plan, uint64_t *ret, struct pfx_error *err)
{
	const struct pfx_recorder_options *o = plan->options;
	uint64_t wanted = o->freq ? o->freq : PFX_RECORDER_DEFAULT_FREQ;
	uint64_t max = plan->perm.max_rate;

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
	PFX_RECORDER_NOTIFY(plan->observer, PFX_RECORDER_RATE_LOWERED, .number = wanted,
			    .taken = max);
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

static uint64_t fields(const struct pfx_recorder_options *o)
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

static uint64_t tracking(const struct pfx_recorder_options *o)
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

static uint64_t callgraph_flags(const struct pfx_recorder_options *o)
{
	const struct choice choices[] = {
		{o->kernel_callchains, PFX_ATTR_EXCLUDE_CALLCHAIN_USER},
		{o->user_callchains, PFX_ATTR_EXCLUDE_CALLCHAIN_KERNEL},
	};

	return CHOSEN(choices);
}

/* With a ring buffer per thread, counters that run elsewhere cannot write into it, and samples need
 * no time because they are in order. */
static struct pfx_sampling sampling_of(const struct pfx_record_plan *plan)
{
	const struct pfx_recorder_options *o = plan->options;
	bool threads_only = o->tids && !o->inherit_said;

	return (struct pfx_sampling){
		.period = o->period,
		.rate_given = o->freq || o->period,
		.no_samples = o->no_samples,
		.fields = fields(o),
		.period_field = (signed char)(o->period_said ? (o->period_field ? 1 : -1) : 0),
		.no_time = o->timestamp_said ? !o->timestamp : plan->target.per_thread,
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
		.no_inherit = o->no_inherit || threads_only || plan->target.per_thread,
		.all_user = o->all_user,
		.all_kernel = o->all_kernel,
		.use_clockid = o->use_clockid,
		.clockid = o->clockid,
		.system_wide = plan->is_system_wide,
		.overwrite = o->out.overwrite,
		.target_is_threads = plan->target.per_thread,
		.text_poke = o->out.kcore && !plan->target.per_thread,
		.delayed = o->out.delayed,
		.enable_on_exec = o->command && !plan->is_system_wide && !plan->target.is_attached,
		.is_pipe = plan->place.is_pipe,
	};
}

/* Report LBR call chains that are not available; refuse stack dumps if this kind of CPU does not
 * support them. */
static int check_callgraphs(const struct pfx_record_plan *plan, const struct pfx_counters *counters,
			    const struct pfx_sampling *sampling, struct pfx_error *err)
{
	size_t i;

	for (i = 0; i < counters->list.nr; i++) {
		const struct pfx_counter *counter = &counters->list.at[i];
		const struct pfx_stack_options *graph =
			counter->has_callgraph ? &counter->callgraph : &sampling->callgraph;

		if (graph->mode == PFX_CALLGRAPH_DWARF && !sampling->stack_regs)
			return pfx_error_set(err, ENOTSUP,
					     "stack dumps are not supported on this kind of CPU");
		if (graph->mode == PFX_CALLGRAPH_LBR && !pfx_counter_may_lbr(counter, sampling))
			PFX_RECORDER_NOTIFY(plan->observer, PFX_RECORDER_NO_LBR);
	}
	return 0;
}

int pfx_record_plan_events(struct pfx_record_plan *plan, struct pfx_counters *counters,
			   struct pfx_error *err)
{
	const struct pfx_recorder_options *o = plan->options;
	struct pfx_sampling sampling = sampling_of(plan);
	int rc = allowed_freq(plan, &sampling.freq, err);
	size_t i;

	if (rc < 0)
		return rc;
	sampling.may_everywhere = plan->perm.may_profile || plan->perm.paranoid < 1;
	if (o->events.specs.nr == 0)
		add_default(plan, counters);
	for (i = 0; i < o->events.specs.nr; i++)
		add_spec(plan, &o->events.specs.at[i], counters);
	pfx_record_plan_offcpu(o, counters);
	rc = set_ratios(o, counters, err);
	if (rc >= 0)
		rc = pfx_record_plan_bounds(plan, counters, err);
	if (rc >= 0)
		rc = check_callgraphs(plan, counters, &sampling, err);
	if (rc >= 0)
		rc = pfx_record_plan_trace(plan, counters, &sampling, err);
	if (rc >= 0)
		pfx_counters_setup(counters, &sampling);
	pfx_record_fit_offcpu(o, counters);
	return rc;
}
