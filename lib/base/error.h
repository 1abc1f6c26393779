/* SPDX-License-Identifier: MIT */
/*
 * How the library reports errors.
 *
 * Every function that uses the outside world or untrusted bytes returns a negative errno and fills
 * a struct pfx_error that its caller owns. `text` is one sentence, lower case, without a full stop,
 * that names the object in 'quotes'; `hint` says what the user can do, or is empty. Only cmd/
 * prints.
 *
 * Codes: EINVAL invalid user input; EBADMSG malformed bytes; ENODATA truncated data;
 * EPROTONOSUPPORT a format newer than this version supports; ENOTSUP not built in; EFBIG over a
 * limit; all other codes come from the kernel.
 */
#ifndef PFX_BASE_ERROR_H
#define PFX_BASE_ERROR_H

#include <stddef.h>

#include "pfx/common.h" /* struct pfx_error */

/* Fill @err (which may be NULL) and return -@code, so that callers can `return pfx_error_set(...)`.
 */
int pfx_error_set(struct pfx_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, and appends ": " and the system's message for @code. */
int pfx_error_sys(struct pfx_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Set the hint of an error that is already set. */
void pfx_error_hint(struct pfx_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Set the form that other programs know, of an error that is already set. */
void pfx_error_known(struct pfx_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Set a hint: the user's @words, and on the next line a caret below offset @at of the words, then
 * @more. Long words and words with unusual characters are left out, because the caret would not
 * line up. */
void pfx_error_point(struct pfx_error *err, const char *words, size_t at, const char *more);

#endif
