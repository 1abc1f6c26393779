/* SPDX-License-Identifier: MIT */
/* Files that a screen writes, under names that are free, and recordings of a folder. */
#include "browse/screen_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir_names.h"
#include "base/io.h"
#include "export/export.h"
#include "unwind/pointer_chain.h"
#include "view/narrow_profile.h"

#define NAMES_MAX      10000
#define RECORDINGS_MAX 500
#define FUNCTION_MAX   200 /* bytes of its name in that of a file */

/* --- written --- */

/* New files are no pipes: nothing waits for their readers. */
static void say_nothing(void *context, const char *path)
{
	(void)context, (void)path;
}

static const struct pfx_open_wait no_wait = {.tell = say_nothing};

/* "perf.hist.0", or "perf.html" and "perf.1.html": the first that does not exist. */
int pfx_screen_files_free_name(struct pfx_str *to, const char *before, const char *after,
			       struct pfx_error *err)
{
	struct stat st;
	unsigned n;

	for (n = 0; n < NAMES_MAX; n++) {
		pfx_str_clear(to);
		pfx_str_add(to, before);
		if (n || !*after)
			pfx_str_addf(to, ".%u", n);
		pfx_str_add(to, after);
		if (lstat(to->at, &st) < 0 && errno == ENOENT)
			return 0;
	}
	return pfx_error_set(err, EEXIST, "'%s' and all names after it exist", before);
}

static int write_text(const char *name, const struct pfx_str *text, struct pfx_error *err)
{
	struct pfx_export_output out;
	int rc = pfx_export_open(&out, name, &no_wait, err);

	if (rc < 0)
		return rc;
	pfx_str_addn(&out.text, text->at, text->len);
	return pfx_export_close(&out, 0, err);
}

int pfx_screen_files_save(struct pfx_screen_files *files, const struct pfx_str *text,
			  struct pfx_str *ret_name, struct pfx_error *err)
{
	int rc = pfx_screen_files_free_name(ret_name, "perf.hist", "", err);

	return rc ? rc : write_text(ret_name->at, text, err);
}

/* A function's name as the name of a file in this folder. */
static char *file_name_of(const char *function)
{
	char *name = pfx_strndup(function, FUNCTION_MAX), *at;

	for (at = name; *at; at++)
		if (*at == '/' || (unsigned char)*at < ' ' || *at == 127 ||
		    (at == name && (*at == '.' || *at == '-')))
			*at = '_';
	return name;
}

int pfx_screen_files_save_code(struct pfx_screen_files *files, const char *function,
			       const struct pfx_str *text, struct pfx_str *ret_name,
			       struct pfx_error *err)
{
	char *name = file_name_of(function);
	int rc = pfx_screen_files_free_name(ret_name, name, ".annotation", err);

	free(name);
	return rc ? rc : write_text(ret_name->at, text, err);
}

static int write_format(struct pfx_screen_files *files, const struct pfx_selection *selection,
			const struct pfx_export *format, const char *name, struct pfx_error *err)
{
	const struct pfx_resolver *resolver =
		files->recording ? pfx_recording_resolver(files->recording) : files->resolver;
	const struct pfx_export_input input = {
		.nr_chains = pfx_pointer_chain_stats(resolver)->nr_chains,
		.nr_chains_incomplete = pfx_pointer_chain_incomplete(resolver),
		.selection = selection,
		.meta = files->recording ? pfx_recording_meta(files->recording) : files->meta,
		.measure = format->measure,
	};
	struct pfx_export_output out;
	int rc = pfx_export_open(&out, name, &no_wait, err);

	if (rc < 0)
		return rc;
	format->write(&input, &out);
	return pfx_export_close(&out, 0, err);
}

/* Without the names of what is not shown, as in pfx export. */
static int write_narrow(struct pfx_screen_files *files, const struct pfx_selection *selection,
			const struct pfx_export *format, const char *name, struct pfx_error *err)
{
	struct pfx_profile *narrow = pfx_profile_narrow(selection);
	struct pfx_selection own = {0};
	struct pfx_view_filter filter;
	uint32_t i;
	int rc;

	if (!narrow)
		return write_format(files, selection, format, name, err);
	pfx_view_filter_init(&filter, narrow);
	for (i = 0; i < selection->nr_events; i++)
		pfx_view_filter_add(&filter, PFX_VIEW_EVENT, selection->events[i]);
	rc = pfx_selection_make(&own, &filter, err);
	if (!rc)
		rc = write_format(files, &own, format, name, err);
	pfx_selection_fini(&own);
	pfx_view_filter_fini(&filter);
	pfx_profile_free(narrow);
	return rc;
}

int pfx_screen_files_export(struct pfx_screen_files *files, const struct pfx_selection *selection,
			    const char *format, struct pfx_str *ret_name, struct pfx_error *err)
{
	const struct pfx_export *found;
	int rc = pfx_export_find(format, &found, err);

	if (!rc && !selection->nr_rows)
		rc = pfx_error_set(err, ENODATA, "there are no samples to export");
	if (!rc)
		rc = pfx_screen_files_free_name(ret_name, "perf",
						!strcmp(format, "html")    ? ".html"
						: !strcmp(format, "pprof") ? ".pb.gz"
									   : ".folded",
						err);
	return rc ? rc : write_narrow(files, selection, found, ret_name->at, err);
}

/* --- recordings --- */

static bool is_recording(const char *path, const struct stat *shown)
{
	char magic[8] = "";
	struct stat st;
	int fd = pfx_open_plain(path, 0, &st);
	bool is;

	if (fd < 0)
		return false;
	is = pfx_read_full(fd, magic, sizeof(magic)) == sizeof(magic) &&
	     (!memcmp(magic, "PERFILE", 7) || !memcmp(magic, "2ELIFREP", 8)) &&
	     (st.st_ino != shown->st_ino || st.st_dev != shown->st_dev);
	close(fd);
	return is;
}

static void list_recordings(struct pfx_screen_files *files)
{
	const char *shown = pfx_reader_info(pfx_recording_reader(files->recording))->path;
	const char *slash = strrchr(shown, '/');
	char *folder = slash ? pfx_strndup(shown, (size_t)(slash - shown) + 1) : pfx_strdup("./");
	struct pfx_name_list list = {0};
	struct pfx_arena arena = {0};
	struct stat st = {0};
	char *path;
	size_t i;

	if (stat(shown, &st) < 0)
		st.st_ino = 0;
	pfx_names_of_dir(&list, &arena, folder);
	for (i = 0; i < list.names.nr && files->paths.nr < RECORDINGS_MAX; i++) {
		path = pfx_strfmt("%s%s", slash ? folder : "", list.names.at[i]);
		if (is_recording(path, &st))
			pfx_vec_push(&files->paths, path);
		else
			free(path);
	}
	pfx_vec_free(&list.names);
	pfx_arena_clear(&arena);
	free(folder);
}

const char *pfx_screen_files_recording(struct pfx_screen_files *files, uint32_t n)
{
	if (!files->is_listed)
		list_recordings(files);
	files->is_listed = true;
	return n < files->paths.nr ? files->paths.at[n] : NULL;
}

void pfx_screen_files_fini(struct pfx_screen_files *files)
{
	size_t i;

	for (i = 0; i < files->paths.nr; i++)
		free(files->paths.at[i]);
	pfx_vec_free(&files->paths);
}
