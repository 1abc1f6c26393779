/* SPDX-License-Identifier: MIT */
/* The text of a column in a row, by the row of its key. */
#include "hist/key_text.h"

/* Field values of tracepoints were escaped when they were made. */
static void add_field(const struct pfx_key_text *how, const struct pfx_row *row, enum pfx_key key,
		      struct pfx_str *to)
{
	const struct pfx_hist_texts *texts = &pfx_hists_options(how->hists)->texts;
	enum pfx_hist_word word = PFX_WORD_FIELD + (key - PFX_KEY_FIELD);

	if (texts->field_text)
		pfx_str_add(to, texts->field_text(texts->ctx,
						  (uint32_t)pfx_row_word(how->hists, row, word)));
}

void pfx_key_text(const struct pfx_key_text *how, const struct pfx_row *row,
		  const struct pfx_column *column, unsigned width, struct pfx_str *to)
{
	const struct pfx_key_info *info = pfx_key_info(column->key);

	if (column->key >= PFX_KEY_FIELD)
		add_field(how, row, column->key, to);
	else
		info->text(how, row, info, width, to);
}

unsigned pfx_key_text_width(const struct pfx_key_text *how, const struct pfx_row *row,
			    const struct pfx_column *column)
{
	const struct pfx_key_info *info = pfx_key_info(column->key);
	struct pfx_str text = {0};
	unsigned len;

	pfx_key_text(how, row, column, 0, &text);
	len = (unsigned)text.len;
	pfx_str_fini(&text);
	return info->width ? info->width(how, row, info, len) : len;
}
