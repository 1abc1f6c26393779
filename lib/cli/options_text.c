/* SPDX-License-Identifier: MIT */
/*
 * The option table as text: help, and names for shell completion. Everything is generated from the
 * table that is parsed.
 */
#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "cli/options.h"
#include "cli/personality.h"

#define HELP_INDENT 4
#define HELP_COLUMN 26 /* column of the descriptions */
#define HELP_NARROW 20 /* least width of the descriptions */

/* "-F, --freq <n>" */
static void add_row_title(const struct pfx_option *row, struct pfx_str *to)
{
	bool optional = row->kind == PFX_OPT_CALL_OPTIONAL;

	pfx_str_pad(to, ' ', HELP_INDENT);
	if (row->letter)
		pfx_str_addf(to, "-%c%s", row->letter, row->name ? ", " : "");
	else
		pfx_str_pad(to, ' ', 4);
	if (row->name)
		pfx_str_addf(to, "--%s", row->name);
	if (!row->arg)
		return;
	if (optional)
		pfx_str_addf(to, row->name ? "[=<%s>]" : "[<%s>]", row->arg);
	else
		pfx_str_addf(to, row->kind == PFX_OPT_CALL_NEXT ? " [<%s>]" : " <%s>", row->arg);
}

void pfx_help_wrap(const char *text, unsigned indent, unsigned width, struct pfx_str *to)
{
	size_t room = width > indent + HELP_NARROW ? width - indent : HELP_NARROW;
	size_t len, cut;

	for (;;) {
		len = strlen(text);
		cut = len;
		if (len > room) {
			for (cut = room; cut && text[cut] != ' '; cut--)
				;
			if (!cut)
				cut = strcspn(text, " ");
		}
		pfx_str_addn(to, text, cut);
		pfx_str_addc(to, '\n');
		text += cut;
		text += strspn(text, " ");
		if (!*text)
			return;
		pfx_str_pad(to, ' ', indent);
	}
}

static void add_row(const struct pfx_option *row, unsigned width, struct pfx_str *to)
{
	size_t start = to->len;

	add_row_title(row, to);
	if (to->len - start + 2 > HELP_COLUMN) {
		pfx_str_addc(to, '\n');
		start = to->len;
	}
	pfx_str_pad(to, ' ', HELP_COLUMN - (to->len - start));
	pfx_help_wrap(row->help ? row->help : "", HELP_COLUMN, width, to);
}

static bool row_is_wanted(const struct pfx_option *row, char *const *words)
{
	if (row->hidden)
		return false;
	if (!words || !*words)
		return true;
	if (row->kind == PFX_OPT_GROUP)
		return false;
	for (; *words; words++) {
		const char *word = *words + strspn(*words, "-");

		if ((row->name && strstr(row->name, word)) ||
		    (row->letter && word[0] == row->letter && !word[1]) ||
		    (row->help && strcasestr(row->help, word)))
			return true;
	}
	return false;
}

void pfx_options_help_text(const struct pfx_command *command, char *const *words, unsigned width,
			   struct pfx_str *to)
{
	const struct pfx_option *row;
	bool is_program = !strcmp(command->name, "pfx");
	size_t start = to->len;

	pfx_str_addf(to, "Usage: %s%s%s%s", pfx_program_name(), is_program ? "" : " ",
		     is_program ? "" : command->name,
		     command->options[0].kind == PFX_OPT_END ? "" : " [options]");
	if (command->args && *command->args) {
		pfx_str_addc(to, ' ');
		pfx_help_wrap(command->args, (unsigned)(to->len - start), width, to);
	} else {
		pfx_str_addc(to, '\n');
	}
	if (command->summary) {
		pfx_str_addc(to, '\n');
		pfx_str_addc(to, (char)toupper((unsigned char)command->summary[0]));
		pfx_help_wrap(command->summary + 1, 0, width, to);
	}
	if (command->options[0].kind != PFX_OPT_END && command->options[0].kind != PFX_OPT_GROUP)
		pfx_str_addc(to, '\n');
	for (row = command->options; row->kind != PFX_OPT_END; row++) {
		if (!row_is_wanted(row, words))
			continue;
		if (row->kind == PFX_OPT_GROUP)
			pfx_str_addf(to, "\n%s\n", row->help);
		else
			add_row(row, width, to);
	}
}

void pfx_options_list(const struct pfx_command *command, struct pfx_str *to)
{
	const struct pfx_option *row;

	for (row = command->options; row->kind != PFX_OPT_END; row++)
		if (row->kind != PFX_OPT_GROUP && row->name && !row->hidden)
			pfx_str_addf(to, "%s--%s", to->len ? " " : "", row->name);
}

void pfx_options_negations(const struct pfx_command *command, struct pfx_str *to)
{
	const struct pfx_option *row;

	for (row = command->options; row->kind != PFX_OPT_END; row++) {
		if (row->kind != PFX_OPT_BOOL || !row->name || row->hidden)
			continue;
		pfx_str_add(to, to->len ? " " : "");
		if (strncmp(row->name, "no-", 3))
			pfx_str_addf(to, "--no-%s", row->name);
		else
			pfx_str_addf(to, "--%s", row->name + 3);
	}
}

static bool takes_next_word(const struct pfx_option *row)
{
	switch (row->kind) {
	case PFX_OPT_BOOL:
	case PFX_OPT_COUNT:
	case PFX_OPT_CALL_OPTIONAL:
	case PFX_OPT_CALL_NONE:
		return false;
	case PFX_OPT_ABSENT:
		return row->arg;
	default:
		return true;
	}
}

void pfx_options_flags(const struct pfx_command *command, struct pfx_str *to)
{
	const struct pfx_option *row;

	for (row = command->options; row->kind != PFX_OPT_END; row++) {
		if (row->kind == PFX_OPT_GROUP || takes_next_word(row))
			continue;
		if (row->letter)
			pfx_str_addf(to, "%s-%c", to->len ? " " : "", row->letter);
		if (row->name)
			pfx_str_addf(to, "%s--%s", to->len ? " " : "", row->name);
	}
}

static void add_words_case(const char *command, const struct pfx_option *row, struct pfx_str *to)
{
	struct pfx_str words = {0};

	pfx_str_add(&words, row->words ? row->words : "");
	if (row->add_words)
		row->add_words(&words);
	pfx_str_addc(to, '\t');
	if (row->letter)
		pfx_str_addf(to, "%s:-%c%s", command, row->letter, row->name ? "|" : "");
	if (row->name)
		pfx_str_addf(to, "%s:--%s", command, row->name);
	pfx_str_addf(to, ") echo '%s';;\n", pfx_str_get(&words) + strspn(pfx_str_get(&words), " "));
	pfx_str_fini(&words);
}

void pfx_options_words(const struct pfx_command *command, struct pfx_str *to)
{
	const struct pfx_option *row;

	for (row = command->options; row->kind != PFX_OPT_END; row++)
		if (row->kind != PFX_OPT_ABSENT && (row->words || row->add_words))
			add_words_case(command->name, row, to);
}
