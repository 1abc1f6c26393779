/* SPDX-License-Identifier: MIT */
/* What the doors of libpfx have for the program pfx alone; not exported. */
#ifndef PFX_API_FOR_PROGRAM_H
#define PFX_API_FOR_PROGRAM_H

#include "pfx/input.h"

struct pfx_recording;

/* Messages keep the words of the command line. Call it before the first handle is made. */
void pfx_api_use_options(void);
/* The recording behind a handle, for notes on what is missing; NULL for NULL. Lives as long. */
const struct pfx_recording *pfx_input_recording(const struct pfx_input *input);

#endif
