/* SPDX-License-Identifier: MIT */
/*
 * Where event words are looked up: the machine's own sysfs and tracefs, and the vendor events of
 * its CPU, or of the one that PFX_CPUID names.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/cpuid.h"
#include "base/io.h"
#include "base/str.h"
#include "cmd/app/commands.h"
#include "pmu/parse/parse.h"
#include "pmu/vendor/vendor.h"

/* Events of the directory that the user names, or keeps. Without it those of the table do. */
static void use_directory(const char *machine, const char *cpuid)
{
	const char *asked = getenv("PFX_PMU_EVENTS"), *config = getenv("XDG_CONFIG_HOME");
	const char *home = pfx_home();
	struct pfx_error err = {0};
	char kept[512] = "";

	if (config && *config)
		snprintf(kept, sizeof(kept), "%s/pfx/pmu-events", config);
	else if (home)
		snprintf(kept, sizeof(kept), "%s/.config/pfx/pmu-events", home);
	if (!asked && (!*kept || access(kept, F_OK)))
		return;
	if (asked && !*asked)
		return;
	if (pfx_vendor_use_dir(asked ? asked : kept, machine, cpuid, &err) < 0)
		pfx_print_note("events", "%s", err.text);
}

/* "x86" for "GenuineIntel-6-55-4", else of this machine: PFX_CPUID may name any CPU. */
static const char *arch_of(const char *cpuid, const char *machine)
{
	static const struct {
		const char *start, *arch;
	} known[] = {
		{"GenuineIntel", "x86"},
		{"AuthenticAMD", "x86"},
		{"HygonGenuine", "x86"},
		{"IBM,", "s390"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(cpuid, known[i].start, strlen(known[i].start)))
			return known[i].arch;
	if (!strncmp(cpuid, "0x", 2) && strchr(cpuid, '-'))
		return "riscv"; /* vendor, architecture and implementation */
	if (!strncmp(cpuid, "0x00000000", 10) && strlen(cpuid) == 18)
		return "arm64"; /* the MIDR */
	return pfx_vendor_arch(machine);
}

static struct pfx_pmu_roots roots;

int pfx_cmd_choose_cores(const char *type, struct pfx_error *err)
{
	static char pmu[64];
	char shown[128], path[512];

	snprintf(pmu, sizeof(pmu), "cpu_%s", type);
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpus", pmu);
	if (!*type || strchr(type, '/') || access(path, F_OK)) {
		pfx_error_set(err, EINVAL, "this machine has no cores of the type '%s'",
			      pfx_escape(shown, sizeof(shown), type));
		pfx_error_hint(err, "on a hybrid machine there are core and atom; others have one "
				    "type, which needs no name");
		return -EINVAL;
	}
	roots.core_pmu = pmu;
	return 0;
}

const struct pfx_pmu_roots *pfx_cmd_pmu_roots(void)
{
	static char cpuid[128];
	const char *asked = getenv("PFX_CPUID");
	struct utsname host;
	char raw[128];

	if (roots.cpuid)
		return &roots;
	if (asked && *asked)
		roots.cpuid = asked;
	else if (!uname(&host) && pfx_cpuid_host(NULL, raw, sizeof(raw)) &&
		 pfx_vendor_cpuid(pfx_vendor_arch(host.machine), raw, cpuid, sizeof(cpuid)))
		roots.cpuid = cpuid;
	if (roots.cpuid && !uname(&host))
		use_directory(arch_of(roots.cpuid, host.machine), roots.cpuid);
	return &roots;
}
