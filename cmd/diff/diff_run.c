/* SPDX-License-Identifier: MIT */
/* `pfx diff`: the steps of a run: read, compare, check the rules, print. */
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/diff/diff_command.h"
#include "out/term/term.h"

/* Keep all profiles as the baseline of --keep. */
static int keep(const struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	size_t nr = command->comparison.files.nr;
	struct pfx_comparison_kept kept;
	int rc = pfx_comparison_keep(&command->comparison, o->baseline, o->keep, &kept, err);

	if (!rc && !o->quiet)
		pfx_print_note(PFX_DIFF_COMMAND, "%zu run%s kept as '%s': %zu KB%s", nr,
			       nr > 1 ? "s" : "", o->keep, (kept.bytes + 1023) / 1024,
			       kept.replaces ? ", instead of what was kept under this name" : "");
	return rc;
}

static void print_cycles(struct pfx_diff_command *command)
{
	const struct pfx_cmd_diff_options *o = command->options;

	pfx_diff_cycles_text(command->cycles,
			     &(struct pfx_diff_cycles_look){.histogram = o->cycles_hist,
							    .quiet = o->quiet,
							    .separator = o->separator},
			     &command->out);
}

static void print(struct pfx_diff_command *command)
{
	const struct pfx_cmd_diff_options *o = command->options;
	const struct pfx_comparison *c = &command->comparison;

	if (o->cycles && o->json)
		pfx_diff_cycles_json(command->cycles, &command->out);
	else if (o->cycles)
		print_cycles(command);
	else if (o->stream && o->json)
		pfx_diff_streams_json(command->streams, &command->out);
	else if (o->stream)
		pfx_diff_streams_text(command->streams, &command->out);
	else if (o->json)
		pfx_diff_json(c->diff, &c->look, &command->out);
	else if (o->markdown)
		pfx_diff_markdown(c->diff, &c->look, &command->out);
	else if (o->folded)
		pfx_diff_folded(c->tree, &c->look, &command->out);
	else if (o->tree)
		pfx_diff_tree_text(&c->look, &command->out);
	else
		pfx_diff_text(c->diff, &c->look, &command->out);
}

int pfx_diff_run_command(struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	struct pfx_comparison *c = &command->comparison;
	const struct pfx_note_to notes = pfx_recording_notes(PFX_DIFF_COMMAND);
	int rc = pfx_symbol_options_check(&o->symbols, err);
	size_t i;

	if (!rc)
		rc = pfx_diff_check_screen(command, err);
	if (o->dump)
		pfx_pager_for(PFX_DIFF_COMMAND);
	if (o->cycles)
		command->cycles = pfx_diff_cycles_new();
	if (o->stream)
		command->streams = pfx_diff_streams_new();
	for (i = 0; i < c->files.nr && !rc; i++)
		rc = pfx_diff_read_file(command, &c->files.at[i], err);
	if (!rc && o->dump)
		return pfx_out_write(&command->out, 0, err);
	if (!rc && o->keep)
		return keep(command, err);
	if (!rc && command->baseline_name)
		rc = pfx_comparison_load(c, o->baseline, command->baseline_name, err);
	if (!rc)
		rc = pfx_comparison_make(c, err);
	if (rc)
		return rc;
	if (o->tui && pfx_diff_nr_events(c->diff)) {
		rc = pfx_diff_show_screen(command, err);
	} else {
		pfx_pager_for(PFX_DIFF_COMMAND);
		print(command);
		rc = pfx_out_write(&command->out, 0, err);
	}
	if (!rc && !o->quiet)
		pfx_comparison_notes(c, &notes);
	return rc;
}
