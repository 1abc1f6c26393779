/* SPDX-License-Identifier: MIT */
/* CPUs that tell who they are in a file of the kernel's, as a line "KEY : VALUE". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch_internal.h"
#include "base/alloc.h"
#include "base/io.h"

bool pfx_cpuid_file_key(const char *root, const char *file, const char *key, char *out, size_t size)
{
	char *path = pfx_strfmt("%s%s", root ? root : "", file), *text = NULL, *at;
	bool found = false;
	size_t len;

	if (pfx_read_file(path, 16u << 20, &text, NULL, NULL))
		text = NULL;
	at = text ? strstr(text, key) : NULL;
	at = at ? strpbrk(at, ":=\n") : NULL;
	if (at && *at != '\n') {
		at += 1 + strspn(at + 1, " \t");
		len = strcspn(at, "\n");
		snprintf(out, size, "%.*s", (int)len, at);
		found = len > 0;
	}
	free(text);
	free(path);
	return found;
}
