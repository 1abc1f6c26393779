/* SPDX-License-Identifier: MIT */
/* Fields of protobuf messages, appended to a string. A message in another one is made in a string
 * of its own and appended as bytes. Numbers and texts that are 0 or empty are left out, as in
 * proto3. */
#ifndef PFX_EXPORT_OUTPUT_PROTOBUF_H
#define PFX_EXPORT_OUTPUT_PROTOBUF_H

#include <stdint.h>

#include "base/str.h"

/* A varint; signed numbers are not needed. */
void pfx_protobuf_number(struct pfx_str *to, unsigned field, uint64_t number);
/* Bytes are written even if there are none: elements of repeated fields. */
void pfx_protobuf_bytes(struct pfx_str *to, unsigned field, const void *data, size_t size);
/* The message, which is cleared. */
void pfx_protobuf_message(struct pfx_str *to, unsigned field, struct pfx_str *message);
/* The key and the size of a message of @size bytes, which the caller appends. */
void pfx_protobuf_open(struct pfx_str *to, unsigned field, uint64_t size);
/* The bytes that pfx_protobuf_open() appends. */
size_t pfx_protobuf_open_size(unsigned field, uint64_t size);
/* A fixed64; zero is left out. */
void pfx_protobuf_fixed(struct pfx_str *to, unsigned field, uint64_t number);
/* Repeated fixed64. */
void pfx_protobuf_packed_fixed(struct pfx_str *to, unsigned field, const uint64_t *numbers,
			       size_t nr);
/* Repeated numbers, zeros included; nothing without any. */
void pfx_protobuf_packed(struct pfx_str *to, unsigned field, const uint64_t *numbers, size_t nr);

#endif
