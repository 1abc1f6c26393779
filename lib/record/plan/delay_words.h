/* SPDX-License-Identifier: MIT */
/* When events are enabled, as after -D of `pfx record`. */
#ifndef PFX_RECORD_DELAY_WORDS_H
#define PFX_RECORD_DELAY_WORDS_H

#include <stdbool.h>

#include "record/options/recorder_options.h"

/* Milliseconds until the events are enabled, or ascending ranges of milliseconds in which they are,
 * like 100-200,500-600. Replaces the ranges of @ret, also if @words are not valid: false. */
bool pfx_delay_parse(const char *words, struct pfx_recorder_output_options *ret);

#endif
