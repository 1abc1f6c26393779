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

/* Run `pfx record` with these words (argv[0] first) in a child, whose output is @data. Until it
 * ends, Ctrl-C is for the child alone, and SIGTERM and SIGHUP are passed on to it. */
int pfx_flamegraph_record(int argc, char **argv, const char *data, struct pfx_flamegraph_end *ret,
			  struct pfx_error *err);

#endif
