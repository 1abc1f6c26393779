/* SPDX-License-Identifier: MIT */
/* The identity of the CPU that pfx runs on, in the format of the CPUID header feature. */
#ifndef PFX_ARCH_CPUID_H
#define PFX_ARCH_CPUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The CPUID header feature into @out, false when it is unknown. x86: "GenuineIntel,6,85,7" from the
 * cpuid instruction; arm64: the MIDR as 0x and 16 digits; powerpc: version and revision of the PVR;
 * s390: manufacturer, type, capacity, model, counter facility; RISC-V: vendor, architecture and
 * implementation id. All except x86 are read from files below @root ("" or a directory).
 */
bool pfx_cpuid_host(const char *root, char *out, size_t size);

/* Whether precise events of the CPU with this CPUID header feature cannot exclude guests. x86 of
 * AMD and Hygon: IBS samples them, and opening one with exclude_guest fails. */
bool pfx_cpuid_precise_has_guests(const char *id);

/* x86: the ratio of the time stamp counter (*@n) to the crystal clock (*@d), for Intel PT. False,
 * and both zero, if the CPU does not report it. */
bool pfx_cpuid_clock_ratio(uint32_t *n, uint32_t *d);
/* x86: frequency of the time stamp counter in Hz; 0 if the CPU does not report it. */
double pfx_cpuid_tsc_hz(void);
/* A cheap monotonic counter: x86's time stamp counter, nanoseconds on other CPUs. */
uint64_t pfx_cpu_ticks(void);

/* Whether machines with this name (as in uname) have dies between package and core. */
bool pfx_cpuid_has_dies(const char *machine);

#endif
