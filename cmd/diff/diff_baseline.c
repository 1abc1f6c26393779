/* SPDX-License-Identifier: MIT */
/* `pfx diff --baseline`: recordings that are kept by name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/late_file.h"
#include "cmd/app/commands.h"
#include "cmd/diff/diff_command.h"
#include "diff/baseline.h"

#define FILE_MAX_BYTES ((size_t)1 << 30)

static int parse_file(const char *path, struct pfx_baseline *ret, struct pfx_error *err)
{
	char *text, shown[256];
	size_t size;
	int rc = pfx_read_file(path, FILE_MAX_BYTES, &text, &size, err);

	if (rc) {
		pfx_error_hint(err, "'pfx diff --baseline DIR --keep NAME FILE' makes one");
		return rc;
	}
	rc = pfx_baseline_parse(ret, text, err);
	free(text);
	if (rc)
		pfx_error_hint(err, "the file is '%s'", pfx_escape(shown, sizeof(shown), path));
	return rc;
}

int pfx_diff_load_baseline(struct pfx_diff_command *command, struct pfx_error *err)
{
	struct pfx_baseline baseline;
	char *path = pfx_baseline_path(command->options->baseline, command->baseline_name, err);
	struct pfx_diff_file *file;
	int rc = path ? parse_file(path, &baseline, err) : -EINVAL;
	size_t i;

	free(path);
	if (rc)
		return rc;
	for (i = 0; i < baseline.runs.nr; i++) {
		file = pfx_vec_add(&command->files);
		*file = (struct pfx_diff_file){.path = command->baseline_name,
					       .profile = baseline.runs.at[i]};
		if (baseline.machine)
			file->machine = pfx_strdup(baseline.machine);
	}
	baseline.runs.nr = 0;
	pfx_baseline_fini(&baseline);
	return 0;
}

static int write_file(const char *path, const struct pfx_str *text, struct pfx_error *err)
{
	struct pfx_late_file file;
	char shown[256];
	int rc = pfx_late_file_open(&file, path, 0666);

	if (!rc)
		rc = pfx_late_file_close(&file, pfx_write_full(file.fd, text->at, text->len));
	if (rc)
		pfx_error_sys(err, -rc, "cannot write '%s'",
			      pfx_escape(shown, sizeof(shown), path));
	return rc;
}

int pfx_diff_keep(struct pfx_diff_command *command, struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	char *path = pfx_baseline_path(o->baseline, o->keep, err), shown[256];
	struct pfx_str text = {0};
	bool replaces = path && !access(path, F_OK);
	int rc = path ? 0 : -EINVAL;
	size_t i;

	if (!rc && mkdir(o->baseline, 0777) && errno != EEXIST)
		rc = pfx_error_sys(err, errno, "cannot create '%s'",
				   pfx_escape(shown, sizeof(shown), o->baseline));
	pfx_baseline_add_head(command->files.at[0].machine, &text);
	for (i = 0; i < command->files.nr && !rc; i++) {
		if (command->files.at[i].profile)
			pfx_baseline_add_run(command->files.at[i].profile, &text);
		else
			rc = pfx_error_set(
				err, EINVAL, "'%s' has counts, which are not kept",
				pfx_escape(shown, sizeof(shown), command->files.at[i].path));
	}
	if (!rc)
		rc = write_file(path, &text, err);
	if (!rc && !o->quiet)
		pfx_print_note(PFX_DIFF_COMMAND, "%zu run%s kept as '%s': %zu KB%s",
			       command->files.nr, command->files.nr > 1 ? "s" : "", o->keep,
			       (text.len + 1023) / 1024,
			       replaces ? ", instead of what was kept under this name" : "");
	free(path);
	pfx_str_fini(&text);
	return rc;
}
