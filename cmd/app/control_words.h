/* SPDX-License-Identifier: MIT */
/* What record and stat print about the files of --control. */
#ifndef PFX_CMD_CONTROL_WORDS_H
#define PFX_CMD_CONTROL_WORDS_H

#include "sys/control/control_channel.h"

/* As a note of @command. */
void pfx_control_say(const char *command, enum pfx_control_trouble trouble, const char *line);

#endif
