/* SPDX-License-Identifier: MIT */
/* `pfx record`: its options and its end. Recording is done by record/recorder.h; messages while
 * recording are in record_print.c. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "base/io.h"
#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/fetch.h"
#include "cmd/app/sampling/record_rows.h"
#include "cmd/app/waiting.h"
#include "cmd/record/record_internal.h"
#include "event/sampling.h"
#include "record/sink/offcpu.h"
#include "sys/target/signals.h"

#define OWN(member) offsetof(struct pfx_record_options, member)
#define NO_BPF      "pfx compiles no BPF programs"

#define AT(member)   OWN(rec.member)
#define SIDE(member) AT(out.member)

static void add_branch_kinds(struct pfx_str *to)
{
	pfx_str_add(to, pfx_branch_filter_words());
}

static const struct pfx_option options[] = {
	{PFX_OPT_GROUP, .help = "What to record:"},
	PFX_OPT_TARGETS(AT),
	{PFX_OPT_STRING, 'u', "uid", AT(user), "user",
	 "processes that this user runs now, by name or number", .words = "@users"},
	PFX_OPT_COUNTERS(AT),

	{PFX_OPT_GROUP, .help = "Events:"},
	PFX_OPT_EVENTS,
	{PFX_OPT_BOOL, 0, "group", AT(one_group), .help = "all events in one group"},
	PFX_OPT_LEVELS(AT),

	{PFX_OPT_GROUP, .help = "How often:"},
	PFX_OPT_RATE(AT),
	{PFX_OPT_BOOL, 0, "strict-freq", AT(strict_freq),
	 .help = "fail when the kernel does not allow the frequency"},
	{PFX_OPT_BOOL, 'n', "no-samples", AT(no_samples), .help = "count only, take no samples"},

	{PFX_OPT_GROUP, .help = "What is in a sample:"},
	{PFX_OPT_CALL_NONE, 'g', NULL, 0, NULL,
	 "call chains (by frame pointers unless call-graph.record-mode says otherwise)",
	 pfx_record_opt_callgraph, .with_value = "call-graph"},
	{PFX_OPT_CALL, 0, "call-graph", 0, "mode",
	 "call chains: fp[,frames], fp,defer, dwarf[,bytes], lbr or no", pfx_record_opt_callgraph,
	 .words = "fp dwarf lbr no"},
	{PFX_OPT_BOOL, 0, "kernel-callchains", AT(kernel_callchains),
	 .help = "only the kernel part of call chains"},
	{PFX_OPT_BOOL, 0, "user-callchains", AT(user_callchains),
	 .help = "only the user space part of call chains"},
	{PFX_OPT_CALL_NONE, 'b', "branch-any", 0, NULL, "the last branches, of any kind",
	 pfx_record_opt_branch_any},
	{PFX_OPT_CALL, 'j', "branch-filter", 0, "kind,...",
	 "the last branches of these kinds, like any_call,u", pfx_record_opt_branch_filter,
	 .add_words = add_branch_kinds},
	{PFX_OPT_BOOL, 'd', "data", AT(data), .help = "addresses and sources of data accesses"},
	{PFX_OPT_BOOL, 0, "data-mmap", AT(data_mmap),
	 .help = "also record mappings that are not executable", .is_new = true},
	{PFX_OPT_BOOL, 0, "sample-mem-info", AT(mem_info), .help = "where data came from"},
	{PFX_OPT_BOOL, 0, "phys-data", AT(phys_data), .help = "physical addresses of data"},
	{PFX_OPT_BOOL, 0, "data-page-size", AT(data_page_size),
	 .help = "size of the page that the data is in"},
	{PFX_OPT_BOOL, 0, "code-page-size", AT(code_page_size),
	 .help = "size of the page that the code is in"},
	{PFX_OPT_BOOL, 'W', "weight", AT(weight), .help = "cost of the access (weight)"},
	{PFX_OPT_BOOL, 0, "transaction", AT(transaction), .help = "flags of transactional memory"},
	{PFX_OPT_BOOL, 'T', "timestamp", AT(timestamp),
	 .help = "the time (on unless --no-timestamp)", .set_offset = AT(timestamp_said)},
	{PFX_OPT_BOOL, 'P', "period", AT(period_field),
	 .help = "the period (on with a frequency unless --no-period)",
	 .set_offset = AT(period_said)},
	{PFX_OPT_BOOL, 0, "sample-cpu", AT(sample_cpu), .help = "the CPU"},
	{PFX_OPT_BOOL, 0, "sample-identifier", AT(identifier),
	 .help = "the event's id in its fixed place"},
	{PFX_OPT_BOOL, 's', "stat", AT(stat), .help = "counts of each thread when it exits"},
	{PFX_OPT_BOOL, 0, "running-time", AT(running_time),
	 .help = "how long a group was counted, for groups that read (:S)"},
	{PFX_OPT_BOOL, 'R', "raw-samples", AT(raw), .help = "raw bytes for every event"},
	{PFX_OPT_CALL_OPTIONAL, 'I', "intr-regs", 0, "reg,...",
	 "registers at the interrupt; -I? lists them", pfx_record_opt_intr_regs},
	{PFX_OPT_CALL_OPTIONAL, 0, "user-regs", 0, "reg,...",
	 "registers of user space; --user-regs=? lists them", pfx_record_opt_user_regs},
	{PFX_OPT_CALL, 'k', "clockid", 0, "clock", "take times from this clock, like mono",
	 pfx_record_opt_clockid, .add_words = pfx_record_add_clocks},

	{PFX_OPT_GROUP, .help = "Other records:"},
	{PFX_OPT_BOOL, 0, "switch-events", AT(switch_events), .help = "context switches"},
	{PFX_OPT_BOOL, 0, "namespaces", AT(namespaces), .help = "namespaces of processes"},
	{PFX_OPT_BOOL, 0, "all-cgroups", AT(all_cgroups),
	 .help = "cgroups, and that of each sample"},
	{PFX_OPT_BOOL, 0, "no-bpf-event", AT(no_bpf_event),
	 .help = "do not record BPF programs that are loaded and unloaded"},

	{PFX_OPT_GROUP, .help = "Traces (intel_pt//, arm_spe_0//, cs_etm//):"},
	{PFX_OPT_CALL_OPTIONAL, 'S', "snapshot", 0, "[e][size]",
	 "only the newest part, on SIGUSR2 or a --control command; e: at the end too",
	 pfx_record_opt_snapshot},
	{PFX_OPT_CALL_OPTIONAL, 0, "aux-sample", 0, "size",
	 "a piece of the trace (4K) in the samples of its group's other events",
	 pfx_record_opt_aux_sample},

	{PFX_OPT_GROUP, .help = "Output:"},
	{PFX_OPT_STRING, 'o', "output", SIDE(path), "file",
	 "output file (default: perf.data; -: a stream on standard output)"},
	{PFX_OPT_CALL, 'm', "mmap-pages", 0, "pages|size[,pages|size]",
	 "size of each CPU's ring buffer, in pages or like 4M, and of its AUX area",
	 pfx_record_opt_ring},
	{PFX_OPT_CALL, 0, "mmap-flush", 0, "size",
	 "read a ring buffer when it holds this much (default: a quarter of its size)",
	 pfx_record_opt_flush},
	{PFX_OPT_BOOL, 0, "no-buffering", SIDE(no_buffering),
	 .help = "read a ring buffer after each record"},
	PFX_OPT_REALTIME,
	{PFX_OPT_CALL, 0, "affinity", 0, "cpu|node|sys",
	 "read each ring buffer on its own CPU or node, or anywhere (sys)", pfx_record_opt_affinity,
	 .words = "cpu node sys"},
	{PFX_OPT_CALL_OPTIONAL, 0, "aio", 0, "n",
	 "queue up to n times 64 MiB for the disk, n up to 4 (writing is always asynchronous)",
	 pfx_record_opt_aio},
	{PFX_OPT_CALL_OPTIONAL, 'z', "compression-level", 0, "n",
	 "compress with zstd, from 1 (fast, the default) to 22", pfx_record_opt_level},
	{PFX_OPT_CALL_OPTIONAL, 0, "threads", 0, "spec",
	 "write a directory, a file for each ring buffer, by a thread on: cpu, core, package, numa "
	 "or "
	 "masks",
	 pfx_record_opt_threads},
	{PFX_OPT_BOOL, 0, "kcore", SIDE(kcore),
	 .help = "write a directory, with a copy of the kernel's code beside the records"},
	{PFX_OPT_CALL, 0, "max-size", 0, "size", "stop when the file is that large, like 100M",
	 pfx_record_opt_max_size},
	{PFX_OPT_CALL, 0, "on-full", 0, "stop|continue",
	 "whether the command stops or continues when the disk is full (continue)",
	 pfx_record_opt_on_full},
	{PFX_OPT_BOOL, 0, "timestamp-filename", SIDE(timestamp_filename),
	 .help = "append the time to the name of the file"},
	{PFX_OPT_BOOL, 0, "timestamp-boundary", SIDE(timestamp_boundary),
	 .help = "write the times of the first and last sample to the header (the default)"},
	{PFX_OPT_CALL_OPTIONAL, 0, "switch-output", 0, "when",
	 "continue in a new file: on signal (SIGUSR2), or after a size or time like 100M, 30s",
	 pfx_record_opt_switch},
	{PFX_OPT_CALL, 0, "switch-output-event", 0, "events",
	 "continue in a new file when one of these events occurs", pfx_record_opt_switch_event},
	{PFX_OPT_U64, 0, "switch-max-files", SIDE(switch_max_files), "n",
	 "keep the last n files of --switch-output"},
	{PFX_OPT_BOOL, 'B', "no-buildid", AT(no_buildid), .help = "record no build IDs"},
	{PFX_OPT_BOOL, 'N', "no-buildid-cache", AT(no_copies),
	 .help = "keep no copies of the binaries in ~/.debug"},
	{PFX_OPT_BOOL, 0, "buildid-all", AT(buildid_all),
	 .help = "build IDs of all mapped binaries, not only of those with samples"},
	{PFX_OPT_BOOL, 0, "buildid-mmap", AT(buildid_mmap),
	 .help = "let the kernel put build IDs into the MMAP2 records"},
	{PFX_OPT_CALL_OPTIONAL, 0, "debuginfod", 0, "urls",
	 "fetch missing debug files from these servers and keep them with the copies "
	 "(DEBUGINFOD_URLS)",
	 pfx_record_opt_debuginfod},
	{PFX_OPT_BOOL, 0, "latency", OWN(latency),
	 .help = "also record when threads run, to separate wall-clock from CPU time"},
	{PFX_OPT_BOOL, 0, "off-cpu", SIDE(off_cpu),
	 .help = "also record off-CPU time, with the call chain where threads went to sleep"},
	{PFX_OPT_CALL, 0, "off-cpu-thresh", 0, "ms",
	 "sleeps of at least this length get their own sample; shorter ones are summed up (500)",
	 pfx_record_opt_thresh, .is_new = true},
	{PFX_OPT_CALL, 0, "synth", 0, "kinds",
	 "what to record of processes that already run: no, all, or task,mmap,cgroup",
	 pfx_record_opt_synth},
	{PFX_OPT_BOOL, 0, "overwrite", SIDE(overwrite),
	 .help = "keep only the newest records, until --switch-output or the end asks for them"},
	{PFX_OPT_BOOL, 0, "tail-synthesize", SIDE(tail_synthesize),
	 .help = "write running processes at the end of a file, not at its beginning"},
	{PFX_OPT_U64, 0, "num-thread-synthesize", SIDE(synth_threads), "n",
	 "read /proc with that many threads (default: one per CPU, at most 4)"},
	{PFX_OPT_U64, 0, "proc-map-timeout", SIDE(map_timeout_ms), "ms",
	 "stop reading the maps of a process after this time (500)"},

	{PFX_OPT_GROUP, .help = "Control:"},
	{PFX_OPT_CALL, 'D', "delay", 0, "ms|ranges",
	 "start after this time, in ranges like 10-20,30-40, or (-1) when --control enables events",
	 pfx_record_opt_delay},
	{PFX_OPT_CALL, 0, "control", 0, "fd:n[,m]|fifo:path[,path]",
	 "read commands like enable, disable, stop; acknowledge on the second descriptor",
	 pfx_record_opt_control},
	{PFX_OPT_BOOL, 0, "dry-run", AT(dry_run), .help = "check the options and stop"},
	{PFX_OPT_BOOL, 'q', "quiet", OWN(quiet), .help = "print only errors"},
	{PFX_OPT_COUNT, 'v', "verbose", OWN(verbose), .help = "print more details"},
	{PFX_OPT_ABSENT, 0, "clang-path", .help = NO_BPF, .hidden = true, .is_moot = true,
	 .arg = "file"},
	{PFX_OPT_ABSENT, 0, "vmlinux", .help = NO_BPF, .hidden = true, .is_moot = true,
	 .arg = "file"},
	{PFX_OPT_ABSENT, 0, "clang-opt", .help = NO_BPF, .hidden = true, .is_moot = true,
	 .arg = "words"},
	{PFX_OPT_END},
};

static int check(const struct pfx_recorder_options *o, struct pfx_error *err)
{
	if (o->freq && o->period) {
		pfx_error_set(err, EINVAL, "a frequency (-F) and a count (-c) exclude each other");
		return -EINVAL;
	}
	if (o->all_user && o->all_kernel)
		return pfx_error_set(err, EINVAL, "--all-user and --all-kernel exclude each other");
	return 0;
}

/* Options that the kind of output excludes. */
static int check_output(const struct pfx_recorder_options *o, struct pfx_error *err)
{
	const struct pfx_recorder_output_options *out = &o->out;
	bool is_stdout = out->path && !strcmp(out->path, "-");

	if (out->kcore && is_stdout)
		return pfx_error_set(err, EINVAL, "--kcore writes a directory, not a stream");
	if (out->switch_max_files && !out->switches)
		return pfx_error_set(err, EINVAL,
				     "--switch-max-files is for --switch-output, which is missing");
	if ((out->switches || out->timestamp_filename) && is_stdout)
		return pfx_error_set(err, EINVAL, "%s is for files, not for a stream",
				     out->switches ? "--switch-output" : "--timestamp-filename");
	if (out->threads && is_stdout)
		return pfx_error_set(err, EINVAL, "--threads writes a directory, not a stream");
	if (out->threads && out->affinity)
		return pfx_error_set(err, EINVAL,
				     "--threads places its threads by itself: it does "
				     "not go with --affinity");
	return 0;
}

/* Options that imply others. Output files of --switch-output have a time in their names and no
 * build IDs. */
static int complete(struct pfx_record_options *all, struct pfx_error *err)
{
	struct pfx_recorder_options *o = &all->rec;

	if (all->latency && (o->all_cpus || o->cpus))
		return pfx_error_set(err, EINVAL,
				     "--latency is about one program, not about the whole system");
	o->switch_events |= all->latency;
	o->out.tail_synthesize |= o->out.overwrite;
	o->no_buildid |= o->buildid_mmap;
	if (all->debuginfod && (o->no_buildid || o->no_copies || o->out.switches))
		return pfx_error_set(err, EINVAL,
				     "--debuginfod puts debug files beside the copies of binaries, "
				     "of which there are none (-B, -N, --buildid-mmap, "
				     "--switch-output)");
	/* Maps come after the samples, so the sampled binaries are not known: record all build
	 * IDs. */
	o->buildid_all |= o->out.tail_synthesize;
	if (o->out.switches)
		o->out.timestamp_filename = o->no_buildid = o->no_copies = true;
	o->copies_dir = pfx_globals.buildid_dir;
	if (all->debuginfod)
		o->fetch = pfx_fetch_watch("record", all->quiet, all->verbose > 0);
	return 0;
}

/* Conflicts between options that the parser cannot find are usage errors, too. */
static int usage_error(const struct pfx_error *err)
{
	pfx_print_error("record", err);
	return PFX_USAGE_ERROR;
}

/* A call chain mode was parsed as the command: -g has no argument. */
static void explain_mode(const struct pfx_recorder_options *o, struct pfx_error *err)
{
	static const char *const modes[] = {"fp", "dwarf", "lbr"};
	const char *word = o->command ? o->command[0] : "", *before;
	char shown[64];
	size_t i, len;

	if (err->code != ENOENT || !*word || o->command <= o->argv + 1)
		return;
	before = o->command[-1];
	if (before[0] != '-' || before[1] == '-' || before[strlen(before) - 1] != 'g')
		return;
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		len = strlen(modes[i]);
		if (!strncmp(word, modes[i], len) && (!word[len] || word[len] == ','))
			pfx_error_hint(err, "-g takes no mode: write --call-graph %s",
				       pfx_escape(shown, sizeof(shown), word));
	}
}

static int start_error(const struct pfx_recorder *rec, const struct pfx_error *err)
{
	pfx_print_error("record", err);
	switch (pfx_recorder_blame(rec)) {
	case PFX_RECORDER_BLAME_WORDS:
		return PFX_USAGE_ERROR;
	case PFX_RECORDER_BLAME_TARGET:
		return PFX_RECORD_NO_TARGET;
	default:
		return PFX_RECORD_FAILED;
	}
}

/* Terminate by this signal, as the shell expects. */
static int die_of(int sig)
{
	pfx_signals_raise(sig);
	return 128 + sig;
}

/* the exit code of the command */
static int exit_code(const struct pfx_recorder_end *end)
{
	if (end->failed)
		return PFX_RECORD_FAILED;
	if (!end->has_status && end->reader_gone)
		return PFX_RECORD_FAILED;
	if (end->signal)
		return die_of(end->signal);
	if (!end->has_status)
		return 0;
	if (WIFSIGNALED(end->status))
		return die_of(WTERMSIG(end->status));
	if (!WIFEXITED(end->status) || (WEXITSTATUS(end->status) == 0 && end->reader_gone))
		return PFX_RECORD_FAILED;
	return WEXITSTATUS(end->status);
}

static int record(struct pfx_recorder *rec, const struct pfx_record_options *o)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end end;
	struct pfx_error err = {0};

	if (pfx_recorder_start(rec, &err) < 0) {
		explain_mode(&o->rec, &err);
		return start_error(rec, &err);
	}
	if (o->rec.dry_run)
		return 0;
	pfx_recorder_run(rec);
	pfx_recorder_stop(rec);
	pfx_recorder_result(rec, &result);
	pfx_record_summary(o, &result);
	pfx_recorder_wait(rec, &end);
	return exit_code(&end);
}

static void options_fini(struct pfx_record_options *o)
{
	pfx_record_bounds_fini(&o->rec);
	pfx_vec_free(&o->rec.out.ranges);
	pfx_event_list_fini(&o->rec.out.switch_events);
	pfx_event_list_fini(&o->rec.events);
}

bool pfx_record_has_target(int argc, char **argv)
{
	struct pfx_record_options o = {0};
	bool is_help = false, has_target;
	int at = pfx_options_parse(&pfx_cmd_record, argc, argv, &o, &is_help, NULL);

	has_target = at < 0 || is_help || at < argc || o.rec.all_cpus || o.rec.cpus || o.rec.pids ||
		     o.rec.tids || o.rec.user || pfx_record_list_regs(&o);
	options_fini(&o);
	return has_target;
}

void pfx_record_say_waiting(const char *command, int argc, char **argv)
{
	struct pfx_record_options o = {0};
	bool is_help = false;
	int at = pfx_options_parse(&pfx_cmd_record, argc, argv, &o, &is_help, NULL);
	const struct pfx_waiting target = {o.rec.pids, o.rec.tids, o.rec.user, o.rec.cpus};

	if (at == argc && !o.quiet)
		pfx_waiting_say(command, "recording", &target);
	options_fini(&o);
}

/* The steps after parsing the options. */
static int run_with(struct pfx_record_options *o)
{
	struct pfx_record_view view = {.options = o};
	const struct pfx_recorder_observer observer = {pfx_record_print, &view};
	struct pfx_recorder *rec;
	struct pfx_error err = {0};
	int code = 0;

	if (check(&o->rec, &err) < 0 || check_output(&o->rec, &err) < 0 || complete(o, &err) < 0 ||
	    pfx_recorder_new(&rec, &o->rec, &observer, &err) < 0)
		return usage_error(&err);
	if (pfx_record_list_regs(o)) {
		code = pfx_has_habit(PFX_HABIT_EXIT_CODES) ? PFX_USAGE_ERROR : 0;
	} else {
		pfx_fill_standard_files();
		code = record(rec, o);
	}
	pfx_recorder_free(rec);
	return code;
}

static int run(int argc, char **argv)
{
	struct pfx_record_options o = {0};
	struct pfx_error err = {0};
	int at, code;

	o.rec.out.timestamp_boundary = true;
	o.rec.out.thresh_ms = PFX_OFFCPU_THRESH_DEFAULT_MS;
	if (pfx_record_configure(&o, &err) < 0)
		return usage_error(&err);
	at = pfx_options_or_exit(&pfx_cmd_record, argc, argv, &o, &code);
	o.rec.argc = argc;
	o.rec.argv = argv;
	o.rec.command = at >= 0 && at < argc ? argv + at : NULL;
	if (at >= 0)
		code = run_with(&o);
	options_fini(&o);
	return code;
}

const struct pfx_command pfx_cmd_record = {
	.name = "record",
	.args = "[--] [command [arguments]]",
	.summary = "record samples of a command, of processes or of the whole system in perf.data",
	.options = options,
	.run = run,
};
