/* SPDX-License-Identifier: MIT */
/* What the files of `pfx record` share besides the options: the messages. The recorder itself is in
 * record/recorder.h. */
#ifndef PFX_CMD_RECORD_INTERNAL_H
#define PFX_CMD_RECORD_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "cmd/app/sampling/record_options.h"
#include "record/recorder.h"

/* --- record_print.c: messages on standard error --- */
/* The context of the observer: the options, and messages that were already printed. */
struct pfx_record_view {
	const struct pfx_record_options *options;
	bool said_no_copies; /* the note that binaries cannot be copied */
};

/* For struct pfx_recorder_observer; the context is a struct pfx_record_view. */
void pfx_record_print(void *context, const struct pfx_recorder_news *news);
/* At the end: statistics of recorded and lost samples. */
void pfx_record_summary(const struct pfx_record_options *o,
			const struct pfx_recorder_result *result);

#endif
