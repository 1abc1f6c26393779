/* SPDX-License-Identifier: MIT */
/*
 * Perf maps of untrusted processes: the path may be a link to any file, a device, or a huge file.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/io.h"
#include "sym/find/request.h"
#include "sym/jit/jit_files.h"

#define PID      4194302 /* above any default pid_max */
#define STRANGER 65534
#define MAP      "root/tmp/perf-5.map"

static char *dir;
static uid_t owner; /* of the process */

static int in_dir(void **state)
{
	(void)state;
	dir = pfx_strdup("/tmp/pfx-jit-files-XXXXXX");
	return mkdtemp(dir) && !chdir(dir) && !mkdir("root", 0755) && !mkdir("root/tmp", 0755) ? 0
											       : -1;
}

static int out_of_dir(void **state)
{
	char *command = pfx_strfmt("rm -r %s", dir);
	int rc = chdir("/") || system(command);

	(void)state;
	free(command);
	free(dir);
	return rc;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Read the map in the process's root directory; returns its content, or the error. */
static int read_map(bool force, char *text)
{
	struct pfx_jit_view view = {.tmp = "tmp/", .pid = 5, .owner = owner};
	const struct pfx_sym_request request = {
		.kind = PFX_SYM_PERF_MAP, .path = "/nowhere/at/all", .pid = PID, .view = &view};
	const struct pfx_sym_options options = {.force = force, .buildid_dir = ""};
	struct pfx_jit_file file;
	int rc;

	snprintf(view.root, sizeof(view.root), "%s/root", dir);
	rc = pfx_jit_file_read(&request, &options, &file, NULL);
	if (!rc)
		snprintf(text, 64, "%s", (const char *)file.data);
	pfx_jit_file_free(&file);
	return rc;
}

static void expect(const char *wanted)
{
	char text[64] = "";

	assert_int_equal(read_map(false, text), 0);
	assert_string_equal(text, wanted);
	assert_int_equal(unlink(MAP), 0);
}

static void expect_nothing(void)
{
	char text[64] = "";

	assert_true(read_map(false, text) < 0);
	assert_int_equal(unlink(MAP), 0);
}

static void its_own_files(void **state)
{
	(void)state;
	put(MAP, "1 1 plain");
	expect("1 1 plain");
	put("root/inside", "1 1 inside");
	assert_int_equal(symlink("/inside", MAP), 0);
	expect("1 1 inside");
	assert_int_equal(symlink("../inside", MAP), 0);
	expect("1 1 inside");
}

/* A link cannot leave the root directory of the process. */
static void links_to_the_outside(void **state)
{
	char *outside = pfx_strfmt("%s/secret", dir);

	(void)state;
	put("secret", "1 1 secret");
	assert_int_equal(symlink(outside, MAP), 0);
	expect_nothing();
	assert_int_equal(symlink("../../secret", MAP), 0);
	expect_nothing();
	assert_int_equal(symlink("../../../../../../../../etc/passwd", MAP), 0);
	expect_nothing();
	assert_int_equal(symlink("/proc/self/root/etc/passwd", MAP), 0);
	expect_nothing();
	assert_int_equal(symlink(MAP, MAP), 0);
	expect_nothing();
	free(outside);
}

/* A link of another user is not followed. */
static void links_of_strangers(void **state)
{
	char text[64] = "";

	(void)state;
	if (geteuid())
		skip();
	put("root/inside", "1 1 inside");
	assert_int_equal(symlink("/inside", MAP), 0);
	assert_int_equal(lchown(MAP, STRANGER, STRANGER), 0);
	assert_true(read_map(false, text) < 0);
	assert_int_equal(read_map(true, text), 0);
	assert_string_equal(text, "1 1 inside");
	/* it is followed if the target and the process belong to the same user */
	assert_int_equal(chown("root/inside", STRANGER, STRANGER), 0);
	assert_true(read_map(false, text) < 0);
	owner = STRANGER;
	assert_int_equal(read_map(false, text), 0);
	owner = 0;
	assert_int_equal(unlink(MAP), 0);
	put(MAP, "1 1 his");
	assert_int_equal(chown(MAP, STRANGER, STRANGER), 0);
	expect_nothing();
}

/* A user can mount a file of root's that only root may read where his process has its perf map. */
static void files_of_root_inside(void **state)
{
	char text[64] = "";

	(void)state;
	if (geteuid())
		skip();
	put(MAP, "1 1 secret");
	owner = STRANGER;
	assert_true(read_map(false, text) < 0);
	assert_int_equal(read_map(true, text), 0);
	owner = 0;
	assert_int_equal(unlink(MAP), 0);
}

static void no_plain_files(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(MAP, 0600), 0);
	expect_nothing(); /* must not wait for a writer */
	assert_int_equal(symlink("/proc/self/fd/0", MAP), 0);
	expect_nothing();
	assert_int_equal(mkdir(MAP, 0700), 0);
	assert_true(read_map(false, (char[64]){0}) < 0);
	assert_int_equal(rmdir(MAP), 0);
}

static void huge_files(void **state)
{
	int fd = open(MAP, O_CREAT | O_WRONLY, 0600);

	(void)state;
	assert_true(fd >= 0);
	if (ftruncate(fd, (off_t)1 << 40) < 0)
		print_message("a file of a terabyte is not possible here\n");
	close(fd);
	expect_nothing();
}

static void directories(void **state)
{
	char *root = pfx_strfmt("%s/root", dir);
	int at;

	(void)state;
	at = pfx_find_inside(root, "tmp", O_DIRECTORY);
	assert_true(at >= 0);
	close(at);
	assert_int_equal(rmdir("root/tmp"), 0);
	assert_int_equal(symlink("/etc", "root/tmp"), 0);
	assert_true(pfx_find_inside(root, "tmp", O_DIRECTORY) < 0);
	assert_int_equal(unlink("root/tmp"), 0);
	assert_int_equal(mkdir("root/tmp", 0755), 0);
	assert_int_equal(pfx_open_found(pfx_find_inside(root, "tmp", 0)), -EINVAL);
	assert_int_equal(pfx_open_found(pfx_find_inside(root, "none", 0)), -ENOENT);
	free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(its_own_files, in_dir, out_of_dir),
		cmocka_unit_test_setup_teardown(links_to_the_outside, in_dir, out_of_dir),
		cmocka_unit_test_setup_teardown(links_of_strangers, in_dir, out_of_dir),
		cmocka_unit_test_setup_teardown(files_of_root_inside, in_dir, out_of_dir),
		cmocka_unit_test_setup_teardown(no_plain_files, in_dir, out_of_dir),
		cmocka_unit_test_setup_teardown(huge_files, in_dir, out_of_dir),
		cmocka_unit_test_setup_teardown(directories, in_dir, out_of_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
