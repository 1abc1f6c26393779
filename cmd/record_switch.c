/* SPDX-License-Identifier: MIT */
/*
 * Recordings in several files: one is ended and named after the time, the next one begins with what
 * runs by then. The rings are emptied into the queue meanwhile. Runs on the queue's thread while it
 * records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/commands.h"
#include "cmd/record_internal.h"

#define HUNDREDTH_US 10000

/* perf's names: the second, and hundredths of it. */
static char *name_with_time(const char *path)
{
	struct timeval now;
	struct tm local;
	char text[32];

	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &local);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &local);
	return pfx_strfmt("%s.%s%02u", path, text, (unsigned)now.tv_usec / HUNDREDTH_US);
}

/* Only so many of the files are kept. */
static void forget_oldest(struct pfx_recorder *rec)
{
	uint64_t most = rec->options->output_side.switch_max_files;
	char shown[256];
	const char *name;
	int rc;

	while (most && rec->out.names.nr - rec->out.oldest > most) {
		name = rec->out.names.at[rec->out.oldest++];
		rc = pfx_writer_remove(name);
		if (rc < 0 && rc != -ENOENT)
			pfx_print_note("record", "cannot remove '%s': %s",
				       pfx_escape(shown, sizeof(shown), name), strerror(-rc));
	}
}

int pfx_record_name_file(struct pfx_recorder *rec, struct pfx_error *err)
{
	char *name = name_with_time(rec->output), shown[256];
	int rc;

	/* Two files within a hundredth of a second. */
	while (access(name, F_OK) == 0) {
		free(name);
		usleep(HUNDREDTH_US);
		name = name_with_time(rec->output);
	}
	if (rename(rec->output, name) < 0) {
		rc = pfx_error_sys(err, errno, "cannot name the recording '%s'",
				   pfx_escape(shown, sizeof(shown), name));
		free(name);
		return rc;
	}
	if (!rec->options->quiet)
		fprintf(stderr, "[ pfx record: Dump %s ]\n",
			pfx_escape(shown, sizeof(shown), name));
	pfx_vec_push(&rec->out.names, name);
	forget_oldest(rec);
	return 0;
}

int pfx_record_switch(struct pfx_recorder *rec, struct pfx_error *err)
{
	int rc;

	pfx_record_offcpu_put_sums(rec, err);
	rc = pfx_record_end_file(rec, err);
	if (rc < 0)
		return rc;
	if (!rec->options->quiet)
		fprintf(stderr, "[ pfx record: dump data: Woken up %llu times ]\n",
			(unsigned long long)__atomic_load_n(&rec->nr_wakes, __ATOMIC_RELAXED));
	rc = pfx_record_name_file(rec, err);
	if (rc < 0)
		return rc;
	rec->out.nr_files++;
	rec->out.nr_samples += rec->tally.nr_samples;
	pfx_writer_free(rec->writer);
	rec->writer = NULL;
	pfx_tally_fini(&rec->tally);
	rc = rec->out.pack ? pfx_pack_restart(rec->out.pack, err) : 0;
	return rc < 0 ? rc : pfx_record_begin_file(rec, true, err);
}
