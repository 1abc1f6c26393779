/* SPDX-License-Identifier: MIT */
/*
 * Converts options to attrs: sampled fields, rate and flags. The defaults are perf's, because files
 * are compared and read by other tools. No system calls here.
 */
#include <string.h>

#include "sys/counter/counter_internal.h"

#define TRACKING_FLAGS                                                                         \
	(PFX_ATTR_MMAP | PFX_ATTR_COMM | PFX_ATTR_TASK | PFX_ATTR_MMAP2 | PFX_ATTR_COMM_EXEC | \
	 PFX_ATTR_KSYMBOL | PFX_ATTR_BPF_EVENT)

struct pfx_counter *pfx_counters_add(struct pfx_counters *set, const struct pfx_attr *attr,
				     const char *name)
{
	struct pfx_counter *counter = pfx_vec_add(&set->list);

	memset(counter, 0, sizeof(*counter));
	counter->cgroup_fd = -1;
	counter->attr = *attr;
	counter->attr.size = PFX_COUNTER_ATTR_SIZE;
	counter->name = name ? pfx_strdup(name) : NULL;
	counter->leader = (uint32_t)(set->list.nr - 1);
	return counter;
}

static bool is_dummy(const struct pfx_attr *attr)
{
	return attr->type == PFX_TYPE_SOFTWARE && attr->config == PFX_SW_DUMMY;
}

/* Events whose samples need raw data. */
static bool has_payload(const struct pfx_attr *attr)
{
	return attr->type == PFX_TYPE_TRACEPOINT ||
	       (attr->type == PFX_TYPE_SOFTWARE && attr->config == PFX_SW_BPF_OUTPUT);
}

/* Rare events, for which every occurrence is sampled by default. */
static bool is_counted_singly(const struct pfx_counter *counter)
{
	return has_payload(&counter->attr) || counter->attr.type == PFX_TYPE_BREAKPOINT ||
	       counter->is_probe || counter->has_aux;
}

static void set_rate(struct pfx_counter *counter, const struct pfx_sampling *s)
{
	struct pfx_attr *attr = &counter->attr;

	if (counter->has_rate)
		return;
	if (is_counted_singly(counter) && !s->rate_given) {
		attr->sample_period = 1;
	} else if (s->period) {
		attr->sample_period = s->period;
	} else {
		attr->sample_period = s->freq;
		attr->flags |= PFX_ATTR_FREQ;
	}
	if (s->no_samples)
		attr->sample_period = 0;
}

static void set_fields(struct pfx_counter *counter, const struct pfx_sampling *s)
{
	struct pfx_attr *attr = &counter->attr;
	uint64_t fields = s->fields;

	/* PERF_SAMPLE_RAW is added with CPU, but these events have no raw data */
	if (counter->makes_no_samples && fields & PFX_SAMPLE_RAW)
		fields &= ~(PFX_SAMPLE_RAW | PFX_SAMPLE_CPU);
	attr->sample_type |= PFX_SAMPLE_IP | PFX_SAMPLE_TID | fields;
	if (!s->no_time)
		attr->sample_type |= PFX_SAMPLE_TIME;
	if (s->system_wide || (counter->has_aux && !s->target_is_threads))
		attr->sample_type |= PFX_SAMPLE_CPU;
	if (has_payload(attr))
		attr->sample_type |=
			PFX_SAMPLE_RAW | PFX_SAMPLE_TIME | PFX_SAMPLE_CPU | PFX_SAMPLE_PERIOD;
	if (attr->flags & PFX_ATTR_FREQ || s->period_field > 0)
		attr->sample_type |= PFX_SAMPLE_PERIOD;
	if (s->period_field < 0)
		attr->sample_type &= ~PFX_SAMPLE_PERIOD;
	if (counter->time > 0)
		attr->sample_type |= PFX_SAMPLE_TIME;
	if (counter->time < 0)
		attr->sample_type &= ~PFX_SAMPLE_TIME;
	attr->read_format = PFX_FORMAT_ID | PFX_FORMAT_LOST;
	if (s->stat || s->running_time)
		attr->read_format |= PFX_FORMAT_ENABLED | PFX_FORMAT_RUNNING;
}

static void set_registers(struct pfx_attr *attr, const struct pfx_sampling *s)
{
	if (s->user_regs && !is_dummy(attr)) {
		attr->sample_type |= PFX_SAMPLE_REGS_USER;
		attr->sample_regs_user |= s->user_regs;
	}
	if (s->intr_regs && !is_dummy(attr)) {
		attr->sample_type |= PFX_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = s->intr_regs;
	}
}

static void set_branches(struct pfx_counter *counter, const struct pfx_sampling *s)
{
	uint64_t wanted = counter->branch_type | s->branch_type;

	if (!wanted || is_dummy(&counter->attr))
		return;
	counter->attr.sample_type |= PFX_SAMPLE_BRANCH_STACK;
	counter->attr.branch_sample_type = wanted;
}

/* Registers and a stack dump, which are unwound when the recording is read; kernel frames are still
 * in the call chain. The unwinder also needs maps of data. */
static void set_stack(struct pfx_counter *counter, const struct pfx_stack_options *graph,
		      const struct pfx_sampling *s)
{
	struct pfx_attr *attr = &counter->attr;

	attr->sample_type |= PFX_SAMPLE_REGS_USER | PFX_SAMPLE_STACK_USER | PFX_SAMPLE_ADDR |
			     PFX_SAMPLE_DATA_SRC;
	attr->sample_regs_user |= s->user_regs ? s->stack_regs_minimum : s->stack_regs;
	attr->sample_stack_user = graph->stack_bytes;
	attr->flags |= PFX_ATTR_EXCLUDE_CALLCHAIN_USER;
	if (counter->is_tracking)
		attr->flags |= PFX_ATTR_MMAP_DATA;
}

/* In a leaf function without a frame, the return address is only in a register, and missing in
 * frame pointer chains. */
static void set_leaf(struct pfx_counter *counter, const struct pfx_sampling *s)
{
	if (!s->leaf_regs || is_dummy(&counter->attr))
		return;
	counter->attr.sample_type |= PFX_SAMPLE_REGS_USER;
	counter->attr.sample_regs_user |= s->leaf_regs;
}

/* LBR call stacks only work for user space, and exclude other branch filters. */
bool pfx_counter_may_lbr(const struct pfx_counter *counter, const struct pfx_sampling *s)
{
	return !s->branch_type && !(counter->attr.flags & PFX_ATTR_EXCLUDE_USER);
}

static void set_lbr(struct pfx_counter *counter, const struct pfx_sampling *s)
{
	if (!pfx_counter_may_lbr(counter, s) || is_dummy(&counter->attr))
		return;
	counter->attr.sample_type |= PFX_SAMPLE_BRANCH_STACK;
	counter->attr.branch_sample_type = PFX_BRANCH_USER | PFX_BRANCH_CALL_STACK |
					   PFX_BRANCH_NO_CYCLES | PFX_BRANCH_NO_FLAGS |
					   PFX_BRANCH_HW_INDEX;
}

static void set_callgraph(struct pfx_counter *counter, const struct pfx_sampling *s)
{
	const struct pfx_stack_options *graph =
		counter->has_callgraph ? &counter->callgraph : &s->callgraph;
	struct pfx_attr *attr = &counter->attr;

	if (graph->mode == PFX_CALLGRAPH_NONE)
		return;
	attr->sample_type |= PFX_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = graph->max_frames;
	attr->flags |= s->callgraph_flags;
	if (graph->mode == PFX_CALLGRAPH_FP)
		set_leaf(counter, s);
	if (graph->mode == PFX_CALLGRAPH_DWARF)
		set_stack(counter, graph, s);
	if (graph->mode == PFX_CALLGRAPH_LBR)
		set_lbr(counter, s);
	if (graph->defer)
		attr->flags |= PFX_ATTR_DEFER_CALLCHAIN;
	if (graph->defer && counter->is_tracking)
		attr->flags |= PFX_ATTR_DEFER_OUTPUT;
}

/* Fields that only real samples have. With stack dumps, all events record data maps. */
static void set_contents(struct pfx_counter *counter, const struct pfx_sampling *s)
{
	if (counter->makes_no_samples) {
		if (s->callgraph.mode != PFX_CALLGRAPH_DWARF)
			return;
		counter->attr.sample_type |= PFX_SAMPLE_ADDR | PFX_SAMPLE_DATA_SRC;
		if (counter->is_tracking)
			counter->attr.flags |= PFX_ATTR_MMAP_DATA;
		return;
	}
	set_registers(&counter->attr, s);
	set_branches(counter, s);
	set_callgraph(counter, s);
}

void pfx_attr_set_level(struct pfx_attr *attr, bool all_user, bool all_kernel)
{
	const uint64_t levels = PFX_ATTR_EXCLUDE_USER | PFX_ATTR_EXCLUDE_KERNEL;

	if (all_user)
		attr->flags = (attr->flags & ~levels) | PFX_ATTR_EXCLUDE_KERNEL;
	if (all_kernel)
		attr->flags = (attr->flags & ~levels) | PFX_ATTR_EXCLUDE_USER;
}

static void set_flags(struct pfx_counter *counter, const struct pfx_sampling *s)
{
	uint64_t flags = PFX_ATTR_SAMPLE_ID_ALL;

	if (!s->no_inherit)
		flags |= PFX_ATTR_INHERIT;
	if (s->use_clockid) {
		flags |= PFX_ATTR_USE_CLOCKID;
		counter->attr.clockid = s->clockid;
	}
	if (s->stat)
		flags |= PFX_ATTR_INHERIT_STAT;
	if (counter->is_tracking)
		flags |= (TRACKING_FLAGS & ~s->no_tracking) | s->tracking;
	flags &= ~counter->left_out;
	if (s->watermark) {
		flags |= PFX_ATTR_WATERMARK;
		counter->attr.wakeup = s->watermark;
	}
	counter->attr.flags |= flags;
	pfx_attr_set_level(&counter->attr, s->all_user, s->all_kernel);
}

/* A dummy event, for its side-band records. */
static struct pfx_counter *add_dummy(struct pfx_counters *set, const struct pfx_sampling *s,
				     const char *name)
{
	struct pfx_attr attr = {
		.type = PFX_TYPE_SOFTWARE,
		.config = PFX_SW_DUMMY,
		.sample_period = s->no_samples ? 0 : 1,
	};
	struct pfx_counter *counter = pfx_counters_add(set, &attr, name);

	/* A rate of the user applies to it, too: it makes no samples, but files are then like
	 * perf's. */
	counter->has_rate = !s->rate_given;
	return counter;
}

/* With an AUX trace: user space only, which needs no permission. */
static struct pfx_counter *add_aux_dummy(struct pfx_counters *set, const struct pfx_sampling *s)
{
	struct pfx_counter *counter = add_dummy(set, s, "dummy:u");

	counter->attr.flags |=
		PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV | PFX_ATTR_EXCLUDE_GUEST;
	counter->makes_no_samples = true;
	return counter;
}

/* Text pokes of the kernel with its symbols, which @tracking then omits. */
static void add_text_poke(struct pfx_counters *set, struct pfx_counter *tracking,
			  const struct pfx_sampling *s)
{
	struct pfx_counter *counter;

	tracking->left_out |= PFX_ATTR_KSYMBOL;
	counter = add_aux_dummy(set, s);
	counter->attr.flags |= PFX_ATTR_KSYMBOL | PFX_ATTR_TEXT_POKE;
	counter->is_everywhere = true;
}

/* The events that decoding a trace requires: context switches, maps, changes of the kernel's text.
 * The first and the last are CPU-wide, if that is permitted. */
static void add_aux_dummies(struct pfx_counters *set, const struct pfx_sampling *s)
{
	bool apart = s->aux_timed && !s->system_wide && s->may_everywhere;
	bool pokes = s->aux_timed && s->aux_text_poke && s->may_everywhere;
	struct pfx_counter *counter;

	if (apart) {
		counter = add_aux_dummy(set, s);
		counter->attr.flags |= PFX_ATTR_CONTEXT_SWITCH;
		counter->attr.sample_type |= PFX_SAMPLE_CPU;
		counter->is_everywhere = true;
	}
	counter = add_aux_dummy(set, s);
	counter->is_tracking = true;
	if (!s->target_is_threads)
		counter->attr.sample_type |= PFX_SAMPLE_CPU;
	if (s->aux_timed && !apart)
		counter->attr.flags |= PFX_ATTR_CONTEXT_SWITCH;
	if (apart)
		counter->left_out |= PFX_ATTR_CONTEXT_SWITCH;
	if (pokes || (s->text_poke && s->may_everywhere))
		add_text_poke(set, counter, s);
}

static void add_tracking(struct pfx_counters *set, const struct pfx_sampling *s)
{
	struct pfx_counter *tracking = &set->list.at[0];

	if (s->aux) {
		add_aux_dummies(set, s);
		return;
	}
	if ((s->system_wide || s->delayed) && !is_dummy(&tracking->attr))
		tracking = add_dummy(set, s, "dummy:HG");
	tracking->is_tracking = true;
	if (s->text_poke && s->may_everywhere)
		add_text_poke(set, tracking, s);
}

/*
 * Records of several events need an id: ID if all samples have the same layout, else IDENTIFIER,
 * whose position does not depend on the layout.
 */
static void set_ids(struct pfx_counters *set, const struct pfx_sampling *s)
{
	uint64_t bit = PFX_SAMPLE_ID;
	bool reads = set->list.at[0].attr.sample_type & PFX_SAMPLE_READ;
	size_t i;

	if (set->list.nr < 2 && !s->is_pipe && !reads)
		return;
	if (s->fields & PFX_SAMPLE_IDENTIFIER)
		return;
	if (s->aux)
		bit = PFX_SAMPLE_IDENTIFIER;
	for (i = 1; i < set->list.nr; i++)
		if (set->list.at[i].attr.sample_type != set->list.at[0].attr.sample_type)
			bit = PFX_SAMPLE_IDENTIFIER;
	for (i = 0; i < set->list.nr; i++)
		set->list.at[i].attr.sample_type |= bit;
}

/* Members of a group follow their leader: only the leader is enabled and disabled. */
static void set_start(struct pfx_counters *set, size_t i, const struct pfx_sampling *s)
{
	struct pfx_counter *counter = &set->list.at[i];

	if (counter->leader != i || (s->system_wide && counter->is_tracking) ||
	    counter->is_everywhere)
		return;
	if (s->delayed && !s->enable_on_exec && counter->is_tracking)
		return;
	counter->attr.flags |= PFX_ATTR_DISABLED;
	if (s->enable_on_exec && (!s->delayed || counter->is_tracking))
		counter->attr.flags |= PFX_ATTR_ENABLE_ON_EXEC;
}

void pfx_counters_find_leaders(struct pfx_counters *set)
{
	size_t i, j;

	for (i = 0; i < set->list.nr; i++) {
		for (j = 0; j < i && set->list.at[i].group; j++) {
			if (set->list.at[j].group == set->list.at[i].group) {
				set->list.at[i].leader = (uint32_t)j;
				break;
			}
		}
	}
}

/* With group reads, the leader's samples contain the counts of all members; the members do not
 * sample. Kernels before 6.12 do not support it with inherit. */
static void set_group_reads(struct pfx_counters *set, size_t i)
{
	struct pfx_counter *counter = &set->list.at[i];
	const struct pfx_counter *leader = &set->list.at[counter->leader];
	struct pfx_attr *attr = &counter->attr;

	if (counter->reads_group) {
		attr->sample_type |= PFX_SAMPLE_READ;
		if (counter->group) {
			attr->read_format |= PFX_FORMAT_GROUP;
			attr->flags &= ~PFX_ATTR_INHERIT;
		}
	}
	if (leader == counter || !leader->reads_group)
		return;
	attr->sample_type = leader->attr.sample_type;
	if (counter->has_rate)
		return;
	attr->sample_period = 0;
	attr->flags &= ~PFX_ATTR_FREQ;
}

static void set_inheritance(struct pfx_counter *counter)
{
	if (counter->inherit > 0)
		counter->attr.flags |= PFX_ATTR_INHERIT;
	if (counter->inherit < 0)
		counter->attr.flags &= ~PFX_ATTR_INHERIT;
}

/* A member that does not sample has nothing to overwrite, unless the user requests it. */
static void set_overwrite(struct pfx_counters *set, size_t i, const struct pfx_sampling *s)
{
	struct pfx_counter *counter = &set->list.at[i];
	bool of_all = s->overwrite && counter->overwrite == 0;

	if (counter->leader != i && set->list.at[counter->leader].reads_group)
		of_all = false;
	if (counter->overwrite > 0 || of_all)
		counter->attr.flags |= PFX_ATTR_WRITE_BACKWARD;
}

void pfx_counters_setup(struct pfx_counters *set, const struct pfx_sampling *sampling)
{
	size_t i;

	pfx_counters_find_leaders(set);
	add_tracking(set, sampling);
	for (i = 0; i < set->list.nr; i++) {
		set_rate(&set->list.at[i], sampling);
		set_fields(&set->list.at[i], sampling);
		set_contents(&set->list.at[i], sampling);
		set_flags(&set->list.at[i], sampling);
		set_start(set, i, sampling);
		set_group_reads(set, i);
		set_inheritance(&set->list.at[i]);
		set_overwrite(set, i, sampling);
	}
	set_ids(set, sampling);
}

void pfx_counters_watermark(struct pfx_counters *set, uint32_t bytes)
{
	size_t i;

	for (i = 0; i < set->list.nr; i++) {
		set->list.at[i].attr.flags |= PFX_ATTR_WATERMARK;
		set->list.at[i].attr.wakeup = bytes;
	}
}
