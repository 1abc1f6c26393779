/* SPDX-License-Identifier: MIT */
/*
 * The code of the functions that samples lie in, one after another, as text or JSON: which of them,
 * in which order, beside which events. Text is appended to a string; where that grows large it is
 * written to standard output.
 */
#ifndef PFX_OUT_ANNOTATE_H
#define PFX_OUT_ANNOTATE_H

#include "base/alloc.h"
#include "base/str.h"
#include "code/code.h"
#include "event/meta.h"
#include "out/code/code_text.h"

/* What is shown, and how. All is borrowed. */
struct pfx_annotate {
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_costs *costs;
	const char *symbol; /* only this function, which is then expected to be there; NULL: all */
	/* Only functions of DSOs that it lets pass; NULL: all. */
	bool (*wants_dso)(const void *context, const struct pfx_dso *dso);
	const void *context;
	double percent_limit; /* of all samples of an event */
	uint64_t top;         /* functions at most; 0: all */
	bool group;      /* the members of a group side by side; all events where there is none */
	bool skip_empty; /* members without samples are left out */
	bool json;
	struct pfx_code_style style;
	struct pfx_code_options code;
};

/* Functions of a DSO whose code is not at hand. */
struct pfx_missing_dso {
	uint64_t nr_functions, nr_samples;
	bool *is_counted; /* by function */
};

struct pfx_missing_code {
	PFX_VEC(struct pfx_missing_dso) dsos; /* by id */
};

/* Write the functions: 0, or an error. -ENOENT with a sentence where options.symbol is not one of
 * them, -ENODATA where its code is not at hand. */
int pfx_annotate_write(const struct pfx_annotate *annotate, struct pfx_missing_code *ret_missing,
		       struct pfx_str *to, struct pfx_error *err);
void pfx_missing_code_fini(struct pfx_missing_code *missing);

#endif
