/* SPDX-License-Identifier: MIT */
/*
 * Where event names are looked up: the machine's sysfs and tracefs, and the vendor events of its
 * CPU, or of the one in PFX_CPUID. Reads the environment; all else is in pmu/sysfs/machine.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/app/commands.h"
#include "pmu/sysfs/machine.h"

static struct pfx_pmu_machine machine;

/* Use vendor events from the directory of $PFX_PMU_EVENTS, or from the user's configuration
 * directory. Otherwise the built-in tables are used. */
static void use_directory(void)
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
	if (pfx_pmu_machine_dir(&machine, asked ? asked : kept, &err) < 0)
		pfx_print_note("events", "%s", err.text);
}

int pfx_cmd_choose_cores(const char *type, struct pfx_error *err)
{
	return pfx_pmu_machine_cores(&machine, type, err);
}

const struct pfx_pmu_roots *pfx_cmd_pmu_roots(void)
{
	const char *asked = getenv("PFX_CPUID");

	if (machine.roots.cpuid)
		return &machine.roots;
	pfx_pmu_machine_cpu(&machine, asked && *asked ? asked : NULL);
	use_directory();
	return &machine.roots;
}
