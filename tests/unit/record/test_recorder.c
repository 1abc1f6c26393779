/* SPDX-License-Identifier: MIT */
/* A complete recorder without the kernel: its counters are pipes, its ring buffer is memory, and
 * the test controls its clock. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/ns.h"
#include "record/output/places.h"
#include "record/recorder_internal.h"
#include "unit/base/tree.h"

#define RING_BYTES  (64u << 10)
#define RECORD_SIZE 64
#define HEAD_AT     1024 /* in the control page, as in the kernel */
#define NEWS_MAX    64

/* The simulated kernel, and the calls that it received. */
static struct {
	struct pfx_rings *rings;
	int end; /* write end of the pipe that replaces all counters: closing it ends them; -1:
		    closed */
	int attach_error;
	size_t largest; /* maximum size of a ring buffer */
	unsigned nr_attached, nr_enabled, nr_disabled, nr_on, nr_off;
	uint64_t ns, step; /* the clock, and its step at each call */
	unsigned
		off_limit; /* the counters end after they were disabled this many times; 0: never */
} kernel;

static void hang_up(void)
{
	if (kernel.end >= 0)
		close(kernel.end);
	kernel.end = -1;
}

static int attach(struct pfx_counters *set, struct pfx_target *target, const char *root,
		  struct pfx_error *err)
{
	int fds[2];
	size_t i;

	(void)target, (void)root;
	kernel.nr_attached++;
	if (kernel.attach_error)
		return pfx_error_set(err, kernel.attach_error, "no counters today");
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	hang_up();
	kernel.end = fds[1];
	for (i = 0; i < set->list.nr; i++) {
		struct pfx_counter *counter = &set->list.at[i];

		counter->fds.nr = 0;
		pfx_vec_push(&counter->fds,
			     ((struct pfx_counter_fd){
				     .fd = i ? dup(fds[0]) : fds[0], .tid = -1, .id = i + 1}));
	}
	return 0;
}

static int map(struct pfx_rings *rings, const struct pfx_counters *counters, size_t size,
	       struct pfx_error *err)
{
	struct pfx_ring *ring;
	void *page;

	if (kernel.largest && size > kernel.largest)
		return pfx_error_set(err, ENOMEM, "too large");
	page = mmap(NULL, size + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(page != MAP_FAILED);
	ring = pfx_vec_add(&rings->list);
	pfx_ring_init(ring, page, size);
	ring->tid = -1;
	ring->fd = counters->list.at[0].fds.at[0].fd;
	kernel.rings = rings;
	return 0;
}

static int enable(struct pfx_counters *set, struct pfx_error *err)
{
	(void)set, (void)err;
	kernel.nr_enabled++;
	return 0;
}

static void disable(struct pfx_counters *set)
{
	(void)set;
	kernel.nr_disabled++;
}

static void turn(const struct pfx_counter *counter, bool on)
{
	(void)counter;
	kernel.nr_on += on;
	kernel.nr_off += !on;
	if (kernel.off_limit && kernel.nr_off == kernel.off_limit)
		hang_up();
}

static uint64_t lost(const struct pfx_counter *counter, size_t fd_index)
{
	(void)counter, (void)fd_index;
	return 0;
}

static uint64_t now(const int32_t *clockid)
{
	(void)clockid;
	return kernel.ns;
}

static uint64_t monotonic(void)
{
	kernel.ns += kernel.step;
	return kernel.ns;
}

static const struct pfx_record_machine machine = {
	.attach = attach,
	.close = pfx_counters_close,
	.map = map,
	.unmap = pfx_rings_unmap,
	.enable = enable,
	.disable = disable,
	.turn = turn,
	.lost = lost,
	.now = now,
	.monotonic = monotonic,
};

/* --- a recorder on it --- */

struct world {
	struct tree tree;
	char path[128];
	struct pfx_recorder_options options;
	struct pfx_recorder_observer observer;
	struct pfx_recorder *rec;
	enum pfx_recorder_tag news[NEWS_MAX];
	size_t nr_news;
	char name[256]; /* of the last named file */
};

static void notify(void *context, const struct pfx_recorder_news *news)
{
	struct world *w = context;
	size_t at = __atomic_fetch_add(&w->nr_news, 1, __ATOMIC_RELAXED);

	if (at < NEWS_MAX)
		w->news[at] = news->tag;
	if (news->tag == PFX_RECORDER_FILE_NAMED)
		snprintf(w->name, sizeof(w->name), "%s", news->name);
}

static unsigned heard(const struct world *w, enum pfx_recorder_tag tag)
{
	unsigned nr = 0;
	size_t i;

	for (i = 0; i < w->nr_news && i < NEWS_MAX; i++)
		nr += w->news[i] == tag;
	return nr;
}

static void begin(struct world *w)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.end = -1;
	*w = (struct world){0};
	tree_init(&w->tree);
	tree_path(&w->tree, w->path, sizeof(w->path), "/perf.data");
	w->observer = (struct pfx_recorder_observer){notify, w};
	w->options.all_user = w->options.no_buildid = w->options.timestamp = true;
	w->options.ring_bytes = RING_BYTES;
	w->options.out.path = w->path;
	w->options.out.no_synth_tasks = true;
}

static void make(struct world *w)
{
	assert_int_equal(pfx_recorder_new_on(&w->rec, &machine, &w->options, &w->observer, NULL),
			 0);
}

static void start(struct world *w)
{
	struct pfx_error err = {0};

	make(w);
	assert_int_equal(pfx_recorder_start(w->rec, &err), 0);
}

/* Put samples into the ring buffer, as the kernel does. */
static void put(unsigned nr)
{
	const struct {
		uint32_t type;
		uint16_t misc, size;
		uint64_t words[RECORD_SIZE / 8 - 1];
	} sample = {PFX_RECORD_SAMPLE, PFX_MODE_USER, RECORD_SIZE, {0}};
	struct pfx_ring *ring = &kernel.rings->list.at[0];
	uint64_t head;

	memcpy(&head, (uint8_t *)ring->page + HEAD_AT, sizeof(head));
	for (; nr; nr--, head += RECORD_SIZE)
		memcpy(ring->data + (head & (ring->size - 1)), &sample, sizeof(sample));
	memcpy((uint8_t *)ring->page + HEAD_AT, &head, sizeof(head));
}

static void finish(struct world *w, struct pfx_recorder_result *result,
		   struct pfx_recorder_end *end)
{
	pfx_recorder_run(w->rec);
	pfx_recorder_stop(w->rec);
	pfx_recorder_result(w->rec, result);
	pfx_recorder_wait(w->rec, end);
}

static void end(struct world *w)
{
	pfx_recorder_free(w->rec);
	hang_up();
	pfx_vec_free(&w->options.out.ranges);
	tree_fini(&w->tree);
}

/* --- the tests --- */

static void from_new_to_free(void **state)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct world w;
	struct stat st;

	(void)state;
	begin(&w);
	start(&w);
	assert_int_equal(kernel.nr_enabled, 1);
	assert_int_equal(w.news[w.nr_news - 1], PFX_RECORDER_WAITS);
	put(3);
	hang_up();
	finish(&w, &result, &how);
	assert_int_equal(result.nr_samples, 3);
	assert_true(result.has_file && !result.is_gone && !result.is_packed);
	assert_string_equal(result.path, w.path);
	assert_true(result.bytes >= 3 * RECORD_SIZE);
	assert_int_equal(stat(w.path, &st), 0);
	assert_true((uint64_t)st.st_size > result.bytes);
	assert_false(how.failed || how.reader_gone || how.signal || how.has_status);
	assert_true(kernel.nr_disabled > 0);
	assert_int_equal(w.news[0], PFX_RECORDER_TARGET_CHOSEN);
	assert_int_equal(heard(&w, PFX_RECORDER_OPENED), 1);
	assert_int_equal(heard(&w, PFX_RECORDER_STOPPED), 1);
	assert_int_equal(heard(&w, PFX_RECORDER_FAILED), 0);
	end(&w);
}

/* Enabled from 10 to 20 ms, and from 40 to 50, by the clock only. */
static void the_clock_switches(void **state)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct world w;
	unsigned nr;

	(void)state;
	begin(&w);
	w.options.out.delayed = true;
	pfx_vec_push(&w.options.out.ranges, ((struct pfx_recorder_range){10, 20}));
	pfx_vec_push(&w.options.out.ranges, ((struct pfx_recorder_range){40, 50}));
	kernel.step = PFX_NS_PER_MS;
	start(&w);
	nr = (unsigned)w.rec->source.counters.list.nr;
	kernel.off_limit = 2 * nr;
	assert_int_equal(kernel.nr_enabled, 0);
	assert_int_equal(heard(&w, PFX_RECORDER_SWITCHED), 1);
	finish(&w, &result, &how);
	assert_int_equal(kernel.nr_on, 2 * nr);
	assert_int_equal(kernel.nr_off, 2 * nr);
	assert_int_equal(heard(&w, PFX_RECORDER_SWITCHED), 5);
	assert_true(kernel.ns >= 50 * PFX_NS_PER_MS);
	end(&w);
}

static void the_channel_commands(void **state)
{
	static const char words[] = "disable\nnonsense\nenable nothing\nevlist\nstop\n";
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct world w;
	char control[16];
	int fds[2];

	(void)state;
	begin(&w);
	assert_int_equal(pipe(fds), 0);
	snprintf(control, sizeof(control), "fd:%d", fds[0]);
	w.options.out.control = control;
	start(&w);
	put(2);
	assert_int_equal(write(fds[1], words, sizeof(words) - 1), sizeof(words) - 1);
	finish(&w, &result, &how);
	assert_int_equal(result.nr_samples, 2);
	assert_int_equal(kernel.nr_off, w.rec->source.counters.list.nr);
	assert_int_equal(heard(&w, PFX_RECORDER_SWITCHED), 1);
	assert_int_equal(heard(&w, PFX_RECORDER_CONTROL_UNKNOWN), 1);
	assert_int_equal(heard(&w, PFX_RECORDER_EVENT_UNKNOWN), 1);
	assert_int_equal(heard(&w, PFX_RECORDER_EVENTS_WANTED), 1);
	close(fds[0]);
	close(fds[1]);
	end(&w);
}

/* The samples before the command are in the first file, those after it in the second one. */
static void several_files(void **state)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct world w;
	char control[16];
	struct stat st;
	int fds[2];

	(void)state;
	begin(&w);
	assert_int_equal(pipe(fds), 0);
	snprintf(control, sizeof(control), "fd:%d", fds[0]);
	w.options.out.control = control;
	w.options.out.switches = w.options.out.timestamp_filename = true;
	start(&w);
	put(5);
	assert_int_equal(write(fds[1], "snapshot\nstop\n", 14), 14);
	finish(&w, &result, &how);
	assert_int_equal(result.nr_samples, 5);
	assert_int_equal(heard(&w, PFX_RECORDER_FILE_ENDED), 1);
	assert_int_equal(heard(&w, PFX_RECORDER_FILE_NAMED), 2);
	assert_int_equal(stat(w.name, &st), 0);
	assert_int_equal(access(w.path, F_OK), -1);
	close(fds[0]);
	close(fds[1]);
	end(&w);
}

/* A default size is reduced until it fits; a size that the user chose is not. */
static void ring_buffers_that_fit(void **state)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct pfx_error err = {0};
	struct world w;

	(void)state;
	begin(&w);
	w.options.ring_bytes = 0;
	kernel.largest = RING_BYTES;
	start(&w);
	assert_int_equal(w.rec->source.ring_bytes, RING_BYTES);
	assert_true(kernel.nr_attached > 1);
	hang_up();
	finish(&w, &result, &how);
	end(&w);

	begin(&w);
	w.options.ring_bytes = 2 * RING_BYTES;
	kernel.largest = RING_BYTES;
	make(&w);
	assert_int_equal(pfx_recorder_start(w.rec, &err), -ENOMEM);
	assert_string_equal(err.text, "too large");
	end(&w);
}

/* After an error the output is removed, and a dry run opens nothing. */
static void cannot_start(void **state)
{
	struct pfx_error err = {0};
	struct world w;

	(void)state;
	begin(&w);
	kernel.attach_error = EACCES;
	make(&w);
	assert_int_equal(pfx_recorder_start(w.rec, &err), -EACCES);
	assert_int_equal(pfx_recorder_blame(w.rec), PFX_RECORDER_BLAME_SYSTEM);
	assert_int_equal(access(w.path, F_OK), -1);
	assert_int_equal(heard(&w, PFX_RECORDER_OPENED), 0);
	end(&w);

	begin(&w);
	w.options.pids = "999999999";
	make(&w);
	assert_true(pfx_recorder_start(w.rec, &err) < 0);
	assert_int_equal(pfx_recorder_blame(w.rec), PFX_RECORDER_BLAME_TARGET);
	assert_int_equal(kernel.nr_attached, 0);
	end(&w);

	begin(&w);
	w.options.dry_run = true;
	start(&w);
	assert_int_equal(kernel.nr_attached, 0);
	assert_int_equal(access(w.path, F_OK), -1);
	end(&w);
}

/* The recording ends with the workload, and returns its result. */
static void with_a_command(void **state)
{
	char sh[] = "sh", option[] = "-c", script[] = "exit 7";
	char *words[] = {sh, option, script, NULL};
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct world w;

	(void)state;
	begin(&w);
	w.options.command = words;
	start(&w);
	assert_int_equal(heard(&w, PFX_RECORDER_WAITS), 0);
	finish(&w, &result, &how);
	assert_true(how.has_status && WIFEXITED(how.status));
	assert_int_equal(WEXITSTATUS(how.status), 7);
	end(&w);
}

/* Others remove the file during the recording: that is reported, once. */
static void the_file_is_gone(void **state)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct world w;

	(void)state;
	begin(&w);
	start(&w);
	put(1);
	assert_int_equal(unlink(w.path), 0);
	hang_up();
	finish(&w, &result, &how);
	assert_true(how.failed && result.is_gone);
	assert_int_equal(heard(&w, PFX_RECORDER_FAILED), 1);
	end(&w);
}

/* The reader of a stream closes it: that is not an error, but reported at the end. */
static void the_reader_is_gone(void **state)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct world w;
	int reader;

	(void)state;
	begin(&w);
	assert_int_equal(mkfifo(w.path, 0600), 0);
	reader = open(w.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	start(&w);
	close(reader);
	put(1);
	hang_up();
	finish(&w, &result, &how);
	assert_true(how.reader_gone && !how.failed);
	assert_int_equal(heard(&w, PFX_RECORDER_READER_GONE), 1);
	assert_int_equal(heard(&w, PFX_RECORDER_FAILED), 0);
	end(&w);
}

/* A directory with a file for each ring buffer; the ring buffer is emptied at the end, too. */
static void in_lanes(void **state)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct world w;
	char name[160];
	struct stat st;

	(void)state;
	begin(&w);
	w.options.out.threads = PFX_PLACES_DEFAULT;
	start(&w);
	put(4);
	hang_up();
	finish(&w, &result, &how);
	assert_int_equal(result.nr_samples, 4);
	assert_false(how.failed);
	snprintf(name, sizeof(name), "%s/data.0", w.path);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_size, 4 * RECORD_SIZE);
	end(&w);
}

/* The size limit ends it, while the counters still run. */
static void the_size_ends_it(void **state)
{
	struct pfx_recorder_result result;
	struct pfx_recorder_end how;
	struct world w;

	(void)state;
	begin(&w);
	w.options.out.max_size = 1;
	start(&w);
	put(2);
	finish(&w, &result, &how);
	assert_int_equal(heard(&w, PFX_RECORDER_SIZE_REACHED), 1);
	assert_int_equal(result.nr_samples, 2);
	assert_false(how.failed || how.signal);
	assert_true(kernel.end >= 0);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_new_to_free),      cmocka_unit_test(the_clock_switches),
		cmocka_unit_test(the_channel_commands),  cmocka_unit_test(several_files),
		cmocka_unit_test(ring_buffers_that_fit), cmocka_unit_test(cannot_start),
		cmocka_unit_test(with_a_command),        cmocka_unit_test(the_file_is_gone),
		cmocka_unit_test(the_reader_is_gone),    cmocka_unit_test(in_lanes),
		cmocka_unit_test(the_size_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
