/* SPDX-License-Identifier: MIT */
/* The parts of a file around the records, encoded as bytes: fixed header, ids and attrs of the
 * events, section of a feature. Sections 2.2 and 2.3 of Documentation/file-format.md. */
#include "base/io.h"
#include "file/header/feature.h"
#include "file/header/fixed_header_internal.h"
#include "writer_internal.h"

void pfx_writer_encode_section(struct pfx_buffer *to, uint64_t offset, uint64_t size)
{
	pfx_buffer_u64(to, offset);
	pfx_buffer_u64(to, size);
}

void pfx_writer_encode_header(const struct pfx_writer *writer, const uint64_t *features,
			      struct pfx_buffer *to)
{
	unsigned i;

	pfx_buffer_u64(to, PFX_MAGIC_V2);
	pfx_buffer_u64(to, PFX_HEADER_SIZE);
	pfx_buffer_u64(to, writer->attr_size);
	pfx_writer_encode_section(to, writer->attrs_offset, writer->attrs_size);
	pfx_writer_encode_section(to, writer->data_offset, writer->data_size);
	pfx_writer_encode_section(to, 0, 0);
	for (i = 0; i < PFX_FEAT_BITS / 64; i++)
		pfx_buffer_u64(to, features[i]);
}

/* Bytes of the attr to write: perf 6.1 refuses attrs larger than its own, even if the rest is
 * zero. */
static uint64_t attr_bytes(const struct pfx_attr *attr)
{
	uint32_t i;

	if (attr->size <= PFX_ATTR_SIZE_VER7 || attr->config3 || attr->config4)
		return attr->size;
	for (i = 0; i < attr->tail_size; i++)
		if (attr->tail[i])
			return attr->size;
	return PFX_ATTR_SIZE_VER7;
}

void pfx_writer_lay_out_events(struct pfx_writer *writer, uint64_t start)
{
	const struct pfx_meta *meta = writer->meta;
	uint64_t size = PFX_ATTR_SIZE_VER0, nr_ids = 0;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		if (attr_bytes(&meta->events[i]->attr) > size)
			size = attr_bytes(&meta->events[i]->attr);
		nr_ids += meta->events[i]->nr_ids;
	}
	writer->attr_size = size + 16;
	writer->attrs_offset = start + 8 * nr_ids;
	writer->attrs_size = meta->nr_events * writer->attr_size;
	writer->nr_ids = nr_ids;
	writer->nr_events = meta->nr_events;
}

bool pfx_writer_has_new_events(const struct pfx_writer *writer)
{
	const struct pfx_meta *meta = writer->meta;
	uint64_t nr_ids = 0;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		nr_ids += meta->events[i]->nr_ids;
	return meta->nr_events != writer->nr_events || nr_ids != writer->nr_ids;
}

void pfx_writer_encode_events(const struct pfx_writer *writer, struct pfx_buffer *to)
{
	const struct pfx_meta *meta = writer->meta;
	uint64_t ids_offset = writer->attrs_offset - 8 * writer->nr_ids;
	const struct pfx_event *event;
	struct pfx_attr attr;
	uint32_t i, k;

	for (i = 0; i < meta->nr_events; i++)
		for (k = 0; k < meta->events[i]->nr_ids; k++)
			pfx_buffer_u64(to, meta->events[i]->ids[k]);
	for (i = 0; i < meta->nr_events; i++) {
		event = meta->events[i];
		attr = event->attr;
		attr.size = (uint32_t)writer->attr_size - 16;
		pfx_attr_encode(&attr, to);
		pfx_writer_encode_section(to, ids_offset, 8ull * event->nr_ids);
		ids_offset += 8ull * event->nr_ids;
	}
}

int pfx_writer_put_header(struct pfx_writer *writer, const uint64_t *features)
{
	struct pfx_buffer *to = &writer->scratch;

	pfx_buffer_clear(to);
	pfx_writer_encode_header(writer, features, to);
	return pfx_pwrite_full(writer->fd, to->at, to->len, 0);
}

bool pfx_writer_put_feature(const struct pfx_writer *writer, unsigned feature,
			    struct pfx_buffer *to)
{
	if (writer->is_copy)
		return pfx_feature_encode_kept(writer->meta, feature, to);
	return pfx_feature_encode(writer->meta, feature, to);
}
