/* SPDX-License-Identifier: MIT */
/*
 * Who the CPU below us is. This is one of the few files that depend on the CPU that it is compiled
 * for: x86 tells it by an instruction, all others by files of the kernel. Knows nothing about
 * events.
 */
#include "arch/cpuid.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/io.h"

bool pfx_cpuid_has_dies(const char *machine)
{
	return machine && (!strcmp(machine, "x86_64") || !strcmp(machine, "i686") ||
			   !strcmp(machine, "s390x"));
}

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

bool pfx_cpuid_clock_ratio(uint32_t *n, uint32_t *d)
{
	unsigned eax, ebx, ecx, edx;

	*n = *d = 0;
	if (!__get_cpuid(0x15, &eax, &ebx, &ecx, &edx))
		return false;
	*n = ebx;
	*d = eax;
	return true;
}

double pfx_cpuid_tsc_hz(void)
{
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid(0x15, &eax, &ebx, &ecx, &edx) || !eax)
		return 0;
	return (double)ecx * ebx / eax;
}

uint64_t pfx_cpu_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/*
 * Leaf 0: the vendor's name in ebx, edx, ecx. Leaf 1, eax: stepping in bits 0-3, model 4-7, family
 * 8-11, extended model 16-19, extended family 20-27 (counts when the family is 15).
 */
bool pfx_cpuid_host(const char *root, char *out, size_t size)
{
	unsigned eax, ebx, ecx, edx, family, model;
	char vendor[13] = "";

	(void)root;
	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return false;
	memcpy(vendor, &ebx, 4);
	memcpy(vendor + 4, &edx, 4);
	memcpy(vendor + 8, &ecx, 4);
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return false;
	family = eax >> 8 & 0xf;
	model = eax >> 4 & 0xf;
	if (family >= 6)
		model |= (eax >> 16 & 0xf) << 4;
	if (family == 15)
		family += eax >> 20 & 0xff;
	snprintf(out, size, "%s,%u,%u,%u", vendor, family, model, eax & 0xf);
	return true;
}

#else

bool pfx_cpuid_clock_ratio(uint32_t *n, uint32_t *d)
{
	*n = *d = 0;
	return false;
}

double pfx_cpuid_tsc_hz(void)
{
	return 0;
}

uint64_t pfx_cpu_ticks(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The value behind "KEY :" in a file below the root, up to the end of its line. */
__attribute__((unused)) static bool file_key(const char *root, const char *file, const char *key,
					     char *out, size_t size)
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

#if defined(__aarch64__)

bool pfx_cpuid_host(const char *root, char *out, size_t size)
{
	char *path = pfx_strfmt("%s/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
				root ? root : "");
	uint64_t midr;
	int rc = pfx_read_u64(path, &midr);

	free(path);
	if (rc)
		return false;
	snprintf(out, size, "0x%016llx", (unsigned long long)midr);
	return true;
}

#elif defined(__powerpc__)

/* "revision : 2.2 (pvr 004e 1202)" */
bool pfx_cpuid_host(const char *root, char *out, size_t size)
{
	unsigned version, revision;
	char line[256], *pvr;

	if (!file_key(root, "/proc/cpuinfo", "revision", line, sizeof(line)))
		return false;
	pvr = strstr(line, "pvr ");
	if (!pvr || sscanf(pvr, "pvr %x %x", &version, &revision) != 2)
		return false;
	snprintf(out, size, "%u,%u", version, revision);
	return true;
}

#elif defined(__s390__)

bool pfx_cpuid_host(const char *root, char *out, size_t size)
{
	char maker[64], type[64], capacity[64], model[64], counters[128];
	unsigned authorization = 0;
	char version[32] = "", *at;

	if (!file_key(root, "/proc/sysinfo", "Manufacturer", maker, sizeof(maker)) ||
	    !file_key(root, "/proc/sysinfo", "Type", type, sizeof(type)) ||
	    !file_key(root, "/proc/sysinfo", "Model Capacity", capacity, sizeof(capacity)))
		return false;
	if (!file_key(root, "/proc/sysinfo", "Model", model, sizeof(model)))
		model[0] = '\0';
	model[strcspn(model, " ")] = '\0';
	capacity[strcspn(capacity, " ")] = '\0';
	if (file_key(root, "/proc/service_levels", "CPU-MF: Counter facility", counters,
		     sizeof(counters)) &&
	    (at = strstr(counters, "version=")) &&
	    sscanf(at, "version=%31s authorization=%x", version, &authorization) == 2)
		snprintf(out, size, "%s,%s,%s,%s,%s,%03x", maker, type, model, capacity, version,
			 authorization);
	else
		snprintf(out, size, "%s,%s,%s,%s", maker, type, model, capacity);
	return true;
}

#elif defined(__riscv)

bool pfx_cpuid_host(const char *root, char *out, size_t size)
{
	char vendor[64], arch[64], impl[64];

	if (!file_key(root, "/proc/cpuinfo", "mvendorid", vendor, sizeof(vendor)) ||
	    !file_key(root, "/proc/cpuinfo", "marchid", arch, sizeof(arch)) ||
	    !file_key(root, "/proc/cpuinfo", "mimpid", impl, sizeof(impl)))
		return false;
	snprintf(out, size, "%s-%s-%s", vendor, arch, impl);
	return true;
}

#else

/* The model as the kernel names it, which is all there is. */
bool pfx_cpuid_host(const char *root, char *out, size_t size)
{
	return file_key(root, "/proc/cpuinfo", "model name", out, size) ||
	       file_key(root, "/proc/cpuinfo", "Model Name", out, size) ||
	       file_key(root, "/proc/cpuinfo", "cpu model", out, size);
}

#endif
#endif
