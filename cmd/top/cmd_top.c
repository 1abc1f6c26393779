/* SPDX-License-Identifier: MIT */
/* `pfx top`: its options. The live profile is lib/live. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/app/fetch.h"
#include "cmd/app/filter_options.h"
#include "cmd/app/sampling/key_words.h"
#include "cmd/app/sampling/record_rows.h"
#include "cmd/app/screen/screen_syntax.h"
#include "cmd/app/unwind_style.h"
#include "cmd/top/top_internal.h"
#include "event/sampling.h"
#include "record/plan/event_filter.h"

/* Reasons why pfx lacks an option of perf. */
#define NO_CODE   "the screen has keys for what its code view shows"
#define NO_BACK   "pfx reads all records before they are overwritten, and says what was lost"
#define NO_SHARES "one thread reads the processes; it takes some ms for a thousand"

#define AT(member)  offsetof(struct pfx_top_options, member)
#define REC(member) AT(record.rec.member)

static void add_branch_kinds(struct pfx_str *to)
{
	pfx_str_add(to, pfx_branch_filter_words());
}

static const struct pfx_option options[] = {
	{PFX_OPT_GROUP, .help = "What to look at:"},
	{PFX_OPT_BOOL, 'a', "all-cpus", REC(all_cpus), .help = "the whole system (the default)"},
	PFX_OPT_CPU_LIST(REC),
	{PFX_OPT_STRING, 'p', "pid", REC(pids), "pid,...", "processes", .words = "@pids"},
	{PFX_OPT_STRING, 't', "tid", REC(tids), "tid,...", "threads"},
	{PFX_OPT_STRING, 'u', "uid", REC(user), "user",
	 "processes that this user runs now, and what they start", .words = "@users"},
	PFX_OPT_COUNTERS(REC),

	{PFX_OPT_GROUP, .help = "Events:"},
	PFX_OPT_EVENTS,
	{PFX_OPT_BOOL, 0, "group", REC(one_group), .help = "all events in one group, side by side",
	 .set_offset = AT(group_given)},
	PFX_OPT_LEVELS(REC),
	PFX_OPT_RATE(REC),

	{PFX_OPT_GROUP, .help = "What is in a sample:"},
	{PFX_OPT_CALL_NONE, 'g', NULL, 0, NULL, "call chains by frame pointers, and call graphs",
	 pfx_top_on_graph, .with_value = "call-graph"},
	{PFX_OPT_CALL, 0, "call-graph", 0, "how",
	 "call chains by fp, dwarf[,bytes] or lbr, then as for report -g: graph, fractal, flat, "
	 "folded; threshold; caller or callee; ...",
	 pfx_top_on_graph, .add_words = pfx_top_add_graph_words},
	{PFX_OPT_CALL_NONE, 'b', "branch-any", 0, NULL, "count the last branches, of any kind",
	 pfx_record_opt_branch_any},
	{PFX_OPT_CALL, 'j', "branch-filter", 0, "kind,...",
	 "count the last branches of these kinds, like any_call,u", pfx_record_opt_branch_filter,
	 .add_words = add_branch_kinds},
	{PFX_OPT_BOOL, 0, "namespaces", REC(namespaces), .help = "follow namespaces of processes"},
	{PFX_OPT_BOOL, 0, "all-cgroups", REC(all_cgroups),
	 .help = "the cgroup of each sample, for -s cgroup"},
	{PFX_OPT_BOOL, 0, "no-bpf-event", REC(no_bpf_event),
	 .help = "do not follow BPF programs that are loaded and unloaded"},

	{PFX_OPT_GROUP, .help = "Rows and columns:"},
	{PFX_OPT_STRING, 's', "sort", AT(sort), "keys",
	 "what a row is (dso,symbol); the keys of report", .add_words = pfx_words_add_keys},
	{PFX_OPT_STRING, 0, "fields", AT(fields), "fields", "columns to show, as for report -F",
	 .add_words = pfx_words_add_fields},
	{PFX_OPT_BOOL, 'n', "show-nr-samples", AT(nr_samples),
	 .help = "show the number of samples"},
	{PFX_OPT_BOOL, 0, "show-total-period", AT(total_period), .help = "show the sum of periods"},
	{PFX_OPT_BOOL, 0, "children", AT(children),
	 .help = "add the cost of callees to their callers (the default with call chains)"},
	{PFX_OPT_BOOL, 0, "hierarchy", AT(hierarchy),
	 .help = "a tree with a level for each key, with sums"},
	{PFX_OPT_U64, 'E', "entries", AT(entries), "n", "rows of a table at most"},
	{PFX_OPT_U64, 'f', "count-filter", AT(count_filter), "n",
	 "hide rows with fewer samples than this"},
	{PFX_OPT_CALL, 0, "percent-limit", 0, "percent", "hide rows below this percentage",
	 pfx_top_on_percent_limit},
	{PFX_OPT_CALL, 0, "percentage", 0, "how",
	 "percentages of the filtered samples (relative) or of all samples (absolute)",
	 pfx_top_on_percentage, .words = "relative absolute"},
	{PFX_OPT_U64, 0, "group-sort-idx", AT(group_sort_idx), "n",
	 "order the rows of a group by its member n, counted from 0"},
	{PFX_OPT_STRING, 'w', "column-widths", AT(widths), "list", "widths of the columns"},
	{PFX_OPT_STRING, 0, "ignore-callees", AT(ignore_callees), "pattern",
	 "add what these functions call to the functions themselves"},
	PFX_OPT_MAX_STACK(AT(max_stack)),
	{PFX_OPT_BOOL, 0, "inline", AT(inlines),
	 .help = "show functions inlined in others as frames of their own"},
	PFX_OPT_STITCH_LBR(AT(stitch_lbr)),
	PFX_OPT_UNWIND_STYLE(AT(unwind)),
	{PFX_OPT_BOOL, 0, "raw-trace", AT(raw_trace),
	 .help = "show the fields of tracepoints one by one, not as formatted text"},

	{PFX_OPT_GROUP, .help = "Which samples:"},
	{PFX_OPT_BOOL, 'K', "hide_kernel_symbols", AT(hide_kernel), .help = "not the kernel"},
	{PFX_OPT_BOOL, 'U', "hide_user_symbols", AT(hide_user), .help = "not user space"},
	{PFX_OPT_BOOL, 0, "idle", AT(idle),
	 .help = "also the functions in which a CPU waits for work"},
	{PFX_OPT_VALUE, 0, "comms", AT(filter.comms), "list", "only these command names",
	 pfx_option_names},
	{PFX_OPT_VALUE, 0, "dsos", AT(filter.dsos), "list", "only these binaries",
	 pfx_option_names},
	{PFX_OPT_VALUE, 0, "symbols", AT(filter.symbols), "list", "only these symbols",
	 pfx_option_names},
	PFX_OPT_EVENT_SWITCH(event_switch),

	{PFX_OPT_GROUP, .help = "Refreshes:"},
	{PFX_OPT_CALL, 'd', "delay", 0, "seconds", "seconds between refreshes (2)",
	 pfx_top_on_delay},
	{PFX_OPT_BOOL, 'z', "zero", AT(zero),
	 .help = "forget all samples at each refresh; otherwise they count less and less"},
	{PFX_OPT_BOOL, 0, "tui", AT(tui),
	 .help = "show a screen to move about in (the default on a terminal)"},
	{PFX_OPT_BOOL, 0, "stdio", AT(stdio), .help = "print tables, one after the other"},
	{PFX_OPT_BOOL, 0, "json", AT(json),
	 .help = "print JSON: an object for each refresh, every second unless -d says otherwise"},
	{PFX_OPT_STRING, 0, "sym-annotate", AT(sym_annotate), "symbol",
	 "show the code of this function on the screen first"},
	PFX_OPT_SCREEN_SYNTAX(AT(intel)),
	{PFX_OPT_CALL, 'm', "mmap-pages", 0, "pages|size", "size of each CPU's ring buffer",
	 pfx_record_opt_ring},
	PFX_OPT_REALTIME,
	{PFX_OPT_U64, 0, "proc-map-timeout", REC(out.map_timeout_ms), "ms",
	 "stop reading the maps of a process after this time (500)"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(record.verbose),
	 .help = "long names, and more messages"},

	{PFX_OPT_GROUP, .help = "Symbols:"},
	PFX_OPT_SYMBOL_FILES(AT(symbols)),
	PFX_OPT_IGNORE_VMLINUX(AT(symbols)),
	{PFX_OPT_BOOL, 'D', "dump-symtab", AT(dump_symbols),
	 .help = "at the end, print the symbol tables that were used to standard error"},
	{PFX_OPT_BOOL, 0, "force", AT(force), .help = "also use files of other users"},
	{PFX_OPT_ABSENT, 0, "objdump", .help = NO_CODE, .hidden = true},
	{PFX_OPT_ABSENT, 0, "source", .help = NO_CODE, .hidden = true},
	{PFX_OPT_ABSENT, 0, "asm-raw", .help = NO_CODE, .hidden = true},
	{PFX_OPT_ABSENT, 0, "prefix", .help = NO_CODE, .hidden = true},
	{PFX_OPT_ABSENT, 0, "prefix-strip", .help = NO_CODE, .hidden = true},
	{PFX_OPT_ABSENT, 0, "overwrite", .help = NO_BACK, .hidden = true},
	{PFX_OPT_ABSENT, 0, "num-thread-synthesize", .help = NO_SHARES, .hidden = true},
	{.kind = PFX_OPT_END},
};

static void finish(struct pfx_top *top)
{
	struct pfx_top_options *o = top->options;

	pfx_top_screen_end(top);
	pfx_live_hists_free(top->hists);
	pfx_sample_trace_fini(&top->trace);
	pfx_live_free(top->live);
	pfx_columns_fini(&top->columns);
	pfx_filter_fini(&o->filter);
	if (top->has_ignore_callees)
		regfree(&top->ignore_callees);
	pfx_record_bounds_fini(&o->record.rec);
	pfx_event_list_fini(&o->record.rec.events);
	pfx_str_fini(&top->out);
}

static int refuse_words(char **words, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL, "'%s' is not an option: top shows what runs, and starts nothing",
		      pfx_escape(shown, sizeof(shown), words[0]));
	pfx_error_hint(err, "start it beside, and name it with -p");
	return -EINVAL;
}

static int run(int argc, char **argv)
{
	struct pfx_top_options o = {
		.children = true,
		.max_stack = UINT64_MAX,
		.graph = pfx_callgraph_default,
	};
	struct pfx_top top = {.options = &o};
	struct pfx_error err = {0};
	int at, code;

	if (pfx_top_take_config(&o, &err) < 0) {
		pfx_print_error("top", &err);
		return PFX_USAGE_ERROR;
	}
	at = pfx_options_or_exit(&pfx_cmd_top, argc, argv, &o, &code);
	if (!o.delay)
		o.delay = o.json ? PFX_TOP_JSON_DELAY : PFX_TOP_DELAY;
	if (at >= 0) {
		o.record.rec.argc = argc;
		o.record.rec.argv = argv;
		if ((at < argc && refuse_words(argv + at, &err) < 0) ||
		    pfx_top_check(&top, &err) < 0) {
			pfx_print_error("top", &err);
			code = PFX_USAGE_ERROR;
		} else {
			code = pfx_top_run(&top);
		}
	}
	finish(&top);
	return code;
}

const struct pfx_command pfx_cmd_top = {
	.name = "top",
	.args = "",
	.summary = "show where the time goes, live",
	.options = options,
	.run = run,
};
