/* SPDX-License-Identifier: MIT */
/* The identity of the CPU that this program runs on, in the words of the recording's header. */
#ifndef PFX_ARCH_CPUID_H
#define PFX_ARCH_CPUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The CPUID feature into @out, false when it is unknown. x86: "GenuineIntel,6,85,7" from the
 * instruction; arm64 the MIDR as 0x and 16 digits; powerpc version and revision of the PVR; s390
 * manufacturer, type, capacity, model, counter facility; RISC-V vendor, architecture and
 * implementation id. All but x86 are read from files below @root ("" or a directory).
 */
bool pfx_cpuid_host(const char *root, char *out, size_t size);

/* x86: how many ticks of the time stamp counter (*@n) make *@d of the crystal clock that Intel PT
 * counts. False, and both zero, where the CPU does not report it. */
bool pfx_cpuid_clock_ratio(uint32_t *n, uint32_t *d);
/* x86: ticks of the time stamp counter in a second; 0 where the CPU does not report it. */
double pfx_cpuid_tsc_hz(void);
/* A number that grows with time and is cheap to read: x86's time stamp counter, nanoseconds on
 * other CPUs. */
uint64_t pfx_cpu_ticks(void);

/* Whether machines of this name (as uname gives it) have dies between package and core. */
bool pfx_cpuid_has_dies(const char *machine);

#endif
