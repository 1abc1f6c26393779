/* SPDX-License-Identifier: MIT */
/*
 * Depends on the CPU that pfx is compiled for. The only file of arch/ with conditional compilation,
 * and only for x86, which has instructions for what other CPUs provide in files.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "arch/arch_internal.h"
#include "arch/cpuid.h"

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
bool pfx_x86_cpuid(const char *root, char *out, size_t size)
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

bool pfx_x86_cpuid(const char *root, char *out, size_t size)
{
	(void)root, (void)out, (void)size;
	return false;
}

#endif
