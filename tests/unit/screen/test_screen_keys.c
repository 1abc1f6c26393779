/* SPDX-License-Identifier: MIT */
/* The table of keys: perf's keys do what they do in perf, none means two things, and the manual
 * page has the list. PFX_UPDATE_MANUAL=1 writes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/io.h"
#include "screen/screen_keys.h"

#define MANUAL PFX_SOURCE_DIR "/Documentation/pfx-report.1"
#define BEGIN  ".\\\" The keys: made from lib/screen/screen_keys.c by tests/unit/screen.\n"
#define END    ".\\\" The end of the keys.\n"

static void test_of_perf(void **state)
{
	static const struct {
		enum pfx_screen_view view;
		uint32_t key;
		enum pfx_screen_action action;
	} keys[] = {
		{PFX_SCREEN_TABLE, 'h', PFX_ACT_HELP},
		{PFX_SCREEN_TABLE, '?', PFX_ACT_HELP},
		{PFX_SCREEN_TABLE, PFX_PRESS_F1, PFX_ACT_HELP},
		{PFX_SCREEN_TABLE, PFX_PRESS_PAGE_DOWN, PFX_ACT_PAGE_DOWN},
		{PFX_SCREEN_TABLE, ' ', PFX_ACT_PAGE_DOWN},
		{PFX_SCREEN_TABLE, 'q', PFX_ACT_QUIT},
		{PFX_SCREEN_TABLE, PFX_PRESS_CTRL('C'), PFX_ACT_QUIT},
		{PFX_SCREEN_TABLE, PFX_PRESS_ESC, PFX_ACT_BACK},
		{PFX_SCREEN_TABLE, PFX_PRESS_LEFT, PFX_ACT_LEFT},
		{PFX_SCREEN_TABLE, PFX_PRESS_TAB, PFX_ACT_EVENT_NEXT},
		{PFX_SCREEN_TABLE, PFX_PRESS_BACK_TAB, PFX_ACT_EVENT_PREVIOUS},
		{PFX_SCREEN_TABLE, PFX_PRESS_ENTER, PFX_ACT_ENTER},
		{PFX_SCREEN_TABLE, '+', PFX_ACT_TOGGLE},
		{PFX_SCREEN_TABLE, 'e', PFX_ACT_OPEN_ENTRY},
		{PFX_SCREEN_TABLE, 'E', PFX_ACT_OPEN_ALL},
		{PFX_SCREEN_TABLE, 'c', PFX_ACT_CLOSE_ENTRY},
		{PFX_SCREEN_TABLE, 'C', PFX_ACT_CLOSE_ALL},
		{PFX_SCREEN_TABLE, 'a', PFX_ACT_CODE},
		{PFX_SCREEN_TABLE, 'd', PFX_ACT_ZOOM_DSO},
		{PFX_SCREEN_TABLE, 't', PFX_ACT_ZOOM_THREAD},
		{PFX_SCREEN_TABLE, 'k', PFX_ACT_ZOOM_KERNEL},
		{PFX_SCREEN_TABLE, 'S', PFX_ACT_ZOOM_SOCKET},
		{PFX_SCREEN_TABLE, 'F', PFX_ACT_RELATIVE},
		{PFX_SCREEN_TABLE, 'H', PFX_ACT_HEADINGS},
		{PFX_SCREEN_TABLE, 'L', PFX_ACT_LIMIT},
		{PFX_SCREEN_TABLE, 'm', PFX_ACT_MENU},
		{PFX_SCREEN_TABLE, 'i', PFX_ACT_HEADER},
		{PFX_SCREEN_TABLE, 'P', PFX_ACT_SAVE},
		{PFX_SCREEN_TABLE, 's', PFX_ACT_RECORDINGS},
		{PFX_SCREEN_TABLE, 'r', PFX_ACT_SCRIPTS},
		{PFX_SCREEN_TABLE, 'V', PFX_ACT_VERBOSE},
		{PFX_SCREEN_TABLE, '/', PFX_ACT_FILTER},
		{PFX_SCREEN_TABLE, '0', PFX_ACT_SORT_EVENT},
		{PFX_SCREEN_TABLE, '9', PFX_ACT_SORT_EVENT},
		{PFX_SCREEN_CODE, 'h', PFX_ACT_HELP},
		{PFX_SCREEN_CODE, PFX_PRESS_F1, PFX_ACT_HELP},
		{PFX_SCREEN_CODE, ' ', PFX_ACT_PAGE_DOWN},
		{PFX_SCREEN_CODE, 'q', PFX_ACT_QUIT},
		{PFX_SCREEN_CODE, PFX_PRESS_CTRL('C'), PFX_ACT_QUIT},
		{PFX_SCREEN_CODE, PFX_PRESS_ESC, PFX_ACT_BACK},
		{PFX_SCREEN_CODE, PFX_PRESS_LEFT, PFX_ACT_LEFT},
		{PFX_SCREEN_CODE, '?', PFX_ACT_SEARCH_BACK},
		{PFX_SCREEN_CODE, 'J', PFX_ACT_JUMP_COUNTS},
		{PFX_SCREEN_CODE, 'O', PFX_ACT_OFFSETS},
		{PFX_SCREEN_CODE, 'f', PFX_ACT_ADDRESSES},
		{PFX_SCREEN_CODE, 'l', PFX_ACT_LOCATION},
		{PFX_SCREEN_CODE, 'p', PFX_ACT_GLOBAL},
		{PFX_SCREEN_CODE, 'b', PFX_ACT_HITS},
		{PFX_SCREEN_CODE, 'c', PFX_ACT_CYCLES},
		{PFX_SCREEN_CODE, 'r', PFX_ACT_SCRIPTS},
		{PFX_SCREEN_CODE, 'P', PFX_ACT_SAVE},
		{PFX_SCREEN_CODE, 'H', PFX_ACT_HOTTEST},
		{PFX_SCREEN_CODE, PFX_PRESS_TAB, PFX_ACT_HOT_NEXT},
		{PFX_SCREEN_CODE, PFX_PRESS_BACK_TAB, PFX_ACT_HOT_PREVIOUS},
		{PFX_SCREEN_CODE, 'j', PFX_ACT_JUMPS},
		{PFX_SCREEN_CODE, 'n', PFX_ACT_FIND_NEXT},
		{PFX_SCREEN_CODE, '/', PFX_ACT_SEARCH},
		{PFX_SCREEN_CODE, 'o', PFX_ACT_RAW},
		{PFX_SCREEN_CODE, 's', PFX_ACT_SOURCE},
		{PFX_SCREEN_CODE, 't', PFX_ACT_VALUES},
		{PFX_SCREEN_CODE, 'k', PFX_ACT_LINES},
		{PFX_SCREEN_CODE, PFX_PRESS_ENTER, PFX_ACT_ENTER},
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		assert_int_equal(pfx_screen_action_of(keys[i].key, keys[i].view), keys[i].action);
}

static void test_once(void **state)
{
	const struct pfx_screen_key *key, *other;

	for (key = pfx_screen_keys; key->code; key++) {
		assert_true(key->views);
		for (other = key + 1; other->code; other++)
			if (other->code == key->code)
				assert_int_equal(other->views & key->views, 0);
	}
}

/* --- the manual page --- */

static void add_roff(struct pfx_str *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			pfx_str_addc(to, '\\');
		pfx_str_addc(to, *text == '\\' ? 'e' : *text);
	}
}

static void add_key(const struct pfx_screen_key *key, struct pfx_str *to)
{
	const struct pfx_screen_key *same;
	struct pfx_str name = {0};

	pfx_screen_key_name(key->code, &name);
	for (same = key + 1; same->code && !same->help; same++) {
		if (same->action != key->action || same->action == PFX_ACT_SORT_EVENT)
			continue;
		pfx_str_add(&name, ", ");
		pfx_screen_key_name(same->code, &name);
	}
	pfx_str_add(to, ".TP\n.B \"");
	add_roff(to, name.at);
	pfx_str_add(to, "\"\n");
	pfx_str_fini(&name);
}

static void add_views(const struct pfx_screen_key *key, struct pfx_str *to)
{
	unsigned all = (1u << PFX_SCREEN_NR_VIEWS) - 1, view;
	const char *between = "";

	if (key->views == all)
		return;
	pfx_str_add(to, "\n(");
	for (view = 0; view < PFX_SCREEN_NR_VIEWS; view++) {
		if (!(key->views & 1u << view))
			continue;
		pfx_str_addf(to, "%s%s", between, pfx_screen_view_name(view));
		between = ", ";
	}
	pfx_str_add(to, ")");
}

static void make_list(struct pfx_str *to)
{
	const struct pfx_screen_key *key;

	for (key = pfx_screen_keys; key->code; key++) {
		if (!key->help)
			continue;
		add_key(key, to);
		add_roff(to, key->help);
		add_views(key, to);
		pfx_str_addc(to, '\n');
	}
}

static void write_manual(const char *text, const char *begin, const char *end, const char *list)
{
	FILE *file = fopen(MANUAL, "w");

	assert_non_null(file);
	fprintf(file, "%.*s%s%s", (int)(begin - text), text, list, end);
	fclose(file);
}

static void test_manual(void **state)
{
	char *text, *begin, *end;
	struct pfx_str list = {0};

	assert_int_equal(pfx_read_file(MANUAL, 1 << 20, &text, NULL, NULL), 0);
	begin = strstr(text, BEGIN);
	end = strstr(text, END);
	assert_non_null(begin);
	assert_non_null(end);
	begin += strlen(BEGIN);
	make_list(&list);
	if (getenv("PFX_UPDATE_MANUAL")) {
		write_manual(text, begin, end, list.at);
	} else {
		*end = '\0';
		assert_string_equal(begin, list.at);
	}
	pfx_str_fini(&list);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_perf),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
