/* SPDX-License-Identifier: MIT */
/* Numbers as printf writes them, without stdio, and texts with width and precision. */
#include <string.h>

#include "trace/print_internal.h"

/* Bytes of one number: 22 octal digits, or the precision. */
#define DIGITS_MAX 1100

static uint64_t cut(int size, uint64_t v, bool is_signed)
{
	switch (size) {
	case -2:
		return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case -1:
		return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 0:
		return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	default:
		return v;
	}
}

static const char *sign_of(const struct pfx_print_piece *piece, bool is_signed, bool is_negative,
			   uint64_t v)
{
	if (piece->alt && v && piece->conv == 'x')
		return "0x";
	if (piece->alt && v && piece->conv == 'X')
		return "0X";
	if (!is_signed)
		return "";
	return is_negative ? "-" : piece->plus ? "+" : piece->space ? " " : "";
}

/* Digits up to @end; returns the first. */
static char *add_digits(const struct pfx_print_piece *piece, uint64_t v, char *end)
{
	const char *set = piece->conv == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	int wanted = piece->has_precision ? piece->precision : 1;
	char *at = end;

	if ((piece->conv | 32) == 'x')
		for (; v; v >>= 4)
			*--at = set[v & 15];
	else if (piece->conv == 'o')
		for (; v; v >>= 3)
			*--at = set[v & 7];
	else
		for (; v; v /= 10)
			*--at = set[v % 10];
	if (piece->conv == 'o' && piece->alt && (at == end || *at != '0'))
		wanted = wanted > end - at + 1 ? wanted : (int)(end - at + 1);
	while (end - at < wanted && end - at < DIGITS_MAX)
		*--at = '0';
	return at;
}

void pfx_print_number(const struct pfx_print_piece *piece, uint64_t value, struct pfx_str *to)
{
	bool is_signed = piece->conv == 'd' || piece->conv == 'i', is_negative;
	uint64_t v = cut(piece->size, value, is_signed);
	char digits[DIGITS_MAX + 32], *end = digits + sizeof(digits), *at;
	bool minus = piece->minus || piece->width < 0;
	size_t width = (size_t)(piece->width < 0 ? -piece->width : piece->width), total;
	const char *sign;

	is_negative = is_signed && (int64_t)v < 0;
	if (is_negative)
		v = -v;
	sign = sign_of(piece, is_signed, is_negative, v);
	at = add_digits(piece, v, end);
	total = (size_t)(end - at) + strlen(sign);
	if (width <= total) {
		pfx_str_add(to, sign);
		pfx_str_addn(to, at, (size_t)(end - at));
		return;
	}
	if (!minus && (!piece->zero || piece->has_precision))
		pfx_str_pad(to, ' ', width - total);
	pfx_str_add(to, sign);
	if (!minus && piece->zero && !piece->has_precision)
		pfx_str_pad(to, '0', width - total);
	pfx_str_addn(to, at, (size_t)(end - at));
	if (minus)
		pfx_str_pad(to, ' ', width - total);
}

void pfx_print_padded(const struct pfx_print_piece *piece, const char *text, size_t len,
		      struct pfx_str *to)
{
	size_t width = (size_t)(piece->width < 0 ? -piece->width : piece->width), pad;
	bool minus = piece->minus || piece->width < 0;

	if (piece->has_precision && piece->precision >= 0 && len > (size_t)piece->precision)
		len = (size_t)piece->precision;
	pad = width > len ? width - len : 0;
	if (pad && !minus)
		pfx_str_pad(to, ' ', pad);
	pfx_str_add_escaped(to, text, len);
	if (pad && minus)
		pfx_str_pad(to, ' ', pad);
}
