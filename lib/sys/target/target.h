/* SPDX-License-Identifier: MIT */
/*
 * The target of a recording: CPUs and threads. It owns its lists. Threads that end while /proc is
 * read are omitted; pfx_target_look_again() finds new ones.
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
	pid_t pid, tid; /* pid 0 if unknown */
	char comm[16];  /* "" if unknown */
};

struct pfx_target {
	bool system_wide;     /* all threads on `cpus`; `threads` is empty */
	bool cpus_given;      /* given by the user: not all online CPUs */
	struct pfx_list cpus; /* ascending; the CPUs for counters */
	PFX_VEC(struct pfx_target_thread) threads;
	bool is_attached; /* the threads are already running (-p, -t, -u) */
	bool per_thread;  /* one counter per thread, on any CPU: `cpus` only has -1 */
	/* Sources for pfx_target_look_again(). */
	PFX_VEC(pid_t) processes; /* all their threads are recorded */
	bool has_user;            /* all processes of `user` are recorded */
	uid_t user;
};

/* @root below is a prefix of /proc and /sys, for tests; NULL: none. */

/* The CPUs: those of the list @words (NULL: all online CPUs). For a CPU that is not online, the
 * error message contains it and the online CPUs. */
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
/* Append new threads of the processes and the user. Returns whether there were any. */
bool pfx_target_look_again(struct pfx_target *target, const char *root);
/* Counters follow their threads on any CPU: no CPU list. */
void pfx_target_per_thread(struct pfx_target *target);
/* The number of ring buffers: one per CPU, or one per thread. */
size_t pfx_target_rings(const struct pfx_target *target);
/* Append one thread by id: the stopped child. */
void pfx_target_add(struct pfx_target *target, pid_t pid, pid_t tid, const char *comm);
void pfx_target_fini(struct pfx_target *target);

#endif
