/* SPDX-License-Identifier: MIT */
/* Writes the HTML page of a large profile, for measuring it in a browser: bench_page FILE. */
#include <stdio.h>

#include "export/export.h"
#include "tests/bench/bench_profile.h"

#define NR_THREADS 300

static int write_page(const struct pfx_selection *selection, const char *path,
		      struct pfx_error *err)
{
	const struct pfx_attr attr = {.type = PFX_TYPE_HARDWARE, .size = PFX_ATTR_SIZE_VER7};
	struct pfx_meta *meta = pfx_meta_new();
	const struct pfx_export_input input = {.selection = selection, .meta = meta};
	const struct pfx_open_wait wait = {0};
	struct pfx_export_output out;
	const struct pfx_export *html;
	int rc = pfx_export_find("html", &html, err);

	pfx_meta_add_event(meta, &attr, "cycles");
	if (!rc)
		rc = pfx_export_open(&out, path, &wait, err);
	if (!rc) {
		html->write(&input, &out);
		rc = pfx_export_close(&out, 0, err);
	}
	pfx_meta_free(meta);
	return rc;
}

int main(int argc, char **argv)
{
	struct pfx_profile *profile;
	struct pfx_view_filter filter;
	struct pfx_selection selection;
	struct pfx_error err = {0};
	int rc;

	if (argc < 2)
		return 2;
	profile = bench_profile(NR_THREADS);
	pfx_view_filter_init(&filter, profile);
	rc = pfx_selection_make(&selection, &filter, &err);
	if (!rc) {
		rc = write_page(&selection, argv[1], &err);
		pfx_selection_fini(&selection);
	}
	if (rc)
		fprintf(stderr, "bench_page: %s\n", err.text);
	pfx_view_filter_fini(&filter);
	pfx_profile_free(profile);
	return rc != 0;
}
