/* SPDX-License-Identifier: MIT */
/* The words of --stdio-color, for commands that print colours. */
#ifndef PFX_CMD_COLOUR_WORDS_H
#define PFX_CMD_COLOUR_WORDS_H

#include "base/error.h"
#include "out/term/term.h"

/* Parse always, never or auto: 0, or -EINVAL with the most similar one as a hint. */
int pfx_colour_parse(enum pfx_colour_when *ret, const char *word, struct pfx_error *err);
/* The same for a row of kind PFX_OPT_VALUE; the value is an enum pfx_colour_when. */
int pfx_colour_option(void *value, const char *arg, bool unset, struct pfx_error *err);

#endif
