/* SPDX-License-Identifier: MIT */
/*
 * Waiting for something to do: a ring that is full enough, a signal, the end of all targets, or a
 * descriptor of the caller's. The watch owns its own descriptors and borrows all others.
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

/* The counters that send into one ring. One that lives is polled for all of them. */
struct pfx_watch_ring {
	PFX_VEC(int) fds;
	size_t at;     /* the one that is polled; fds.nr: all targets of this ring have ended */
	bool is_quiet; /* asked now and then: its kernel side would wake us for every record */
};

struct pfx_watch {
	int epoll_fd, signal_fd;
	PFX_VEC(struct pfx_watch_ring) rings;
	size_t nr_alive; /* rings whose targets live */
	bool has_quiet;
};

/* What woke us. */
struct pfx_wake {
	bool data;    /* a ring reached its watermark */
	int signal;   /* a signal that came, 0: none */
	pid_t sender; /* who sent it; 0: the kernel (a key in the terminal) */
	bool ended;   /* all targets have ended */
	uint32_t fds; /* bit i: the descriptor that was added as i can be read, or hung up */
};

/* Prepare waiting for the signals in @signals, which the caller has blocked, and for the rings. */
int pfx_watch_init(struct pfx_watch *watch, const sigset_t *signals, struct pfx_error *err);
int pfx_watch_rings(struct pfx_watch *watch, const struct pfx_rings *rings,
		    const struct pfx_counters *counters, struct pfx_error *err);
/* Wait for input on @fd too; @index is below 32. */
int pfx_watch_fd(struct pfx_watch *watch, int fd, unsigned index, struct pfx_error *err);
/* Wait for it no longer. */
void pfx_watch_forget(struct pfx_watch *watch, int fd);
/* Wait at most @timeout_ms (-1: for ever). One signal at a time is reported. */
int pfx_watch_wait(struct pfx_watch *watch, int timeout_ms, struct pfx_wake *ret,
		   struct pfx_error *err);
void pfx_watch_fini(struct pfx_watch *watch);

#endif
