/* SPDX-License-Identifier: MIT */
/*
 * The words of --itrace. pfx decodes no traces, so that none of them has an effect; of recordings
 * without traces they have none in perf, either. Wrong ones are refused all the same.
 */
#ifndef PFX_CMD_ITRACE_WORDS_H
#define PFX_CMD_ITRACE_WORDS_H

#include "pfx/common.h"

/* @words may be NULL: the option alone. */
int pfx_itrace_check(const char *words, struct pfx_error *err);

#endif
