/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a recording in every form that there is, through the one loop that all readers use,
 * in each of its ways. The first byte chooses the form, the second one has OPTION_*, the third one
 * chooses what is read for.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "file/pack/tar.h"
#include "fuzz/reading.h"
#include "read/archive.h"
#include "read/build_ids.h"
#include "read/record_dump.h"
#include "read/sample_maps.h"

#define HEADER     4
#define PARTS_MAX  8
#define PIPE_BYTES (1 << 20) /* more would block without a second thread */

#define OPTION_AS_IT_LIES 0x01
#define OPTION_UNSORTED   0x02
#define OPTION_APART      0x04
#define OPTION_GUEST_CODE 0x08
#define OPTION_STRICT     0x10
#define OPTION_META       0x20
#define OPTION_BATCH      0x40

enum form {
	FORM_FILE,
	FORM_PIPE,
	FORM_DIRECTORY,
	FORM_ARCHIVE,      /* the bytes are the recording in one */
	FORM_BARE_ARCHIVE, /* they are all of it */
	NR_FORMS,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[64]; /* ours, for what must have a path */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static void empty_directory(void)
{
	nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_directory(void)
{
	if (!*directory) {
		snprintf(directory, sizeof(directory), "/tmp/pfx-fuzz-XXXXXX");
		if (!mkdtemp(directory))
			abort();
		atexit(empty_directory);
	}
	empty_directory();
	mkdir(directory, 0700);
}

static void save(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || pfx_write_full(fd, data, size) < 0)
		abort();
	close(fd);
}

/* --- forms: each gives what to open, -1 or a descriptor to close --- */

static int as_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || pfx_write_full(fd, data, size) < 0)
		abort();
	return fd;
}

static int as_pipe(const uint8_t *data, size_t size)
{
	int fds[2], room;

	if (pipe2(fds, O_CLOEXEC))
		abort();
	room = fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES);
	if (room < 0 || size > (size_t)room || pfx_write_full(fds[1], data, size))
		size = 0;
	close(fds[1]);
	return fds[0];
}

/* Of each file its size, then its bytes: `data`, `data.0` and so on, and what lies beside them. */
static void as_directory(const uint8_t *data, size_t size)
{
	static const char *const names[PARTS_MAX] = {"data",   "data.0", "data.1", "data.2",
						     "data.3", "data.4", "header", "data.10"};
	char path[96];
	uint32_t part;
	int i;

	for (i = 0; i < PARTS_MAX && size >= sizeof(part); i++) {
		memcpy(&part, data, sizeof(part));
		data += sizeof(part);
		size -= sizeof(part);
		if (part > size)
			part = (uint32_t)size;
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		save(path, data, part);
		data += part;
		size -= part;
	}
}

static void as_archive(const char *path, const uint8_t *data, size_t size)
{
	struct pfx_tar_writer *tar;

	if (pfx_tar_create(&tar, path, NULL) ||
	    pfx_tar_add_bytes(tar, PFX_ARCHIVE_RECORDING, data, size, NULL) ||
	    pfx_tar_finish(tar, NULL))
		abort();
	pfx_tar_writer_free(tar);
}

/* @path gets what to open. */
static int put_form(enum form form, const uint8_t *data, size_t size, char *path, size_t room)
{
	int fd = -1;

	if (form == FORM_FILE || form == FORM_PIPE) {
		fd = form == FORM_FILE ? as_file(data, size) : as_pipe(data, size);
		snprintf(path, room, "/proc/self/fd/%d", fd);
		return fd;
	}
	make_directory();
	snprintf(path, room, "%s/all.tar", directory);
	if (form == FORM_ARCHIVE) {
		as_archive(path, data, size);
	} else if (form == FORM_BARE_ARCHIVE) {
		save(path, data, size);
	} else {
		as_directory(data, size);
		snprintf(path, room, "%s", directory);
	}
	return fd;
}

/* --- ways to read --- */

static volatile uint64_t sum; /* everything that is handed out is looked at */

static int count_map(void *context, const struct pfx_map *map)
{
	sum += map->start;
	return 0;
}

static void look_at_sample(struct pfx_recording *recording, const struct pfx_item *item)
{
	struct pfx_map_visitor visitor = {.session = pfx_recording_session(recording),
					  .thread = pfx_recording_thread(recording, item->sample),
					  .fn = count_map};
	struct pfx_place **places;

	pfx_visit_sample_maps(&visitor, item->sample, true);
	sum += pfx_resolve_chain(pfx_recording_resolver(recording), visitor.thread, item->sample,
				 &places);
}

static bool wants_frames(void *context, const struct pfx_event *event,
			 const struct pfx_sample *sample)
{
	return true;
}

static void read_samples(struct pfx_recording *recording, bool batch)
{
	const struct pfx_resolve_options resolving = {.sym = {.symfs = "/nonexistent"}};
	struct pfx_str text = {0};
	struct pfx_error err;
	struct pfx_item item;

	pfx_recording_resolve(recording, &resolving);
	if (batch)
		pfx_recording_batch(recording, wants_frames, NULL);
	while (pfx_recording_next(recording, &item, &err) > 0) {
		if (item.sample)
			look_at_sample(recording, &item);
		text.len = 0;
		pfx_record_dump(&item.rec, pfx_recording_reader(recording),
				pfx_recording_session(recording), pfx_recording_resolver(recording),
				&text);
	}
	pfx_str_fini(&text);
}

static void read_ids(struct pfx_recording *recording, uint8_t way)
{
	const struct pfx_id_listing_options options = {.with_hits = way & 4, .read_all = way & 8};
	struct pfx_id_listing listing = {0};
	struct pfx_kept_list ids = {0};
	struct pfx_error err;

	if (way & 16) {
		pfx_recording_ids(recording, &ids, &err);
		pfx_keep_list_free(&ids);
		return;
	}
	pfx_recording_list_ids(recording, &options, &listing, &err);
	pfx_keep_list_free(&listing.list);
}

/* Some records are applied at once, some never, and what is left is not looked at. */
static void read_some(struct pfx_recording *recording, uint8_t way)
{
	struct pfx_error err;
	struct pfx_item item;
	unsigned nr = way >> 2;

	while (nr && pfx_recording_next(recording, &item, &err) > 0) {
		if (nr % 3 == 1)
			pfx_recording_apply(recording);
		else if (nr % 3 == 2)
			pfx_recording_drop(recording);
		nr--;
	}
	pfx_recording_finish(recording, &err);
}

/* What needs the model is not for records as they lie. */
static void read_in_a_way(struct pfx_recording *recording, uint8_t options, uint8_t way)
{
	bool has_model = pfx_recording_session(recording) != NULL;

	if (way % 4 == 0 && has_model)
		read_samples(recording, options & OPTION_BATCH);
	else if (way % 4 == 1 && has_model)
		read_ids(recording, way);
	else if (way % 4 == 2)
		read_some(recording, way);
	read_everything(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_recording_options options = {.reader.force = true};
	struct pfx_recording *recording;
	struct pfx_error err;
	char path[128];
	int fd;

	if (size < HEADER)
		return 0;
	options.as_it_lies = data[1] & OPTION_AS_IT_LIES;
	options.unsorted = data[1] & OPTION_UNSORTED;
	options.late_frames_apart = data[1] & OPTION_APART;
	options.guest_code = data[1] & OPTION_GUEST_CODE;
	options.reader.strict = data[1] & OPTION_STRICT;
	options.reader.keep_meta_records = data[1] & OPTION_META;
	fd = put_form(data[0] % NR_FORMS, data + HEADER, size - HEADER, path, sizeof(path));
	if (!pfx_recording_open(&recording, path, &options, &err))
		read_in_a_way(recording, data[1], data[2]);
	if (fd >= 0)
		close(fd);
	return 0;
}
