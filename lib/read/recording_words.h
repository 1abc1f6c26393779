/* SPDX-License-Identifier: MIT */
/* Words of a command line that may name a recording. */
#ifndef PFX_READ_RECORDING_WORDS_H
#define PFX_READ_RECORDING_WORDS_H

#include <stdbool.h>

#include "base/error.h"

/* Whether a recording is there: a file or a directory that can be opened as one. */
bool pfx_recording_is_at(const char *path);
/* -EINVAL when @word names a recording: the hint tells how to read it. */
int pfx_recording_refuse_as_word(const char *word, struct pfx_error *err);

#endif
