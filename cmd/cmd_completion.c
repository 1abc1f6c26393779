/* SPDX-License-Identifier: MIT */
/*
 * `pfx completion bash`: prints a script for bash that completes pfx's commands and options. It is
 * generated from the option tables. Completing runs pfx only for the names of events, metrics and
 * scripts, once per shell.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/config.h"
#include "cmd/app/commands.h"
#include "cmd/app/perf/features.h"
#include "export/export.h"
#include "out/term/term.h"

static const struct pfx_option completion_options[] = {
	{.kind = PFX_OPT_END},
};

/* Long names of a command, and of those whose options it takes, too. */
static void add_all(const struct pfx_command *command, struct pfx_str *to,
		    void (*add)(const struct pfx_command *command, struct pfx_str *to))
{
	const struct pfx_command *const *also = command->also;
	struct pfx_command other;

	add(command, to);
	for (; also && *also; also++) {
		other = **also;
		other.name = command->name;
		add(&other, to);
	}
}

/* "        record) echo '--freq --count ...';;" for every command. */
static void add_options_case(struct pfx_str *to)
{
	struct pfx_str list = {0};
	size_t i;

	for (i = 0; pfx_commands[i]; i++) {
		pfx_str_clear(&list);
		add_all(pfx_commands[i], &list, pfx_options_list);
		pfx_str_addf(to, "\t%s) echo '--help%s%s';;\n", pfx_commands[i]->name,
			     list.len ? " " : "", pfx_str_get(&list));
	}
	pfx_str_clear(&list);
	pfx_options_list(&pfx_cmd_program, &list);
	pfx_str_addf(to, "\t*) echo '--help %s';;\n", pfx_str_get(&list));
	pfx_str_fini(&list);
}

/* The same as a function of its own, for the commands with such options. */
static void add_case(const char *function,
		     void (*add)(const struct pfx_command *command, struct pfx_str *to),
		     struct pfx_str *to)
{
	struct pfx_str list = {0};
	size_t i;

	pfx_str_addf(to, "\tesac\n}\n\n%s() {\n\tcase $1 in\n", function);
	for (i = 0; pfx_commands[i]; i++) {
		pfx_str_clear(&list);
		add_all(pfx_commands[i], &list, add);
		if (list.len)
			pfx_str_addf(to, "\t%s) echo '%s';;\n", pfx_commands[i]->name,
				     pfx_str_get(&list));
	}
	pfx_str_fini(&list);
}

/* "        report:-s|report:--sort) echo 'comm dso ...';;" for every option with such words. */
static void add_words_case(struct pfx_str *to)
{
	size_t i;

	pfx_str_add(to, "\tesac\n}\n\n_pfx_values() {\n\tcase $1 in\n");
	for (i = 0; pfx_commands[i]; i++)
		add_all(pfx_commands[i], to, pfx_options_words);
	pfx_str_add(to, "\tesac\n}\n\n");
}

/* A function that prints words. */
static void add_function(struct pfx_str *to, const char *name, void (*add)(struct pfx_str *to))
{
	pfx_str_addf(to, "%s() {\n\techo '", name);
	add(to);
	pfx_str_add(to, "'\n}\n\n");
}

static void add_commands(struct pfx_str *to)
{
	size_t i;

	for (i = 0; pfx_commands[i]; i++)
		pfx_str_addf(to, "%s ", pfx_commands[i]->name);
}

static void add_formats(struct pfx_str *to)
{
	size_t i;

	for (i = 0; i < PFX_NR_EXPORTS; i++)
		pfx_str_addf(to, "%s ", pfx_exports[i].name);
}

/* Those of each machine: not "alias.WORD". */
static void add_keys(struct pfx_str *to)
{
	size_t i, nr;
	const struct pfx_config_key *keys = pfx_config_keys(&nr);

	for (i = 0; i < nr; i++)
		if (!strpbrk(keys[i].name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
			pfx_str_addf(to, "%s ", keys[i].name);
}

static void add_features(struct pfx_str *to)
{
	const struct pfx_built_in *feature;
	size_t i;

	for (i = 0; (feature = pfx_built_in_at(i)); i++)
		pfx_str_addf(to, "%s ", feature->name);
}

static const char script_head[] = "# bash completion for pfx, made by 'pfx completion bash'\n"
				  "# Use it with: source <(pfx completion bash)\n\n"
				  "_pfx_options() {\n"
				  "\tcase $1 in\n";

static const char script_tail[] =
	"# What the machine and its user have: asked for once a shell.\n"
	"_pfx_named() {\n"
	"\tcase $1 in\n"
	"\t@events)\n"
	"\t\t[[ -n ${_pfx_event_names+x} ]] ||\n"
	"\t\t\t_pfx_event_names=$(\"${COMP_WORDS[0]}\" list --raw-dump 2>/dev/null)\n"
	"\t\t_pfx_words=$_pfx_event_names;;\n"
	"\t@metrics)\n"
	"\t\t[[ -n ${_pfx_metric_names+x} ]] ||\n"
	"\t\t\t_pfx_metric_names=$(\"${COMP_WORDS[0]}\" list --raw-dump metrics 2>/dev/null)\n"
	"\t\t_pfx_words=$_pfx_metric_names;;\n"
	"\t@scripts)\n"
	"\t\t[[ -n ${_pfx_script_names+x} ]] ||\n"
	"\t\t\t_pfx_script_names=$(\"${COMP_WORDS[0]}\" script -l 2>/dev/null |\n"
	"\t\t\t\twhile read -r name rest; do [[ $name == List ]] || echo \"$name\"; done)\n"
	"\t\t_pfx_words=$_pfx_script_names;;\n"
	"\t@pids) _pfx_words=$(cd /proc && echo [0-9]*);;\n"
	"\t@users) _pfx_words=$(compgen -u);;\n"
	"\t*) _pfx_words=$1;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# Leaves out of the words those that are in the value $1 before its last one.\n"
	"_pfx_untaken() {\n"
	"\tlocal taken=,${1//[+{:]/,}, word words=\n"
	"\tfor word in $_pfx_words; do\n"
	"\t\t[[ $taken == *,\"$word\",* ]] || words+=\" $word\"\n"
	"\tdone\n"
	"\t_pfx_words=$words\n"
	"}\n"
	"\n"
	"# Words of an option's value, of which a word of the line may hold several. What was "
	"typed in front of\n"
	"# the last one stays; but readline starts anew at each colon. $1 the words, $2 the value, "
	"$3 an option\n"
	"# that the value is glued to.\n"
	"_pfx_complete_value() {\n"
	"\tlocal value=$2 head tail _pfx_words\n"
	"\ttail=${value##*[,+{]}\n"
	"\t[[ $1 == @* ]] || tail=${tail##*:}\n"
	"\thead=$3${value%\"$tail\"}\n"
	"\t_pfx_named \"$1\"\n"
	"\t[[ $1 == @* || $tail == \"$value\" ]] || _pfx_untaken \"${value%\"$tail\"}\"\n"
	"\tCOMPREPLY=($(compgen -P \"$head\" -W \"$_pfx_words\" -- \"$tail\"))\n"
	"\tif [[ $COMP_WORDBREAKS == *:* && $head$tail == *:* ]]; then\n"
	"\t\ttail=$head$tail\n"
	"\t\thead=${tail%\"${tail##*:}\"}\n"
	"\t\tCOMPREPLY=(\"${COMPREPLY[@]#\"$head\"}\")\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# What follows a mode of call chains.\n"
	"_pfx_callgraph() {\n"
	"\tcase $1 in\n"
	"\tdwarf,*) echo 8192 16384 32768 65528;;\n"
	"\tfp,*) echo defer;;\n"
	"\t*,*) echo ' ';;\n"
	"\t*) echo \"$2\";;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# Whether the option $2, or the last one of a bundle, takes the next word.\n"
	"_pfx_takes_word() {\n"
	"\t[[ $2 == -* && $2 != -- && $2 != --no-* ]] || return\n"
	"\tlocal name=$2\n"
	"\t[[ $name == --* ]] || name=-${name: -1}\n"
	"\t[[ \" $(_pfx_flags \"$1\") \" != *\" $name \"* ]]\n"
	"}\n"
	"\n"
	"# A word that is neither an option nor its value: $1 the command, $2 the word before, $3 "
	"what is typed.\n"
	"_pfx_complete_word() {\n"
	"\tlocal words= _pfx_words\n"
	"\tcase $1:$2 in\n"
	"\tcheck:check | check:-*) words=feature;;\n"
	"\tcheck:feature) _pfx_complete_value \"$(_pfx_features)\" \"$3\" ''; return;;\n"
	"\tcompletion:*) words=bash;;\n"
	"\tconfig:*) words=$(_pfx_keys);;\n"
	"\tdata:data) words='convert merge';;\n"
	"\texport:export) words=$(_pfx_formats);;\n"
	"\tstat:stat) words='record report';;\n"
	"\tscript:record | script:report) _pfx_named @scripts; words=$_pfx_words;;\n"
	"\tlist:*)\n"
	"\t\twords='hw sw cache tracepoint pmu sensor sdt pfm metric metricgroup'\n"
	"\t\t[[ -z $3 ]] || _pfx_named @events\n"
	"\t\twords+=\" $_pfx_words\";;\n"
	"\thelp:*) _pfx_named @scripts; words=\"$(_pfx_commands) config $_pfx_words\";;\n"
	"\tesac\n"
	"\tCOMPREPLY=($(compgen -W \"$words\" -- \"$3\"))\n"
	"\t[[ ${#COMPREPLY[@]} -eq 0 ]] || return\n"
	"\tcase $1 in\n"
	"\tscript)\n"
	"\t\t_pfx_named @scripts\n"
	"\t\tCOMPREPLY=($(compgen -f -W \"record report $_pfx_words\" -- \"$3\"));;\n"
	"\trecord | stat) COMPREPLY=($(compgen -c -f -- \"$3\"));;\n"
	"\t*) COMPREPLY=($(compgen -f -- \"$3\"));;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"_pfx() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} command= i\n"
	"\tlocal before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tCOMPREPLY=()\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t--buildid-dir) ((i++));;\n"
	"\t\t-*) ;;\n"
	"\t\t*) command=${COMP_WORDS[i]}; break;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tlocal line=${COMP_LINE-} words= glued=\n"
	"\tline=${line:0:${COMP_POINT-0}}\n"
	"\tlocal "
	"pattern='[[:space:]](-[a-zA-Z]|--[a-z-]+[=[:space:]])([[:space:]]*)([^[:space:]=-][^[:"
	"space:]]*)?$'\n"
	"\tif [[ -n $command && $line =~ $pattern ]]; then\n"
	"\t\tlocal option=${BASH_REMATCH[1]%[=[:space:]]} value=${BASH_REMATCH[3]}\n"
	"\t\t[[ $option == -? && -z ${BASH_REMATCH[2]} ]] && glued=$option\n"
	"\t\t[[ -n $glued && -z $value ]] || words=$(_pfx_values \"$command:$option\")\n"
	"\t\t[[ $command$option != record--call-graph ]] ||\n"
	"\t\t\twords=$(_pfx_callgraph \"$value\" \"$words\")\n"
	"\tfi\n"
	"\tif [[ -n $words ]]; then\n"
	"\t\t_pfx_complete_value \"$words\" \"$value\" \"$glued\"\n"
	"\telif [[ $cur == --no-* && -n $command ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$(_pfx_options \"$command\") $(_pfx_negations "
	"\"$command\")\" -- \"$cur\"))\n"
	"\telif [[ $cur == -* ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$(_pfx_options \"$command\")\" -- \"$cur\"))\n"
	"\telif [[ -z $command ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$(_pfx_commands)\" -- \"$cur\"))\n"
	"\telif ! _pfx_takes_word \"$command\" \"$before\"; then\n"
	"\t\t_pfx_complete_word \"$command\" \"$before\" \"$cur\"\n"
	"\telse\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	"\tfi\n"
	"}\n"
	"\n"
	"complete -o filenames -o bashdefault -F _pfx pfx\n"
	"# perf's name only where it is a link to pfx.\n"
	"[[ $(readlink -f -- \"$(type -P perf)\") != */pfx ]] ||\n"
	"\tcomplete -o filenames -o bashdefault -F _pfx perf\n";

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
	add_case("_pfx_negations", pfx_options_negations, &text);
	add_case("_pfx_flags", pfx_options_flags, &text);
	add_words_case(&text);
	add_function(&text, "_pfx_commands", add_commands);
	add_function(&text, "_pfx_formats", add_formats);
	add_function(&text, "_pfx_keys", add_keys);
	add_function(&text, "_pfx_features", add_features);
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
