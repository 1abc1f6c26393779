/* SPDX-License-Identifier: MIT */
/* A recording behind a screen, without a terminal: what it reads, and files that it writes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "browse/browse.h"
#include "kit/kit.h"
#include "unit/file/recording.h"

#define PATH  "shown.data"
#define OTHER "other.data"

static const char text[] =
	"event cycles type=hw freq=4000 sample=ip,tid,time,period,callchain "
	"flags=sample_id_all,mmap2\n"
	"event faults type=sw config=2 freq=4000 sample=ip,tid,time,period,callchain "
	"flags=sample_id_all,mmap2\n"
	"comm pid=10 tid=10 time=1 program\n"
	"mmap2 pid=10 tid=10 addr=0x400000 len=0x10000 prot=5 flags=2 time=2 /no/such/file\n"
	"sample ip=0x401010 pid=10 tid=10 time=40 period=5 chain=user,0x401010,0x402000\n"
	"sample ip=0x401010 pid=10 tid=10 time=41 period=5 chain=user,0x401010,0x402000\n"
	"sample ip=0x402020 pid=10 tid=10 time=42 period=5 chain=user,0x402020\n";

static char folder[] = "/tmp/test-browse-XXXXXX";
static const struct pfx_recording_options how;
static const struct pfx_resolve_options resolving;
static const struct pfx_filter no_filter;
static struct pfx_browse_task task;
static struct pfx_browse browse;
static struct pfx_screen_host host;
static struct pfx_screen *screen;
static struct pfx_error err;
static unsigned nr_steps, nr_drawn;

static void put_recording(const char *path)
{
	const struct pfx_kit_options little = {0};
	struct pfx_buffer bytes = {0};

	assert_int_equal(pfx_kit_build(text, &little, &bytes, &err), 0);
	assert_int_equal(save_bytes(path, bytes.at, bytes.len), 0);
	pfx_buffer_fini(&bytes);
}

static int step(void *context, const struct pfx_item *item, struct pfx_error *ret)
{
	assert_ptr_equal(context, &nr_steps);
	(void)item, (void)ret;
	nr_steps++;
	return 0;
}

static void draw(void *context)
{
	assert_ptr_equal(context, &nr_steps);
	nr_drawn++;
}

static int begin(void **state)
{
	(void)state;
	put_recording(PATH);
	if (pfx_recording_open(&task.recording, PATH, &how, &err))
		return -1;
	task.how = &how;
	task.resolving = &resolving;
	task.filter = &no_filter;
	task.step = step;
	task.draw = draw;
	task.context = &nr_steps;
	nr_steps = nr_drawn = 0;
	pfx_recording_resolve(task.recording, &resolving);
	if (pfx_browse_read(&browse, &task, &err))
		return -1;
	pfx_browse_host(&browse, &host);
	screen = pfx_screen_new(&(struct pfx_screen_options){
		.title = pfx_browse_path(&browse), .host = host, .levels = ".kH"});
	pfx_browse_show(&browse, screen);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pfx_screen_free(screen);
	pfx_browse_fini(&browse);
	pfx_recording_free(task.recording);
	task = (struct pfx_browse_task){0};
	return 0;
}

static void all_samples_are_read_once(void **state)
{
	(void)state;
	assert_int_equal(browse.profile->nr_rows, 3);
	assert_int_equal(browse.profile->events[0].nr_samples, 3);
	assert_int_equal(nr_steps, 5);
	assert_string_equal(pfx_browse_path(&browse), PATH);
}

static void rejected_samples_are_counted(void **state)
{
	struct pfx_browse other = {0};
	struct pfx_browse_task of = task;
	struct pfx_filter filter = {0};

	(void)state;
	pfx_names_of(&filter.comms, "another");
	of.filter = &filter;
	assert_int_equal(pfx_recording_open(&of.recording, PATH, &how, &err), 0);
	pfx_recording_resolve(of.recording, &resolving);
	assert_int_equal(pfx_browse_read(&other, &of, &err), 0);
	assert_int_equal(other.profile->events[0].nr_samples, 0);
	assert_int_equal(other.profile->events[0].nr_rejected, 3);
	assert_int_equal(other.profile->events[0].rejected_period, 15);
	assert_int_equal(other.profile->events[1].nr_rejected, 0);
	pfx_browse_fini(&other);
	pfx_recording_free(of.recording);
	pfx_filter_fini(&filter);
}

static void frames_are_read_again(void **state)
{
	const struct pfx_profile *before = browse.profile;

	(void)state;
	assert_int_equal(host.frames(host.context, PFX_FRAMES_BY_LINE, &err), 0);
	assert_ptr_not_equal(browse.profile, before);
	assert_int_equal(browse.profile->nr_rows, 3);
	assert_int_equal(nr_drawn, 1);
	assert_int_equal(nr_steps, 5); /* of the first reading alone */
}

static void frames_need_all_samples(void **state)
{
	struct pfx_event_switch by_events = {.on = "cycles"};

	(void)state;
	task.event_switch = &by_events;
	assert_int_equal(host.frames(host.context, PFX_FRAMES_BY_LINE, &err), -ENOTSUP);
	assert_string_equal(err.text, "not with --switch-on and --switch-off: use -s srcline");
}

static void code_has_the_costs(void **state)
{
	struct pfx_screen_code code = {0};

	(void)state;
	assert_int_equal(host.code(host.context, &code, &err), 0);
	assert_int_equal(pfx_costs_total(code.costs, 0).nr_samples, 3);
	assert_int_equal(pfx_costs_total(code.costs, 1).nr_samples, 0);
	assert_non_null(code.options.sources);
	/* A newer one replaces it. */
	assert_int_equal(host.code(host.context, &code, &err), 0);
	assert_int_equal(pfx_costs_total(code.costs, 0).nr_samples, 3);
}

static void functions_without_code_are_named(void **state)
{
	struct pfx_grid grid = {0};
	struct pfx_str shown = {0};

	(void)state;
	pfx_grid_resize(&grid, 80, 24);
	pfx_screen_draw(screen, &grid);
	pfx_browse_go(&browse, "no\033such");
	pfx_screen_draw(screen, &grid);
	pfx_grid_text(&grid, &shown);
	assert_non_null(strstr(shown.at, "'no\\x1bsuch' has no samples, or no code to show"));
	pfx_grid_fini(&grid);
	pfx_str_fini(&shown);
}

static void other_recordings_are_found(void **state)
{
	(void)state;
	assert_null(host.recording(host.context, 0));
	put_recording(OTHER);
	assert_null(host.recording(host.context, 0)); /* they are listed once */
	browse.files.is_listed = false;
	assert_string_equal(host.recording(host.context, 0), OTHER);
	assert_null(host.recording(host.context, 1));
	unlink(OTHER);
}

static bool has_file(const char *name, const char *content)
{
	char is[100] = "";
	FILE *file = fopen(name, "r");
	size_t len = file ? fread(is, 1, sizeof(is) - 1, file) : 0;

	if (file)
		fclose(file);
	unlink(name);
	return file && len == strlen(content) && !strcmp(is, content);
}

static void files_get_free_names(void **state)
{
	struct pfx_str words = {0}, name = {0};

	(void)state;
	pfx_str_add(&words, "rows\n");
	assert_int_equal(host.save(host.context, &words, &name, &err), 0);
	assert_string_equal(name.at, "perf.hist.0");
	assert_int_equal(host.save(host.context, &words, &name, &err), 0);
	assert_string_equal(name.at, "perf.hist.1");
	assert_int_equal(host.save_code(host.context, "../a/b\n", &words, &name, &err), 0);
	assert_string_equal(name.at, "_._a_b_.annotation");
	assert_true(has_file("perf.hist.0", "rows\n"));
	assert_true(has_file("perf.hist.1", "rows\n"));
	assert_true(has_file("_._a_b_.annotation", "rows\n"));
	pfx_str_fini(&words);
	pfx_str_fini(&name);
}

static void the_selection_is_exported(void **state)
{
	const struct pfx_selection *selection;
	struct pfx_str name = {0};
	struct pfx_grid grid = {0};

	(void)state;
	pfx_grid_resize(&grid, 80, 24);
	pfx_screen_draw(screen, &grid);
	pfx_grid_fini(&grid);
	selection = pfx_screen_selection(screen);
	assert_int_equal(host.export(host.context, selection, "folded", &name, &err), 0);
	assert_string_equal(name.at, "perf.folded");
	assert_int_equal(access(name.at, R_OK), 0);
	unlink(name.at);
	assert_true(host.export(host.context, selection, "no-format", &name, &err) < 0);
	pfx_str_fini(&name);
}

static int enter_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
	(void)state;
	unlink(PATH);
	return chdir("/") || rmdir(folder);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_samples_are_read_once),  TEST(rejected_samples_are_counted),
		TEST(frames_are_read_again),      TEST(frames_need_all_samples),
		TEST(code_has_the_costs),         TEST(functions_without_code_are_named),
		TEST(other_recordings_are_found), TEST(files_get_free_names),
		TEST(the_selection_is_exported),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
