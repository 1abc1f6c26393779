/* SPDX-License-Identifier: MIT */
/*
 * Where event names are looked up: the machine's sysfs and tracefs, and the vendor events of its
 * CPU, or of the one in PFX_CPUID. Reads the environment; all else is in pmu/sysfs/machine.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
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
	if (pfx_pmu_machine_dir(&machine, asked ? asked : kept, &err) != 0)
		pfx_print_note("events", "%s", err.text);
}

int pfx_cmd_choose_cores(const char *type, struct pfx_error *err)
{
	return pfx_pmu_machine_cores(&machine, type, err);
}

/* --debugfs-dir: the folder "tracing" of a debugfs, or a tracefs itself. */
static void use_tracefs(const char *dir)
{
	static const char *const forms[] = {"%s/tracing/events", "%s/events"};
	char *path;
	size_t i;

	for (i = 0; i < 2 && !machine.roots.tracefs; i++) {
		path = pfx_strfmt(forms[i], dir);
		if (!access(path, R_OK | X_OK)) {
			path[strlen(path) - strlen("/events")] = '\0';
			machine.roots.tracefs = path; /* used until the program ends; not freed */
		} else {
			free(path);
		}
	}
}

const struct pfx_pmu_roots *pfx_cmd_pmu_roots(void)
{
	const char *asked = getenv("PFX_CPUID");

	if (machine.roots.cpuid)
		return &machine.roots;
	if (pfx_globals.debugfs_dir && !machine.roots.tracefs)
		use_tracefs(pfx_globals.debugfs_dir);
	pfx_pmu_machine_cpu(&machine, asked && *asked ? asked : NULL);
	use_directory();
	return &machine.roots;
}
