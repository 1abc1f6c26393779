/* SPDX-License-Identifier: MIT */
/* The options of `pfx script`, one table, and their values. Reads and prints nothing. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cmd/app/filter_options.h"
#include "cmd/app/perf/itrace_words.h"
#include "cmd/app/recording_notes.h"
#include "cmd/app/unwind_style.h"
#include "cmd/script/script_options.h"

static int on_fields(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_script_command *o = options;

	if (unset)
		pfx_script_fields_init(&o->how.fields);
	return unset ? 0 : pfx_script_fields_parse(&o->how.fields, arg, err);
}

/* The fields of decoded traces (--itrace). Samples show those of them that they have. */
static int set_trace_fields(struct pfx_script_command *o, const char *words, struct pfx_error *err)
{
	o->how.ns = true;
	o->itrace = true;
	return pfx_script_fields_parse(&o->how.fields, words, err);
}

static int on_call_trace(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	(void)arg;
	return unset ? 0 : set_trace_fields(options, "-ip,-addr,-event,-period,+callindent", err);
}

static int on_call_ret_trace(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	(void)arg;
	return unset ? 0
		     : set_trace_fields(options, "-ip,-addr,-event,-period,+callindent,+flags",
					err);
}

static int on_insn_trace(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	char shown[64];

	if (unset)
		return 0;
	if (arg && strcmp(arg, "raw") != 0 && strcmp(arg, "disasm") != 0) {
		pfx_error_set(err, EINVAL, "option '--insn-trace' has no form '%s'",
			      pfx_escape(shown, sizeof(shown), arg));
		pfx_error_hint(err, "raw shows bytes, disasm shows text");
		return -EINVAL;
	}
	return set_trace_fields(
		options, arg && *arg == 'd' ? "+disasm,-event,-period" : "+insn,-event,-period",
		err);
}

static int on_dlarg(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_script_command *o = options;

	(void)unset;
	(void)err;
	pfx_vec_push(&o->dlargs, (char *)arg);
	return 0;
}

static int on_itrace(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_script_command *o = options;

	o->itrace = !unset;
	return pfx_itrace_check(arg, err);
}

#define NO_XED    "'-F +disasm' and '-F +brstackdisasm' show instructions as text"
#define OWN_LINES "pfx reads source lines itself, without addr2line"
#define NO_CALLS  "calls are known from decoded traces only, and pfx does not decode them"

#define AT(field) offsetof(struct pfx_script_command, field)
#define FORM_OPTION(name, help, ...) \
	{PFX_OPT_BOOL, 0, #name, AT(forms[PFX_FORM_RECORDS_##name]), NULL, help},
const struct pfx_option pfx_script_option_table[] = {
	{PFX_OPT_GROUP, .help = "Input:"},
	PFX_OPT_INPUT(input),
	PFX_OPT_FORCE(force),
	PFX_OPT_STRICT(strict),
	{PFX_OPT_GROUP, .help = "What is shown:"},
	{PFX_OPT_CALL, 'F', "fields", 0, "fields",
	 "list of fields, [type:]a,b to print just these, +a,-b to change the usual ones; types: "
	 "hw sw "
	 "trace cache raw break synth other; fields: comm tid pid time cpu event trace ip sym "
	 "symoff "
	 "dso dsoff srcline srccode addr period misc tod weight ins_lat retire_lat data_src "
	 "phys_addr "
	 "data_page_size code_page_size iregs uregs brstack brstacksym brstackoff brstackinsn "
	 "brstackinsnlen brstackdisasm brcntr insn insnlen disasm bpf-output cgroup, and those of "
	 "decoded "
	 "traces: flags callindent synth ipc; machine_pid vcpu of guests, metric of groups",
	 on_fields, .add_words = pfx_script_add_fields},
	{PFX_OPT_BOOL, 'G', "hide-call-graph", AT(how.hide_chains), NULL, "no call chains"},
	PFX_OPT_MAX_STACK(AT(how.max_stack)),
	PFX_OPT_UNWIND_STYLE(AT(unwind)),
	PFX_OPT_STITCH_LBR(AT(stitch_lbr)),
	{PFX_OPT_BOOL, 0, "merge-callchains", AT(merge_chains), NULL,
	 "merge deferred user frames into their samples (the default)"},
	{PFX_OPT_STRING, 0, "stop-bt", AT(how.filter.stop_symbols), "list",
	 "end call chains at these symbols"},
	{PFX_OPT_U64, 0, "max-blocks", AT(how.max_blocks), "n",
	 "with brstackinsn: show the code between at most this many branches"},
	PFX_FORMS_OF_RECORDS(FORM_OPTION){PFX_OPT_BOOL, 'L', "Latency", AT(how.latency), NULL,
					  "narrow columns for comm and CPU"},
	{PFX_OPT_BOOL, 0, "inline", AT(how.inlines), NULL,
	 "show functions inlined in others as frames of their own (the default)",
	 .set_offset = AT(inlines_given)},
	{PFX_OPT_BOOL, 0, "full-source-path", AT(full_source_path), NULL,
	 "show source files with their folders"},
	{PFX_OPT_BOOL, 0, "ns", AT(how.ns), NULL, "print times with nine decimal places"},
	{PFX_OPT_BOOL, 0, "reltime", AT(how.reltime), NULL,
	 "print times relative to the first line"},
	{PFX_OPT_BOOL, 0, "deltatime", AT(how.deltatime), NULL,
	 "print times relative to the previous line"},
	{PFX_OPT_BOOL, 0, "header", AT(how.header), NULL,
	 "print the header of the recording first"},
	{PFX_OPT_BOOL, 0, "header-only", AT(header_only), NULL,
	 "print the header and nothing else"},
	{PFX_OPT_BOOL, 'I', "show-info", AT(how.show_info), NULL,
	 "with --header: also its long parts"},
	PFX_OPT_DUMP(how.dump),
	{PFX_OPT_BOOL, 0, "dump-unsorted-raw-trace", AT(is_unsorted), NULL,
	 "the same in the order of the file"},
	{PFX_OPT_BOOL, 0, "per-event-dump", AT(how.per_event), NULL,
	 "write each event's samples to INPUT.EVENT.dump"},
	{PFX_OPT_BOOL, 'd', "debug-mode", AT(how.checks_order), NULL,
	 "print only the number of samples that are older than the previous one"},
	{PFX_OPT_CALL_OPTIONAL, 0, "call-trace", 0, "options",
	 "the fields for calls of a decoded trace: callindent, times in ns; no address, event, "
	 "period",
	 on_call_trace},
	{PFX_OPT_CALL_OPTIONAL, 0, "call-ret-trace", 0, "options", "the same with returns (flags)",
	 on_call_ret_trace},
	{PFX_OPT_CALL_OPTIONAL, 0, "insn-trace", 0, "form",
	 "the fields for instructions of a decoded trace: insn (raw) or disasm, times in ns",
	 on_insn_trace},
	{PFX_OPT_CALL_OPTIONAL, 0, "itrace", 0, "how",
	 "how to decode AUX area data; not supported: prints a warning when there is some",
	 on_itrace},
	{PFX_OPT_GROUP, .help = "Scripts:"},
	{PFX_OPT_STRING, 's', "script", AT(run.script), "[lang:]file",
	 "run a script in Python or Perl over the samples; what follows the options are its "
	 "arguments",
	 .words = "@scripts"},
	{PFX_OPT_STRING, 'g', "gen-script", AT(run.generate), "lang",
	 "write perf-script.py or .pl, a script to start with for the events of the recording",
	 .words = "python perl"},
	{PFX_OPT_BOOL, 'l', "list", AT(run.list), NULL, "list the available scripts"},
	{PFX_OPT_BOOL, 'a', "all-cpus", AT(run.all_cpus), NULL,
	 "with record NAME, or NAME alone: record all CPUs"},
	{PFX_OPT_ABSENT, 0, "xed", .help = NO_XED, .hidden = true},
	{PFX_OPT_ABSENT, 0, "graph-function", .help = NO_CALLS, .hidden = true},
	{PFX_OPT_ABSENT, 0, "addr2line", .help = OWN_LINES, .hidden = true},
	{PFX_OPT_ABSENT, 0, "addr2line-style", .help = OWN_LINES, .hidden = true},
	{PFX_OPT_GROUP, .help = "Which samples:"},
	{PFX_OPT_STRING, 0, "dlfilter", AT(dlfilter), "file",
	 "ask this library about each sample, see perf_dlfilter.h"},
	{PFX_OPT_CALL, 0, "dlarg", 0, "word", "an argument of that library; may be repeated",
	 on_dlarg, .keeps = true},
	{PFX_OPT_BOOL, 0, "list-dlfilters", AT(lists_dlfilters), NULL,
	 "list the available libraries of this kind"},
	{PFX_OPT_STRING, 'c', "comms", AT(how.filter.comms), "list", "only these command names"},
	{PFX_OPT_STRING, 'S', "symbols", AT(how.filter.symbols), "list", "only these symbols"},
	{PFX_OPT_U64, 0, "addr-range", AT(how.filter.addr_range), "bytes",
	 "with addresses in -S: the length of each range"},
	{PFX_OPT_STRING, 0, "dsos", AT(how.filter.dsos), "list", "only these binaries"},
	{PFX_OPT_STRING, 0, "pid", AT(how.filter.pids), "list", "only these processes"},
	{PFX_OPT_STRING, 0, "tid", AT(how.filter.tids), "list", "only these threads"},
	{PFX_OPT_STRING, 'C', "cpu", AT(how.filter.cpus), "list", "only these CPUs"},
	PFX_OPT_TIME_SPAN(how.time),
	{PFX_OPT_STRING, 0, "switch-on", AT(how.event_switch.on), "event",
	 "only what follows a sample of this event"},
	{PFX_OPT_STRING, 0, "switch-off", AT(how.event_switch.off), "event",
	 "only up to a sample of this event"},
	{PFX_OPT_BOOL, 0, "show-on-off-events", AT(how.event_switch.shows), NULL,
	 "show the samples of these events, too"},
	{PFX_OPT_GROUP, .help = "Records between the samples:"},
	{PFX_OPT_BOOL, 0, "show-task-events", AT(show_task), NULL, "fork, exec and exit"},
	{PFX_OPT_BOOL, 0, "show-mmap-events", AT(show_mmap), NULL, "mappings"},
	{PFX_OPT_BOOL, 0, "show-switch-events", AT(show_switch), NULL, "context switches"},
	{PFX_OPT_BOOL, 0, "show-namespace-events", AT(show_namespace), NULL, "namespaces"},
	{PFX_OPT_BOOL, 0, "show-cgroup-events", AT(show_cgroup), NULL, "control groups"},
	{PFX_OPT_BOOL, 0, "show-lost-events", AT(show_lost), NULL, "losses"},
	{PFX_OPT_BOOL, 0, "show-round-events", AT(show_round), NULL, "ends of rounds"},
	{PFX_OPT_BOOL, 0, "show-bpf-events", AT(show_bpf), NULL, "BPF programs and kernel symbols"},
	{PFX_OPT_BOOL, 0, "show-text-poke-events", AT(show_text_poke), NULL,
	 "patches of kernel code"},
	{PFX_OPT_GROUP, .help = "Symbols:"},
	PFX_OPT_SYMBOL_FILES(AT(symbols)),
	{PFX_OPT_BOOL, 0, "show-kernel-path", AT(how.kernel_path), NULL,
	 "show the kernel and its modules by the paths of their files"},
	{PFX_OPT_GROUP, .help = "Messages:"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL, "print more about what is missing"},
	{PFX_OPT_BOOL, 'q', "quiet", AT(how.quiet), NULL, "no warnings"},
	{.kind = PFX_OPT_END},
};

static uint32_t shown_records(const struct pfx_script_command *o)
{
	return (o->show_task ? PFX_SCRIPT_SHOW_TASK : 0) |
	       (o->show_mmap ? PFX_SCRIPT_SHOW_MMAP : 0) |
	       (o->show_switch ? PFX_SCRIPT_SHOW_SWITCH : 0) |
	       (o->show_namespace ? PFX_SCRIPT_SHOW_NAMESPACE : 0) |
	       (o->show_cgroup ? PFX_SCRIPT_SHOW_CGROUP : 0) |
	       (o->show_lost ? PFX_SCRIPT_SHOW_LOST : 0) |
	       (o->show_round ? PFX_SCRIPT_SHOW_ROUND : 0) |
	       (o->show_bpf ? PFX_SCRIPT_SHOW_BPF : 0) |
	       (o->show_text_poke ? PFX_SCRIPT_SHOW_TEXT_POKE : 0);
}

void pfx_script_options_apply(struct pfx_script_command *o)
{
	o->how.show = shown_records(o);
	o->how.verbose = o->verbose > 0;
	o->how.counts_chains = o->verbose || (o->run.script && !o->how.quiet);
	o->how.late_frames_apart = o->how.dump || !o->merge_chains;
	o->how.dump = o->how.dump || o->is_unsorted;
}
