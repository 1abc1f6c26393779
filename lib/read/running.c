/* SPDX-License-Identifier: MIT */
/* Threads that run, by context switches and ends. */
#include "read/running.h"

#include "event/meta.h"

/* The thread that starts or stops; 0: none, or that of an idle CPU. */
static uint32_t thread_of(const struct pfx_record *rec, bool is_switch)
{
	struct pfx_body body;

	if ((!is_switch && rec->type != PFX_RECORD_EXIT) || !rec->event ||
	    pfx_record_decode(rec, &rec->event->attr, &body, NULL))
		return 0;
	return is_switch ? body.id.tid : body.task.tid;
}

uint32_t pfx_running_take(struct pfx_running *running, const struct pfx_record *rec)
{
	bool is_switch = rec->type == PFX_RECORD_SWITCH || rec->type == PFX_RECORD_SWITCH_CPU_WIDE;
	uint32_t tid = thread_of(rec, is_switch);

	if (tid && is_switch && !(rec->misc & PFX_MISC_SWITCH_OUT))
		pfx_hash_add(&running->tids, tid, NULL);
	else if (tid)
		pfx_hash_remove(&running->tids, tid);
	return (uint32_t)running->tids.nr;
}

void pfx_running_fini(struct pfx_running *running)
{
	pfx_hash_fini(&running->tids);
}
