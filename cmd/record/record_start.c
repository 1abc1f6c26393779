/* SPDX-License-Identifier: MIT */
/*
 * Everything before the first sample, in an order that leaves the disk alone until nothing is
 * likely to fail: find the command, hold it back, open and map the counters, and only then open the
 * output and write what runs already.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/let_signals.h"
#include "base/str.h"
#include "cmd/app/output_open.h"
#include "cmd/app/waiting.h"
#include "cmd/record/record_internal.h"
#include "record/file/reserve.h"
#include "sys/host/kcore.h"

/* A device or named pipe is written as a stream too. */
static bool is_stream(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Whether the path is another name of our standard output (/dev/stdout); *@ret_stream: which is a
 * pipe or terminal. */
static bool is_our_stdout(const char *path, bool *ret_stream)
{
	struct stat st, out;

	if (stat(path, &st) < 0 || fstat(STDOUT_FILENO, &out) < 0 || st.st_dev != out.st_dev ||
	    st.st_ino != out.st_ino)
		return false;
	*ret_stream = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(STDOUT_FILENO);
	return *ret_stream || S_ISREG(st.st_mode);
}

/* Where the links of the name lead; what is written to standard output anyway is a stream on it. */
static int find_output(struct pfx_recorder *rec, struct pfx_error *err)
{
	bool is_stdout_stream = false;

	if (strcmp(rec->output, "-")) {
		rec->shares_stdout = is_our_stdout(rec->output, &is_stdout_stream);
		if (is_stdout_stream)
			rec->output = "-";
	}
	rec->is_stdout = strcmp(rec->output, "-") == 0;
	if (rec->is_stdout)
		return 0;
	if (pfx_writer_follow(rec->output, &rec->followed, err) < 0)
		return -err->code;
	rec->output = rec->followed;
	return 0;
}

static int choose_output(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct stat st;
	int rc;

	rec->output = rec->options->output;
	if (!rec->output)
		rec->output = fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode)
				      ? "-"
				      : PFX_RECORD_DEFAULT_OUTPUT;
	rc = find_output(rec, err);
	if (rc < 0)
		return rc;
	rec->is_pipe = rec->is_stdout || is_stream(rec->output);
	if (rec->is_pipe && (rec->options->output_side.threads || rec->options->output_side.kcore))
		return pfx_error_set(err, EINVAL,
				     "%s writes a directory, not a stream: name one with -o",
				     rec->options->output_side.threads ? "--threads" : "--kcore");
	if (rec->is_pipe && rec->options->output_side.timestamp_filename)
		return pfx_error_set(
			err, EINVAL,
			"a stream cannot be named after the time: name a file with -o");
	if (!rec->is_stdout || !isatty(STDOUT_FILENO))
		return 0;
	pfx_error_set(err, EINVAL, "refusing to write binary data to a terminal");
	pfx_error_hint(err, "send it through a pipe or into a file, or leave '-o -' out");
	return -EINVAL;
}

/* --- the command --- */

static int take_signals(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	pfx_signals_take(&rec->signals, SIGUSR2);
	sigaction(SIGPIPE, &ignore, NULL);
	return pfx_watch_init(&rec->watch, &rec->signals.taken, err);
}

static int fork_command(struct pfx_recorder *rec, struct pfx_error *err)
{
	struct pfx_workload_setup setup = {
		.signals = &rec->signals,
		.stdout_to_stderr = rec->is_stdout || rec->shares_stdout,
	};
	int rc;

	if (!rec->command)
		return 0;
	rc = pfx_workload_fork(&rec->workload, rec->path, rec->command, &setup, err);
	if (rc >= 0 && !rec->is_system_wide && !rec->target.is_attached)
		pfx_target_add(&rec->target, rec->workload.pid, rec->workload.pid,
			       PFX_WORKLOAD_COMM);
	return rc;
}

/* --- the start itself --- */

static void undo_directory(struct pfx_recorder *rec)
{
	char *dir = pfx_strfmt("%s/kcore_dir", rec->output);

	pfx_kcore_remove(dir);
	pfx_writer_discard(rec->sink.writer);
	free(dir);
}

/* The command could not be started after all: the file that was there before comes back. */
static void undo_output(struct pfx_recorder *rec, const struct stat *before)
{
	char *old = pfx_strfmt("%s.old", rec->output);
	struct stat st;

	pfx_rescue_stop(&rec->rescue);
	pfx_record_output_stop(rec, NULL);
	if (rec->options->output_side.kcore)
		undo_directory(rec);
	pfx_writer_free(rec->sink.writer);
	rec->sink.writer = NULL;
	if (!rec->is_pipe && !rec->options->output_side.kcore) {
		if (before->st_ino && stat(old, &st) == 0 && st.st_ino == before->st_ino &&
		    st.st_dev == before->st_dev)
			rename(old, rec->output);
		else
			unlink(rec->output);
	}
	free(old);
}

static int let_go(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = rec->options->output_side.delayed ? 0 : pfx_counters_enable(&rec->counters, err);

	/* What came before does not count. */
	pfx_record_trigger_fired(rec);
	pfx_record_control_start(rec);
	if (rc >= 0 && rec->command)
		rc = pfx_workload_go(&rec->workload, rec->path, err);
	return rc;
}

static int prepare(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = choose_output(rec, err);

	pfx_perm_read(&rec->perm, NULL);
	if (rc >= 0 && rec->command)
		rc = pfx_workload_find(rec->command[0], &rec->path, err);
	if (rc >= 0)
		rc = pfx_record_target(rec, err);
	if (rc >= 0)
		rc = pfx_record_events(rec, err);
	return rc;
}

/* The reader of a stream may take its time for the first bytes, too. */
static int begin_output(struct pfx_recorder *rec, struct pfx_error *err)
{
	sigset_t before;
	int rc;

	if (!rec->is_pipe)
		return pfx_record_begin_file(rec, false, err);
	pfx_let_signals_end(&before);
	rc = pfx_record_begin_file(rec, false, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* What is not a plain copy has none: stages of the recorder would have to run, or other files be
 * found. */
static void start_rescue(struct pfx_recorder *rec)
{
	const struct pfx_record_output_options *o = &rec->options->output_side;

	if (rec->is_pipe || o->threads || o->off_cpu || o->switches || rec->aux.kind ||
	    pfx_rings_overwrite(&rec->rings))
		return;
	rec->rescue = (struct pfx_rescue){
		.writer = rec->sink.writer,
		.rings = &rec->rings,
		.reserve_fd = &rec->reserve_fd,
		.has_rounds = !o->tail_synthesize,
	};
	pfx_rescue_start(&rec->rescue);
}

/* Nothing ends the recording by itself. */
static void say_waiting(const struct pfx_recorder *rec)
{
	const struct pfx_record_options *o = rec->options;
	const struct pfx_waiting target = {o->pids, o->tids, o->user, o->cpus};

	if (!rec->command && !o->quiet)
		pfx_waiting_say("record", "recording", &target);
}

int pfx_record_start(struct pfx_recorder *rec, int argc, char **argv, struct pfx_error *err)
{
	struct stat before = {0};
	int rc = prepare(rec, err);

	if (rc < 0 || rec->options->dry_run)
		return rc;
	rc = take_signals(rec, err);
	if (rc >= 0)
		rc = fork_command(rec, err);
	if (rc >= 0)
		rc = pfx_record_open_counters(rec, err);
	if (rc < 0)
		pfx_record_explain_filter(rec, err);
	if (rc >= 0)
		rc = pfx_record_control_open(rec, err);
	if (rc >= 0)
		rc = pfx_watch_rings(&rec->watch, &rec->rings, &rec->counters, err);
	if (rc >= 0)
		rc = pfx_record_trigger_open(rec, err);
	if (rc >= 0)
		rc = pfx_record_describe(rec, argc, argv, err);
	if (rc >= 0)
		rc = pfx_record_output_pack(rec, err);
	if (rc < 0)
		return rc;
	pfx_record_say_opened(rec);
	if (stat(rec->output, &before) < 0)
		before.st_ino = 0;
	rc = begin_output(rec, err);
	if (rc >= 0)
		start_rescue(rec);
	if (rc >= 0)
		rc = pfx_record_output_start(rec, err);
	if (rc >= 0)
		rc = pfx_record_exclude_self(rec, err);
	if (rc >= 0)
		rc = let_go(rec, err);
	if (rc >= 0)
		say_waiting(rec);
	if (rc < 0 && rec->sink.writer)
		undo_output(rec, &before);
	return rc;
}

void pfx_recorder_fini(struct pfx_recorder *rec)
{
	pfx_rescue_stop(&rec->rescue);
	pfx_workload_fini(&rec->workload);
	pfx_record_output_fini(rec);
	pfx_drain_fini(&rec->drain);
	pfx_record_control_fini(rec);
	pfx_watch_fini(&rec->watch);
	pfx_record_trigger_fini(rec);
	pfx_record_aux_fini(rec);
	pfx_rings_unmap(&rec->rings);
	pfx_counters_fini(&rec->counters);
	pfx_target_fini(&rec->target);
	pfx_reserve_release(&rec->reserve_fd);
	pfx_sink_fini(&rec->sink);
	pfx_map_ids_fini(&rec->map_ids);
	pfx_meta_free(rec->meta);
	pfx_buffer_fini(&rec->scratch);
	free(rec->path);
	free(rec->followed);
	free(rec->keep_dir);
}
