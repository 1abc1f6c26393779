/* SPDX-License-Identifier: MIT */
/*
 * Writes perf.data files: header, ids of all events, attrs, the features known at the start,
 * records, table of features, the other features. The file is complete after every append
 * (writer_live.c); if a write fails, the incomplete last record is truncated, so that only whole
 * records remain. Of the records, only the size is used here. Sections 2.2 and 15 of
 * Documentation/file-format.md.
 */
#include "file/writer/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "file/header/feature.h"
#include "file/header/fixed_header_internal.h"
#include "writer_internal.h"

/* Nothing could be written: restore the earlier recording. */
static void take_back(struct pfx_writer *writer)
{
	if (writer->gone)
		return;
	writer->gone = true;
	if (writer->made_dir)
		pfx_writer_remove_dir(writer->dir);
	if (writer->dir && writer->rotated)
		pfx_writer_unrotate(writer->dir);
	else if (writer->dir)
		return;
	else if (writer->rotated)
		pfx_writer_unrotate(writer->path);
	else if (writer->own_fd && !writer->is_pipe)
		unlink(writer->path);
}

void pfx_writer_discard(struct pfx_writer *writer)
{
	take_back(writer);
}

#define LIMIT_ROOM (256u << 10)

static int make_dir(struct pfx_writer *writer, struct pfx_error *err)
{
	char name[256];

	writer->made_dir = mkdir(writer->dir, 0700) == 0;
	if (writer->made_dir)
		return 0;
	return pfx_error_sys(err, errno, "cannot make the directory '%s'",
			     pfx_escape(name, sizeof(name), writer->dir));
}

/* Move the existing file, or the directory that contains it, out of the way. */
static int make_way(struct pfx_writer *writer, struct pfx_writer_place *place,
		    struct pfx_error *err)
{
	char name[256];
	int rc;

	if (place->is_given && place->st.st_size && S_ISREG(place->st.st_mode)) {
		pfx_error_set(err, EEXIST, "'%s' leads to a file that is not empty",
			      pfx_escape(name, sizeof(name), place->path));
		pfx_error_hint(err, "name it with -o FILE");
		return -EEXIST;
	}
	rc = place->is_given ? 0 : pfx_writer_rotate(place->path, err);
	if (rc < 0)
		return rc;
	writer->rotated = rc;
	writer->is_given = place->is_given;
	place->exists &= !writer->rotated;
	if (!writer->dir)
		return 0;
	rc = make_dir(writer, err);
	free(place->path);
	*place = (struct pfx_writer_place){.path = pfx_strdup(writer->path)};
	return rc;
}

/* The maximum size of the file (ulimit -f), to reserve space for the last features. */
static uint64_t size_limit(void)
{
	struct rlimit limit;
	uint64_t room;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return 0;
	room = limit.rlim_cur / 4 < LIMIT_ROOM ? limit.rlim_cur / 4 : LIMIT_ROOM;
	return limit.rlim_cur - room ? limit.rlim_cur - room : 1;
}

static void set_path(struct pfx_writer *writer, const char *path)
{
	free(writer->path);
	if (writer->dir) {
		free(writer->dir);
		writer->dir = pfx_strdup(path);
	}
	writer->path = writer->dir ? pfx_strfmt("%s/data", path) : pfx_strdup(path);
}

static int open_place(struct pfx_writer *writer, struct pfx_error *err)
{
	struct pfx_writer_place place;
	int rc = pfx_place_find(&place, writer->dir ? writer->dir : writer->path, err);

	if (rc < 0)
		return rc;
	set_path(writer, place.path);
	rc = make_way(writer, &place, err);
	if (rc >= 0) {
		writer->fd = pfx_place_open(&place);
		writer->own_fd = writer->fd >= 0;
		rc = writer->own_fd ? 0 : pfx_writer_failed(writer, -writer->fd, err);
	}
	pfx_place_fini(&place);
	return rc;
}

static int open_file(struct pfx_writer *writer, struct pfx_error *err)
{
	struct stat st;
	int rc = open_place(writer, err);

	if (rc < 0)
		return rc;
	writer->limit = size_limit();
	if (fstat(writer->fd, &st) < 0)
		return pfx_writer_failed(writer, errno, err);
	writer->is_pipe = !S_ISREG(st.st_mode);
	if (!writer->is_pipe && st.st_uid == geteuid() && fchmod(writer->fd, 0600) < 0)
		return pfx_writer_failed(writer, errno, err);
	return 0;
}

static int open_new(struct pfx_writer **ret, struct pfx_writer *writer, struct pfx_error *err)
{
	int rc = 0;

	*ret = NULL;
	writer->fd = STDOUT_FILENO;
	writer->is_pipe = true;
	if (strcmp(writer->path, "-"))
		rc = open_file(writer, err);
	if (rc < 0) {
		take_back(writer);
		pfx_writer_free(writer);
		return rc;
	}
	*ret = writer;
	return 0;
}

int pfx_writer_open(struct pfx_writer **ret, const char *path, struct pfx_error *err)
{
	struct pfx_writer *writer = pfx_calloc(1, sizeof(*writer));

	writer->path = pfx_strdup(path);
	return open_new(ret, writer, err);
}

int pfx_writer_open_dir(struct pfx_writer **ret, const char *path, struct pfx_error *err)
{
	struct pfx_writer *writer = pfx_calloc(1, sizeof(*writer));

	writer->path = pfx_strfmt("%s/data", path);
	writer->dir = pfx_strdup(path);
	return open_new(ret, writer, err);
}

void pfx_writer_free(struct pfx_writer *writer)
{
	if (!writer)
		return;
	if (writer->own_fd)
		close(writer->fd);
	pfx_buffer_fini(&writer->scratch);
	pfx_buffer_fini(&writer->early_bytes);
	pfx_buffer_fini(&writer->table);
	free(writer->path);
	free(writer->dir);
	free(writer);
}

int pfx_writer_fd(const struct pfx_writer *writer)
{
	return writer->fd;
}

uint64_t pfx_writer_bytes(const struct pfx_writer *writer)
{
	return writer->data_size;
}

uint64_t pfx_writer_offset(const struct pfx_writer *writer)
{
	return writer->data_offset + writer->data_size;
}

uint32_t pfx_writer_nr_left_out(const struct pfx_writer *writer)
{
	return writer->nr_left_out;
}

bool pfx_writer_is_pipe(const struct pfx_writer *writer)
{
	return writer->is_pipe;
}

/* Everything before the records, and the table for the known features after them. */
static void put_start(struct pfx_writer *writer, struct pfx_buffer *to)
{
	struct pfx_buffer header = {.swap = to->swap};

	pfx_writer_lay_out_events(writer, PFX_HEADER_SIZE);
	pfx_buffer_zeros(to, PFX_HEADER_SIZE);
	pfx_writer_encode_events(writer, to);
	if (writer->is_live)
		pfx_writer_put_early(writer, to);
	pfx_buffer_align(to, 8);
	writer->data_offset = to->len;
	writer->data_size = 0;
	pfx_buffer_bytes(to, writer->table.at, writer->table.len);
	pfx_writer_encode_header(writer, writer->features, &header);
	memcpy(to->at, header.at, header.len);
	pfx_buffer_fini(&header);
}

int pfx_writer_begin(struct pfx_writer *writer, struct pfx_meta *meta, struct pfx_error *err)
{
	struct pfx_buffer *to = &writer->scratch;
	int rc;

	writer->meta = meta;
	pfx_buffer_clear(to);
	to->swap = meta->swap;
	if (writer->is_pipe)
		return pfx_writer_begin_stream(writer, err);
	writer->is_live = !writer->is_copy;
	put_start(writer, to);
	rc = pfx_pwrite_full(writer->fd, to->at, to->len, 0);
	if (!rc)
		return 0;
	take_back(writer);
	return pfx_writer_failed(writer, -rc, err);
}

int pfx_writer_begin_copy(struct pfx_writer *writer, struct pfx_meta *meta, bool with_meta_records,
			  struct pfx_error *err)
{
	writer->is_copy = true;
	writer->has_meta_records = with_meta_records;
	return pfx_writer_begin(writer, meta, err);
}

bool pfx_writer_wants(const struct pfx_writer *writer, uint32_t type)
{
	switch (type) {
	case PFX_RECORD_HEADER_ATTR:
	case PFX_RECORD_HEADER_FEATURE:
	case PFX_RECORD_HEADER_TRACING_DATA:
	case PFX_RECORD_HEADER_BUILD_ID:
		return writer->is_pipe || !writer->has_meta_records;
	default:
		return true;
	}
}

/* The write stopped after @done bytes: keep the whole records. */
static int cut_off(struct pfx_writer *writer, const struct pfx_pieces *pieces, size_t done,
		   int code, struct pfx_error *err)
{
	off_t end;

	if (!writer->is_pipe) {
		writer->data_size += pfx_pieces_whole_records(pieces, done, writer->meta->swap);
		end = (off_t)(writer->data_offset + writer->data_size);
		if (ftruncate(writer->fd, end) < 0)
			code = errno;
	}
	return pfx_writer_failed(writer, code, err);
}

int pfx_writer_appendv(struct pfx_writer *writer, const struct iovec *iov, int nr,
		       struct pfx_error *err)
{
	struct pfx_pieces pieces = {iov, nr};
	off_t offset = -1;
	size_t done = 0;
	int rc;

	if (writer->is_live)
		return pfx_writer_append_live(writer, &pieces, err);
	if (!writer->is_pipe)
		offset = (off_t)(writer->data_offset + writer->data_size);
	rc = pfx_pieces_write(writer->fd, &pieces, offset, &done);
	if (rc < 0)
		return cut_off(writer, &pieces, done, -rc, err);
	writer->data_size += done;
	return 0;
}

int pfx_writer_append(struct pfx_writer *writer, const void *data, size_t size,
		      struct pfx_error *err)
{
	struct iovec iov = {(void *)data, size};

	return pfx_writer_appendv(writer, &iov, 1, err);
}

int pfx_writer_refresh(struct pfx_writer *writer, struct pfx_error *err)
{
	int rc;

	if (writer->is_pipe || writer->gone)
		return 0;
	rc = pfx_writer_publish(writer);
	return rc < 0 ? pfx_writer_failed(writer, -rc, err) : 0;
}

/* The table of sections, and the sections that are not before the records; every feature has
 * one. */
static void put_features(struct pfx_writer *writer, uint64_t *ret_bits, struct pfx_buffer *to)
{
	struct pfx_writer_early sections[PFX_FEAT_BITS];
	const struct pfx_writer_early *early;
	struct pfx_buffer body = {.swap = to->swap};
	uint64_t start = writer->data_offset + writer->data_size;
	size_t nr = 0, i, at;
	unsigned feature;

	for (feature = 0; feature < PFX_FEAT_BITS; feature++) {
		at = body.len;
		if (!pfx_writer_put_feature(writer, feature, &body))
			continue;
		ret_bits[feature / 64] |= 1ull << (feature % 64);
		early = pfx_writer_find_early(writer, feature, body.at + at, body.len - at);
		sections[nr] = early ? *early : (struct pfx_writer_early){0, body.len - at};
		if (early)
			body.len = at;
		nr++;
	}
	start += 16 * nr;
	for (i = 0; i < nr; i++) {
		pfx_writer_encode_section(to, sections[i].offset ? sections[i].offset : start,
					  sections[i].size);
		start += sections[i].offset ? 0 : sections[i].size;
	}
	pfx_buffer_bytes(to, body.at, body.len);
	pfx_buffer_fini(&body);
}

int pfx_writer_end(struct pfx_writer *writer, struct pfx_error *err)
{
	uint64_t features[PFX_FEAT_BITS / 64] = {0};
	off_t end = (off_t)(writer->data_offset + writer->data_size);
	size_t old = writer->table.len;
	struct pfx_buffer *to = &writer->scratch;
	int rc;

	if (writer->is_pipe)
		return 0;
	rc = pfx_writer_check(writer, (uint64_t)end, err);
	if (rc < 0)
		return rc;
	pfx_buffer_clear(to);
	put_features(writer, features, to);
	if (pfx_writer_has_new_events(writer)) {
		pfx_writer_lay_out_events(writer, (uint64_t)end + to->len);
		pfx_writer_encode_events(writer, to);
	}
	/* the bytes that replace the current table are written last */
	if (to->len > old)
		rc = pfx_pwrite_full(writer->fd, to->at + old, to->len - old, end + (off_t)old);
	if (!rc)
		rc = pfx_pwrite_full(writer->fd, to->at, to->len < old ? to->len : old, end);
	if (!rc)
		rc = pfx_writer_put_header(writer, features);
	if (!rc)
		return writer->is_given ? 0 : pfx_output_check_name(writer->fd, writer->path, err);
	pfx_writer_publish(writer);
	return pfx_writer_failed(writer, -rc, err);
}
