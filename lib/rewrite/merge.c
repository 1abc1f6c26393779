/* SPDX-License-Identifier: MIT */
/* The steps of a merge: scan each input, plan, then copy all of them in order of time. */
#include "rewrite/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "rewrite/merge_internal.h"

#define PENDING_MAX (256u << 10)
#define ROUND_BYTES (1u << 20) /* readers sort this much */

static int open_recording(struct pfx_recording **ret, const char *path,
			  const struct pfx_merge_options *o, struct pfx_error *err)
{
	const struct pfx_recording_options how = {
		.reader = {.force = o->force, .strict = o->strict},
		.late_frames_apart = true,
	};

	return pfx_recording_open(ret, path, &how, err);
}

/* --- opening --- */

static int refuse(const struct pfx_merge_source *source, const char *why, struct pfx_error *err)
{
	char shown[256];

	return pfx_error_set(err, EINVAL, "'%s' %s",
			     pfx_escape(shown, sizeof(shown), source->told.path), why);
}

static int check_source(const struct pfx_merge *merge, const struct pfx_merge_source *source,
			struct pfx_error *err)
{
	const struct pfx_meta *first = pfx_recording_meta(merge->sources[0].recording);
	const struct pfx_meta *meta = pfx_recording_meta(source->recording);
	const char *arch = first->env.arch, *other = meta->env.arch;

	if (meta->swap != first->swap)
		return refuse(source, "is in the other byte order than the first recording", err);
	if (arch && other && strcmp(arch, other) != 0)
		return refuse(source, "is of another kind of CPU than the first recording", err);
	if (!meta->nr_events)
		return refuse(source, "has no events", err);
	return 0;
}

/* A file or a directory: what comes by a pipe is there only once. */
static int check_path(const char *path, struct pfx_error *err)
{
	char shown[256];
	struct stat st;

	if (strcmp(path, "-") != 0 &&
	    (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return 0;
	if (strcmp(path, "-") != 0)
		pfx_error_set(err, EINVAL,
			      "'%s' is not a file, and cannot be merged: it is read twice",
			      pfx_escape(shown, sizeof(shown), path));
	else
		pfx_error_set(err, EINVAL, "a stream cannot be merged: it is read twice");
	pfx_error_hint(err, "write it to a file first");
	return -EINVAL;
}

static int scan_source(struct pfx_merge *merge, size_t i, struct pfx_error *err)
{
	struct pfx_merge_source *source = &merge->sources[i];
	const struct pfx_merge_options *o = &merge->options;
	int rc;

	source->told.path = o->paths[i];
	rc = check_path(source->told.path, err);
	if (!rc)
		rc = open_recording(&source->recording, source->told.path, o, err);
	if (!rc)
		rc = pfx_merge_scan(source, err);
	if (!rc)
		rc = check_source(merge, source, err);
	if (!rc)
		source->told.hostname = pfx_recording_meta(source->recording)->env.hostname;
	return rc;
}

int pfx_merge_new(struct pfx_merge **ret, const struct pfx_merge_options *options,
		  struct pfx_error *err)
{
	struct pfx_merge *merge = pfx_calloc(1, sizeof(*merge));
	size_t i;
	int rc = 0;

	merge->options = *options;
	merge->sources = pfx_calloc(options->nr, sizeof(*merge->sources));
	for (i = 0; i < options->nr && !rc; i++)
		rc = scan_source(merge, i, err);
	if (!rc)
		rc = pfx_merge_plan(merge, err);
	if (rc) {
		pfx_merge_free(merge);
		return rc;
	}
	*ret = merge;
	return 0;
}

static void source_fini(struct pfx_merge_source *source)
{
	size_t i;

	for (i = 0; i < source->maps.nr; i++)
		free(source->maps.at[i].name);
	pfx_vec_free(&source->maps);
	pfx_vec_free(&source->events);
	pfx_vec_free(&source->first_ids);
	pfx_vec_free(&source->chain);
	pfx_buffer_fini(&source->branches);
	pfx_buffer_fini(&source->read);
	pfx_hash_fini(&source->ids);
	pfx_intern_fini(&source->build_names);
	pfx_vec_free(&source->build_ids);
	pfx_hash_fini(&source->new_ids);
	pfx_recording_free(source->recording);
	pfx_recording_free(source->copied);
}

void pfx_merge_free(struct pfx_merge *merge)
{
	size_t i;

	if (!merge)
		return;
	for (i = 0; i < merge->options.nr; i++)
		source_fini(&merge->sources[i]);
	free(merge->sources);
	pfx_buffer_fini(&merge->pending);
	pfx_meta_free(merge->meta);
	free(merge);
}

const struct pfx_merge_input *pfx_merge_input(const struct pfx_merge *merge, size_t i)
{
	return &merge->sources[i].told;
}

const struct pfx_recording *pfx_merge_recording(const struct pfx_merge *merge, size_t i)
{
	return merge->sources[i].recording;
}

uint32_t pfx_merge_nr_events(const struct pfx_merge *merge)
{
	return merge->meta->nr_events;
}

/* --- copying --- */

static int flush(struct pfx_merge *merge, struct pfx_error *err)
{
	struct pfx_buffer *pending = &merge->pending;
	int rc = 0;

	if (pending->len)
		rc = pfx_writer_append(merge->writer, pending->at, pending->len, err);
	pfx_buffer_clear(pending);
	return rc;
}

static void end_round(struct pfx_merge *merge)
{
	const struct pfx_body body = {.type = PFX_RECORD_FINISHED_ROUND};

	pfx_record_encode(&body, NULL, &merge->pending);
	merge->since_round = 0;
}

static int put_item(struct pfx_merge *merge, struct pfx_merge_source *source, struct pfx_error *err)
{
	size_t before = merge->pending.len;

	pfx_merge_change(source, &source->item, &merge->pending);
	merge->since_round += merge->pending.len - before;
	if (merge->since_round > ROUND_BYTES)
		end_round(merge);
	return merge->pending.len > PENDING_MAX ? flush(merge, err) : 0;
}

static int advance(struct pfx_merge_source *source, struct pfx_error *err)
{
	int rc = pfx_recording_next(source->copied, &source->item, err);

	source->has_item = rc > 0;
	return rc < 0 ? rc : 0;
}

/* Records without a time are first. */
static uint64_t time_of(const struct pfx_merge_source *source)
{
	uint64_t time = source->item.rec.time;

	if (!time || time == PFX_NO_TIME)
		return 0;
	return time + (uint64_t)source->told.time_shift;
}

static struct pfx_merge_source *oldest(struct pfx_merge *merge)
{
	struct pfx_merge_source *found = NULL;
	size_t i;

	for (i = 0; i < merge->options.nr; i++)
		if (merge->sources[i].has_item &&
		    (!found || time_of(&merge->sources[i]) < time_of(found)))
			found = &merge->sources[i];
	return found;
}

static int copy_records(struct pfx_merge *merge, struct pfx_error *err)
{
	struct pfx_merge_source *source;
	int rc = 0;
	size_t i;

	for (i = 0; i < merge->options.nr && !rc; i++)
		rc = advance(&merge->sources[i], err);
	while (!rc && (source = oldest(merge))) {
		rc = put_item(merge, source, err);
		if (!rc)
			rc = advance(source, err);
	}
	if (rc)
		return rc;
	end_round(merge);
	return flush(merge, err);
}

static int open_copies(struct pfx_merge *merge, struct pfx_error *err)
{
	int rc = 0;
	size_t i;

	for (i = 0; i < merge->options.nr && !rc; i++)
		rc = open_recording(&merge->sources[i].copied, merge->sources[i].told.path,
				    &merge->options, err);
	return rc;
}

int pfx_merge_run(struct pfx_merge *merge, struct pfx_writer *writer, struct pfx_error *err)
{
	int rc = open_copies(merge, err);

	merge->writer = writer;
	merge->pending.swap = merge->meta->swap;
	if (!rc)
		rc = pfx_writer_begin_copy(writer, merge->meta, false, err);
	if (!rc)
		rc = copy_records(merge, err);
	if (!rc)
		rc = pfx_writer_end(writer, err);
	if (rc < 0)
		pfx_writer_discard(writer);
	return rc;
}
