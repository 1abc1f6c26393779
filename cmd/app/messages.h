/* SPDX-License-Identifier: MIT */
/*
 * Messages. Everything on standard error is printed by these three functions, which escape control
 * bytes as \xNN. The guard scripts/check_shape searches for other writes to standard error. On a
 * terminal, also through a pager, messages are folded at its width.
 */
#ifndef PFX_CMD_MESSAGES_H
#define PFX_CMD_MESSAGES_H

#include "base/error.h"
#include "out/term/term.h"

/* Print an error to standard error: "pfx NAME: sentence", the hint below it. Returns 255, the exit
 * code of a command that failed. */
int pfx_print_error(const char *command, const struct pfx_error *err);
/* "pfx NAME: ..." to standard error, for warnings and notes; @fmt without newline. */
void pfx_print_note(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* One or more lines without the prefix "pfx NAME: "; @fmt without the last newline. */
void pfx_print_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* For pfx_set_out_of_memory(): says so without any memory, and ends the program. */
void pfx_print_no_memory(void *context);

#endif
