/* SPDX-License-Identifier: MIT */
/*
 * The command that is recorded: found, forked and held before its exec, so that counters exist
 * before its first instruction; then let go. The workload owns the child until it was waited for.
 */
#ifndef PFX_SYS_WORKLOAD_H
#define PFX_SYS_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "sys/target/signals.h"

/* The child's name between fork and exec; perf's own, because scripts skip it by this name. */
#define PFX_WORKLOAD_COMM "perf-exec"

struct pfx_workload {
	pid_t pid;    /* 0: none */
	int go_fd;    /* closing it without a byte ends the child */
	int error_fd; /* the child's errno comes here if exec fails; end of file: it worked */
	bool is_reaped;
	int status; /* of waitpid(), once reaped */
};

/* What the child sets up before exec. */
struct pfx_workload_setup {
	const struct pfx_signals *signals; /* to give back, NULL: leave them as they are */
	bool stdout_to_stderr;             /* standard output carries data */
};

/* The path that exec would use for @command, by PATH when it has no slash; the caller frees *@ret.
 * Not there, not executable, or a script whose interpreter is missing: an error that says so. */
int pfx_workload_find(const char *command, char **ret, struct pfx_error *err);
/* Fork; the child waits. @path is what pfx_workload_find() returned. */
int pfx_workload_fork(struct pfx_workload *workload, const char *path, char **argv,
		      const struct pfx_workload_setup *setup, struct pfx_error *err);
/* Let the child exec and wait until it did: 0, or the errno of exec, negative, with its sentence.
 */
int pfx_workload_go(struct pfx_workload *workload, const char *path, struct pfx_error *err);
/* Wait for the child's end, or (@nohang) only look. True when it has ended. */
bool pfx_workload_wait(struct pfx_workload *workload, bool nohang);
/* End a child that was never let go, and forget it. */
void pfx_workload_fini(struct pfx_workload *workload);

#endif
