/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: a directory of vendor events. The input is a mapfile, a line "---", standard events,
 * another such line, and the events of the CPU. What is read must be sorted, whole and found again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmu/vendor/vendor_dir.h"

#define CPUID     "GenuineIntel-6-EE-1"
#define INPUT_MAX 65536
#define SEPARATOR "\n---\n"
#define NR_FILES  3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[] = "/tmp/pfx-fuzz-vendor-XXXXXX";
static const char *const files[NR_FILES] = {"mapfile.csv", "standard.json", "cpu/events.json"};

static void path_of(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", root, name);
}

static void clean_up(void)
{
	char path[256];

	for (int i = 0; i < NR_FILES; i++) {
		path_of(files[i], path);
		unlink(path);
	}
	path_of("cpu", path);
	rmdir(path);
	rmdir(root);
}

static void make_root(void)
{
	static int is_made;
	char path[256];

	if (is_made++)
		return;
	if (!mkdtemp(root))
		abort();
	path_of("cpu", path);
	if (mkdir(path, 0700))
		abort();
	atexit(clean_up);
}

static void write_file(const char *name, const char *text, size_t size)
{
	char path[256];
	FILE *file;

	path_of(name, path);
	file = fopen(path, "w");
	if (!file || fwrite(text, 1, size, file) != size)
		abort();
	fclose(file);
}

static void check(const struct pfx_vendor_cpu_row *cpu)
{
	struct pfx_vendor_event event, before = {.name = ""};
	struct pfx_vendor_metric metric;
	struct pfx_arena arena = {0};
	size_t i;

	for (i = 0; i < pfx_vendor_nr_events(cpu); i++, before = event) {
		pfx_vendor_event_at(cpu, i, &arena, &event);
		if (!*event.name || !*event.terms || !event.text || !event.details ||
		    strcasecmp(before.name, event.name) > 0 ||
		    pfx_vendor_find_event(cpu, event.name) < 0)
			abort();
	}
	for (i = 0; i < pfx_vendor_nr_metrics(cpu); i++) {
		pfx_vendor_metric_at(cpu, i, &arena, &metric);
		if (!*metric.name || !metric.expr || !metric.constraint ||
		    pfx_vendor_find_metric(cpu, metric.name) < 0)
			abort();
	}
	pfx_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[INPUT_MAX + 1], *at = text, *end;
	struct pfx_error err = {0};
	struct pfx_vendor_dir *dir;
	int rc;

	if (size > INPUT_MAX)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	make_root();
	for (int i = 0; i < NR_FILES; i++) {
		end = i < NR_FILES - 1 ? strstr(at, SEPARATOR) : NULL;
		if (!end)
			end = text + size;
		write_file(files[i], at, (size_t)(end - at));
		at = end < text + size ? end + strlen(SEPARATOR) : end;
	}
	rc = pfx_vendor_dir_read(&dir, root, "x86", CPUID, &err);
	if (rc < 0 && !err.text[0])
		abort();
	if (rc >= 0)
		check(pfx_vendor_dir_cpu(dir));
	pfx_vendor_dir_free(dir);
	return 0;
}
