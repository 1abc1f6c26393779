/* SPDX-License-Identifier: MIT */
/* Accessors of the environment of a recording. */
#include "event/env.h"

#include <string.h>

static const char *find_cap(const struct pfx_env_cap *caps, uint32_t nr, const char *name)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(caps[i].name, name))
			return caps[i].value;
	return NULL;
}

const char *pfx_env_find_cap(const struct pfx_env *env, const char *name)
{
	const char *value = find_cap(env->cpu_caps, env->nr_cpu_caps, name);
	uint32_t i;

	for (i = 0; !value && i < env->nr_pmu_caps; i++)
		value = find_cap(env->pmu_caps[i].caps, env->pmu_caps[i].nr, name);
	return value;
}
