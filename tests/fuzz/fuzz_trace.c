/* SPDX-License-Identifier: MIT */
/*
 * Tracing data and the bytes of events. An input that begins like tracing data is taken as that,
 * and its end as the bytes of each event in it. Any other input is one event:
 *
 *	u8 how (1: big endian, 2: 32 bits), u8 number of bytes, bytes, format text
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "trace/format.h"
#include "unit/trace/trace_make.h"

#define IDS       1024
#define ID        1
#define RAW_BYTES 100

/* What one event prints is bounded, whatever its format asks for: some times the biggest format. */
#define TEXT_MAX (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *symbol(void *ctx, uint64_t addr, uint64_t *ret_start)
{
	*ret_start = addr & ~0xfffull;
	return addr >> 63 ? "function" : NULL;
}

static void print(struct pfx_trace *trace, uint64_t id, const uint8_t *raw, size_t size)
{
	const struct pfx_trace_ask ask = {id, "pid"};
	struct pfx_str text = {0};
	uint64_t number;

	pfx_trace_fields(trace, id, &text);
	pfx_str_clear(&text);
	pfx_trace_print(trace, id, raw, size, &text);
	if (text.len > TEXT_MAX)
		abort();
	pfx_trace_number(trace, &ask, raw, size, &number);
	pfx_str_fini(&text);
}

/* Tracing data with one event. */
static struct pfx_buffer make_blob(uint8_t how, const struct pfx_buffer *format)
{
	const struct make_trace make = {
		.big = how & 1,
		.long_size = how & 2 ? 4 : 8,
		.format = format->at,
		.size = format->len,
		.strings = "0xffffffff81000000 : \"text\"\n",
	};

	return make_trace(&make);
}

static void one_event(const uint8_t *data, size_t size)
{
	static const char head[] = "name: e\nID: 1\nformat:\n";
	struct pfx_buffer format = {0}, blob;
	struct pfx_trace *trace;
	size_t nr = data[1];

	if (nr > size - 2)
		nr = size - 2;
	pfx_buffer_bytes(&format, head, sizeof(head) - 1);
	pfx_buffer_bytes(&format, data + 2 + nr, size - 2 - nr);
	blob = make_blob(data[0], &format);
	if (pfx_trace_open(&trace, blob.at, blob.len, NULL))
		abort();
	pfx_trace_set_symbols(trace, symbol, NULL);
	print(trace, ID, data + 2, nr);
	print(trace, ID, data, size);
	pfx_trace_free(trace);
	pfx_buffer_fini(&blob);
	pfx_buffer_fini(&format);
}

static void all_events(const uint8_t *data, size_t size)
{
	size_t nr = size < RAW_BYTES ? size : RAW_BYTES;
	struct pfx_trace *trace;
	uint64_t id;

	if (pfx_trace_open(&trace, data, size, NULL))
		return;
	for (id = 0; id < IDS; id++)
		if (pfx_trace_event_name(trace, id))
			print(trace, id, data + size - nr, nr);
	pfx_trace_free(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == trace_magic[0])
		all_events(data, size);
	else if (size >= 2)
		one_event(data, size);
	return 0;
}
