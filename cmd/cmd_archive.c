/* SPDX-License-Identifier: MIT */
/* `pfx archive`: options, and messages about packing (lib/rewrite) and unpacking (lib/read). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "rewrite/archive_pack.h"
#include "sym/cache/keep.h"
#include "sym/dwarf/lines.h"

#define NAME "archive"

struct archive_options {
	const char *input, *output, *exclude;
	bool force, no_data, sources, unpack;
	int verbose;
};

#define AT(field) offsetof(struct archive_options, field)
static const struct pfx_option archive_options[] = {
	{PFX_OPT_STRING, 'i', "input", AT(input), "file", "recording to archive"},
	{PFX_OPT_STRING, 'o', "output", AT(output), "file",
	 "archive to write (default: the recording's name with .tar.zst); with --unpack: where the "
	 "recording goes"},
	PFX_OPT_FORCE(force),
	{PFX_OPT_BOOL, 0, "no-data", AT(no_data), NULL,
	 "only what the recording needs, or --unpack only that"},
	{PFX_OPT_BOOL, 0, "sources", AT(sources), NULL,
	 "also the source files of the lines that were hit"},
	{PFX_OPT_STRING, 0, "exclude-buildids", AT(exclude), "file",
	 "leave out the build IDs listed in this file, one per line"},
	{PFX_OPT_BOOL, 0, "unpack", AT(unpack), NULL,
	 "unpack an archive: binaries into the build-id cache, the recording next to the archive"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL,
	 "print what is archived and what is missing"},
	{.kind = PFX_OPT_END},
};

static void note_entries(const struct pfx_archive_contents *contents)
{
	const struct pfx_archive_entry *entry;
	char shown[256];
	size_t i;

	for (i = 0; i < contents->entries.nr; i++) {
		entry = &contents->entries.at[i];
		pfx_print_note(NAME, "%s: %s", entry->what ? entry->what : "missing",
			       pfx_escape(shown, sizeof(shown), entry->path));
	}
}

static int pack(const struct archive_options *o, const char *dir, struct pfx_error *err)
{
	const struct pfx_archive_options what = {
		.recording = o->input ? o->input : PFX_ARCHIVE_RECORDING,
		.output = o->output,
		.exclude = o->exclude,
		.buildid_dir = dir,
		.no_data = o->no_data,
		.sources = o->sources,
		.force = o->force,
	};
	struct pfx_archive_contents contents;
	char shown[256], sources[64] = "";
	int rc = pfx_archive_pack(&what, &contents, err);

	if (o->verbose)
		note_entries(&contents);
	if (o->sources)
		snprintf(sources, sizeof(sources), " and %llu source file%s",
			 (unsigned long long)contents.nr_sources,
			 contents.nr_sources == 1 ? "" : "s");
	if (!rc)
		pfx_print_note(NAME, "'%s' has %s%llu of %llu binaries%s",
			       pfx_escape(shown, sizeof(shown), contents.output),
			       o->no_data ? "" : "the recording and ",
			       (unsigned long long)contents.nr_taken,
			       (unsigned long long)(contents.nr_taken + contents.nr_missing),
			       sources);
	if (!rc && contents.nr_foreign)
		pfx_print_note(
			NAME,
			"left out of the recording: %llu file%s that no recording has or that "
			"are links, '%s' is the first",
			(unsigned long long)contents.nr_foreign,
			contents.nr_foreign == 1 ? "" : "s",
			pfx_escape(shown, sizeof(shown), contents.foreign));
	if (contents.recording)
		pfx_recording_note(NAME, contents.recording);
	if (!rc && o->sources && !pfx_lines_are_built_in())
		pfx_print_note(NAME, "sources are not archived: pfx was built without libdw");
	pfx_archive_contents_fini(&contents);
	return rc;
}

static int unpack(const struct archive_options *o, const char *dir, const char *archive,
		  struct pfx_error *err)
{
	const char *recording = o->output ? o->output : PFX_ARCHIVE_RECORDING;
	struct pfx_archive_counts counts;
	int rc;

	if (!dir) {
		pfx_error_set(err, EINVAL, "there is no build-id cache to unpack into");
		pfx_error_hint(err, "its directory is --buildid-dir, buildid.dir or $HOME/.debug");
		return -EINVAL;
	}
	rc = pfx_archive_unpack(archive, dir, o->no_data ? NULL : recording, &counts, err);
	if (rc)
		return rc;
	pfx_print_note(NAME, "unpacked %llu file%s into '%s'%s%s",
		       (unsigned long long)counts.nr_files, counts.nr_files == 1 ? "" : "s", dir,
		       counts.has_recording ? " and the recording to " : "",
		       counts.has_recording ? recording : "");
	if (counts.nr_sources)
		pfx_print_note(NAME, "unpacked %llu source file%s into '%s.sources'",
			       (unsigned long long)counts.nr_sources,
			       counts.nr_sources == 1 ? "" : "s", recording);
	pfx_archive_note(NAME, &counts);
	if (counts.nr_skipped)
		pfx_print_note(NAME,
			       counts.nr_skipped == 1
				       ? "%llu file was left out that is of no use"
				       : "%llu files were left out that are of no use",
			       (unsigned long long)counts.nr_skipped);
	return 0;
}

static int run_archive(int argc, char **argv)
{
	struct archive_options options = {0};
	struct pfx_error err = {0};
	char *dir = NULL;
	int rc, code, at = pfx_options_or_exit(&pfx_cmd_archive, argc, argv, &options, &code);

	if (at < 0)
		return code;
	/* "perf archive FILE" */
	if (!options.unpack && !options.input && at < argc)
		options.input = argv[at++];
	if (options.unpack ? argc - at > 1 : argc > at) {
		pfx_error_set(&err, EINVAL, "'%s' is not expected here", argv[at]);
		pfx_error_hint(&err, "the recording is named with -i; see 'pfx " NAME " -h'");
		pfx_print_error(NAME, &err);
		return PFX_USAGE_ERROR;
	}
	pfx_keep_dir(pfx_globals.buildid_dir, &dir);
	if (options.unpack)
		rc = unpack(&options, dir, at < argc ? argv[at] : PFX_ARCHIVE_RECORDING ".tar.zst",
			    &err);
	else
		rc = pack(&options, dir, &err);
	code = pfx_recording_exit_code(NAME, rc, &err);
	free(dir);
	return code;
}

const struct pfx_command pfx_cmd_archive = {
	.name = NAME,
	.args = "[archive]",
	.summary = "put a recording and the files that it needs into one file",
	.options = archive_options,
	.run = run_archive,
	.permute = true,
};
