/* SPDX-License-Identifier: MIT */
/*
 * Build IDs of the running kernel, its modules and the vdso, by the names that recordings use. The
 * caller decides whether the recording is of this machine.
 */
#include "sym/kernel/system_buildid.h"

#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "sym/elf/buildid.h"

#define VDSO_PAGES 2 /* enough for the headers and notes */

/* "snd" of "[snd]" or "/lib/modules/.../snd.ko.xz": as /sys/module names it. */
static void module_name(const char *file, char *out, size_t size)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file + (*file == '[');
	size_t len = slash ? strcspn(name, ".") : strcspn(name, "]"), i;

	if (len >= size)
		len = size - 1;
	for (i = 0; i < len; i++)
		out[i] = name[i] == '-' ? '_' : name[i];
	out[len] = '\0';
}

int pfx_system_build_id(const char *name, struct pfx_build_id *ret)
{
	char module[128];

	if (!strncmp(name, PFX_KERNEL_NAME, strlen(PFX_KERNEL_NAME)))
		return pfx_build_id_of_kernel(ret);
	module_name(name, module, sizeof(module));
	return pfx_build_id_of_module(module, ret);
}

const void *pfx_system_vdso(size_t *ret_size)
{
	*ret_size = VDSO_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	return (const void *)getauxval(AT_SYSINFO_EHDR);
}

int pfx_system_build_id_of_vdso(struct pfx_build_id *ret)
{
	size_t size;
	const void *image = pfx_system_vdso(&size);

	return image ? pfx_build_id_of_image(image, size, ret) : -1;
}
