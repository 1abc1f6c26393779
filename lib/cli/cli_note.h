/* SPDX-License-Identifier: MIT */
/* Where notes of option tables and of the configuration go: the program prints them. */
#ifndef PFX_CLI_CLI_NOTE_H
#define PFX_CLI_CLI_NOTE_H

/* Receives a sentence about @command (NULL: the program), which may contain any bytes. */
typedef void (*pfx_cli_note_fn)(const char *command, const char *text);

/* Set once, before options are parsed. Without it notes are dropped. */
void pfx_cli_on_note(pfx_cli_note_fn note);
/* Pass a note on. */
void pfx_cli_note(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
