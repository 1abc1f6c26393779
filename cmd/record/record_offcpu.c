/* SPDX-License-Identifier: MIT */
/*
 * `pfx record --off-cpu`: the counter that it needs, the event that the file has in its place, and
 * the stage of the sink that makes it (record/sink/offcpu.h).
 */
#include <errno.h>
#include <sys/utsname.h>
#include <time.h>

#include "arch/arch.h"
#include "base/words.h"
#include "cmd/app/commands.h"
#include "cmd/record/record_internal.h"
#include "sys/host/clock_now.h"

#define MS_NS 1000000ull

int pfx_record_opt_thresh(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_record_options *o = options;
	char shown[64];

	o->output_side.thresh_ms = PFX_OFFCPU_THRESH_DEFAULT_MS;
	if (unset)
		return 0;
	if (pfx_parse_u64(arg, &o->output_side.thresh_ms) &&
	    o->output_side.thresh_ms < UINT64_MAX / MS_NS)
		return 0;
	return pfx_error_set(err, EINVAL, "'%s' is not a number of milliseconds",
			     pfx_escape(shown, sizeof(shown), arg));
}

static struct pfx_counter *find_counter(struct pfx_counters *set)
{
	size_t i;

	for (i = 0; i < set->list.nr; i++)
		if (set->list.at[i].is_offcpu)
			return &set->list.at[i];
	return NULL;
}

/*
 * Where each ring has a file of its own, or rings are not emptied until the end, the switches go
 * through rings apart, and so does what has to be known of the life of threads beside them.
 */
static bool is_apart(const struct pfx_record_output_options *o)
{
	return o->threads || o->overwrite;
}

/* Each time that a thread leaves its CPU is a sample; SWITCH records tell why, and when it is
 * back. */
void pfx_record_offcpu_add(struct pfx_recorder *rec)
{
	const struct pfx_attr attr = {
		.type = PFX_TYPE_SOFTWARE,
		.config = PFX_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
		.sample_type = PFX_SAMPLE_TIME | PFX_SAMPLE_CPU | PFX_SAMPLE_PERIOD,
		.flags = PFX_ATTR_CONTEXT_SWITCH,
	};
	struct pfx_counter *counter;

	if (!rec->options->output_side.off_cpu)
		return;
	counter = pfx_counters_add(&rec->counters, &attr, PFX_OFFCPU_NAME);
	counter->is_offcpu = true;
	counter->has_rate = true;
	counter->is_apart = is_apart(&rec->options->output_side);
	/* No switch may be missing: these rings never overwrite anything. */
	counter->overwrite = -1;
	counter->has_callgraph = true;
	counter->callgraph = rec->options->callgraph;
	counter->callgraph.defer = false;
	/* Without -g the file gets no chains, but the place in user space is wanted. */
	if (counter->callgraph.mode == PFX_CALLGRAPH_NONE)
		counter->callgraph =
			(struct pfx_stack_options){.mode = PFX_CALLGRAPH_FP, .max_frames = 1};
	else if (counter->callgraph.mode == PFX_CALLGRAPH_LBR)
		counter->callgraph.mode = PFX_CALLGRAPH_FP;
}

/* Threads leave their CPU in the kernel: what is said about other events does not hold there. */
void pfx_record_offcpu_setup(struct pfx_recorder *rec)
{
	const uint64_t tasks = PFX_ATTR_TASK | PFX_ATTR_COMM | PFX_ATTR_COMM_EXEC;
	const uint64_t never = PFX_SAMPLE_BRANCH_STACK | PFX_SAMPLE_RAW | PFX_SAMPLE_READ;
	const struct pfx_record_options *o = rec->options;
	struct pfx_counter *counter = find_counter(&rec->counters);

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

/* The event as the file has it, as perf's own: what reads off-CPU time knows it by this form. */
void pfx_record_offcpu_describe(const struct pfx_recorder *rec, const struct pfx_counter *counter,
				struct pfx_attr *attr)
{
	if (!counter->is_offcpu)
		return;
	attr->config = PFX_SW_BPF_OUTPUT;
	attr->flags &= ~(PFX_ATTR_CONTEXT_SWITCH | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV);
	if (counter->is_apart)
		attr->flags &= ~(PFX_ATTR_TASK | PFX_ATTR_COMM | PFX_ATTR_COMM_EXEC);
	if (rec->options->callgraph.mode == PFX_CALLGRAPH_NONE)
		attr->sample_type &= ~PFX_SAMPLE_CALLCHAIN;
}

/* The number of the program counter in user registers of this machine. */
static uint64_t user_pc(void)
{
	const struct pfx_unwind_arch *arch;
	struct utsname uts;

	if (uname(&uts) < 0)
		return UINT64_MAX;
	arch = pfx_unwind_arch_find(uts.machine, 2);
	return arch ? arch->sample_pc : UINT64_MAX;
}

void pfx_record_offcpu_start(struct pfx_recorder *rec)
{
	const struct pfx_counter *counter = find_counter(&rec->counters);
	struct pfx_offcpu_setup setup = {
		.meta = rec->meta,
		.thresh_ns = rec->options->output_side.thresh_ms * MS_NS,
		.user_pc = user_pc(),
	};

	if (!counter)
		return;
	setup.event = (uint32_t)(counter - rec->counters.list.at);
	setup.in = counter->attr;
	setup.is_apart = counter->is_apart;
	rec->sink.offcpu = pfx_offcpu_new(&setup);
	if (counter->attr.flags & PFX_ATTR_EXCLUDE_KERNEL && !rec->options->quiet)
		pfx_print_note("record",
			       "no permission to see where threads go to sleep, only how long: "
			       "kernel.perf_event_paranoid is %d, stacks need 1",
			       rec->perm.paranoid);
}

/* When the events were switched off: what sleeps then has slept until then. */
void pfx_record_offcpu_stop(struct pfx_recorder *rec)
{
	const struct pfx_record_options *o = rec->options;

	if (rec->sink.offcpu)
		__atomic_store_n(&rec->sink.off_ns,
				 pfx_clock_now(o->use_clockid ? &o->clockid : NULL),
				 __ATOMIC_RELEASE);
}
