/* SPDX-License-Identifier: MIT */
/* The end of a file without disk space: the error is reported. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "unit/record/offcpu_world.h"

#include "record/file/record_file.h"
#include "unit/base/tree.h"

#define NR_THREADS 2000
/* The features at the end fit, the samples of all threads do not. */
#define LIMIT (64u << 10)

struct recording {
	struct tree tree;
	struct world world;
	struct pfx_recorder_options options;
	struct pfx_recorder_observer observer;
	struct pfx_record_plan plan;
	struct pfx_record_source source;
	struct pfx_record_file file;
	size_t nr_news;
	char path[128], elsewhere[128];
	struct rlimit limit;
};

/* Each thread slept for a short time: the sums are written at the end of the file. */
static void sleep_all(struct world *w)
{
	uint32_t i;

	for (i = 0; i < NR_THREADS; i++) {
		put_sleep(w, (1 + 2 * i) * MS, 1000 + i);
		put_wake(w, (2 + 2 * i) * MS, 1000 + i);
	}
	put_round(w);
	put_round(w);
	pass(w);
}

static void tell(void *context, const struct pfx_recorder_news *news)
{
	struct recording *r = context;

	(void)news;
	r->nr_news++;
}

static void begin(struct recording *r)
{
	struct rlimit limit;

	*r = (struct recording){.options = {.no_buildid = true, .out.off_cpu = true}};
	tree_init(&r->tree);
	tree_path(&r->tree, r->path, sizeof(r->path), "/perf.data");
	tree_path(&r->tree, r->elsewhere, sizeof(r->elsewhere), "/none/perf.data");
	setup(&r->world, 500 * MS, true);
	sleep_all(&r->world);
	r->observer = (struct pfx_recorder_observer){tell, r};
	r->plan.options = &r->options;
	r->plan.observer = &r->observer;
	r->plan.place.path = r->path;
	r->source.machine = &pfx_record_kernel;
	r->file.plan = &r->plan;
	r->file.source = &r->source;
	r->file.meta = r->world.meta;
	r->file.sink.offcpu = r->world.offcpu;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &r->limit), 0);
	limit = r->limit;
	limit.rlim_cur = LIMIT;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(pfx_writer_open(&r->file.sink.writer, r->path, NULL), 0);
	assert_int_equal(pfx_writer_begin(r->file.sink.writer, r->file.meta, NULL), 0);
	pfx_tally_init(&r->file.sink.tally, r->file.meta, false);
}

static void end(struct recording *r)
{
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &r->limit), 0);
	r->file.meta = NULL;
	pfx_record_file_fini(&r->file);
	r->world.offcpu = NULL; /* the sink owned it */
	teardown(&r->world);
	tree_fini(&r->tree);
}

static void no_room_at_the_end(void **state)
{
	struct pfx_error err = {0};
	struct recording r;
	bool is_gone;

	(void)state;
	begin(&r);
	assert_int_equal(pfx_record_file_finish(&r.file, true, &is_gone, &err), -EFBIG);
	assert_false(is_gone);
	assert_non_null(strstr(err.text, "cannot write"));
	assert_true(pfx_writer_bytes(r.file.sink.writer) > 0);
	end(&r);
}

/* If this file cannot be ended, the next one is not begun. Renaming would fail, too. */
static void no_room_before_the_next_file(void **state)
{
	struct pfx_error err = {0};
	struct recording r;

	(void)state;
	begin(&r);
	r.plan.place.path = r.elsewhere;
	assert_int_equal(pfx_record_file_next(&r.file, &err), -EFBIG);
	assert_non_null(strstr(err.text, "cannot write"));
	assert_non_null(r.file.sink.writer);
	assert_int_equal(r.nr_news, 0);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_room_at_the_end),
		cmocka_unit_test(no_room_before_the_next_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
