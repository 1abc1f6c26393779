/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as one event's attr and the records that follow it: decoded, dumped, and encoded again.
 * What was decoded once and encoded must come back the same however often that is done, and by way
 * of the other byte order too. The first byte says which order the bytes are in.
 */
#include <stdlib.h>

#include "event/attr.h"
#include "event/dump.h"
#include "event/meta.h"
#include "event/sample.h"

#define RECORDS_MAX 64
/* Of an MMAP2, all protections that exist. Others are taken for a name in one of the orders. */
#define PROT_KNOWN 0x030000ffu

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decode and encode in @to's byte order. False where either is refused. */
static bool convert(const uint8_t *bytes, bool swap, const struct pfx_attr *attr,
		    struct pfx_buffer *to)
{
	static struct pfx_sample sample;
	static struct pfx_body body;
	struct pfx_record rec;

	pfx_record_init(&rec, bytes, swap, 0);
	if (rec.type == PFX_RECORD_SAMPLE)
		return pfx_sample_decode(&rec, attr, &sample) &&
		       pfx_sample_encode(&sample, attr, to);
	if (pfx_record_decode(&rec, attr, &body, NULL))
		return false;
	if (rec.type == PFX_RECORD_MMAP2 && body.mmap.prot & ~PROT_KNOWN)
		return false;
	return pfx_record_encode(&body, attr, to);
}

static void same(const struct pfx_buffer *a, const struct pfx_buffer *b)
{
	if (a->len != b->len || memcmp(a->at, b->at, a->len))
		abort();
}

static void round_trip(const uint8_t *bytes, bool swap, const struct pfx_attr *attr)
{
	struct pfx_buffer first = {.swap = swap}, again = {.swap = swap};
	struct pfx_buffer other = {.swap = !swap}, back = {.swap = swap};

	if (convert(bytes, swap, attr, &first)) {
		if (!convert(first.at, swap, attr, &again) ||
		    !convert(first.at, swap, attr, &other) ||
		    !convert(other.at, !swap, attr, &back))
			abort();
		same(&first, &again);
		same(&first, &back);
	}
	pfx_buffer_fini(&first);
	pfx_buffer_fini(&again);
	pfx_buffer_fini(&other);
	pfx_buffer_fini(&back);
}

/* All that reads the record's bytes: finding its event, and the dump. */
static void look(struct pfx_meta *meta, const uint8_t *bytes, bool swap)
{
	struct pfx_str text = {0};
	struct pfx_record rec;

	pfx_record_init(&rec, bytes, swap, 0);
	if (rec.type && rec.type < PFX_RECORD_KERNEL_MAX)
		pfx_meta_identify(meta, &rec);
	pfx_dump_record(&rec, NULL, &text);
	if (!text.len)
		abort();
	pfx_str_fini(&text);
}

static void attr_round_trip(const struct pfx_attr *attr, bool swap)
{
	struct pfx_buffer first = {.swap = swap}, other = {.swap = !swap}, back = {.swap = swap};
	struct pfx_attr got;

	pfx_attr_encode(attr, &first);
	if (pfx_attr_decode(first.at, first.len, swap, &got, NULL) != (int)first.len)
		abort();
	pfx_attr_encode(&got, &other);
	if (pfx_attr_decode(other.at, other.len, !swap, &got, NULL) != (int)other.len)
		abort();
	pfx_attr_encode(&got, &back);
	same(&first, &back);
	pfx_buffer_fini(&first);
	pfx_buffer_fini(&other);
	pfx_buffer_fini(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool swap = size && data[0] & 1;
	struct pfx_cursor c = pfx_cursor_make(data, size, swap);
	struct pfx_meta *meta;
	struct pfx_attr attr;
	int used, nr = 0;

	pfx_cursor_skip(&c, 1);
	used = pfx_attr_decode(c.at, pfx_cursor_left(&c), swap, &attr, NULL);
	if (used < 0)
		return 0;
	pfx_cursor_skip(&c, (size_t)used);
	attr_round_trip(&attr, swap);
	meta = pfx_meta_new();
	meta->swap = swap;
	pfx_meta_add_event(meta, &attr, NULL);
	pfx_meta_update(meta);
	while (pfx_cursor_left(&c) >= PFX_RECORD_HEADER_SIZE && nr++ < RECORDS_MAX) {
		uint16_t bytes = pfx_load16(c.at + 6, swap);
		const uint8_t *at;

		if (bytes < PFX_RECORD_HEADER_SIZE)
			break;
		at = pfx_cursor_bytes(&c, bytes);
		if (!at)
			break;
		look(meta, at, swap);
		round_trip(at, swap, &attr);
	}
	pfx_meta_free(meta);
	return 0;
}
