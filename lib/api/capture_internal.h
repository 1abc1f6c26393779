/* SPDX-License-Identifier: MIT */
/* What both processes of a capture know. */
#ifndef PFX_API_CAPTURE_INTERNAL_H
#define PFX_API_CAPTURE_INTERNAL_H

#include <sys/types.h>

#include "pfx/capture.h"
#include "record/options/recorder_options.h"

/* What the child writes before the answer to a command that names an event it does not have. */
#define PFX_CAPTURE_NO_EVENT "?"

/* From the child: when it has started, or could not, and at the end. */
struct pfx_capture_report {
	int rc;
	struct pfx_error err;
	struct pfx_capture_result result; /* at the end */
};

/* For the child; its descriptors. */
struct pfx_capture_setup {
	struct pfx_capture_options options;
	pid_t parent;
	int report_fd, output_fd, control_fd, answer_fd;
};

/* capture_words.c, in the child: the options whose values are words, and those that need them. */
int pfx_capture_take_words(struct pfx_recorder_options *options,
			   const struct pfx_capture_options *o, struct pfx_error *err);

/* Runs in the child, and ends it. */
void pfx_capture_child(const struct pfx_capture_setup *start) __attribute__((noreturn));

#endif
