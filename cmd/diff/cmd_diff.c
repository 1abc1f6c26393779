/* SPDX-License-Identifier: MIT */
/*
 * `pfx diff`: recordings compared with the first. The options; the steps are in diff_run.c, reading
 * is in diff_read.c, the comparison in lib/diff.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/filter_options.h"
#include "cmd/app/recording_notes.h"
#include "cmd/diff/diff_command.h"
#include "out/term/term.h"
#include "read/time_ranges.h"

static int on_percentage(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_cmd_diff_options *o = options;
	char shown[64];

	if (unset)
		return 0;
	o->relative = !strcmp(arg, "relative");
	if (o->relative || !strcmp(arg, "absolute"))
		return 0;
	return pfx_error_set(err, EINVAL, "--percentage takes relative or absolute, not '%s'",
			     pfx_escape(shown, sizeof(shown), arg));
}

/* A word that may be given several times. */
static int on_word(void *value, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_diff_words *files = value;

	if (unset)
		files->nr = 0;
	else
		pfx_vec_push(files, arg);
	return 0;
}

static int on_tree(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_cmd_diff_options *o = options;
	char shown[64];

	o->tree = !unset;
	if (!arg || pfx_parse_percent(arg, &o->least))
		return 0;
	return pfx_error_set(err, EINVAL, "--tree: '%s' is not a number",
			     pfx_escape(shown, sizeof(shown), arg));
}

static int on_min_share(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_cmd_diff_options *o = options;
	char shown[64];

	if (unset)
		o->min_share = 0;
	if (unset || (pfx_parse_percent(arg, &o->min_share) && o->min_share <= 100))
		return 0;
	return pfx_error_set(err, EINVAL, "--min-share: '%s' is not a percentage",
			     pfx_escape(shown, sizeof(shown), arg));
}

#define AT(field) offsetof(struct pfx_cmd_diff_options, field)
static const struct pfx_option diff_options[] = {
	{PFX_OPT_GROUP, .help = "What is compared:"},
	{PFX_OPT_STRING, 's', "sort", AT(sort), "keys",
	 "what a row is: comm, dso, symbol (the usual: dso,symbol), srcline, srcfile, chain, cpu, "
	 "tgid, pid (by thread), separated by commas",
	 .words = "comm dso symbol srcline srcfile chain cpu tgid pid"},
	{PFX_OPT_STRING, 'c', "compute", AT(compute), "what",
	 "delta, delta-abs (ordered by size, the default), ratio, wdiff:W1,W2, cycles (of blocks, "
	 "from branch stacks)",
	 .words = "delta delta-abs ratio cycles"},
	{PFX_OPT_BOOL, 0, "cycles-hist", AT(cycles_hist), NULL,
	 "with -c cycles: the standard deviation, and how often each number of cycles was seen"},
	{PFX_OPT_STRING, 0, "weight", AT(weight), "what",
	 "put samples on one footing: share of the total (the default), samples, period, cpu-time, "
	 "per-run",
	 .words = "share samples period cpu-time per-run"},
	{PFX_OPT_BOOL, 0, "exact", AT(exact), NULL,
	 "match rows by equal names only, not across builds"},
	{PFX_OPT_BOOL, 0, "inline", AT(inlines), NULL,
	 "count samples for inlined functions, not for the functions that contain them; call "
	 "chains "
	 "have inlined functions without it, too, but with --no-inline",
	 .set_offset = AT(inlines_given)},
	{PFX_OPT_VALUE, 0, "old", AT(old_files), "file...",
	 "several runs of the old side: --old a1 a2 a3 --new b1 b2 b3", on_word},
	{PFX_OPT_VALUE, 0, "new", AT(new_files), "file...", "several runs of the new side",
	 on_word},
	{PFX_OPT_STRING, 0, "baseline", AT(baseline), "dir",
	 "directory of recordings that were kept by name: the first word is the name of the old "
	 "side"},
	{PFX_OPT_STRING, 0, "keep", AT(keep), "name",
	 "keep these recordings in the directory of --baseline, instead of comparing"},
	{PFX_OPT_GROUP, .help = "Noise:"},
	{PFX_OPT_BOOL, 0, "noise", AT(noise), NULL,
	 "show the interval of each difference, mark rows within noise (the default)"},
	{PFX_OPT_BOOL, 0, "beyond-noise", AT(beyond_noise), NULL, "leave rows within noise out"},
	{PFX_OPT_GROUP, .help = "Rules:"},
	{PFX_OPT_VALUE, 0, "fail-on", AT(fail_on), "rule",
	 "end with 2 if this happens: 'self > +5%', 'total:parse_.* > +2 points', 'total-time > "
	 "+3%', 'instructions > +1%'",
	 on_word},
	{PFX_OPT_STRING, 0, "rules", AT(rules), "file", "the same, a rule on each line"},
	{PFX_OPT_BOOL, 0, "ignore-noise", AT(ignore_noise), NULL,
	 "rules also count what is within noise"},
	{PFX_OPT_U64, 0, "min-samples", AT(min_samples), "n",
	 "rules do not count rows with fewer samples on both sides"},
	{PFX_OPT_CALL, 0, "min-share", 0, "percent",
	 "rules in % do not count rows with less of all samples on both sides (0.5)", on_min_share},
	{PFX_OPT_GROUP, .help = "Which samples:"},
	PFX_OPT_FILTER_NAMES(filter, 'C'),
	{PFX_OPT_STRING, 0, "cpu", AT(cpus), "list", "only these CPUs"},
	{PFX_OPT_STRING, 0, "time", AT(time), "span",
	 "only from start,stop in seconds, or a part like 10%-20%; a span for each file is "
	 "separated by colons"},
	{PFX_OPT_CALL, 0, "percentage", 0, "how",
	 "percentages of the filtered samples (relative) or of all samples (absolute)",
	 on_percentage, .words = "relative absolute"},
	{PFX_OPT_GROUP, .help = "Rows and columns:"},
	{PFX_OPT_U64, 'o', "order", AT(order), "n",
	 "order the rows by this file, counted from 0; 1 is the default",
	 .set_offset = AT(order_given)},
	{PFX_OPT_BOOL, 'b', "baseline-only", AT(baseline_only), NULL,
	 "only rows that both the baseline and another file have"},
	{PFX_OPT_BOOL, 'p', "period", AT(periods), NULL, "show the sums of periods"},
	{PFX_OPT_BOOL, 'F', "formula", AT(formula), NULL, "show what was computed"},
	{PFX_OPT_STRING, 't', "field-separator", AT(separator), "text",
	 "separate columns by this text instead of blanks"},
	{PFX_OPT_CALL_OPTIONAL, 0, "tree", 0, "least",
	 "instead of rows: the smallest subtrees of the calls that explain the change, if it is at "
	 "least this (0.1)",
	 on_tree},
	{PFX_OPT_BOOL, 0, "stream", AT(stream), NULL,
	 "instead of rows: the chains of branches that most samples end, of two recordings with "
	 "branch "
	 "stacks"},
	{PFX_OPT_BOOL, 0, "folded", AT(folded), NULL,
	 "instead of rows: call chains with the old and the new count, for flame graphs"},
	{PFX_OPT_BOOL, 0, "json", AT(json), NULL, "one JSON object instead of the tables"},
	{PFX_OPT_BOOL, 0, "markdown", AT(markdown), NULL,
	 "Markdown instead of the tables, for a comment on a change"},
	{PFX_OPT_BOOL, 0, "tui", AT(tui), NULL,
	 "on a screen to move about in: functions, call trees and a flame graph of the changes"},
	{PFX_OPT_BOOL, 'q', "quiet", AT(quiet), NULL, "rows only, no warnings"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL,
	 "paths of binaries, and which have no symbols"},
	{PFX_OPT_BOOL, 'D', "dump-raw-trace", AT(dump), NULL,
	 "show every record in hex and decoded, instead of the comparison"},
	{PFX_OPT_GROUP, .help = "Reading:"},
	PFX_OPT_FORCE(force),
	PFX_OPT_STRICT(strict),
	PFX_OPT_SYMBOL_FILES(AT(symbols)),
	PFX_OPT_MODULES(AT(modules)),
	{.kind = PFX_OPT_END},
};

/* --- words --- */

static int check_time(const struct pfx_diff_command *command, struct pfx_error *err)
{
	const char *at = command->options->time;
	size_t nr = 1, len;
	char *own;
	int rc = 0;

	for (; at && !rc; at += len + 1, nr++) {
		len = strcspn(at, ":");
		own = pfx_strndup(at, len);
		rc = pfx_time_ranges_check(own, err);
		free(own);
		if (!at[len])
			break;
	}
	if (!rc && nr > 1 && nr != command->comparison.files.nr)
		rc = pfx_error_set(err, EINVAL, "--time has %zu spans for %zu files", nr,
				   command->comparison.files.nr);
	return rc;
}

static int check_order(struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;

	command->comparison.look.order = o->order_given ? (uint32_t)o->order : 1;
	if (!o->order_given || o->order < command->comparison.model.nr_sides)
		return 0;
	pfx_error_set(err, EINVAL, "-o %llu: there are %u files, counted from 0",
		      (unsigned long long)o->order, command->comparison.model.nr_sides);
	return -EINVAL;
}

/* A column in which a filter leaves one text is not shown. */
static void elide_columns(struct pfx_diff_command *command)
{
	const struct pfx_filter *filter = &command->options->filter;
	bool *elided = command->comparison.look.elided;
	uint32_t i, nr = 0;

	elided[PFX_DIFF_COMM] = pfx_names_only(&filter->comms) != NULL;
	elided[PFX_DIFF_DSO] = pfx_names_only(&filter->dsos) != NULL;
	elided[PFX_DIFF_SYM] = pfx_names_only(&filter->symbols) != NULL;
	for (i = 0; i < command->comparison.model.nr_keys; i++)
		nr += !elided[command->comparison.model.keys[i]];
	if (!nr)
		memset(elided, 0, sizeof(command->comparison.look.elided));
}

static bool has_filter(const struct pfx_cmd_diff_options *o)
{
	const struct pfx_filter *filter = &o->filter;

	return o->time || o->cpus || filter->comms.given || filter->dsos.given ||
	       filter->symbols.given || filter->pids.given || filter->tids.given;
}

/* What is kept: functions and names of threads. */
static int check_baseline_keys(const struct pfx_diff_command *command, struct pfx_error *err)
{
	uint32_t i;

	for (i = 0; i < command->comparison.model.nr_keys && command->options->baseline; i++)
		switch (command->comparison.model.keys[i]) {
		case PFX_DIFF_COMM:
		case PFX_DIFF_DSO:
		case PFX_DIFF_SYM:
		case PFX_DIFF_CHAIN:
			break;
		default:
			pfx_error_set(err, EINVAL, "a baseline has no '%s'",
				      pfx_diff_keys[command->comparison.model.keys[i]].name);
			pfx_error_hint(err, "it has comm, dso, symbol and chain");
			return -EINVAL;
		}
	if (command->options->baseline && command->options->cycles)
		return pfx_error_set(err, EINVAL, "a baseline has no cycles of blocks");
	return 0;
}

/* What is compared of branch stacks has a form of its own, for two sides. */
static int check_branches(const struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	const char *name = o->stream ? "--stream" : "-c cycles";

	if (o->stream && o->compute)
		return pfx_error_set(err, EINVAL, "--stream and -c exclude each other");
	if (has_filter(o) || o->sort)
		return pfx_error_set(err, EINVAL,
				     "%s compares all branch stacks: -s and filters exclude it",
				     name);
	if (o->markdown || o->tree || o->folded)
		return pfx_error_set(err, EINVAL,
				     "%s has text and JSON: --markdown, --tree and --folded "
				     "exclude it",
				     name);
	if (o->stream && command->comparison.files.nr != 2)
		return pfx_error_set(err, EINVAL, "--stream compares two files, not %zu",
				     command->comparison.files.nr);
	if (o->stream && o->baseline)
		return pfx_error_set(err, EINVAL, "a baseline has no branch stacks");
	return 0;
}

/* Those of --fail-on and --rules. */
static int read_rules(struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	int rc = 0;
	size_t i;

	for (i = 0; i < o->fail_on.nr && !rc; i++)
		rc = pfx_comparison_add_rule(&command->comparison, o->fail_on.at[i], err);
	return rc || !o->rules ? rc
			       : pfx_comparison_read_rules(&command->comparison, o->rules, err);
}

static int check_words(struct pfx_diff_command *command, struct pfx_error *err)
{
	struct pfx_cmd_diff_options *o = command->options;
	struct pfx_diff_look *look = &command->comparison.look;
	int rc = pfx_diff_keys_parse(o->sort ? o->sort : "dso,symbol",
				     command->comparison.model.keys,
				     &command->comparison.model.nr_keys, err);

	look->how.compute = PFX_DIFF_DELTA_ABS;
	o->cycles = o->compute && !strcmp(o->compute, "cycles");
	if (!rc && o->cycles_hist && !o->cycles)
		rc = pfx_error_set(err, EINVAL, "--cycles-hist needs -c cycles");
	if (!rc && (o->cycles || o->stream))
		rc = check_branches(command, err);
	if (!rc && o->compute && !o->cycles)
		rc = pfx_diff_compute_parse(o->compute, &look->how, err);
	if (!rc && o->weight)
		rc = pfx_diff_weight_parse(o->weight, &look->how.weight, err);
	if (!rc)
		rc = pfx_parse_separator(&o->separator, err);
	o->filter.cpus_given = o->cpus != NULL;
	if (!rc)
		rc = pfx_list_read(o->cpus, &o->filter.cpus, "a list of CPUs",
				   "for example: --cpu 0,4-7", err);
	if (!rc)
		rc = check_time(command, err);
	if (!rc)
		rc = check_order(command, err);
	elide_columns(command);
	o->noise |= o->beyond_noise;
	if (!rc && o->json + o->markdown + o->folded + (o->tree && !o->json) > 1)
		rc = pfx_error_set(err, EINVAL,
				   "--json, --markdown, --tree and --folded exclude each "
				   "other, but for --tree --json");
	if (!rc)
		rc = check_baseline_keys(command, err);
	if (!rc)
		rc = read_rules(command, err);
	command->comparison.model.noise =
		o->noise || o->keep || (command->comparison.rules.nr && !o->ignore_noise);
	return rc ? rc : pfx_symbol_options_parse(&o->symbols, err);
}

static void set_up(struct pfx_diff_command *command)
{
	struct pfx_cmd_diff_options *o = command->options;
	struct pfx_comparison *c = &command->comparison;
	struct pfx_diff_look *look = &c->look;

	c->model.filter = &o->filter;
	c->model.relative = o->relative;
	c->model.exact = o->exact;
	c->model.inlines = o->inlines;
	c->model.long_dsos = o->verbose > 0;
	look->least = o->least;
	look->separator = o->separator;
	look->baseline_only = o->baseline_only;
	look->periods = o->periods;
	look->formula = o->formula;
	look->quiet = o->quiet;
	look->list_files = o->verbose > 0;
	look->beyond_noise = o->beyond_noise;
	c->form = o->tree     ? PFX_COMPARISON_TREE
		  : o->folded ? PFX_COMPARISON_FOLDED
			      : PFX_COMPARISON_ROWS;
	c->with_noise = o->noise || o->beyond_noise;
	c->ignore_noise = o->ignore_noise;
	c->min_samples = o->min_samples;
	c->min_share = o->min_share;
	o->symbols.sym.buildid_dir = pfx_globals.buildid_dir;
	c->binaries = &o->symbols.sym;
	look->names = (const char *const *)c->names.at;
}

static void finish(struct pfx_diff_command *command)
{
	pfx_comparison_fini(&command->comparison);
	pfx_diff_cycles_free(command->cycles);
	pfx_diff_streams_free(command->streams);
	pfx_vec_free(&command->options->old_files);
	pfx_vec_free(&command->options->new_files);
	pfx_vec_free(&command->options->fail_on);
	pfx_str_fini(&command->out);
	pfx_filter_fini(&command->options->filter);
}

/* The exit code of a comparison: 2 if a rule is broken. */
static int code_of(struct pfx_diff_command *command, int rc, const struct pfx_error *err)
{
	const struct pfx_note_to notes = pfx_recording_notes(PFX_DIFF_COMMAND);
	const bool excuses = !command->options->quiet;
	int code = pfx_recording_exit_code(PFX_DIFF_COMMAND, rc, err);

	return !rc && pfx_comparison_verdicts(&command->comparison, excuses, &notes)
		       ? PFX_DIFF_BROKEN
		       : code;
}

static int run_words(int argc, char **argv)
{
	struct pfx_cmd_diff_options options = {.modules = true,
					       .noise = !pfx_has_habit(PFX_HABIT_NO_NOISE),
					       .least = 0.1,
					       .min_share = PFX_DIFF_MIN_SHARE};
	struct pfx_diff_command command = {.options = &options};
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_diff, argc, argv, &options, &code), rc;

	if (at >= 0) {
		rc = pfx_diff_take_files(&command, argc - at, argv + at, &err);
		set_up(&command);
		if (rc || check_words(&command, &err) < 0) {
			pfx_print_error(PFX_DIFF_COMMAND, &err);
			code = PFX_USAGE_ERROR;
		} else {
			rc = pfx_diff_run_command(&command, &err);
			code = code_of(&command, rc, &err);
		}
	}
	finish(&command);
	return code;
}

static int run_diff(int argc, char **argv)
{
	int nr, code;
	char **words = pfx_diff_spread_words(argc, argv, &nr);

	code = run_words(nr, words);
	free(words);
	return code;
}

const struct pfx_command pfx_cmd_diff = {
	.name = PFX_DIFF_COMMAND,
	.args = "[old] [new ...]",
	.summary = "compare recordings",
	.options = diff_options,
	.run = run_diff,
	.permute = true,
	.keeps_all = true,
};
