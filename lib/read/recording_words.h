/* SPDX-License-Identifier: MIT */
/* Arguments that may be the path of a recording, given without -i. */
#ifndef PFX_READ_RECORDING_WORDS_H
#define PFX_READ_RECORDING_WORDS_H

#include <stdbool.h>

#include "base/error.h"

/* Whether @path is a recording: a file or a directory that can be opened as one. */
bool pfx_recording_is_at(const char *path);
/* -EINVAL when @word is the path of a recording: the hint shows how to read it. */
int pfx_recording_refuse_as_word(const char *word, struct pfx_error *err);

#endif
