/* SPDX-License-Identifier: MIT */
/*
 * Which samples are wanted: by CPU, thread and names. The CPU is asked for each sample; names are
 * asked for late, once for each distinct thread, dso or symbol. Zero lets all pass. The filter owns
 * what the parsers put into it.
 */
#ifndef PFX_HIST_FILTER_H
#define PFX_HIST_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/words.h"
#include "unwind/resolve.h"

/* A set of words, given as "a,b,c" or, one a line, in a file: "file:///path". */
struct pfx_names {
	struct pfx_intern words;
	bool given;
};

/* A set of pids or tids. */
struct pfx_ids {
	struct pfx_hash at;
	bool given;
};

struct pfx_filter {
	struct pfx_names comms, dsos, symbols;
	struct pfx_ids pids, tids;
	struct pfx_list cpus;
	bool cpus_given;
};

void pfx_filter_fini(struct pfx_filter *filter);

/* Words to sets: -EINVAL with a sentence when they are malformed. */
int pfx_names_parse(struct pfx_names *names, const char *text, struct pfx_error *err);
bool pfx_names_has(const struct pfx_names *names, const char *word);
/* The word, when the set has just one; else NULL. */
const char *pfx_names_only(const struct pfx_names *names);
int pfx_ids_parse(struct pfx_ids *ids, const char *text, struct pfx_error *err);
bool pfx_ids_has(const struct pfx_ids *ids, uint32_t id);
bool pfx_filter_cpu(const struct pfx_filter *filter, uint32_t cpu);
/* By the names and numbers of the thread. */
bool pfx_filter_thread(const struct pfx_filter *filter, const struct pfx_thread *thread);
bool pfx_filter_comm(const struct pfx_filter *filter, const char *comm);
/* By dso and symbol of a place that was looked up. */
bool pfx_filter_place(const struct pfx_filter *filter, const struct pfx_place *place);

#endif
