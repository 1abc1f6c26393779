/* SPDX-License-Identifier: MIT */
/*
 * `pfx export`: a recording in the format of another program. Its options are in
 * cmd/app/export/export_options.c, the formats in lib/export.
 */
#include <errno.h>

#include "cmd/app/commands.h"
#include "cmd/app/export/export_command.h"
#include "cmd/app/recording_notes.h"

static int print_list(void)
{
	struct pfx_str text = {0};
	struct pfx_error err = {0};
	size_t i;
	int rc;

	for (i = 0; i < PFX_NR_EXPORTS; i++)
		pfx_str_addf(&text, "%-12s %s\n", pfx_exports[i].name, pfx_exports[i].help);
	rc = pfx_out_write(&text, 0, &err);
	pfx_str_fini(&text);
	return pfx_recording_exit_code("export", rc, &err);
}

static int check_words(struct pfx_export_options *o, int nr, char **words,
		       const struct pfx_export **ret, struct pfx_error *err)
{
	int rc;

	if (!nr) {
		pfx_error_set(err, EINVAL, "the format is missing");
		pfx_error_hint(err, "'pfx export --list' lists the formats");
		return -EINVAL;
	}
	rc = pfx_export_find(words[0], ret, err);
	if (rc < 0)
		pfx_recording_refuse_as_word(words[0], err);
	if (!rc)
		rc = pfx_export_options_check("export", o, nr > 1 ? words[1] : NULL, err);
	return rc ? rc : pfx_export_options_suit(o, *ret, err);
}

static int run_export(int argc, char **argv)
{
	struct pfx_export_options options = PFX_EXPORT_OPTIONS_DEFAULT;
	const struct pfx_export *format;
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_export, argc, argv, &options, &code);

	if (at >= 0 && options.list) {
		code = print_list();
	} else if (at >= 0 && check_words(&options, argc - at, argv + at, &format, &err) < 0) {
		pfx_print_error("export", &err);
		code = PFX_USAGE_ERROR;
	} else if (at >= 0) {
		code = pfx_export_command("export", &options, format, NULL);
	}
	pfx_export_options_fini(&options);
	return code;
}

const struct pfx_command pfx_cmd_export = {
	.name = "export",
	.args = "format",
	.summary = "write a recording in the format of another program",
	.options = pfx_export_option_table,
	.run = run_export,
	.permute = true,
	.keeps_all = true,
};
