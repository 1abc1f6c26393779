/* SPDX-License-Identifier: MIT */
/* The data of the HTML page while it is written as JSON: page/columns.js describes it. */
#ifndef PFX_EXPORT_PAGE_DATA_INTERNAL_H
#define PFX_EXPORT_PAGE_DATA_INTERNAL_H

#include "base/alloc.h"
#include "base/paged/paged.h"
#include "diff/join_profiles.h"
#include "diff/pair_noise.h"
#include "export/export.h"

struct pfx_page_data {
	const struct pfx_export_input *in;
	const struct pfx_selection *selection;
	const struct pfx_profile *profile;
	/* Of two recordings: what they were joined to, of which the above are; else NULL. */
	const struct pfx_joined *joined;
	struct pfx_pair_noise *noise; /* the same */
	uint32_t nr_new_events;       /* the others are events of in->old */
	struct pfx_str *to;
	PFX_VEC(uint64_t) column; /* values of the next pfx_page_column() */
	struct pfx_paged bytes;   /* of columns, if is_packed */
	size_t nr_bytes;
	uint64_t last_us; /* the time of the row before */
	bool is_packed;
	bool has_code;   /* set by pfx_page_add_code() */
	bool has_tables; /* set by pfx_page_add_tables() */
};

extern const char pfx_page_digits[65]; /* of base 64 */

/* A member with the values of h->column, which is emptied. */
void pfx_page_column(struct pfx_page_data *h, const char *name);
/* A member with a value for each row of the selection; @row is one of the profile. The function is
 * called for all rows in order, several times. */
typedef uint64_t (*pfx_page_row_fn)(struct pfx_page_data *h, uint32_t row);
void pfx_page_row_column(struct pfx_page_data *h, const char *name, pfx_page_row_fn value);
/* A member that is an object or a list, by its bracket, and its end. */
void pfx_page_begin(struct pfx_page_data *h, const char *name, char bracket);
void pfx_page_end(struct pfx_page_data *h, char bracket);
/* The begin of an object that is element @i of a list. */
void pfx_page_element(struct pfx_page_data *h, uint32_t i);

/* Members of the object of data, each in a file of its own. */
void pfx_page_add_about(struct pfx_page_data *h);
void pfx_page_add_code(struct pfx_page_data *h);
void pfx_page_add_tables(struct pfx_page_data *h);
void pfx_page_add_noise(struct pfx_page_data *h);

#endif
