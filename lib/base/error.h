/* SPDX-License-Identifier: MIT */
/*
 * How the library tells what went wrong.
 *
 * Every function that touches the outside world or foreign bytes returns a negative errno and fills
 * a struct pfx_error that its caller owns. `text` is one sentence, lower case, without a full stop,
 * that names the object in 'quotes'; `hint` says what the user can do, or is empty. Only cmd/
 * prints.
 *
 * Codes: EINVAL the user's words; EBADMSG malformed bytes; ENODATA cut short; EPROTONOSUPPORT newer
 * than we know; ENOTSUP not built in; EFBIG over a limit; all others as the kernel gave them.
 */
#ifndef PFX_BASE_ERROR_H
#define PFX_BASE_ERROR_H

#include <stddef.h>

struct pfx_error {
	int code;       /* positive errno, 0 while nothing failed */
	char text[512]; /* the sentence */
	char hint[512]; /* what to do, or "" */
};

/* Fill @err (which may be NULL) and return -@code, so that callers can `return pfx_error_set(...)`.
 */
int pfx_error_set(struct pfx_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the system's words for @code behind the text. */
int pfx_error_sys(struct pfx_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Set the hint of an error that is already set. */
void pfx_error_hint(struct pfx_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same with the user's @words and a caret below the place @at in them, in front of @more; long
 * or odd words are left out, the caret would stand elsewhere on a screen. */
void pfx_error_point(struct pfx_error *err, const char *words, size_t at, const char *more);

#endif
