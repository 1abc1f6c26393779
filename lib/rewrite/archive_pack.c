/* SPDX-License-Identifier: MIT */
/*
 * Collects the contents of an archive: for each build that the recording needs, the files in the
 * build-ID cache, else the file on this machine; then its debug information and a link for the
 * index.
 */
#include "rewrite/archive_pack.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/str.h"
#include "file/pack/tar.h"
#include "file/writer/writer.h"
#include "read/archive.h"
#include "read/build_ids.h"
#include "rewrite/pack_sources_internal.h"
#include "rewrite/touched_internal.h"
#include "sym/cache/keep.h"
#include "sym/dwarf/lines.h"
#include "sym/find/binary.h"
#include "sym/kernel/system_buildid.h"

#define KALLSYMS     "/proc/kallsyms"
#define KALLSYMS_MAX (256u << 20)
#define EXCLUDED_MAX (16u << 20) /* size of a list of build IDs */
#define SHARED_DIR   ".dwz" /* directory of supplementary files, which several debug files share */

struct packing {
	const struct pfx_archive_options *options;
	struct pfx_archive_contents *contents;
	struct pfx_tar_writer *tar;
	char *excluded;           /* text of the list; NULL: none */
	struct pfx_intern shared; /* build IDs of supplementary files that were added */
	bool has_read_samples;
	struct pfx_touched *touched; /* addresses that the recording uses; NULL: unknown */
};

/* --- one build --- */

/* Makes "usr/bin/x/0123/elf"; the caller frees. */
static char *entry_name(const struct pfx_kept *build, const char *what)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1];

	pfx_build_id_text(&build->id, text);
	return pfx_strfmt("%s/%s%s%s", build->name + (*build->name == '/'), text, *what ? "/" : "",
			  what);
}

/* Takes ownership of @what. */
static void note_entry(struct packing *p, char *what, const char *path)
{
	pfx_vec_push(&p->contents->entries, ((struct pfx_archive_entry){what, pfx_strdup(path)}));
}

static int add_file(struct packing *p, const struct pfx_kept *build, const char *what,
		    const char *from, struct pfx_error *err)
{
	char *name = entry_name(build, what);
	int rc = pfx_tar_add_file(p->tar, name, from, err);

	if (!rc)
		note_entry(p, pfx_strdup(what), from);
	free(name);
	return rc ? rc : 1;
}

static int add_bytes(struct packing *p, const struct pfx_kept *build, const char *what,
		     const struct pfx_keep_bytes *bytes, struct pfx_error *err)
{
	char *name = entry_name(build, what);
	int rc = pfx_tar_add_bytes(p->tar, name, bytes->data, bytes->size, err);

	free(name);
	return rc ? rc : 1;
}

/* The files of a build that were found in the cache. */
struct cached {
	bool debug, dwp;
};

/* Adds all files of a build in the cache; returns their number. */
static int add_cached(struct packing *p, const struct pfx_kept *build, struct cached *ret,
		      struct pfx_error *err)
{
	int i, rc = 0, nr = 0;
	char *path;

	for (i = 0; p->options->buildid_dir && pfx_keep_parts[i] && rc >= 0; i++) {
		path = pfx_keep_find(p->options->buildid_dir, &build->id, pfx_keep_parts[i]);
		if (!path)
			continue;
		rc = add_file(p, build, pfx_keep_parts[i], path, err);
		nr += rc > 0;
		ret->debug |= !strcmp(pfx_keep_parts[i], "debug");
		ret->dwp |= !strcmp(pfx_keep_parts[i], "dwp");
		free(path);
	}
	return rc < 0 ? rc : nr;
}

static int add_running_kernel(struct packing *p, const struct pfx_kept *build,
			      struct pfx_error *err)
{
	struct pfx_keep_bytes bytes = {0};
	struct pfx_build_id own;
	char *text;
	int rc;

	if (pfx_build_id_of_kernel(&own) || !pfx_build_id_same(&own, &build->id))
		return 0;
	if (pfx_read_file(KALLSYMS, KALLSYMS_MAX, &text, &bytes.size, NULL))
		return 0;
	bytes.data = text;
	rc = add_bytes(p, build, "kallsyms", &bytes, err);
	free(text);
	return rc;
}

static int add_own_vdso(struct packing *p, const struct pfx_kept *build, struct pfx_error *err)
{
	struct pfx_keep_bytes bytes = {0};
	struct pfx_build_id own;

	if (pfx_system_build_id_of_vdso(&own) || !pfx_build_id_same(&own, &build->id))
		return 0;
	bytes.data = pfx_system_vdso(&bytes.size);
	return add_bytes(p, build, "vdso", &bytes, err);
}

/* Adds the file on this machine if the cache has none. */
static int add_present(struct packing *p, const struct pfx_kept *build, struct pfx_error *err)
{
	struct pfx_build_id id;

	if (!strncmp(build->name, PFX_KERNEL_NAME, strlen(PFX_KERNEL_NAME)))
		return add_running_kernel(p, build, err);
	if (!strcmp(build->name, PFX_VDSO_NAME))
		return add_own_vdso(p, build, err);
	if (*build->name != '/' || pfx_build_id_of_file(build->name, &id, NULL) ||
	    !pfx_build_id_same(&id, &build->id))
		return 0;
	return add_file(p, build, "elf", build->name, err);
}

static int add_index(struct packing *p, const struct pfx_kept *build, struct pfx_error *err)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1], *name, *inside, *target;
	int rc;

	pfx_build_id_text(&build->id, text);
	inside = entry_name(build, "");
	name = pfx_strfmt(".build-id/%.2s/%s", text, text + 2);
	target = pfx_strfmt("../../%s", inside);
	rc = pfx_tar_add_link(p->tar, name, target, err);
	free(inside);
	free(name);
	free(target);
	return rc;
}

static bool is_excluded(const struct packing *p, const struct pfx_kept *build)
{
	char text[2 * PFX_BUILD_ID_SIZE + 1];

	return p->excluded && strstr(p->excluded, pfx_build_id_text(&build->id, text));
}

/* Adds a supplementary file once, under its base name. */
static int add_shared(struct packing *p, struct pfx_binary *binary, struct pfx_error *err)
{
	uint32_t known = p->shared.nr;
	struct pfx_binary_alt alt;
	struct pfx_kept build;
	int rc;

	if (!pfx_binary_alt(binary, &alt))
		return 0;
	build = (struct pfx_kept){.id = alt.id};
	pfx_intern_add(&p->shared, alt.id.data, alt.id.size);
	if (p->shared.nr == known || is_excluded(p, &build))
		return 0;
	build.name = pfx_strfmt("/" SHARED_DIR "/%s", pfx_file_name(alt.name));
	rc = add_file(p, &build, "debug", alt.path, err);
	if (rc >= 0)
		rc = add_index(p, &build, err);
	free(build.name);
	return rc;
}

/* Only for the units that the recording uses. */
static void find_splits(struct packing *p, const struct pfx_kept *build, struct pfx_lines *lines,
			struct pfx_split_list *ret)
{
	struct pfx_offsets offsets;

	if (!p->has_read_samples)
		p->touched = pfx_touched_read(p->options->recording, p->options->force,
					      p->options->buildid_dir);
	p->has_read_samples = true;
	if (!p->touched) {
		pfx_lines_splits(lines, NULL, 0, ret);
		return;
	}
	pfx_touched_offsets(p->touched, &build->id, &offsets);
	pfx_lines_splits(lines, offsets.at.at ? offsets.at.at : &(uint64_t){0}, offsets.at.nr, ret);
	pfx_vec_free(&offsets.at);
}

/* Adds files of split debug information that are not in a package. */
static int add_splits(struct packing *p, const struct pfx_kept *build,
		      const struct pfx_sym_request *request, const struct pfx_sym_options *options,
		      struct pfx_error *err)
{
	char name[PFX_KEEP_SPLIT_SIZE];
	struct pfx_split_list list;
	struct pfx_lines *lines;
	size_t i;
	int rc = 0;

	if (pfx_lines_open(&lines, request, options, NULL))
		return 0;
	if (!pfx_lines_are_split(lines)) {
		pfx_lines_free(lines);
		return 0;
	}
	find_splits(p, build, lines, &list);
	for (i = 0; i < list.files.nr && rc >= 0; i++)
		rc = add_file(p, build, pfx_keep_split_name(list.files.at[i].id, name),
			      list.files.at[i].path, err);
	pfx_split_list_free(&list);
	pfx_lines_free(lines);
	return rc;
}

/* Adds a binary's debug file and package, unless they came from the cache, its split debug
 * information, and its supplementary file. */
static int add_debug(struct packing *p, const struct pfx_kept *build, const struct cached *cached,
		     struct pfx_error *err)
{
	const struct pfx_sym_options options = {.buildid_dir = p->options->buildid_dir};
	const struct pfx_sym_request request = {.kind = PFX_SYM_FILE,
						.path = build->name,
						.build_id = build->id.data,
						.build_id_size = build->id.size};
	struct pfx_binary *binary;
	const char *path;
	int rc = 0;

	if (*build->name != '/' || pfx_binary_open(&binary, &request, &options, NULL))
		return 0;
	path = cached->debug ? NULL : pfx_binary_debug_path(binary);
	if (path)
		rc = add_file(p, build, "debug", path, err);
	path = cached->dwp ? NULL : pfx_binary_package_path(binary);
	if (path && rc >= 0)
		rc = add_file(p, build, "dwp", path, err);
	if (rc >= 0)
		rc = add_shared(p, binary, err);
	if (rc >= 0)
		rc = add_splits(p, build, &request, &options, err);
	pfx_binary_free(binary);
	return rc;
}

static int add_build(struct packing *p, const struct pfx_kept *build, struct pfx_error *err)
{
	struct cached cached = {0};
	int rc;

	if (is_excluded(p, build) || !pfx_keep_can_name(build->name))
		return 0;
	rc = add_cached(p, build, &cached, err);
	if (!rc)
		rc = add_present(p, build, err);
	if (!rc) {
		p->contents->nr_missing++;
		note_entry(p, NULL, build->name);
		return 0;
	}
	if (rc > 0)
		rc = add_debug(p, build, &cached, err);
	p->contents->nr_taken += rc >= 0;
	return rc < 0 ? rc : add_index(p, build, err);
}

/* --- the recording --- */

static int add_dir(struct packing *p, const char *from, const char *name, bool inside_kcore,
		   struct pfx_error *err);

/* Of an untrusted directory only what the format has is taken, and no link, which may lead to files
 * of the user. */
static int add_entry(struct packing *p, const char *path, const char *inside, bool inside_kcore,
		     struct pfx_error *err)
{
	struct stat st;

	if (!lstat(path, &st) && pfx_writer_names(strrchr(path, '/') + 1, inside_kcore)) {
		if (S_ISREG(st.st_mode))
			return pfx_tar_add_file(p->tar, inside, path, err);
		if (S_ISDIR(st.st_mode) && !inside_kcore)
			return add_dir(p, path, inside, true, err);
	}
	if (!p->contents->nr_foreign++)
		p->contents->foreign = pfx_strdup(path);
	return 0;
}

static int add_dir(struct packing *p, const char *from, const char *name, bool inside_kcore,
		   struct pfx_error *err)
{
	DIR *dir = opendir(from);
	struct dirent *entry;
	char *path, *inside;
	int rc = 0;

	if (!dir)
		return pfx_error_sys(err, errno, "cannot read '%s'", from);
	while (!rc && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		path = pfx_strfmt("%s/%s", from, entry->d_name);
		inside = pfx_strfmt("%s/%s", name, entry->d_name);
		rc = add_entry(p, path, inside, inside_kcore, err);
		free(path);
		free(inside);
	}
	closedir(dir);
	return rc;
}

static int add_recording(struct packing *p, struct pfx_error *err)
{
	const char *path = p->options->recording;
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return add_dir(p, path, PFX_ARCHIVE_RECORDING, false, err);
	return pfx_tar_add_file(p->tar, PFX_ARCHIVE_RECORDING, path, err);
}

static int add_all(struct packing *p, const struct pfx_kept_list *list, struct pfx_error *err)
{
	size_t i;
	int rc = 0;

	if (!p->options->no_data)
		rc = add_recording(p, err);
	for (i = 0; i < list->builds.nr && !rc; i++)
		rc = add_build(p, &list->builds.at[i], err);
	if (!rc && p->options->sources)
		rc = pfx_pack_sources(p->tar, p->options, p->contents, err);
	return rc ? rc : pfx_tar_finish(p->tar, err);
}

static char *output_name(const struct packing *p)
{
	size_t len = strlen(p->options->recording);

	while (len > 1 && p->options->recording[len - 1] == '/')
		len--;
	return p->options->output ? pfx_strdup(p->options->output)
				  : pfx_strfmt("%.*s.tar.zst", (int)len, p->options->recording);
}

static int write_archive(struct packing *p, const struct pfx_kept_list *list, struct pfx_error *err)
{
	int rc;

	p->contents->output = output_name(p);
	rc = pfx_tar_create(&p->tar, p->contents->output, err);
	if (rc == -ENOTSUP)
		pfx_error_hint(err, "-o with a name that ends in .tar makes an archive that is not "
				    "packed");
	if (!rc)
		rc = add_all(p, list, err);
	pfx_tar_writer_free(p->tar);
	return rc;
}

static int read_excluded(struct packing *p, struct pfx_error *err)
{
	if (!p->options->exclude)
		return 0;
	return pfx_read_file(p->options->exclude, EXCLUDED_MAX, &p->excluded, NULL, err);
}

static int pack(struct packing *p, struct pfx_error *err)
{
	struct pfx_kept_list list = {0};
	const struct pfx_recording_options how = {.reader.force = p->options->force};
	struct pfx_recording *recording;
	int rc;

	if (!strcmp(p->options->recording, "-"))
		return pfx_error_set(err, EINVAL, "a stream cannot be taken along: name a file");
	rc = read_excluded(p, err);
	if (!rc)
		rc = pfx_recording_open(&recording, p->options->recording, &how, err);
	if (rc < 0)
		return rc;
	rc = pfx_recording_ids(recording, &list, err);
	if (rc >= 0)
		rc = write_archive(p, &list, err);
	pfx_keep_list_free(&list);
	p->contents->recording = recording;
	return rc;
}

int pfx_archive_pack(const struct pfx_archive_options *options, struct pfx_archive_contents *ret,
		     struct pfx_error *err)
{
	struct packing p = {.options = options, .contents = ret};
	int rc;

	*ret = (struct pfx_archive_contents){0};
	rc = pack(&p, err);
	pfx_intern_fini(&p.shared);
	pfx_touched_free(p.touched);
	free(p.excluded);
	return rc;
}

void pfx_archive_contents_fini(struct pfx_archive_contents *contents)
{
	size_t i;

	for (i = 0; i < contents->entries.nr; i++) {
		free(contents->entries.at[i].what);
		free(contents->entries.at[i].path);
	}
	pfx_vec_free(&contents->entries);
	free(contents->output);
	free(contents->foreign);
	pfx_recording_free(contents->recording);
}
