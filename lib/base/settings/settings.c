/* SPDX-License-Identifier: MIT */
/*
 * Reads and changes the text of configuration files. One reader serves both: a change is made where
 * the reader met the key or the end of its section.
 */
#include "base/settings/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

/* A text being read. */
struct source {
	const char *text, *at;
	unsigned line;
	char section[128], name[128];
	struct pfx_str value;
	/* called for each setting, which begins at @begin; NULL for none */
	void (*found)(struct source *src, const char *begin);
	void *to;
};

static void skip_line(struct source *src)
{
	src->at += strcspn(src->at, "\n");
}

/* "[name]" or "[name "sub"]", which is name.sub. Names are lower case, the quoted part is
 * unchanged. */
static bool read_section(struct source *src)
{
	size_t n = 0;
	bool quoted = false;

	for (src->at++; *src->at && *src->at != '\n'; src->at++) {
		char c = *src->at;

		if (c == ']' && !quoted)
			break;
		if (n + 2 >= sizeof(src->section))
			return false;
		if (c == '"')
			quoted = !quoted;
		else if (isblank((unsigned char)c) && !quoted)
			src->section[n++] = '.';
		else if (quoted || isalnum((unsigned char)c) || strchr("-_.", c))
			src->section[n++] = quoted ? c : (char)tolower((unsigned char)c);
		else
			return false;
	}
	src->section[n] = '\0';
	if (*src->at != ']' || !n)
		return false;
	src->at++;
	return true;
}

/* The character for an escape sequence; 0 if invalid. */
static char unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '"':
	case '\\':
		return c;
	default:
		return 0;
	}
}

/* The value up to the end of the line: blanks outside quotes at both ends are dropped, # and ;
 * start a comment, a backslash at the end continues on the next line. */
static bool read_value(struct source *src)
{
	struct pfx_str *value = &src->value;
	bool quoted = false;
	size_t kept = 0;

	src->at += strspn(src->at, " \t");
	for (; *src->at && *src->at != '\n'; src->at++) {
		char c = *src->at;

		if (!quoted && (c == '#' || c == ';')) {
			skip_line(src);
			break;
		}
		if (c == '"') {
			quoted = !quoted;
			kept = value->len;
			continue;
		}
		if (c == '\\' && src->at[1] == '\n') {
			src->at++;
			src->line++;
			continue;
		}
		if (c == '\\') {
			c = unescape(*++src->at);
			if (!c)
				return false;
		}
		pfx_str_addc(value, c);
		if (quoted || !isspace((unsigned char)c))
			kept = value->len;
	}
	value->len = kept;
	if (value->at)
		value->at[kept] = '\0';
	return !quoted;
}

/* "name = value", or a name alone, which means true. */
static bool read_setting(struct source *src)
{
	const char *begin = src->at;
	size_t n = 0;

	src->value.len = 0;
	for (; isalnum((unsigned char)*src->at) || *src->at == '-' || *src->at == '_'; src->at++) {
		if (n + 1 >= sizeof(src->name))
			return false;
		src->name[n++] = (char)tolower((unsigned char)*src->at);
	}
	src->name[n] = '\0';
	src->at += strspn(src->at, " \t");
	if (!n || !src->section[0])
		return false;
	if (*src->at == '=') {
		src->at++;
		if (!read_value(src))
			return false;
	} else if (strchr("\n#;", *src->at)) {
		skip_line(src);
		pfx_str_add(&src->value, "true");
	} else {
		return false;
	}
	src->found(src, begin);
	return true;
}

static bool read_line_of(struct source *src)
{
	src->at += strspn(src->at, " \t\r");
	if (!*src->at || *src->at == '\n')
		return true;
	if (*src->at == '#' || *src->at == ';') {
		skip_line(src);
		return true;
	}
	if (*src->at == '[')
		return read_section(src);
	return read_setting(src);
}

/* 0, or the number of the line that is not valid. @section_end (may be NULL) is called after each
 * line that belongs to a section. */
static unsigned read_text(struct source *src, void (*line_read)(struct source *src))
{
	if (!strncmp(src->at, "\xef\xbb\xbf", 3))
		src->at += 3;
	for (src->line = 1; *src->at;) {
		const char *begin = src->at;

		if (!read_line_of(src))
			return src->line;
		if (line_read && src->at > begin)
			line_read(src);
		if (*src->at == '\n') {
			src->at++;
			src->line++;
		}
	}
	return 0;
}

/* --- reading --- */

static void keep(struct source *src, const char *begin)
{
	struct pfx_settings *settings = src->to;
	struct pfx_setting *setting = pfx_vec_add(&settings->list);

	setting->key = pfx_strfmt("%s.%s", src->section, src->name);
	setting->value = pfx_strdup(pfx_str_get(&src->value));
}

unsigned pfx_settings_read(struct pfx_settings *settings, const char *text)
{
	struct source src = {.text = text, .at = text, .found = keep, .to = settings};
	unsigned line = read_text(&src, NULL);

	pfx_str_fini(&src.value);
	return line;
}

void pfx_settings_clear(struct pfx_settings *settings)
{
	size_t i;

	for (i = 0; i < settings->list.nr; i++) {
		free(settings->list.at[i].key);
		free(settings->list.at[i].value);
	}
	pfx_vec_free(&settings->list);
}

/* --- changing --- */

/* Where a key is in a text, as offsets. */
struct change {
	const char *section, *name;
	size_t begin, end;  /* the last setting of the key; NOWHERE: none */
	size_t section_end; /* after the last line of its section that is not empty; NOWHERE: none
			     */
};

static void note_key(struct source *src, const char *begin)
{
	struct change *change = src->to;

	if (strcmp(src->section, change->section) != 0 || strcmp(src->name, change->name) != 0)
		return;
	change->begin = (size_t)(begin - src->text);
	change->end = (size_t)(src->at - src->text);
}

static void note_line(struct source *src)
{
	struct change *change = src->to;

	if (!strcmp(src->section, change->section))
		change->section_end = (size_t)(src->at - src->text);
}

/* A value as it is read again: quoted if blanks at its ends or a comment would be lost. */
static void add_value(const char *value, struct pfx_str *to)
{
	size_t len = strlen(value);
	bool quotes = len && (strpbrk(value, "#;") || isspace((unsigned char)value[0]) ||
			      isspace((unsigned char)value[len - 1]));

	pfx_str_add(to, quotes ? "\"" : "");
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			pfx_str_addc(to, '\\');
		if (*value == '\n')
			pfx_str_add(to, "\\n");
		else
			pfx_str_addc(to, *value);
	}
	pfx_str_add(to, quotes ? "\"" : "");
}

/* "[name]", and "[name "sub"]" for a section that has a dot. */
static void add_section(const char *section, struct pfx_str *to)
{
	const char *dot = strchr(section, '.');

	if (dot)
		pfx_str_addf(to, "[%.*s \"%s\"]\n", (int)(dot - section), section, dot + 1);
	else
		pfx_str_addf(to, "[%s]\n", section);
}

static void add_changed(const char *text, const struct change *change, const char *value,
			struct pfx_str *to)
{
	if (change->begin != NOWHERE) {
		pfx_str_addn(to, text, change->begin);
		pfx_str_addf(to, "%s = ", change->name);
		add_value(value, to);
		pfx_str_add(to, text + change->end);
		return;
	}
	if (change->section_end != NOWHERE) {
		pfx_str_addn(to, text, change->section_end);
		pfx_str_addc(to, '\n');
	} else {
		pfx_str_add(to, text);
		if (*text && text[strlen(text) - 1] != '\n')
			pfx_str_addc(to, '\n');
		add_section(change->section, to);
	}
	pfx_str_addf(to, "\t%s = ", change->name);
	add_value(value, to);
	if (change->section_end == NOWHERE || !text[change->section_end])
		pfx_str_addc(to, '\n');
	if (change->section_end != NOWHERE)
		pfx_str_add(to, text + change->section_end);
}

int pfx_settings_change(const char *text, const char *key, const char *value, struct pfx_str *to,
			struct pfx_error *err)
{
	const char *dot = strrchr(key, '.');
	struct change change = {.begin = NOWHERE, .section_end = NOWHERE};
	struct source src = {.text = text, .at = text, .found = note_key, .to = &change};
	char *section, *name;
	unsigned line;
	int rc = pfx_settings_check_key(key, err);

	if (rc < 0)
		return rc;
	change.section = section = pfx_strndup(key, (size_t)(dot - key));
	change.name = name = pfx_strdup(dot + 1);
	line = read_text(&src, note_line);
	if (line)
		rc = pfx_error_set(err, EBADMSG, "line %u is not a valid setting", line);
	else
		add_changed(text, &change, value, to);
	pfx_str_fini(&src.value);
	free(section);
	free(name);
	return rc;
}

int pfx_settings_check_key(const char *key, struct pfx_error *err)
{
	const char *dot = strrchr(key, '.');
	char shown[160];

	pfx_escape(shown, sizeof(shown), key);
	if (!dot || dot == key)
		return pfx_error_set(err, EINVAL, "'%s' names no section: a key is SECTION.NAME",
				     shown);
	if (!dot[1])
		return pfx_error_set(err, EINVAL,
				     "'%s' ends after its section: a key is "
				     "SECTION.NAME",
				     shown);
	for (; *key; key++)
		if (iscntrl((unsigned char)*key) || strchr("[]\"\\#;= ", *key) ||
		    (key > dot && !isalnum((unsigned char)*key) && !strchr("-_", *key)) ||
		    (key > dot && isupper((unsigned char)*key)))
			return pfx_error_set(err, EINVAL, "'%s' is not a valid key", shown);
	return 0;
}
