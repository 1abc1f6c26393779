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

#include "base/str.h"
#include "cmd/commands.h"
#include "cmd/record_internal.h"

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
	if (total > rec->tally.nr_lost)
		rec->tally.nr_lost = total;
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
	struct pfx_record_totals totals;

	pfx_record_output_totals(rec, &totals);
	pfx_pack_describe(rec->out.pack, env);
	if (totals.packed)
		env->comp_ratio = (uint32_t)((totals.original + totals.packed / 2) / totals.packed);
}

static void describe_end(struct pfx_recorder *rec)
{
	struct pfx_env *env = &rec->meta->env;
	uint32_t i;

	if (rec->tally.nr_samples && rec->tally.first_ns != PFX_NO_TIME) {
		env->first_sample_ns = rec->tally.first_ns;
		env->last_sample_ns = rec->tally.last_ns;
	}
	if (rec->options->output_side.timestamp_boundary)
		pfx_env_set(env, PFX_FEAT_SAMPLE_TIME);
	if (rec->out.pack)
		describe_packing(rec, env);
	pfx_record_aux_end_file(rec);
	if (!rec->options->no_buildid)
		pfx_record_build_ids(rec);
	for (i = 0; rec->is_pipe && i < env->nr_build_ids; i++)
		put_build_id(&env->build_ids[i], &rec->scratch);
}

int pfx_record_end_file(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc;

	pfx_record_unreserve(rec);
	rc = pfx_record_put_tail(rec, err);
	if (rc < 0)
		return rc;
	describe_end(rec);
	return pfx_writer_end(rec->writer, err);
}

int pfx_record_finish(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc = 0;

	if (rec->reader_gone || !rec->writer)
		return 0;
	pfx_record_unreserve(rec);
	if (!rec->failed)
		rc = pfx_record_offcpu_end(rec, err);
	pfx_buffer_clear(&rec->scratch);
	put_lost(rec, &rec->scratch);
	if (!rec->failed)
		rc = pfx_record_put_tail(rec, err);
	describe_end(rec);
	if (rc >= 0 && !rec->failed && rec->scratch.len)
		rc = pfx_writer_append(rec->writer, rec->scratch.at, rec->scratch.len, err);
	if (rc < 0 && rc != -EPIPE) {
		pfx_print_error("record", err);
		rec->failed = true;
	}
	if (rc == -EPIPE)
		return 0;
	rc = pfx_writer_end(rec->writer, err);
	/* Without room for the features, at least the records are there to be read. */
	if (rc < 0)
		pfx_writer_refresh(rec->writer, NULL);
	if (rc >= 0 || rec->failed)
		return 0;
	pfx_print_error("record", err);
	rec->failed = true;
	return rc;
}

#define MIB (1024.0 * 1024.0)

/* "Captured and wrote", in perf's words: of the last file, with the samples of all. */
static void say_captured(const struct pfx_recorder *rec)
{
	struct pfx_record_totals totals;
	char shown[512];

	pfx_record_output_totals(rec, &totals);
	fprintf(stderr, "[ pfx record: Captured and wrote %.3f MB %s%s (%llu samples)",
		(double)totals.bytes / MIB, pfx_escape(shown, sizeof(shown), rec->output),
		rec->options->output_side.timestamp_filename ? ".<timestamp>" : "",
		(unsigned long long)(rec->out.nr_samples + rec->tally.nr_samples));
	if (rec->out.pack)
		fprintf(stderr, ", compressed (original %.3f MB, ratio is %.3f)",
			(double)totals.original / MIB,
			totals.packed ? (double)totals.original / (double)totals.packed : 0.0);
	fprintf(stderr, " ]\n");
}

static void say_losses(const struct pfx_recorder *rec)
{
	const struct pfx_tally *tally = &rec->tally;

	if (tally->nr_lost)
		fprintf(stderr,
			"[ pfx record: Lost %llu samples (%.3f%%); larger rings (-m) or a "
			"lower rate (-F) help ]\n",
			(unsigned long long)tally->nr_lost,
			100.0 * (double)tally->nr_lost /
				(double)(tally->nr_lost + tally->nr_samples + rec->out.nr_samples));
	if (tally->nr_throttled && rec->options->verbose)
		pfx_print_note("record", "the kernel throttled the events %llu times",
			       (unsigned long long)tally->nr_throttled);
	if (rec->options->verbose)
		pfx_print_note("record",
			       "up to %.1f MiB waited for the output, and all memory for it was "
			       "full %llu times",
			       (double)rec->out.queue_high / MIB,
			       (unsigned long long)rec->out.queue_full);
	if (tally->nr_bad)
		pfx_print_note("record", "%llu pieces from the kernel made no sense",
			       (unsigned long long)tally->nr_bad);
}

void pfx_record_summary(struct pfx_recorder *rec)
{
	struct pfx_error err = {0};

	if (!rec->options->quiet)
		fprintf(stderr, "[ pfx record: Woken up %llu times to write data ]\n",
			(unsigned long long)rec->nr_wakes);
	if (!rec->writer)
		return;
	if (rec->options->output_side.timestamp_filename && pfx_record_name_file(rec, &err) < 0) {
		pfx_print_error("record", &err);
		rec->failed = true;
	}
	if (rec->options->quiet)
		return;
	say_captured(rec);
	say_losses(rec);
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
