/* SPDX-License-Identifier: MIT */
/* The identity of the CPU that pfx runs on, through the host's row. */
#include "arch/cpuid.h"

#include <string.h>

#include "arch/arch_internal.h"

bool pfx_cpuid_has_dies(const char *machine)
{
	const struct pfx_arch *arch = pfx_arch_find(machine);

	return arch && arch->has_dies;
}

bool pfx_cpuid_precise_has_guests(const char *id)
{
	return !strncmp(id, "AuthenticAMD,", 13) || !strncmp(id, "HygonGenuine,", 13);
}

/* The model name from the kernel. */
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
