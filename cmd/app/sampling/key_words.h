/* SPDX-License-Identifier: MIT */
/* Words of options that all commands with tables of samples have, for completion. */
#ifndef PFX_CMD_KEY_WORDS_H
#define PFX_CMD_KEY_WORDS_H

#include "base/str.h"

/* The words of -s, of -F, of -g. */
void pfx_words_add_keys(struct pfx_str *to);
void pfx_words_add_fields(struct pfx_str *to);
void pfx_words_add_graph_words(struct pfx_str *to);

#endif
