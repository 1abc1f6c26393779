/* SPDX-License-Identifier: MIT */
/* What the verbs of `pfx data` share. */
#ifndef PFX_CMD_DATA_INTERNAL_H
#define PFX_CMD_DATA_INTERNAL_H

#include <stdbool.h>

#define PFX_DATA_NAME "data"

struct pfx_data_options {
	const char *input, *to_json, *output;
	bool force, strict, quiet;
	int verbose;
};

/* `pfx data merge`: the exit code. */
int pfx_data_merge(const struct pfx_data_options *options, int nr, char *const *paths);

#endif
