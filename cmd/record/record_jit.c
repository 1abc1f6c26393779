/* SPDX-License-Identifier: MIT */
/*
 * The files in which JIT compilers tell what their code is called, as they are when the recording
 * ends: the process may be gone, and its number used again, when the recording is read. They go
 * into the build-id cache under the SHA-1 of their contents. What stands in them is not known here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sha1.h"
#include "cmd/app/commands.h"
#include "cmd/record/record_internal.h"
#include "sym/cache/keep.h"
#include "sym/find/request.h"
#include "sym/jit/jit_files.h"

size_t pfx_record_jit_max(const struct pfx_recorder *rec)
{
	return 2 * rec->sink.tally.makers.nr; /* a perf map and a jitdump */
}

static void add_to_table(struct pfx_recorder *rec, const char *name, const struct pfx_build_id *id)
{
	struct pfx_env *env = &rec->meta->env;
	struct pfx_env_build_id *to = &env->build_ids[env->nr_build_ids++];

	to->pid = -1;
	to->misc = PFX_MODE_USER | PFX_MISC_BUILD_ID_SIZE;
	to->size = id->size;
	memcpy(to->id, id->data, sizeof(to->id));
	to->filename = pfx_arena_strdup(&rec->meta->arena, name);
	pfx_env_set(env, PFX_FEAT_BUILD_ID);
}

static void keep_file(struct pfx_recorder *rec, const struct pfx_sym_request *request)
{
	static const struct pfx_sym_options options;
	struct pfx_build_id id = {.size = PFX_SHA1_SIZE};
	struct pfx_keep_bytes bytes = {.what = pfx_jit_file_kept_as(request->kind)};
	struct pfx_error err = {0};
	struct pfx_jit_file file;
	struct pfx_sha1 sha;
	int rc = pfx_jit_file_read(request, &options, &file, &err);

	if (!rc) {
		pfx_sha1_init(&sha);
		pfx_sha1_add(&sha, file.data, file.size);
		pfx_sha1_end(&sha, id.data);
		bytes.data = file.data;
		bytes.size = file.size;
		rc = pfx_keep_bytes(rec->keep_dir, request->path, &id, &bytes, &err);
		if (rc >= 0)
			add_to_table(rec, request->path, &id);
		pfx_jit_file_free(&file);
	}
	/* That a process writes no such file is usual. */
	if (rc < 0 && rec->options->verbose)
		pfx_print_note("record", "%s", err.text);
}

static const struct pfx_jit_view *view_of(const struct pfx_recorder *rec, uint32_t pid)
{
	size_t i;

	for (i = 0; i < rec->sink.tally.views.nr; i++)
		if (rec->sink.tally.views.at[i].pid == pid)
			return &rec->sink.tally.views.at[i].view;
	return NULL;
}

static void keep_of_process(struct pfx_recorder *rec, uint32_t pid, uint64_t dump)
{
	struct pfx_sym_request request = {
		.kind = PFX_SYM_PERF_MAP, .pid = (int32_t)pid, .view = view_of(rec, pid)};
	struct pfx_jit_view view;
	char *path = pfx_strfmt("/tmp/perf-%u.map", pid);

	request.path = path;
	keep_file(rec, &request);
	free(path);
	if (!dump)
		return;
	if (request.view && rec->sink.tally.dsos.at[dump - 1].fd >= 0) {
		view = *request.view;
		snprintf(view.file, sizeof(view.file), "/proc/self/fd/%d",
			 rec->sink.tally.dsos.at[dump - 1].fd);
		request.view = &view;
	}
	request.kind = PFX_SYM_JITDUMP;
	request.path =
		pfx_intern_get(&rec->sink.tally.names, rec->sink.tally.dsos.at[dump - 1].name);
	keep_file(rec, &request);
}

void pfx_record_jit(struct pfx_recorder *rec)
{
	const struct pfx_hash *makers = &rec->sink.tally.makers;
	size_t i;

	for (i = 0; i < makers->cap; i++)
		if (makers->used[i] &&
		    (makers->slots[i].value & PFX_TALLY_MAKER_HIT || rec->options->buildid_all))
			keep_of_process(rec, (uint32_t)makers->slots[i].key,
					makers->slots[i].value >> PFX_TALLY_MAKER_SHIFT);
}
