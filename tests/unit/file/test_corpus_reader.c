/* SPDX-License-Identifier: MIT */
/*
 * Reads every recording of the corpus and compares the number of records of each type with the
 * expected numbers. The corpus is $PFX_CORPUS, or ../shared/corpus next to the source.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "file/order/order.h"
#include "file/reader/reader.h"

#define EXIT_SKIP 77

struct counts {
	uint64_t by_type[PFX_RECORD_USER_MAX];
	uint64_t samples;
};

static char *corpus;

static int count_file(const char *path, bool ordered, struct counts *ret, struct pfx_error *err)
{
	const struct pfx_reader_options options = {.force = true, .keep_meta_records = true};
	struct pfx_reader *reader;
	struct pfx_order *order;
	struct pfx_record rec;
	int rc;

	memset(ret, 0, sizeof(*ret));
	rc = pfx_reader_open(&reader, path, &options, err);
	if (rc < 0)
		return rc;
	order = pfx_order_new(reader, !ordered);
	while ((rc = pfx_order_next(order, &rec, err)) > 0)
		if (rec.type < PFX_RECORD_USER_MAX)
			ret->by_type[rec.type]++;
	ret->samples = ret->by_type[PFX_RECORD_SAMPLE];
	pfx_order_free(order);
	pfx_reader_free(reader);
	return rc;
}

/* The expected numbers use the kernel's names of types, HEADER_ATTR, pfx uses perf's names,
 * ATTR. */
static bool starts_word(const char *text, const char *at)
{
	if (at - text >= 7 && !strncmp(at - 7, "HEADER_", 7))
		at -= 7;
	return at == text || at[-1] == ' ';
}

static uint64_t expected_of(const char *records, const char *name)
{
	size_t len = strlen(name);
	const char *at = records;

	for (; (at = strstr(at, name)); at += len)
		if (at[len] == ':' && starts_word(records, at))
			return strtoull(at + len + 1, NULL, 10);
	return 0;
}

static unsigned compare(const char *file, const char *records, const struct counts *counts)
{
	unsigned wrong = 0;
	uint64_t expected;
	const char *name;
	uint32_t type;

	for (type = 0; type < PFX_RECORD_USER_MAX; type++) {
		name = pfx_record_name(type);
		expected = name ? expected_of(records, name) : 0;
		if (!name || expected == counts->by_type[type])
			continue;
		print_error("%s: %s: %llu, expected %llu\n", file, name,
			    (unsigned long long)counts->by_type[type],
			    (unsigned long long)expected);
		wrong++;
	}
	return wrong;
}

/* Files that must be refused, that are damaged, or of a killed recorder (no records are expected
 * then, although they can be recovered): any error or any number is accepted. */
static bool is_broken(const char *file)
{
	return !strncmp(file, "poc-", 4) || !strncmp(file, "clusterfuzz", 11) ||
	       strstr(file, "corrupted") || strstr(file, ".gz") || strstr(file, "kill9");
}

static unsigned check_file(const char *folder, const char *file, const char *records)
{
	char *path = pfx_strfmt("%s/%s/%s", corpus, folder, file);
	struct pfx_error err = {0};
	struct counts plain, ordered;
	unsigned wrong = 0;
	int rc;

	rc = count_file(path, false, &plain, &err);
	if (is_broken(file) || !*records) {
		wrong = rc < 0 && !err.text[0];
	} else if (rc == -ENOTSUP && strstr(records, "COMPRESSED")) {
		print_message("%s: %s\n", file, err.text);
	} else if (rc < 0) {
		print_error("%s: %s\n", file, err.text);
		wrong = 1;
	} else {
		wrong = compare(file, records, &plain);
		rc = count_file(path, true, &ordered, &err);
		wrong += rc < 0 || memcmp(&plain, &ordered, sizeof(plain)) != 0;
	}
	free(path);
	return wrong;
}

static void check_folder(const char *folder)
{
	char *path = pfx_strfmt("%s/%s/EXPECTED.tsv", corpus, folder);
	char *text = NULL, *line, *next, *columns[10];
	unsigned nr = 0, wrong = 0, i;

	assert_int_equal(pfx_read_file(path, 1 << 20, &text, NULL, NULL), 0);
	for (line = strchr(text, '\n') + 1; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		for (i = 0; i < 10; i++)
			columns[i] = line ? strsep(&line, "\t") : NULL;
		assert_non_null(columns[7]);
		wrong += check_file(folder, columns[0], columns[7]);
		nr++;
	}
	assert_true(nr > 50);
	assert_int_equal(wrong, 0);
	free(text);
	free(path);
}

static void public_files(void **state)
{
	check_folder("public");
}

static void recorded_files(void **state)
{
	check_folder("recorded");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(public_files),
		cmocka_unit_test(recorded_files),
	};
	const char *path = getenv("PFX_CORPUS");
	int rc;

	corpus = path ? pfx_strdup(path) : pfx_strfmt("%s/../shared/corpus", PFX_SOURCE_DIR);
	if (access(corpus, R_OK)) {
		printf("SKIP: no corpus at '%s' (set PFX_CORPUS)\n", corpus);
		free(corpus);
		return EXIT_SKIP;
	}
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	free(corpus);
	return rc;
}
