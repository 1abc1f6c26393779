/* SPDX-License-Identifier: MIT */
/*
 * What is recorded: CPUs and threads. The target owns its lists. Threads that vanish while /proc is
 * read are left out; those that are created meanwhile are found by pfx_target_look_again().
 */
#ifndef PFX_SYS_TARGET_H
#define PFX_SYS_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/words.h"

struct pfx_target_thread {
	pid_t pid, tid; /* pid 0 where it is not known */
	char comm[16];  /* "" where it is not known */
};

struct pfx_target {
	bool system_wide;     /* everything on `cpus`; `threads` is empty */
	bool cpus_given;      /* by the user: not all that are online */
	struct pfx_list cpus; /* ascending; where counters are opened */
	PFX_VEC(struct pfx_target_thread) threads;
	bool is_attached; /* the threads run already (-p, -t, -u) */
	bool per_thread;  /* one counter for each thread, on whatever CPU: `cpus` is only -1 */
	/* What pfx_target_look_again() looks at. */
	PFX_VEC(pid_t) processes; /* all their threads are recorded */
	bool has_user;            /* all processes of `user` are recorded */
	uid_t user;
};

/* @root below is a directory in front of /proc and /sys, for tests; NULL: none. */

/* The CPUs: those of the list @words (NULL: all that are online). A CPU that is not online is an
 * error that names it and says which ones are. */
int pfx_target_cpus(struct pfx_target *target, const char *words, const char *root,
		    struct pfx_error *err);
/* Append all threads of the processes in @words ("12,34"). */
int pfx_target_pids(struct pfx_target *target, const char *words, const char *root,
		    struct pfx_error *err);
/* Append the threads in @words. */
int pfx_target_tids(struct pfx_target *target, const char *words, const char *root,
		    struct pfx_error *err);
/* Append all threads of the processes that belong to the user @word, a name or a number. */
int pfx_target_user(struct pfx_target *target, const char *word, const char *root,
		    struct pfx_error *err);
/* Append the threads that the processes and the user have by now and that are not in the list yet.
 * Returns whether there were any. */
bool pfx_target_look_again(struct pfx_target *target, const char *root);
/* Counters follow their threads: no CPUs. */
void pfx_target_per_thread(struct pfx_target *target);
/* How many rings it needs: one a CPU, or one a thread. */
size_t pfx_target_rings(const struct pfx_target *target);
/* Append one thread by number: the stopped child. */
void pfx_target_add(struct pfx_target *target, pid_t pid, pid_t tid, const char *comm);
void pfx_target_fini(struct pfx_target *target);

#endif
