/* SPDX-License-Identifier: MIT */
/*
 * Archives: reading back, damage at any place, and names in an archive that must not leave the
 * target folders. The build-id cache: its content, and removal.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/str.h"
#include "file/pack/tar.h"
#include "read/archive.h"
#include "sym/cache/keep.h"
#include "unit/base/tree.h"
#include "unit/sym/elf_make.h"

#define ID "0102030405060708090a0b0c0d0e0f1011121314"
#define LONG \
	"a-folder-with-a-name-that-is-long/another-folder-with-a-name-that-is-long/and-one-more/"

static struct tree t;

/* Does not create the directories above it. */
static char *at(const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s%s", t.root, name);
	return path;
}

static bool exists(const char *name)
{
	struct stat st;

	return !lstat(at(name), &st);
}

static void expect_text(const char *path, const char *text)
{
	char *found;

	assert_int_equal(pfx_read_file(path, 1 << 20, &found, NULL, NULL), 0);
	assert_string_equal(found, text);
	free(found);
}

/* --- tar --- */

static void write_tar(const char *path)
{
	struct pfx_tar_writer *tar;

	tree_file(&t, "/input", "some bytes");
	assert_int_equal(pfx_tar_create(&tar, path, NULL), 0);
	assert_int_equal(pfx_tar_add_bytes(tar, "one", "1", 1, NULL), 0);
	assert_int_equal(pfx_tar_add_file(tar, LONG LONG "two", at("/input"), NULL), 0);
	assert_int_equal(pfx_tar_add_link(tar, "three", LONG LONG, NULL), 0);
	assert_int_equal(pfx_tar_finish(tar, NULL), 0);
	pfx_tar_writer_free(tar);
}

static void expect_entry(struct pfx_tar_reader *tar, const char *name, const char *text)
{
	char *to = at("/output");
	struct pfx_tar_entry entry;
	int fd;

	assert_int_equal(pfx_tar_next(tar, &entry, NULL), 1);
	assert_string_equal(entry.name, name);
	assert_int_equal(entry.is_file, text != NULL);
	if (!text)
		return;
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(pfx_tar_copy(tar, fd, NULL), 0);
	close(fd);
	expect_text(to, text);
}

static void round_trip(const char *name)
{
	struct pfx_tar_reader *tar;
	struct pfx_tar_entry entry;

	tree_init(&t);
	write_tar(at(name));
	assert_true(pfx_tar_is_archive(at(name)));
	assert_false(pfx_tar_is_archive(at("/input")));
	assert_int_equal(pfx_tar_open(&tar, at(name), NULL), 0);
	expect_entry(tar, "one", "1");
	expect_entry(tar, LONG LONG "two", "some bytes");
	expect_entry(tar, "three", NULL);
	assert_int_equal(pfx_tar_next(tar, &entry, NULL), 0);
	pfx_tar_reader_free(tar);
	tree_fini(&t);
}

static void written_is_read(void **state)
{
	struct pfx_tar_writer *tar;
	int rc;

	(void)state;
	round_trip("/plain.tar");
	tree_init(&t);
	rc = pfx_tar_create(&tar, at("/x.tar.zst"), NULL);
	if (!rc)
		pfx_tar_writer_free(tar);
	tree_fini(&t);
	if (rc != -ENOTSUP)
		round_trip("/packed.tar.zst");
}

static void other_packers_are_named(void **state)
{
	struct pfx_tar_reader *tar;
	struct pfx_error err;

	(void)state;
	tree_init(&t);
	tree_file(&t, "/x.tar.bz2", "BZh9 and so on");
	assert_int_equal(pfx_tar_open(&tar, at("/x.tar.bz2"), &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "bzip2"));
	assert_false(pfx_tar_is_archive(at("/x.tar.bz2")));
	tree_fini(&t);
}

static void nothing_is_left_of_the_unfinished(void **state)
{
	struct pfx_tar_writer *tar;
	char command[600];

	(void)state;
	tree_init(&t);
	assert_int_equal(pfx_tar_create(&tar, at("/x.tar"), NULL), 0);
	assert_int_equal(pfx_tar_add_file(tar, "x", at("/none"), NULL), -ENOENT);
	pfx_tar_writer_free(tar);
	snprintf(command, sizeof(command), "test -z \"$(ls %s)\"", at(""));
	assert_int_equal(system(command), 0);
	tree_fini(&t);
}

static void read_through(const char *path)
{
	struct pfx_archive_counts counts;

	pfx_archive_unpack(path, at("/cache"), NULL, &counts, NULL);
}

static void damage_is_survived(void **state)
{
	size_t size, i;
	char *bytes;

	(void)state;
	tree_init(&t);
	write_tar(at("/x.tar"));
	assert_int_equal(pfx_read_file(at("/x.tar"), 1 << 20, &bytes, &size, NULL), 0);
	for (i = 0; i < size; i += 37) {
		bytes[i] ^= 0x55;
		tree_bytes(&t, "/bad.tar", bytes, size);
		read_through(at("/bad.tar"));
		bytes[i] ^= 0x55;
		tree_bytes(&t, "/cut.tar", bytes, i);
		read_through(at("/cut.tar"));
	}
	free(bytes);
	tree_fini(&t);
}

/* Makes the first entry of an archive one with attributes of the next. */
static void make_extra(const char *path, const char *to)
{
	enum { CHECKSUM = 148, TYPE = 156 };
	unsigned long sum;
	size_t size;
	char *bytes;

	assert_int_equal(pfx_read_file(path, 1 << 20, &bytes, &size, NULL), 0);
	sum = strtoul(bytes + CHECKSUM, NULL, 8) + 'x' - (unsigned char)bytes[TYPE];
	bytes[TYPE] = 'x';
	snprintf(bytes + CHECKSUM, 7, "%06lo", sum);
	tree_bytes(&t, to, bytes, size);
	free(bytes);
}

static void attributes_end_before_their_name(void **state)
{
	static const char text[] = "\n\n\n\n\n\n\n5 path=other";
	struct pfx_tar_writer *tar;
	struct pfx_tar_reader *reader;
	struct pfx_tar_entry entry;

	(void)state;
	tree_init(&t);
	assert_int_equal(pfx_tar_create(&tar, at("/x.tar"), NULL), 0);
	assert_int_equal(pfx_tar_add_bytes(tar, "extra", text, sizeof(text) - 1, NULL), 0);
	assert_int_equal(pfx_tar_add_bytes(tar, "one", "1", 1, NULL), 0);
	assert_int_equal(pfx_tar_finish(tar, NULL), 0);
	pfx_tar_writer_free(tar);
	make_extra(at("/x.tar"), "/extra.tar");
	assert_int_equal(pfx_tar_open(&reader, at("/extra.tar"), NULL), 0);
	assert_int_equal(pfx_tar_next(reader, &entry, NULL), 1);
	assert_string_equal(entry.name, "one");
	pfx_tar_reader_free(reader);
	tree_fini(&t);
}

/* --- unpacking --- */

/* A program with the build ID that all entries here use. */
static void make_program(const char *path)
{
	static const struct make_elf program = {
		.build_id = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24"};

	make_file(path, &program);
}

/* What a file of the cache holds, by the end of its name. */
static const char *content_of(const char *name)
{
	if (strstr(name, "/elf") || strstr(name, "/debug"))
		return at("/program");
	return strstr(name, "]/" ID "/kallsyms") ? at("/symbols") : at("/x");
}

static struct pfx_archive_counts unpack(const char *const *names, size_t nr)
{
	struct pfx_archive_counts counts;
	struct pfx_tar_writer *tar;
	size_t i;

	make_program(at("/program"));
	tree_file(&t, "/symbols", "ffffffff81000000 T _stext\n");
	tree_file(&t, "/x", "x");
	assert_int_equal(pfx_tar_create(&tar, at("/x.tar"), NULL), 0);
	for (i = 0; i < nr; i++)
		assert_int_equal(pfx_tar_add_file(tar, names[i], content_of(names[i]), NULL), 0);
	assert_int_equal(pfx_tar_add_link(tar, "usr", "/etc", NULL), 0);
	assert_int_equal(pfx_tar_add_link(tar, ".build-id/01/02", "../../../..", NULL), 0);
	assert_int_equal(pfx_tar_finish(tar, NULL), 0);
	pfx_tar_writer_free(tar);
	assert_int_equal(
		pfx_archive_unpack(at("/x.tar"), at("/cache"), at("/recording"), &counts, NULL), 0);
	return counts;
}

static void binaries_go_into_the_cache(void **state)
{
	static const char *const names[] = {"usr/bin/x/" ID "/elf", "./usr/bin/x/" ID "/debug",
					    "[kernel.kallsyms]/" ID "/kallsyms", "perf.data"};
	struct pfx_archive_counts counts;

	(void)state;
	tree_init(&t);
	counts = unpack(names, 4);
	assert_int_equal(counts.nr_files, 3);
	assert_int_equal(counts.nr_skipped, 0);
	assert_true(counts.has_recording);
	assert_true(exists("/cache/usr/bin/x/" ID "/elf"));
	assert_true(exists("/cache/usr/bin/x/" ID "/debug"));
	assert_true(exists("/cache/[kernel.kallsyms]/" ID "/kallsyms"));
	assert_true(exists("/cache/.build-id/01/02030405060708090a0b0c0d0e0f1011121314"));
	assert_false(exists("/cache/.build-id/01/02"));
	expect_text(at("/recording"), "x");
	tree_fini(&t);
}

static void names_lead_nowhere_else(void **state)
{
	static const char *const names[] = {
		"../evil/" ID "/elf",
		"/evil/" ID "/elf",
		"a/../../evil/" ID "/elf",
		".build-id/01/" ID "/elf",
		"evil/" ID "/other",
		"evil/0123/../" ID "/elf",
		"evil/" ID "x/elf",
		ID "/elf",
		"evil",
		"perf.data/../../evil/elf",
		"a//evil/" ID "/elf",
		"a/./evil/" ID "/elf",
		"evil/0/elf",
		"evil/" ID ID "/elf",
	};
	struct pfx_archive_counts counts;
	char command[600];

	(void)state;
	tree_init(&t);
	counts = unpack(names, sizeof(names) / sizeof(*names));
	assert_int_equal(counts.nr_files, 0);
	assert_int_equal(counts.nr_skipped, sizeof(names) / sizeof(*names));
	assert_false(counts.has_recording);
	snprintf(command, sizeof(command), "test -z \"$(find %s -name 'evil*')\"", at(""));
	assert_int_equal(system(command), 0);
	tree_fini(&t);
}

static void a_recording_is_never_overwritten(void **state)
{
	struct pfx_archive_counts counts;
	struct pfx_tar_writer *tar;

	(void)state;
	tree_init(&t);
	tree_file(&t, "/recording", "precious");
	assert_int_equal(pfx_tar_create(&tar, at("/x.tar"), NULL), 0);
	assert_int_equal(pfx_tar_add_bytes(tar, "perf.data", "x", 1, NULL), 0);
	assert_int_equal(pfx_tar_finish(tar, NULL), 0);
	pfx_tar_writer_free(tar);
	assert_int_equal(
		pfx_archive_unpack(at("/x.tar"), at("/cache"), at("/recording"), &counts, NULL),
		-EEXIST);
	expect_text(at("/recording"), "precious");
	tree_fini(&t);
}

static void a_directory_is_a_recording_too(void **state)
{
	static const char *const names[] = {"perf.data/data", "perf.data/kcore_dir/kallsyms"};

	(void)state;
	tree_init(&t);
	assert_int_equal(unpack(names, 2).nr_skipped, 0);
	expect_text(at("/recording/data"), "x");
	expect_text(at("/recording/kcore_dir/kallsyms"), "x");
	tree_fini(&t);
}

/* --- source files --- */

static void sources_go_beside_the_recording(void **state)
{
	static const char *const names[] = {
		"perf.data",
		".sources/src/a.c",
		".sources/src/a.c",     /* there already */
		".sources/src/a.c/b.c", /* below a file */
		".sources/src",         /* a directory already */
		".sources/../evil",
		".sources/x/../../evil",
		".sources//evil",
		".sources",
		".sources/",
	};
	struct pfx_archive_counts counts;
	char command[600];

	(void)state;
	tree_init(&t);
	counts = unpack(names, sizeof(names) / sizeof(*names));
	assert_true(counts.has_recording);
	assert_int_equal(counts.nr_skipped, sizeof(names) / sizeof(*names) - 2);
	expect_text(at("/recording.sources/src/a.c"), "x");
	snprintf(command, sizeof(command), "test -z \"$(find %s -name 'evil*')\"", at(""));
	assert_int_equal(system(command), 0);
	tree_fini(&t);
}

/* It could have links to other places. */
/* @folder exists when the entry is unpacked below it. */
static void expect_new_folder(const char *folder, const char *entry)
{
	struct pfx_archive_counts counts;
	struct pfx_tar_writer *tar;

	tree_init(&t);
	assert_int_equal(mkdir(at("/elsewhere"), 0700), 0);
	assert_int_equal(symlink("elsewhere", at(folder)), 0);
	assert_int_equal(pfx_tar_create(&tar, at("/x.tar"), NULL), 0);
	assert_int_equal(pfx_tar_add_bytes(tar, entry, "x", 1, NULL), 0);
	assert_int_equal(pfx_tar_finish(tar, NULL), 0);
	pfx_tar_writer_free(tar);
	assert_int_equal(
		pfx_archive_unpack(at("/x.tar"), at("/cache"), at("/recording"), &counts, NULL),
		-EEXIST);
	assert_false(exists("/elsewhere/a.c"));
	assert_int_equal(pfx_archive_unpack(at("/x.tar"), at("/cache"), NULL, &counts, NULL), 0);
	tree_fini(&t);
}

static void folders_of_an_archive_are_new(void **state)
{
	(void)state;
	expect_new_folder("/recording.sources", ".sources/a.c");
	expect_new_folder("/recording", "perf.data/a.c");
}

static void expect_source(const char *name, const char *inside)
{
	char *path = pfx_archive_source_path("in", name);

	if (inside)
		assert_string_equal(path, inside);
	else
		assert_null(path);
	free(path);
}

static void names_of_sources_are_plain(void **state)
{
	(void)state;
	expect_source("/src/a.c", "in/src/a.c");
	expect_source("/src/./x/..//a.c", "in/src/a.c");
	expect_source("/../../a.c", "in/a.c");
	expect_source("/a/../..", NULL);
	expect_source("/", NULL);
	expect_source("", NULL);
	expect_source("a.c", NULL);
	expect_source("../a.c", NULL);
}

/* --- the cache --- */

static struct pfx_build_id id_of(uint8_t first)
{
	struct pfx_build_id id = {.size = 20, .data = {first, 2, 3}};

	return id;
}

static void put(const char *name, uint8_t first)
{
	const char text[] = {(char)first, 2, 3, 0};
	struct make_elf program = {.build_id = text};
	struct pfx_build_id id = id_of(first);

	make_file(at("/program"), &program);
	assert_int_equal(pfx_keep_file(at("/cache"), name, &id, at("/program"), "elf", NULL), 0);
	unlink(at("/program"));
}

static void what_is_kept_is_listed_and_goes(void **state)
{
	struct pfx_build_id id = id_of(2);
	struct pfx_kept_list list;
	char *path;

	(void)state;
	tree_init(&t);
	assert_int_equal(pfx_keep_list(at("/cache"), &list, NULL), 0);
	assert_int_equal(list.builds.nr, 0);
	put("/usr/bin/b", 2);
	put("/usr/bin/a", 3);
	put("[vdso]", 1);
	assert_int_equal(pfx_keep_list(at("/cache"), &list, NULL), 0);
	assert_int_equal(list.builds.nr, 3);
	assert_string_equal(list.builds.at[0].name, "[vdso]");
	assert_string_equal(list.builds.at[1].name, "/usr/bin/b");
	assert_string_equal(list.builds.at[2].name, "/usr/bin/a");
	path = pfx_keep_find(at("/cache"), &id, "elf");
	assert_non_null(path);
	free(path);
	assert_int_equal(pfx_keep_remove(at("/cache"), &list.builds.at[1], NULL), 0);
	assert_int_equal(pfx_keep_remove(at("/cache"), &list.builds.at[1], NULL), -ENOENT);
	assert_null(pfx_keep_find(at("/cache"), &id, "elf"));
	assert_false(exists("/cache/usr/bin/b"));
	assert_true(exists("/cache/usr/bin/a"));
	assert_int_equal(pfx_keep_remove(at("/cache"), &list.builds.at[2], NULL), 0);
	assert_false(exists("/cache/usr"));
	assert_true(exists("/cache"));
	pfx_keep_list_free(&list);
	tree_fini(&t);
}

static void links_out_of_the_cache_are_none(void **state)
{
	struct pfx_kept_list list;
	struct pfx_kept evil = {.name = (char *)"/../precious", .id = id_of(1)};

	(void)state;
	tree_init(&t);
	put("/a", 1);
	tree_file(&t, "/precious", "x");
	assert_int_equal(symlink("../../../precious", at("/cache/.build-id/01/0304")), 0);
	assert_int_equal(symlink("/precious", at("/cache/.build-id/01/0506")), 0);
	assert_int_equal(symlink("../../a/" ID, at("/cache/.build-id/01/0708")), 0);
	assert_int_equal(pfx_keep_list(at("/cache"), &list, NULL), 0);
	assert_int_equal(list.builds.nr, 1);
	assert_int_equal(pfx_keep_remove(at("/cache"), &evil, NULL), -EINVAL);
	pfx_keep_list_free(&list);
	tree_fini(&t);
}

static void build_ids_are_parsed(void **state)
{
	struct pfx_build_id id;

	(void)state;
	assert_true(pfx_build_id_parse(ID, 40, &id));
	assert_int_equal(id.size, 20);
	assert_int_equal(id.data[19], 0x14);
	assert_false(pfx_build_id_parse(ID, 39, &id));
	assert_false(pfx_build_id_parse(ID ID, 80, &id));
	assert_false(pfx_build_id_parse("01", 2, &id));
	assert_false(pfx_build_id_parse("0g02", 4, &id));
	assert_false(pfx_build_id_parse("0A02", 4, &id));
}

static void names_with_dots(void **state)
{
	char *path;

	(void)state;
	tree_init(&t);
	assert_true(pfx_keep_can_name("/usr/lib/a..b/c.so"));
	assert_true(pfx_keep_can_name("[kernel.kallsyms]"));
	assert_true(pfx_keep_can_name("/..."));
	assert_false(pfx_keep_can_name("/usr/../x"));
	assert_false(pfx_keep_can_name(".."));
	assert_false(pfx_keep_can_name("/usr/.."));
	assert_int_equal(mkdir(at("/cache"), 0755) | mkdir(at("/cache/a"), 0755) |
				 mkdir(at("/cache/a/b"), 0755),
			 0);
	path = at("/cache/a/b");
	pfx_keep_drop_dir(at("/cache"), path);
	assert_false(exists("/cache/a"));
	assert_true(exists("/cache"));
	tree_fini(&t);
}

/* The copy of a program has the permissions of the program. */
static void copies_are_as_private(void **state)
{
	struct pfx_build_id id;
	struct stat st;
	char from[64];
	int fd = memfd_create("private", MFD_CLOEXEC);
	char *program;
	size_t size;

	(void)state;
	tree_init(&t);
	assert_true(fd >= 0 && fchmod(fd, 0750) == 0);
	make_program(at("/program"));
	assert_int_equal(pfx_read_file(at("/program"), 1 << 20, &program, &size, NULL), 0);
	assert_int_equal(pfx_write_full(fd, program, size), 0);
	free(program);
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	assert_true(pfx_build_id_parse(ID, 40, &id));
	assert_int_equal(pfx_keep_file(at("/cache"), "/usr/bin/private", &id, from, "elf", NULL),
			 0);
	assert_int_equal(stat(at("/cache/usr/bin/private/" ID "/elf"), &st), 0);
	assert_int_equal(st.st_mode & 0007, 0);
	close(fd);
	tree_fini(&t);
}

/* Small archives that decompress to a full disk, or to very many files. */
static void bloated_archives(void **state)
{
	static const uint8_t zeros[1 << 20];
	struct pfx_archive_counts counts;
	struct pfx_tar_writer *tar;
	struct pfx_error err = {0};
	FILE *file;
	int i, rc;

	(void)state;
	tree_init(&t);
	file = fopen(at("/zeros"), "w");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 512 << 20), 0);
	assert_int_equal(fclose(file), 0);
	rc = pfx_tar_create(&tar, at("/bloated.tar.zst"), &err);
	if (rc == -ENOTSUP) {
		tree_fini(&t);
		skip();
	}
	assert_int_equal(rc, 0);
	assert_int_equal(pfx_tar_add_file(tar, "usr/bin/x/" ID "/elf", at("/zeros"), &err), 0);
	assert_int_equal(pfx_tar_finish(tar, &err), 0);
	pfx_tar_writer_free(tar);
	assert_int_equal(
		pfx_archive_unpack(at("/bloated.tar.zst"), at("/bloated"), NULL, &counts, &err),
		-EBADMSG);
	assert_non_null(strstr(err.text, "smaller than anything real"));
	assert_false(exists("/bloated/usr/bin/x"));
	/* The same amount of data that compress less is accepted: 64 MiB are always allowed. */
	assert_int_equal(pfx_tar_create(&tar, at("/bloated.tar.zst"), &err), 0);
	for (i = 0; i < 32; i++)
		assert_int_equal(pfx_tar_add_bytes(tar, "usr/bin/y/" ID "/debug", zeros,
						   sizeof(zeros), &err),
				 0);
	assert_int_equal(pfx_tar_finish(tar, &err), 0);
	pfx_tar_writer_free(tar);
	assert_int_equal(
		pfx_archive_unpack(at("/bloated.tar.zst"), at("/small"), NULL, &counts, &err), 0);
	tree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_is_read),
		cmocka_unit_test(other_packers_are_named),
		cmocka_unit_test(nothing_is_left_of_the_unfinished),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(attributes_end_before_their_name),
		cmocka_unit_test(binaries_go_into_the_cache),
		cmocka_unit_test(names_lead_nowhere_else),
		cmocka_unit_test(a_recording_is_never_overwritten),
		cmocka_unit_test(a_directory_is_a_recording_too),
		cmocka_unit_test(sources_go_beside_the_recording),
		cmocka_unit_test(folders_of_an_archive_are_new),
		cmocka_unit_test(names_of_sources_are_plain),
		cmocka_unit_test(what_is_kept_is_listed_and_goes),
		cmocka_unit_test(links_out_of_the_cache_are_none),
		cmocka_unit_test(build_ids_are_parsed),
		cmocka_unit_test(names_with_dots),
		cmocka_unit_test(copies_are_as_private),
		cmocka_unit_test(bloated_archives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
