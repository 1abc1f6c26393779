/* SPDX-License-Identifier: MIT */
/* The channel of --control, for every command that has that option: opened, read line by line,
 * answered, closed. */
#ifndef PFX_SYS_CONTROL_CHANNEL_H
#define PFX_SYS_CONTROL_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Owns its descriptors only if it opened them. */
struct pfx_control_channel {
	int fd, ack_fd; /* -1: none */
	bool own_fds;
	char line[256]; /* an incomplete line */
	size_t len;
};

enum pfx_control_trouble {
	PFX_CONTROL_UNKNOWN,    /* a line that is not a command */
	PFX_CONTROL_UNANSWERED, /* the command was executed, but the answer could not be written */
};

/* The reader of the channel. */
struct pfx_control_listener {
	/* Execute the command in @line; false if it is unknown. */
	bool (*obey)(void *context, const char *line);
	void (*tell)(void *context, enum pfx_control_trouble trouble, const char *line);
	void *context;
};

/* Open the channel of --control ("fd:N[,M]", "fifo:PATH[,PATH]"; NULL: nothing). @words must be
 * valid for pfx_control_channel_check(). Reads do not block. */
int pfx_control_channel_open(struct pfx_control_channel *channel, const char *words,
			     struct pfx_error *err);
void pfx_control_channel_close(struct pfx_control_channel *channel);
/* Pass every complete line to @to, and answer if the channel has an ack descriptor. False once the
 * other side has closed the channel. */
bool pfx_control_channel_read(struct pfx_control_channel *channel,
			      const struct pfx_control_listener *to);
/* The arguments after @command, NULL if the line is another command. */
const char *pfx_control_words(const char *line, const char *command);
/* Whether the arguments of "evlist" are valid: none, -v, -g or -F. */
bool pfx_control_is_list_form(const char *words);
/* Check the value of --control. */
int pfx_control_channel_check(const char *words, struct pfx_error *err);

#endif
