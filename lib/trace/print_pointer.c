/* SPDX-License-Identifier: MIT */
/*
 * %p with the extensions of the kernel's printf: names of functions, network and hardware
 * addresses, UUIDs. The bytes of the latter are in the record; all other values are addresses.
 */
#include <string.h>

#include "base/cursor.h"
#include "trace/print_internal.h"

/* Address families, the same in every Linux. */
#define FAMILY_IPV4 2
#define FAMILY_IPV6 10

/* Plain %p, and addresses without a function: as printf. */
static void print_plain(const struct pfx_print_piece *piece, uint64_t addr, struct pfx_str *to)
{
	struct pfx_print_piece own = *piece;

	own.conv = 'x';
	own.size = 2;
	own.alt = true;
	own.has_precision = false;
	if (addr)
		pfx_print_number(&own, addr, to);
	else
		pfx_print_padded(&own, "(nil)", 5, to);
}

static void print_function(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
			   uint64_t addr, struct pfx_str *to)
{
	const struct pfx_trace *trace = event->trace;
	uint64_t start = addr;
	const char *name = trace->symbol ? trace->symbol(trace->symbol_ctx, addr, &start) : NULL;

	if (!name) {
		pfx_str_addn(to, "0x", 2);
		pfx_str_hex(to, addr, 0);
		return;
	}
	pfx_str_add_foreign(to, name);
	if (piece->sub[0] == 's' || piece->sub[0] == 'f')
		return;
	pfx_str_addn(to, "+0x", 3);
	pfx_str_hex(to, addr - start, 0);
}

/* Whether the bytes are present; else prints a replacement text. */
static bool has(struct pfx_field_bytes bytes, size_t size, const char *what, struct pfx_str *to)
{
	if (bytes.size >= size)
		return true;
	pfx_str_add(to, "INVALID");
	pfx_str_add(to, what);
	return false;
}

/* "fe:dc" */
static void print_mac(const char *sub, struct pfx_field_bytes bytes, struct pfx_str *to)
{
	bool reverse = strchr(sub, 'R') != NULL;
	size_t i;

	if (!has(bytes, 6, "MAC", to))
		return;
	for (i = 0; i < 6; i++) {
		if (i && sub[0] == 'M')
			pfx_str_addc(to, strchr(sub, 'F') ? '-' : ':');
		pfx_str_hex0(to, bytes.at[reverse ? 5 - i : i], 2);
	}
}

/* In the order of the bytes, or (l and L) with the first three groups in little-endian order. */
static void print_uuid(const char *sub, struct pfx_field_bytes bytes, struct pfx_str *to)
{
	static const uint8_t plain[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	static const uint8_t little[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	const uint8_t *order = (sub[1] | 32) == 'l' ? little : plain;
	bool upper = sub[1] == 'B' || sub[1] == 'L';
	size_t i;

	if (!has(bytes, 16, "UUID", to))
		return;
	for (i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			pfx_str_addc(to, '-');
		pfx_str_addf(to, upper ? "%02X" : "%02x", bytes.at[order[i]]);
	}
}

/* "127.0.0.1"; three digits each for %pi4 */
static void print_ipv4(bool is_wide, const uint8_t *at, struct pfx_str *to)
{
	size_t i;

	for (i = 0; i < 4; i++) {
		if (i)
			pfx_str_addc(to, '.');
		if (is_wide)
			pfx_str_addf(to, "%03u", at[i]);
		else
			pfx_str_u64(to, at[i], 0);
	}
}

static unsigned group_of(const uint8_t *at, size_t i)
{
	return (unsigned)at[2 * i] << 8 | at[2 * i + 1];
}

/* The longest run of zero groups, of more than one. */
static size_t longest_zeros(const uint8_t *at, size_t nr, size_t *ret_len)
{
	size_t i, run = 0, best = 0;

	*ret_len = 1;
	for (i = 0; i < nr; i++) {
		run = group_of(at, i) ? 0 : run + 1;
		if (run > *ret_len) {
			*ret_len = run;
			best = i + 1 - run;
		}
	}
	return *ret_len > 1 ? best : nr + 1;
}

/* "fe80::1": zeros omitted, an embedded IPv4 address in its own notation. */
static void print_ipv6_short(const uint8_t *at, struct pfx_str *to)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool has_ipv4 = !memcmp(at, mapped, sizeof(mapped)) ||
			(group_of(at, 4) == 0 && group_of(at, 5) == 0x5efe);
	size_t nr = has_ipv4 ? 6 : 8, zeros, start = longest_zeros(at, nr, &zeros), i;
	bool needs_colon = false;

	for (i = 0; i < nr; i++) {
		if (i == start) {
			pfx_str_add(to, needs_colon || !i ? "::" : ":");
			i += zeros - 1;
			needs_colon = false;
			continue;
		}
		if (needs_colon)
			pfx_str_addc(to, ':');
		pfx_str_hex(to, group_of(at, i), 0);
		needs_colon = true;
	}
	if (!has_ipv4)
		return;
	if (needs_colon)
		pfx_str_addc(to, ':');
	print_ipv4(false, at + 12, to);
}

/* @kind is the 'I' or 'i' in the format. */
static void print_ipv6(char kind, bool is_short, const uint8_t *at, struct pfx_str *to)
{
	size_t i;

	if (is_short) {
		print_ipv6_short(at, to);
		return;
	}
	for (i = 0; i < 8; i++) {
		if (i && kind == 'I')
			pfx_str_addc(to, ':');
		pfx_str_hex0(to, group_of(at, i), 4);
	}
}

/* A struct sockaddr: the family in host byte order, the port in network byte order. */
static void print_sockaddr(const struct pfx_event_bytes *event, const char *sub,
			   struct pfx_field_bytes bytes, struct pfx_str *to)
{
	bool has_port = strchr(sub + 2, 'p') != NULL, is_short = strchr(sub + 2, 'c') != NULL;
	unsigned family = bytes.size < 2 ? 0 : pfx_load16(bytes.at, event->trace->blob.swap);

	if (family == FAMILY_IPV4) {
		if (!has(bytes, 8, "IPv4", to))
			return;
		print_ipv4(sub[0] == 'i', bytes.at + 4, to);
	} else if (family == FAMILY_IPV6) {
		if (!has(bytes, 28, "IPv6", to))
			return;
		if (has_port)
			pfx_str_addc(to, '[');
		print_ipv6(sub[0], is_short, bytes.at + 8, to);
		if (has_port)
			pfx_str_addc(to, ']');
	} else {
		return;
	}
	if (has_port)
		pfx_str_addf(to, ":%u", group_of(bytes.at, 1));
}

static void print_network(const struct pfx_event_bytes *event, const char *sub,
			  struct pfx_field_bytes bytes, struct pfx_str *to)
{
	if (sub[1] == 'S')
		print_sockaddr(event, sub, bytes, to);
	else if (sub[1] == '4' && has(bytes, 4, "IPv4", to))
		print_ipv4(sub[0] == 'i', bytes.at, to);
	else if (sub[1] == '6' && has(bytes, 16, "IPv6", to))
		print_ipv6(sub[0], sub[2] == 'c', bytes.at, to);
}

/* Print the bytes of a field in the record. */
static void print_place(const struct pfx_event_bytes *event, const char *sub,
			const struct pfx_node *place, struct pfx_str *to)
{
	struct pfx_field_bytes bytes = pfx_event_field(event, place->field);

	if (sub[0] == 'U')
		print_uuid(sub, bytes, to);
	else if (sub[0] == 'M' || sub[0] == 'm')
		print_mac(sub, bytes, to);
	else
		print_network(event, sub, bytes, to);
}

/* "%*pbl": the width is the number of bits. */
static void print_mask(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
		       struct pfx_field_bytes bytes, struct pfx_str *to)
{
	size_t wanted = piece->width > 0 ? ((size_t)piece->width + 7) / 8 : bytes.size;

	if (wanted < bytes.size)
		bytes.size = wanted;
	if (piece->sub[1] == 'l')
		pfx_print_mask_list(event, bytes, to);
	else
		pfx_print_mask(event, bytes, to);
}

void pfx_print_pointer(const struct pfx_event_bytes *event, const struct pfx_print_piece *piece,
		       struct pfx_str *to)
{
	const struct pfx_node *place = pfx_node_place(piece->arg);
	const char *sub = piece->sub;

	if (sub[0] && strchr("SsFfB", sub[0]))
		print_function(event, piece, pfx_node_value(event, piece->arg), to);
	else if (sub[0] && strchr("UMmIi", sub[0]) && place)
		print_place(event, sub, place, to);
	else if (sub[0] == 'b' && place)
		print_mask(event, piece, pfx_event_field(event, place->field), to);
	else
		print_plain(piece, pfx_node_value(event, piece->arg), to);
}
