/* SPDX-License-Identifier: MIT */
/* Recording for one flame graph. */
#ifndef PFX_CMD_FLAMEGRAPH_RECORD_H
#define PFX_CMD_FLAMEGRAPH_RECORD_H

#include <stdbool.h>

#include "base/error.h"

/* How `pfx record` ended. */
struct pfx_flamegraph_end {
	int code;      /* its exit code */
	int signal;    /* that ended it; 0: none */
	bool has_file; /* there is a recording */
};

/* What to run. */
struct pfx_flamegraph_recorder {
	int argc; /* words of `pfx record`, argv[0] first */
	char **argv;
	const char *data;    /* its output, as the words say */
	bool stdout_is_ours; /* the picture goes there: what the command prints goes to stderr */
};

/* Run `pfx record` in a child. Until it ends, Ctrl-C is for the child alone, and SIGTERM and SIGHUP
 * are passed on to it. */
int pfx_flamegraph_record(const struct pfx_flamegraph_recorder *what,
			  struct pfx_flamegraph_end *ret, struct pfx_error *err);

#endif
