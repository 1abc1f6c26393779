/* SPDX-License-Identifier: MIT */
/* The words of sort keys, fields and call graphs, from their tables. */
#include "cmd/app/sampling/key_words.h"

#include "hist/callgraph.h"
#include "hist/sortkey.h"

static void add_keys(bool values, struct pfx_str *to)
{
	enum pfx_key key;

	for (key = 0; key < PFX_KEY_NR; key++)
		if (values || !pfx_key_is_value(key))
			pfx_str_addf(to, " %s", pfx_key_info(key)->name);
	pfx_str_add(to, " sym");
}

void pfx_words_add_keys(struct pfx_str *to)
{
	add_keys(false, to);
}

void pfx_words_add_fields(struct pfx_str *to)
{
	add_keys(true, to);
}

void pfx_words_add_graph_words(struct pfx_str *to)
{
	const char *word;
	size_t i;

	for (i = 0; (word = pfx_callgraph_word(i)); i++)
		pfx_str_addf(to, " %s", word);
}
