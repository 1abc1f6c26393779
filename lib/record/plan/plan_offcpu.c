/* SPDX-License-Identifier: MIT */
/*
 * Off-CPU time: the counter of context switches that it needs, and the event that describes it in
 * the file. record/sink/offcpu.h converts one to the other.
 */
#include "record/plan/plan.h"
#include "record/sink/offcpu.h"

struct pfx_counter *pfx_record_offcpu_counter(const struct pfx_counters *set)
{
	size_t i;

	for (i = 0; i < set->list.nr; i++)
		if (set->list.at[i].is_offcpu)
			return &set->list.at[i];
	return NULL;
}

/*
 * If each ring buffer has its own file, or ring buffers are only emptied at the end, context
 * switches use ring buffers of their own, which also get the records about tasks.
 */
static bool is_apart(const struct pfx_recorder_output_options *o)
{
	return o->threads || o->overwrite;
}

/* Each switch of a thread from its CPU is a sample; SWITCH records contain the reason, and the time
 * when it continues. */
void pfx_record_plan_offcpu(const struct pfx_recorder_options *o, struct pfx_counters *counters)
{
	const struct pfx_attr attr = {
		.type = PFX_TYPE_SOFTWARE,
		.config = PFX_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
		.sample_type = PFX_SAMPLE_TIME | PFX_SAMPLE_CPU | PFX_SAMPLE_PERIOD,
		.flags = PFX_ATTR_CONTEXT_SWITCH,
	};
	struct pfx_counter *counter;

	if (!o->out.off_cpu)
		return;
	counter = pfx_counters_add(counters, &attr, PFX_OFFCPU_NAME);
	counter->is_offcpu = true;
	counter->has_rate = true;
	counter->is_apart = is_apart(&o->out);
	/* No switch may be lost: these ring buffers are never overwritten. */
	counter->overwrite = -1;
	counter->has_callgraph = true;
	counter->callgraph = o->callgraph;
	counter->callgraph.defer = false;
	/* Without -g the file contains no chains, but one user-space address is needed. */
	if (counter->callgraph.mode == PFX_CALLGRAPH_NONE)
		counter->callgraph =
			(struct pfx_stack_options){.mode = PFX_CALLGRAPH_FP, .max_frames = 1};
	else if (counter->callgraph.mode == PFX_CALLGRAPH_LBR)
		counter->callgraph.mode = PFX_CALLGRAPH_FP;
}

/* Context switches happen in the kernel: exclusion of the kernel for other events does not
 * apply. */
void pfx_record_fit_offcpu(const struct pfx_recorder_options *o, struct pfx_counters *counters)
{
	const uint64_t tasks = PFX_ATTR_TASK | PFX_ATTR_COMM | PFX_ATTR_COMM_EXEC;
	const uint64_t never = PFX_SAMPLE_BRANCH_STACK | PFX_SAMPLE_RAW | PFX_SAMPLE_READ;
	struct pfx_counter *counter = pfx_record_offcpu_counter(counters);

	if (!counter)
		return;
	counter->attr.flags &= ~(PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_USER);
	if (counter->is_apart)
		counter->attr.flags |= tasks;
	counter->attr.sample_type &= ~never;
	counter->attr.sample_type |= PFX_SAMPLE_TIME | PFX_SAMPLE_PERIOD;
	counter->attr.branch_sample_type = 0;
	if (o->callgraph.mode == PFX_CALLGRAPH_NONE || o->all_user)
		counter->attr.flags |= PFX_ATTR_EXCLUDE_CALLCHAIN_KERNEL;
	if (o->all_kernel)
		counter->attr.flags |= PFX_ATTR_EXCLUDE_CALLCHAIN_USER;
}

/* The event in the file has the same form as perf's, so that readers recognize it as off-CPU
 * time. */
void pfx_record_describe_offcpu(const struct pfx_recorder_options *o,
				const struct pfx_counter *counter, struct pfx_attr *attr)
{
	if (!counter->is_offcpu)
		return;
	attr->config = PFX_SW_BPF_OUTPUT;
	attr->flags &= ~(PFX_ATTR_CONTEXT_SWITCH | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV);
	if (counter->is_apart)
		attr->flags &= ~(PFX_ATTR_TASK | PFX_ATTR_COMM | PFX_ATTR_COMM_EXEC);
	if (o->callgraph.mode == PFX_CALLGRAPH_NONE)
		attr->sample_type &= ~PFX_SAMPLE_CALLCHAIN;
}
