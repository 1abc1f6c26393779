/* SPDX-License-Identifier: MIT */
/* The base library: errors, memory, tables, text, cursor, buffer, files, words. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/bisect.h"
#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/groups.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/late_file.h"
#include "base/str.h"
#include "base/words.h"

static void test_error(void **state)
{
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_error_set(&err, EINVAL, "no '%s'", "x"), -EINVAL);
	assert_string_equal(err.text, "no 'x'");
	assert_string_equal(err.hint, "");
	pfx_error_hint(&err, "try %d", 2);
	assert_string_equal(err.hint, "try 2");
	assert_int_equal(pfx_error_sys(&err, ENOENT, "cannot open 'f'"), -ENOENT);
	assert_string_equal(err.text, "cannot open 'f': No such file or directory");
	assert_string_equal(err.hint, "");
	assert_int_equal(pfx_error_set(NULL, EBADMSG, "x"), -EBADMSG);
	pfx_error_hint(NULL, "x");
}

static void test_alloc_checked(void **state)
{
	void *p = pfx_alloc_checked(10, 8, 80);

	(void)state;
	assert_non_null(p);
	free(p);
	assert_null(pfx_alloc_checked(11, 8, 80));
	assert_null(pfx_alloc_checked(UINT64_MAX / 4, 8, SIZE_MAX));
}

static void test_vec(void **state)
{
	PFX_VEC(int) v = {0};
	int i;

	(void)state;
	for (i = 0; i < 1000; i++)
		pfx_vec_push(&v, i);
	*pfx_vec_add(&v) = 7;
	assert_int_equal(v.nr, 1001);
	assert_int_equal(v.at[999], 999);
	assert_int_equal(v.at[1000], 7);
	*pfx_vec_slot(&v, 2000) = 9;
	assert_int_equal(v.nr, 2001);
	assert_int_equal(v.at[1999], 0);
	*pfx_vec_slot(&v, 0) = 3;
	assert_int_equal(v.nr, 2001);
	assert_int_equal(v.at[0], 3);
	pfx_vec_free(&v);
	assert_null(v.at);
	assert_int_equal(v.nr, 0);
}

static void test_bisect(void **state)
{
	static const int at[] = {2, 4, 4, 4, 8};
	size_t nr;

	(void)state;
	assert_int_equal(pfx_bisect(i, 5, at[i] < 1), 0);
	assert_int_equal(pfx_bisect(i, 5, at[i] < 4), 1);
	assert_int_equal(pfx_bisect(i, 5, at[i] <= 4), 4);
	assert_int_equal(pfx_bisect(i, 5, at[i] < 9), 5);
	assert_int_equal(pfx_bisect(i, 0, at[i] < 9), 0);
	for (nr = 0; nr < 5; nr++)
		assert_int_equal(pfx_bisect(i, nr, i < 3), nr < 3 ? nr : 3);
}

static uint32_t key_at(const void *context, uint32_t i)
{
	const uint32_t *keys = context;

	return keys[i];
}

static void test_groups(void **state)
{
	static const uint32_t keys[] = {2, 0, 2, 3, 0, 2}, sorted[] = {1, 4, 0, 2, 5, 3};
	static const uint32_t first[] = {0, 2, 2, 5, 6};
	struct pfx_groups groups;

	(void)state;
	pfx_groups_make(&groups, 6, 4, key_at, keys);
	assert_memory_equal(groups.at, sorted, sizeof(sorted));
	assert_memory_equal(groups.first, first, sizeof(first));
	pfx_groups_fini(&groups);
	pfx_groups_make(&groups, 0, 0, key_at, keys);
	assert_int_equal(groups.first[0], 0);
	pfx_groups_fini(&groups);
}

static void test_arena(void **state)
{
	struct pfx_arena arena = {0};
	char *s, *big;
	size_t i;

	(void)state;
	s = pfx_arena_strndup(&arena, "hello", 3);
	assert_string_equal(s, "hel");
	for (i = 1; i < 5000; i += 7) {
		char *p = pfx_arena_alloc(&arena, i);

		assert_int_equal((uintptr_t)p % 16, 0);
		assert_int_equal(p[0] | p[i - 1], 0);
		memset(p, 0xff, i);
	}
	big = pfx_arena_alloc(&arena, 5u << 20);
	big[(5u << 20) - 1] = 1;
	assert_string_equal(s, "hel");
	pfx_arena_clear(&arena);
	pfx_arena_clear(&arena);
	assert_int_equal(arena.bytes, 0);
}

/* The hash table compared with a plain array of the same keys, with removals. */
static void test_hash(void **state)
{
	enum { KEYS = 2000 };
	struct pfx_hash hash = {0};
	bool in[KEYS] = {false};
	uint64_t seed = 1, key, nr = 0;
	bool is_new;
	int i;

	(void)state;
	assert_null(pfx_hash_get(&hash, 5));
	for (i = 0; i < 50000; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		key = (seed >> 33) % KEYS;
		if (seed >> 62) {
			*pfx_hash_add(&hash, key << 20, &is_new) = key + 1;
			assert_int_equal(is_new, !in[key]);
			nr += !in[key];
			in[key] = true;
		} else {
			pfx_hash_remove(&hash, key << 20);
			nr -= in[key];
			in[key] = false;
		}
		assert_int_equal(hash.nr, nr);
	}
	for (key = 0; key < KEYS; key++) {
		uint64_t *v = pfx_hash_get(&hash, key << 20);

		assert_int_equal(v != NULL, in[key]);
		if (v)
			assert_int_equal(*v, key + 1);
	}
	pfx_hash_fini(&hash);
	pfx_hash_fini(NULL);
}

static void test_intern(void **state)
{
	struct pfx_intern intern = {0};
	char text[32];
	int i;

	(void)state;
	for (i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "name%d", i);
		assert_int_equal(pfx_intern_str(&intern, text), i);
	}
	for (i = 2999; i >= 0; i--) {
		snprintf(text, sizeof(text), "name%d", i);
		assert_int_equal(pfx_intern_str(&intern, text), i);
		assert_string_equal(pfx_intern_get(&intern, i), text);
	}
	assert_int_equal(pfx_intern_add(&intern, "a\0b", 3), 3000);
	assert_int_equal(pfx_intern_add(&intern, "a", 1), 3001);
	assert_int_equal(pfx_intern_add(&intern, NULL, 0), 3002);
	assert_string_equal(pfx_intern_get(&intern, 3002), "");
	pfx_intern_fini(&intern);
}

static void test_str_numbers(void **state)
{
	struct pfx_str s = {0};

	(void)state;
	assert_string_equal(pfx_str_get(&s), "");
	pfx_str_u64(&s, 0, 3);
	pfx_str_addc(&s, '|');
	pfx_str_u64(&s, UINT64_MAX, 0);
	pfx_str_addc(&s, '|');
	pfx_str_hex(&s, 0xabc, 5);
	pfx_str_addc(&s, '|');
	pfx_str_hex0(&s, 0xabc, 5);
	pfx_str_addf(&s, "|%s%0200d", "x", 1);
	assert_int_equal(strncmp(s.at, "  0|18446744073709551615|  abc|00abc|x000", 40), 0);
	assert_int_equal(s.len, strlen("  0|18446744073709551615|  abc|00abc|x") + 200);
	pfx_str_clear(&s);
	assert_string_equal(s.at, "");
	pfx_str_fini(&s);
}

static void test_str_digits(void **state)
{
	struct pfx_str s = {0};
	uint64_t v = 1;
	char text[32];
	unsigned i;

	(void)state;
	for (i = 0; i < 64; i++, v = v * 2 + i % 3) {
		pfx_str_clear(&s);
		pfx_str_u64(&s, v, 12);
		snprintf(text, sizeof(text), "%12llu", (unsigned long long)v);
		assert_string_equal(s.at, text);
		pfx_str_clear(&s);
		pfx_str_hex(&s, v, 9);
		snprintf(text, sizeof(text), "%9llx", (unsigned long long)v);
		assert_string_equal(s.at, text);
		pfx_str_clear(&s);
		pfx_str_u64_zeros(&s, v, 9);
		snprintf(text, sizeof(text), "%09llu", (unsigned long long)(v % 1000000000));
		assert_string_equal(s.at, text);
	}
	pfx_str_clear(&s);
	pfx_str_u64_zeros(&s, 7, 6);
	assert_string_equal(s.at, "000007");
	pfx_str_fini(&s);
}

static void expect_hundredths(double v)
{
	struct pfx_str s = {0};
	char text[400];

	pfx_str_hundredths(&s, v, 8);
	snprintf(text, sizeof(text), "%8.2f", v);
	assert_string_equal(s.at, text);
	pfx_str_fini(&s);
}

/* As printf, also for shares that end in the middle between two results. */
static void test_str_hundredths(void **state)
{
	static const double odd[] = {0,           -0.0, 0.005, 99.995, 100,   12345678.9,
				     9999999.995, 1e7,  1e300, -1.005, -0.001};
	unsigned i, k;

	(void)state;
	for (i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		expect_hundredths(odd[i]);
	for (i = 1; i < 400; i++)
		for (k = 0; k <= i; k++)
			expect_hundredths(100.0 * k / i);
	for (i = 0; i < 200000; i++)
		expect_hundredths((double)i / 1000 + (i % 3 - 1.0) * 1e-14);
}

static void check_escape(const char *in, const char *out)
{
	struct pfx_str s = {0};

	pfx_str_add_escaped(&s, in, strlen(in));
	assert_string_equal(pfx_str_get(&s), out);
	pfx_str_fini(&s);
}

static void test_escape(void **state)
{
	char small[8];

	(void)state;
	check_escape("plain text", "plain text");
	check_escape("\x1b[31mred", "\\x1b[31mred");
	check_escape("a\nb\tc", "a\\x0ab\\x09c");
	check_escape("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	check_escape("\xc2\x9b", "\\xc2\\x9b");          /* a C1 control */
	check_escape("\xc0\xaf", "\\xc0\\xaf");          /* overlong */
	check_escape("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* surrogate */
	check_escape("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
	check_escape("cut\xe2\x82", "cut\\xe2\\x82");
	check_escape("\x7f", "\\x7f");
	check_escape("a\xe2\x80\xae"
		     "b",
		     "a\\xe2\\x80\\xae"
		     "b");                                        /* U+202E: right to left */
	check_escape("\xe2\x81\xa9", "\\xe2\\x81\\xa9");          /* U+2069: end of an isolate */
	check_escape("\xe2\x80\xa8", "\\xe2\\x80\\xa8");          /* U+2028: a new line */
	check_escape("\xe2\x80\x8b", "\\xe2\\x80\\x8b");          /* U+200B: nothing to see */
	check_escape("\xef\xbb\xbf", "\\xef\\xbb\\xbf");          /* U+FEFF */
	check_escape("\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"); /* U+E0041: a tag */
	check_escape("\xd8\x9c", "\\xd8\\x9c");
	check_escape("\xe2\x80\x90\xe2\x80\xa6", "\xe2\x80\x90\xe2\x80\xa6"); /* hyphen, dots */
	assert_string_equal(pfx_escape(small, sizeof(small), "0123456789"), "0123456");
}

static void test_json(void **state)
{
	struct pfx_str s = {0};

	(void)state;
	pfx_str_add_json(&s, "a\"\\\n\x01\xff\xc3\xbc", 8);
	assert_string_equal(s.at, "a\\\"\\\\\\n\\u0001\xef\xbf\xbd\xc3\xbc");
	pfx_str_clear(&s);
	/* control characters are escaped: U+009B, U+202E, U+E0041 */
	pfx_str_add_json(&s, "\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\xf0\x9f\x98\x80", 13);
	assert_string_equal(s.at, "\\u009b\\u202e\\udb40\\udc41\xf0\x9f\x98\x80");
	pfx_str_fini(&s);
}

static void test_cursor(void **state)
{
	static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 'h', 'i', 0, 'x'};
	struct pfx_cursor c = pfx_cursor_make(data, sizeof(data), false);
	struct pfx_cursor sub;

	(void)state;
	assert_int_equal(pfx_cursor_u8(&c), 1);
	assert_int_equal(pfx_cursor_u64(&c), pfx_load64(data + 1, false));
	assert_string_equal(pfx_cursor_cstr(&c), "hi");
	assert_true(pfx_cursor_ok(&c));
	assert_string_equal(pfx_cursor_cstr(&c), "");
	assert_false(pfx_cursor_ok(&c));
	assert_int_equal(pfx_cursor_u8(&c), 0);

	c = pfx_cursor_make(data, sizeof(data), true);
	assert_int_equal(pfx_cursor_u16(&c), __builtin_bswap16(pfx_load16(data, false)));
	assert_int_equal(pfx_cursor_u32(&c), __builtin_bswap32(pfx_load32(data + 2, false)));
	sub = pfx_cursor_sub(&c, 3);
	assert_int_equal(pfx_cursor_left(&sub), 3);
	assert_true(sub.swap);
	assert_true(pfx_cursor_fits(&c, 2, 2));
	assert_false(pfx_cursor_fits(&c, UINT64_MAX, 8));
	assert_false(pfx_cursor_ok(&c));
	sub = pfx_cursor_sub(&c, 1);
	assert_false(pfx_cursor_ok(&sub));
	assert_int_equal(pfx_cursor_left(&sub), 0);

	c = pfx_cursor_make(data + 9, 4, false);
	assert_string_equal(pfx_cursor_field(&c, 3), "hi");
	assert_string_equal(pfx_cursor_field(&c, 1), "");
	assert_false(pfx_cursor_ok(&c));
}

static void test_buffer(void **state)
{
	struct pfx_buffer b = {.swap = true};
	struct pfx_cursor c;

	(void)state;
	pfx_buffer_u8(&b, 1);
	pfx_buffer_u16(&b, 2);
	pfx_buffer_u32(&b, 3);
	pfx_buffer_u64(&b, 4);
	pfx_buffer_cstr(&b, "name", 8);
	pfx_buffer_align(&b, 8);
	pfx_buffer_patch16(&b, 1, 20);
	pfx_buffer_patch32(&b, 3, 30);
	pfx_buffer_patch64(&b, 7, 40);
	assert_int_equal(b.len, 24);
	c = pfx_cursor_make(b.at, b.len, true);
	assert_int_equal(pfx_cursor_u8(&c), 1);
	assert_int_equal(pfx_cursor_u16(&c), 20);
	assert_int_equal(pfx_cursor_u32(&c), 30);
	assert_int_equal(pfx_cursor_u64(&c), 40);
	assert_string_equal(pfx_cursor_field(&c, 8), "name");
	assert_true(pfx_cursor_ok(&c));
	pfx_buffer_fini(&b);
}

static void test_files(void **state)
{
	char path[] = "/tmp/pfx-test-XXXXXX";
	int fd = mkstemp(path);
	struct pfx_mapping m;
	struct pfx_error err;
	char *text, line[64];
	uint64_t v;
	size_t size;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pfx_map_file(path, &m, &err), 0);
	assert_int_equal(m.size, 0);
	assert_int_equal(pfx_write_full(fd, "4711\nrest", 9), 0);
	assert_int_equal(pfx_pwrite_full(fd, "8", 1, 3), 0);
	assert_int_equal(pfx_read_u64(path, &v), 0);
	assert_int_equal(v, 4718);
	assert_int_equal(pfx_read_line(path, line, sizeof(line)), 0);
	assert_string_equal(line, "4718");
	assert_int_equal(pfx_read_file(path, 100, &text, &size, &err), 0);
	assert_int_equal(size, 9);
	assert_string_equal(text, "4718\nrest");
	free(text);
	assert_int_equal(pfx_read_file(path, 8, &text, &size, &err), -EFBIG);
	assert_int_equal(pfx_map_file(path, &m, &err), 0);
	assert_memory_equal(m.data, "4718\nrest", 9);
	pfx_unmap(&m);
	close(fd);
	unlink(path);
	assert_int_equal(pfx_read_file(path, 8, &text, &size, &err), -ENOENT);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(pfx_map_file("/", &m, &err), -EINVAL);
}

static void check_list(const char *in, const char *out)
{
	struct pfx_list list;
	char text[64];

	assert_int_equal(pfx_list_parse(in, &list), out != NULL);
	if (!out)
		return;
	pfx_list_format(&list, text, sizeof(text));
	assert_string_equal(text, out);
	pfx_list_fini(&list);
}

/* Large files are mapped at an address where no huge page is possible, from the first byte to the
 * last. */
static void check_mapping(const char *path, size_t size)
{
	struct pfx_mapping map;
	char last = 0;
	int fd = open(path, O_RDWR);

	assert_true(fd >= 0 && !ftruncate(fd, (off_t)size));
	assert_int_equal(pwrite(fd, "<", 1, 0), 1);
	assert_int_equal(pwrite(fd, ">", 1, (off_t)size - 1), 1);
	close(fd);
	assert_int_equal(pfx_map_file(path, &map, NULL), 0);
	assert_int_equal(map.size, size);
	last = (char)map.data[size - 1];
	assert_true(map.data[0] == '<' && last == '>');
	if (size >= 2u << 20)
		assert_int_not_equal((uintptr_t)map.data % (2u << 20), 0);
	pfx_unmap(&map);
	assert_null(map.data);
}

static void test_mappings(void **state)
{
	static const size_t sizes[] = {2, 4096, (2u << 20) - 1, 2u << 20, (4u << 20) + 1};
	char path[] = "/tmp/pfx-map-XXXXXX";
	size_t i;

	(void)state;
	close(mkstemp(path));
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		check_mapping(path, sizes[i]);
	unlink(path);
}

/* --- files that become shorter --- */

#define CUT_PAGES 600 /* more than a huge page, to test the other kind of mapping, too */

static void on_bus_error(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (!pfx_guard_fault(info->si_addr))
		signal(sig, SIG_DFL);
}

static void catch_bus_errors(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
}

static struct pfx_mapping map_pages(const char *path, size_t pages)
{
	size_t size = pages * (size_t)sysconf(_SC_PAGESIZE);
	int fd = open(path, O_RDWR);
	struct pfx_mapping map;
	char *bytes = malloc(size);

	assert_true(fd >= 0 && bytes);
	memset(bytes, 'x', size);
	assert_int_equal(pfx_pwrite_full(fd, bytes, size, 0), 0);
	close(fd);
	free(bytes);
	assert_int_equal(pfx_map_file(path, &map, NULL), 0);
	return map;
}

static void check_cut(const char *path, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	struct pfx_mapping map = map_pages(path, pages), other = map_pages(path, pages);

	assert_int_equal(map.data[(pages - 1) * page], 'x');
	assert_false(pfx_mapping_was_cut(&map));
	assert_int_equal(truncate(path, (off_t)page), 0);
	assert_int_equal(map.data[0], 'x');
	assert_false(pfx_mapping_was_cut(&map));
	for (i = pages - 1; i; i--)
		assert_int_equal(map.data[i * page], 0);
	assert_true(pfx_mapping_was_cut(&map));
	assert_false(pfx_mapping_was_cut(&other));
	assert_string_equal(pfx_guard_next_cut(0), path);
	assert_null(pfx_guard_next_cut(1));
	pfx_unmap(&map);
	assert_false(pfx_mapping_was_cut(&map));
	pfx_unmap(&other);
	assert_string_equal(pfx_guard_next_cut(0), path); /* once, not for each mapping */
	assert_null(pfx_guard_next_cut(1));
}

static void test_cut_files(void **state)
{
	char path[] = "/tmp/pfx-cut-XXXXXX";
	int fd = mkstemp(path);
	struct pfx_mapping map;

	(void)state;
	close(fd);
	catch_bus_errors();
	check_cut(path, 3);
	check_cut(path, CUT_PAGES);
	/* callers that map a descriptor without a name check themselves */
	fd = open(path, O_RDWR);
	assert_int_equal(ftruncate(fd, 3 * sysconf(_SC_PAGESIZE)), 0);
	assert_int_equal(pfx_map_fd(fd, 3 * (size_t)sysconf(_SC_PAGESIZE), NULL, &map), 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(map.data[0], 0);
	assert_true(pfx_mapping_was_cut(&map));
	assert_null(pfx_guard_next_cut(1));
	pfx_unmap(&map);
	close(fd);
	unlink(path);
	assert_false(pfx_guard_fault(&fd));
}

/* More mappings than a block of the list has, some removed in between: each reports only its own
 * file. */
static void test_many_mappings(void **state)
{
	struct pfx_mapping maps[600];
	size_t i, nr = sizeof(maps) / sizeof(*maps);
	char path[] = "/tmp/pfx-cut-XXXXXX";

	(void)state;
	close(mkstemp(path));
	catch_bus_errors();
	for (i = 0; i < nr; i++)
		maps[i] = map_pages(path, 1);
	for (i = 0; i < nr; i += 2)
		pfx_unmap(&maps[i]);
	for (i = 0; i < nr; i += 4)
		maps[i] = map_pages(path, 1);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(maps[nr - 1].data[0], 0);
	assert_int_equal(maps[4].data[0], 0);
	for (i = 0; i < nr; i++)
		assert_int_equal(pfx_mapping_was_cut(&maps[i]), i == nr - 1 || i == 4);
	for (i = 0; i < nr; i++)
		pfx_unmap(&maps[i]);
	unlink(path);
}

/* A thread that blocks signals still handles its own faults. */
static void *look_at_cut_file(void *data)
{
	return *(volatile const uint8_t *)data ? NULL : data;
}

static void test_cut_in_thread(void **state)
{
	char path[] = "/tmp/pfx-cut-XXXXXX";
	struct pfx_mapping map;
	pthread_t thread;
	sigset_t old, now;
	void *result;

	(void)state;
	close(mkstemp(path));
	catch_bus_errors();
	map = map_pages(path, 1);
	assert_int_equal(truncate(path, 0), 0);
	pfx_guard_block_signals(&old);
	assert_int_equal(pthread_create(&thread, NULL, look_at_cut_file, (void *)map.data), 0);
	pthread_sigmask(SIG_SETMASK, &old, &now);
	assert_true(sigismember(&now, SIGINT) && !sigismember(&now, SIGBUS));
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, map.data);
	pfx_unmap(&map);
	unlink(path);
}

/* --- names that others chose --- */

static void test_plain_files(void **state)
{
	char dir[] = "/tmp/pfx-plain-XXXXXX", path[64], link[64];
	struct stat st;
	char *text;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(pfx_open_plain(path, 0, &st), -ENOENT);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(pfx_open_plain(path, 0, &st), -EINVAL);
	assert_int_equal(pfx_open_plain(link, 0, &st), -EINVAL);
	assert_int_equal(pfx_read_plain_file(path, 10, &text, NULL, NULL), -EINVAL);
	assert_int_equal(unlink(path), 0);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(pfx_write_full(fd, "abc", 3), 0);
	close(fd);
	fd = pfx_open_plain(link, 0, &st);
	assert_true(fd >= 0);
	assert_int_equal(st.st_size, 3);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	assert_true(pfx_open_plain(link, O_NOFOLLOW, NULL) < 0);
	assert_int_equal(pfx_read_plain_file(link, 10, &text, NULL, NULL), 0);
	assert_string_equal(text, "abc");
	free(text);
	assert_int_equal(pfx_open_plain("/dev/null", 0, NULL), -EINVAL);
	assert_int_equal(pfx_open_plain(dir, 0, NULL), -EINVAL);
	fd = pfx_open_plain("/proc/self/status", 0, NULL);
	assert_true(fd >= 0);
	close(fd);
	unlink(link);
	unlink(path);
	rmdir(dir);
}

static void test_faults_in_lists(void **state)
{
	(void)state;
	assert_int_equal(pfx_list_fault("x"), 0);
	assert_int_equal(pfx_list_fault("0-3,x"), 4);
	assert_int_equal(pfx_list_fault("0-3,5x"), 5);
	assert_int_equal(pfx_list_fault("1,7-3"), 4);
	assert_int_equal(pfx_list_fault("1,,3"), 2);
	assert_int_equal(pfx_list_fault("1,99999999"), 2);
	assert_int_equal(pfx_list_fault("1,"), 2);
	assert_int_equal(pfx_list_fault("1-"), 2);
}

static void test_lists(void **state)
{
	struct pfx_list list;

	(void)state;
	check_list("0", "0");
	check_list("0-3,8", "0-3,8");
	check_list("8,3,2,1,3-5", "1-5,8");
	check_list("", NULL);
	check_list("a", NULL);
	check_list("1,", NULL);
	check_list("3-1", NULL);
	check_list("1-", NULL);
	check_list("-1", NULL);
	check_list("1 2", NULL);
	check_list("0-99999999", NULL);
	check_list("99999999999999999999", NULL);
	assert_true(pfx_list_parse("2-4", &list));
	assert_true(pfx_list_has(&list, 3));
	assert_false(pfx_list_has(&list, 5));
	pfx_list_fini(&list);
}

static void test_percentages(void **state)
{
	static const char *const wrong[] = {"", "%", "x", "5x", "5%%", "-1", "nan", "inf"};
	double v;
	size_t i;

	(void)state;
	assert_true(pfx_parse_percent("0", &v) && v == 0);
	assert_true(pfx_parse_percent("12.5", &v) && v == 12.5);
	assert_true(pfx_parse_percent("5%", &v) && v == 5);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(pfx_parse_percent(wrong[i], &v));
}

static void test_numbers(void **state)
{
	uint64_t v;

	(void)state;
	assert_true(pfx_parse_u64("0x1f", &v));
	assert_int_equal(v, 31);
	assert_false(pfx_parse_u64("-1", &v));
	assert_false(pfx_parse_u64("1x", &v));
	assert_false(pfx_parse_u64("", &v));
	assert_false(pfx_parse_u64("99999999999999999999", &v));
	assert_true(pfx_parse_size("16", &v));
	assert_int_equal(v, 16);
	assert_true(pfx_parse_size("2k", &v));
	assert_int_equal(v, 2048);
	assert_true(pfx_parse_size("3G", &v));
	assert_int_equal(v, 3ull << 30);
	assert_false(pfx_parse_size("3T", &v));
	assert_false(pfx_parse_size("3KK", &v));
	assert_false(pfx_parse_size("18446744073709551615K", &v));
}

static void test_nearest(void **state)
{
	static const char *const names[] = {"record", "report", "script"};

	(void)state;
	assert_int_equal(pfx_edit_distance("abc", "abc"), 0);
	assert_int_equal(pfx_edit_distance("abc", "acb"), 1);
	assert_int_equal(pfx_edit_distance("kitten", "sitting"), 3);
	assert_string_equal(pfx_nearest("recrod", names, 3), "record");
	assert_string_equal(pfx_nearest("scirpt", names, 3), "script");
	assert_null(pfx_nearest("xyzzy", names, 3));
	assert_null(pfx_nearest("foo", (const char *const[]){"dso"}, 1));
}

static void expect_file(const char *path, const char *expected)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pfx_read_full(fd, text, sizeof(text)), strlen(expected));
	assert_string_equal(text, expected);
	close(fd);
}

static void write_late(struct pfx_late_file *file, const char *path, const char *text)
{
	assert_int_equal(pfx_late_file_open(file, path, 0600), 0);
	assert_int_equal(pfx_write_full(file->fd, text, strlen(text)), 0);
}

/* A program that a signal ends while it writes leaves nothing. */
static void end_while_writing(const char *path)
{
	struct pfx_late_file file;
	pid_t pid = fork();
	int status;

	if (!pid) {
		write_late(&file, path, "half");
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void test_late_file(void **state)
{
	char dir[] = "/tmp/pfx-late-XXXXXX", *path;
	struct pfx_late_file file;
	int unnamed;

	(void)state;
	assert_non_null(mkdtemp(dir));
	path = pfx_strfmt("%s/file", dir);
	write_late(&file, path, "first");
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(pfx_late_file_close(&file, 0), 0);
	expect_file(path, "first");
	assert_int_equal(pfx_late_file_close(&file, -EIO), -EIO);
	write_late(&file, path, "second");
	assert_int_equal(pfx_late_file_close(&file, -EIO), -EIO);
	expect_file(path, "first");
	write_late(&file, path, "third");
	assert_int_equal(pfx_late_file_close(&file, 0), 0);
	expect_file(path, "third");
	unnamed = open(dir, O_WRONLY | O_TMPFILE, 0600);
	if (unnamed >= 0) {
		close(unnamed);
		end_while_writing(path);
		expect_file(path, "third");
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0); /* nothing else is in it */
	assert_int_equal(pfx_late_file_open(&file, path, 0600), -ENOENT);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_alloc_checked),
		cmocka_unit_test(test_vec),
		cmocka_unit_test(test_bisect),
		cmocka_unit_test(test_arena),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_intern),
		cmocka_unit_test(test_str_numbers),
		cmocka_unit_test(test_str_digits),
		cmocka_unit_test(test_str_hundredths),
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_cursor),
		cmocka_unit_test(test_buffer),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_faults_in_lists),
		cmocka_unit_test(test_mappings),
		cmocka_unit_test(test_percentages),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_cut_files),
		cmocka_unit_test(test_many_mappings),
		cmocka_unit_test(test_cut_in_thread),
		cmocka_unit_test(test_plain_files),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_late_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
