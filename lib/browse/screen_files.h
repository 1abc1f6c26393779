/* SPDX-License-Identifier: MIT */
/* The files of a screen: exports and reports in the current folder, and the recordings beside the
 * one that is shown. Zero-initialize what is private. */
#ifndef PFX_BROWSE_SCREEN_FILES_H
#define PFX_BROWSE_SCREEN_FILES_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "read/recording.h"
#include "view/select/selection.h"

struct pfx_screen_files {
	struct pfx_recording *recording;
	/* Instead of a recording, which is NULL then. */
	const struct pfx_meta *meta;
	const struct pfx_resolver *resolver;
	/* private */
	PFX_VEC(char *) paths;
	bool is_listed;
};

/* Write to the first of perf.hist.0, perf.hist.1, ... that does not exist; its name in
 * @ret_name. */
int pfx_screen_files_save(struct pfx_screen_files *files, const struct pfx_str *text,
			  struct pfx_str *ret_name, struct pfx_error *err);
/* The same to FUNCTION.annotation, or FUNCTION.1.annotation and so on. */
int pfx_screen_files_save_code(struct pfx_screen_files *files, const char *function,
			       const struct pfx_str *text, struct pfx_str *ret_name,
			       struct pfx_error *err);
/* The first of "@before@after", "@before.1@after", ... that does not exist. */
int pfx_screen_files_free_name(struct pfx_str *to, const char *before, const char *after,
			       struct pfx_error *err);
/* Write an export, a format of lib/export, to a new file. */
int pfx_screen_files_export(struct pfx_screen_files *files, const struct pfx_selection *selection,
			    const char *format, struct pfx_str *ret_name, struct pfx_error *err);
/* The n-th recording of the folder, without the one that is shown; NULL: no more. */
const char *pfx_screen_files_recording(struct pfx_screen_files *files, uint32_t n);
void pfx_screen_files_fini(struct pfx_screen_files *files);

#endif
