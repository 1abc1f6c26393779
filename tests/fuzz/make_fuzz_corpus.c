/* SPDX-License-Identifier: MIT */
/*
 * Makes what the fuzz targets start from. In DIRECTORY: a file and a stream with every kind of
 * thing that the reader knows, and some of the golden tests' descriptions, in both byte orders. In
 * DIRECTORY-code, DIRECTORY-recorder and DIRECTORY-recording: inputs of these targets, which begin
 * with bytes that choose what is done.
 * usage: make_fuzz_corpus DIRECTORY
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/pack/tar.h"
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

/* The recording that a description of @name (below tests/) makes. */
static int build(const char *name, const struct pfx_kit_options *options, struct pfx_buffer *to)
{
	char *from = pfx_strfmt("%s/tests/%s.txt", PFX_SOURCE_DIR, name), *text = NULL;
	int rc = pfx_read_file(from, DESCRIPTION_MAX, &text, NULL, NULL);

	if (!rc)
		rc = pfx_kit_build(text, options, to, NULL);
	free(text);
	free(from);
	return rc;
}

/* One golden description in each order and form. */
static int make_golden(const char *directory, const char *name)
{
	char *from = pfx_strfmt("golden/%s", name);
	unsigned i;
	int rc = 0;

	for (i = 0; i < 4 && !rc; i++) {
		const struct pfx_kit_options options = {.big_endian = i & 1, .pipe = i & 2};
		char *path = pfx_strfmt("%s/%s-%u", directory, name, i);
		struct pfx_buffer buffer = {0};

		rc = build(from, &options, &buffer);
		if (!rc)
			rc = save_bytes(path, buffer.at, buffer.len);
		pfx_buffer_fini(&buffer);
		free(path);
	}
	free(from);
	return rc != 0;
}

/* --- bytes of ring buffers --- */

/* Where the header of a file says that its records are. */
#define DATA_AT   40
#define DATA_SIZE 48

static int make_recorder(const char *directory, unsigned flags)
{
	const struct pfx_kit_options options = {0};
	const uint8_t head[8] = {0, (uint8_t)flags, (uint8_t)(16 * flags)};
	char *path = pfx_strfmt("%s-recorder/%02x", directory, flags);
	struct pfx_buffer file = {0}, seed = {0};
	int rc = build("fuzz/seeds/recorder", &options, &file);

	if (!rc) {
		pfx_buffer_bytes(&seed, head, sizeof(head));
		pfx_buffer_bytes(&seed, file.at + pfx_load64(file.at + DATA_AT, false),
				 pfx_load64(file.at + DATA_SIZE, false));
		rc = save_bytes(path, seed.at, seed.len);
	}
	pfx_buffer_fini(&file);
	pfx_buffer_fini(&seed);
	free(path);
	return rc != 0;
}

/* --- forms of a recording --- */

enum form { FORM_FILE, FORM_PIPE, FORM_DIRECTORY, FORM_ARCHIVE, FORM_BARE_ARCHIVE, NR_FORMS };

static int add_parts(const char *name, struct pfx_buffer *seed)
{
	struct pfx_kit_options options = {.directory = true};
	struct pfx_buffer part = {0};
	int rc;

	while (!(rc = build(name, &options, &part))) {
		pfx_buffer_u32(seed, (uint32_t)part.len);
		pfx_buffer_bytes(seed, part.at, part.len);
		pfx_buffer_fini(&part);
		options.part++;
	}
	return rc == -ENOENT && options.part ? 0 : rc;
}

static int add_archive(const char *directory, const struct pfx_buffer *recording,
		       struct pfx_buffer *seed)
{
	static const char binary[] = ".build-id/00/0102030405060708090a0b0c0d0e0f10111213/elf";
	char *path = pfx_strfmt("%s-recording/all.tar", directory), *bytes = NULL;
	struct pfx_tar_writer *tar;
	size_t size;
	int rc = pfx_tar_create(&tar, path, NULL);

	if (rc)
		return rc;
	rc = pfx_tar_add_bytes(tar, binary, "no ELF", 6, NULL);
	if (!rc)
		rc = pfx_tar_add_bytes(tar, "perf.data", recording->at, recording->len, NULL);
	if (!rc)
		rc = pfx_tar_finish(tar, NULL);
	pfx_tar_writer_free(tar);
	if (!rc)
		rc = pfx_read_file(path, DESCRIPTION_MAX, &bytes, &size, NULL);
	if (!rc)
		pfx_buffer_bytes(seed, bytes, size);
	unlink(path);
	free(bytes);
	free(path);
	return rc;
}

static int add_form(const char *directory, const char *name, enum form form,
		    struct pfx_buffer *seed)
{
	const struct pfx_kit_options options = {.pipe = form == FORM_PIPE};
	struct pfx_buffer file = {0};
	int rc;

	if (form == FORM_DIRECTORY)
		return add_parts(name, seed);
	rc = build(name, &options, &file);
	if (!rc && form == FORM_BARE_ARCHIVE)
		rc = add_archive(directory, &file, seed);
	else if (!rc)
		pfx_buffer_bytes(seed, file.at, file.len);
	pfx_buffer_fini(&file);
	return rc;
}

/* How a description is read in each form. */
struct reading {
	const char *name;
	uint8_t options, way;
	bool archives; /* in these, too, which take long */
};

static int make_reading(const char *directory, const struct reading *r, enum form form)
{
	const uint8_t head[4] = {(uint8_t)form, r->options, r->way};
	char *from = pfx_strfmt("golden/%s", r->name);
	char *path = pfx_strfmt("%s-recording/%s-%x-%x-%u", directory, r->name, r->options, r->way,
				form);
	struct pfx_buffer seed = {0};
	int rc;

	pfx_buffer_bytes(&seed, head, sizeof(head));
	rc = add_form(directory, from, form, &seed);
	if (!rc)
		rc = save_bytes(path, seed.at, seed.len);
	pfx_buffer_fini(&seed);
	free(path);
	free(from);
	return rc != 0;
}

static int make_readings(const char *directory)
{
	static const struct reading readings[] = {
		{"deferred", 0, 0, true},
		{"deferred", 0x44, 0, false},
		{"deferred-readers", 0, 5, true},
		{"deferred-readers", 0x10, 17, false},
		{"directory", 0x40, 0, false},
		{"directory", 0x01, 2, false},
		{"directory-packed", 0x22, 0, false},
		{"build-ids-late", 0x08, 30, false},
	};
	size_t i;
	int rc = 0;
	enum form form;

	for (i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
		for (form = 0; form < (readings[i].archives ? NR_FORMS : FORM_ARCHIVE); form++)
			rc |= make_reading(directory, &readings[i], form);
	return rc;
}

/* --- sampled programs --- */

/* A program of another target's corpus, with the byte that chooses machine and style. */
static int make_code(const char *directory, const char *name, uint8_t choice)
{
	char *from = pfx_strfmt("%s/tests/fuzz/corpus/lines/%s", PFX_SOURCE_DIR, name), *bytes;
	char *path = pfx_strfmt("%s-code/%s-%02x", directory, name, choice);
	struct pfx_buffer seed = {0};
	size_t size;
	int rc = pfx_read_file(from, DESCRIPTION_MAX, &bytes, &size, NULL);

	if (!rc) {
		pfx_buffer_bytes(&seed, &choice, 1);
		pfx_buffer_bytes(&seed, bytes, size);
		rc = save_bytes(path, seed.at, seed.len);
		free(bytes);
	}
	pfx_buffer_fini(&seed);
	free(path);
	free(from);
	return rc != 0;
}

static int make_codes(const char *directory)
{
	static const char *const names[] = {"gcc-5.so", "clang-4.so"};
	unsigned i;
	int rc = 0;

	for (i = 0; i < 16; i++) /* each machine with two styles */
		rc |= make_code(directory, names[i % 2], (uint8_t)(i * 37 % 256));
	return rc;
}

static int make_recordings(const char *directory)
{
	return make(directory, "file.data", false, false) |
	       make(directory, "stream.data", false, true) |
	       make(directory, "file-swapped.data", true, false) |
	       make(directory, "stream-swapped.data", true, true) |
	       make_golden(directory, "all-features") | make_golden(directory, "all-records") |
	       make_golden(directory, "sample-fields") | make_golden(directory, "compressed-dump");
}

static int make_recorders(const char *directory)
{
	unsigned flags;
	int rc = 0;

	for (flags = 0; flags < 32; flags += 5)
		rc |= make_recorder(directory, flags);
	return rc;
}

static void make_directory(const char *directory, const char *suffix)
{
	char *path = pfx_strfmt("%s%s", directory, suffix);

	mkdir(path, 0755);
	free(path);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	make_directory(argv[1], "");
	make_directory(argv[1], "-recorder");
	make_directory(argv[1], "-recording");
	make_directory(argv[1], "-code");
	return make_codes(argv[1]) | make_recorders(argv[1]) | make_readings(argv[1]) |
	       make_recordings(argv[1]);
}
