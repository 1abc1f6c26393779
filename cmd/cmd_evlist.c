/* SPDX-License-Identifier: MIT */
/*
 * `pfx evlist`: the events of a recording. Prints no samples; a stream is read to its end, because
 * it may describe events anywhere.
 */
#include <errno.h>

#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "out/evlist_text.h"
#include "out/term/term.h"

struct evlist_options {
	const char *input;
	bool force, strict;
	struct pfx_evlist_style style;
};

#define AT(field) offsetof(struct evlist_options, field)
static const struct pfx_option evlist_options[] = {
	PFX_OPT_INPUT(input),
	PFX_OPT_FORCE(force),
	PFX_OPT_STRICT(strict),
	{PFX_OPT_BOOL, 'v', "verbose", AT(style.verbose), NULL,
	 "show all of each event's attributes"},
	{PFX_OPT_BOOL, 'F', "freq", AT(style.freq), NULL, "show sample frequencies and periods"},
	{PFX_OPT_BOOL, 'g', "group", AT(style.group), NULL, "show groups of events, in braces"},
	{PFX_OPT_BOOL, 0, "trace-fields", AT(style.trace_fields), NULL,
	 "show the names of the fields of tracepoints"},
	{.kind = PFX_OPT_END},
};

/* A stream describes its events among the records, a file in its header: for a file, the records
 * are read only to check that they are complete. */
static int read_records(const struct evlist_options *options, struct pfx_recording *recording,
			struct pfx_error *err)
{
	if (!pfx_recording_meta(recording)->is_pipe && !options->strict)
		return 0;
	return pfx_recording_finish(recording, err);
}

static int list_events(const struct evlist_options *options, struct pfx_recording *recording,
		       struct pfx_error *err)
{
	struct pfx_str out = {0}, named = {0};
	int rc = read_records(options, recording, err);

	if (rc < 0)
		return rc;
	pfx_evlist_text(pfx_recording_meta(recording), &options->style, &out);
	pfx_add_named(&named, pfx_str_get(&out)); /* the tip names a command */
	rc = pfx_out_write(&named, 0, err);
	pfx_str_fini(&named);
	pfx_str_fini(&out);
	return rc;
}

static int run_checked(const struct evlist_options *options)
{
	const struct pfx_recording_options how = {
		.reader = {.force = options->force, .strict = options->strict},
		.as_it_lies = true,
	};
	struct pfx_recording *recording = NULL;
	struct pfx_error err = {0};
	int code, rc = pfx_recording_open(&recording, options->input, &how, &err);

	if (!rc) {
		pfx_pager_for("evlist");
		rc = list_events(options, recording, &err);
	}
	code = pfx_recording_exit_code("evlist", rc, &err);
	if (recording && !rc)
		pfx_recording_note("evlist", recording);
	pfx_recording_free(recording);
	return code;
}

static int check_words(const struct evlist_options *options, const char *word,
		       struct pfx_error *err)
{
	if (options->style.group && (options->style.verbose || options->style.freq))
		return pfx_error_set(err, EINVAL,
				     "-g shows names only and goes with neither -v nor -F");
	return pfx_recording_check_word("evlist", word, err);
}

static int run_evlist(int argc, char **argv)
{
	struct evlist_options options = {0};
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_evlist, argc, argv, &options, &code);

	if (at < 0)
		return code;
	if (check_words(&options, at < argc ? argv[at] : NULL, &err) < 0) {
		pfx_print_error("evlist", &err);
		return PFX_USAGE_ERROR;
	}
	return run_checked(&options);
}

const struct pfx_command pfx_cmd_evlist = {
	.name = "evlist",
	.args = "",
	.summary = "list the events of a recording",
	.options = evlist_options,
	.run = run_evlist,
};
