/* SPDX-License-Identifier: MIT */
/* `pfx export`: what it says when the output is written. */
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/export/export_run_internal.h"

static bool has_chains(const struct pfx_meta *meta)
{
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (meta->events[i]->attr.sample_type &
		    (PFX_SAMPLE_CALLCHAIN | PFX_SAMPLE_STACK_USER))
			return true;
	return false;
}

static bool streams_several(const struct export_run *run)
{
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < run->counts.nr_by_event.nr; i++)
		nr += run->counts.nr_by_event.at[i] != 0;
	return nr > 1 && run->options->events.nr != 1;
}

void pfx_export_say_notes(const struct export_run *run)
{
	const struct pfx_resolver *resolver = pfx_recording_resolver(run->recording);
	struct pfx_session *session = pfx_recording_session(run->recording);
	const struct pfx_meta *meta = pfx_recording_meta(run->recording);
	unsigned needs = run->format->needs;

	if (!(needs & PFX_EXPORT_STREAM ? run->nr_streamed : run->selection.nr_rows)) {
		pfx_recording_note_empty(PFX_EXPORT_COMMAND, pfx_recording_reader(run->recording),
					 pfx_recording_stats(run->recording)->nr_samples > 0);
		return;
	}
	if (needs & PFX_EXPORT_CHAINS && !run->options->no_chains && !has_chains(meta))
		pfx_print_note(PFX_EXPORT_COMMAND,
			       "the samples have no call chains (record -g): the output has "
			       "the sampled functions only");
	if (needs & PFX_EXPORT_ONE_MEASURE && pfx_export_has_several(&run->selection))
		pfx_print_note(
			PFX_EXPORT_COMMAND,
			"the output has several events, each by itself; --event chooses one");
	if (needs & PFX_EXPORT_BARE && streams_several(run))
		pfx_print_note(PFX_EXPORT_COMMAND,
			       "the output does not say which event a sample is of; "
			       "--event chooses one");
	if (run->options->measure_given && !(needs & PFX_EXPORT_ONE_MEASURE))
		pfx_print_note(PFX_EXPORT_COMMAND, "--weight has no effect: %s has samples%s",
			       run->format->name, needs & PFX_EXPORT_BARE ? "" : " and periods");
	if (run->options->width && !(needs & PFX_EXPORT_PICTURE))
		pfx_print_note(PFX_EXPORT_COMMAND, "--width has no effect: %s is not a picture",
			       run->format->name);
	if (run->options->sources && !(needs & PFX_EXPORT_CODE))
		pfx_print_note(PFX_EXPORT_COMMAND, "--sources has no effect: %s has no code",
			       run->format->name);
	pfx_recording_note_unwinding(PFX_EXPORT_COMMAND, resolver);
	pfx_recording_note_pointers(PFX_EXPORT_COMMAND, session, resolver);
	pfx_recording_note_jit(PFX_EXPORT_COMMAND, resolver);
	pfx_recording_note_lines(PFX_EXPORT_COMMAND, session, resolver);
	if (run->options->verbose)
		pfx_recording_note_symbols(PFX_EXPORT_COMMAND, session, resolver);
}
