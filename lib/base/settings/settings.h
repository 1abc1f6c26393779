/* SPDX-License-Identifier: MIT */
/*
 * The text of configuration files in git's form: "[section]" and "key = value". Reads and changes
 * text; the files are the caller's.
 */
#ifndef PFX_BASE_SETTINGS_H
#define PFX_BASE_SETTINGS_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

struct pfx_setting {
	char *key, *value; /* "section.name"; both owned */
};

/* In the order of the text, with repeated keys. */
struct pfx_settings {
	PFX_VEC(struct pfx_setting) list;
};

/* Append the settings of @text. Returns 0, or the number of the first line that is not valid: what
 * follows that line was not read. */
unsigned pfx_settings_read(struct pfx_settings *settings, const char *text);
void pfx_settings_clear(struct pfx_settings *settings);

/* Append to @to the text with @key ("section.name") set to @value: the last line of that key is
 * replaced, else a line is added to its section, else a section. All other lines, comments too,
 * stay as they are. -EBADMSG if @text is not valid; the error names the line. */
int pfx_settings_change(const char *text, const char *key, const char *value, struct pfx_str *to,
			struct pfx_error *err);
/* Whether @key has a section and a name of the characters that a file can hold; the error says what
 * is missing. */
int pfx_settings_check_key(const char *key, struct pfx_error *err);

#endif
