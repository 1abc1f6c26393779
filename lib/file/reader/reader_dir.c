/* SPDX-License-Identifier: MIT */
/*
 * Recordings in a directory: DIR/data is a file like any other, DIR/data.N contain only records,
 * one file for each ring buffer. They are merged by time. Other entries (kcore_dir) are ignored.
 * Also the check of a file's owner. Section 2.5 of Documentation/file-format.md.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "reader_state_internal.h"

/* Several times the number of ring buffers of the largest machines. */
#define DIR_FILES_MAX 65536

struct path_vec {
	char **at;
	size_t nr, cap;
};

/* A recording of another user may be crafted to mislead: only files of root and of the user are
 * read. */
static int check_owner(struct pfx_reader *reader, const char *path, const struct stat *st,
		       struct pfx_error *err)
{
	char name[256];

	if (reader->options.force || !st->st_uid || st->st_uid == geteuid())
		return 0;
	pfx_error_set(err, EPERM, "'%s' belongs to another user",
		      pfx_escape(name, sizeof(name), path));
	pfx_error_hint(err, "use -f to read it all the same");
	pfx_error_known(err, "File %s not owned by current user or root (use -f to override)",
			name);
	return -EPERM;
}

int pfx_reader_open_path(struct pfx_reader *reader, const char *path, int *ret_fd,
			 struct pfx_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char name[256];
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = pfx_error_sys(err, errno, "cannot open '%s'",
				   pfx_escape(name, sizeof(name), path));
		pfx_error_known(err, "failed to open %s: %s", path, strerror(-rc));
		if (rc == -ENOENT)
			pfx_error_hint(err, "'pfx record' makes one, -i FILE names another");
	} else {
		rc = check_owner(reader, path, &st, err);
	}
	if (rc < 0 && fd >= 0)
		close(fd);
	if (!rc)
		*ret_fd = fd;
	return rc;
}

static bool is_regular(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* Map a file of the directory. */
static int map_path(struct pfx_reader *reader, const char *path, struct pfx_mapping *ret,
		    struct pfx_error *err)
{
	struct stat st;
	char name[256];
	int fd = pfx_open_plain(path, 0, &st), rc = fd < 0 ? fd : 0;

	*ret = (struct pfx_mapping){0};
	if (!rc)
		rc = check_owner(reader, path, &st, err);
	if (rc && fd >= 0) {
		close(fd);
		return rc;
	}
	if (!rc)
		rc = pfx_map_fd(fd, (size_t)st.st_size, NULL, ret);
	if (fd >= 0)
		close(fd);
	if (rc)
		return pfx_error_sys(err, -rc, "cannot read '%s'",
				     pfx_escape(name, sizeof(name), path));
	reader->info.file_size += ret->size;
	if (!reader->info.mtime)
		reader->info.mtime = st.st_mtime;
	return 0;
}

/* data.2 before data.10 */
static int compare_paths(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t nx = strlen(x), ny = strlen(y);

	if (nx != ny)
		return nx < ny ? -1 : 1;
	return strcmp(x, y);
}

static int list_files(struct pfx_reader *reader, struct path_vec *ret, struct pfx_error *err)
{
	DIR *dir = opendir(reader->path);
	struct dirent *entry;
	char name[256];

	if (!dir)
		return pfx_error_sys(err, errno, "cannot open '%s'",
				     pfx_escape(name, sizeof(name), reader->path));
	while ((entry = readdir(dir)) && ret->nr < DIR_FILES_MAX)
		if (!strncmp(entry->d_name, "data.", 5))
			pfx_vec_push(ret, pfx_strfmt("%s/%s", reader->path, entry->d_name));
	closedir(dir);
	if (ret->nr)
		qsort(ret->at, ret->nr, sizeof(*ret->at), compare_paths);
	return 0;
}

static int open_lanes(struct pfx_reader *reader, const struct path_vec *paths,
		      struct pfx_error *err)
{
	struct pfx_mapping map = {0};
	struct pfx_lane *lane;
	size_t i;
	int rc;

	reader->lanes = pfx_realloc(reader->lanes, (paths->nr + 1) * sizeof(*reader->lanes));
	for (i = 0; i < paths->nr; i++) {
		if (!is_regular(paths->at[i]))
			continue;
		rc = map_path(reader, paths->at[i], &map, err);
		if (rc)
			return rc;
		lane = &reader->lanes[reader->nr_lanes++];
		pfx_lane_init_memory(lane, map.data, map.size, 0);
		lane->map = map;
	}
	reader->heap = pfx_calloc(reader->nr_lanes, sizeof(struct pfx_lane *));
	return 0;
}

static bool is_before(const struct pfx_lane *a, const struct pfx_lane *b)
{
	return a->key != b->key ? a->key < b->key : a < b;
}

/* Move the lane at @i down to its position in the heap. */
static void sink(struct pfx_reader *reader, uint32_t i)
{
	struct pfx_lane **heap = reader->heap, *lane = heap[i];
	uint32_t child;

	while ((child = 2 * i + 1) < reader->nr_heap) {
		if (child + 1 < reader->nr_heap && is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], lane))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = lane;
}

/* Read the lane's next record: 1, 0 at its end. Records without time are first. */
static int load_head(struct pfx_reader *reader, struct pfx_lane *lane, struct pfx_error *err)
{
	int rc = pfx_reader_fetch(reader, lane, &lane->head, err);

	lane->key = lane->head.time == PFX_NO_TIME ? 0 : lane->head.time;
	return rc;
}

static int fill_heap(struct pfx_reader *reader, struct pfx_error *err)
{
	uint32_t i;
	int rc;

	for (i = 0; i < reader->nr_lanes; i++) {
		rc = load_head(reader, &reader->lanes[i], err);
		if (rc < 0)
			return rc;
		if (rc)
			reader->heap[reader->nr_heap++] = &reader->lanes[i];
	}
	for (i = reader->nr_heap / 2; i--;)
		sink(reader, i);
	return 0;
}

int pfx_reader_next_merged(struct pfx_reader *reader, struct pfx_record *ret, struct pfx_error *err)
{
	struct pfx_lane *lane;
	int rc;

	if (reader->head_taken) {
		rc = load_head(reader, reader->heap[0], err);
		if (rc < 0)
			return rc;
		if (!rc)
			reader->heap[0] = reader->heap[--reader->nr_heap];
		if (reader->nr_heap)
			sink(reader, 0);
		reader->head_taken = false;
	}
	if (!reader->nr_heap)
		return 0;
	lane = reader->heap[0];
	*ret = lane->head;
	lane->from->seq = ++reader->seq;
	reader->head_taken = true;
	return 1;
}

int pfx_reader_open_dir(struct pfx_reader *reader, struct pfx_error *err)
{
	char *path = pfx_strfmt("%s/data", reader->path);
	struct pfx_mapping *map = &reader->lanes[0].map;
	struct path_vec files = {0};
	size_t i;
	char name[256];
	int rc = map_path(reader, path, map, err);

	free(path);
	if (rc == -ENOENT) {
		pfx_error_set(err, ENOENT, "'%s' is a directory without a recording",
			      pfx_escape(name, sizeof(name), reader->path));
		pfx_error_hint(err, "a recording in a directory has a file 'data'");
	}
	reader->info.form = PFX_READER_DIRECTORY;
	if (!rc)
		rc = pfx_reader_probe(reader, map->data, map->size, err);
	if (rc > 0)
		rc = pfx_error_set(err, EBADMSG, "the directory's 'data' is a stream, not a file");
	if (!rc)
		rc = pfx_reader_read_file(reader, map->data, map->size, err);
	if (!rc)
		rc = list_files(reader, &files, err);
	if (!rc)
		rc = open_lanes(reader, &files, err);
	if (!rc)
		rc = fill_heap(reader, err);
	for (i = 0; i < files.nr; i++)
		free(files.at[i]);
	pfx_vec_free(&files);
	return rc;
}
