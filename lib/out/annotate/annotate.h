/* SPDX-License-Identifier: MIT */
/*
 * The code of sampled functions, one after another, as text or JSON: selection, order and events.
 * Text is appended to a string, which is written to standard output when it gets large.
 */
#ifndef PFX_OUT_ANNOTATE_H
#define PFX_OUT_ANNOTATE_H

#include "base/alloc.h"
#include "base/str.h"
#include "code/code.h"
#include "event/meta.h"
#include "out/code/code_text.h"
#include "read/filter.h"

/* What to show of the data that samples access, instead of functions. */
struct pfx_annotate_data {
	bool types;                /* the types, with their members */
	const char *type;          /* only this one, which must exist; NULL: all */
	bool type_stat, insn_stat; /* how many samples have a known type; by mnemonic */
};

/* Whether any of it is shown. */
static inline bool pfx_annotate_shows_data(const struct pfx_annotate_data *data)
{
	return data->types || data->type_stat || data->insn_stat;
}

/* Options. All borrowed. */
struct pfx_annotate {
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_costs *costs;
	const char *symbol;              /* only this function, which must exist; NULL: all */
	const struct pfx_filter *filter; /* only functions of its DSOs */
	double percent_limit;            /* of an event's samples in these DSOs */
	uint64_t top;                    /* maximum number of functions; 0: all */
	bool group;                      /* the members of a group side by side */
	bool group_all;                  /* without groups: all events side by side */
	bool skip_empty;                 /* omit members without samples */
	bool json;
	struct pfx_annotate_data data;
	struct pfx_code_style style;
	struct pfx_code_options code;
};

/* Functions of a DSO whose code is not available. */
struct pfx_missing_dso {
	uint64_t nr_functions, nr_samples;
	uint64_t nr_too_large; /* of these functions: above PFX_CODE_SIZE_MAX */
};

struct pfx_missing_code {
	uint64_t nr_shown;                    /* functions that were printed; once for each event */
	bool has_no_disassembler;             /* some of them are bytes */
	const char *machine;                  /* of these; NULL: unknown */
	PFX_VEC(struct pfx_missing_dso) dsos; /* by id */
	bool *is_counted;                     /* by function */
	uint32_t nr_outer;                    /* functions that options.symbol is inlined in */
};

/* Open the binaries with samples on several threads; before pfx_costs_functions(). */
void pfx_annotate_prepare(const struct pfx_annotate *annotate);
/* The cost of all samples in the DSOs that are chosen, by event; the caller frees it. */
struct pfx_cost *pfx_annotate_wholes(const struct pfx_annotate *annotate);
/* Count function number @i of @nr whose code is not available; @reason: what pfx_code_new()
 * returned. */
void pfx_missing_code_add(struct pfx_missing_code *missing,
			  const struct pfx_code_function *function, uint32_t i, uint32_t nr,
			  int reason);

/* Write the functions, or types of data and statistics of them: 0, or an error. -ENOENT if
 * options.symbol is not a sampled function or options.type not an accessed type,
 * -ENODATA if its code is not available, both with a message. If it is inlined in other functions
 * and has no samples of its own, its instructions there are written; as JSON, these functions. */
int pfx_annotate_write(const struct pfx_annotate *annotate, struct pfx_missing_code *ret_missing,
		       struct pfx_str *to, struct pfx_error *err);
/* The same for source files with the cost of their lines; options.symbol is a function or the end
 * of a file's path. -ENOENT if no sampled file or function has that name, -ENODATA if the function
 * has no source lines. Returns the number of files in @ret_nr, which are counted once per event. */
int pfx_annotate_lines_write(const struct pfx_annotate *annotate, uint64_t *ret_nr,
			     struct pfx_str *to, struct pfx_error *err);
void pfx_missing_code_fini(struct pfx_missing_code *missing);

#endif
