/* SPDX-License-Identifier: MIT */
/*
 * The identity of this CPU in vendor tables, and its core types. The caller passes the user's
 * choices.
 */
#include "pmu/sysfs/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch/cpuid.h"
#include "base/str.h"
#include "pmu/vendor/vendor_dir.h"

#define DEVICES "bus/event_source/devices"

/* "x86" for "GenuineIntel-6-55-4", else the architecture of @machine. */
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

static bool find_own_cpuid(char *cpuid, size_t size)
{
	struct utsname host;
	char raw[128];

	return !uname(&host) && pfx_cpuid_host(NULL, raw, sizeof(raw)) &&
	       pfx_vendor_cpuid(pfx_vendor_arch(host.machine), raw, cpuid, size);
}

void pfx_pmu_machine_cpu(struct pfx_pmu_machine *machine, const char *cpuid)
{
	bool is_known = true;

	if (cpuid)
		snprintf(machine->cpuid, sizeof(machine->cpuid), "%s", cpuid);
	else
		is_known = find_own_cpuid(machine->cpuid, sizeof(machine->cpuid));
	machine->roots.cpuid = is_known ? machine->cpuid : NULL;
}

int pfx_pmu_machine_dir(struct pfx_pmu_machine *machine, const char *dir, struct pfx_error *err)
{
	const char *cpuid = machine->roots.cpuid;
	struct pfx_vendor_dir *read;
	struct utsname host;
	int rc;

	if (!cpuid || uname(&host))
		return 0;
	rc = pfx_vendor_dir_read(&read, dir, arch_of(cpuid, host.machine), cpuid, err);
	if (rc < 0)
		return rc;
	pfx_vendor_dir_free(machine->dir);
	machine->dir = read;
	machine->roots.vendor = pfx_vendor_dir_cpu(read);
	return rc;
}

int pfx_pmu_machine_cores(struct pfx_pmu_machine *machine, const char *type, struct pfx_error *err)
{
	const char *sysfs = machine->roots.sysfs ? machine->roots.sysfs : "/sys";
	char shown[128], pmu[sizeof(machine->core_pmu)], path[512];

	snprintf(pmu, sizeof(pmu), "cpu_%s", type);
	snprintf(path, sizeof(path), "%s/" DEVICES "/%s/cpus", sysfs, pmu);
	if (!*type || strchr(type, '/') || access(path, F_OK)) {
		pfx_error_set(err, EINVAL, "this machine has no cores of the type '%s'",
			      pfx_escape(shown, sizeof(shown), type));
		pfx_error_hint(err, "on a hybrid machine there are core and atom; others have one "
				    "type, which needs no name");
		return -EINVAL;
	}
	memcpy(machine->core_pmu, pmu, sizeof(pmu));
	machine->roots.core_pmu = machine->core_pmu;
	return 0;
}

void pfx_pmu_machine_fini(struct pfx_pmu_machine *machine)
{
	pfx_vendor_dir_free(machine->dir);
	*machine = (struct pfx_pmu_machine){0};
}
