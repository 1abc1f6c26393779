/* SPDX-License-Identifier: MIT */
/*
 * Recordings as baselines: call chains by name, with their samples in slices of time, as text.
 * Small, and independent of binaries and symbols; a comparison with it has the same numbers as one
 * with the recordings, by function. Lines:
 *
 *	pfx-baseline 1
 *	m MACHINE                               what it was recorded on
 *	r SPAN                                  a run begins, which took so many ns
 *	e NAME                                  an event of the run
 *	c NAME                                  a name of threads
 *	d NAME                                  a library
 *	f LIBRARY LEVEL FLAGS SIZE NAME         a function; flags: n named, i inlined, - neither
 *	n PARENT FUNCTION                       a frame called by another; 0: a root
 *	s FRAME FUNCTION LEVEL                  a stack, and the function that was sampled
 *	x EVENT THREAD STACK SLICE SAMPLES PERIOD
 *
 * Events, names, libraries and functions are counted from 0 in each run, frames from 1.
 */
#ifndef PFX_DIFF_BASELINE_BASELINE_H
#define PFX_DIFF_BASELINE_BASELINE_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "view/profile/profile.h"

#define PFX_BASELINE_SLICES  256        /* of a run */
#define PFX_BASELINE_SAMPLES (1u << 24) /* of a file, at most */

struct pfx_baseline {
	PFX_VEC(struct pfx_profile *) runs;
	char *machine; /* NULL: unknown; untrusted */
};

/* Append the text of profiles that have times. @machine may be NULL. */
void pfx_baseline_add_head(const char *machine, struct pfx_str *to);
void pfx_baseline_add_run(const struct pfx_profile *profile, struct pfx_str *to);
/* Parse NUL-terminated text: -EBADMSG names the line. */
int pfx_baseline_parse(struct pfx_baseline *ret, const char *text, struct pfx_error *err);
void pfx_baseline_fini(struct pfx_baseline *baseline);
/* The file of a baseline, which the caller frees; NULL and -EINVAL in the error: not a name. */
char *pfx_baseline_path(const char *dir, const char *name, struct pfx_error *err);

#endif
