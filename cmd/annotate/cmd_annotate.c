/* SPDX-License-Identifier: MIT */
/*
 * `pfx annotate`: the instructions and source lines of a function with their share of the samples.
 * Counting and the model of a function are in lib/code, the output forms in lib/out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/annotate/annotate_run.h"
#include "cmd/app/colour_words.h"
#include "cmd/app/commands.h"
#include "cmd/app/filter_options.h"
#include "cmd/app/perf/itrace_words.h"
#include "cmd/app/recording_notes.h"
#include "out/term/term.h"
#include "sys/host/bpf_programs.h"

#define LINES_CONTEXT 5 /* lines around those with cost, unless --context gives another number */

/* --- options --- */

static int on_percent_type(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	static const struct {
		const char *word;
		bool of_global, of_hits;
	} types[] = {
		{"local-period", false, false}, {"local-hits", false, true},
		{"global-period", true, false}, {"global-hits", true, true},
		{"period-local", false, false}, {"hits-local", false, true},
		{"period-global", true, false}, {"hits-global", true, true},
	};
	struct pfx_annotate_options *o = options;
	char shown[64];
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strcmp(types[i].word, unset ? "local-period" : arg))
			continue;
		o->style.of_global = types[i].of_global;
		o->style.of_hits = types[i].of_hits;
		o->has_percent_type = !unset;
		return 0;
	}
	pfx_error_set(err, EINVAL, "'%s' is not a type of percentage",
		      pfx_escape(shown, sizeof(shown), arg));
	pfx_error_hint(err, "types are local-period, local-hits, global-period and global-hits");
	return -EINVAL;
}

static int on_percent_limit(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_annotate_options *o = options;
	char shown[64];
	double limit = 0;

	if (!unset && (!pfx_parse_percent(arg, &limit) || limit > 100))
		return pfx_error_set(err, EINVAL, "'%s' is not a percentage",
				     pfx_escape(shown, sizeof(shown), arg));
	o->percent_limit = limit;
	return 0;
}

static int on_source_path(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_annotate_options *o = options;
	int rc = unset ? 0 : pfx_sources_map_word(o->sources, arg, err);

	if (!unset && !rc)
		pfx_sources_expect_mapped(o->sources);
	return rc;
}

static int on_data_type(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_annotate_options *o = options;

	(void)err;
	o->data.types = !unset;
	o->data.type = arg;
	return 0;
}

/* Options of perf that wrappers use; accepted and ignored. */
static int on_objdump(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	if (!unset)
		pfx_print_note("annotate", "--objdump has no effect: pfx disassembles itself");
	return 0;
}

static int on_addr2line(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	if (!unset)
		pfx_print_note("annotate",
			       "--addr2line has no effect: pfx reads source lines itself");
	return 0;
}

static int on_itrace(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	if (!unset)
		pfx_print_note("annotate", "--itrace has no effect: AUX area data is not decoded");
	return pfx_itrace_check(arg, err);
}

#define NO_GTK "pfx has a screen of text only"

#define AT(field) offsetof(struct pfx_annotate_options, field)
static const struct pfx_option annotate_options[] = {
	{PFX_OPT_GROUP, .help = "Input:"},
	PFX_OPT_INPUT(input),
	{PFX_OPT_STRING, 0, "diff", AT(diff), "old",
	 "compare with this recording of another build: instructions and source lines side by "
	 "side"},
	PFX_OPT_FORCE(force),
	PFX_OPT_STRICT(strict),
	{PFX_OPT_BOOL, 'D', "dump-raw-trace", AT(dump), NULL,
	 "show each record in hex and decoded, then how many of each type, instead of code"},
	{PFX_OPT_GROUP, .help = "Which functions:"},
	{PFX_OPT_STRING, 's', "symbol", AT(symbol), "name",
	 "only this function; an argument that is not an option does the same"},
	{PFX_OPT_VALUE, 'd', "dsos", AT(filter.dsos), "list", "only functions of these binaries",
	 pfx_option_names},
	{PFX_OPT_U64, 0, "top", AT(top), "n", "only the n most expensive functions"},
	{PFX_OPT_CALL, 0, "percent-limit", 0, "percent",
	 "only functions with at least this share of the samples", on_percent_limit},
	{PFX_OPT_STRING, 'C', "cpu", AT(cpus), "list", "only samples of these CPUs"},
	{PFX_OPT_BOOL, 0, "skip-missing", AT(skip_missing), NULL,
	 "do not mention functions whose code is not available"},
	{PFX_OPT_BOOL, 0, "skip-empty", AT(skip_empty), NULL,
	 "leave out events without samples in a group", .is_new = true},
	{PFX_OPT_GROUP, .help = "Columns:"},
	{PFX_OPT_BOOL, 'n', "show-nr-samples", AT(nr_samples), NULL,
	 "show numbers of samples instead of percentages"},
	{PFX_OPT_BOOL, 0, "show-total-period", AT(total_period), NULL,
	 "show sums of periods instead of percentages"},
	{PFX_OPT_CALL, 0, "percent-type", 0, "type",
	 "percentages of the function or of all samples, by periods or by numbers: local-period "
	 "(the default), local-hits, global-period, global-hits",
	 on_percent_type, .words = "local-period local-hits global-period global-hits"},
	{PFX_OPT_BOOL, 0, "group", AT(group), NULL,
	 "members of an event group side by side (the default); --group without any group: all "
	 "events side by side",
	 .set_offset = AT(group_given)},
	{PFX_OPT_GROUP, .help = "Code:"},
	{PFX_OPT_STRING, 'M', "disassembler-style", AT(syntax), "style",
	 "syntax of x86 code: att (the default) or intel", .words = "att intel"},
	{PFX_OPT_BOOL, 0, "asm-raw", AT(style.raw), NULL, "show the bytes of instructions"},
	{PFX_OPT_U64, 0, "context", AT(context), "n",
	 "only instructions (with --lines: source lines) with samples, and n around them",
	 .set_offset = AT(has_context)},
	{PFX_OPT_GROUP, .help = "Types of data:"},
	{PFX_OPT_BOOL, 0, "code-with-type", AT(with_types), NULL,
	 "show the type and member that instructions with samples access"},
	{PFX_OPT_CALL_OPTIONAL, 0, "data-type", 0, "type",
	 "show the types that samples access, with the cost of their members, instead of code",
	 on_data_type},
	{PFX_OPT_BOOL, 0, "type-stat", AT(data.type_stat), NULL,
	 "show how many samples have a known type, and why others do not"},
	{PFX_OPT_BOOL, 0, "insn-stat", AT(data.insn_stat), NULL, "show the same by instruction",
	 .is_new = true},
	{PFX_OPT_GROUP, .help = "Source lines:"},
	{PFX_OPT_BOOL, 0, "lines", AT(lines), NULL,
	 "source files with the cost of each line, of all functions together; 'symbol' is then a "
	 "file or a function in it"},
	{PFX_OPT_BOOL, 0, "whole-files", AT(whole_files), NULL,
	 "with --lines: all lines of a file, not only those near cost"},
	{PFX_OPT_BOOL, 0, "source", AT(source), NULL, "show source lines (the default)"},
	{PFX_OPT_BOOL, 'l', "print-line", AT(style.print_lines), NULL,
	 "show file and line after instructions, and a summary of lines first"},
	{PFX_OPT_BOOL, 'P', "full-paths", AT(style.full_paths), NULL,
	 "show paths with their folders"},
	{PFX_OPT_CALL, 0, "source-path", 0, "from=to",
	 "look for sources of folder 'from' in folder 'to'; may be given several times",
	 on_source_path, .keeps = true, .is_new = true},
	{PFX_OPT_STRING, 0, "prefix", AT(prefix), "dir",
	 "a folder to put before absolute paths of source files"},
	{PFX_OPT_U64, 0, "prefix-strip", AT(prefix_strip), "n",
	 "with --prefix: leave out the first n folders of a path"},
	{PFX_OPT_GROUP, .help = "Form:"},
	{PFX_OPT_BOOL, 0, "tui", AT(tui), NULL,
	 "show the code on a screen (the default on a terminal)"},
	{PFX_OPT_BOOL, 0, "stdio", AT(stdio), NULL, "print text (the default in a pipe or a file)"},
	{PFX_OPT_BOOL, 0, "stdio2", AT(style.short_form), NULL,
	 "print text with labels and arrows instead of addresses"},
	{PFX_OPT_BOOL, 0, "json", AT(json), NULL, "print JSON"},
	{PFX_OPT_VALUE, 0, "stdio-color", AT(colour), "when", "always, never or auto",
	 pfx_colour_option, .words = "always never auto"},
	{PFX_OPT_BOOL, 'q', "quiet", AT(quiet), NULL, "no notes about the recording"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL,
	 "long names of C++ functions, all binaries that lack symbols, and samples by address "
	 "before the code"},
	{PFX_OPT_GROUP, .help = "Symbols:"},
	PFX_OPT_SYMBOL_FILES(AT(symbols)),
	PFX_OPT_IGNORE_VMLINUX(AT(symbols)),
	PFX_OPT_MODULES(AT(modules)),
	{PFX_OPT_CALL, 0, "objdump", 0, "path", "no effect: pfx disassembles itself and says so",
	 on_objdump},
	{PFX_OPT_CALL, 0, "addr2line", 0, "path",
	 "no effect: pfx reads source lines itself and says so", on_addr2line},
	{PFX_OPT_CALL_OPTIONAL, 0, "itrace", 0, "how",
	 "no effect: AUX area data is not decoded, a note says so", on_itrace},
	{PFX_OPT_ABSENT, 0, "gtk", .help = NO_GTK, .hidden = true},
	{.kind = PFX_OPT_END},
};

/* --- a run --- */

static struct pfx_resolve_options resolve_options(const struct pfx_annotate_options *o)
{
	struct pfx_resolve_options resolving = {.sym = o->symbols.sym, .inlines = true};

	resolving.sym.buildid_dir = pfx_globals.buildid_dir;
	resolving.sym.fetch = pfx_fetch_watch("annotate", o->quiet, o->verbose > 0);
	resolving.sym.force = o->force;
	resolving.sym.no_modules = !o->modules;
	resolving.sym.demangle_full = o->verbose > 0;
	resolving.read_bpf = pfx_bpf_programs_read;
	resolving.opens_ahead = !o->filter.dsos.given && !o->dump;
	resolving.ahead_symbol = o->symbol;
	return resolving;
}

static int write_functions(struct pfx_annotate_run *a, struct pfx_error *err)
{
	struct pfx_annotate how;

	pfx_pager_for("annotate");
	how = pfx_annotate_request(a);
	if (a->options->lines)
		return pfx_annotate_lines_write(&how, &a->missing.nr_shown, &a->out, err);
	return pfx_annotate_write(&how, &a->missing, &a->out, err);
}

static int run_opened(struct pfx_annotate_run *a, const struct pfx_recording_options *how,
		      struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_recording_meta(a->recording);
	struct pfx_annotate_options *o = a->options;
	const struct pfx_resolve_options resolving = resolve_options(o);
	int rc = pfx_filter_check_cpus(&o->filter, meta, err);

	if (!rc)
		rc = pfx_annotate_choose_screen(a, err);
	if (rc < 0)
		return rc;
	a->on_screen = rc > 0;
	pfx_sources_archived(o->sources, pfx_recording_sources(a->recording));
	pfx_sources_recorded(o->sources,
			     pfx_reader_info(pfx_recording_reader(a->recording))->mtime);
	pfx_sources_fetch(o->sources, resolving.sym.fetch);
	pfx_recording_resolve(a->recording, &resolving);
	if (a->on_screen)
		return pfx_annotate_show_screen(a, how, &resolving, err);
	rc = 0;
	if (o->dump)
		return pfx_annotate_dump(a, err);
	if (pfx_annotate_shows_data(&o->data) || o->with_types)
		rc = pfx_resolver_check_types(pfx_recording_resolver(a->recording), err);
	if (!rc)
		rc = pfx_annotate_read_costs(a, err);
	if (!rc && o->diff)
		return pfx_annotate_diff(a, how, &resolving, err);
	return rc < 0 ? rc : write_functions(a, err);
}

static int run_checked(struct pfx_annotate_options *o)
{
	const struct pfx_recording_options how = {
		.reader = {.force = o->force, .strict = o->strict, .keep_meta_records = o->dump},
		.late_frames_apart = o->dump,
		.guest_code = o->symbols.guest_code,
	};
	struct pfx_annotate_run a = {.options = o};
	struct pfx_error err = {0};
	int code, rc = pfx_symbol_options_check(&o->symbols, &err);

	if (!rc)
		rc = pfx_recording_open(&a.recording, o->input, &how, &err);
	if (!rc)
		rc = run_opened(&a, &how, &err);
	code = pfx_recording_exit_code("annotate", rc, &err);
	if (a.recording && !o->quiet)
		pfx_recording_note("annotate", a.recording);
	if (!a.on_screen)
		pfx_annotate_say_no_symbols(&a, rc);
	if (!rc && !o->quiet && !o->dump && !a.on_screen)
		pfx_annotate_say_notes(&a);
	pfx_missing_code_fini(&a.missing);
	pfx_costs_free(a.costs);
	pfx_str_fini(&a.out);
	pfx_recording_free(a.recording);
	return code;
}

static int check_words(struct pfx_annotate_options *o, int nr, char **words, struct pfx_error *err)
{
	char shown[64];

	if (nr > 1 || (nr && o->symbol))
		return pfx_error_set(err, EINVAL,
				     "annotate shows one function, and '%s' is a second one",
				     pfx_escape(shown, sizeof(shown), words[nr - 1]));
	if (nr && pfx_recording_refuse_as_word(words[0], err) < 0)
		return -EINVAL;
	if (nr)
		o->symbol = words[0];
	if (o->syntax && strcmp(o->syntax, "att") && strcmp(o->syntax, "intel"))
		return pfx_error_set(err, EINVAL,
				     "'%s' is not a disassembler style: it is att or intel",
				     pfx_escape(shown, sizeof(shown), o->syntax));
	if (o->dump &&
	    (o->json || o->style.short_form || o->lines || pfx_annotate_shows_data(&o->data)))
		return pfx_error_set(err, EINVAL,
				     "-D shows records instead of code: it does not go with "
				     "--json, --stdio2, --lines and types of data");
	if (pfx_annotate_check_diff(o, err) < 0)
		return -EINVAL;
	if (o->json && o->style.short_form)
		return pfx_error_set(err, EINVAL, "--json and --stdio2 are two forms: choose one");
	if (o->lines && o->style.short_form)
		return pfx_error_set(err, EINVAL, "--lines and --stdio2 are two forms: choose one");
	if (o->lines && (pfx_annotate_shows_data(&o->data) || o->with_types))
		return pfx_error_set(err, EINVAL,
				     "--lines shows source lines, not types of data: choose one");
	if (o->lines && !o->source && !o->hides_source)
		return pfx_error_set(err, EINVAL,
				     "--lines shows source lines: it cannot be used "
				     "with --no-source");
	if (!o->lines && o->whole_files)
		return pfx_error_set(err, EINVAL, "--whole-files needs --lines");
	if (o->nr_samples && o->total_period)
		return pfx_error_set(err, EINVAL,
				     "-n and --show-total-period show different numbers: "
				     "choose one");
	if (!o->prefix && o->prefix_strip)
		return pfx_error_set(err, EINVAL, "--prefix-strip needs --prefix");
	o->filter.cpus_given = o->cpus != NULL;
	if (o->cpus && pfx_list_read(o->cpus, &o->filter.cpus, "a list of CPUs",
				     "for example: -C 0,4-7", err) < 0)
		return -EINVAL;
	return pfx_symbol_options_parse(&o->symbols, err);
}

/* The share of a line in all samples is what its file is looked at for. JSON is for programs, which
 * have the source. */
static void settle_lines(struct pfx_annotate_options *o)
{
	o->source = true;
	o->style.of_global |= !o->has_percent_type;
	if (!o->whole_files)
		o->style.context = o->json ? 0 : LINES_CONTEXT;
}

/* Values that depend on several options. */
static void settle(struct pfx_annotate_options *o)
{
	o->style.value = o->nr_samples     ? PFX_CODE_SAMPLES
			 : o->total_period ? PFX_CODE_PERIOD
					   : PFX_CODE_PERCENT;
	o->style.histogram = o->verbose > 0;
	o->style.no_source = !o->source;
	o->style.context = UINT32_MAX;
	if (o->lines)
		settle_lines(o);
	if (o->diff)
		o->style.of_global |= !o->has_percent_type;
	if (o->has_context)
		o->style.context = o->context < INT32_MAX ? (uint32_t)o->context : INT32_MAX;
	if (o->prefix)
		pfx_sources_prefix(o->sources, o->prefix,
				   o->prefix_strip < INT32_MAX ? (unsigned)o->prefix_strip
							       : INT32_MAX);
}

static int run_annotate(int argc, char **argv)
{
	struct pfx_annotate_options options = {
		.modules = true, .group = true, .sources = pfx_sources_new()};
	struct pfx_error err = {0};
	int rc = pfx_annotate_take_config(&options, &err);
	int code, at = pfx_options_or_exit(&pfx_cmd_annotate, argc, argv, &options, &code);

	if (at >= 0)
		pfx_annotate_settle_config(&options);
	if (at >= 0 && !rc)
		rc = check_words(&options, argc - at, argv + at, &err);
	if (at >= 0 && rc < 0) {
		pfx_print_error("annotate", &err);
		code = PFX_USAGE_ERROR;
	} else if (at >= 0) {
		settle(&options);
		code = run_checked(&options);
	}
	pfx_filter_fini(&options.filter);
	pfx_sources_free(options.sources);
	return code;
}

const struct pfx_command pfx_cmd_annotate = {
	.name = "annotate",
	.args = "[symbol]",
	.summary = "show the code of functions with its cost",
	.options = annotate_options,
	.run = run_annotate,
	.permute = true,
	.keeps_all = true,
};
