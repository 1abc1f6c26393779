/* SPDX-License-Identifier: MIT */
/*
 * Keeps the perf maps and jitdumps of JIT compilers as they are at the end of the recording: at the
 * time of the report the process may be gone and its number reused. They are copied into the
 * build-id cache under the SHA-1 of their content, without parsing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sha1.h"
#include "base/str.h"
#include "record/file/record_file.h"
#include "sym/cache/keep.h"
#include "sym/find/request.h"
#include "sym/jit/jit_files.h"

#define HOLES_MAX (1u << 20) /* bytes of holes in a file with little else */

size_t pfx_record_jit_max(const struct pfx_record_file *file)
{
	return 2 * file->sink.tally.makers.nr; /* a perf map and a jitdump */
}

static void add_to_table(struct pfx_record_file *file, const char *name,
			 const struct pfx_build_id *id)
{
	struct pfx_env *env = &file->meta->env;
	struct pfx_env_build_id *to = &env->build_ids[env->nr_build_ids++];

	to->pid = -1;
	to->misc = PFX_MODE_USER | PFX_MISC_BUILD_ID_SIZE;
	to->size = id->size;
	memcpy(to->id, id->data, sizeof(to->id));
	to->filename = pfx_arena_strdup(&file->meta->arena, name);
	pfx_env_set(env, PFX_FEAT_BUILD_ID);
}

/* JIT compilers leave no holes. A file of holes takes no room where it is, but much of it in memory
 * and in the cache. */
static int check_holes(const struct pfx_jit_file *read, struct pfx_error *err)
{
	char shown[256];

	if (read->size - read->nr_data <= read->nr_data + HOLES_MAX)
		return 0;
	return pfx_error_set(err, EFBIG, "'%s' is not kept: %zu of its %zu bytes are holes",
			     pfx_escape(shown, sizeof(shown), read->path),
			     read->size - read->nr_data, read->size);
}

static int keep_read(struct pfx_record_file *file, const struct pfx_sym_request *request,
		     const struct pfx_jit_file *read, struct pfx_error *err)
{
	const struct pfx_keep_bytes bytes = {read->data, read->size,
					     pfx_jit_file_kept_as(request->kind), read->mode};
	struct pfx_build_id id = {.size = PFX_SHA1_SIZE};
	struct pfx_sha1 sha;
	int rc;

	pfx_sha1_init(&sha);
	pfx_sha1_add(&sha, read->data, read->size);
	pfx_sha1_end(&sha, id.data);
	rc = pfx_keep_bytes(file->keep_dir, request->path, &id, &bytes, err);
	if (rc >= 0)
		add_to_table(file, request->path, &id);
	return rc;
}

static void keep_file(struct pfx_record_file *file, const struct pfx_sym_request *request)
{
	static const struct pfx_sym_options options;
	struct pfx_error err = {0};
	struct pfx_jit_file read;
	int rc = pfx_jit_file_read(request, &options, &read, &err);

	if (!rc) {
		rc = check_holes(&read, &err);
		if (!rc)
			rc = keep_read(file, request, &read, &err);
		pfx_jit_file_free(&read);
	}
	/* Most processes do not write such a file. */
	if (rc < 0)
		PFX_RECORDER_NOTIFY(file->plan->observer, PFX_RECORDER_JIT_FAILED, .err = &err);
}

static const struct pfx_jit_view *view_of(const struct pfx_record_file *file, uint32_t pid)
{
	size_t i;

	for (i = 0; i < file->sink.tally.views.nr; i++)
		if (file->sink.tally.views.at[i].pid == pid)
			return &file->sink.tally.views.at[i].view;
	return NULL;
}

static void keep_of_process(struct pfx_record_file *file, uint32_t pid, uint64_t dump)
{
	struct pfx_sym_request request = {
		.kind = PFX_SYM_PERF_MAP, .pid = (int32_t)pid, .view = view_of(file, pid)};
	struct pfx_jit_view view;
	char *path = pfx_strfmt("/tmp/perf-%u.map", pid);

	request.path = path;
	keep_file(file, &request);
	free(path);
	if (!dump)
		return;
	if (request.view && file->sink.tally.dsos.at[dump - 1].fd >= 0) {
		view = *request.view;
		snprintf(view.file, sizeof(view.file), "/proc/self/fd/%d",
			 file->sink.tally.dsos.at[dump - 1].fd);
		request.view = &view;
	}
	request.kind = PFX_SYM_JITDUMP;
	request.path =
		pfx_intern_get(&file->sink.tally.names, file->sink.tally.dsos.at[dump - 1].name);
	keep_file(file, &request);
}

void pfx_record_jit(struct pfx_record_file *file)
{
	const struct pfx_hash *makers = &file->sink.tally.makers;
	size_t i;

	for (i = 0; i < makers->cap; i++)
		if (makers->used[i] && (makers->slots[i].value & PFX_TALLY_MAKER_HIT ||
					file->plan->options->buildid_all))
			keep_of_process(file, (uint32_t)makers->slots[i].key,
					makers->slots[i].value >> PFX_TALLY_MAKER_SHIFT);
}
