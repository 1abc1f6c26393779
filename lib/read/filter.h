/* SPDX-License-Identifier: MIT */
/*
 * Which samples a command counts or prints: by CPU, thread, binary and symbol. All readers use it:
 * CPU and thread are checked for each sample, names once for each distinct name. Zero-initialize:
 * all samples pass. The filter owns the parsed values.
 */
#ifndef PFX_READ_FILTER_H
#define PFX_READ_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/words.h"
#include "event/meta.h"
#include "unwind/resolve.h"

/* A set of words, given as "a,b,c", or in a file with one per line: "file:///path". */
struct pfx_names {
	struct pfx_intern words;
	bool given;
};

/* A set of pids or tids, given in the same way. */
struct pfx_ids {
	struct pfx_hash at;
	bool given;
};

struct pfx_filter {
	struct pfx_names comms, dsos, symbols;
	struct pfx_ids pids, tids;
	struct pfx_list cpus;
	struct pfx_list parallelism; /* numbers of running threads that pass */
	bool parallelism_given;
	bool cpus_given;
	const char *symbol_part; /* substring of symbols; NULL: any. Borrowed */
	uint32_t socket;         /* only CPUs of this socket, if socket_given */
	bool socket_given;
};

/* Parse a set: -EINVAL with a message if the words are malformed. */
int pfx_names_parse(struct pfx_names *names, const char *list, struct pfx_error *err);
int pfx_ids_parse(struct pfx_ids *ids, const char *list, struct pfx_error *err);
/* A set of one word, whatever characters it has. */
void pfx_names_of(struct pfx_names *ret, const char *word);
void pfx_names_fini(struct pfx_names *names);
/* Whether the set contains it; a set that was not given is empty. */
bool pfx_names_has(const struct pfx_names *names, const char *word);
bool pfx_ids_has(const struct pfx_ids *ids, uint32_t id);
/* The word, if the set has exactly one; else NULL. */
const char *pfx_names_only(const struct pfx_names *names);

/* -EINVAL with a message if the filter has CPUs, but samples of the recording have none, or its
 * machine had none of these. */
int pfx_filter_check_cpus(const struct pfx_filter *filter, const struct pfx_meta *meta,
			  struct pfx_error *err);

/* Whether the filter accepts a CPU, */
bool pfx_filter_cpu(const struct pfx_filter *filter, uint32_t cpu);
/* a thread, by its names and ids, */
bool pfx_filter_thread(const struct pfx_filter *filter, const struct pfx_thread *thread);
/* a command name, */
bool pfx_filter_comm(const struct pfx_filter *filter, const char *comm);
/* a binary, a symbol (NULL: unknown), */
bool pfx_filter_dso(const struct pfx_filter *filter, const struct pfx_dso *dso);
bool pfx_filter_symbol(const struct pfx_filter *filter, const struct pfx_symbol *sym);
/* a symbol by a substring, */
bool pfx_filter_symbol_part(const struct pfx_filter *filter, const struct pfx_symbol *sym);
/* a resolved place, by all of these. */
bool pfx_filter_place(const struct pfx_filter *filter, const struct pfx_place *place);
/* Free the parsed values; afterwards all samples pass. */
void pfx_filter_fini(struct pfx_filter *filter);

#endif
