/* SPDX-License-Identifier: MIT */
/* Varints and keys of fields, from the description of protobuf's wire format. */
#include "export/output/protobuf.h"

enum { WIRE_VARINT = 0, WIRE_FIXED = 1, WIRE_BYTES = 2 };

static void add_varint(struct pfx_str *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		pfx_str_addc(to, (char)(number | 0x80));
	pfx_str_addc(to, (char)number);
}

static void add_key(struct pfx_str *to, unsigned field, unsigned wire)
{
	add_varint(to, (uint64_t)field << 3 | wire);
}

static size_t varint_size(uint64_t number)
{
	size_t size = 1;

	for (; number >= 0x80; number >>= 7)
		size++;
	return size;
}

void pfx_protobuf_number(struct pfx_str *to, unsigned field, uint64_t number)
{
	if (!number)
		return;
	add_key(to, field, WIRE_VARINT);
	add_varint(to, number);
}

void pfx_protobuf_bytes(struct pfx_str *to, unsigned field, const void *data, size_t size)
{
	add_key(to, field, WIRE_BYTES);
	add_varint(to, size);
	if (size)
		pfx_str_addn(to, data, size);
}

void pfx_protobuf_message(struct pfx_str *to, unsigned field, struct pfx_str *message)
{
	pfx_protobuf_bytes(to, field, message->at, message->len);
	pfx_str_clear(message);
}

void pfx_protobuf_packed(struct pfx_str *to, unsigned field, const uint64_t *numbers, size_t nr)
{
	size_t i, size = 0;

	if (!nr)
		return;
	for (i = 0; i < nr; i++)
		size += varint_size(numbers[i]);
	add_key(to, field, WIRE_BYTES);
	add_varint(to, size);
	for (i = 0; i < nr; i++)
		add_varint(to, numbers[i]);
}

void pfx_protobuf_open(struct pfx_str *to, unsigned field, uint64_t size)
{
	add_key(to, field, WIRE_BYTES);
	add_varint(to, size);
}

size_t pfx_protobuf_open_size(unsigned field, uint64_t size)
{
	return varint_size((uint64_t)field << 3) + varint_size(size);
}

static void add_fixed(struct pfx_str *to, uint64_t number)
{
	unsigned i;

	for (i = 0; i < 64; i += 8)
		pfx_str_addc(to, (char)(number >> i));
}

void pfx_protobuf_fixed(struct pfx_str *to, unsigned field, uint64_t number)
{
	if (!number)
		return;
	add_key(to, field, WIRE_FIXED);
	add_fixed(to, number);
}

void pfx_protobuf_packed_fixed(struct pfx_str *to, unsigned field, const uint64_t *numbers,
			       size_t nr)
{
	size_t i;

	if (!nr)
		return;
	pfx_protobuf_open(to, field, 8 * nr);
	for (i = 0; i < nr; i++)
		add_fixed(to, numbers[i]);
}
