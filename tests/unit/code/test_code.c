/* SPDX-License-Identifier: MIT */
/* Source files by path, and lanes of jumps, without a binary. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "code/code_internal.h"

/* --- sources --- */

static char folder[64];

static void write_file(const char *name, const char *text, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/pfx-test-code-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"a.c", "cut.c", "binary.c", "fifo.c"};
	char path[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

static void expect_line(struct pfx_sources *sources, const char *file, uint32_t line,
			const char *text)
{
	size_t len = 77;
	const char *found = pfx_sources_line(sources, file, line, &len);

	if (!text) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(found, text, len);
}

static void test_lines(void **state)
{
	struct pfx_sources *sources = pfx_sources_new();
	char path[128];

	(void)state;
	write_file("a.c", "one\n\nthree\r\n", 12);
	write_file("cut.c", "one\nlast", 8);
	snprintf(path, sizeof(path), "%s/a.c", folder);
	expect_line(sources, path, 0, NULL);
	expect_line(sources, path, 1, "one");
	expect_line(sources, path, 2, "");
	expect_line(sources, path, 3, "three");
	expect_line(sources, path, 4, NULL);
	expect_line(sources, path, UINT32_MAX, NULL);
	assert_int_equal(pfx_sources_nr_lines(sources, path), 3);
	snprintf(path, sizeof(path), "%s/cut.c", folder);
	expect_line(sources, path, 2, "last");
	expect_line(sources, path, 3, NULL);
	pfx_sources_free(sources);
}

/* A named pipe would block, and binary data are not source code. */
static void test_no_sources(void **state)
{
	struct pfx_sources *sources = pfx_sources_new();
	struct pfx_sources_gaps gaps = pfx_sources_gaps(sources);
	char path[128];

	(void)state;
	assert_int_equal(gaps.nr, 0);
	write_file("binary.c", "one\0two\n", 8);
	snprintf(path, sizeof(path), "%s/fifo.c", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_line(sources, path, 1, NULL);
	gaps = pfx_sources_gaps(sources);
	assert_string_equal(gaps.first, path);
	assert_string_equal(gaps.why, "it is not a regular file");
	assert_false(gaps.is_absent);
	snprintf(path, sizeof(path), "%s/binary.c", folder);
	expect_line(sources, path, 1, NULL);
	expect_line(sources, "/no/such/file.c", 1, NULL);
	expect_line(sources, folder, 1, NULL);
	expect_line(sources, "/proc/self/status", 1, NULL); /* has the size 0, as /proc/kmsg */
	assert_int_equal(pfx_sources_nr_lines(sources, "/no/such/file.c"), 0);
	gaps = pfx_sources_gaps(sources);
	assert_int_equal(gaps.nr, 4);
	pfx_sources_free(sources);
	sources = pfx_sources_new();
	expect_line(sources, "/no/such/file.c", 1, NULL);
	gaps = pfx_sources_gaps(sources);
	assert_string_equal(gaps.why, "it does not exist");
	assert_true(gaps.is_absent);
	pfx_sources_free(sources);
}

/* One file by many paths, as a hostile recording names it. */
static void test_total(void **state)
{
	struct pfx_sources *sources = pfx_sources_new();
	char *text = malloc(PFX_SOURCE_SIZE_MAX), path[128];
	uint32_t nr = 0;
	int i;

	(void)state;
	memset(text, 'x', PFX_SOURCE_SIZE_MAX);
	write_file("cut.c", text, PFX_SOURCE_SIZE_MAX);
	free(text);
	for (i = 1; i <= 6; i++) {
		snprintf(path, sizeof(path), "%.*s%s/cut.c", i, "//////", folder);
		nr += pfx_sources_nr_lines(sources, path);
	}
	assert_int_equal(nr, PFX_SOURCES_SIZE_MAX / PFX_SOURCE_SIZE_MAX);
	assert_int_equal(pfx_sources_gaps(sources).nr, 2);
	assert_string_equal(pfx_sources_gaps(sources).why,
			    "the source files have more than 256 MB together");
	pfx_sources_free(sources);
}

/* Text out of an archive comes first. */
static void test_archived(void **state)
{
	struct pfx_sources *sources = pfx_sources_new();
	char path[128];
	size_t size;

	(void)state;
	write_file("cut.c", "archived\n", 9);
	pfx_sources_archived(sources, folder);
	expect_line(sources, "/x/../cut.c", 1, "archived");
	assert_null(pfx_sources_text(sources, "cut.c", &size));
	assert_memory_equal(pfx_sources_text(sources, "/cut.c", &size), "archived\n", 9);
	assert_int_equal(size, 9);
	snprintf(path, sizeof(path), "%s/cut.c", folder);
	expect_line(sources, path, 1, "archived");
	pfx_sources_free(sources);
}

static void test_mappings(void **state)
{
	struct pfx_sources *sources = pfx_sources_new();
	struct pfx_error err = {0};
	char word[192];

	(void)state;
	snprintf(word, sizeof(word), "/build/x=%s", folder);
	assert_int_equal(pfx_sources_map_word(sources, word, &err), 0);
	expect_line(sources, "/build/x/a.c", 1, "one");
	expect_line(sources, "/build/xy/a.c", 1, NULL);
	assert_int_equal(pfx_sources_map_word(sources, "/build", &err), -EINVAL);
	assert_string_equal(err.text, "'/build' is not a mapping of source folders");
	assert_int_equal(pfx_sources_map_word(sources, "=/x", &err), -EINVAL);
	pfx_sources_map(sources, "/build/x", "/nowhere"); /* the last matching one is used */
	expect_line(sources, "/build/x/cut.c", 1, NULL);
	assert_null(pfx_sources_not_mapped(sources));
	pfx_sources_map(sources, "/else", "/nowhere");
	pfx_sources_map(sources, "/none", "/nowhere");
	pfx_sources_expect_mapped(sources);
	assert_string_equal(pfx_sources_not_mapped(sources), "/none");
	pfx_sources_map(sources, "/none/below", "/nowhere"); /* hides the one before */
	expect_line(sources, "/none/below/a.c", 1, NULL);
	assert_null(pfx_sources_not_mapped(sources));
	pfx_sources_free(sources);
}

static void test_prefix(void **state)
{
	struct pfx_sources *sources = pfx_sources_new();

	(void)state;
	pfx_sources_prefix(sources, folder, 2);
	expect_line(sources, "/usr/src/a.c", 1, "one");
	expect_line(sources, "/a.c", 1, "one"); /* no prefix is left to remove */
	expect_line(sources, "usr/src/a.c", 1, NULL);
	pfx_sources_free(sources);
}

/* --- jumps --- */

#define NR_INSNS 8

static const struct pfx_code_options no_options;

/* Instructions of 4 bytes from 0x1000 on, and jumps between them. */
static void make_jumps(struct pfx_code_build *build, struct pfx_code *code,
		       const uint32_t (*jumps)[2], size_t nr)
{
	size_t i;

	memset(code, 0, sizeof(*code));
	*build = (struct pfx_code_build){.code = code, .options = &no_options};
	code->insns = calloc(NR_INSNS, sizeof(*code->insns));
	code->nr_insns = NR_INSNS;
	for (i = 0; i < NR_INSNS; i++)
		code->insns[i] = (struct pfx_code_insn){
			.addr = 0x1000 + 4 * i, .len = 4, .target_insn = PFX_CODE_NONE};
	for (i = 0; i < nr; i++) {
		code->insns[jumps[i][0]].flow = PFX_FLOW_BRANCH;
		code->insns[jumps[i][0]].has_target = true;
		code->insns[jumps[i][0]].target = 0x1000 + 4 * jumps[i][1];
	}
	pfx_code_find_jumps(build);
}

static uint32_t lane_of(const struct pfx_code *code, uint32_t from)
{
	uint32_t i;

	for (i = 0; i < code->nr_jumps; i++)
		if (code->jumps[i].from == from)
			return code->jumps[i].lane;
	return PFX_CODE_NONE;
}

static void test_jumps(void **state)
{
	static const uint32_t jumps[][2] = {{1, 6}, {3, 2}, {5, 4}, {7, 100}};
	struct pfx_code_build build;
	struct pfx_code code;

	(void)state;
	make_jumps(&build, &code, jumps, 4);
	assert_int_equal(code.nr_jumps, 3); /* the last one leaves the function */
	assert_int_equal(code.nr_lanes, 2);
	assert_int_equal(lane_of(&code, 3), 0);
	assert_int_equal(lane_of(&code, 5), 0); /* does not overlap with the previous one */
	assert_int_equal(lane_of(&code, 1), 1);
	assert_true(code.insns[6].is_target && code.insns[2].is_target);
	assert_false(code.insns[1].is_target);
	assert_int_equal(code.insns[7].target_insn, PFX_CODE_NONE);
	assert_int_equal(code.insns[1].target_insn, 6);
	free(code.insns);
	pfx_arena_clear(&code.arena);
}

#define NR_LONG 400000

/* Each instruction jumps across half of a large function: lanes are assigned in no time, and
 * overlapping jumps share the last one only. */
static void test_many_long_jumps(void **state)
{
	struct pfx_code code = {.nr_insns = NR_LONG};
	struct pfx_code_build build = {.code = &code, .options = &no_options};
	uint32_t i;

	(void)state;
	code.insns = calloc(NR_LONG, sizeof(*code.insns));
	for (i = 0; i < NR_LONG; i++)
		code.insns[i] = (struct pfx_code_insn){
			.addr = 5 * i,
			.len = 5,
			.flow = PFX_FLOW_BRANCH,
			.has_target = true,
			.target = 5 * (uint64_t)((i + NR_LONG / 2) % NR_LONG),
			.target_insn = PFX_CODE_NONE,
		};
	pfx_code_find_jumps(&build);
	assert_int_equal(code.nr_jumps, NR_LONG);
	assert_int_equal(code.nr_lanes, 32);
	for (i = 0; i < 31; i++)
		assert_int_equal(code.jumps[i].lane, i);
	assert_int_equal(code.jumps[NR_LONG - 1].lane, 31);
	free(code.insns);
	pfx_arena_clear(&code.arena);
}

/* A target inside an instruction is invalid. */
static void test_jump_into(void **state)
{
	static const uint32_t jumps[][2] = {{1, 6}};
	struct pfx_code_build build;
	struct pfx_code code;

	(void)state;
	make_jumps(&build, &code, jumps, 1);
	code.nr_jumps = 0;
	code.insns[1].target = 0x1000 + 4 * 6 + 1;
	code.insns[1].target_insn = PFX_CODE_NONE;
	pfx_code_find_jumps(&build);
	assert_int_equal(code.nr_jumps, 0);
	assert_int_equal(code.insns[1].target_insn, PFX_CODE_NONE);
	free(code.insns);
	pfx_arena_clear(&code.arena);
}

static void test_find(void **state)
{
	struct pfx_code_build build;
	struct pfx_code code;

	(void)state;
	make_jumps(&build, &code, NULL, 0);
	assert_int_equal(pfx_code_find(&code, 0xfff), PFX_CODE_NONE);
	assert_int_equal(pfx_code_find(&code, 0x1000), 0);
	assert_int_equal(pfx_code_find(&code, 0x1003), 0);
	assert_int_equal(pfx_code_find(&code, 0x1004), 1);
	assert_int_equal(pfx_code_find(&code, 0x1000 + 4 * NR_INSNS - 1), NR_INSNS - 1);
	assert_int_equal(pfx_code_find(&code, 0x1000 + 4 * NR_INSNS), PFX_CODE_NONE);
	free(code.insns);
	pfx_arena_clear(&code.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),           cmocka_unit_test(test_no_sources),
		cmocka_unit_test(test_total),           cmocka_unit_test(test_archived),
		cmocka_unit_test(test_mappings),        cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_jumps),           cmocka_unit_test(test_jump_into),
		cmocka_unit_test(test_many_long_jumps), cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
