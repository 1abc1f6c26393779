/* SPDX-License-Identifier: MIT */
/* The option --unwind-style, for commands that show call chains. */
#ifndef PFX_CMD_UNWIND_STYLE_H
#define PFX_CMD_UNWIND_STYLE_H

#include "cmd/app/options.h"
#include "unwind/resolve.h"

/* 0, or -EINVAL for an unknown style. */
int pfx_unwind_style_parse(enum pfx_unwind_style *ret, const char *word, struct pfx_error *err);

/* For the row of the option. */
int pfx_unwind_style_option(void *value, const char *arg, bool unset, struct pfx_error *err);
/* The row of a command's table of options; @at is the offset of an enum pfx_unwind_style. */
#define PFX_OPT_UNWIND_STYLE(at)                                                   \
	{                                                                          \
		PFX_OPT_VALUE, 0, "unwind-style", at, "style",                     \
			"unwinder for stack dumps: rows (the default), libunwind " \
			"or libdw",                                                \
			pfx_unwind_style_option, .words = "rows libunwind libdw"   \
	}

#endif
