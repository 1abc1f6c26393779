/* SPDX-License-Identifier: MIT */
/* The option --unwind-style, for commands that show call chains. */
#ifndef PFX_CMD_UNWIND_STYLE_H
#define PFX_CMD_UNWIND_STYLE_H

#include "base/error.h"
#include "unwind/resolve.h"

/* 0, or -EINVAL for an unknown style. */
int pfx_unwind_style_parse(enum pfx_unwind_style *ret, const char *word, struct pfx_error *err);

/* The row of a command's table of options; @callback gets the word. */
#define PFX_OPT_UNWIND_STYLE(callback)                                             \
	{                                                                          \
		PFX_OPT_CALL, 0, "unwind-style", 0, "style",                       \
			"unwinder for stack dumps: rows (the default), libunwind " \
			"or libdw",                                                \
			callback, .words = "rows libunwind libdw"                  \
	}

#endif
