/* SPDX-License-Identifier: MIT */
/* Both outputs of a recorder, from their queues to files, without a kernel: all data are in the
 * files, limits and switches occur in time, errors reach the other thread. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/output/drain.h"
#include "record/output/output.h"
#include "record/output/places.h"
#include "unit/base/tree.h"

#define NR_RINGS    2
#define RECORD_SIZE 64
#define MEMORY      (32u << 20)

struct world {
	struct tree tree;
	char path[128], before[128]; /* the file, and the previous one */
	struct pfx_meta *meta;
	struct pfx_rings rings;
	struct pfx_sink sink;
	struct pfx_output_owner owner;
	struct pfx_output_setup setup;
	struct pfx_output *out;
	struct rlimit limit;
	/* Requests to the owner. */
	uint64_t limit_bytes, bytes_at_answer;
	size_t nr_files, request;
	bool is_blocked; /* the file of the first lane cannot be created in the next directory */
};

static void open_file(struct world *w)
{
	struct pfx_error err;
	int rc = w->setup.places ? pfx_writer_open_dir(&w->sink.writer, w->path, &err)
				 : pfx_writer_open(&w->sink.writer, w->path, &err);

	assert_int_equal(rc, 0);
	assert_int_equal(pfx_writer_begin(w->sink.writer, w->meta, &err), 0);
	pfx_tally_init(&w->sink.tally, w->meta, false);
}

static int next_file(void *context, struct pfx_error *err)
{
	struct world *w = context;

	assert_int_equal(pfx_writer_end(w->sink.writer, err), 0);
	assert_int_equal(pfx_sink_close_file(&w->sink, err), 0);
	w->nr_files++;
	assert_int_equal(rename(w->path, w->before), 0);
	open_file(w);
	if (w->is_blocked) {
		char blocked[160];

		snprintf(blocked, sizeof(blocked), "%s/data.0", w->path);
		assert_int_equal(mkdir(blocked, 0700), 0);
	}
	return 0;
}

static int answer(void *context, size_t request, struct pfx_error *err)
{
	struct world *w = context;

	(void)err;
	w->request = request;
	w->bytes_at_answer = pfx_writer_bytes(w->sink.writer);
	return 0;
}

static void reached_limit(void *context, uint64_t bytes)
{
	struct world *w = context;

	w->limit_bytes = bytes;
}

static void begin(struct world *w, const char *places)
{
	const struct pfx_attr attr = {.size = PFX_ATTR_SIZE_VER7, .sample_type = PFX_SAMPLE_IP};
	size_t i;

	*w = (struct world){.owner = {next_file, answer, reached_limit, NULL, w}};
	tree_init(&w->tree);
	tree_path(&w->tree, w->path, sizeof(w->path), "/perf.data");
	tree_path(&w->tree, w->before, sizeof(w->before), "/perf.data.1");
	w->meta = pfx_meta_new();
	pfx_meta_add_event(w->meta, &attr, "event");
	pfx_meta_update(w->meta);
	for (i = 0; i < NR_RINGS; i++)
		pfx_vec_push(&w->rings.list, (struct pfx_ring){.cpu = (int)i});
	w->setup = (struct pfx_output_setup){
		.owner = &w->owner,
		.sink = &w->sink,
		.rings = &w->rings,
		.memory = MEMORY,
		.places = places,
		.dir = w->path,
		.notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &w->limit), 0);
	open_file(w);
}

static void start(struct world *w)
{
	assert_int_equal(pfx_output_new(&w->out, &w->setup, NULL), 0);
}

static void end(struct world *w)
{
	pfx_output_free(w->out);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &w->limit), 0);
	pfx_sink_fini(&w->sink);
	pfx_vec_free(&w->rings.list);
	pfx_meta_free(w->meta);
	close(w->setup.notify_fd);
	tree_fini(&w->tree);
}

static bool was_notified(const struct world *w)
{
	struct pollfd fd = {.fd = w->setup.notify_fd, .events = POLLIN};

	return poll(&fd, 1, 0) == 1;
}

/* Samples into a ring's queue. */
static void put(struct world *w, size_t ring, unsigned nr)
{
	struct pfx_queue *queue = pfx_output_queue_of(w->out, ring);
	const struct {
		uint32_t type;
		uint16_t misc, size;
		uint64_t words[RECORD_SIZE / 8 - 1];
	} sample = {PFX_RECORD_SAMPLE, PFX_MODE_USER, RECORD_SIZE, {0}};
	size_t room;

	for (; nr; nr--) {
		memcpy(pfx_queue_room(queue, sizeof(sample), &room), &sample, sizeof(sample));
		pfx_queue_put(queue, sizeof(sample));
	}
}

static off_t size_of(const struct world *w, const char *name)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", w->path, name);
	return stat(path, &st) == 0 ? st.st_size : -1;
}

static void one_queue(void **state)
{
	struct pfx_output_totals totals;
	struct world w;

	(void)state;
	begin(&w, NULL);
	start(&w);
	assert_true(pfx_output_has_rounds(w.out));
	assert_ptr_equal(pfx_output_queue_of(w.out, 0), pfx_output_queue_of(w.out, 1));
	put(&w, 0, 3);
	put(&w, 1, 4);
	assert_int_equal(pfx_output_ask(w.out, PFX_OUTPUT_ASK_OWN + 5, NULL), 0);
	put(&w, 0, 1);
	assert_int_equal(pfx_output_flush(w.out, NULL), 0);
	assert_int_equal(pfx_output_stop(w.out, NULL), 0);
	assert_int_equal(w.request, PFX_OUTPUT_ASK_OWN + 5);
	assert_int_equal(w.bytes_at_answer, 7 * RECORD_SIZE);
	assert_int_equal(w.sink.tally.nr_samples, 8);
	pfx_output_totals(w.out, &w.sink, &totals);
	assert_int_equal(totals.bytes, 8 * RECORD_SIZE);
	assert_false(pfx_output_ends(w.out));
	assert_false(was_notified(&w));
	end(&w);
}

static void lanes(void **state)
{
	struct pfx_output_totals totals;
	char name[256];
	struct world w;

	(void)state;
	begin(&w, PFX_PLACES_DEFAULT);
	start(&w);
	assert_false(pfx_output_has_rounds(w.out));
	put(&w, 0, 3);
	put(&w, 1, 4);
	assert_int_equal(pfx_output_flush(w.out, NULL), 0);
	assert_int_equal(pfx_output_stop(w.out, NULL), 0);
	assert_int_equal(size_of(&w, "/data.0"), 3 * RECORD_SIZE);
	assert_int_equal(size_of(&w, "/data.1"), 4 * RECORD_SIZE);
	assert_int_equal(w.sink.tally.nr_samples, 7);
	pfx_output_totals(w.out, &w.sink, &totals);
	assert_int_equal(totals.bytes, 7 * RECORD_SIZE);
	assert_int_equal(pfx_output_check(w.out, NULL), 0);
	snprintf(name, sizeof(name), "%s/data.1", w.path);
	unlink(name);
	assert_int_equal(pfx_output_check(w.out, NULL), -ESTALE);
	end(&w);
}

/* Data after the limit are not written. */
static void ends_at_the_limit(void **state)
{
	const char *const forms[] = {NULL, PFX_PLACES_DEFAULT};
	struct pfx_output_totals totals;
	struct world w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		begin(&w, forms[i]);
		w.setup.max_size = pfx_writer_offset(w.sink.writer) + 2 * RECORD_SIZE;
		start(&w);
		put(&w, 0, 2);
		assert_int_equal(pfx_output_flush(w.out, NULL), 0);
		while (!pfx_output_ends(w.out))
			usleep(1000);
		put(&w, 1, 5);
		assert_int_equal(pfx_output_stop(w.out, NULL), 0);
		assert_int_equal(w.limit_bytes, w.setup.max_size);
		assert_true(was_notified(&w));
		pfx_output_totals(w.out, &w.sink, &totals);
		assert_int_equal(totals.bytes, 2 * RECORD_SIZE);
		end(&w);
	}
}

/* All earlier data are in the old file, and nothing else. */
static void switches_files(void **state)
{
	const char *const forms[] = {NULL, PFX_PLACES_DEFAULT};
	struct world w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		begin(&w, forms[i]);
		start(&w);
		put(&w, 0, 3);
		put(&w, 1, 2);
		assert_true(pfx_output_begin_switch(w.out));
		assert_false(pfx_output_begin_switch(w.out));
		pfx_output_ask_switch(w.out);
		put(&w, 1, 1);
		assert_int_equal(pfx_output_stop(w.out, NULL), 0);
		assert_int_equal(w.nr_files, 1);
		assert_int_equal(w.sink.nr_samples, 5);
		assert_int_equal(w.sink.tally.nr_samples, 1);
		assert_true(pfx_output_begin_switch(w.out));
		end(&w);
	}
}

/* One queue switches by itself; lanes request it, because all of them have to wait for each
 * other. */
static void switches_by_size(void **state)
{
	struct world w;

	(void)state;
	begin(&w, NULL);
	w.setup.switch_bytes = pfx_writer_offset(w.sink.writer) + RECORD_SIZE;
	start(&w);
	put(&w, 0, 1);
	assert_int_equal(pfx_output_stop(w.out, NULL), 0);
	assert_int_equal(w.nr_files, 1);
	assert_false(pfx_output_is_full(w.out));
	end(&w);

	begin(&w, PFX_PLACES_DEFAULT);
	w.setup.switch_bytes = pfx_writer_offset(w.sink.writer) + RECORD_SIZE;
	start(&w);
	put(&w, 0, 1);
	assert_int_equal(pfx_output_stop(w.out, NULL), 0);
	assert_int_equal(w.nr_files, 0);
	assert_true(was_notified(&w));
	assert_true(pfx_output_is_full(w.out));
	assert_false(pfx_output_is_full(w.out));
	end(&w);
}

/* The other lane does not wait for the failed one. */
static void no_room(void **state)
{
	const char *const forms[] = {NULL, PFX_PLACES_DEFAULT};
	struct pfx_error err;
	struct rlimit limit;
	struct world w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		begin(&w, forms[i]);
		start(&w);
		limit = w.limit;
		limit.rlim_cur = pfx_writer_offset(w.sink.writer) + RECORD_SIZE;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		put(&w, 0, 1000);
		pfx_output_ask_switch(w.out);
		err = (struct pfx_error){0};
		assert_int_equal(pfx_output_stop(w.out, &err), -EFBIG);
		assert_non_null(strstr(err.text, "cannot write"));
		assert_true(was_notified(&w));
		assert_int_equal(w.nr_files, 0);
		assert_true(pfx_writer_bytes(w.sink.writer) <= RECORD_SIZE);
		end(&w);
	}
}

/* Lanes without a file in the new directory: their old files are complete, and are not reported as
 * removed. */
static void no_room_for_the_next_directory(void **state)
{
	struct pfx_output_totals totals;
	struct pfx_error err = {0};
	struct world w;

	(void)state;
	begin(&w, PFX_PLACES_DEFAULT);
	w.is_blocked = true;
	start(&w);
	put(&w, 0, 3);
	put(&w, 1, 3);
	pfx_output_ask_switch(w.out);
	assert_int_equal(pfx_output_stop(w.out, &err), -EISDIR);
	assert_int_equal(pfx_output_check(w.out, NULL), 0);
	pfx_output_totals(w.out, &w.sink, &totals);
	assert_int_equal(totals.bytes, 0);
	end(&w);
}

#define RING_SIZE 4096
#define HEAD_AT   1024 /* in the control page, as in the kernel */

/* Ring buffers in plain memory: one of them has records that wrap around its end. */
static void empties_rings(void **state)
{
	const uint64_t at = RING_SIZE - RECORD_SIZE, head = at + 2 * RECORD_SIZE;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct {
		uint32_t type;
		uint16_t misc, size;
	} sample = {PFX_RECORD_SAMPLE, PFX_MODE_USER, RECORD_SIZE};
	struct pfx_drain drain;
	struct world w;
	uint8_t *pages[NR_RINGS];
	size_t i;

	(void)state;
	begin(&w, NULL);
	for (i = 0; i < NR_RINGS; i++) {
		pages[i] = pfx_calloc(1, page + RING_SIZE);
		memcpy(pages[i] + HEAD_AT + 8, &at, sizeof(at));
		memcpy(pages[i] + HEAD_AT, i ? &head : &at, sizeof(at));
		memcpy(pages[i] + page, &sample, sizeof(sample));
		memcpy(pages[i] + page + at, &sample, sizeof(sample));
		pfx_ring_init(&w.rings.list.at[i], pages[i], RING_SIZE);
	}
	start(&w);
	pfx_drain_init(&drain, w.out, &w.rings, NULL, false);
	assert_int_equal(pfx_drain_pass(&drain), 2 * RECORD_SIZE);
	pfx_drain_put_round(&drain);
	assert_int_equal(pfx_drain_pass(&drain), 0);
	assert_int_equal(drain.nr_wakes, 1);
	assert_int_equal(pfx_drain_collect(&drain, NULL), 0);
	assert_int_equal(pfx_output_stop(w.out, NULL), 0);
	assert_int_equal(w.sink.tally.nr_samples, 2);
	assert_int_equal(pfx_writer_bytes(w.sink.writer), 2 * RECORD_SIZE + 8);
	pfx_drain_fini(&drain);
	end(&w);
	for (i = 0; i < NR_RINGS; i++)
		free(pages[i]);
}

/* The misc bits of the records that a pass puts into the file of one ring buffer's map and sample.
 */
static void pass_marked(bool has_map_ids, bool backward, uint16_t *ret)
{
	const uint16_t mark = PFX_MODE_USER | PFX_MISC_MMAP_BUILD_ID;
	const uint64_t head = 2 * RECORD_SIZE, down = -head;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct {
		uint32_t type;
		uint16_t misc, size;
		uint64_t words[RECORD_SIZE / 8 - 1];
	} records[2] = {{PFX_RECORD_MMAP2, mark, RECORD_SIZE, {0}},
			{PFX_RECORD_SAMPLE, mark, RECORD_SIZE, {0}}};
	struct pfx_drain drain;
	struct world w;
	uint8_t *pages = pfx_calloc(1, page + RING_SIZE);
	FILE *file;

	begin(&w, NULL);
	w.rings.list.nr = 1;
	memcpy(pages + HEAD_AT, backward ? &down : &head, sizeof(head));
	memcpy(pages + page + (backward ? RING_SIZE - sizeof(records) : 0), records,
	       sizeof(records));
	pfx_ring_init(&w.rings.list.at[0], pages, RING_SIZE);
	w.rings.list.at[0].backward = backward;
	start(&w);
	pfx_drain_init(&drain, w.out, &w.rings, NULL, has_map_ids);
	pfx_drain_pass(&drain);
	assert_int_equal(pfx_drain_collect(&drain, NULL), 0);
	assert_int_equal(pfx_output_stop(w.out, NULL), 0);
	file = fopen(w.path, "rb");
	assert_non_null(file);
	assert_int_equal(
		fseek(file, (long)(pfx_writer_offset(w.sink.writer) - sizeof(records)), SEEK_SET),
		0);
	assert_int_equal(fread(records, sizeof(records), 1, file), 1);
	fclose(file);
	/* Downward, the last record is the first one in the ring buffer. */
	ret[0] = records[backward].misc;
	ret[1] = records[!backward].misc;
	pfx_drain_fini(&drain);
	end(&w);
	free(pages);
}

/* The kernel marks maps of all recorders when one of them requests build IDs. */
static void clears_marks(void **state)
{
	const uint16_t mark = PFX_MODE_USER | PFX_MISC_MMAP_BUILD_ID;
	uint16_t misc[2];
	int backward;

	(void)state;
	for (backward = 0; backward < 2; backward++) {
		pass_marked(false, backward, misc);
		assert_int_equal(misc[0], PFX_MODE_USER);
		assert_int_equal(misc[1], mark); /* of a sample it says something else */
		pass_marked(true, backward, misc);
		assert_int_equal(misc[0], mark);
	}
}

static void places(void **state)
{
	struct pfx_error err = {0};
	cpu_set_t set;

	(void)state;
	assert_int_equal(pfx_places_check("cpu", &err), 0);
	assert_int_equal(pfx_places_check("0/0", &err), 0);
	assert_int_equal(pfx_places_check("everywhere", &err), -EINVAL);
	assert_int_equal(pfx_places_check("0/0:0/0", &err), -EINVAL);
	assert_string_equal(err.text, "CPU 0 is listed twice");
	pfx_places_of("cpu", 0, &set);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(0, &set));
	pfx_places_of("cpu", -1, &set);
	assert_int_equal(CPU_COUNT(&set), 0);
	pfx_places_of("1/0", 0, &set);
	assert_int_equal(CPU_COUNT(&set), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_queue),
		cmocka_unit_test(lanes),
		cmocka_unit_test(ends_at_the_limit),
		cmocka_unit_test(switches_files),
		cmocka_unit_test(switches_by_size),
		cmocka_unit_test(no_room),
		cmocka_unit_test(no_room_for_the_next_directory),
		cmocka_unit_test(empties_rings),
		cmocka_unit_test(clears_marks),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
