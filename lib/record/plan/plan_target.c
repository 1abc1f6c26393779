/* SPDX-License-Identifier: MIT */
/* Chooses the CPUs and threads to record, and the option that wins if two conflict. */
#include <errno.h>

#include "record/plan/plan.h"

static int find_threads(struct pfx_record_plan *plan, struct pfx_error *err)
{
	const struct pfx_recorder_options *o = plan->options;
	int rc = 0;

	if (o->pids)
		rc = pfx_target_pids(&plan->target, o->pids, NULL, err);
	if (rc >= 0 && o->tids)
		rc = pfx_target_tids(&plan->target, o->tids, NULL, err);
	if (rc >= 0 && o->user && !o->pids && !o->tids)
		rc = pfx_target_user(&plan->target, o->user, NULL, err);
	if (rc < 0)
		plan->blame = PFX_RECORDER_BLAME_TARGET;
	return rc;
}

int pfx_record_plan_target(struct pfx_record_plan *plan, struct pfx_error *err)
{
	const struct pfx_recorder_options *o = plan->options;
	bool has_tasks = o->pids || o->tids;
	bool has_threads = has_tasks || o->user;
	int rc;

	plan->is_system_wide = !has_threads && (o->all_cpus || o->cpus || !o->command);
	plan->target.system_wide = plan->is_system_wide;
	PFX_RECORDER_NOTIFY(plan->observer, PFX_RECORDER_TARGET_CHOSEN, .on = plan->is_system_wide);
	rc = pfx_target_cpus(&plan->target, has_threads ? NULL : o->cpus, NULL, err);
	if (rc < 0) {
		plan->blame = rc == -EINVAL ? PFX_RECORDER_BLAME_WORDS : PFX_RECORDER_BLAME_SYSTEM;
		return rc;
	}
	if (o->per_thread && !plan->is_system_wide)
		pfx_target_per_thread(&plan->target);
	return find_threads(plan, err);
}
