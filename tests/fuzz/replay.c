/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without a fuzzer: once for each file named on the command line or lying in a
 * directory named there, then for each of them cut short and with a byte changed, at places that
 * are the same every time.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"

#define FILE_MAX_BYTES ((size_t)64 << 20)
#define VARIANTS       97

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t nr_runs;

/* On a copy of just that size, so that reading beyond it is seen. */
static void run(const char *data, size_t size, size_t changed)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	if (changed < size)
		copy[changed] ^= 0xff;
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	nr_runs++;
}

static void run_file(const char *path)
{
	char *data = NULL;
	size_t size, i;

	if (pfx_read_file(path, FILE_MAX_BYTES, &data, &size, NULL)) {
		fprintf(stderr, "cannot read '%s'\n", path);
		exit(1);
	}
	run(data, size, size);
	for (i = 0; i < VARIANTS; i++) {
		run(data, size * i / VARIANTS, size);
		run(data, size, size * i / VARIANTS);
	}
	free(data);
}

static void run_path(const char *path)
{
	struct dirent *entry;
	struct stat st;
	char *child;
	DIR *dir;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		run_file(path);
		return;
	}
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		child = pfx_strfmt("%s/%s", path, entry->d_name);
		run_file(child);
		free(child);
	}
	if (dir)
		closedir(dir);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		run_path(argv[i]);
	printf("%zu runs\n", nr_runs);
	return nr_runs ? 0 : 1;
}
