/* SPDX-License-Identifier: MIT */
/* The door for reading recordings (pfx/input.h), as another program uses it. */
#include "unit/api/api_world.h"

#define PATH "test-input.data"

static void test_samples(void **state)
{
	struct pfx_error err = {0};
	struct pfx_input *input;
	unsigned big;

	for (big = 0; big < 2; big++) {
		build(world, PATH, big);
		input = open_input(PATH, NULL);
		assert_true(pfx_input_time(input) == UINT64_MAX);
		assert_int_equal(pfx_input_next_sample(input, &err), 1);
		assert_int_equal(pfx_input_pid(input), 7);
		assert_int_equal(pfx_input_tid(input), 7);
		assert_int_equal(pfx_input_cpu(input), 1);
		assert_int_equal(pfx_input_time(input), 100);
		assert_int_equal(pfx_input_period(input), 5);
		assert_int_equal(pfx_input_ip(input), 0xffffffff81000210);
		assert_int_equal(pfx_input_level(input), 'k');
		assert_int_equal(pfx_input_type(input), 9);
		assert_string_equal(pfx_input_type_name(input), "SAMPLE");
		assert_string_equal(pfx_input_comm(input), "one");
		assert_int_equal(pfx_input_is_swapped(input), big);
		assert_int_equal(pfx_input_next_sample(input, &err), 1);
		assert_int_equal(pfx_input_next_sample(input, &err), 1);
		assert_string_equal(pfx_input_comm(input), "two");
		assert_int_equal(pfx_input_next_sample(input, &err), 1);
		assert_int_equal(pfx_input_next_sample(input, &err), 0);
		assert_int_equal(pfx_input_next_sample(input, &err), 0);
		assert_int_equal(pfx_input_pid(input), -1);
		pfx_input_close(input);
	}
	(void)state;
}

static void is_frame(struct pfx_input *input, uint32_t stack, uint32_t i, const char *symbol)
{
	struct pfx_frame frame = PFX_INIT(struct pfx_frame);

	pfx_input_frame(input, stack, i, &frame);
	assert_string_equal(frame.symbol, symbol);
	assert_int_equal(frame.offset, 0x10);
	assert_string_equal(frame.dso, "[kernel.kallsyms]");
	assert_true(frame.is_kernel);
	assert_false(frame.is_inlined);
}

/* A frame may be what is asked for first. */
static void test_frame_at_once(void **state)
{
	struct pfx_error err = {0};
	struct pfx_input *input;
	uint32_t id;

	(void)state;
	build(world, PATH, false);
	input = open_input(PATH, NULL);
	assert_int_equal(pfx_input_next_sample(input, &err), 1);
	is_frame(input, pfx_input_stack(input), 0, "leaf");
	pfx_input_close(input);
	input = open_input(PATH, NULL);
	assert_int_equal(pfx_input_next_sample(input, &err), 1);
	id = pfx_input_frame_id(input, pfx_input_stack(input), 0);
	assert_int_equal(pfx_input_frame_id(input, pfx_input_stack(input), 0), id);
	pfx_input_close(input);
}

static void test_frames(void **state)
{
	struct pfx_error err = {0};
	struct pfx_input *input;
	uint32_t first, last;

	(void)state;
	build(world, PATH, false);
	input = open_input(PATH, NULL);
	assert_int_equal(pfx_input_next_sample(input, &err), 1);
	first = pfx_input_stack(input);
	assert_int_equal(pfx_input_nr_frames(input, pfx_input_nr_stacks(input)), 0);
	assert_int_equal(pfx_input_nr_frames(input, UINT32_MAX), 0);
	assert_int_equal(pfx_input_nr_frames(input, first), 3);
	is_frame(input, first, 0, "leaf");
	is_frame(input, first, 1, "middle");
	is_frame(input, first, 2, "start");
	assert_int_equal(pfx_input_next_sample(input, &err), 1);
	assert_int_equal(pfx_input_stack(input), first);
	assert_int_equal(pfx_input_next_sample(input, &err), 1);
	assert_int_equal(pfx_input_stack(input), first);
	/* without a chain: where it was taken */
	assert_int_equal(pfx_input_next_sample(input, &err), 1);
	last = pfx_input_stack(input);
	assert_int_not_equal(last, first);
	assert_true(last < pfx_input_nr_stacks(input));
	assert_int_equal(pfx_input_nr_frames(input, last), 1);
	is_frame(input, last, 0, "other");
	assert_int_not_equal(pfx_input_frame_id(input, last, 0),
			     pfx_input_frame_id(input, first, 0));
	pfx_input_close(input);
}

static void test_filters(void **state)
{
	static const struct {
		struct pfx_input_options options;
		unsigned nr;
	} rows[] = {
		{{.from = 150}, 3},        {{.from = 150, .to = 300}, 2},
		{{.cpus = "2"}, 1},        {{.comms = "two"}, 2},
		{{.pids = "7"}, 2},        {{.tids = "9,10"}, 2},
		{{.comms = "no such"}, 0},
	};
	struct pfx_input_options options;
	struct pfx_error err = {0};
	struct pfx_input *input;
	unsigned i, nr;

	(void)state;
	build(world, PATH, false);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		options = rows[i].options;
		options.size = sizeof(options);
		input = open_input(PATH, &options);
		for (nr = 0; pfx_input_next_sample(input, &err) > 0; nr++)
			;
		assert_int_equal(nr, rows[i].nr);
		pfx_input_close(input);
	}
}

static void test_branches_and_raw(void **state)
{
	struct pfx_branch_info branch = PFX_INIT(struct pfx_branch_info);
	struct pfx_error err = {0};
	struct pfx_input *input;
	size_t size;

	(void)state;
	build(world, PATH, false);
	input = open_input(PATH, NULL);
	assert_int_equal(pfx_input_next_sample(input, &err), 1);
	assert_int_equal(pfx_input_nr_branches(input), 2);
	pfx_input_branch(input, 0, &branch);
	assert_int_equal(branch.from, 0x401000);
	assert_int_equal(branch.to, 0x402000);
	assert_int_equal(branch.cycles, 0x50);
	assert_true(branch.mispredicted);
	pfx_input_branch(input, 1, &branch);
	assert_true(branch.predicted);
	assert_non_null(pfx_input_raw(input, &size));
	assert_int_equal(size, 12);
	assert_int_equal(pfx_input_nr_fields(input), 0); /* not a tracepoint */
	pfx_input_close(input);
}

/* The tracepoint sched:tick of tests/golden with a sample. */
static void build_tracepoint(void)
{
	char text[8192] = "";
	size_t size;
	FILE *file = fopen(PFX_SOURCE_DIR "/tests/golden/tracepoints.txt", "r");

	assert_non_null(file);
	size = fread(text, 1, sizeof(text) - 256, file);
	fclose(file);
	snprintf(text + size, sizeof(text) - size, "%s",
		 "\nsample ip=0x10 pid=10 tid=10 time=5 id=1 cpu=0 raw=2c01000000000000fdffffff\n"
		 "round\n");
	build(text, PATH, false);
}

static void test_fields(void **state)
{
	struct pfx_raw_field field = PFX_INIT(struct pfx_raw_field);
	struct pfx_error err = {0};
	struct pfx_input *input;

	(void)state;
	build_tracepoint();
	input = open_input(PATH, NULL);
	assert_int_equal(pfx_input_next_sample(input, &err), 1);
	assert_int_equal(pfx_input_nr_fields(input), 1);
	pfx_input_field(input, 0, &field);
	assert_string_equal(field.name, "number");
	assert_int_equal(field.kind, PFX_RAW_NUMBER);
	assert_int_equal((int64_t)field.number, -3);
	assert_int_equal(pfx_input_find_field(input, "number", &field), 1);
	assert_int_equal(pfx_input_find_field(input, "no", &field), 0);
	pfx_input_close(input);
}

static void test_recording(void **state)
{
	struct pfx_thread_info thread = PFX_INIT(struct pfx_thread_info);
	struct pfx_event_info event = PFX_INIT(struct pfx_event_info);
	struct pfx_losses losses = PFX_INIT(struct pfx_losses);
	const char *name = NULL, *value = NULL;
	struct pfx_error err = {0};
	struct pfx_input *input;
	bool is_seven = false;
	uint32_t i;

	(void)state;
	build(world, PATH, false);
	input = open_input(PATH, NULL);
	while (pfx_input_next(input, &err) > 0)
		;
	assert_int_equal(pfx_input_nr_events(input), 2);
	pfx_input_event_info(input, 0, &event);
	assert_string_equal(event.name, "cpu-clock");
	assert_true(event.is_freq);
	assert_int_equal(event.period_or_freq, 1000);
	assert_true(pfx_input_header(input, 0, &name, &value));
	assert_string_equal(name, "hostname");
	assert_string_equal(value, "box");
	assert_false(pfx_input_header(input, 99, &name, &value));
	for (i = 0; i < pfx_input_nr_threads(input); i++) {
		pfx_input_thread_info(input, i, &thread);
		is_seven |= thread.tid == 7 && !strcmp(thread.comm, "one");
	}
	assert_true(is_seven);
	pfx_input_losses(input, &losses);
	assert_int_equal(losses.nr_samples, 4);
	assert_int_equal(losses.lost_records, 3);
	assert_false(losses.is_cut_short);
	pfx_input_close(input);
}

/* Programs that know less or more than this version of a struct. */
static void test_sizes(void **state)
{
	struct pfx_input_options options = {0};
	struct {
		struct pfx_losses losses;
		uint64_t later;
	} large = {.losses.size = sizeof(large), .later = 77};
	struct {
		size_t size;
		uint64_t nr_records;
		uint64_t beyond;
	} small = {.size = 2 * sizeof(size_t), .beyond = 78};
	struct pfx_error err = {0};
	struct pfx_input *input;

	(void)state;
	build(world, PATH, false);
	assert_int_equal(pfx_input_open(&input, PATH, &options, &err), -22);
	assert_string_equal(err.text, "'size' of struct pfx_input_options is not set");
	assert_null(input);
	input = open_input(PATH, NULL);
	while (pfx_input_next(input, &err) > 0)
		;
	pfx_input_losses(input, &large.losses);
	assert_int_equal(large.losses.nr_samples, 4);
	assert_int_equal(large.later, 77);
	pfx_input_losses(input, (struct pfx_losses *)&small);
	assert_true(small.nr_records > 4);
	assert_int_equal(small.beyond, 78);
	pfx_input_close(input);
}

static void test_errors(void **state)
{
	struct pfx_input_options options = PFX_INIT(struct pfx_input_options);
	struct pfx_error err = {0};
	struct pfx_input *input;

	(void)state;
	assert_int_equal(pfx_input_open(&input, "/no/such/file", NULL, &err), -2);
	assert_non_null(strstr(err.text, "'/no/such/file'"));
	build(world, PATH, false);
	options.cpus = "1-";
	assert_int_equal(pfx_input_open(&input, PATH, &options, &err), -22);
	assert_non_null(strstr(err.text, "a list of CPUs"));
	assert_int_equal(pfx_input_open(&input, PATH, &options, NULL), -22);
	assert_null(input);
	pfx_input_close(NULL);
}

static int remove_files(void **state)
{
	(void)state;
	unlink(PATH);
	unlink(KALLSYMS);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),          cmocka_unit_test(test_frames),
		cmocka_unit_test(test_frame_at_once),    cmocka_unit_test(test_filters),
		cmocka_unit_test(test_branches_and_raw), cmocka_unit_test(test_fields),
		cmocka_unit_test(test_recording),        cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, remove_files);
}
