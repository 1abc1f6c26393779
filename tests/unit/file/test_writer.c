/* SPDX-License-Identifier: MIT */
/* Writing files and streams: reading back; rotation, refresh, failing writes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/base/tree.h"
#include "unit/file/recording.h"

static struct tree tree;
static char path[128], old[136];

static int set_up(void **state)
{
	tree_init(&tree);
	tree_path(&tree, path, sizeof(path), "/perf.data");
	snprintf(old, sizeof(old), "%s.old", path);
	return 0;
}

static int tear_down(void **state)
{
	tree_fini(&tree);
	return 0;
}

static void check_meta(struct pfx_reader *reader, bool swap, enum pfx_reader_form form)
{
	struct pfx_meta *meta = pfx_reader_meta(reader);

	assert_int_equal(pfx_reader_info(reader)->form, form);
	assert_int_equal(pfx_reader_info(reader)->version, 2);
	assert_int_equal(meta->swap, swap);
	assert_int_equal(meta->nr_events, 2);
	assert_string_equal(meta->events[0]->name, "cpu-clock");
	assert_string_equal(meta->events[1]->name, "faults");
	assert_int_equal(meta->events[0]->nr_ids, 2);
	assert_int_equal(meta->events[0]->ids[1], 12);
	assert_int_equal(meta->events[1]->ids[0], 13);
	assert_int_equal(meta->events[1]->attr.config, PFX_SW_PAGE_FAULTS);
	assert_int_equal(meta->events[1]->attr.sample_type, TEST_SAMPLE_TYPE);
	assert_string_equal(meta->env.hostname, "box");
	assert_int_equal(meta->env.nr_cpus_avail, 4);
	assert_false(pfx_env_has(&meta->env, PFX_FEAT_VERSION));
}

static void file_round_trip(void **state)
{
	bool swap = *state != NULL;
	struct pfx_buffer b = three_samples(swap);
	struct pfx_meta *meta = test_meta(swap);
	struct pfx_reader *reader;
	struct pfx_error err;
	struct outcome out;

	assert_int_equal(write_recording(path, meta, &b), 0);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	check_meta(reader, swap, PFX_READER_FILE);
	assert_int_equal(pfx_reader_info(reader)->data_size, b.len);
	pfx_reader_free(reader);
	out = read_recording(path, NULL);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_records, 5);
	assert_int_equal(out.time_sum, 650);
	assert_int_equal(out.damage.bytes_skipped + out.damage.nr_bad, 0);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

/* A stream saved in a file is read like a file. */
static void stream_round_trip(void **state)
{
	bool swap = *state != NULL;
	struct pfx_buffer b = three_samples(swap);
	struct pfx_meta *meta = test_meta(swap);
	struct pfx_reader *reader;
	struct pfx_error err;
	struct outcome out;
	int out_fd = dup(STDOUT_FILENO), fd = open(path, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	assert_int_equal(write_recording("-", meta, &b), 0);
	dup2(out_fd, STDOUT_FILENO);
	close(fd);
	close(out_fd);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	check_meta(reader, swap, PFX_READER_PIPE);
	assert_true(pfx_reader_meta(reader)->is_pipe);
	pfx_reader_free(reader);
	out = read_recording(path, NULL);
	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_records, 5);
	assert_int_equal(out.damage.bytes_skipped + out.damage.nr_bad, 0);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

static void mode_and_rotation(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct stat st;

	tree_file(&tree, "/perf.data", "");
	assert_int_equal(write_recording(path, meta, &b), 0);
	assert_int_equal(access(old, F_OK), -1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	tree_file(&tree, "/perf.data.old", "older");
	assert_int_equal(write_recording(path, meta, &b), 0);
	assert_int_equal(read_recording(old, NULL).nr_samples, 3);
	assert_int_equal(read_recording(path, NULL).nr_samples, 3);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

static void old_directory(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct pfx_writer *writer;
	struct pfx_error err;

	tree_file(&tree, "/perf.data/data", "x");
	tree_file(&tree, "/perf.data.old/data.0", "x");
	tree_file(&tree, "/perf.data.old/kcore_dir/kcore", "x");
	assert_int_equal(write_recording(path, meta, &b), 0);
	assert_int_equal(read_recording(path, NULL).nr_samples, 3);
	/* another file in the directory PATH.old prevents its removal */
	tree_file(&tree, "/perf.data.old/letter", "x");
	assert_int_equal(pfx_writer_open(&writer, path, &err), -ENOTEMPTY);
	assert_non_null(strstr(err.text, "perf.data.old"));
	assert_int_equal(read_recording(path, NULL).nr_samples, 3);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

static void foreign_directory(void **state)
{
	struct pfx_writer *writer;
	struct pfx_error err;
	char letter[160];

	tree_file(&tree, "/perf.data/data", "x");
	tree_file(&tree, "/perf.data/letter", "x");
	assert_int_equal(pfx_writer_open(&writer, path, &err), -EISDIR);
	assert_non_null(strstr(err.text, "perf.data' is a directory"));
	snprintf(letter, sizeof(letter), "%s/letter", path);
	assert_int_equal(access(letter, F_OK), 0);
	assert_int_equal(access(old, F_OK), -1);
}

static void cannot_open(void **state)
{
	struct pfx_writer *writer;
	struct pfx_error err;
	char nowhere[160];

	snprintf(nowhere, sizeof(nowhere), "%s/none/x.data", tree.root);
	assert_int_equal(pfx_writer_open(&writer, nowhere, &err), -ENOENT);
	assert_null(writer);
	assert_non_null(strstr(err.text, "none/x.data"));
}

/* Checks the file as a recorder that was killed now would leave it. */
static void check_left(uint64_t nr_samples)
{
	struct pfx_reader *reader;
	struct pfx_error err;
	struct outcome out = read_recording(path, NULL);

	assert_int_equal(out.rc, 0);
	assert_int_equal(out.nr_samples, nr_samples);
	assert_int_equal(out.damage.nr_bad + out.damage.bytes_skipped, 0);
	assert_false(out.damage.cut_short);
	assert_false(out.damage.no_size);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	assert_string_equal(pfx_reader_meta(reader)->env.hostname, "box");
	assert_int_equal(pfx_reader_meta(reader)->env.nr_cpus_online, 4);
	pfx_reader_free(reader);
}

static uint64_t file_size(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

/* Records are appended in blocks of all sizes: after each, the file is complete. */
static void complete_after_every_append(void **state)
{
	struct pfx_buffer b = {.swap = *state != NULL};
	struct pfx_meta *meta = test_meta(b.swap);
	struct pfx_writer *writer;
	struct pfx_error err;
	struct iovec iov[2];
	uint64_t nr = 0, n, i;

	assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
	assert_int_equal(pfx_writer_begin(writer, meta, &err), 0);
	check_left(0);
	for (n = 1; n < 12; n++) {
		pfx_buffer_clear(&b);
		for (i = 0; i < n; i++)
			put_sample(&b, nr + i, 100 + nr + i);
		iov[0] = (struct iovec){b.at, 13 * n};
		iov[1] = (struct iovec){b.at + 13 * n, b.len - 13 * n};
		assert_int_equal(pfx_writer_appendv(writer, iov, 2, &err), 0);
		nr += n;
		check_left(nr);
		pfx_buffer_clear(&b);
		put_round(&b);
		assert_int_equal(pfx_writer_append(writer, b.at, b.len, &err), 0);
		assert_int_equal(pfx_writer_refresh(writer, &err), 0);
		check_left(nr);
	}
	pfx_writer_free(writer);
	check_left(nr);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

/* Only features that are new or changed since the start are written again at the end. */
static void features_known_early_stay(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct pfx_writer *writer;
	struct pfx_reader *reader;
	struct pfx_error err;
	uint64_t before;

	assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
	assert_int_equal(pfx_writer_begin(writer, meta, &err), 0);
	assert_int_equal(pfx_writer_append(writer, b.at, b.len, &err), 0);
	before = file_size();
	meta->env.first_sample_ns = 5;
	meta->env.last_sample_ns = 7;
	pfx_env_set(&meta->env, PFX_FEAT_SAMPLE_TIME);
	meta->env.nr_cpus_online = 3;
	assert_int_equal(pfx_writer_end(writer, &err), 0);
	/* one more section with its payload, and the other NRCPUS */
	assert_int_equal(file_size(), before + 16 + 16 + 8);
	pfx_writer_free(writer);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	assert_int_equal(pfx_reader_damage(reader)->nr_bad, 0);
	assert_int_equal(pfx_reader_meta(reader)->env.nr_cpus_online, 3);
	assert_int_equal(pfx_reader_meta(reader)->env.last_sample_ns, 7);
	assert_string_equal(pfx_reader_meta(reader)->env.hostname, "box");
	pfx_reader_free(reader);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

static void limit_file_size(rlim_t size)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A write fails at every position in the records: whole records are kept, the rest is cut off. */
static void no_room_at_any_byte(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct iovec iov[2] = {{b.at, 61}, {b.at + 61, b.len - 61}};
	struct pfx_writer *writer;
	struct pfx_error err;
	struct outcome out;
	size_t room;

	for (room = 0; room < b.len; room++) {
		unlink(path);
		assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
		assert_int_equal(pfx_writer_begin(writer, meta, &err), 0);
		limit_file_size(pfx_writer_offset(writer) + room);
		assert_int_equal(pfx_writer_appendv(writer, iov, 2, &err), -EFBIG);
		assert_true(err.hint[0]);
		assert_true(pfx_writer_bytes(writer) <= room);
		assert_int_equal(pfx_writer_end(writer, &err), -EFBIG);
		limit_file_size(RLIM_INFINITY);
		pfx_writer_free(writer);
		out = read_recording(path, NULL);
		assert_int_equal(out.rc, 0);
		assert_int_equal(out.damage.bytes_skipped, 0);
		assert_int_equal(out.nr_samples, room < 80 ? 0 : (room - 40) / SAMPLE_BYTES);
	}
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

/* If not even the header fits, the previous recording is kept. */
static void no_room_to_begin(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct pfx_writer *writer;
	struct pfx_error err;

	assert_int_equal(write_recording(path, meta, &b), 0);
	assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
	limit_file_size(100);
	assert_int_equal(pfx_writer_begin(writer, meta, &err), -EFBIG);
	limit_file_size(RLIM_INFINITY);
	pfx_writer_free(writer);
	assert_int_equal(read_recording(path, NULL).nr_samples, 3);
	unlink(path);
	assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
	limit_file_size(100);
	assert_int_equal(pfx_writer_begin(writer, meta, &err), -EFBIG);
	limit_file_size(RLIM_INFINITY);
	pfx_writer_free(writer);
	assert_int_equal(access(path, F_OK), -1);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

/* A size limit that is known at the start reserves space for features at the end. */
static void room_for_the_last_features(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct pfx_writer *writer;
	struct pfx_error err;
	int rc = 0;

	limit_file_size(16 << 10);
	assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
	assert_int_equal(pfx_writer_begin(writer, meta, &err), 0);
	while (rc >= 0)
		rc = pfx_writer_append(writer, b.at, b.len, &err);
	assert_int_equal(rc, -EFBIG);
	assert_true(pfx_writer_offset(writer) <= 12 << 10);
	assert_true(pfx_writer_offset(writer) > 11 << 10);
	meta->env.last_sample_ns = 7;
	pfx_env_set(&meta->env, PFX_FEAT_SAMPLE_TIME);
	assert_int_equal(pfx_writer_end(writer, &err), 0);
	limit_file_size(RLIM_INFINITY);
	pfx_writer_free(writer);
	assert_int_equal(read_recording(path, NULL).damage.bytes_skipped, 0);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

/* Changes of the file by others have their own error, and a truncated file is left unchanged. */
static void taken_away(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct pfx_writer *writer;
	struct pfx_error err;
	int i;

	for (i = 0; i < 3; i++) {
		assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
		assert_int_equal(pfx_writer_begin(writer, meta, &err), 0);
		assert_int_equal(pfx_writer_append(writer, b.at, b.len, &err), 0);
		if (i == 0)
			assert_int_equal(rename(path, old), 0);
		else if (i == 1)
			assert_int_equal(unlink(path), 0);
		else
			assert_int_equal(truncate(path, 200), 0);
		if (i == 2)
			assert_int_equal(pfx_writer_append(writer, b.at, b.len, &err), -ESTALE);
		assert_int_equal(pfx_writer_end(writer, &err), -ESTALE);
		assert_non_null(strstr(err.text, i == 0   ? "was renamed"
						 : i == 1 ? "was removed"
							  : "was truncated"));
		assert_int_equal(pfx_writer_refresh(writer, &err), 0);
		pfx_writer_free(writer);
	}
	assert_int_equal(file_size(), 200);
	assert_int_equal(read_recording(old, NULL).nr_samples, 3);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

/* Another process continues where a writer stopped, by the size of the file. */
static void goes_on_after_a_kill(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct pfx_writer *writer;
	struct pfx_error err;
	uint64_t size;
	int fd;

	assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
	assert_int_equal(pfx_writer_begin(writer, meta, &err), 0);
	assert_int_equal(pfx_writer_append(writer, b.at, b.len, &err), 0);
	size = pfx_writer_bytes(writer);
	assert_int_equal(pfx_writer_append(writer, b.at, b.len, &err), 0);
	/* Killed before the header was updated for the second block. */
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, &size, sizeof(size), 48), sizeof(size));
	close(fd);
	assert_int_equal(pfx_writer_catch_up(writer), 0);
	assert_int_equal(pfx_writer_bytes(writer), size);
	assert_int_equal(pfx_writer_append(writer, b.at, b.len, &err), 0);
	assert_int_equal(pfx_writer_refresh(writer, &err), 0);
	pfx_writer_free(writer);
	check_left(6);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

/* A named pipe without a reader: the writer does not block, and has no effect. */
static void unread_pipe(void **state)
{
	struct pfx_writer *writer;
	struct pfx_error err;
	int fd;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pfx_writer_open(&writer, path, &err), -EAGAIN);
	assert_null(writer);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
	assert_true(pfx_writer_is_pipe(writer));
	assert_int_equal(fcntl(pfx_writer_fd(writer), F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(fcntl(pfx_writer_fd(writer), F_GETFL) & O_ACCMODE, O_WRONLY);
	pfx_writer_free(writer);
	close(fd);
}

static void reader_of_the_pipe_has_gone(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct pfx_writer *writer;
	struct pfx_error err;
	int fds[2], out_fd = dup(STDOUT_FILENO);

	signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDOUT_FILENO);
	assert_int_equal(pfx_writer_open(&writer, "-", &err), 0);
	assert_true(pfx_writer_is_pipe(writer));
	assert_int_equal(pfx_writer_begin(writer, meta, &err), 0);
	close(fds[0]);
	assert_int_equal(pfx_writer_append(writer, b.at, b.len, &err), -EPIPE);
	pfx_writer_free(writer);
	dup2(out_fd, STDOUT_FILENO);
	close(out_fd);
	close(fds[1]);
	assert_string_equal(err.text, "the reader of 'standard output' has closed it");
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

/* An event with too many ids for a record cannot be described in a stream. */
static void too_many_ids_for_a_stream(void **state)
{
	struct pfx_meta *meta = test_meta(false);
	struct pfx_writer *writer;
	struct pfx_error err;
	uint64_t id;

	for (id = 100; id < 9000; id++)
		pfx_meta_add_id(meta, meta->events[0], id);
	mkfifo(path, 0600);
	writer = NULL;
	assert_int_equal(open(path, O_RDONLY | O_NONBLOCK) >= 0, 1);
	assert_int_equal(pfx_writer_open(&writer, path, &err), 0);
	assert_true(pfx_writer_is_pipe(writer));
	assert_int_equal(pfx_writer_begin(writer, meta, &err), -EFBIG);
	pfx_writer_free(writer);
	pfx_meta_free(meta);
}

/* Events whose attrs have different sizes get entries of one size. */
static void attrs_of_different_sizes(void **state)
{
	struct pfx_buffer b = three_samples(false);
	struct pfx_meta *meta = test_meta(false);
	struct pfx_reader *reader;
	struct pfx_error err;

	meta->events[0]->attr.size = PFX_ATTR_SIZE_VER2;
	assert_int_equal(write_recording(path, meta, &b), 0);
	assert_int_equal(pfx_reader_open(&reader, path, NULL, &err), 0);
	check_meta(reader, false, PFX_READER_FILE);
	assert_int_equal(pfx_reader_info(reader)->attr_size, PFX_ATTR_SIZE_VER7 + 16);
	pfx_reader_free(reader);
	pfx_meta_free(meta);
	pfx_buffer_fini(&b);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
#define CASE_SWAPPED(f)                                           \
	{                                                         \
#f " swapped", f, set_up_swapped, tear_down, NULL \
	}

static int set_up_swapped(void **state)
{
	*state = path;
	return set_up(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(file_round_trip),
		CASE_SWAPPED(file_round_trip),
		CASE(stream_round_trip),
		CASE_SWAPPED(stream_round_trip),
		CASE(mode_and_rotation),
		CASE(old_directory),
		CASE(foreign_directory),
		CASE(cannot_open),
		CASE(complete_after_every_append),
		CASE_SWAPPED(complete_after_every_append),
		CASE(features_known_early_stay),
		CASE(no_room_at_any_byte),
		CASE(no_room_to_begin),
		CASE(room_for_the_last_features),
		CASE(taken_away),
		CASE(goes_on_after_a_kill),
		CASE(unread_pipe),
		CASE(reader_of_the_pipe_has_gone),
		CASE(too_many_ids_for_a_stream),
		CASE(attrs_of_different_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
