/* SPDX-License-Identifier: MIT */
/* The list of formats. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "base/words.h"
#include "export/export_internal.h"

#define ROW(name_, help_, needs_, frames, measure_, function) \
	{                                                     \
		.name = name_,                                \
		.help = help_,                                \
		.needs = needs_,                              \
		.frames_by = frames,                          \
		.measure = measure_,                          \
		.write = function,                            \
	},

const struct pfx_export pfx_exports[PFX_NR_EXPORTS] = {PFX_EXPORTS(ROW)};

static int unknown(const char *name, struct pfx_error *err)
{
	const char *names[PFX_NR_EXPORTS], *near;
	struct pfx_str all = {0};
	char shown[64];
	size_t i;

	for (i = 0; i < PFX_NR_EXPORTS; i++) {
		names[i] = pfx_exports[i].name;
		pfx_str_addf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	near = pfx_nearest(name, names, PFX_NR_EXPORTS);
	pfx_escape(shown, sizeof(shown), name);
	if (near)
		pfx_error_set(err, EINVAL, "'%s' is not a format; did you mean '%s'?", shown, near);
	else
		pfx_error_set(err, EINVAL, "'%s' is not a format", shown);
	pfx_error_hint(err, "formats are %s", pfx_str_get(&all));
	pfx_str_fini(&all);
	return -EINVAL;
}

int pfx_export_find(const char *name, const struct pfx_export **ret, struct pfx_error *err)
{
	size_t i;

	for (i = 0; i < PFX_NR_EXPORTS; i++) {
		if (strcmp(pfx_exports[i].name, name))
			continue;
		*ret = &pfx_exports[i];
		return 0;
	}
	return unknown(name, err);
}

/* Where the suffix of a path begins, or its end. */
static const char *suffix_of(const char *path)
{
	const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');

	return dot ? dot : path + strlen(path);
}

int pfx_export_find_picture(const char *path, const struct pfx_export **ret, struct pfx_error *err)
{
	static const char *const others[] = {".png", ".pdf", ".jpg", ".jpeg", ".gif", ".webp"};
	const char *suffix = suffix_of(path);
	char shown[256];
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strcasecmp(suffix, others[i]))
			continue;
		pfx_error_set(err, EINVAL,
			      "'%s' names another kind of file: flame graphs are HTML or SVG",
			      pfx_escape(shown, sizeof(shown), path));
		pfx_error_hint(err, "use -o FILE.html or -o FILE.svg");
		return -EINVAL;
	}
	return pfx_export_find(strcasecmp(suffix, ".svg") ? "html" : "svg", ret, err);
}
