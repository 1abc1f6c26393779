/* SPDX-License-Identifier: MIT */
/*
 * Messages. Everything that is said on standard error goes through these three: bytes that steer a
 * terminal come out as \xNN, whoever gave the words. The guard scripts/check_shape looks for other
 * ways to standard error. On a terminal, also through a pager, messages are folded at its width.
 */
#ifndef PFX_CMD_MESSAGES_H
#define PFX_CMD_MESSAGES_H

#include "base/error.h"
#include "out/term.h"

/* Print an error to standard error: "pfx NAME: sentence", the hint below it. Returns 255, the exit
 * code of a command that failed. */
int pfx_print_error(const char *command, const struct pfx_error *err);
/* "pfx NAME: ..." to standard error, for warnings and notes; @fmt without newline. */
void pfx_print_note(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A line, or several, without "pfx NAME: " in front; @fmt without the last newline. */
void pfx_print_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
