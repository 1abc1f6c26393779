/* SPDX-License-Identifier: MIT */
/*
 * What `pfx record` records: the words of -a, -C, -p, -t, -u and --per-thread, and which of them
 * wins where they do not go together. The kernel is not asked here.
 */
#include <errno.h>

#include "cmd/app/commands.h"
#include "cmd/record/record_internal.h"

static void note(const struct pfx_recorder *rec, const char *text)
{
	if (!rec->options->quiet)
		pfx_print_note("record", "%s", text);
}

/* Words that have no effect beside stronger ones: threads, then a user, then CPUs. */
static void say_what_wins(const struct pfx_recorder *rec, bool has_tasks)
{
	const struct pfx_record_options *o = rec->options;

	if (has_tasks && o->user)
		note(rec, "-p and -t choose threads: -u has no effect with them");
	else if (o->user && o->cpus)
		note(rec, "-u chooses threads on all CPUs: -C has no effect with it");
	else if (o->user && o->all_cpus)
		note(rec, "-u chooses threads: -a has no effect with it");
	if (has_tasks && o->cpus)
		note(rec, "-p and -t choose threads on all CPUs: -C has no effect with them");
	if (has_tasks && o->all_cpus)
		note(rec, "-p and -t choose threads: -a has no effect with them");
	if (rec->is_system_wide && o->per_thread)
		note(rec, "everything on a CPU has no threads: --per-thread has no effect with -a "
			  "and -C");
}

static int find_threads(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_record_options *o = rec->options;
	int rc = 0;

	if (o->pids)
		rc = pfx_target_pids(&rec->target, o->pids, NULL, err);
	if (rc >= 0 && o->tids)
		rc = pfx_target_tids(&rec->target, o->tids, NULL, err);
	if (rc >= 0 && o->user && !o->pids && !o->tids)
		rc = pfx_target_user(&rec->target, o->user, NULL, err);
	if (rc < 0)
		rec->start_code = PFX_RECORD_NO_TARGET;
	return rc;
}

int pfx_record_target(struct pfx_recorder *rec, struct pfx_error *err)
{
	const struct pfx_record_options *o = rec->options;
	bool has_tasks = o->pids || o->tids;
	bool has_threads = has_tasks || o->user;
	int rc;

	rec->is_system_wide = !has_threads && (o->all_cpus || o->cpus || !rec->command);
	rec->target.system_wide = rec->is_system_wide;
	say_what_wins(rec, has_tasks);
	rc = pfx_target_cpus(&rec->target, has_threads ? NULL : o->cpus, NULL, err);
	if (rc < 0) {
		rec->start_code = rc == -EINVAL ? PFX_USAGE_ERROR : PFX_RECORD_FAILED;
		return rc;
	}
	if (o->per_thread && !rec->is_system_wide)
		pfx_target_per_thread(&rec->target);
	return find_threads(rec, err);
}
