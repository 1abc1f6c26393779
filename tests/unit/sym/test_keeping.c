/* SPDX-License-Identifier: MIT */
/* Adds binaries to the build-ID cache and removes them, by path. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sym/find/keeping.h"
#include "unit/base/tree.h"
#include "unit/sym/elf_make.h"

#define ONE "the-first-build-here"
#define TWO "another-build-of-it."

static struct tree t;
static char cache[512], program[512];
static char steps[64]; /* a letter for each step */

static void on_step(void *context, enum pfx_keep_step step, const struct pfx_kept *build)
{
	size_t len = strlen(steps);

	(void)context;
	assert_string_equal(build->name, program);
	assert_true(len + 1 < sizeof(steps));
	steps[len] = "AURDO"[step];
	steps[len + 1] = '\0';
}

static struct pfx_keeping keeping = {.dir = cache, .on_step = on_step};

static void make(const char *build_id)
{
	const struct make_elf elf = {.build_id = build_id};

	unlink(program);
	make_file(program, &elf);
}

static int set_up(void **state)
{
	(void)state;
	tree_init(&t);
	snprintf(cache, sizeof(cache), "%s/cache", t.root);
	snprintf(program, sizeof(program), "%s/program", t.root);
	make(ONE);
	steps[0] = '\0';
	keeping.pid = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tree_fini(&t);
	return 0;
}

static size_t nr_kept(void)
{
	struct pfx_kept_list list;
	size_t nr;

	assert_int_equal(pfx_keep_list(cache, &list, NULL), 0);
	nr = list.builds.nr;
	pfx_keep_list_free(&list);
	return nr;
}

static void added_and_removed(void **state)
{
	struct pfx_build_id id = pfx_build_id_make(ONE, strlen(ONE));

	(void)state;
	assert_false(pfx_keep_has(cache, &id));
	assert_int_equal(pfx_keeping_add(&keeping, program, false, NULL), 0);
	assert_true(pfx_keep_has(cache, &id));
	assert_int_equal(pfx_keeping_add(&keeping, program, true, NULL), 0);
	assert_int_equal(pfx_keeping_remove(&keeping, program, NULL), 0);
	assert_false(pfx_keep_has(cache, &id));
	assert_int_equal(pfx_keeping_remove(&keeping, program, NULL), -ENOENT);
	assert_string_equal(steps, "AUR");
}

/* All builds of a path are removed, even if the file is gone. */
static void purged(void **state)
{
	struct pfx_error err;

	(void)state;
	assert_int_equal(pfx_keeping_add(&keeping, program, false, NULL), 0);
	make(TWO);
	assert_int_equal(pfx_keeping_add(&keeping, program, false, NULL), 0);
	assert_int_equal(nr_kept(), 2);
	unlink(program);
	assert_int_equal(pfx_keeping_purge(&keeping, program, NULL), 0);
	assert_int_equal(nr_kept(), 0);
	assert_int_equal(pfx_keeping_purge(&keeping, program, &err), -ENOENT);
	assert_non_null(strstr(err.text, "is not in the build-id cache"));
	assert_int_equal(pfx_keeping_purge_all(&keeping, NULL), 0);
	assert_string_equal(steps, "AARR");
}

/* In the root of a process: absolute paths only. */
static void of_a_process(void **state)
{
	struct pfx_error err;

	(void)state;
	keeping.pid = (uint64_t)getpid();
	assert_int_equal(pfx_keeping_add(&keeping, program, false, NULL), 0);
	assert_int_equal(nr_kept(), 1);
	assert_int_equal(pfx_keeping_add(&keeping, "program", false, &err), -EINVAL);
	assert_string_equal(err.text, "'program' is not an absolute path");
	assert_int_equal(pfx_keeping_purge_all(&keeping, NULL), 0);
	assert_string_equal(steps, "AR");
}

static void missing_files(void **state)
{
	(void)state;
	unlink(program);
	assert_int_equal(pfx_keeping_add(&keeping, program, false, NULL), -ENOENT);
	assert_int_equal(pfx_keeping_remove(&keeping, program, NULL), -ENOENT);
	assert_string_equal(steps, "");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(added_and_removed),
		TEST(purged),
		TEST(of_a_process),
		TEST(missing_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
