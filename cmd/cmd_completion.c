/* SPDX-License-Identifier: MIT */
/*
 * `pfx completion bash`: a script that teaches the shell pfx's commands and options. It is made
 * from the option tables, so it is never out of date; the words of a command line are completed
 * without running pfx again, but for the names of events, which `pfx list` tells once a shell.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cmd/commands.h"
#include "out/term.h"

static const struct pfx_option completion_options[] = {
	{.kind = PFX_OPT_END},
};

static void add_names(struct pfx_str *to)
{
	size_t i;

	for (i = 0; pfx_commands[i]; i++)
		pfx_str_addf(to, "%s%s", i ? " " : "", pfx_commands[i]->name);
}

/* "        record) echo '--freq --count ...';;" for every command. */
static void add_options_case(struct pfx_str *to)
{
	struct pfx_str list = {0};
	size_t i;

	for (i = 0; pfx_commands[i]; i++) {
		pfx_str_clear(&list);
		pfx_options_list(pfx_commands[i], &list);
		pfx_str_addf(to, "\t%s) echo '--help%s%s';;\n", pfx_commands[i]->name,
			     list.len ? " " : "", pfx_str_get(&list));
	}
	pfx_str_clear(&list);
	pfx_options_list(&pfx_cmd_program, &list);
	pfx_str_addf(to, "\t*) echo '--help %s';;\n", pfx_str_get(&list));
	pfx_str_fini(&list);
}

/* The same with the opposites of switches, which are offered behind "--no-" only. */
static void add_negations_case(struct pfx_str *to)
{
	struct pfx_str list = {0};
	size_t i;

	pfx_str_add(to, "\tesac\n}\n\n_pfx_negations() {\n\tcase $1 in\n");
	for (i = 0; pfx_commands[i]; i++) {
		pfx_str_clear(&list);
		pfx_options_negations(pfx_commands[i], &list);
		if (list.len)
			pfx_str_addf(to, "\t%s) echo '%s';;\n", pfx_commands[i]->name,
				     pfx_str_get(&list));
	}
	pfx_str_fini(&list);
}

static const char script_head[] = "# bash completion for pfx, made by 'pfx completion bash'\n"
				  "# Use it with: source <(pfx completion bash)\n\n"
				  "_pfx_options() {\n"
				  "\tcase $1 in\n";

static const char script_middle[] =
	"\tesac\n"
	"}\n\n"
	/* Names of events: asked for once a shell. A word may hold several of them, and readline
	 * starts anew at each colon. */
	"_pfx_events() {\n"
	"\tlocal word=$1 head tail\n"
	"\ttail=${word##*[,{]}\n"
	"\thead=${word%\"$tail\"}\n"
	"\tif [[ -z ${_pfx_event_names-} ]]; then\n"
	"\t\t_pfx_event_names=$(\"${COMP_WORDS[0]}\" list --raw-dump 2>/dev/null)\n"
	"\tfi\n"
	"\tCOMPREPLY=($(compgen -P \"$head\" -W \"$_pfx_event_names\" -- \"$tail\"))\n"
	"\tif [[ $COMP_WORDBREAKS == *:* && $word == *:* ]]; then\n"
	"\t\thead=${word%\"${word##*:}\"}\n"
	"\t\tCOMPREPLY=(\"${COMPREPLY[@]#\"$head\"}\")\n"
	"\tfi\n"
	"}\n\n"
	"_pfx() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} command= i\n"
	"\tCOMPREPLY=()\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t--buildid-dir) ((i++));;\n"
	"\t\t-*) ;;\n"
	"\t\t*) command=${COMP_WORDS[i]}; break;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tlocal line=${COMP_LINE-}\n"
	"\tline=${line:0:${COMP_POINT-0}}\n"
	"\tif [[ $line =~ "
	"[[:space:]](-e[[:space:]]*|--event[[:space:]=]+)([^[:space:]-][^[:space:]]*)?$ "
	"]]; then\n"
	"\t\t_pfx_events \"${BASH_REMATCH[2]}\"\n"
	"\telif [[ $cur == --no-* && -n $command ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$(_pfx_options \"$command\") $(_pfx_negations "
	"\"$command\")\" -- "
	"\"$cur\"))\n"
	"\telif [[ $cur == -* ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$(_pfx_options \"$command\")\" -- \"$cur\"))\n"
	"\telif [[ -z $command || $command == help ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W '";

static const char script_tail[] =
	"' -- \"$cur\"))\n"
	"\telif [[ $command == completion ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W bash -- \"$cur\"))\n"
	"\telif [[ $command == record && ${COMP_WORDS[COMP_CWORD - 1]} != -* ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -c -f -- \"$cur\"))\n"
	"\telse\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	"\tfi\n"
	"}\n\n"
	"complete -o filenames -o bashdefault -F _pfx pfx\n";

static int run_completion(int argc, char **argv)
{
	struct pfx_str text = {0};
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_completion, argc, argv, NULL, &code);

	if (at < 0)
		return code;
	if (at + 1 != argc || strcmp(argv[at], "bash")) {
		pfx_error_set(&err, EINVAL, "completion is made for one shell: bash");
		pfx_error_hint(&err, "pfx completion bash");
		pfx_print_error("completion", &err);
		return PFX_USAGE_ERROR;
	}
	pfx_str_add(&text, script_head);
	add_options_case(&text);
	add_negations_case(&text);
	pfx_str_add(&text, script_middle);
	add_names(&text);
	pfx_str_add(&text, script_tail);
	pfx_out_flush(&text);
	pfx_str_fini(&text);
	return 0;
}

const struct pfx_command pfx_cmd_completion = {
	.name = "completion",
	.args = "bash",
	.summary = "print the completion script of a shell",
	.options = completion_options,
	.run = run_completion,
};
