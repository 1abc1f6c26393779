/* SPDX-License-Identifier: MIT */
/*
 * `pfx script flamegraph`: words of a script choose the picture, options of `pfx script` the
 * samples; an export writes it.
 */
#include <errno.h>

#include "cmd/app/commands.h"
#include "cmd/app/export/export_command.h"
#include "cmd/script/script_options.h"

#define DEFAULT_OUTPUT "flamegraph.html"

/* The words after the name are options of `pfx export`. */
static const struct pfx_command words_of_picture = {
	.name = "script",
	.args = "flamegraph",
	.options = pfx_export_option_table,
	.permute = true,
};

static int take_filter(const struct pfx_script_filter *from, struct pfx_filter *to,
		       struct pfx_error *err)
{
	int rc = 0;

	if (from->comms)
		rc = pfx_names_parse(&to->comms, from->comms, err);
	if (!rc && from->dsos)
		rc = pfx_names_parse(&to->dsos, from->dsos, err);
	if (!rc && from->symbols)
		rc = pfx_names_parse(&to->symbols, from->symbols, err);
	if (!rc && from->pids)
		rc = pfx_ids_parse(&to->pids, from->pids, err);
	if (!rc && from->tids)
		rc = pfx_ids_parse(&to->tids, from->tids, err);
	return rc;
}

static int take_options(const struct pfx_script_command *o, struct pfx_export_options *to,
			struct pfx_error *err)
{
	if (o->how.filter.stop_symbols || o->how.filter.addr_range)
		return pfx_error_set(err, EINVAL,
				     "--stop-bt and --addr-range do not go with a flame graph");
	to->input = o->input;
	to->cpus = o->how.filter.cpus;
	to->time = o->how.time;
	to->event_switch = o->how.event_switch;
	to->force = o->force;
	to->strict = o->strict;
	to->quiet |= o->how.quiet;
	to->verbose += o->verbose;
	to->no_chains |= o->how.hide_chains;
	to->inlines &= o->how.inlines;
	if (o->how.max_stack < to->max_stack)
		to->max_stack = o->how.max_stack;
	to->symbols = o->symbols;
	to->unwind = o->unwind;
	return take_filter(&o->how.filter, &to->filter, err);
}

static int write_picture(struct pfx_script_command *o, struct pfx_export_options *to)
{
	const struct pfx_export *format;
	struct pfx_error err = {0};
	uint64_t nr = 0;
	int code;

	if (take_options(o, to, &err) < 0 ||
	    pfx_export_options_check("script", to, o->run.word, &err) < 0 ||
	    pfx_export_find_picture(to->output, &format, &err) < 0 ||
	    pfx_export_options_suit(to, format, &err) < 0) {
		pfx_print_error("script", &err);
		return PFX_USAGE_ERROR;
	}
	code = pfx_export_command("script", to, format, &nr);
	if (!code && nr && !to->quiet)
		pfx_export_say_done("script", to->output, nr);
	return code;
}

int pfx_script_picture(struct pfx_script_command *o)
{
	struct pfx_export_options options = PFX_EXPORT_OPTIONS_DEFAULT;
	struct {
		char **at;
		size_t nr, cap;
	} words = {0};
	int i, at, code;

	options.output = DEFAULT_OUTPUT;
	options.skip_empty = true;
	pfx_vec_push(&words, (char *)"script");
	for (i = 0; i < o->run.nr_args; i++)
		pfx_vec_push(&words, o->run.args[i]);
	pfx_vec_push(&words, NULL);
	at = pfx_options_or_exit(&words_of_picture, (int)words.nr - 1, words.at, &options, &code);
	if (at >= 0) {
		o->run.word = words.at[at];
		code = write_picture(o, &options);
	}
	pfx_vec_free(&words);
	pfx_export_options_fini(&options);
	return code;
}
