/* SPDX-License-Identifier: MIT */
/* The AUXTRACE_INFO record: data that readers need to decode the traces. */
#include "arch/cpuid.h"
#include "record/plan/plan.h"
#include "sys/synth/synth.h"

int pfx_record_trace_describe(const struct pfx_record_plan *plan,
			      const struct pfx_record_source *source, struct pfx_buffer *to,
			      struct pfx_error *err)
{
	struct pfx_aux_facts facts = {
		.kind = plan->trace.kind,
		.pmu = plan->trace.pmu,
		.attr = &source->counters.list.at[0].attr,
		.filter = source->counters.list.at[0].filter,
		.snapshot = plan->options->trace.snapshot,
		.per_cpu = !plan->target.per_thread,
		.switches = plan->trace.switches,
		.cpus = &plan->target.cpus,
	};
	struct pfx_time_conv clock = {0};
	struct pfx_target all = {0};
	int rc = 0;

	if (!plan->trace.kind)
		return 0;
	if (pfx_synth_clock(source->rings.list.at[0].page, &clock)) {
		facts.has_time_zero = true;
		facts.time_shift = (uint16_t)clock.time_shift;
		facts.time_mult = (uint32_t)clock.time_mult;
		facts.time_zero = clock.time_zero;
	} else if (plan->trace.kind == PFX_AUX_INTEL_PT) {
		PFX_RECORDER_NOTIFY(plan->observer, PFX_RECORDER_NO_TRACE_TIMES);
	}
	pfx_cpuid_clock_ratio(&facts.tsc_ctc_n, &facts.tsc_ctc_d);
	/* A thread's trace may come from any CPU. */
	if (!facts.per_cpu)
		rc = pfx_target_cpus(&all, NULL, NULL, err);
	if (!facts.per_cpu)
		facts.cpus = &all.cpus;
	if (rc >= 0)
		rc = pfx_aux_info(&facts, NULL, to, err);
	pfx_target_fini(&all);
	return rc;
}
