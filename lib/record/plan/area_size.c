/* SPDX-License-Identifier: MIT */
#include "record/plan/area_size.h"

#include <unistd.h>

bool pfx_area_size(uint64_t bytes, uint64_t *ret)
{
	uint64_t power = (uint64_t)sysconf(_SC_PAGESIZE);

	if (!bytes || bytes > PFX_AREA_BYTES_MAX)
		return false;
	while (power < bytes)
		power *= 2;
	*ret = power;
	return true;
}
