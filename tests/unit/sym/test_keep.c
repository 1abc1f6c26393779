/* SPDX-License-Identifier: MIT */
/*
 * Files in the build-id cache match their name, regardless of the function that adds them; wrong
 * files are replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/sha1.h"
#include "sym/cache/keep.h"
#include "unit/base/tree.h"
#include "unit/sym/elf_make.h"

static struct tree t;

static char *at(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s%s", t.root, name);
	return path;
}

static int set_up(void **state)
{
	(void)state;
	tree_init(&t);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tree_fini(&t);
	return 0;
}

#define ONE "the-first-build-here"
#define TWO "another-build-of-it."

static struct pfx_build_id id_of(const char *text)
{
	return pfx_build_id_make(text, strlen(text));
}

/* A program with this build ID at /made; its path. */
static char *make(const char *build_id)
{
	const struct make_elf program = {.build_id = build_id};

	unlink(at("/made"));
	make_file(at("/made"), &program);
	return at("/made");
}

static int keep(const char *name, const char *filed, const char *made, const char *what)
{
	struct pfx_build_id id = id_of(filed);

	return pfx_keep_file(at("/cache"), name, &id, make(made), what, NULL);
}

/* Whether readers find the build under its ID. */
static bool is_found(const char *filed, const char *what)
{
	struct pfx_build_id id = id_of(filed), found = {0};
	char *path = pfx_keep_find(at("/cache"), &id, what);
	bool same =
		path && !pfx_build_id_of_file(path, &found, NULL) && pfx_build_id_same(&id, &found);

	free(path);
	return same;
}

/* Overwrite the cached file of the build, as another program would. */
static void poison(const char *filed, const char *what, const char *made)
{
	struct pfx_build_id id = id_of(filed);
	char *path = pfx_keep_find(at("/cache"), &id, what);

	assert_non_null(path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rename(make(made), path), 0);
	assert_false(is_found(filed, what));
	free(path);
}

static void other_builds_are_refused(void **state)
{
	static const char *const parts[] = {"elf", "debug", "vdso", "vmlinux"};
	struct pfx_build_id id = id_of(ONE);
	struct pfx_error err = {0};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		assert_int_equal(keep("/usr/bin/x", ONE, TWO, parts[i]), -EBADMSG);
		assert_int_equal(keep("/usr/bin/x", ONE, NULL, parts[i]), -EBADMSG);
		assert_null(pfx_keep_find(at("/cache"), &id, parts[i]));
		assert_int_equal(keep("/usr/bin/x", ONE, ONE, parts[i]), 0);
		assert_true(is_found(ONE, parts[i]));
	}
	assert_int_equal(pfx_keep_file(at("/fresh"), "/usr/bin/\x1bx", &id, make(TWO), "elf", &err),
			 -EBADMSG);
	assert_string_equal(err.text, "'/usr/bin/\\x1bx' is not kept: it is not the build that it "
				      "is named as");
}

static void what_is_wrong_is_replaced(void **state)
{
	(void)state;
	assert_int_equal(keep("/usr/bin/x", ONE, ONE, "elf"), 0);
	poison(ONE, "elf", TWO);
	assert_int_equal(keep("/usr/bin/x", ONE, ONE, "elf"), 1);
	assert_true(is_found(ONE, "elf"));
	assert_int_equal(keep("/usr/bin/x", ONE, ONE, "elf"), 0);
	/* A wrong file stays until a correct one is added. */
	poison(ONE, "elf", NULL);
	assert_int_equal(keep("/usr/bin/x", ONE, TWO, "elf"), -EBADMSG);
	assert_int_equal(keep("/usr/bin/x", ONE, ONE, "elf"), 1);
	assert_true(is_found(ONE, "elf"));
}

/* The index contains the first name of a build. */
static void wrong_under_another_name(void **state)
{
	(void)state;
	assert_int_equal(keep("/usr/bin/first", ONE, ONE, "elf"), 0);
	poison(ONE, "elf", TWO);
	assert_int_equal(keep("/opt/second", ONE, ONE, "elf"), 1);
	assert_true(is_found(ONE, "elf"));
	/* A part that is missing under the first name. */
	assert_int_equal(keep("/opt/second", ONE, ONE, "debug"), 0);
	assert_true(is_found(ONE, "debug"));
}

static void links_that_lead_elsewhere(void **state)
{
	static const char *const targets[] = {"../../../elsewhere/x", "/etc", "../../none/here"};
	struct pfx_build_id id = id_of(ONE);
	char text[2 * PFX_BUILD_ID_SIZE + 1], link[600];
	size_t i;

	(void)state;
	pfx_build_id_text(&id, text);
	for (i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		assert_int_equal(keep("/usr/bin/x", ONE, ONE, "elf"), 0);
		snprintf(link, sizeof(link), "%s/.build-id/%.2s/%s", at("/cache"), text, text + 2);
		assert_int_equal(unlink(link), 0);
		assert_int_equal(symlink(targets[i], link), 0);
		assert_int_equal(keep("/usr/bin/x", ONE, ONE, "elf"), 0);
		assert_true(is_found(ONE, "elf"));
	}
}

static int keep_text(const struct pfx_build_id *id, const char *what, const char *text)
{
	const struct pfx_keep_bytes bytes = {text, strlen(text), what};

	return pfx_keep_bytes(at("/cache"), "/tmp/x", id, &bytes, NULL);
}

/* Files without a build ID are stored by the SHA-1 of their content. */
static void by_hash(void **state)
{
	struct pfx_build_id id = {.size = PFX_SHA1_SIZE};
	struct pfx_sha1 sha;
	char *bytes, *path;
	size_t size;

	(void)state;
	pfx_sha1_init(&sha);
	pfx_sha1_add(&sha, "1000 10 f\n", 10);
	pfx_sha1_end(&sha, id.data);
	assert_int_equal(keep_text(&id, "map", "1000 10 g\n"), -EBADMSG);
	assert_int_equal(keep_text(&id, "map", "1000 10 f\n"), 0);
	assert_int_equal(keep_text(&id, "jitdump", "1000 10 f\n"), 0);
	path = pfx_keep_find(at("/cache"), &id, "map");
	assert_non_null(path);
	assert_int_equal(truncate(path, 3), 0);
	free(path);
	assert_int_equal(keep_text(&id, "map", "1000 10 f\n"), 1);

	assert_int_equal(pfx_read_file(make(NULL), 1 << 20, &bytes, &size, NULL), 0);
	pfx_sha1_init(&sha);
	pfx_sha1_add(&sha, bytes, size);
	pfx_sha1_end(&sha, id.data);
	free(bytes);
	assert_int_equal(pfx_keep_file(at("/cache"), "/usr/bin/x", &id, at("/made"), "elf", NULL),
			 0);
	id.data[0] ^= 1;
	assert_int_equal(pfx_keep_file(at("/cache"), "/usr/bin/x", &id, at("/made"), "elf", NULL),
			 -EBADMSG);
}

/* Files without a build ID: their content is checked. */
static void forms(void **state)
{
	struct pfx_build_id id = id_of(ONE);

	(void)state;
	assert_int_equal(keep_text(&id, "kallsyms", "no symbols\n"), -EBADMSG);
	assert_int_equal(keep_text(&id, "kallsyms", ""), -EBADMSG);
	assert_int_equal(keep_text(&id, "kallsyms", "0000000000000000 A fixed\n"), 0);
	assert_int_equal(keep_text(&id, "dwp", "no package\n"), -EBADMSG);
	assert_int_equal(keep("/usr/bin/x", ONE, NULL, "dwp"), 0);
	assert_int_equal(keep("/usr/bin/x", ONE, NULL, "dwo-0123456789abcdef"), 0);
}

/* Recordings may contain build IDs without a size: short ones are followed by zeros. */
static void padded(void **state)
{
	struct pfx_build_id id = {.size = 20, .data = "sixteen-bytes-id"};

	(void)state;
	assert_int_equal(pfx_keep_file(at("/cache"), "/usr/bin/x", &id, make("sixteen-bytes-id"),
				       "elf", NULL),
			 0);
	assert_int_equal(pfx_keep_file(at("/cache"), "/usr/bin/y", &id, make("sixteen-bytes-ix"),
				       "debug", NULL),
			 -EBADMSG);
	assert_int_equal(pfx_keep_file(at("/cache"), "/usr/bin/y", &id,
				       make("sixteen-bytes-id-and"), "debug", NULL),
			 -EBADMSG);
}

/* A named pipe: it is not opened, and not copied. */
static void a_fifo_in_the_cache(void **state)
{
	struct pfx_build_id id = id_of(ONE);
	char *path;

	(void)state;
	assert_int_equal(keep("/usr/bin/x", ONE, ONE, "elf"), 0);
	path = pfx_keep_find(at("/cache"), &id, "elf");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	free(path);
	assert_int_equal(keep("/usr/bin/x", ONE, ONE, "elf"), 1);
	assert_true(is_found(ONE, "elf"));
}

/* A sparse program of huge size: its copy has the same holes. */
static void holes_stay_holes(void **state)
{
	const off_t size = (off_t)64 << 30;
	struct pfx_build_id id = id_of(ONE);
	char from[64], *path;
	struct stat st;
	int fd;

	(void)state;
	fd = open(make(ONE), O_RDWR);
	assert_true(fd >= 0);
	if (ftruncate(fd, size) < 0 || pwrite(fd, "end", 3, size - 3) != 3) {
		close(fd);
		skip();
	}
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	assert_int_equal(pfx_keep_file(at("/cache"), "/usr/bin/x", &id, from, "elf", NULL), 0);
	path = pfx_keep_find(at("/cache"), &id, "elf");
	assert_non_null(path);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size == size && st.st_blocks < 2048 && st.st_nlink == 1);
	free(path);
	close(fd);
	assert_true(is_found(ONE, "elf"));
}

/* A killed program left an incomplete file, and this process has the same pid. */
static void halves_of_the_killed(void **state)
{
	struct pfx_build_id id = id_of(ONE);
	char text[2 * PFX_BUILD_ID_SIZE + 1], path[256];

	(void)state;
	pfx_build_id_text(&id, text);
	snprintf(path, sizeof(path), "/cache/usr/bin/x/%s/elf.%d", text, (int)getpid());
	tree_file(&t, path, "half");
	assert_int_equal(keep("/usr/bin/x", ONE, ONE, "elf"), 0);
	assert_true(is_found(ONE, "elf"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(other_builds_are_refused),
		TEST(what_is_wrong_is_replaced),
		TEST(wrong_under_another_name),
		TEST(links_that_lead_elsewhere),
		TEST(by_hash),
		TEST(forms),
		TEST(padded),
		TEST(a_fifo_in_the_cache),
		TEST(holes_stay_holes),
		TEST(halves_of_the_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
