/* SPDX-License-Identifier: MIT */
/* Replies of a terminal among keys: whole, in pieces, late, without an end, too long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "screen/cells/reply.h"

struct world {
	struct pfx_reply reply;
	struct pfx_str keys;
	unsigned nr_backgrounds;
};

static void begin(struct world *w)
{
	memset(w, 0, sizeof(*w));
	pfx_reply_expect(&w->reply, 0);
}

static void type(struct world *w, const char *text, int64_t now)
{
	bool is_key;

	for (; *text; text++) {
		is_key = pfx_reply_take(&w->reply, (unsigned char)*text, now);
		pfx_str_add(&w->keys, w->reply.keys);
		if (is_key)
			pfx_str_addn(&w->keys, text, 1);
		w->nr_backgrounds += w->reply.is_new;
	}
}

static void pass(struct world *w, int64_t now)
{
	pfx_reply_expire(&w->reply, now);
	pfx_str_add(&w->keys, w->reply.keys);
}

/* What was typed as keys, and the background that was found. */
static void end(struct world *w, const char *keys, enum pfx_background background)
{
	assert_string_equal(pfx_str_get(&w->keys), keys);
	assert_int_equal(w->reply.background, background);
	assert_int_equal(w->nr_backgrounds, background != PFX_BACKGROUND_UNKNOWN);
	pfx_str_fini(&w->keys);
}

#define WHITE "\033]11;rgb:ffff/ffff/ffff"
#define KIND  "\033[?62;22c"

static void test_whole(void **state)
{
	static const struct {
		const char *typed, *keys;
		enum pfx_background background;
	} rows[] = {
		{WHITE "\033\\", "", PFX_BACKGROUND_LIGHT},
		{WHITE "\a" KIND, "", PFX_BACKGROUND_LIGHT},
		{"a" WHITE "\033\\b" KIND "c", "abc", PFX_BACKGROUND_LIGHT},
		{"\033]11;rgb:0/0/0\a", "", PFX_BACKGROUND_DARK},
		{"\033]4;1;rgb:ff/ff/ff\ag", "g", PFX_BACKGROUND_UNKNOWN},
		{KIND, "", PFX_BACKGROUND_UNKNOWN},
		{"\033]x", "\033]x", PFX_BACKGROUND_UNKNOWN},           /* Alt-] */
		{"\033[5q", "\033[5q", PFX_BACKGROUND_UNKNOWN},         /* a key of no name */
		{"\033q", "\033q", PFX_BACKGROUND_UNKNOWN},             /* Esc, q */
		{"\033" WHITE "\a", "\033", PFX_BACKGROUND_LIGHT},      /* Esc before it */
		{"\033]11;rgb:\003q", "\003q", PFX_BACKGROUND_UNKNOWN}, /* Ctrl-C always is one */
		{"\033]11;rgb:1c1c/\030g", "g", PFX_BACKGROUND_UNKNOWN},
		{"\033]11;rgb:1c" WHITE "\a", "", PFX_BACKGROUND_LIGHT}, /* begun twice */
	};
	struct world w;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(&w);
		type(&w, rows[i].typed, 1);
		end(&w, rows[i].keys, rows[i].background);
	}
}

/* Each way to cut a reply in two, with pauses up to the longest that is waited for. */
static void test_pieces(void **state)
{
	static const char text[] = WHITE "\033\\" KIND;
	char first[sizeof(text)];
	struct world w;
	int64_t pause;
	size_t len;

	for (len = 1; len < sizeof(text); len++) {
		for (pause = 0; pause <= 140; pause += 70) {
			begin(&w);
			snprintf(first, len + 1, "%s", text);
			type(&w, first, 10);
			pass(&w, 10 + pause);
			type(&w, text + len, 10 + pause);
			end(&w, "", PFX_BACKGROUND_LIGHT);
		}
	}
}

/* One character every 1.5 seconds, and the first of all a minute after the question. */
static void test_slow(void **state)
{
	static const char text[] = WHITE "\033\\" KIND;
	char one[2] = "";
	struct world w;
	int64_t now = 60000;
	size_t i;

	begin(&w);
	type(&w, "\033]1", now);
	for (i = 3; text[i]; i++) {
		if (i < sizeof(WHITE) + 1) {
			now += 1500;
			pass(&w, now);
		}
		one[0] = text[i];
		type(&w, one, now);
	}
	assert_true(w.reply.has_kind);
	end(&w, "", PFX_BACKGROUND_LIGHT);
}

/* A reply without an end: keys after a pause are keys, and it is not among them. */
static void test_half(void **state)
{
	struct world w;

	begin(&w);
	type(&w, "\033]11;rgb:ffff/ff", 10);
	assert_int_equal(pfx_reply_wait(&w.reply, 10), 2000);
	type(&w, "q", 1000);
	type(&w, "c", 1001);
	end(&w, "qc", PFX_BACKGROUND_UNKNOWN);

	begin(&w);
	type(&w, "\033]11;rgb:ffff/ff", 10);
	assert_int_equal(pfx_reply_wait(&w.reply, 2010), 0);
	pass(&w, 2010);
	type(&w, "a", 2011);
	end(&w, "a", PFX_BACKGROUND_UNKNOWN);

	begin(&w);
	type(&w, "\033[?62", 10);
	pass(&w, 2010);
	type(&w, "?", 2011);
	end(&w, "?", PFX_BACKGROUND_UNKNOWN);
}

/* 100 kB, within which nothing is kept or taken for a key; keys after it are. */
static void test_long(void **state)
{
	struct world w;
	size_t i;

	begin(&w);
	type(&w, "\033]11;rgb:ffff/", 1);
	for (i = 0; i < 100000; i++)
		type(&w, "q", 1 + (int64_t)i / 100);
	assert_true(w.reply.len > 100000);
	type(&w, "\ag", 1001);
	end(&w, "g", PFX_BACKGROUND_UNKNOWN);
}

/* A lone ESC is a key: after a moment while the reply is awaited, at once after it. */
static void test_escape(void **state)
{
	struct world w;

	begin(&w);
	assert_int_equal(pfx_reply_wait(&w.reply, 0), -1);
	type(&w, "\033", 10);
	assert_int_equal(pfx_reply_wait(&w.reply, 10), 150);
	pass(&w, 159);
	assert_string_equal(pfx_str_get(&w.keys), "");
	pass(&w, 160);
	type(&w, KIND, 170);
	type(&w, "\033", 200);
	assert_int_equal(pfx_reply_wait(&w.reply, 200), 0);
	pass(&w, 200);
	type(&w, "\033]", 300);
	assert_int_equal(pfx_reply_wait(&w.reply, 300), 0);
	pass(&w, INT64_MAX);
	end(&w, "\033\033\033]", PFX_BACKGROUND_UNKNOWN);

	begin(&w);
	type(&w, "\033", 5001);
	assert_int_equal(pfx_reply_wait(&w.reply, 5001), 0);
	end(&w, "", PFX_BACKGROUND_UNKNOWN);
}

/* A terminal that was not asked: everything is a key. */
static void test_not_asked(void **state)
{
	struct world w = {.reply.keys = ""};

	type(&w, WHITE "\a", 1);
	assert_int_equal(pfx_reply_wait(&w.reply, 1), -1);
	end(&w, WHITE "\a", PFX_BACKGROUND_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),     cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_slow),      cmocka_unit_test(test_half),
		cmocka_unit_test(test_long),      cmocka_unit_test(test_escape),
		cmocka_unit_test(test_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
