/* SPDX-License-Identifier: MIT */
/* `pfx check feature`: whether something is built in, as an exit code. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/app/perf/features.h"
#include "out/term/term.h"

#define ABSENT_CODE 1

struct check_options {
	bool quiet;
};

static const struct pfx_option check_options[] = {
	{PFX_OPT_BOOL, 'q', "quiet", offsetof(struct check_options, quiet), NULL,
	 "print nothing: the exit code is the answer"},
	{.kind = PFX_OPT_END},
};

/* Each name of "libelf,zstd": whether all are built in, as a number; negative: one is unknown. */
static int check_features(const char *list, bool quiet, struct pfx_error *err)
{
	const struct pfx_built_in *feature;
	bool has_all = true;
	char shown[128], name[64];
	size_t len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		feature = pfx_built_in_find(list, len);
		if (!feature) {
			snprintf(name, sizeof(name), "%.*s", (int)len, list);
			pfx_error_set(err, EINVAL, "unknown feature '%s'",
				      pfx_escape(shown, sizeof(shown), name));
			pfx_error_hint(err, "'pfx version --build-options' has the names");
			return -EINVAL;
		}
		if (!quiet)
			pfx_built_in_print(feature);
		has_all = has_all && feature->is_on;
	}
	return has_all;
}

static int run_check(int argc, char **argv)
{
	struct check_options o = {0};
	struct pfx_error err = {0};
	int code, rc, at = pfx_options_or_exit(&pfx_cmd_check, argc, argv, &o, &code);

	if (at < 0)
		return code;
	if (argc - at != 2 || strcmp(argv[at], "feature") != 0 || !*argv[at + 1]) {
		pfx_error_set(&err, EINVAL, "what to check is missing");
		pfx_error_hint(&err, "pfx check feature libelf,zstd");
		pfx_print_error("check", &err);
		return PFX_USAGE_ERROR;
	}
	rc = check_features(argv[at + 1], o.quiet, &err);
	if (rc >= 0)
		return rc ? 0 : ABSENT_CODE;
	pfx_print_error("check", &err);
	return ABSENT_CODE;
}

const struct pfx_command pfx_cmd_check = {
	.name = "check",
	.args = "feature name[,name ...]",
	.summary = "check whether a feature is built in",
	.options = check_options,
	.run = run_check,
	.permute = true,
};
