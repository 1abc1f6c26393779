/* SPDX-License-Identifier: MIT */
/*
 * Writes records to the file. While recording, only the output's writing thread calls these
 * functions.
 */
#include "record/sink/sink.h"

/* Write, then count the bytes that were written: only a part if the disk is full. */
static int write_plain(struct pfx_sink *sink, const uint8_t *data, size_t size,
		       struct pfx_error *err)
{
	uint64_t written = pfx_writer_bytes(sink->writer);
	int rc = pfx_writer_append(sink->writer, data, size, err);

	written = pfx_writer_bytes(sink->writer) - written;
	pfx_tally_take(&sink->tally, data, UINT64_MAX, 0, written);
	return rc;
}

static int write_packed(struct pfx_sink *sink, const uint8_t *data, size_t size,
			struct pfx_error *err)
{
	struct pfx_buffer *packed = &sink->packed;
	int rc;

	pfx_buffer_clear(packed);
	rc = pfx_pack_bytes(sink->pack, data, size, packed, err);
	if (rc >= 0)
		rc = pfx_writer_append(sink->writer, packed->at, packed->len, err);
	if (rc >= 0)
		pfx_tally_take(&sink->tally, data, UINT64_MAX, 0, size);
	return rc;
}

int pfx_sink_put(struct pfx_sink *sink, struct pfx_buffer *records, struct pfx_error *err)
{
	int rc = write_plain(sink, records->at, records->len, err);

	pfx_buffer_clear(records);
	return rc;
}

int pfx_sink_take(struct pfx_sink *sink, const uint8_t *data, size_t size, struct pfx_error *err)
{
	int rc;

	if (sink->offcpu) {
		pfx_buffer_clear(&sink->made);
		pfx_offcpu_take(sink->offcpu, data, size, &sink->made);
		data = sink->made.at;
		size = sink->made.len;
		if (!size)
			return 0;
	}
	rc = sink->pack ? write_packed(sink, data, size, err) : write_plain(sink, data, size, err);
	return rc < 0 ? rc : 1;
}

/* --- the off-CPU stage --- */

static int put_made(struct pfx_sink *sink, struct pfx_error *err)
{
	return sink->made.len ? pfx_sink_put(sink, &sink->made, err) : 0;
}

static uint64_t off_ns(const struct pfx_sink *sink)
{
	return __atomic_load_n(&sink->off_ns, __ATOMIC_ACQUIRE);
}

int pfx_sink_take_switches(struct pfx_sink *sink, const uint8_t *data, size_t size,
			   struct pfx_error *err)
{
	if (!sink->offcpu)
		return 0;
	pfx_buffer_clear(&sink->made);
	pfx_offcpu_take(sink->offcpu, data, size, &sink->made);
	return put_made(sink, err);
}

int pfx_sink_end_round(struct pfx_sink *sink, struct pfx_error *err)
{
	if (!sink->offcpu)
		return 0;
	pfx_buffer_clear(&sink->made);
	pfx_offcpu_end_round(sink->offcpu, &sink->made);
	return put_made(sink, err);
}

int pfx_sink_pause(struct pfx_sink *sink, struct pfx_error *err)
{
	if (!sink->offcpu)
		return 0;
	pfx_buffer_clear(&sink->made);
	pfx_offcpu_pause(sink->offcpu, off_ns(sink), &sink->made);
	return put_made(sink, err);
}

int pfx_sink_put_sums(struct pfx_sink *sink, struct pfx_error *err)
{
	if (!sink->offcpu)
		return 0;
	pfx_buffer_clear(&sink->made);
	pfx_offcpu_put_sums(sink->offcpu, &sink->made);
	return put_made(sink, err);
}

int pfx_sink_end_offcpu(struct pfx_sink *sink, struct pfx_error *err)
{
	if (!sink->offcpu)
		return 0;
	pfx_buffer_clear(&sink->made);
	pfx_offcpu_end(sink->offcpu, off_ns(sink), &sink->made);
	return put_made(sink, err);
}

/* --- end --- */

int pfx_sink_close_file(struct pfx_sink *sink, struct pfx_error *err)
{
	sink->nr_samples += sink->tally.nr_samples;
	pfx_writer_free(sink->writer);
	sink->writer = NULL;
	pfx_tally_fini(&sink->tally);
	return sink->pack ? pfx_pack_restart(sink->pack, err) : 0;
}

void pfx_sink_fini(struct pfx_sink *sink)
{
	pfx_writer_free(sink->writer);
	pfx_tally_fini(&sink->tally);
	pfx_pack_free(sink->pack);
	pfx_buffer_fini(&sink->packed);
	pfx_offcpu_free(sink->offcpu);
	pfx_buffer_fini(&sink->made);
	pfx_carry_fini(&sink->carry);
	*sink = (struct pfx_sink){0};
}
