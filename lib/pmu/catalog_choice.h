/* SPDX-License-Identifier: MIT */
/*
 * Events of a catalog that a user asks for: by kind, by a glob or a part of the name, by likeness.
 *
 *	struct pfx_catalog_choice choice = {.catalog = &catalog};
 *	pfx_catalog_choose_kinds(&choice, PFX_CATALOG_HARDWARE);
 *	nr = pfx_catalog_choose_word(&choice, "*fault*");
 *	... choice.events.at[i] ...
 *	pfx_catalog_choice_fini(&choice);
 */
#ifndef PFX_PMU_CATALOG_CHOICE_H
#define PFX_PMU_CATALOG_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "pmu/catalog.h"

/* Zero but for the catalog: all events that are not deprecated. */
struct pfx_catalog_choice {
	/* Borrowed. It must not grow between the first choice and the last use of the events. */
	const struct pfx_catalog *catalog;
	const char *unit; /* only events of this PMU, without "uncore_" if one likes; NULL: any */
	const char *cputype; /* only those of cores of this type: "core", "atom"; NULL: any */
	bool deprecated;     /* also those that the vendor replaced */
	/* Whether the kernel counts this hardware or cache event; NULL: it does. */
	bool (*is_available)(uint32_t type, uint64_t config);
	/* The result: what is chosen is appended, in the catalog's order. */
	PFX_VEC(const struct pfx_catalog_event *) events;
};

/* A word for kinds of events: "hw", "cache", "metricgroup". */
struct pfx_catalog_kind_word {
	const char *word;
	unsigned kinds;
	bool by_group; /* metrics by their groups */
};

/* The word's row, or NULL when it does not name a kind. */
const struct pfx_catalog_kind_word *pfx_catalog_kind_word(const char *word);
/* The kinds to read for these words, which end with NULL: all if one may be a name, or for none. */
unsigned pfx_catalog_kinds_of(char *const *words);

/* Append the events of these kinds. */
void pfx_catalog_choose_kinds(struct pfx_catalog_choice *choice, unsigned kinds);
/* Append the events whose name, alias or metric groups have the word in them, as a glob. A word
 * with a wildcard and ':' is a whole "system:event". Returns how many there are. */
size_t pfx_catalog_choose_word(struct pfx_catalog_choice *choice, const char *word);
/* Append the events in whose name or description each word of @words occurs, in any order. Returns
 * how many there are. */
size_t pfx_catalog_choose_text(struct pfx_catalog_choice *choice, const char *words);
/* Append the 20 events whose names are most like the word, at most, and put all events chosen into
 * the catalog's order. Returns how many were appended. */
size_t pfx_catalog_choose_near(struct pfx_catalog_choice *choice, const char *word);
void pfx_catalog_choice_fini(struct pfx_catalog_choice *choice);

/* Whether the catalog has no tracepoint because this user may not read them: @err says why, and the
 * remedy. */
bool pfx_catalog_lacks_tracepoints(const struct pfx_catalog *catalog,
				   const struct pfx_pmu_roots *roots, struct pfx_error *err);

#endif
