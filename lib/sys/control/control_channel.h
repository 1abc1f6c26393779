/* SPDX-License-Identifier: MIT */
/* The channel of --control, for every command that has that option: opened, read line by line,
 * answered, closed. */
#ifndef PFX_SYS_CONTROL_CHANNEL_H
#define PFX_SYS_CONTROL_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Owns its descriptors only where it opened them itself. */
struct pfx_control_channel {
	int fd, ack_fd; /* -1: none */
	bool own_fds;
	char line[256]; /* a command that did not come whole yet */
	size_t len;
};

enum pfx_control_trouble {
	PFX_CONTROL_UNKNOWN,    /* a line that is not a command */
	PFX_CONTROL_UNANSWERED, /* it was obeyed, but nobody takes the answer */
};

/* Who reads the channel. */
struct pfx_control_listener {
	/* Do what a line asks for; false when there is no such command. */
	bool (*obey)(void *context, const char *line);
	void (*tell)(void *context, enum pfx_control_trouble trouble, const char *line);
	void *context;
};

/* Open what --control names ("fd:N[,M]", "fifo:PATH[,PATH]"; NULL: nothing). The words were checked
 * by pfx_control_channel_check(). Reading does not wait. */
int pfx_control_channel_open(struct pfx_control_channel *channel, const char *words,
			     struct pfx_error *err);
void pfx_control_channel_close(struct pfx_control_channel *channel);
/* Hand over every line that has come, and answer where answers are wanted. False once the other
 * side has closed the channel. */
bool pfx_control_channel_read(struct pfx_control_channel *channel,
			      const struct pfx_control_listener *to);
/* The words behind a command, NULL when the line is another one. */
const char *pfx_control_words(const char *line, const char *command);
/* Whether words behind "evlist" are one of its forms: nothing, -v, -g or -F. */
bool pfx_control_is_list_form(const char *words);
/* Whether the words name a channel. */
int pfx_control_channel_check(const char *words, struct pfx_error *err);

#endif
