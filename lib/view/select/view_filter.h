/* SPDX-License-Identifier: MIT */
/*
 * Which samples and which frames of a profile are looked at. Plain state: change one thing, make a
 * new selection (view/selection.h), and all else is kept. Owns its sets and patterns, borrows the
 * profile.
 *
 *	pfx_view_filter_init(&filter, profile);
 *	pfx_view_filter_add_name(&filter, PFX_VIEW_COMM, "firefox");
 *	rc = pfx_view_filter_pattern(&filter, PFX_VIEW_FOCUS, "^draw_", &err);
 */
#ifndef PFX_VIEW_VIEW_FILTER_H
#define PFX_VIEW_VIEW_FILTER_H

#include "base/error.h"
#include "read/time_ranges.h"
#include "view/profile/profile.h"

/* What samples can be chosen by, and what tables have rows of. The ids are indexes in the profile:
 * of functions, dsos, frames, processes, threads, comms, cpus, events. */
enum pfx_view_by {
	PFX_VIEW_FUNCTION, /* of the sampled address, without inlined functions */
	PFX_VIEW_DSO,      /* the same */
	PFX_VIEW_LINE,     /* the same; frames, if the profile distinguishes lines or addresses */
	PFX_VIEW_PROCESS,
	PFX_VIEW_THREAD,
	PFX_VIEW_COMM, /* name of the thread when it was sampled */
	PFX_VIEW_CPU,
	PFX_VIEW_EVENT,
	PFX_VIEW_NR_BYS,
};

/*
 * Regular expressions (POSIX extended, matched anywhere in the name) on the functions of stacks, as
 * in pprof. Focus and ignore choose samples, by all of their frames; then hide and show remove
 * frames, and last, show-from removes the callers of what it matches. A sample without any frame
 * left is dropped.
 */
enum pfx_view_pattern {
	PFX_VIEW_FOCUS,     /* only samples with a matching frame */
	PFX_VIEW_IGNORE,    /* no samples with a matching frame */
	PFX_VIEW_HIDE,      /* remove matching frames */
	PFX_VIEW_SHOW,      /* remove all other frames */
	PFX_VIEW_SHOW_FROM, /* remove the callers of the outermost matching frame; samples without
			       a matching frame are dropped */
	PFX_VIEW_NR_PATTERNS,
};

/* A set of ids. While it was not given, it contains all. */
struct pfx_view_set {
	uint8_t *has; /* by id */
	uint32_t nr;
	bool given;
};

struct pfx_view_filter {
	const struct pfx_profile *profile;
	struct pfx_view_set sets[PFX_VIEW_NR_BYS];
	struct pfx_time_ranges times; /* empty: all. Require a profile with times */
	/* Levels of sampled addresses, as characters of struct pfx_profile_function; "": all */
	char levels[8];
	bool drop_unresolved; /* samples, and frames, of addresses that no symbol table names */
	bool by_function;     /* frames that differ in line or address only are one */
	/* For pictures, if the profile offers it: callers beyond an address in no map are one root;
	 * those beyond the start of a thread are none. See view/read_profile.h */
	bool join_broken;
	/* private: texts, and by function: whether the pattern matches */
	char *patterns[PFX_VIEW_NR_PATTERNS];
	uint8_t *matches[PFX_VIEW_NR_PATTERNS];
};

/* Everything passes. */
void pfx_view_filter_init(struct pfx_view_filter *filter, const struct pfx_profile *profile);
void pfx_view_filter_fini(struct pfx_view_filter *filter);

/* The number of ids of a kind. */
uint32_t pfx_view_nr_ids(const struct pfx_profile *profile, enum pfx_view_by by);
/* Add an id to a set, or remove it; the set is given then. */
void pfx_view_filter_add(struct pfx_view_filter *filter, enum pfx_view_by by, uint32_t id);
void pfx_view_filter_remove(struct pfx_view_filter *filter, enum pfx_view_by by, uint32_t id);
/* Add all that have this name: a function, event, library (file or path), process (pid or name),
 * thread (tid or name), CPU (number). Returns how many; without any, the set is given and empty. */
uint32_t pfx_view_filter_add_name(struct pfx_view_filter *filter, enum pfx_view_by by,
				  const char *name);
/* Back to all. */
void pfx_view_filter_all(struct pfx_view_filter *filter, enum pfx_view_by by);
/* Whether a set contains an id. */
static inline bool pfx_view_filter_has(const struct pfx_view_filter *filter, enum pfx_view_by by,
				       uint32_t id)
{
	const struct pfx_view_set *set = &filter->sets[by];

	return !set->given || (id < set->nr && set->has[id]);
}

/* Set a pattern; NULL or "" removes it. -EINVAL with a message if it is not a valid expression; the
 * old one is kept then. */
int pfx_view_filter_pattern(struct pfx_view_filter *filter, enum pfx_view_pattern which,
			    const char *pattern, struct pfx_error *err);
/* Its text; NULL: none. */
const char *pfx_view_filter_pattern_text(const struct pfx_view_filter *filter,
					 enum pfx_view_pattern which);

#endif
