/* SPDX-License-Identifier: MIT */
/* Builds tracing data: one event of the system "s", whose file `format` the test writes. */
#ifndef PFX_TESTS_TRACE_MAKE_H
#define PFX_TESTS_TRACE_MAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

static const uint8_t trace_magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

struct make_trace {
	bool big;          /* the machine's byte order */
	uint8_t long_size; /* of a long, in bytes */
	const void *format;
	size_t size;
	const char *strings; /* of printk formats; NULL: none */
};

/* The caller frees it. */
static inline struct pfx_buffer make_trace(const struct make_trace *make)
{
	struct pfx_buffer b = {.swap = make->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)};
	const char *strings = make->strings ? make->strings : "";

	pfx_buffer_bytes(&b, trace_magic, sizeof(trace_magic));
	pfx_buffer_cstr(&b, "0.6", 1);
	pfx_buffer_u8(&b, make->big);
	pfx_buffer_u8(&b, make->long_size);
	pfx_buffer_u32(&b, 4096);
	pfx_buffer_cstr(&b, "header_page", 1);
	pfx_buffer_u64(&b, 0);
	pfx_buffer_cstr(&b, "header_event", 1);
	pfx_buffer_u64(&b, 0);
	pfx_buffer_u32(&b, 0); /* of ftrace */
	pfx_buffer_u32(&b, 1); /* systems */
	pfx_buffer_cstr(&b, "s", 1);
	pfx_buffer_u32(&b, 1); /* events in it */
	pfx_buffer_u64(&b, make->size);
	pfx_buffer_bytes(&b, make->format, make->size);
	pfx_buffer_u32(&b, 0); /* size of kallsyms */
	pfx_buffer_u32(&b, (uint32_t)strlen(strings));
	pfx_buffer_bytes(&b, strings, strlen(strings));
	pfx_buffer_u64(&b, 0); /* size of saved command lines */
	return b;
}

#endif
