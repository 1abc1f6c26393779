/* SPDX-License-Identifier: MIT */
/* `pfx diff`: the rules of --fail-on and --rules. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "cmd/app/commands.h"
#include "cmd/diff/diff_command.h"

#define RULES_MAX (1u << 20) /* bytes of a file of rules */

static int add_rule(struct pfx_diff_command *command, const char *text, struct pfx_error *err)
{
	struct pfx_diff_rule rule;
	int rc = pfx_diff_rule_parse(&rule, text, err);

	if (!rc)
		pfx_vec_push(&command->rules, rule);
	return rc;
}

/* The error of a line of a file, with its place. */
static void locate(const struct pfx_error *why, const char *path, unsigned line,
		   struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL, "'%s', line %u: %s", pfx_escape(shown, sizeof(shown), path),
		      line, why->text);
	pfx_error_hint(err, "%s", why->hint);
}

/* One rule a line; empty lines and those that begin with # are skipped. */
static int read_file(struct pfx_diff_command *command, const char *path, struct pfx_error *err)
{
	struct pfx_error why = {0};
	char *text, *line, *rest, *end;
	unsigned number = 0;
	int rc = pfx_read_file(path, RULES_MAX, &text, NULL, err);

	if (rc)
		return rc;
	for (rest = text; !rc && (line = strsep(&rest, "\n"));) {
		line += strspn(line, " \t\r");
		for (end = line + strlen(line); end > line && strchr(" \t\r", end[-1]); end--)
			;
		*end = '\0';
		number++;
		if (*line && *line != '#')
			rc = add_rule(command, line, &why);
	}
	if (rc)
		locate(&why, path, number, err);
	free(text);
	return rc;
}

int pfx_diff_read_rules(struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	int rc = 0;
	size_t i;

	for (i = 0; i < o->fail_on.nr && !rc; i++)
		rc = add_rule(command, o->fail_on.at[i], err);
	if (!rc && o->rules)
		rc = read_file(command, o->rules, err);
	return rc;
}

bool pfx_diff_wants_chains(const struct pfx_diff_command *command)
{
	size_t i;

	if (command->options->tui || command->options->tree || command->options->folded ||
	    command->options->keep)
		return true;
	for (i = 0; i < command->rules.nr; i++)
		if (command->rules.at[i].subject == PFX_DIFF_RULE_TOTAL)
			return true;
	return false;
}

/* Rules about total would otherwise be about self. */
static int check_chains(const struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_profile *profile;
	char shown[128];
	size_t i;

	for (i = 0; i < command->files.nr; i++) {
		profile = command->files.at[i].profile;
		if (!profile || !profile->nr_rows || profile->nodes.nr > profile->nr_stacks + 1)
			continue;
		pfx_error_set(err, EINVAL, "'%s' has no call chains, which rules about total need",
			      pfx_escape(shown, sizeof(shown), command->files.at[i].path));
		pfx_error_hint(err, "record with -g");
		return -EINVAL;
	}
	return 0;
}

int pfx_diff_check_rules(struct pfx_diff_command *command, struct pfx_error *err)
{
	struct pfx_diff_gate gate = {
		.self = command->diff,
		.total = command->total,
		.amounts = command->amounts,
		.weight = command->look.how.weight,
		.ignore_noise = command->options->ignore_noise,
		.min_samples = command->options->min_samples,
		.min_share = command->options->min_share,
	};
	int rc = command->total ? check_chains(command, err) : 0;
	size_t i;

	for (i = 0; i < command->rules.nr && !rc; i++)
		rc = pfx_diff_rule_check(&gate, &command->rules.at[i],
					 pfx_vec_slot(&command->verdicts, i), err);
	pfx_diff_gate_fini(&gate);
	command->look.rules = command->rules.at;
	command->look.verdicts = command->verdicts.at;
	command->look.nr_rules = (uint32_t)command->verdicts.nr;
	return rc;
}

unsigned pfx_diff_say_rules(const struct pfx_diff_command *command)
{
	struct pfx_str line = {0};
	const char *idle;
	unsigned nr = 0;
	size_t i;

	for (i = 0; i < command->verdicts.nr; i++) {
		idle = pfx_diff_verdict_idle(&command->rules.at[i], &command->verdicts.at[i]);
		if (idle)
			pfx_print_note(PFX_DIFF_COMMAND, "rule '%s' checks nothing: %s",
				       command->rules.at[i].text, idle);
		pfx_str_clear(&line);
		pfx_diff_verdict_excuse(&command->rules.at[i], &command->verdicts.at[i], &line);
		if (line.len && !command->options->quiet)
			pfx_print_note(PFX_DIFF_COMMAND, "rule '%s' is kept: %s",
				       command->rules.at[i].text, pfx_str_get(&line));
		if (!command->verdicts.at[i].is_broken)
			continue;
		pfx_diff_case_text(&command->rules.at[i], &command->verdicts.at[i],
				   &command->verdicts.at[i].worst, &line);
		pfx_print_note(PFX_DIFF_COMMAND, "rule '%s' is broken: %s",
			       command->rules.at[i].text, pfx_str_get(&line));
		nr++;
	}
	pfx_str_fini(&line);
	return nr;
}
