/* SPDX-License-Identifier: MIT */
/*
 * Files are split into lines at first use. Paths come from debug information and are untrusted:
 * only regular files are opened.
 */
#include "code/source_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/str.h"
#include "read/archive.h"
#include "session/session.h"
#include "sym/cache/debuginfod.h"
#include "sym/elf/buildid.h"

struct file {
	char *text; /* NULL: unreadable */
	size_t size;
	bool is_read, is_doubtful;
	int64_t changed;           /* seconds since the epoch */
	struct pfx_build_id build; /* whose debug information names it; empty: unknown */
	PFX_VEC(uint32_t) starts;  /* offsets of the lines, and the end of the last one */
};

struct mapping {
	char *from, *to;
	bool is_used, is_expected; /* by a path of a source file */
};

struct pfx_sources {
	struct pfx_intern names;
	PFX_VEC(struct file) files; /* by id of the file name */
	PFX_VEC(struct mapping) mappings;
	char *archived; /* folder of archived sources; NULL: none */
	const struct pfx_fetch_watch *watch;
	char *prefix; /* NULL: none */
	unsigned strip;
	size_t size; /* of all files that were read */
	int64_t recorded_until;
	struct pfx_sources_gaps gaps;
	struct pfx_sources_doubts doubts;
};

struct pfx_sources *pfx_sources_new(void)
{
	return pfx_calloc(1, sizeof(struct pfx_sources));
}

void pfx_sources_free(struct pfx_sources *sources)
{
	size_t i;

	if (!sources)
		return;
	for (i = 0; i < sources->files.nr; i++) {
		free(sources->files.at[i].text);
		pfx_vec_free(&sources->files.at[i].starts);
	}
	for (i = 0; i < sources->mappings.nr; i++) {
		free(sources->mappings.at[i].from);
		free(sources->mappings.at[i].to);
	}
	pfx_vec_free(&sources->files);
	pfx_vec_free(&sources->mappings);
	pfx_intern_fini(&sources->names);
	free(sources->archived);
	free(sources->prefix);
	free(sources);
}

void pfx_sources_map(struct pfx_sources *sources, const char *from, const char *to)
{
	pfx_vec_push(&sources->mappings,
		     ((struct mapping){.from = pfx_strdup(from), .to = pfx_strdup(to)}));
}

void pfx_sources_expect_mapped(struct pfx_sources *sources)
{
	if (sources->mappings.nr)
		sources->mappings.at[sources->mappings.nr - 1].is_expected = true;
}

const char *pfx_sources_not_mapped(const struct pfx_sources *sources)
{
	size_t i;

	for (i = 0; i < sources->mappings.nr && sources->files.nr; i++)
		if (sources->mappings.at[i].is_expected && !sources->mappings.at[i].is_used)
			return sources->mappings.at[i].from;
	return NULL;
}

int pfx_sources_map_word(struct pfx_sources *sources, const char *word, struct pfx_error *err)
{
	const char *equals = strchr(word, '=');
	char *from, shown[128];

	if (!equals || equals == word) {
		pfx_error_set(err, EINVAL, "'%s' is not a mapping of source folders",
			      pfx_escape(shown, sizeof(shown), word));
		pfx_error_hint(err, "write FROM=TO, like /build/project=/home/me/project");
		return -EINVAL;
	}
	from = pfx_strndup(word, (size_t)(equals - word));
	pfx_sources_map(sources, from, equals + 1);
	free(from);
	return 0;
}

void pfx_sources_prefix(struct pfx_sources *sources, const char *prefix, unsigned strip)
{
	free(sources->prefix);
	sources->prefix = pfx_strdup(prefix);
	sources->strip = strip;
}

void pfx_sources_archived(struct pfx_sources *sources, const char *folder)
{
	free(sources->archived);
	sources->archived = folder ? pfx_strdup(folder) : NULL;
}

void pfx_sources_fetch(struct pfx_sources *sources, const struct pfx_fetch_watch *watch)
{
	sources->watch = watch;
}

void pfx_sources_named_by(struct pfx_sources *sources, const char *name, const struct pfx_dso *dso)
{
	struct file *file;

	if (!sources->watch || !dso || !dso->build_id_size)
		return;
	file = pfx_vec_slot(&sources->files, pfx_intern_str(&sources->names, name));
	if (!file->build.size)
		file->build = pfx_build_id_make(dso->build_id, dso->build_id_size);
}

/* --- paths --- */

/* Whether the path is @from or below it. */
static bool begins_with(const char *path, const char *from, size_t len)
{
	return !strncmp(path, from, len) &&
	       (!path[len] || path[len] == '/' || from[len - 1] == '/');
}

static const char *strip_folders(const char *path, unsigned nr)
{
	const char *next;

	for (; nr; nr--) {
		next = strchr(path + 1, '/');
		if (!next)
			return path;
		path = next;
	}
	return path;
}

/* The path of the file to open unless it is archived; the caller frees it. */
static char *place_of(struct pfx_sources *sources, const char *file)
{
	struct mapping *mapping, *last = NULL;
	size_t i;

	for (i = 0; i < sources->mappings.nr; i++) {
		mapping = &sources->mappings.at[i];
		if (!begins_with(file, mapping->from, strlen(mapping->from)))
			continue;
		mapping->is_used = true;
		last = mapping;
	}
	if (last)
		return pfx_strfmt("%s%s", last->to, file + strlen(last->from));
	if (sources->prefix && *file == '/')
		return pfx_strfmt("%s%s", sources->prefix, strip_folders(file, sources->strip));
	return pfx_strdup(file);
}

/* --- lines --- */

static void split(struct file *file)
{
	const char *end;
	size_t at = 0;

	while (at < file->size) {
		pfx_vec_push(&file->starts, (uint32_t)at);
		end = memchr(file->text + at, '\n', file->size - at);
		at = end ? (size_t)(end - file->text) + 1 : file->size + 1;
	}
	pfx_vec_push(&file->starts, (uint32_t)at);
}

/* Files of /proc have the size 0. They are not read: some wait for text, and take it from others
 * who read them. */
static int read_regular(const char *path, size_t limit, struct file *file)
{
	struct stat st;
	int fd = pfx_open_plain(path, 0, &st), rc = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	if ((uint64_t)st.st_size > limit) {
		rc = -EFBIG;
	} else {
		file->changed = st.st_mtime;
		file->text = pfx_malloc((size_t)st.st_size + 1);
		got = pfx_read_full(fd, file->text, (size_t)st.st_size);
		rc = got < 0 ? (int)got : 0;
		file->size = got < 0 ? 0 : (size_t)got;
	}
	close(fd);
	return rc;
}

/* The text of a file: 0 or a negative errno, -EBADMSG if it is binary, -EDQUOT if it is too much
 * together with the files before it. */
static int read_text(const struct pfx_sources *sources, const char *path, struct file *file)
{
	const size_t left = PFX_SOURCES_SIZE_MAX - sources->size;
	const bool is_last = left < PFX_SOURCE_SIZE_MAX;
	int rc = read_regular(path, is_last ? left : PFX_SOURCE_SIZE_MAX, file);

	if (!rc && memchr(file->text, '\0', file->size))
		rc = -EBADMSG;
	if (!rc)
		return 0;
	free(file->text);
	file->text = NULL;
	return rc == -EFBIG && is_last ? -EDQUOT : rc;
}

static int read_archived(const struct pfx_sources *sources, const char *name, struct file *file)
{
	char *path;
	int rc = -ENOENT;

	path = sources->archived ? pfx_archive_source_path(sources->archived, name) : NULL;
	if (path)
		rc = read_text(sources, path, file);
	free(path);
	return rc;
}

static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENOTDIR;
}

/* From a server, if it was asked for. */
static int read_fetched(const struct pfx_sources *sources, const char *name, struct file *file)
{
	char *path =
		file->build.size ? pfx_debuginfod_source(sources->watch, &file->build, name) : NULL;
	int rc = path ? read_text(sources, path, file) : -ENOENT;

	free(path);
	return rc;
}

static const char *explain(int rc)
{
	switch (rc) {
	case -ENOENT:
	case -ENOTDIR:
		return "it does not exist";
	case -EINVAL:
		return "it is not a regular file";
	case -EFBIG:
		return "it has more than 64 MB";
	case -EDQUOT:
		return "the source files have more than 256 MB together";
	case -EBADMSG:
		return "it is not text";
	default:
		return strerror(-rc);
	}
}

static void note_gap(struct pfx_sources_gaps *gaps, const char *name, int rc)
{
	if (gaps->nr++)
		return;
	gaps->first = name;
	gaps->why = explain(rc);
	gaps->is_absent = is_absent(rc);
}

static void note_doubt(struct pfx_sources *sources, struct file *file, const char *name,
		       const char *why)
{
	if (file->is_doubtful)
		return;
	file->is_doubtful = true;
	if (sources->doubts.nr++)
		return;
	sources->doubts.first = name;
	sources->doubts.why = why;
}

/* The file on this machine, which its developer may have changed. */
static int read_here(struct pfx_sources *sources, struct file *file, const char *name)
{
	char *path = place_of(sources, name);
	int rc = read_text(sources, path, file);

	free(path);
	if (!rc && sources->recorded_until && file->changed > sources->recorded_until)
		note_doubt(sources, file, name, "it was changed after the recording");
	return rc;
}

static void read_file(struct pfx_sources *sources, struct file *file, const char *name)
{
	int rc = read_archived(sources, name, file);

	if (rc < 0)
		rc = read_here(sources, file, name);
	if (is_absent(rc))
		rc = read_fetched(sources, name, file);
	file->is_read = true;
	if (rc < 0) {
		note_gap(&sources->gaps, name, rc);
		return;
	}
	sources->size += file->size;
	split(file);
}

static struct file *open_file(struct pfx_sources *sources, const char *name)
{
	uint32_t id = pfx_intern_str(&sources->names, name);
	struct file *file = pfx_vec_slot(&sources->files, id);

	if (!file->is_read)
		read_file(sources, file, pfx_intern_get(&sources->names, id));
	return file->text ? file : NULL;
}

struct pfx_sources_gaps pfx_sources_gaps(const struct pfx_sources *sources)
{
	return sources->gaps;
}

struct pfx_sources_doubts pfx_sources_doubts(const struct pfx_sources *sources)
{
	return sources->doubts;
}

void pfx_sources_recorded(struct pfx_sources *sources, int64_t until)
{
	sources->recorded_until = until;
}

const char *pfx_sources_text(struct pfx_sources *sources, const char *name, size_t *ret_size)
{
	const struct file *file = open_file(sources, name);

	if (!file)
		return NULL;
	*ret_size = file->size;
	return file->text;
}

uint32_t pfx_sources_nr_lines(struct pfx_sources *sources, const char *name)
{
	const struct file *file = open_file(sources, name);

	return file ? (uint32_t)(file->starts.nr - 1) : 0;
}

const char *pfx_sources_line(struct pfx_sources *sources, const char *name, uint32_t line,
			     size_t *ret_len)
{
	struct file *file = open_file(sources, name);
	size_t start, len;

	if (!file || !line)
		return NULL;
	if (line >= file->starts.nr) {
		note_doubt(sources, file,
			   pfx_intern_get(&sources->names, pfx_intern_str(&sources->names, name)),
			   "it has fewer lines than the program says");
		return NULL;
	}
	start = file->starts.at[line - 1];
	len = file->starts.at[line] - 1 - start;
	if (len && file->text[start + len - 1] == '\r')
		len--;
	*ret_len = len;
	return file->text + start;
}
