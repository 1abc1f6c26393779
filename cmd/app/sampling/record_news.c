/* SPDX-License-Identifier: MIT */
/* The messages before the first sample, of every command that takes samples. */
#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/output_open.h"
#include "cmd/app/perf/attr_block.h"
#include "cmd/app/sampling/record_options.h"
#include "cmd/app/waiting.h"
#include "event/meta.h"
#include "event/names.h"
#include "sys/counter/counter.h"

/* Warns of target options that others override: threads, then a user, then CPUs. */
static void say_what_wins(const char *command, const struct pfx_recorder_options *o,
			  bool is_system_wide)
{
	bool has_tasks = o->pids || o->tids;

	if (has_tasks && o->user)
		pfx_print_note(command, "-p and -t choose threads: -u has no effect with them");
	else if (o->user && o->cpus)
		pfx_print_note(command, "-u chooses threads on all CPUs: -C has no effect with it");
	else if (o->user && o->all_cpus)
		pfx_print_note(command, "-u chooses threads: -a has no effect with it");
	if (has_tasks && o->cpus)
		pfx_print_note(command,
			       "-p and -t choose threads on all CPUs: -C has no effect with "
			       "them");
	if (has_tasks && o->all_cpus)
		pfx_print_note(command, "-p and -t choose threads: -a has no effect with them");
	if (is_system_wide && o->per_thread)
		pfx_print_note(command, "everything on a CPU has no threads: --per-thread has no "
					"effect with -a and -C");
}

/* The events as opened, features that the kernel lacks, and the ring buffers. */
static void say_details(const char *command, const struct pfx_recorder_opened *opened)
{
	const char *const *gap = pfx_counter_gaps();
	struct pfx_str text = {0};
	unsigned i;

	for (i = 0; i < opened->meta->nr_events; i++) {
		const struct pfx_event *event = opened->meta->events[i];

		pfx_str_clear(&text);
		pfx_attr_text(&event->attr, &text);
		pfx_print_note(command, "event '%s' on %u counters: %s", event->name, event->nr_ids,
			       pfx_str_get(&text));
		pfx_print_attr_block(&event->attr);
	}
	for (i = 0; gap[i]; i++)
		if (opened->counters->gaps >> i & 1)
			pfx_print_note(command, "this kernel has no %s", gap[i]);
	pfx_print_note(command, "ring buffers of %zu KiB on %zu CPUs", opened->ring_bytes >> 10,
		       opened->nr_rings);
	if (opened->area_bytes)
		pfx_print_note(command, "AUX areas of %llu KiB on %zu of them",
			       (unsigned long long)opened->area_bytes >> 10, opened->nr_areas);
	pfx_str_fini(&text);
}

static void say_opened(const char *command, const struct pfx_record_options *o,
		       const struct pfx_recorder_opened *opened)
{
	const struct pfx_counters *set = opened->counters;

	if (set->fell_to_clock && set->fell_to_user)
		pfx_print_note(command, "no cycle counter here and no permission for the kernel: "
					"sampling cpu-clock in user space");
	else if (set->fell_to_clock && (o->verbose || !pfx_has_habit(PFX_HABIT_QUIET_CLOCK)))
		pfx_print_note(command, "no cycle counter here: sampling cpu-clock instead");
	else if (set->fell_to_user)
		pfx_print_note(command,
			       "no permission for the kernel: sampling user space only "
			       "(kernel.perf_event_paranoid is %d)",
			       opened->paranoid);
	if (set->slowed_clock)
		pfx_print_note(command,
			       "the clock samples %d times a second: a faster timer can take a "
			       "whole CPU ('-e cpu-clock' takes any rate)",
			       PFX_CLOCK_RATE_MAX);
	if (set->nr_vanished)
		pfx_print_note(command, "%u threads ended before they could be attached",
			       set->nr_vanished);
	if (set->nr_offline)
		pfx_print_note(command, "%u counters are missing: their CPU went offline",
			       set->nr_offline);
	if (o->rec.callgraph.defer && set->gaps & 1)
		pfx_print_note(command, "this kernel does not defer call chains (Linux 6.19 does): "
					"taking them at once");
	if (o->verbose)
		say_details(command, opened);
}

static void say_waiting(const char *command, const struct pfx_recorder_options *o)
{
	const struct pfx_waiting target = {o->pids, o->tids, o->user, o->cpus};

	pfx_waiting_say(command, "recording", &target);
}

void pfx_record_print_before(const char *command, const struct pfx_record_options *o,
			     const struct pfx_recorder_news *news)
{
	char shown[128];

	switch (news->tag) {
	case PFX_RECORDER_EVENT_NOT_FOLLOWED:
		pfx_print_note(command,
			       "without access to tracefs, '%s' is not followed into new threads "
			       "and processes",
			       news->name);
		break;
	case PFX_RECORDER_TARGET_CHOSEN:
		say_what_wins(command, &o->rec, news->on);
		break;
	case PFX_RECORDER_RATE_LOWERED:
		pfx_print_note(command,
			       "%llu samples a second are more than the kernel allows; taking %llu "
			       "(kernel.perf_event_max_sample_rate)",
			       (unsigned long long)news->number, (unsigned long long)news->taken);
		break;
	case PFX_RECORDER_EVENT_COUNTS_ONLY:
		pfx_print_note(command,
			       "'%s': percore and nr are about counts and change no samples",
			       pfx_escape(shown, sizeof(shown), news->name));
		break;
	case PFX_RECORDER_NO_LBR:
		pfx_print_note(command, "call graphs by lbr go neither with -b or -j nor "
					"with events of the kernel only: taking frame "
					"pointers");
		break;
	case PFX_RECORDER_OPENED:
		say_opened(command, o, news->opened);
		break;
	case PFX_RECORDER_OUTPUT_WAITS:
		pfx_output_say_waiting(command, news->name);
		break;
	case PFX_RECORDER_NO_TRACE_TIMES:
		pfx_print_note(command, "the kernel does not say how the CPU's counter becomes "
					"time: the trace has no times");
		break;
	case PFX_RECORDER_NO_KERNEL_SYMBOLS:
		pfx_print_note(command, "%s%s%s", news->err->text, news->err->hint[0] ? "; " : "",
			       news->err->hint);
		break;
	case PFX_RECORDER_NO_SLEEP_CHAINS:
		pfx_print_note(command,
			       "no permission to see where threads go to sleep, only how long: "
			       "kernel.perf_event_paranoid is %d, stacks need 1",
			       news->code);
		break;
	case PFX_RECORDER_WAITS:
		say_waiting(command, &o->rec);
		break;
	default:
		break;
	}
}
