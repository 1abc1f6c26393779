/* SPDX-License-Identifier: MIT */
/*
 * The output of inject: which records are valid in a file and which in a stream, the index of the
 * AUX area data, and features that are no longer valid. Records are collected and written in large
 * pieces.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/inject_internal.h"

/* Size of a write. */
#define PENDING_MAX (256u << 10)
#define PAYLOAD_MAX ((uint64_t)8 << 20)

/* The output is not compressed, and is one file. */
static bool is_outdated(uint64_t feature)
{
	return feature == PFX_FEAT_COMPRESSED || feature == PFX_FEAT_DIR_FORMAT;
}

static void drop_feature(struct pfx_meta *meta, unsigned feature)
{
	pfx_env_unset(&meta->env, feature);
	meta->env.raw[feature] = (struct pfx_env_blob){0};
}

static void drop_features(struct pfx_meta *meta)
{
	drop_feature(meta, PFX_FEAT_COMPRESSED);
	drop_feature(meta, PFX_FEAT_DIR_FORMAT);
}

static int flush(struct pfx_inject *inject, struct pfx_error *err)
{
	struct pfx_buffer *pending = &inject->pending;
	int rc = 0;

	if (pending->len)
		rc = pfx_writer_append(inject->writer, pending->at, pending->len, err);
	pfx_buffer_clear(pending);
	return rc;
}

static int put(struct pfx_inject *inject, const void *data, size_t size, struct pfx_error *err)
{
	pfx_buffer_bytes(&inject->pending, data, size);
	return inject->pending.len < PENDING_MAX ? 0 : flush(inject, err);
}

int pfx_inject_put_bytes(struct pfx_inject *inject, const struct pfx_buffer *records,
			 struct pfx_error *err)
{
	return put(inject, records->at, records->len, err);
}

/* A file has its build IDs in the header; a stream has BUILD_ID records. */
static int put_header_build_ids(struct pfx_inject *inject, struct pfx_error *err)
{
	const struct pfx_env *env = &inject->meta->env;
	struct pfx_body body = {.type = PFX_RECORD_HEADER_BUILD_ID};
	struct pfx_header_build_id *said = &body.header_build_id;
	uint32_t i;

	pfx_buffer_clear(&inject->scratch);
	for (i = 0; i < env->nr_build_ids; i++) {
		body.misc = env->build_ids[i].misc | PFX_MISC_BUILD_ID_SIZE;
		said->pid = env->build_ids[i].pid;
		said->filename = env->build_ids[i].filename;
		said->build_id_size = env->build_ids[i].size;
		memcpy(said->build_id, env->build_ids[i].id, sizeof(said->build_id));
		pfx_record_encode(&body, NULL, &inject->scratch);
	}
	return put(inject, inject->scratch.at, inject->scratch.len, err);
}

int pfx_inject_begin(struct pfx_inject *inject, struct pfx_error *err)
{
	bool from_stream = inject->meta->is_pipe;
	int rc;

	drop_features(inject->meta);
	inject->scratch.swap = inject->meta->swap;
	rc = pfx_writer_begin_copy(inject->writer, inject->meta, from_stream, err);
	if (!rc && pfx_writer_is_pipe(inject->writer) && !from_stream)
		rc = put_header_build_ids(inject, err);
	return rc;
}

/* For a stream: a feature that is not valid for the output. */
static bool is_outdated_record(const struct pfx_record *rec)
{
	struct pfx_cursor c = pfx_record_cursor(rec);

	return rec->type == PFX_RECORD_HEADER_FEATURE && is_outdated(pfx_cursor_u64(&c));
}

static bool is_wanted(const struct pfx_inject *inject, const struct pfx_record *rec)
{
	if (rec->type == PFX_RECORD_COMPRESSED || rec->type == PFX_RECORD_COMPRESSED2)
		return false;
	return pfx_writer_wants(inject->writer, rec->type) && !is_outdated_record(rec);
}

/* Size of the data that follows the record outside its size field, if the input is complete. */
static uint64_t full_extra(const struct pfx_record *rec)
{
	uint32_t size;

	if (rec->type == PFX_RECORD_AUXTRACE)
		return rec->size < 16 ? 0 : pfx_load64(rec->bytes + 8, rec->swap);
	if (rec->type != PFX_RECORD_HEADER_TRACING_DATA || rec->size < 12)
		return 0;
	size = pfx_load32(rec->bytes + 8, rec->swap);
	return size <= rec->size - 12u ? 0 : size; /* simpleperf includes it in the record */
}

static int put_with_extra(struct pfx_inject *inject, const struct pfx_record *rec,
			  struct pfx_error *err)
{
	uint64_t size = rec->extra_size < PAYLOAD_MAX ? rec->extra_size : PAYLOAD_MAX, at;
	struct iovec iov[2] = {{(void *)rec->bytes, rec->size}, {(void *)rec->extra, size}};
	int rc = flush(inject, err);

	if (rc < 0)
		return rc;
	if (rec->type == PFX_RECORD_AUXTRACE)
		*pfx_vec_add(&inject->aux) =
			(struct pfx_env_aux_index){pfx_writer_offset(inject->writer), rec->size};
	rc = pfx_writer_appendv(inject->writer, iov, 2, err);
	for (at = size; rc >= 0 && at < rec->extra_size; at += size) {
		pfx_reader_drop_pages(pfx_recording_reader(inject->recording));
		size = rec->extra_size - at < PAYLOAD_MAX ? rec->extra_size - at : PAYLOAD_MAX;
		rc = pfx_writer_append(inject->writer, rec->extra + at, size, err);
	}
	return rc;
}

int pfx_inject_put(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err)
{
	if (!is_wanted(inject, rec))
		return 0;
	if (!full_extra(rec))
		return put(inject, rec->bytes, rec->size, err);
	if (!rec->extra || rec->extra_size < full_extra(rec)) {
		inject->result.nr_cut++;
		return 0;
	}
	return put_with_extra(inject, rec, err);
}

/* The offsets of records have changed. */
static void set_aux_index(struct pfx_inject *inject)
{
	struct pfx_env *env = &inject->meta->env;
	bool was_there = pfx_env_has(env, PFX_FEAT_AUXTRACE);

	drop_feature(inject->meta, PFX_FEAT_AUXTRACE);
	env->aux_index = inject->aux.at;
	env->nr_aux_index = inject->aux.nr;
	if (was_there || inject->aux.nr)
		pfx_env_set(env, PFX_FEAT_AUXTRACE);
}

int pfx_inject_end(struct pfx_inject *inject, struct pfx_error *err)
{
	int rc = flush(inject, err);

	if (rc < 0)
		return rc;
	drop_features(inject->meta);
	set_aux_index(inject);
	return pfx_writer_end(inject->writer, err);
}
