/* SPDX-License-Identifier: MIT */
/*
 * Tracing events: which event traces, the order and groups of the events, their attrs, and the
 * sizes of the AUX areas. The choices are perf's. Nothing is opened here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "record/plan/plan.h"

#define AREA_BYTES          (4u << 20) /* of an area */
#define AREA_BYTES_ORDINARY (128u << 10)
#define RING_BYTES_ORDINARY (256u << 10) /* without special permission, beside an AUX area */
#define SPE_INTERVAL        4096         /* minimum number of instructions between samples */

static enum pfx_aux_kind kind_of(const struct pfx_event_spec *spec)
{
	return pfx_aux_kind_of(spec->pmu);
}

/* --- order and groups --- */

static bool needs_trace(const struct pfx_event_spec *spec)
{
	return spec->sampling.aux_output || spec->sampling.aux_sample_size ||
	       spec->sampling.aux_action & (PFX_AUX_PAUSE | PFX_AUX_RESUME);
}

/* Ungrouped events that need a trace join the group of the preceding tracing event. */
static void join_groups(struct pfx_event_list *list)
{
	struct pfx_event_spec *tracer = NULL;
	size_t i;

	for (i = 0; i < list->specs.nr; i++) {
		struct pfx_event_spec *spec = &list->specs.at[i];

		if (kind_of(spec))
			tracer = spec;
		if (!tracer || tracer == spec || spec->group || !needs_trace(spec))
			continue;
		if (!tracer->group)
			tracer->group = ++list->nr_groups;
		spec->group = tracer->group;
	}
}

static bool comes_first(const struct pfx_event_list *list, size_t at)
{
	uint32_t group = list->specs.at[at].group;
	size_t i;

	if (kind_of(&list->specs.at[at]))
		return true;
	for (i = 0; group && i < list->specs.nr; i++)
		if (list->specs.at[i].group == group && kind_of(&list->specs.at[i]))
			return true;
	return false;
}

/* Move one event to @to, with its options such as --filter. */
static void move(struct pfx_recorder_options *o, size_t from, size_t to)
{
	struct pfx_event_spec spec = o->events.specs.at[from];
	struct pfx_recorder_bound bound = o->bounds.at[from];

	memmove(o->events.specs.at + to + 1, o->events.specs.at + to, (from - to) * sizeof(spec));
	memmove(o->bounds.at + to + 1, o->bounds.at + to, (from - to) * sizeof(bound));
	o->events.specs.at[to] = spec;
	o->bounds.at[to] = bound;
}

/* The kernel uses the ring buffer of the first event, and only a tracing event can have an AUX
 * area. */
static void bring_to_front(struct pfx_recorder_options *o)
{
	size_t i, front = 0;
	bool *first = pfx_calloc(o->events.specs.nr, sizeof(*first));

	for (i = 0; i < o->events.specs.nr; i++)
		first[i] = comes_first(&o->events, i);
	while (o->bounds.nr < o->events.specs.nr)
		pfx_vec_push(&o->bounds, (struct pfx_recorder_bound){0});
	for (i = 0; i < o->events.specs.nr; i++)
		if (first[i])
			move(o, i, front++);
	free(first);
}

/* --- what goes together --- */

static int check_without(const struct pfx_recorder_options *o, struct pfx_error *err)
{
	const char *what = o->trace.snapshot ? "-S" : o->trace.sample_bytes ? "--aux-sample" : NULL;

	if (!what && !o->trace.bytes)
		return 0;
	pfx_error_set(err, EINVAL, "%s is about traces, and no event traces",
		      what ? what : "the second size of -m");
	pfx_error_hint(err,
		       "such events are intel_pt//, intel_bts//, cs_etm// and arm_spe_0//, where "
		       "the CPU has them");
	return -EINVAL;
}

static int check_with(const struct pfx_recorder_options *o, enum pfx_aux_kind kind, size_t nr,
		      struct pfx_error *err)
{
	bool is_intel = kind == PFX_AUX_INTEL_PT || kind == PFX_AUX_INTEL_BTS;

	if (nr > 1 && is_intel)
		return pfx_error_set(err, EINVAL,
				     "a CPU makes one trace at a time: name the event once");
	if (is_intel && o->use_clockid)
		return pfx_error_set(err, EINVAL,
				     "the times in a trace are those of the CPU: -k does not go "
				     "with it");
	if (o->trace.snapshot && o->trace.sample_bytes)
		return pfx_error_set(err, EINVAL, "-S and --aux-sample exclude each other");
	if (o->out.threads)
		return pfx_error_set(err, EINVAL, "--threads does not go with events that trace");
	return 0;
}

int pfx_record_arrange_trace(struct pfx_recorder_options *o, struct pfx_error *err)
{
	enum pfx_aux_kind kind = PFX_AUX_NONE;
	size_t nr = 0, i;
	int rc;

	for (i = 0; i < o->events.specs.nr; i++) {
		if (!kind_of(&o->events.specs.at[i]))
			continue;
		if (kind && kind_of(&o->events.specs.at[i]) != kind)
			return pfx_error_set(err, EINVAL,
					     "events of two PMUs that trace do not go together");
		kind = kind_of(&o->events.specs.at[i]);
		nr++;
	}
	if (!kind)
		return check_without(o, err);
	rc = check_with(o, kind, nr, err);
	if (rc < 0)
		return rc;
	join_groups(&o->events);
	bring_to_front(o);
	return 0;
}

/* --- attrs --- */

/* Set bits of the config that the user did not set. */
static void set_unsaid(const struct pfx_event_spec *spec, const char *term, bool on,
		       struct pfx_attr *attr)
{
	uint64_t bits = pfx_aux_format(NULL, spec->pmu, term);

	if (bits & spec->config_said)
		return;
	attr->config = on ? attr->config | bits : attr->config & ~bits;
}

static void set_spe(const struct pfx_recorder_options *o, const struct pfx_event_spec *spec,
		    struct pfx_counter *counter)
{
	uint64_t interval;

	counter->attr.sample_type |= PFX_SAMPLE_DATA_SRC;
	if (counter->has_rate || o->freq || o->period)
		return;
	pfx_aux_number(NULL, spec->pmu, "caps/min_interval", false, &interval);
	counter->attr.sample_period = interval > SPE_INTERVAL ? interval : SPE_INTERVAL;
	counter->has_rate = true;
}

static void set_intel_pt(const struct pfx_record_plan *plan, const struct pfx_event_spec *spec,
			 struct pfx_counter *counter)
{
	struct pfx_attr *attr = &counter->attr;

	attr->flags &= ~PFX_ATTR_EXCLUDE_GUEST;
	counter->guest_unsaid = false;
	/* The bit that enables tracing. */
	attr->config |= pfx_aux_format(NULL, spec->pmu, "pt");
	if (plan->trace.in_samples)
		set_unsaid(spec, "psb_period", false, attr);
	if (!plan->trace.keeps_newest)
		attr->aux_watermark = (uint32_t)(plan->trace.bytes / 4);
}

/* The attr of the tracing event. */
static void set_tracer(const struct pfx_record_plan *plan, const struct pfx_event_spec *spec,
		       struct pfx_counter *counter)
{
	bool per_cpu = !plan->target.per_thread;

	counter->has_aux = true;
	counter->makes_no_samples = true;
	if (plan->trace.kind == PFX_AUX_INTEL_PT)
		set_intel_pt(plan, spec, counter);
	if (plan->trace.kind == PFX_AUX_ARM_SPE)
		set_spe(plan->options, spec, counter);
	if (plan->trace.kind == PFX_AUX_ARM_SPE && per_cpu)
		set_unsaid(spec, "ts_enable", true, &counter->attr);
	if (plan->trace.kind == PFX_AUX_CS_ETM && per_cpu) {
		set_unsaid(spec, "contextid", true, &counter->attr);
		set_unsaid(spec, "timestamp", true, &counter->attr);
	}
}

static const struct pfx_event_spec *leader_of(const struct pfx_event_list *list, size_t at)
{
	size_t i;

	for (i = 0; i < at && list->specs.at[at].group; i++)
		if (list->specs.at[i].group == list->specs.at[at].group)
			return &list->specs.at[i];
	return &list->specs.at[at];
}

/* Pieces of the trace in the samples of the group's members. */
static int set_pieces(const struct pfx_recorder_options *o, struct pfx_counters *counters,
		      uint64_t *ret_largest, struct pfx_error *err)
{
	char shown[128];
	size_t i;

	*ret_largest = 0;
	for (i = 0; i < o->events.specs.nr; i++) {
		const struct pfx_event_spec *spec = &o->events.specs.at[i];
		struct pfx_attr *attr = &counters->list.at[i].attr;
		bool follows = !kind_of(spec) && kind_of(leader_of(&o->events, i));

		attr->aux_sample_size = follows ? (uint32_t)o->trace.sample_bytes : 0;
		if (spec->sampling.has_aux_sample_size)
			attr->aux_sample_size = spec->sampling.aux_sample_size;
		if (!attr->aux_sample_size)
			continue;
		if (!follows) {
			pfx_error_set(err, EINVAL, "no event traces in the group of '%s'",
				      pfx_escape(shown, sizeof(shown), spec->name));
			pfx_error_hint(err, "like -e '{intel_pt//,cycles/aux-sample-size=4096/}'");
			return -EINVAL;
		}
		attr->sample_type |= PFX_SAMPLE_AUX;
		if (attr->aux_sample_size > *ret_largest)
			*ret_largest = attr->aux_sample_size;
	}
	if (!o->trace.sample_bytes || *ret_largest)
		return 0;
	pfx_error_set(err, EINVAL,
		      "--aux-sample needs other events in the group of the one that "
		      "traces");
	pfx_error_hint(err, "like --aux-sample -e '{intel_pt//,cycles}'");
	return -EINVAL;
}

static uint64_t power_of_two(uint64_t size)
{
	uint64_t power = PFX_AUX_SMALLEST;

	while (power < size)
		power *= 2;
	return power;
}

static void choose_size(struct pfx_record_plan *plan, uint64_t largest_piece)
{
	const struct pfx_recorder_trace_options *o = &plan->options->trace;

	plan->trace.bytes = o->bytes;
	if (!plan->trace.bytes && largest_piece)
		plan->trace.bytes = power_of_two(4 * largest_piece);
	else if (!plan->trace.bytes && o->snapshot_bytes)
		plan->trace.bytes = power_of_two(o->snapshot_bytes);
	else if (!plan->trace.bytes)
		plan->trace.bytes = plan->perm.may_profile ? AREA_BYTES : AREA_BYTES_ORDINARY;
}

static void set_sampling(struct pfx_record_plan *plan, const struct pfx_counters *counters,
			 struct pfx_sampling *sampling)
{
	const struct pfx_attr *attr = &counters->list.at[0].attr;
	bool per_cpu = !plan->target.per_thread;

	sampling->aux = true;
	if (plan->trace.kind == PFX_AUX_INTEL_PT) {
		sampling->aux_timed =
			per_cpu && attr->config & pfx_aux_format(NULL, plan->trace.pmu, "tsc");
		sampling->aux_text_poke = !(attr->flags & PFX_ATTR_EXCLUDE_KERNEL);
	}
	/* Only switches of the recorded tasks are reported. */
	if (plan->trace.kind == PFX_AUX_ARM_SPE) {
		sampling->aux_timed = per_cpu;
		sampling->may_everywhere = false;
	}
	if (sampling->aux_timed)
		plan->trace.switches = plan->is_system_wide || sampling->may_everywhere ? 3 : 2;
}

int pfx_record_plan_trace(struct pfx_record_plan *plan, struct pfx_counters *counters,
			  struct pfx_sampling *sampling, struct pfx_error *err)
{
	const struct pfx_recorder_options *o = plan->options;
	uint64_t largest;
	size_t i;
	int rc = set_pieces(o, counters, &largest, err);

	if (rc < 0)
		return rc;
	for (i = 0; i < o->events.specs.nr; i++)
		counters->list.at[i].attr.aux_action = o->events.specs.at[i].sampling.aux_action;
	if (o->events.specs.nr == 0 || !kind_of(&o->events.specs.at[0]))
		return 0;
	plan->trace.kind = kind_of(&o->events.specs.at[0]);
	plan->trace.pmu = o->events.specs.at[0].pmu;
	plan->trace.in_samples = largest > 0;
	plan->trace.keeps_newest = o->trace.snapshot || largest;
	if (plan->trace.kind == PFX_AUX_INTEL_BTS && !plan->target.per_thread) {
		pfx_error_set(err, EINVAL, "intel_bts traces threads, not CPUs");
		pfx_error_hint(err, "add --per-thread");
		return -EINVAL;
	}
	choose_size(plan, largest);
	if (plan->trace.bytes < PFX_AUX_SMALLEST)
		return pfx_error_set(err, EINVAL,
				     "an AUX area has 8 KiB at least: give more with "
				     "-m,SIZE");
	if (o->trace.snapshot_bytes > plan->trace.bytes)
		return pfx_error_set(err, EINVAL,
				     "a snapshot of that size does not fit into the AUX area: give "
				     "more with -m,SIZE");
	for (i = 0; i < o->events.specs.nr; i++)
		if (kind_of(&o->events.specs.at[i]))
			set_tracer(plan, &o->events.specs.at[i], &counters->list.at[i]);
	set_sampling(plan, counters, sampling);
	return 0;
}

size_t pfx_record_trace_ring_bytes(const struct pfx_record_plan *plan, size_t bytes)
{
	bool is_ordinary = plan->trace.kind && !plan->perm.may_lock && bytes > RING_BYTES_ORDINARY;

	return is_ordinary ? RING_BYTES_ORDINARY : bytes;
}

bool pfx_record_trace_shrink(struct pfx_record_plan *plan, struct pfx_counters *counters)
{
	size_t i;

	if (!plan->trace.kind || plan->options->trace.bytes ||
	    plan->options->trace.snapshot_bytes || plan->trace.bytes <= PFX_AUX_SMALLEST)
		return false;
	plan->trace.bytes /= 2;
	for (i = 0; i < counters->list.nr; i++)
		counters->list.at[i].attr.aux_watermark /= 2;
	return true;
}
