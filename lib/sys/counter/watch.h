/* SPDX-License-Identifier: MIT */
/*
 * Waiting for events: a ring buffer at its watermark, a signal, the end of all targets, or a
 * descriptor of the caller. The watch owns its own descriptors and borrows all others.
 */
#ifndef PFX_SYS_WATCH_H
#define PFX_SYS_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "sys/counter/counter.h"
#include "sys/counter/ring.h"

/* The counters of one ring buffer. One that is alive is polled for all. */
struct pfx_watch_ring {
	PFX_VEC(int) fds;
	size_t at;     /* index of the polled counter; fds.nr: all targets of this ring buffer have
			  ended */
	bool is_quiet; /* polled at intervals: otherwise the kernel would wake the reader for every
			  record */
};

/* Zero: not open. */
struct pfx_watch {
	bool is_open;
	int epoll_fd, signal_fd;
	PFX_VEC(struct pfx_watch_ring) rings;
	size_t nr_alive; /* ring buffers with live targets */
	bool has_quiet;
	sigset_t mask; /* while waiting, */
	bool has_mask; /* if there is one */
};

/* The reason of a wakeup. */
struct pfx_wake {
	bool data;        /* a ring buffer reached its watermark */
	int signal;       /* a pending signal, 0: none */
	bool is_sent;     /* by a process, not by the kernel (a key in the terminal) */
	bool ended;       /* all targets have ended */
	bool interrupted; /* by the handler of a signal */
	uint32_t fds;     /* bit i: the descriptor added with index i is readable or hung up */
};

/* Prepare waiting for @signals, which the caller has blocked, and for the ring buffers. */
int pfx_watch_init(struct pfx_watch *watch, const sigset_t *signals, struct pfx_error *err);
int pfx_watch_rings(struct pfx_watch *watch, const struct pfx_rings *rings,
		    const struct pfx_counters *counters, struct pfx_error *err);
/* Wait for input on @fd too; @index is below 32. */
int pfx_watch_fd(struct pfx_watch *watch, int fd, unsigned index, struct pfx_error *err);
/* Stop waiting for it. */
void pfx_watch_forget(struct pfx_watch *watch, int fd);
/* Let a signal that is blocked at all other times interrupt the waiting. */
void pfx_watch_unblock(struct pfx_watch *watch, int signo);
/* From now on wait for signals alone: descriptors that nobody reads any more would wake forever. */
void pfx_watch_signals_only(struct pfx_watch *watch);
/* Wait at most @timeout_ms (-1: unlimited). Reports one signal at a time. */
int pfx_watch_wait(struct pfx_watch *watch, int timeout_ms, struct pfx_wake *ret,
		   struct pfx_error *err);
void pfx_watch_fini(struct pfx_watch *watch);

#endif
