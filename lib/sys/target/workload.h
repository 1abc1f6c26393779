/* SPDX-License-Identifier: MIT */
/*
 * The command that is recorded: found, forked and stopped before its exec, so that counters exist
 * before its first instruction; then started. The workload owns the child until it is reaped.
 */
#ifndef PFX_SYS_WORKLOAD_H
#define PFX_SYS_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "sys/target/signals.h"

/* The child's name between fork and exec; the same as perf's, because scripts skip it by name. */
#define PFX_WORKLOAD_COMM "perf-exec"

struct pfx_workload {
	pid_t pid;    /* 0: none */
	bool is_held; /* not started yet: it has the pipes */
	int go_fd;    /* closing it without writing ends the child */
	int error_fd; /* the child's errno if exec fails; end of file: success */
	bool is_reaped;
	int status; /* of waitpid(), once reaped */
};

/* Set up by the child before exec. */
struct pfx_workload_setup {
	const struct pfx_signals *signals; /* to restore, NULL: unchanged */
	bool stdout_to_stderr;             /* standard output carries data */
};

/* The path of @command, searched in PATH if it has no slash; the caller frees *@ret. Errors with a
 * message: not found, not executable, or a script whose interpreter is missing. */
int pfx_workload_find(const char *command, char **ret, struct pfx_error *err);
/* Fork; the child waits. @path is what pfx_workload_find() returned. */
int pfx_workload_fork(struct pfx_workload *workload, const char *path, char **argv,
		      const struct pfx_workload_setup *setup, struct pfx_error *err);
/* Let the child exec and wait for it: 0, or the negative errno of exec with its message. */
int pfx_workload_go(struct pfx_workload *workload, const char *path, struct pfx_error *err);
/* Wait for the child's end, or (@nohang) only check. True if it has ended. */
bool pfx_workload_wait(struct pfx_workload *workload, bool nohang);
/* End a child that was never started. */
void pfx_workload_fini(struct pfx_workload *workload);

#endif
