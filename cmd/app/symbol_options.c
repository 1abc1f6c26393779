/* SPDX-License-Identifier: MIT */
/*
 * --symfs, --vmlinux, --kallsyms and the guest options, the same for every command that shows
 * samples. Handles paths only; does not open the files.
 */
#include "cmd/app/symbol_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "base/words.h"

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int bad_layout(const char *words, const char *layout, struct pfx_error *err)
{
	static const char *const layouts[] = {"hierarchy", "flat"};
	const char *near = pfx_nearest(layout, layouts, sizeof(layouts) / sizeof(*layouts));
	char shown[128], more[64];

	if (near)
		snprintf(more, sizeof(more), "did you mean '%s'?", near);
	else
		snprintf(more, sizeof(more), "layouts are hierarchy and flat");
	pfx_error_set(err, EINVAL, "'%s' is not a layout for --symfs",
		      pfx_escape(shown, sizeof(shown), layout));
	pfx_error_point(err, words, (size_t)(layout - words), more);
	return -EINVAL;
}

int pfx_symbol_options_parse(struct pfx_symbol_options *o, struct pfx_error *err)
{
	const char *words = o->symfs_words, *comma = words ? strrchr(words, ',') : NULL;
	size_t len = words ? strlen(words) : 0;

	if (!len)
		return 0;
	o->sym.symfs_flat = comma && !strcmp(comma, ",flat");
	if (o->sym.symfs_flat || (comma && !strcmp(comma, ",hierarchy")))
		len = (size_t)(comma - words);
	else if (comma && !is_directory(words))
		return bad_layout(words, comma + 1, err);
	if (len >= sizeof(o->symfs))
		return pfx_error_set(err, ENAMETOOLONG, "the directory of --symfs is too long");
	memcpy(o->symfs, words, len);
	o->symfs[len] = '\0';
	/* "/" is the default */
	o->sym.symfs = strcmp(o->symfs, "/") || o->sym.symfs_flat ? o->symfs : NULL;
	return 0;
}

int pfx_symbol_options_check(const struct pfx_symbol_options *o, struct pfx_error *err)
{
	int rc = pfx_check_readable("-k", o->sym.vmlinux, err);

	if (!rc)
		rc = pfx_check_readable("--kallsyms", o->sym.kallsyms, err);
	if (!rc)
		rc = pfx_check_readable("--guestvmlinux", o->sym.guest_vmlinux, err);
	if (!rc)
		rc = pfx_check_readable("--guestkallsyms", o->sym.guest_kallsyms, err);
	if (!rc)
		rc = pfx_check_directory("--guestmount", o->sym.guest_mount, err);
	return rc ? rc : pfx_check_directory("--symfs", o->sym.symfs, err);
}
