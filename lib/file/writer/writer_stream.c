/* SPDX-License-Identifier: MIT */
/*
 * The start of a stream: 16 bytes, then the header of a file as records: HEADER_ATTR for each
 * event, HEADER_FEATURE for each feature known now, an empty one as end mark, and the formats of
 * the tracepoints. All other records come from the caller. Section 2.4 of
 * Documentation/file-format.md.
 */
#include <errno.h>

#include "base/io.h"
#include "file/header/feature.h"
#include "file/header/fixed_header_internal.h"
#include "writer_internal.h"

/* The end mark's id is the first feature that perf 6.1 does not support: it refuses streams with
 * features from there on. Files may have them. */
#define END_MARK        (PFX_FEAT_PMU_CAPS + 1)
#define SIZE_MAX_RECORD 65535

static size_t begin_record(struct pfx_buffer *to, uint32_t type)
{
	size_t start = to->len;

	pfx_buffer_u32(to, type);
	pfx_buffer_u16(to, 0);
	pfx_buffer_u16(to, 0);
	return start;
}

/* False if the record became too long; it is removed again. */
static bool end_record(struct pfx_buffer *to, size_t start)
{
	size_t size = to->len - start;

	if (size > SIZE_MAX_RECORD) {
		to->len = start;
		return false;
	}
	pfx_buffer_patch16(to, start + 6, (uint16_t)size);
	return true;
}

static bool put_event(struct pfx_buffer *to, const struct pfx_event *event)
{
	size_t start = begin_record(to, PFX_RECORD_HEADER_ATTR);
	uint32_t i;

	pfx_attr_encode(&event->attr, to);
	for (i = 0; i < event->nr_ids; i++)
		pfx_buffer_u64(to, event->ids[i]);
	return end_record(to, start);
}

static bool put_feature(struct pfx_buffer *to, const struct pfx_meta *meta, unsigned feature)
{
	size_t start = begin_record(to, PFX_RECORD_HEADER_FEATURE);

	pfx_buffer_u64(to, feature);
	if (!pfx_feature_encode(meta, feature, to) || to->len - start == 16) {
		to->len = start;
		return true;
	}
	return end_record(to, start);
}

/* Features without a record type in streams. */
static bool is_copied(unsigned feature)
{
	switch (feature) {
	case PFX_FEAT_TRACING_DATA:
	case PFX_FEAT_BUILD_ID:
	case PFX_FEAT_AUXTRACE: /* offsets of records in the file */
		return false;
	default:
		return true;
	}
}

/* The same for a copy. False if it is too long for a record. */
static bool put_kept(struct pfx_buffer *to, const struct pfx_meta *meta, unsigned feature)
{
	size_t start = begin_record(to, PFX_RECORD_HEADER_FEATURE);

	pfx_buffer_u64(to, feature);
	if (is_copied(feature) && pfx_feature_encode_kept(meta, feature, to))
		return end_record(to, start);
	to->len = start;
	return true;
}

static void put_features(struct pfx_writer *writer, struct pfx_buffer *to)
{
	unsigned feature;

	if (writer->is_copy) {
		for (feature = 0; feature < END_MARK; feature++)
			writer->nr_left_out += !put_kept(to, writer->meta, feature);
		return;
	}
	for (feature = 1; feature < END_MARK; feature++)
		if (pfx_feature_in_pipe(feature))
			writer->nr_left_out += !put_feature(to, writer->meta, feature);
}

/* The payload follows after the record, padded to 8 bytes; the size includes the padding. */
static void put_tracing_data(struct pfx_buffer *to, const struct pfx_env_blob *data)
{
	uint64_t padded = (data->size + 7) & ~7ull;
	size_t start;

	if (!data->size || padded > UINT32_MAX)
		return;
	start = begin_record(to, PFX_RECORD_HEADER_TRACING_DATA);
	pfx_buffer_u32(to, (uint32_t)padded);
	end_record(to, start);
	pfx_buffer_bytes(to, data->at, data->size);
	pfx_buffer_zeros(to, padded - data->size);
}

int pfx_writer_begin_stream(struct pfx_writer *writer, struct pfx_error *err)
{
	const struct pfx_meta *meta = writer->meta;
	struct pfx_buffer *to = &writer->scratch;
	uint32_t i;
	int rc;

	pfx_buffer_u64(to, PFX_MAGIC_V2);
	pfx_buffer_u64(to, PFX_PIPE_SIZE);
	if (writer->has_meta_records) {
		rc = pfx_write_full(writer->fd, to->at, to->len);
		return rc < 0 ? pfx_writer_failed(writer, -rc, err) : 0;
	}
	for (i = 0; i < meta->nr_events; i++)
		if (!put_event(to, meta->events[i]))
			return pfx_error_set(err, EFBIG,
					     "the event has %u ids: too many for a stream",
					     meta->events[i]->nr_ids);
	put_features(writer, to);
	begin_record(to, PFX_RECORD_HEADER_FEATURE);
	pfx_buffer_u64(to, END_MARK);
	pfx_buffer_patch16(to, to->len - 10, 16);
	put_tracing_data(to, &meta->env.tracing_data);
	rc = pfx_write_full(writer->fd, to->at, to->len);
	return rc < 0 ? pfx_writer_failed(writer, -rc, err) : 0;
}
