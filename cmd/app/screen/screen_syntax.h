/* SPDX-License-Identifier: MIT */
/* The option -M of commands that show code on the screen. */
#ifndef PFX_CMD_SCREEN_SYNTAX_H
#define PFX_CMD_SCREEN_SYNTAX_H

#include "cli/options.h"

/* For the row of the option: "att" or "intel". */
int pfx_screen_syntax_option(void *is_intel, const char *arg, bool unset, struct pfx_error *err);
/* The row of a command's table of options; @at is the offset of a bool, which is set for intel. */
#define PFX_OPT_SCREEN_SYNTAX(at)                                                               \
	{                                                                                       \
		PFX_OPT_VALUE, 'M', "disassembler-style", at, "style",                          \
			"syntax of x86 instructions on the screen: att (the default) or intel", \
			pfx_screen_syntax_option, .words = "att intel"                          \
	}

#endif
