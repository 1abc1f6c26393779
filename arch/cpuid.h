/* SPDX-License-Identifier: MIT */
/* The identity of the CPU that this program runs on, in the words of the recording's header. */
#ifndef PFX_ARCH_CPUID_H
#define PFX_ARCH_CPUID_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The CPUID feature into @out, false when it cannot be told. x86: "GenuineIntel,6,85,7" from the
 * instruction; arm64 the MIDR as 0x and 16 digits; powerpc version and revision of the PVR; s390
 * manufacturer, type, capacity, model; RISC-V vendor, architecture and implementation id. All but
 * x86 are read from files below @root ("" or a directory).
 */
bool pfx_cpuid_host(const char *root, char *out, size_t size);

/* Whether machines of this name (as uname tells it) have dies between package and core. */
bool pfx_cpuid_has_dies(const char *machine);

#endif
