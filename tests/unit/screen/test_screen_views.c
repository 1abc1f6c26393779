/* SPDX-License-Identifier: MIT */
/* The other views of the screen: flame graph, timeline, callers and callees, menus, the mouse; and
 * whatever keys are pressed, at any size. */
#include <errno.h>

#include "screen_world.h"

#define NR_KEYS 10000

static struct {
	char format[32], text[20000];
	unsigned script;
	bool mouse_off;
	unsigned nr_codes;
} host;

static int read_code(void *context, struct pfx_screen_code *ret, struct pfx_error *err)
{
	host.nr_codes++;
	return pfx_error_set(err, ENODATA, "no code here");
}

static int export_format(void *context, const struct pfx_selection *selection, const char *format,
			 struct pfx_str *ret_name, struct pfx_error *err)
{
	snprintf(host.format, sizeof(host.format), "%s %u", format, selection->nr_rows);
	pfx_str_add(ret_name, "out");
	return 0;
}

static uint32_t nr_nodes; /* of the selection that was exported last */

static int export_nodes(void *context, const struct pfx_selection *selection, const char *format,
			struct pfx_str *ret_name, struct pfx_error *err)
{
	(void)context, (void)format, (void)ret_name, (void)err;
	nr_nodes = selection->nodes.nr;
	return 0;
}

static int save(void *context, const struct pfx_str *text, struct pfx_str *ret_name,
		struct pfx_error *err)
{
	snprintf(host.text, sizeof(host.text), "%s", text->at);
	pfx_str_add(ret_name, "perf.hist.0");
	return 0;
}

static int read_frames(void *context, enum pfx_profile_frames by, struct pfx_error *err)
{
	assert_int_equal(by, PFX_FRAMES_BY_LINE);
	return pfx_error_set(err, ENOENT, "no lines here");
}

static const char *nth_script(void *context, uint32_t n)
{
	return n == 0 ? "first" : n == 1 ? "second" : NULL;
}

static int run_script(void *context, uint32_t n, struct pfx_error *err)
{
	host.script = n + 1;
	return n ? pfx_error_set(err, ENOENT, "no such script") : 0;
}

static const char *recording(void *context, uint32_t n)
{
	return n ? NULL : "other.data";
}

static void use_mouse(void *context, bool on)
{
	host.mouse_off = !on;
}

static void begin(void)
{
	static const struct pfx_screen_options options = {
		.host = {.code = read_code,
			 .export = export_format,
			 .save = save,
			 .recording = recording,
			 .mouse = use_mouse,
			 .frames = read_frames,
			 .script = nth_script,
			 .run_script = run_script},
		.children = true,
	};

	world_begin(true);
	world_add_as("abc", &(struct world_sample){.period = 60, .time = 1000, .cpu = 1});
	world_add_as("abd", &(struct world_sample){.period = 30, .time = 2000, .thread = 1});
	world_add_as("no", &(struct world_sample){.period = 10, .time = 3000, .thread = 2});
	world_add_as("no", &(struct world_sample){.event = 1, .period = 7, .time = 3000});
	screen_begin(&options);
	memset(&host, 0, sizeof(host));
}

static void test_flame(void **state)
{
	begin();
	type("g");
	expect_text("Flame graph");
	expect_text("|all\n");
	expect_text("100.00% total   0.00% self  all");
	/* a, b, then the heavier callee. */
	type("\v\v\v");
	expect_text(" 60.00% total  60.00% self  c");
	press(PFX_PRESS_RIGHT);
	expect_text(" 30.00% total  30.00% self  d");
	press(PFX_PRESS_LEFT);
	press(PFX_PRESS_UP);
	type("\n");
	expect_text(" 90.00% total   0.00% self  b");
	expect_no_text("|n");
	type("^");
	expect_text("|n");
	type("/");
	expect_text("Mark frames with:");
	type("d\n");
	expect_text("'d': 30.00%");
	type("nI");
	expect_text("Flame graph inverted");
	screen_end();
}

/* Broken chains are one root of the picture, and of pages; the table has them as recorded. */
static void test_broken(void **state)
{
	struct pfx_screen_options options = {.children = true, .host = {.export = export_nodes}};

	world_begin(true);
	world_add_as("xab", &(struct world_sample){.period = 30, .time = 1000});
	world_add_as("yab", &(struct world_sample){.period = 70, .time = 2000});
	screen_begin(&options);
	world.profile->functions[world_letter('x')].role = PFX_ROLE_NOWHERE;
	world.profile->functions[world_letter('y')].role = PFX_ROLE_NOWHERE;
	world.profile->functions[world_letter('k')].role = PFX_ROLE_BROKEN;
	expect_text("[.] y\n");
	expect_no_text("[.] k\n");
	type("g\v");
	expect_text("100.00% total   0.00% self  k");
	type("\v");
	expect_text("100.00% total   0.00% self  a");
	type("X1");
	assert_int_equal(nr_nodes, 4);
	type("X2");
	assert_int_equal(nr_nodes, 7);
	screen_end();
}

/* A click selects, a click on the same frame zooms. */
static void test_mouse(void **state)
{
	struct pfx_press at = {.code = PFX_PRESS_CLICK, .x = 2, .y = 2};

	begin();
	type("g");
	pfx_screen_press(screen, &at);
	expect_text(" 90.00% total   0.00% self  a");
	pfx_screen_press(screen, &at);
	expect_no_text("|n");
	type("q");
	at = (struct pfx_press){.code = PFX_PRESS_CLICK, .x = 60, .y = 4};
	pfx_screen_press(screen, &at);
	assert_non_null(strstr(selected_line(), "[.] c"));
	/* On a heading: sort. */
	at = (struct pfx_press){.code = PFX_PRESS_CLICK, .x = 12, .y = 1};
	pfx_screen_press(screen, &at);
	press(PFX_PRESS_HOME);
	assert_non_null(strstr(selected_line(), "[.] c"));
	at.code = PFX_PRESS_WHEEL_DOWN;
	pfx_screen_press(screen, &at);
	assert_null(strstr(selected_line(), "[.] c"));
	type("M");
	assert_true(host.mouse_off);
	screen_end();
}

static void test_timeline(void **state)
{
	begin();
	type("T");
	expect_text("Timeline");
	expect_text(" 60.00% main (10)");
	expect_text(" 30.00% worker (11)");
	type(" ");
	expect_text("Enter: only this range");
	press(PFX_PRESS_RIGHT);
	type("\n");
	expect_text("only time 0.000-0.000 s");
	expect_no_text("worker");
	type("q");
	expect_no_text("[.] d");
	type("R");
	expect_text("[.] d");
	type("T\v\n");
	expect_text("only thread worker (11)");
	screen_end();
}

static void test_sandwich(void **state)
{
	begin();
	type("\vw");
	expect_text("Callers and callees of b");
	expect_text("Callers\n");
	expect_text("[.] a\n");
	expect_text("[.] c\n");
	expect_text("[.] d\n");
	type("q");
	expect_text("Table of functions");
	screen_end();
}

/* Self of the function is that of the table, whatever is inlined in it. */
static void test_sandwich_self(void **state)
{
	world_begin(true);
	world_add_as("abI", &(struct world_sample){.period = 30, .time = 1000});
	world_add_as("abc", &(struct world_sample){.period = 70, .time = 1000});
	screen_begin(NULL);
	expect_text("100.00%   30.00%        1    0.00%  prog                + [.] b\n");
	type("w");
	expect_text("100.00%   30.00%  ");
	screen_end();
}

/* q leaves one view after another, whatever was filtered in them; Esc removes what was. */
static void test_leave(void **state)
{
	begin();
	type("\vw\vd");
	expect_text("only library prog");
	type("g\vxq");
	expect_text("Callers and callees of b");
	expect_text("> through");
	type("^");
	expect_no_text("> through");
	type("q");
	expect_text("Table of functions");
	expect_text("only library prog");
	assert_int_equal(press('q'), PFX_SCREEN_QUIT);
	screen_end();
}

static void test_files(void **state)
{
	begin();
	type("b7");
	expect_text("no lines here");
	expect_text("Table of functions");
	type("P");
	expect_text("written to 'perf.hist.0'");
	assert_non_null(strstr(host.text, "60.00%   60.00%        1"));
	type("k");
	type("X2");
	expect_text("written to 'out'");
	assert_string_equal(host.format, "folded 0");
	type("^r");
	expect_text("2 second");
	type("\v\n");
	assert_int_equal(host.script, 2);
	expect_text("no such script");
	type("r1");
	assert_int_equal(host.script, 1);
	type("sq");
	assert_int_equal(press('s'), PFX_SCREEN_GO_ON);
	expect_text("other.data");
	assert_int_equal(press(PFX_PRESS_ENTER), PFX_SCREEN_OPEN);
	assert_string_equal(pfx_screen_opened(screen), "other.data");
	screen_end();
}

static void test_events(void **state)
{
	begin();
	expect_text("Tab next event");
	press(PFX_PRESS_TAB);
	expect_text("misses: 1 samples, period 7");
	type("v");
	expect_text("Events");
	type("1");
	expect_text("cycles: 3 samples");
	type("1");
	expect_text(" 10.00%");
	type("7");
	expect_text("the group has no event 7");
	type("S");
	expect_text("the recording does not say which CPUs share a socket");
	type("a");
	expect_text("no code here");
	type("i");
	expect_text("no header is known");
	screen_end();
}

/* A small generator of its own: equal everywhere. */
static uint32_t draw_lot(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % below;
}

static uint32_t any_key(uint32_t *lots)
{
	uint32_t key = draw_lot(lots, 160);

	/* Not q and Ctrl-C alone: the screen goes on. */
	if (key < 128)
		return key;
	return PFX_PRESS_UP + draw_lot(lots, PFX_PRESS_LAST - PFX_PRESS_UP);
}

static void test_any_keys(void **state)
{
	uint32_t lots = 17, i;
	struct pfx_press at;

	begin();
	for (i = 0; i < NR_KEYS; i++) {
		at = (struct pfx_press){any_key(&lots), draw_lot(&lots, 130), draw_lot(&lots, 40)};
		if (!draw_lot(&lots, 20))
			pfx_grid_resize(&grid, 1 + draw_lot(&lots, 130), 1 + draw_lot(&lots, 40));
		pfx_screen_press(screen, &at);
		pfx_screen_draw(screen, &grid);
	}
	assert_true(host.nr_codes > 0);
	screen_end();
}

/* A list of which the end was shown on a low screen wastes no line on a high one, and shows nothing
 * beyond its end. */
static void grow(const char *keys, const char *first)
{
	static const unsigned heights[] = {6, 60, 5, 30, 1, 45, 2, 100, 7, 200};
	size_t i;

	type(keys);
	for (i = 0; i < sizeof(heights) / sizeof(*heights); i++) {
		pfx_grid_resize(&grid, 120, heights[i]);
		show();
		press(PFX_PRESS_END);
		press(PFX_PRESS_PAGE_DOWN);
		type("\v\v\v\v\v\v\v\v\v\v\v\v\v\v\v\v\v\v\v\v");
	}
	expect_text(first);
	pfx_grid_resize(&grid, 120, 30);
	show();
}

static void test_grow(void **state)
{
	struct pfx_screen_options options = {.children = true};
	struct pfx_str header = {0};
	unsigned i;

	for (i = 0; i < 60; i++)
		pfx_str_addf(&header, "header line %u\n", i);
	options.header = header.at;
	world_begin(true);
	world_add_as("abcdefghijklm", &(struct world_sample){.period = 50, .time = 1000});
	world_add_as("ab", &(struct world_sample){.period = 30, .time = 2000, .thread = 1});
	world_add_as("b", &(struct world_sample){.period = 20, .time = 3000, .thread = 2});
	screen_begin(&options);
	grow("", "[.] a\n"); /* rows */
	grow("E", "- [.] a\n");
	grow("m", "1 Annotate");
	grow("^b", "1 Functions");
	grow("7", "Command  Library  Function");
	grow("^g", "|all");
	grow("T", "main (10)");
	grow("^^", "[.] a");
	grow("i", "header line 0\n");
	grow("?", "Keys of the view");
	grow("^^", "[.] a");
	grow("w", "Callers\n");
	pfx_str_fini(&header);
	screen_end();
}

/* Nothing at all to show. */
static void test_empty(void **state)
{
	static const char keys[] = "\n+eECcom dtpukSxRVrb>0LFHvagTwiIns/P\v^";
	size_t i;

	world_begin(true);
	screen_begin(NULL);
	for (i = 0; i < sizeof(keys) - 1; i++) {
		press((uint32_t)keys[i]);
		show();
	}
	screen_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flame),         cmocka_unit_test(test_mouse),
		cmocka_unit_test(test_timeline),      cmocka_unit_test(test_sandwich),
		cmocka_unit_test(test_files),         cmocka_unit_test(test_events),
		cmocka_unit_test(test_leave),         cmocka_unit_test(test_any_keys),
		cmocka_unit_test(test_empty),         cmocka_unit_test(test_grow),
		cmocka_unit_test(test_sandwich_self), cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
