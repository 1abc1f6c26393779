/* SPDX-License-Identifier: MIT */
/*
 * Makes the small corpus that the fuzz targets start from: a file and a stream with every kind of
 * thing that the reader knows, and some of the golden tests' descriptions, in both byte orders.
 * usage: make_fuzz_corpus DIRECTORY
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kit/kit.h"
#include "unit/file/recording.h"

#define DESCRIPTION_MAX (1 << 20)

static void fill_env(struct pfx_meta *meta)
{
	static const char *words[] = {"pfx", "record", "true"};
	static const char *lists[] = {"0-1", "2-3"};
	static struct pfx_env_cpu cpus[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {1, 1, 1}};
	static struct pfx_env_pmu pmus[] = {{1, "software"}};
	static struct pfx_env_group groups[] = {{"{anon_group}", 0, 2}};
	static struct pfx_env_build_id ids[] = {
		{-1, PFX_MODE_USER, 20, "0123456789abcdefghi", "/bin/true"}};
	struct pfx_env *env = &meta->env;
	unsigned feature;

	env->cmdline = (struct pfx_env_strings){3, words};
	env->topology.sockets = (struct pfx_env_strings){2, lists};
	env->topology.threads = (struct pfx_env_strings){2, lists};
	env->topology.nr_cpus = 4;
	env->topology.cpus = cpus;
	env->nr_pmus = 1;
	env->pmus = pmus;
	env->nr_groups = 1;
	env->groups = groups;
	env->nr_build_ids = 1;
	env->build_ids = ids;
	env->osrelease = env->version = env->cpudesc = env->cpuid = "x";
	for (feature = 1; feature < PFX_FEAT_MAX; feature++)
		pfx_env_set(env, feature);
}

static struct pfx_buffer make_records(bool swap)
{
	struct pfx_buffer b = {.swap = swap};

	put_comm(&b, "work", 50);
	put_sample(&b, 0x401000, 100);
	put_sample(&b, 0x401010, 300);
	put_sample(&b, 0x401020, 200);
	put_round(&b);
	put_head(&b, PFX_RECORD_EVENT_UPDATE, 32);
	pfx_buffer_u64(&b, PFX_UPDATE_NAME);
	pfx_buffer_u64(&b, 11);
	pfx_buffer_bytes(&b, "renamed", 8);
	put_head(&b, PFX_RECORD_AUXTRACE, 48);
	pfx_buffer_u64(&b, 8);
	pfx_buffer_zeros(&b, 40);
	put_head(&b, PFX_RECORD_COMPRESSED, 8 + 9);
	pfx_buffer_bytes(&b, "\x28\xb5\x2f\xfd\x00\x48\x41\x00\x00", 9);
	put_sample(&b, 0x401030, 400);
	return b;
}

static int make(const char *directory, const char *name, bool swap, bool stream)
{
	struct pfx_buffer records = make_records(swap);
	struct pfx_meta *meta = test_meta(swap);
	char *path = pfx_strfmt("%s/%s", directory, name);
	int fd, rc;

	fill_env(meta);
	unlink(path);
	if (stream) {
		fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
			return 1;
		close(fd);
	}
	rc = write_recording(stream ? "-" : path, meta, &records);
	free(path);
	pfx_meta_free(meta);
	pfx_buffer_fini(&records);
	return rc != 0;
}

/* One golden description in each order and form. */
static int make_golden(const char *directory, const char *name)
{
	char *from = pfx_strfmt("%s/tests/golden/%s.txt", PFX_SOURCE_DIR, name), *text = NULL;
	int rc = pfx_read_file(from, DESCRIPTION_MAX, &text, NULL, NULL);
	unsigned i;

	for (i = 0; i < 4 && !rc; i++) {
		const struct pfx_kit_options options = {.big_endian = i & 1, .pipe = i & 2};
		char *path = pfx_strfmt("%s/%s-%u", directory, name, i);
		struct pfx_buffer buffer = {0};

		rc = pfx_kit_build(text, &options, &buffer, NULL);
		if (!rc)
			rc = save_bytes(path, buffer.at, buffer.len);
		pfx_buffer_fini(&buffer);
		free(path);
	}
	free(text);
	free(from);
	return rc != 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	mkdir(argv[1], 0755);
	return make_golden(argv[1], "all-features") | make_golden(argv[1], "all-records") |
	       make_golden(argv[1], "sample-fields") | make_golden(argv[1], "compressed-dump") |
	       make(argv[1], "file.data", false, false) |
	       make(argv[1], "stream.data", false, true) |
	       make(argv[1], "file-swapped.data", true, false) |
	       make(argv[1], "stream-swapped.data", true, true);
}
