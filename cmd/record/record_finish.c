/* SPDX-License-Identifier: MIT */
/*
 * The end of a recording: what only the end knows goes into the file, the two lines go to standard
 * error, and the workload's result becomes ours.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/let_signals.h"
#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/record/record_internal.h"
#include "record/file/reserve.h"

/* What the kernel could not store, by its own count for each counter, as records at the end. */
static void put_lost(struct pfx_recorder *rec, struct pfx_buffer *to)
{
	const struct pfx_attr *attr = &rec->meta->events[0]->attr;
	uint64_t total = 0, lost;
	size_t i, j;

	for (i = 0; i < rec->counters.list.nr; i++) {
		const struct pfx_counter *counter = &rec->counters.list.at[i];

		for (j = 0; j < counter->fds.nr; j++) {
			struct pfx_body body = {.type = PFX_RECORD_LOST_SAMPLES};

			lost = pfx_counter_lost(counter, j);
			if (!lost)
				continue;
			body.lost_samples = lost;
			body.id.id = body.id.identifier = counter->fds.at[j].id;
			body.id.cpu = (uint32_t)counter->fds.at[j].cpu;
			pfx_record_encode(&body, attr, to);
			total += lost;
		}
	}
	/* Both count the same losses; the records in the rings miss those after the last sample. */
	if (total > rec->sink.tally.nr_lost)
		rec->sink.tally.nr_lost = total;
}

static void put_build_id(const struct pfx_env_build_id *id, struct pfx_buffer *to)
{
	struct pfx_body body = {
		.type = PFX_RECORD_HEADER_BUILD_ID,
		.misc = id->misc,
	};

	body.header_build_id.pid = id->pid;
	body.header_build_id.build_id_size = id->size;
	memcpy(body.header_build_id.build_id, id->id, sizeof(id->id));
	body.header_build_id.filename = id->filename;
	pfx_record_encode(&body, NULL, to);
}

static void describe_packing(const struct pfx_recorder *rec, struct pfx_env *env)
{
	struct pfx_output_totals totals;

	pfx_output_totals(rec->out.to, &rec->sink, &totals);
	pfx_pack_describe(rec->sink.pack, env);
	if (totals.packed)
		env->comp_ratio = (uint32_t)((totals.original + totals.packed / 2) / totals.packed);
}

static void describe_end(struct pfx_recorder *rec)
{
	struct pfx_env *env = &rec->meta->env;
	uint32_t i;

	if (rec->sink.tally.nr_samples && rec->sink.tally.first_ns != PFX_NO_TIME) {
		env->first_sample_ns = rec->sink.tally.first_ns;
		env->last_sample_ns = rec->sink.tally.last_ns;
	}
	if (rec->options->output_side.timestamp_boundary)
		pfx_env_set(env, PFX_FEAT_SAMPLE_TIME);
	if (rec->sink.pack)
		describe_packing(rec, env);
	pfx_record_aux_end_file(rec);
	pfx_record_describe_bpf(rec);
	if (!rec->options->no_buildid)
		pfx_record_build_ids(rec);
	for (i = 0; rec->is_pipe && i < env->nr_build_ids; i++)
		put_build_id(&env->build_ids[i], &rec->scratch);
}

int pfx_record_end_file(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc;

	pfx_reserve_release(&rec->reserve_fd);
	rc = pfx_record_put_tail(rec, err);
	if (rc < 0)
		return rc;
	describe_end(rec);
	return pfx_writer_end(rec->sink.writer, err);
}

static int finish(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = 0;

	if (rec->reader_gone || !rec->sink.writer)
		return 0;
	pfx_reserve_release(&rec->reserve_fd);
	if (!rec->failed)
		rc = pfx_sink_end_offcpu(&rec->sink, err);
	pfx_buffer_clear(&rec->scratch);
	put_lost(rec, &rec->scratch);
	if (!rec->failed && rc >= 0)
		rc = pfx_record_put_tail(rec, err);
	describe_end(rec);
	if (rc >= 0 && !rec->failed && rec->scratch.len)
		rc = pfx_writer_append(rec->sink.writer, rec->scratch.at, rec->scratch.len, err);
	if (rc < 0 && rc != -EPIPE) {
		pfx_print_error("record", err);
		rec->failed = true;
	}
	if (rc == -EPIPE)
		return 0;
	rc = pfx_writer_end(rec->sink.writer, err);
	/* Without room for the features, at least the records are there to be read. */
	if (rc < 0 && rc != -ESTALE)
		pfx_writer_refresh(rec->sink.writer, NULL);
	if (rc >= 0)
		rc = pfx_output_check(rec->out.to, err);
	rec->is_gone |= rc == -ESTALE;
	if (rc >= 0 || rec->failed)
		return 0;
	pfx_print_error("record", err);
	rec->failed = true;
	return rc;
}

int pfx_record_finish(struct pfx_recorder *rec, struct pfx_error *err)
{
	sigset_t before;
	int rc;

	if (!rec->is_pipe)
		return finish(rec, err);
	/* What is known at the end may have to wait for the reader, too. */
	pfx_let_signals_end(&before);
	rc = finish(rec, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

#define MIB        (1024.0 * 1024.0)
#define LONE_LEAST 100 /* call chains; of fewer a program's start may be a large part */
#define LONE_PART  10  /* one of so many without a caller is worth a line */

/* "Captured and wrote", in perf's words: of the last file, with the samples of all. */
static void say_captured(const struct pfx_recorder *rec)
{
	struct pfx_output_totals totals;
	struct pfx_str packed = {0};

	pfx_output_totals(rec->out.to, &rec->sink, &totals);
	if (rec->sink.pack)
		pfx_str_addf(&packed, ", compressed (original %.3f MB, ratio is %.3f)",
			     (double)totals.original / MIB,
			     totals.packed ? (double)totals.original / (double)totals.packed : 0.0);
	pfx_print_line("[ pfx record: Captured and wrote %.3f MB %s%s (%llu samples)%s ]",
		       (double)totals.bytes / MIB, rec->output,
		       rec->options->output_side.timestamp_filename ? ".<timestamp>" : "",
		       (unsigned long long)(rec->sink.nr_samples + rec->sink.tally.nr_samples),
		       pfx_str_get(&packed));
	pfx_str_fini(&packed);
}

static void say_losses(const struct pfx_recorder *rec)
{
	const struct pfx_tally *tally = &rec->sink.tally;
	uint64_t full, high;

	pfx_output_stats(rec->out.to, &full, &high);
	if (tally->nr_lost)
		pfx_print_line("[ pfx record: Lost %llu samples (%.3f%%); larger rings (-m) or a "
			       "lower rate (-F) help ]",
			       (unsigned long long)tally->nr_lost,
			       100.0 * (double)tally->nr_lost /
				       (double)(tally->nr_lost + tally->nr_samples +
						rec->sink.nr_samples));
	if (tally->nr_throttled && rec->options->verbose)
		pfx_print_note("record", "the kernel throttled the events %llu times",
			       (unsigned long long)tally->nr_throttled);
	if (rec->options->verbose)
		pfx_print_note("record",
			       "up to %.1f MiB waited for the output, and all memory for it was "
			       "full %llu times",
			       (double)high / MIB, (unsigned long long)full);
	if (tally->nr_bad)
		pfx_print_note("record", "%llu pieces from the kernel made no sense",
			       (unsigned long long)tally->nr_bad);
}

/* Where frame pointers are kept, a function without a caller is next to never seen: the kernel
 * finds none for those that it follows into words that are no frame. Which binaries these are takes
 * symbols and unwind information, which is for the report. */
static void say_lone_chains(const struct pfx_tally *tally)
{
	if (tally->nr_user_chains < LONE_LEAST ||
	    tally->nr_lone_chains * LONE_PART < tally->nr_user_chains)
		return;
	pfx_print_note("record",
		       "at least %llu of %llu call chains by frame pointers do not reach the start "
		       "of their thread: these have no caller at all",
		       (unsigned long long)tally->nr_lone_chains,
		       (unsigned long long)tally->nr_user_chains);
	pfx_print_line(
		"--call-graph dwarf finds all callers; 'pfx report' counts the others and names "
		"the binaries");
}

void pfx_record_summary(struct pfx_recorder *rec)
{
	struct pfx_error err = {0};

	if (!rec->options->quiet)
		pfx_print_line("[ pfx record: Woken up %llu times to write data ]",
			       (unsigned long long)rec->drain.nr_wakes);
	if (!rec->sink.writer)
		return;
	if (rec->options->output_side.timestamp_filename && !rec->is_gone &&
	    pfx_record_name_file(rec, &err) < 0) {
		pfx_print_error("record", &err);
		rec->failed = rec->is_gone = true;
	}
	if (rec->options->quiet)
		return;
	if (!rec->is_gone)
		say_captured(rec);
	say_losses(rec);
	say_lone_chains(&rec->sink.tally);
}

/* The workload that outlives the recording: stopped by our signal, or left to its end. A second
 * signal ends the waiting. */
static int wait_for_workload(struct pfx_recorder *rec)
{
	struct pfx_error err;
	struct pfx_wake wake;

	if (!rec->failed && !rec->reader_gone && !rec->from_terminal)
		kill(rec->workload.pid, SIGTERM);
	pfx_rings_unmap(&rec->rings);
	pfx_counters_close(&rec->counters);
	while (!pfx_workload_wait(&rec->workload, true)) {
		if (pfx_watch_wait(&rec->watch, -1, &wake, &err) < 0)
			break;
		if (wake.signal == SIGINT || wake.signal == SIGTERM || wake.signal == SIGHUP) {
			if (wake.sender)
				kill(rec->workload.pid, SIGTERM);
			return wake.signal;
		}
	}
	return 0;
}

static int exit_of_workload(struct pfx_recorder *rec, int sig)
{
	int status = rec->workload.status;

	if (rec->failed)
		return PFX_RECORD_FAILED;
	if (sig) {
		pfx_signals_raise(sig);
		return 128 + sig;
	}
	if (WIFSIGNALED(status)) {
		pfx_signals_raise(WTERMSIG(status));
		return 128 + WTERMSIG(status);
	}
	if (!WIFEXITED(status) || (WEXITSTATUS(status) == 0 && rec->reader_gone))
		return PFX_RECORD_FAILED;
	return WEXITSTATUS(status);
}

int pfx_record_exit(struct pfx_recorder *rec)
{
	int sig = 0;

	if (rec->command) {
		if (!rec->workload.is_reaped)
			sig = wait_for_workload(rec);
		return exit_of_workload(rec, sig);
	}
	if (rec->failed || rec->reader_gone)
		return PFX_RECORD_FAILED;
	if (rec->stop_signal) {
		pfx_signals_raise(rec->stop_signal);
		return 128 + rec->stop_signal;
	}
	return 0;
}
