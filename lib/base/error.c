/* SPDX-License-Identifier: MIT */
/* Errors as values. Prints nothing: only commands print. */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void format_text(struct pfx_error *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	err->hint[0] = '\0';
	err->known[0] = '\0';
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int pfx_error_set(struct pfx_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -code;
	va_start(ap, fmt);
	format_text(err, code, fmt, ap);
	va_end(ap);
	return -code;
}

int pfx_error_sys(struct pfx_error *err, int code, const char *fmt, ...)
{
	va_list ap;
	char words[128];
	size_t len;

	if (!err)
		return -code;
	va_start(ap, fmt);
	format_text(err, code, fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s",
		 strerror_r(code, words, sizeof(words)));
	return -code;
}

void pfx_error_hint(struct pfx_error *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
}

void pfx_error_known(struct pfx_error *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(err->known, sizeof(err->known), fmt, ap);
	va_end(ap);
}

#define POINTED_MAX 96 /* longer arguments do not fit into a line of a terminal */

static bool is_plain(const char *words)
{
	size_t i;

	for (i = 0; words[i] >= ' ' && words[i] <= '~'; i++)
		;
	return !words[i] && i < POINTED_MAX;
}

void pfx_error_point(struct pfx_error *err, const char *words, size_t at, const char *more)
{
	if (is_plain(words))
		pfx_error_hint(err, "%s\n%*s^ %s", words, (int)at, "", more);
	else
		pfx_error_hint(err, "%s", more);
}
