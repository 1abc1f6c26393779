/* SPDX-License-Identifier: MIT */
/* The identity of the CPU that pfx runs on, as the host's row reads it; knows no CPU itself. */
#include "arch/cpuid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch_internal.h"
#include "base/alloc.h"
#include "base/io.h"

bool pfx_cpuid_has_dies(const char *machine)
{
	const struct pfx_arch *arch = pfx_arch_find(machine);

	return arch && arch->has_dies;
}

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

/* The model as the kernel names it. */
static bool model_name(const char *root, char *out, size_t size)
{
	return pfx_cpuid_file_key(root, "/proc/cpuinfo", "model name", out, size) ||
	       pfx_cpuid_file_key(root, "/proc/cpuinfo", "Model Name", out, size) ||
	       pfx_cpuid_file_key(root, "/proc/cpuinfo", "cpu model", out, size);
}

bool pfx_cpuid_host(const char *root, char *out, size_t size)
{
	const struct pfx_arch *host = pfx_arch_host();

	return host && host->cpuid ? host->cpuid(root, out, size) : model_name(root, out, size);
}
