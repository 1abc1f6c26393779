/* SPDX-License-Identifier: MIT */
/* `pfx diff`: the steps of a run: read, compare, check the rules, print. */
#include <errno.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/diff/diff_command.h"
#include "diff/tree.h"
#include "out/term/term.h"

/* --- notes --- */

/* The first profile of a side; NULL: none of its files has samples. */
static const struct pfx_profile *profile_of(const struct pfx_diff_command *command, bool is_old)
{
	size_t i;

	for (i = 0; i < command->files.nr; i++)
		if (command->files.at[i].profile && !command->files.at[i].side == is_old)
			return command->files.at[i].profile;
	return NULL;
}

static void say_events(const struct pfx_diff_command *command)
{
	const struct pfx_profile *profile = profile_of(command, true);
	uint32_t i, nr = pfx_diff_nr_events(command->diff);

	if (nr && profile)
		for (i = 0; i < profile->nr_events; i++) {
			uint32_t k = 0;

			while (k < nr && strcmp(pfx_diff_event_at(command->diff, k)->name,
						profile->events[i].name))
				k++;
			if (k == nr && profile->events[i].nr_samples)
				pfx_print_note(PFX_DIFF_COMMAND,
					       "event '%s' is in the baseline only: not compared",
					       profile->events[i].name);
		}
}

static void say_other_names(const struct pfx_diff_command *command)
{
	const struct pfx_diff_event *event;
	uint32_t i;

	for (i = 0; i < pfx_diff_nr_events(command->diff); i++) {
		event = pfx_diff_event_at(command->diff, i);
		if (event->other_name)
			pfx_print_note(PFX_DIFF_COMMAND,
				       "event '%s' is compared with '%s': they differ in "
				       "precision only",
				       event->name, event->other_name);
	}
}

static void say_machines(const struct pfx_diff_command *command)
{
	const struct pfx_diff_file *old = NULL, *file;
	size_t i;

	for (i = 0; i < command->files.nr && !old; i++)
		old = command->files.at[i].side ? NULL : &command->files.at[i];
	for (i = 0; i < command->files.nr; i++) {
		file = &command->files.at[i];
		if (old && old->machine && file->machine && strcmp(old->machine, file->machine))
			pfx_print_note(PFX_DIFF_COMMAND,
				       "the recordings are from different machines: '%s' is of %s, "
				       "'%s' of %s",
				       old->path, old->machine, file->path, file->machine);
	}
}

/* --- a run --- */

static int refuse_events(const struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_profile *old = profile_of(command, true);
	const struct pfx_profile *new = profile_of(command, false);
	char a[128], b[128];

	if (!old || !new) {
		pfx_error_set(err, EINVAL,
			      "counts and samples cannot be compared: %s files have "
			      "counts only",
			      old ? "the new" : "the old");
		pfx_error_hint(err,
			       "compare two files of 'pfx record', or two of 'pfx stat record'");
		return -EINVAL;
	}
	if (!old->nr_events || !new->nr_events)
		return pfx_error_set(err, EINVAL, "the recordings have no events to compare");
	pfx_error_set(err, EINVAL,
		      "the recordings have no event in common: '%s' has '%s', '%s' '%s'",
		      command->names.at[0], pfx_escape(a, sizeof(a), old->events[0].name),
		      command->names.at[1], pfx_escape(b, sizeof(b), new->events[0].name));
	pfx_error_hint(err, "events are matched by name; record both with the same -e");
	return -EINVAL;
}

static struct pfx_diff *make_diff(const struct pfx_diff_command *command,
				  const struct pfx_diff_options *options)
{
	struct pfx_diff *diff = pfx_diff_new(options);
	size_t i;

	for (i = 0; i < command->files.nr; i++)
		if (command->files.at[i].profile)
			pfx_diff_add_run(diff, command->files.at[i].side,
					 command->files.at[i].profile);
	pfx_diff_finish(diff);
	return diff;
}

/* What events of recordings count, and how long a run took. */
static void add_amounts(struct pfx_diff_command *command)
{
	const struct pfx_profile *profile;
	const struct pfx_diff_file *file;
	uint32_t k;
	size_t i;

	for (i = 0; i < command->files.nr; i++) {
		file = &command->files.at[i];
		profile = file->profile;
		if (profile && profile->last_time > profile->first_time)
			pfx_diff_amounts_add(command->amounts, file->side, PFX_DIFF_TOTAL_TIME, "",
					     (double)(profile->last_time - profile->first_time));
		for (k = 0; profile && k < profile->nr_events; k++)
			pfx_diff_amounts_add(command->amounts, file->side, profile->events[k].name,
					     "", (double)profile->events[k].period);
	}
}

static bool has_total(const struct pfx_diff_command *command)
{
	size_t i;

	for (i = 0; i < command->rules.nr; i++)
		if (command->rules.at[i].subject == PFX_DIFF_RULE_TOTAL)
			return true;
	return false;
}

/* The comparison of --tree, or of --folded. */
static void make_tree(struct pfx_diff_command *command, const struct pfx_diff_options *of)
{
	struct pfx_diff_options options = pfx_diff_tree_options(of);

	if (command->options->folded) {
		options = *of;
		options.keys[0] = PFX_DIFF_COMM;
		options.keys[1] = PFX_DIFF_CHAIN;
		options.nr_keys = 2;
		options.inclusive = options.noise = false;
	}
	command->tree = make_diff(command, &options);
	if (!options.noise || !command->options->noise)
		return;
	pfx_diff_noise_free(command->noise);
	command->look.noise = command->noise =
		pfx_diff_noise_new(command->tree, command->look.how.weight, PFX_DIFF_CONFIDENCE);
}

static int compare(struct pfx_diff_command *command, struct pfx_error *err)
{
	struct pfx_diff_options total = command->model;

	command->options->symbols.sym.buildid_dir = pfx_globals.buildid_dir;
	command->model.binaries = &command->options->symbols.sym;
	command->diff = make_diff(command, &command->model);
	command->look.how.diff = command->diff;
	if (!pfx_diff_nr_events(command->diff) &&
	    (profile_of(command, true) || profile_of(command, false)))
		return refuse_events(command, err);
	add_amounts(command);
	command->look.amounts = command->amounts;
	if (command->options->noise && pfx_diff_nr_events(command->diff))
		command->look.noise = command->noise = pfx_diff_noise_new(
			command->diff, command->look.how.weight, PFX_DIFF_CONFIDENCE);
	total.renames = pfx_diff_found_renames(command->diff);
	total.binaries = NULL;
	if (has_total(command)) {
		total.keys[0] = PFX_DIFF_DSO;
		total.keys[1] = PFX_DIFF_SYM;
		total.nr_keys = 2;
		total.inclusive = true;
		command->total = make_diff(command, &total);
	}
	if (command->options->tree || command->options->folded)
		make_tree(command, &total);
	return pfx_diff_check_rules(command, err);
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

	if (o->cycles && o->json)
		pfx_diff_cycles_json(command->cycles, &command->out);
	else if (o->cycles)
		print_cycles(command);
	else if (o->stream && o->json)
		pfx_diff_streams_json(command->streams, &command->out);
	else if (o->stream)
		pfx_diff_streams_text(command->streams, &command->out);
	else if (o->json)
		pfx_diff_json(command->diff, &command->look, &command->out);
	else if (o->markdown)
		pfx_diff_markdown(command->diff, &command->look, &command->out);
	else if (o->folded)
		pfx_diff_folded(command->tree, &command->look, &command->out);
	else if (o->tree)
		pfx_diff_tree_text(command->tree, &command->look, &command->out);
	else
		pfx_diff_text(command->diff, &command->look, &command->out);
}

int pfx_diff_run_command(struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	int rc = pfx_symbol_options_check(&o->symbols, err);
	size_t i;

	if (!rc)
		rc = pfx_diff_check_screen(command, err);
	if (o->dump)
		pfx_pager_for(PFX_DIFF_COMMAND);
	command->amounts = pfx_diff_amounts_new(command->model.nr_sides);
	if (o->cycles)
		command->cycles = pfx_diff_cycles_new();
	if (o->stream)
		command->streams = pfx_diff_streams_new();
	for (i = 0; i < command->files.nr && !rc; i++)
		rc = pfx_diff_read_file(command, &command->files.at[i], err);
	if (!rc && o->dump)
		return pfx_out_write(&command->out, 0, err);
	if (!rc && o->keep)
		return pfx_diff_keep(command, err);
	if (!rc && command->baseline_name)
		rc = pfx_diff_load_baseline(command, err);
	if (!rc)
		rc = compare(command, err);
	if (rc)
		return rc;
	if (o->tui && pfx_diff_nr_events(command->diff)) {
		rc = pfx_diff_show_screen(command, err);
	} else {
		pfx_pager_for(PFX_DIFF_COMMAND);
		print(command);
		rc = pfx_out_write(&command->out, 0, err);
	}
	if (!rc && !o->quiet) {
		say_events(command);
		say_other_names(command);
		say_machines(command);
	}
	return rc;
}
