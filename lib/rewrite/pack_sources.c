/* SPDX-License-Identifier: MIT */
/*
 * Adds the source files of sampled lines, and of the lines in their call chains, to an archive.
 * Names come from debug information: only text files with absolute names are added.
 */
#include "rewrite/pack_sources_internal.h"

#include <stdlib.h>

#include "code/line_costs.h"
#include "code/read_costs.h"
#include "code/source_file.h"
#include "read/archive.h"

struct packing {
	struct pfx_tar_writer *tar;
	struct pfx_archive_contents *contents;
	struct pfx_sources *sources;
	struct pfx_intern names; /* in the archive; several names can mean the same file */
};

static int add_text(struct packing *p, const char *inside, const char *file, struct pfx_error *err)
{
	const uint32_t known = p->names.nr;
	const char *text;
	size_t size;
	int rc;

	pfx_intern_str(&p->names, inside);
	text = p->names.nr > known ? pfx_sources_text(p->sources, file, &size) : NULL;
	if (!text)
		return 0;
	rc = pfx_tar_add_bytes(p->tar, inside, text, size, err);
	if (rc)
		return rc;
	p->contents->nr_sources++;
	pfx_vec_push(&p->contents->entries,
		     ((struct pfx_archive_entry){pfx_strdup("source"), pfx_strdup(file)}));
	return 0;
}

static int add_file(struct packing *p, const char *file, struct pfx_error *err)
{
	char *inside = pfx_archive_source_path(PFX_ARCHIVE_SOURCES, file);
	int rc = 0;

	if (inside && p->contents->nr_sources < PFX_ARCHIVE_NR_SOURCES_MAX)
		rc = add_text(p, inside, file, err);
	free(inside);
	return rc;
}

static int add_files(struct packing *p, struct pfx_recording *recording, struct pfx_costs *costs,
		     struct pfx_error *err)
{
	struct pfx_line_costs *lines = pfx_line_costs_new();
	const struct pfx_filter all = {0};
	const struct pfx_line_reading reading = {
		.resolver = pfx_recording_resolver(recording),
		.from = costs,
		.nr_events = pfx_recording_meta(recording)->nr_events,
		.filter = &all,
		.sources = p->sources,
	};
	const struct pfx_file_cost *files;
	uint32_t i, nr;
	int rc = 0;

	pfx_line_costs_read(lines, &reading);
	nr = pfx_line_costs_files(lines, &files);
	for (i = 0; i < nr && !rc; i++)
		rc = add_file(p, files[i].name, err);
	pfx_line_costs_free(lines);
	return rc;
}

/* Damage of the recording ends its samples, not the archive. */
static int read_and_add(struct packing *p, struct pfx_recording *recording, struct pfx_error *err)
{
	const struct pfx_filter all = {0};
	struct pfx_costs *costs = pfx_costs_new(pfx_recording_resolver(recording));
	int rc;

	pfx_costs_read(costs, &(struct pfx_costs_reading){.recording = recording, .filter = &all},
		       NULL);
	pfx_sources_archived(p->sources, pfx_recording_sources(recording));
	rc = add_files(p, recording, costs, err);
	pfx_costs_free(costs);
	return rc;
}

int pfx_pack_sources(struct pfx_tar_writer *tar, const struct pfx_archive_options *options,
		     struct pfx_archive_contents *contents, struct pfx_error *err)
{
	const struct pfx_resolve_options resolving = {.sym.buildid_dir = options->buildid_dir,
						      .inlines = true};
	const struct pfx_recording_options how = {.reader.force = options->force};
	struct packing p = {.tar = tar, .contents = contents};
	struct pfx_recording *recording;
	int rc = pfx_recording_open(&recording, options->recording, &how, err);

	if (rc < 0)
		return rc;
	p.sources = pfx_sources_new();
	pfx_recording_resolve(recording, &resolving);
	rc = read_and_add(&p, recording, err);
	pfx_intern_fini(&p.names);
	pfx_sources_free(p.sources);
	pfx_recording_free(recording);
	return rc;
}
