/* SPDX-License-Identifier: MIT */
/*
 * The public functions of the reader: opens a path and returns records. Lanes split bytes into
 * records (reader_lane.c), reader_fetch.c selects the records for the caller, metadata records go
 * into the meta (reader_meta.c), the fixed header is read by reader_header.c. Ordering by time is
 * in file/order. Section 2.1 of Documentation/file-format.md.
 */
#include "file/reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "file/pack/spool_internal.h"
#include "reader_state_internal.h"

#define PIPED_IN_MEMORY ((size_t)32 << 20)

/* The metadata of a pipe is at its start: read up to the first record of another kind. */
static int read_pipe_head(struct pfx_reader *reader, struct pfx_error *err)
{
	struct pfx_record *rec;
	int rc;

	for (;;) {
		if (reader->nr_waiting == reader->cap_waiting) {
			reader->cap_waiting = reader->cap_waiting * 2 + 8;
			reader->waiting =
				pfx_realloc(reader->waiting, reader->cap_waiting * sizeof(*rec));
		}
		rec = &reader->waiting[reader->nr_waiting];
		rc = pfx_reader_fetch(reader, &reader->lanes[0], rec, err);
		if (rc <= 0)
			return rc;
		reader->nr_waiting++;
		switch (rec->type) {
		case PFX_RECORD_HEADER_ATTR:
		case PFX_RECORD_HEADER_EVENT_TYPE:
		case PFX_RECORD_HEADER_TRACING_DATA:
		case PFX_RECORD_HEADER_FEATURE:
		case PFX_RECORD_EVENT_UPDATE:
			continue;
		default:
			return 0;
		}
	}
}

static int begin_pipe(struct pfx_reader *reader, struct pfx_error *err)
{
	reader->info.form = PFX_READER_PIPE;
	reader->meta->is_pipe = true;
	return read_pipe_head(reader, err);
}

/* A whole file, or saved stream, in memory. */
static int open_bytes(struct pfx_reader *reader, const uint8_t *data, size_t size,
		      struct pfx_error *err)
{
	int rc = pfx_reader_probe(reader, data, size, err);

	if (rc < 0)
		return rc;
	if (!rc)
		return pfx_reader_read_file(reader, data, size, err);
	pfx_feed_init_memory(&reader->lanes[0].raw, data + PFX_PIPE_SIZE, size - PFX_PIPE_SIZE,
			     PFX_PIPE_SIZE);
	return begin_pipe(reader, err);
}

typedef int (*spool_fn)(struct pfx_spool *spool, int *ret_fd, struct pfx_error *err);

/* First write the input to an unnamed file (unpacked or copied), and read that. @first: bytes that
 * were already read. */
static int open_spooled(struct pfx_reader *reader, spool_fn bring, const uint8_t *first,
			size_t nr_first, struct pfx_error *err)
{
	struct pfx_mapping *map = &reader->lanes[0].map;
	char name[256];
	struct pfx_spool spool = {first, nr_first, reader->fd};
	struct stat st = {0};
	int fd, rc;

	pfx_reader_name(reader, name, sizeof(name));
	spool.name = name;
	rc = bring(&spool, &fd, err);
	if (rc < 0)
		return rc;
	rc = fstat(fd, &st) < 0 ? -errno : pfx_map_fd(fd, (size_t)st.st_size, NULL, map);
	close(fd);
	if (rc < 0)
		return pfx_error_sys(err, -rc, "cannot read '%s'", name);
	if (spool.is_damaged && !map->size)
		return pfx_error_set(err, EBADMSG,
				     "'%s' is compressed, and nothing of it can be unpacked", name);
	reader->damage.nr_places += spool.is_damaged;
	reader->info.file_size = map->size;
	return open_bytes(reader, map->data, map->size, err);
}

/* The same for a stream. */
static int open_spooled_stream(struct pfx_reader *reader, spool_fn bring, struct pfx_error *err)
{
	struct pfx_feed raw = reader->lanes[0].raw;
	int rc;

	pfx_lane_init_memory(&reader->lanes[0], NULL, 0, 0);
	rc = open_spooled(reader, bring, raw.at, pfx_feed_left(&raw), err);
	pfx_feed_fini(&raw);
	return rc;
}

/* A whole file that is sent through a pipe: a small one is read from memory, a large one from an
 * unnamed file. */
static int open_piped_file(struct pfx_reader *reader, struct pfx_error *err)
{
	struct pfx_feed *feed = &reader->lanes[0].raw;
	int rc = pfx_feed_need(feed, PIPED_IN_MEMORY);
	const uint8_t *data = feed->at;
	size_t size = pfx_feed_left(feed);
	char name[256];

	if (rc < 0)
		return pfx_error_sys(err, -rc, "cannot read '%s'",
				     pfx_reader_name(reader, name, sizeof(name)));
	if (rc)
		return open_spooled_stream(reader, pfx_spool_copy, err);
	reader->slurped = feed->chunk;
	feed->chunk = NULL;
	pfx_feed_fini(feed);
	return pfx_reader_read_file(reader, data, size, err);
}

/* The first bytes were read; the rest of the file follows from the descriptor's position. */
static int open_compressed_file(struct pfx_reader *reader, struct pfx_error *err)
{
	uint8_t first[PFX_PIPE_SIZE];
	size_t size = reader->lanes[0].map.size;
	char name[256];

	size = size < sizeof(first) ? size : sizeof(first);
	memcpy(first, reader->lanes[0].map.data, size);
	pfx_unmap(&reader->lanes[0].map);
	if (lseek(reader->fd, (off_t)size, SEEK_SET) < 0)
		return pfx_error_sys(err, errno, "cannot read '%s'",
				     pfx_reader_name(reader, name, sizeof(name)));
	return open_spooled(reader, pfx_spool_unpack, first, size, err);
}

/* A stream: the first 16 bytes show whether it is one, or a whole file that is sent through a
 * pipe. */
static int open_stream(struct pfx_reader *reader, struct pfx_error *err)
{
	struct pfx_feed *feed = &reader->lanes[0].raw;
	char name[256];
	int rc;

	pfx_feed_init_fd(feed, reader->fd);
	rc = pfx_feed_need(feed, PFX_PIPE_SIZE);
	if (rc >= 0 && pfx_spool_knows(feed->at, pfx_feed_left(feed)))
		return open_spooled_stream(reader, pfx_spool_unpack, err);
	if (rc >= 0)
		rc = pfx_reader_probe(reader, feed->at, pfx_feed_left(feed), err);
	else
		pfx_error_sys(err, -rc, "cannot read '%s'",
			      pfx_reader_name(reader, name, sizeof(name)));
	if (rc < 0)
		return rc;
	if (rc) {
		feed->at += PFX_PIPE_SIZE;
		return begin_pipe(reader, err);
	}
	return open_piped_file(reader, err);
}

/* Maps the file if possible, otherwise reads it. */
static int open_fd(struct pfx_reader *reader, struct pfx_error *err)
{
	struct pfx_lane *lane = &reader->lanes[0];
	struct stat st;
	char name[256];
	int rc;

	if (fstat(reader->fd, &st) < 0)
		return pfx_error_sys(err, errno, "cannot read '%s'",
				     pfx_reader_name(reader, name, sizeof(name)));
	reader->info.mtime = st.st_mtime;
	if (!S_ISREG(st.st_mode))
		return open_stream(reader, err);
	reader->info.file_size = (uint64_t)st.st_size;
	rc = pfx_map_fd(reader->fd, (size_t)st.st_size, NULL, &lane->map);
	if (rc < 0)
		return pfx_error_sys(err, -rc, "cannot read '%s'",
				     pfx_reader_name(reader, name, sizeof(name)));
	if (pfx_spool_knows(lane->map.data, lane->map.size))
		return open_compressed_file(reader, err);
	reader->sparse_fd = reader->own_fd ? reader->fd : -1;
	return open_bytes(reader, lane->map.data, lane->map.size, err);
}

static int open_input(struct pfx_reader *reader, struct pfx_error *err)
{
	const char *path = reader->path;
	struct stat st;
	int rc;

	if (!strcmp(path, "-")) {
		reader->fd = STDIN_FILENO;
		return open_fd(reader, err);
	}
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return pfx_reader_open_dir(reader, err);
	rc = pfx_reader_open_path(reader, path, &reader->fd, err);
	if (rc)
		return rc;
	reader->own_fd = true;
	return open_fd(reader, err);
}

void pfx_reader_end_stream(struct pfx_reader *reader, int null)
{
	int saved = errno;

	if (reader->fd >= 0 && reader->lanes[0].raw.fd == reader->fd) {
		__atomic_store_n(&reader->is_ended, true, __ATOMIC_RELAXED);
		dup2(null, reader->fd);
	}
	errno = saved;
}

/* Oddities that were not errors when they were found are errors for a strict reader. */
static int check_strict(struct pfx_reader *reader, struct pfx_error *err)
{
	const struct pfx_reader_damage *damage = &reader->damage;
	char name[256];

	if (!reader->options.strict)
		return 0;
	pfx_reader_name(reader, name, sizeof(name));
	if (damage->no_size)
		return pfx_error_set(err, ENODATA, "the recorder of '%s' was killed", name);
	if (damage->cut_short)
		return pfx_error_set(err, ENODATA, "'%s' is cut short", name);
	if (damage->nr_bad || damage->nr_places || damage->bytes_skipped)
		return pfx_error_set(err, EBADMSG, "'%s' is damaged", name);
	return 0;
}

/* At the end and after errors: if the file was truncated, that is the cause to report. */
static int settle(struct pfx_reader *reader, int rc, struct pfx_error *err)
{
	int cut = pfx_reader_check_cut(reader, err);

	if (cut || rc < 0)
		return cut ? cut : rc;
	return check_strict(reader, err);
}

/* Directories have many lanes, so their chunks are smaller; the total is the same. */
#define LANES_BYTES ((size_t)16 << 20)
#define CHUNK_MIN   ((size_t)128 << 10)

static void share_spill(struct pfx_reader *reader)
{
	size_t size = LANES_BYTES / reader->nr_lanes;
	uint32_t i;

	for (i = 0; i < reader->nr_lanes; i++) {
		reader->lanes[i].raw.spill = &reader->spill;
		reader->lanes[i].unpacked.spill = &reader->spill;
		if (size < PFX_SPILL_PIECE)
			reader->lanes[i].unpacked.chunk_size = size > CHUNK_MIN ? size : CHUNK_MIN;
	}
}

int pfx_reader_open(struct pfx_reader **ret, const char *path,
		    const struct pfx_reader_options *options, struct pfx_error *err)
{
	struct pfx_reader *reader = pfx_calloc(1, sizeof(*reader));
	int rc;

	*ret = NULL;
	reader->fd = reader->sparse_fd = -1;
	pfx_spill_init(&reader->spill);
	reader->meta = pfx_meta_new();
	reader->path = pfx_strdup(path);
	reader->info.path = reader->path;
	reader->lanes = pfx_calloc(1, sizeof(*reader->lanes));
	reader->nr_lanes = 1;
	pfx_lane_init_memory(&reader->lanes[0], NULL, 0, 0);
	if (options)
		reader->options = *options;
	rc = settle(reader, open_input(reader, err), err);
	share_spill(reader);
	if (rc < 0) {
		pfx_reader_free(reader);
		return rc;
	}
	if (reader->events_changed)
		pfx_meta_update(reader->meta);
	reader->events_changed = false;
	*ret = reader;
	return 0;
}

void pfx_reader_free(struct pfx_reader *reader)
{
	uint32_t i;

	if (!reader)
		return;
	for (i = 0; i < reader->nr_lanes; i++)
		pfx_lane_fini(&reader->lanes[i]);
	pfx_spill_fini(&reader->spill);
	free(reader->lanes);
	free(reader->heap);
	free(reader->waiting);
	free(reader->slurped);
	free(reader->path);
	if (reader->own_fd)
		close(reader->fd);
	pfx_meta_free(reader->meta);
	free(reader);
}

int pfx_reader_next(struct pfx_reader *reader, struct pfx_record *ret, struct pfx_error *err)
{
	int rc;

	if (reader->next_waiting < reader->nr_waiting) {
		*ret = reader->waiting[reader->next_waiting++];
		rc = 1;
	} else if (reader->heap) {
		rc = pfx_reader_next_merged(reader, ret, err);
	} else {
		rc = pfx_reader_fetch(reader, &reader->lanes[0], ret, err);
	}
	reader->damage.nr_records += rc > 0;
	return rc > 0 ? rc : settle(reader, rc, err);
}
