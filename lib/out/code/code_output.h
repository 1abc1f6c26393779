/* SPDX-License-Identifier: MIT */
/* Where the text of a function goes. Hostile names can make gigabytes of it, so what has been
 * collected is written from time to time. */
#ifndef PFX_OUT_CODE_OUTPUT_H
#define PFX_OUT_CODE_OUTPUT_H

#include "base/error.h"
#include "base/str.h"

#define PFX_CODE_FLUSH_SIZE (64u << 10)

struct pfx_code_output {
	struct pfx_str *text; /* appended to */
	/* Writes the text and clears it if it has more than @above bytes: 0 or an error, after
	 * which nothing more is added. NULL: the text is kept. */
	int (*write)(struct pfx_str *text, size_t above, struct pfx_error *err);
	struct pfx_error *err;
};

static inline int pfx_code_output_step(const struct pfx_code_output *output)
{
	return output->write ? output->write(output->text, PFX_CODE_FLUSH_SIZE, output->err) : 0;
}

#endif
