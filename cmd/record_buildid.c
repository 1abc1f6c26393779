/* SPDX-License-Identifier: MIT */
/*
 * Build ids of the binaries that samples fell into, so that the file can be read later and
 * elsewhere. The tally knows the binaries; sym/ reads the ids from them.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/record_internal.h"
#include "sym/buildid.h"

#define KERNEL_MAP "[kernel.kallsyms]"
#define VDSO_MAP   "[vdso]"
#define VDSO_PAGES 2 /* enough for the headers and notes */
#define FLAG_SIZE  PFX_MISC_BUILD_ID_SIZE

static bool starts_with(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0;
}

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

static int id_of_kernel_side(const char *name, struct pfx_build_id *ret)
{
	char module[128];

	if (starts_with(name, KERNEL_MAP))
		return pfx_build_id_of_kernel(ret);
	module_name(name, module, sizeof(module));
	return pfx_build_id_of_module(module, ret);
}

static int id_of_vdso(struct pfx_build_id *ret)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!image)
		return -1;
	return pfx_build_id_of_image(image, VDSO_PAGES * (size_t)sysconf(_SC_PAGESIZE), ret);
}

/* The file as the process saw it, which may have another root; else by its path here. */
static int id_of_file(const struct pfx_tally_dso *dso, const char *path, struct pfx_build_id *ret)
{
	char *inside = pfx_strfmt("/proc/%u/root%s", dso->pid, path);
	int rc = pfx_build_id_of_file(inside, ret, NULL);

	free(inside);
	return rc >= 0 ? rc : pfx_build_id_of_file(path, ret, NULL);
}

static int id_of(const struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		 struct pfx_build_id *ret)
{
	const char *name = pfx_intern_get(&rec->tally.names, dso->name);

	if (dso->build_id_size) {
		ret->size = dso->build_id_size;
		memcpy(ret->data, dso->build_id, sizeof(ret->data));
		return 0;
	}
	if (dso->cpumode == PFX_MODE_KERNEL)
		return id_of_kernel_side(name, ret);
	if (strcmp(name, VDSO_MAP) == 0)
		return id_of_vdso(ret);
	if (name[0] != '/' || starts_with(name, "//"))
		return -1;
	return id_of_file(dso, name, ret);
}

static void add(struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		const struct pfx_build_id *id)
{
	struct pfx_env *env = &rec->meta->env;
	struct pfx_env_build_id *to = &env->build_ids[env->nr_build_ids++];
	const char *name = pfx_intern_get(&rec->tally.names, dso->name);

	to->pid = -1;
	to->misc = dso->cpumode | FLAG_SIZE;
	to->size = id->size;
	memcpy(to->id, id->data, sizeof(to->id));
	to->filename = starts_with(name, KERNEL_MAP) ? KERNEL_MAP
						     : pfx_arena_strdup(&rec->meta->arena, name);
	pfx_env_set(env, PFX_FEAT_BUILD_ID);
}

void pfx_record_build_ids(struct pfx_recorder *rec)
{
	struct pfx_env *env = &rec->meta->env;
	size_t i;

	pfx_tally_hits(&rec->tally);
	env->build_ids =
		pfx_arena_array(&rec->meta->arena, struct pfx_env_build_id, rec->tally.dsos.nr);
	for (i = 0; i < rec->tally.dsos.nr; i++) {
		const struct pfx_tally_dso *dso = &rec->tally.dsos.at[i];
		struct pfx_build_id id = {0};

		if ((dso->hit || rec->options->buildid_all) && id_of(rec, dso, &id) >= 0 && id.size)
			add(rec, dso, &id);
	}
}
