/* SPDX-License-Identifier: MIT */
/*
 * Hot streams: the chains of branches that most samples end, of two recordings with branch stacks.
 *A chain is the source lines of targets and origins of branches, the newest first; chains match if
 *all their lines are equal. Owns its texts.
 *
 *	streams = pfx_diff_streams_new();
 *	for each side, for each of its samples:
 *		pfx_diff_streams_add(streams, is_new, &sample);
 *	pfx_diff_streams_name(streams, is_new, resolver);	once all of a side were added
 *	pfx_diff_streams_text(streams, &text);
 */
#ifndef PFX_DIFF_BRANCHES_STREAMS_H
#define PFX_DIFF_BRANCHES_STREAMS_H

#include "base/str.h"
#include "unwind/resolve.h"

#define PFX_DIFF_BRANCHES_SCHEMA "pfx.diff-branches/1"

struct pfx_diff_streams;

/* No samples yet. */
struct pfx_diff_streams *pfx_diff_streams_new(void);
void pfx_diff_streams_free(struct pfx_diff_streams *streams); /* may be NULL */

struct pfx_stream_sample {
	struct pfx_resolver *resolver; /* with branch_history */
	struct pfx_thread *thread;
	const char *event; /* streams are compared by its name */
	const struct pfx_sample *sample;
};

/* Count a sample; false if it has no branch stack. */
bool pfx_diff_streams_add(struct pfx_diff_streams *streams, bool is_new,
			  const struct pfx_stream_sample *sample);
/* Look up the lines of all chains of a side, whose resolver still lives. */
void pfx_diff_streams_name(struct pfx_diff_streams *streams, bool is_new,
			   struct pfx_resolver *resolver);
/* Append, by event, the hot streams of both sides, then those of one: perf's output. Each side has
 * at most five. */
void pfx_diff_streams_text(struct pfx_diff_streams *streams, struct pfx_str *to);
/* The same as one JSON object: Documentation/diff-branches-schema.json. */
void pfx_diff_streams_json(struct pfx_diff_streams *streams, struct pfx_str *to);

#endif
