/* SPDX-License-Identifier: MIT */
#include "cmd/app/export/export_options.h"

#include <errno.h>
#include <string.h>

#include "cmd/app/filter_options.h"
#include "cmd/app/recording_notes.h"
#include "cmd/app/unwind_style.h"

static int on_event(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_export_options *o = options;

	if (!unset)
		pfx_vec_push(&o->events, arg);
	return 0;
}

static int on_weight(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	static const char *const words[] = {
		[PFX_MEASURE_PERIOD] = "period", [PFX_MEASURE_SAMPLES] = "samples"};
	struct pfx_export_options *o = options;
	char shown[64];
	unsigned i;

	o->measure_given = !unset;
	for (i = 0; !unset && i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i], arg))
			continue;
		o->measure = i;
		return 0;
	}
	if (unset)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a weight of samples",
		      pfx_escape(shown, sizeof(shown), arg));
	pfx_error_hint(err, "weights are samples and period");
	return -EINVAL;
}

#define AT(field) offsetof(struct pfx_export_options, field)
const struct pfx_option pfx_export_option_table[] = {
	{PFX_OPT_BOOL, 0, "list", AT(list), NULL, "list the formats"},
	{PFX_OPT_GROUP, .help = "Input and output:"},
	PFX_OPT_INPUT(input),
	{PFX_OPT_STRING, 'o', "output", AT(output), "file",
	 "write to this file, - is standard output (the default)"},
	{PFX_OPT_STRING, 0, "diff", AT(old), "file",
	 "in formats that compare (html, svg): what changed since this recording"},
	PFX_OPT_FORCE(force),
	PFX_OPT_STRICT(strict),
	{PFX_OPT_CALL, 0, "weight", 0, "what",
	 "in formats with one number for each stack: samples or period", on_weight,
	 .words = "samples period"},
	{PFX_OPT_U64, 0, "width", AT(width), "pixels", "in pictures: the width (1200)"},
	{PFX_OPT_STRING, 0, "title", AT(title), "text",
	 "in pages and pictures: the title, instead of the recorded command"},
	{PFX_OPT_BOOL, 0, "redact", AT(redact), NULL,
	 "words instead of names of hosts, commands, binaries and folders"},
	{PFX_OPT_BOOL, 0, "sources", AT(sources), NULL,
	 "in formats with code: with the text of the source lines, too"},
	{PFX_OPT_GROUP, .help = "Which samples:"},
	{PFX_OPT_CALL, 'e', "event", 0, "event",
	 "only samples of this event; may be given several times", on_event, .keeps = true},
	PFX_OPT_FILTER_NAMES(filter, 'c'),
	{PFX_OPT_STRING, 'C', "cpu", AT(cpus), "list", "only these CPUs"},
	PFX_OPT_TIME_SPAN(time),
	{PFX_OPT_STRING, 0, "switch-on", AT(event_switch.on), "event",
	 "start at the first sample of this event"},
	{PFX_OPT_STRING, 0, "switch-off", AT(event_switch.off), "event",
	 "stop at a sample of this event; --switch-on starts again"},
	{PFX_OPT_BOOL, 0, "show-on-off-events", AT(event_switch.shows), NULL,
	 "include the samples of these two events"},
	{PFX_OPT_BOOL, 0, "guest", AT(guest), NULL, "include the samples of guests"},
	{PFX_OPT_STRING, 0, "focus", AT(patterns[PFX_VIEW_FOCUS]), "pattern",
	 "only samples with a function that matches in their stack"},
	{PFX_OPT_STRING, 0, "ignore", AT(patterns[PFX_VIEW_IGNORE]), "pattern",
	 "no samples with a function that matches in their stack"},
	{PFX_OPT_GROUP, .help = "Which frames:"},
	{PFX_OPT_STRING, 0, "hide", AT(patterns[PFX_VIEW_HIDE]), "pattern",
	 "leave out frames of functions that match"},
	{PFX_OPT_STRING, 0, "show", AT(patterns[PFX_VIEW_SHOW]), "pattern",
	 "leave out all other frames"},
	{PFX_OPT_STRING, 0, "show-from", AT(patterns[PFX_VIEW_SHOW_FROM]), "pattern",
	 "leave out the callers of functions that match"},
	{PFX_OPT_BOOL, 'U', "hide-unresolved", AT(hide_unresolved), NULL,
	 "leave out samples and frames without a symbol"},
	{PFX_OPT_BOOL, 0, "no-chains", AT(no_chains), NULL,
	 "the sampled functions only, without their callers"},
	{PFX_OPT_BOOL, 0, "inline", AT(inlines), NULL,
	 "show functions inlined in others as frames of their own (the default)"},
	PFX_OPT_MAX_STACK(AT(max_stack)),
	PFX_OPT_UNWIND_STYLE(AT(unwind)),
	{PFX_OPT_GROUP, .help = "Symbols:"},
	PFX_OPT_SYMBOL_FILES(AT(symbols)),
	PFX_OPT_IGNORE_VMLINUX(AT(symbols)),
	PFX_OPT_MODULES(AT(modules)),
	{PFX_OPT_GROUP, .help = "Messages:"},
	{PFX_OPT_BOOL, 'q', "quiet", AT(quiet), NULL, "no notes about the recording"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL,
	 "long names, and which binaries have no symbols"},
	{.kind = PFX_OPT_END},
};

static int check_width(const struct pfx_export_options *o, struct pfx_error *err)
{
	if (!o->width || (o->width >= PFX_EXPORT_WIDTH_MIN && o->width <= PFX_EXPORT_WIDTH_MAX))
		return 0;
	return pfx_error_set(err, EINVAL, "the width of a picture is from %d to %d pixels",
			     PFX_EXPORT_WIDTH_MIN, PFX_EXPORT_WIDTH_MAX);
}

int pfx_export_options_check(const char *command, struct pfx_export_options *o, const char *word,
			     struct pfx_error *err)
{
	int rc = pfx_recording_check_word(command, word, err);

	if (!rc)
		rc = check_width(o, err);
	o->filter.cpus_given = o->cpus != NULL;
	if (!rc)
		rc = pfx_list_read(o->cpus, &o->filter.cpus, "a list of CPUs",
				   "for example: -C 0,4-7", err);
	if (!rc)
		rc = pfx_time_ranges_check(o->time, err);
	return rc ? rc : pfx_symbol_options_parse(&o->symbols, err);
}

int pfx_export_options_suit(const struct pfx_export_options *o, const struct pfx_export *format,
			    struct pfx_error *err)
{
	if (o->redact && o->sources)
		return pfx_error_set(err, EINVAL, "--redact and --sources exclude each other");
	if (!o->old || format->needs & PFX_EXPORT_COMPARES)
		return 0;
	pfx_error_set(err, EINVAL, "--diff does not work with %s", format->name);
	pfx_error_hint(err,
		       "'pfx export html', 'pfx export svg' and 'pfx diff' compare recordings");
	return -EINVAL;
}

void pfx_export_options_fini(struct pfx_export_options *o)
{
	pfx_filter_fini(&o->filter);
	pfx_vec_free(&o->events);
}
