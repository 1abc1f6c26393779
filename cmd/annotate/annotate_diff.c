/* SPDX-License-Identifier: MIT */
/* `pfx annotate --diff`: the second recording, and both written side by side. */
#include <errno.h>
#include <string.h>

#include "cmd/annotate/annotate_run.h"
#include "cmd/app/commands.h"
#include "diff/code/code_diff.h"
#include "out/notes_text.h"

int pfx_annotate_check_diff(const struct pfx_annotate_options *o, struct pfx_error *err)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{o->dump, "-D"},
		{o->lines, "--lines"},
		{o->style.short_form, "--stdio2"},
		{o->with_types, "--code-with-type"},
		{pfx_annotate_shows_data(&o->data), "types of data"},
		{o->tui, "--tui"},
	};
	size_t i;

	for (i = 0; o->diff && i < sizeof(others) / sizeof(*others); i++)
		if (others[i].given)
			return pfx_error_set(err, EINVAL,
					     "--diff shows instructions of two builds: it does not "
					     "go with %s",
					     others[i].name);
	if (o->diff && o->input && !strcmp(o->diff, "-") && !strcmp(o->input, "-"))
		return pfx_error_set(err, EINVAL,
				     "both recordings are standard input: name one of them");
	return 0;
}

static int read_old(struct pfx_annotate_run *old, const struct pfx_recording_options *how,
		    const struct pfx_resolve_options *resolving, struct pfx_error *err)
{
	int rc = pfx_recording_open(&old->recording, old->options->diff, how, err);

	if (!rc)
		rc = pfx_filter_check_cpus(&old->options->filter,
					   pfx_recording_meta(old->recording), err);
	if (rc)
		return rc;
	pfx_recording_resolve(old->recording, resolving);
	return pfx_annotate_read_costs(old, err);
}

static void say_of_old(void *context, const char *text)
{
	const struct pfx_annotate_options *o = context;

	pfx_print_note("annotate", "in the old recording '%s', %s", o->diff, text);
}

static void say_notes(struct pfx_annotate_run *runs[2], struct pfx_code_diff_result *result)
{
	struct pfx_annotate_options *o = runs[1]->options;
	const struct pfx_note_to of_old = {say_of_old, o};
	int i;

	for (i = 0; i < 2; i++) {
		runs[i]->missing = result->missing[i];
		result->missing[i] = (struct pfx_missing_code){0};
	}
	if (o->quiet)
		return;
	pfx_recording_loss_note(&of_old, runs[0]->recording);
	if (result->has_new && !o->skip_missing)
		pfx_symbol_notes(&of_old, pfx_recording_session(runs[0]->recording),
				 pfx_recording_resolver(runs[0]->recording));
	if (o->skip_missing || !runs[0]->missing.dsos.nr)
		return;
	pfx_print_note("annotate", "of the old recording '%s':", o->diff);
	pfx_annotate_say_missing(runs[0]);
}

int pfx_annotate_diff(struct pfx_annotate_run *a, const struct pfx_recording_options *how,
		      const struct pfx_resolve_options *resolving, struct pfx_error *err)
{
	struct pfx_annotate_run old = {.options = a->options}, *runs[2] = {&old, a};
	struct pfx_annotate requests[2];
	const struct pfx_annotate *const both[2] = {&requests[0], &requests[1]};
	struct pfx_code_diff_result result = {0};
	int rc = read_old(&old, how, resolving, err);

	if (!rc) {
		pfx_pager_for("annotate");
		requests[0] = pfx_annotate_request(&old);
		requests[1] = pfx_annotate_request(a);
		rc = pfx_code_diff_write(both, &result, &a->out, err);
		say_notes(runs, &result);
	}
	pfx_code_diff_fini(&result);
	pfx_missing_code_fini(&old.missing);
	pfx_costs_free(old.costs);
	pfx_recording_free(old.recording);
	return rc;
}
