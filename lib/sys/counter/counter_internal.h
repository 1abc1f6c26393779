/* SPDX-License-Identifier: MIT */
/* Shared by the files of counters: the error message for a refused perf_event_open(2). */
#ifndef PFX_SYS_COUNTER_INTERNAL_H
#define PFX_SYS_COUNTER_INTERNAL_H

#include "sys/counter/counter.h"
#include "sys/host/perm.h"

/* A failed attempt. */
struct pfx_refusal {
	const struct pfx_counter *counter;
	int code; /* errno */
	pid_t tid;
	int cpu;
	bool system_wide;
};

/* Fill @err with the meaning of the refusal and its remedy; returns -code. */
int pfx_counter_explain(const struct pfx_refusal *refusal, const struct pfx_perm *perm,
			struct pfx_error *err);

/* Whether the kernel accepts @attr; may lower attr->size. */
typedef bool (*pfx_counter_trial_fn)(void *context, struct pfx_attr *attr);
/* Find the option without which the refused counter would open, and write its requirements to @err.
 * False if no single option is the reason; @err is unchanged then. */
bool pfx_counter_blame(const struct pfx_refusal *refusal, pfx_counter_trial_fn trial, void *context,
		       struct pfx_error *err);

/* counter_setup.c: count at one level, regardless of modifiers; with neither, nothing changes. */
void pfx_attr_set_level(struct pfx_attr *attr, bool all_user, bool all_kernel);
/* Set each counter's leader: the first counter of its group. */
void pfx_counters_find_leaders(struct pfx_counters *set);

#endif
