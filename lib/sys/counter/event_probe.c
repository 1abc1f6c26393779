/* SPDX-License-Identifier: MIT */
/*
 * Tries an event on this process: the kernel has no other interface to query support. Only counting
 * in user space, so that no permissions are needed.
 */
#include "sys/counter/event_probe.h"

#include <sys/syscall.h>
#include <unistd.h>

bool pfx_attr_probe(const struct pfx_attr *attr)
{
	struct pfx_buffer bytes = {0};
	int fd;

	pfx_attr_encode(attr, &bytes);
	fd = (int)syscall(SYS_perf_event_open, bytes.at, 0, -1, -1, 0);
	pfx_buffer_fini(&bytes);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool pfx_event_probe(uint32_t type, uint64_t config)
{
	const struct pfx_attr attr = {
		.type = type,
		.size = PFX_ATTR_SIZE_VER0,
		.config = config,
		.flags = PFX_ATTR_DISABLED | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV,
	};

	return pfx_attr_probe(&attr);
}
