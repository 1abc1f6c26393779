/* SPDX-License-Identifier: MIT */
/* Files of a comparison that are no recordings: rules, and baselines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/late_file.h"
#include "diff/baseline/baseline.h"
#include "diff/comparison.h"

#define RULES_MAX    (1u << 20) /* bytes of a file of rules */
#define BASELINE_MAX ((size_t)1 << 30)

/* --- rules --- */

int pfx_comparison_add_rule(struct pfx_comparison *c, const char *text, struct pfx_error *err)
{
	struct pfx_diff_rule rule;
	int rc = pfx_diff_rule_parse(&rule, text, err);

	if (!rc)
		pfx_vec_push(&c->rules, rule);
	return rc;
}

bool pfx_comparison_has_total(const struct pfx_comparison *c)
{
	size_t i;

	for (i = 0; i < c->rules.nr; i++)
		if (c->rules.at[i].subject == PFX_DIFF_RULE_TOTAL)
			return true;
	return false;
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

int pfx_comparison_read_rules(struct pfx_comparison *c, const char *path, struct pfx_error *err)
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
			rc = pfx_comparison_add_rule(c, line, &why);
	}
	if (rc)
		locate(&why, path, number, err);
	free(text);
	return rc;
}

/* --- baselines --- */

static int parse_file(const char *path, struct pfx_baseline *ret, struct pfx_error *err)
{
	char *text, shown[256];
	size_t size;
	int rc = pfx_read_file(path, BASELINE_MAX, &text, &size, err);

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

int pfx_comparison_load(struct pfx_comparison *c, const char *dir, const char *name,
			struct pfx_error *err)
{
	struct pfx_baseline baseline;
	char *path = pfx_baseline_path(dir, name, err);
	struct pfx_compared_file *file;
	int rc = path ? parse_file(path, &baseline, err) : -EINVAL;
	size_t i;

	free(path);
	if (rc)
		return rc;
	for (i = 0; i < baseline.runs.nr; i++) {
		file = pfx_vec_add(&c->files);
		*file = (struct pfx_compared_file){.path = name, .profile = baseline.runs.at[i]};
		if (baseline.machine)
			file->machine = pfx_strdup(baseline.machine);
	}
	baseline.runs.nr = 0;
	pfx_baseline_fini(&baseline);
	return 0;
}

/* The file as text. */
static int add_runs(const struct pfx_comparison *c, struct pfx_str *to, struct pfx_error *err)
{
	char shown[256];
	size_t i;

	pfx_baseline_add_head(c->files.at[0].machine, to);
	for (i = 0; i < c->files.nr; i++) {
		if (!c->files.at[i].profile)
			return pfx_error_set(err, EINVAL, "'%s' has counts, which are not kept",
					     pfx_escape(shown, sizeof(shown), c->files.at[i].path));
		pfx_baseline_add_run(c->files.at[i].profile, to);
	}
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

int pfx_comparison_keep(const struct pfx_comparison *c, const char *dir, const char *name,
			struct pfx_comparison_kept *ret, struct pfx_error *err)
{
	char *path = pfx_baseline_path(dir, name, err), shown[256];
	struct pfx_str text = {0};
	int rc = path ? 0 : -EINVAL;

	ret->replaces = path && !access(path, F_OK);
	if (!rc && mkdir(dir, 0777) && errno != EEXIST)
		rc = pfx_error_sys(err, errno, "cannot create '%s'",
				   pfx_escape(shown, sizeof(shown), dir));
	if (!rc)
		rc = add_runs(c, &text, err);
	if (!rc)
		rc = write_file(path, &text, err);
	ret->bytes = text.len;
	free(path);
	pfx_str_fini(&text);
	return rc;
}
