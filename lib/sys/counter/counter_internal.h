/* SPDX-License-Identifier: MIT */
/* Shared by the files of the counter: the sentence for a refused perf_event_open(2). */
#ifndef PFX_SYS_COUNTER_INTERNAL_H
#define PFX_SYS_COUNTER_INTERNAL_H

#include "sys/counter/counter.h"
#include "sys/host/perm.h"

/* One attempt that failed. */
struct pfx_refusal {
	const struct pfx_counter *counter;
	int code; /* errno */
	pid_t tid;
	int cpu;
	bool system_wide;
};

/* Fill @err with what the refusal means here and what helps; returns -code. */
int pfx_counter_explain(const struct pfx_refusal *refusal, const struct pfx_perm *perm,
			struct pfx_error *err);

/* Whether the kernel would take @attr; it may lower attr->size. */
typedef bool (*pfx_counter_trial_fn)(void *context, struct pfx_attr *attr);
/* Find the option without which the refused counter would open, and say what that option needs.
 * False when no single option is the reason; @err is untouched then. */
bool pfx_counter_blame(const struct pfx_refusal *refusal, pfx_counter_trial_fn trial, void *context,
		       struct pfx_error *err);

/* counter_setup.c: count at one level, whatever modifiers say; with neither nothing changes. */
void pfx_attr_set_level(struct pfx_attr *attr, bool all_user, bool all_kernel);
/* Each counter's leader is the first one of its group. */
void pfx_counters_find_leaders(struct pfx_counters *set);

#endif
