/* SPDX-License-Identifier: MIT */
/* `pfx config`: shows settings of the configuration files, and writes them. */
#include <errno.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "out/term/term.h"

struct config_options {
	bool list, user, system;
};

#define AT(field) offsetof(struct config_options, field)
static const struct pfx_option config_options[] = {
	{PFX_OPT_BOOL, 'l', "list", AT(list), NULL, "show all settings"},
	{PFX_OPT_BOOL, 0, "user", AT(user), NULL, "show or write only the file of the user"},
	{PFX_OPT_BOOL, 0, "system", AT(system), NULL, "show or write only the file of the system"},
	{.kind = PFX_OPT_END},
};

static int show(enum pfx_config_level level, int nr, char **keys, struct pfx_error *err)
{
	struct pfx_str text = {0};
	int rc = pfx_config_show(level, nr, keys, &text, err);

	if (rc >= 0)
		rc = pfx_out_write(&text, 0, err);
	pfx_str_fini(&text);
	return rc;
}

/* Words with and without "=" cannot be mixed: one kind shows, the other writes. */
static int check_words(const struct config_options *o, int nr, char **words, bool *ret_writes,
		       struct pfx_error *err)
{
	int i, nr_set = 0;

	if (o->user && o->system)
		return pfx_error_set(err, EINVAL, "--user and --system exclude each other");
	if (o->list && nr)
		return pfx_error_set(err, EINVAL, "-l shows all settings; it takes no word");
	for (i = 0; i < nr; i++)
		nr_set += strchr(words[i], '=') != NULL;
	if (nr_set && nr_set < nr)
		return pfx_error_set(err, EINVAL,
				     "keys to show and KEY=VALUE to write exclude each other");
	*ret_writes = nr_set > 0;
	return 0;
}

static int run_config(int argc, char **argv)
{
	struct config_options o = {0};
	enum pfx_config_level level;
	struct pfx_error err = {0};
	bool writes = false;
	int code, rc, at = pfx_options_or_exit(&pfx_cmd_config, argc, argv, &o, &code);

	if (at < 0)
		return code;
	level = o.system ? PFX_CONFIG_SYSTEM : o.user ? PFX_CONFIG_USER : PFX_CONFIG_ALL;
	rc = check_words(&o, argc - at, argv + at, &writes, &err);
	if (rc >= 0)
		rc = writes ? pfx_config_write(level, argc - at, argv + at, &err)
			    : show(level, argc - at, argv + at, &err);
	return rc < 0 ? pfx_print_error("config", &err) : 0;
}

const struct pfx_command pfx_cmd_config = {
	.name = "config",
	.args = "[key ...] | [key=value ...]",
	.summary = "show and write settings of the configuration files",
	.options = config_options,
	.run = run_config,
};
