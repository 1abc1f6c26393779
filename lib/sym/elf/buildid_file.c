/* SPDX-License-Identifier: MIT */
/*
 * Build IDs of ELF files and images.
 */
#include <errno.h>

#include "base/str.h"
#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"

int pfx_build_id_of_file(const char *path, struct pfx_build_id *ret, struct pfx_error *err)
{
	struct pfx_elf elf;
	char shown[256];
	int rc = pfx_elf_open(path, &elf, err);

	*ret = (struct pfx_build_id){0};
	if (rc)
		return rc;
	*ret = elf.build_id;
	pfx_elf_close(&elf);
	if (!ret->size)
		return pfx_error_set(err, ENOENT, "'%s' has no build id",
				     pfx_escape(shown, sizeof(shown), path));
	return 0;
}

int pfx_build_id_of_image(const void *data, size_t size, struct pfx_build_id *ret)
{
	struct pfx_elf elf;
	int rc = pfx_elf_open_image(data, size, &elf, NULL);

	*ret = (struct pfx_build_id){0};
	if (rc)
		return rc;
	*ret = elf.build_id;
	pfx_elf_close(&elf);
	return ret->size ? 0 : -ENOENT;
}
