/* SPDX-License-Identifier: MIT */
/*
 * Functions by the name that a user types: symbols of C++ have namespaces, template arguments and
 * parameters that nobody types, and those of compilers have suffixes.
 */
#ifndef PFX_SYM_ASKED_NAME_H
#define PFX_SYM_ASKED_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct pfx_asked_name {
	const char *word; /* borrowed */
	char *plain;      /* set by pfx_asked_name_loosen(); NULL: the word alone fits */
	bool has_arguments;
};

/* From here on names fit, too, that differ from the word in what nobody types: "sum" asks for
 * "ns::Shelf::sum<long>" and "sum.isra.0", "isPrime" for "JS:*isPrime file.js:1:17", a mangled name
 * for what it means. */
void pfx_asked_name_loosen(struct pfx_asked_name *asked);
void pfx_asked_name_fini(struct pfx_asked_name *asked);
bool pfx_asked_name_fits(const struct pfx_asked_name *asked, const char *name);

/* The first of the names that are most similar to what a user typed; NULL: none is similar. */
const char *pfx_similar_name(const char *word, const char *const *names, size_t nr);
/* A name for a message: a long one without its template arguments, which a word that is asked for
 * can do without. The caller frees it. */
char *pfx_short_name(const char *name);

/* Whether all of this end of a name is suffixes of the compiler: .isra.0, .part.0, .cold. */
bool pfx_is_clone_suffix(const char *end);

#endif
