/* SPDX-License-Identifier: MIT */
/* The option --unwind-style, for commands that show call chains. */
#ifndef PFX_CMD_UNWIND_STYLE_H
#define PFX_CMD_UNWIND_STYLE_H

#include "cli/options.h"
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
/* Two more of such commands; @at is the offset of a uint64_t, and of a bool. */
#define PFX_OPT_MAX_STACK(at)                                                          \
	{                                                                              \
		PFX_OPT_U64, 0, "max-stack", at, "n", "frames of a call chain at most" \
	}
#define PFX_OPT_STITCH_LBR(at)                                                                    \
	{                                                                                         \
		PFX_OPT_BOOL, 0, "stitch-lbr", at, NULL,                                          \
			"add callers that a full branch stack has lost, from the previous sample" \
	}

#endif
