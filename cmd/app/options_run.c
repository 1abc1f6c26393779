/* SPDX-License-Identifier: MIT */
/* Options of a command, with what is printed of them: help, lists, usage errors. */
#include <string.h>

#include "base/str.h"
#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "out/term/term.h"

void pfx_options_help(const struct pfx_command *command, char *const *words)
{
	struct pfx_str text = {0}, named = {0};

	pfx_options_help_text(command, words, pfx_term_width(), &text);
	pfx_add_named(&named, pfx_str_get(&text));
	pfx_out_flush(&named);
	pfx_str_fini(&named);
	pfx_str_fini(&text);
}

/* `-h`: returns the exit code. */
static int answer_help(const struct pfx_command *command, char *const *words)
{
	struct pfx_str text = {0};

	pfx_pager_for(command->name);
	if (!pfx_has_habit(PFX_HABIT_HELP_CODE)) {
		pfx_options_help(command, words);
		return 0;
	}
	pfx_options_help_text(command, words, pfx_term_width(), &text);
	if (text.len && text.at[text.len - 1] == '\n')
		text.at[--text.len] = '\0';
	pfx_print_line("%s", pfx_str_get(&text));
	pfx_str_fini(&text);
	return PFX_USAGE_ERROR;
}

static void print_list(const struct pfx_command *command)
{
	struct pfx_str text = {0};

	pfx_options_list(command, &text);
	pfx_str_addc(&text, '\n');
	pfx_out_flush(&text);
	pfx_str_fini(&text);
}

int pfx_options_or_exit(const struct pfx_command *command, int argc, char **argv, void *options,
			int *ret_code)
{
	struct pfx_error err = {0};
	enum pfx_special special;
	int at = pfx_options_take(command, argc, argv, options, &special, &err);

	if (at < 0) {
		if (!err.hint[0])
			pfx_error_hint(&err, "see 'pfx%s%s -h'",
				       strcmp(command->name, "pfx") ? " " : "",
				       strcmp(command->name, "pfx") ? command->name : "");
		pfx_print_error(command->name, &err);
		*ret_code = PFX_USAGE_ERROR;
		return -1;
	}
	if (special == PFX_SPECIAL_NONE)
		return at;
	if (special == PFX_SPECIAL_LIST)
		print_list(command);
	*ret_code = special == PFX_SPECIAL_LIST ? PFX_LIST_CODE : answer_help(command, argv + at);
	return -1;
}
