/* SPDX-License-Identifier: MIT */
/* A background is light if it is nearer to white than to black. */
#include "screen/cells/background.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 4 /* of a colour */

bool pfx_background_can_ask(const char *term)
{
	static const char *const types[] = {"xterm", "screen",  "tmux",    "rxvt",    "alacritty",
					    "foot",  "kitty",   "konsole", "gnome",   "vte",
					    "st-",   "wezterm", "mintty",  "contour", "iterm"};
	size_t i;

	for (i = 0; term && i < sizeof(types) / sizeof(*types); i++)
		if (!strncmp(term, types[i], strlen(types[i])))
			return true;
	return false;
}

/* A colour of one to four hexadecimal digits, as a part of 1. */
static bool take_part(const char **at, double *ret)
{
	static const char hex[] = "0123456789abcdefABCDEF";
	size_t len = strspn(*at, hex);
	char digits[DIGITS_MAX + 1] = "";

	if (!len || len > DIGITS_MAX)
		return false;
	memcpy(digits, *at, len);
	*ret = (double)strtoul(digits, NULL, 16) / (double)((1ul << 4 * len) - 1);
	*at += len;
	*at += **at == '/';
	return true;
}

enum pfx_background pfx_background_of_answer(const char *answer)
{
	const char *at = strstr(answer, "rgb");
	double red, green, blue;

	if (strncmp(answer, "11;", 3) != 0 || !at)
		return PFX_BACKGROUND_UNKNOWN;
	at += strcspn(at, ":");
	at += *at == ':';
	if (!take_part(&at, &red) || !take_part(&at, &green) || !take_part(&at, &blue))
		return PFX_BACKGROUND_UNKNOWN;
	return 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 ? PFX_BACKGROUND_LIGHT
							    : PFX_BACKGROUND_DARK;
}

enum pfx_background pfx_background_of_colours(const char *colours)
{
	const char *last = colours ? strrchr(colours, ';') : NULL;
	char *end;
	unsigned long number;

	if (!last || !last[1])
		return PFX_BACKGROUND_UNKNOWN;
	number = strtoul(last + 1, &end, 10);
	if (*end || number > 15)
		return PFX_BACKGROUND_UNKNOWN;
	return number == 7 || number == 15 ? PFX_BACKGROUND_LIGHT : PFX_BACKGROUND_DARK;
}
