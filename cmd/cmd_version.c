/* SPDX-License-Identifier: MIT */
/* `pfx version`: the version, and with --build-options the libraries that are built in. */
#include <stdio.h>

#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/perf/features.h"
#include "cmd/app/program.h"
#include "pfx_packages.h"

struct version_options {
	bool build_options;
};

static const struct pfx_option version_options[] = {
	{PFX_OPT_BOOL, 0, "build-options", offsetof(struct version_options, build_options), NULL,
	 "also list the libraries that are built in"},
	{.kind = PFX_OPT_END},
};

/* As pfx its libraries; as perf the names that other programs look for. */
static void print_build_options(void)
{
	const struct pfx_built_in *feature;
	size_t i;

	if (pfx_has_habit(PFX_HABIT_FEATURES)) {
		for (i = 0; (feature = pfx_built_in_at(i)); i++)
			pfx_built_in_print(feature);
		return;
	}
	for (i = 0; i < sizeof(pfx_packages) / sizeof(*pfx_packages); i++)
		printf("%22s: [ %-3s ]  # %s\n", pfx_packages[i].name,
		       pfx_packages[i].is_on ? "on" : "OFF", pfx_packages[i].macro);
}

void pfx_program_build(void)
{
	pfx_program_version();
	print_build_options();
}

static int run_version(int argc, char **argv)
{
	struct version_options options = {0};
	int code;

	if (pfx_options_or_exit(&pfx_cmd_version, argc, argv, &options, &code) < 0)
		return code;
	if (options.build_options)
		pfx_program_build();
	else
		pfx_program_version();
	return 0;
}

const struct pfx_command pfx_cmd_version = {
	.name = "version",
	.args = "",
	.summary = "show the version of pfx",
	.options = version_options,
	.run = run_version,
};
