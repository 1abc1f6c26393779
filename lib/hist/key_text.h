/* SPDX-License-Identifier: MIT */
/* The text of a key in a row: for tables, hierarchies and JSON. Untrusted text is escaped. */
#ifndef PFX_HIST_KEY_TEXT_H
#define PFX_HIST_KEY_TEXT_H

#include "base/str.h"
#include "hist/hist.h"

struct pfx_key_text {
	const struct pfx_hists *hists;
	bool verbose; /* long names of dsos, addresses of symbols */
	bool ns;      /* times with all nine digits */
};

/* Append the text in full length; @width: to align numbers, 0 not at all. */
void pfx_key_text(const struct pfx_key_text *how, const struct pfx_row *row,
		  const struct pfx_column *column, unsigned width, struct pfx_str *to);
/* The column width that the row requires: addresses have a fixed width. */
unsigned pfx_key_text_width(const struct pfx_key_text *how, const struct pfx_row *row,
			    const struct pfx_column *column);
/* "TX CON NEITHER :2": the flags of a transaction. */
void pfx_transaction_text(uint64_t transaction, struct pfx_str *to);

#endif
