/* SPDX-License-Identifier: MIT */
/* Regular expressions that users, files and directories give: compiled only where the C library
 * can. Its regcomp() recurses for each parenthesis, copies what is repeated, and needs memory by
 * the square of the choices, so that an expression of 20 kB ends a program or takes gigabytes. */
#ifndef PFX_BASE_PATTERN_PATTERN_H
#define PFX_BASE_PATTERN_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#define PFX_PATTERN_DEPTH   250    /* parentheses in each other */
#define PFX_PATTERN_PARTS   200000 /* characters and classes, repeated ones as often as they are */
#define PFX_PATTERN_CHOICES 4000   /* | * ? + and {}, repeated ones as often as they are */

/* Compiles @pattern, an extended expression, as regcomp() with REG_EXTENDED and @flags does. False
 * with the reason in @why (NULL: not wanted), an end of a sentence, when it is not valid or above a
 * limit; @ret then holds nothing. The caller frees with regfree(). */
bool pfx_pattern_compile(regex_t *ret, const char *pattern, int flags, char *why, size_t size);

/* The length of the longest beginning of an invalid @pattern that is valid, for a caret; 0 for
 * one above 4 kB. */
size_t pfx_pattern_good_part(const char *pattern);

#endif
