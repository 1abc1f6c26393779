/* SPDX-License-Identifier: MIT */
/*
 * Build ids of the binaries that samples fell into, so that the file can be read later and
 * elsewhere. The tally knows the binaries; sym/ reads the ids from them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/commands.h"
#include "cmd/record_internal.h"
#include "sym/buildid.h"
#include "sym/keep.h"

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

static const void *vdso_image(void)
{
	return (const void *)getauxval(AT_SYSINFO_EHDR);
}

static size_t vdso_size(void)
{
	return VDSO_PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

static int id_of_vdso(struct pfx_build_id *ret)
{
	return vdso_image() ? pfx_build_id_of_image(vdso_image(), vdso_size(), ret) : -1;
}

static const char *name_of(const struct pfx_recorder *rec, const struct pfx_tally_dso *dso)
{
	return pfx_intern_get(&rec->tally.names, dso->name);
}

/* The file as the process saw it, which may have another root; else by its path here. The caller
 * frees the path. */
static char *path_of(const struct pfx_recorder *rec, const struct pfx_tally_dso *dso)
{
	char *inside = pfx_strfmt("/proc/%u/root%s", dso->pid, name_of(rec, dso));

	if (access(inside, R_OK) == 0)
		return inside;
	free(inside);
	return pfx_strdup(name_of(rec, dso));
}

static bool is_file(const char *name)
{
	return name[0] == '/' && !starts_with(name, "//");
}

static int id_of(const struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		 struct pfx_build_id *ret)
{
	const char *name = name_of(rec, dso);
	char *path;
	int rc;

	if (dso->build_id_size) {
		ret->size = dso->build_id_size;
		memcpy(ret->data, dso->build_id, sizeof(ret->data));
		return 0;
	}
	if (dso->cpumode == PFX_MODE_KERNEL)
		return id_of_kernel_side(name, ret);
	if (strcmp(name, VDSO_MAP) == 0)
		return id_of_vdso(ret);
	if (!is_file(name))
		return -1;
	path = path_of(rec, dso);
	rc = pfx_build_id_of_file(path, ret, NULL);
	free(path);
	return rc;
}

/* A copy for later, when the binary may have been replaced. */
static int keep(const struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		const struct pfx_build_id *id, struct pfx_error *err)
{
	const char *name = name_of(rec, dso);
	char *path;
	int rc;

	if (starts_with(name, KERNEL_MAP))
		return pfx_keep_file(rec->keep_dir, KERNEL_MAP, id, "/proc/kallsyms", "kallsyms",
				     err);
	if (strcmp(name, VDSO_MAP) == 0)
		return pfx_keep_bytes(rec->keep_dir, name, id, vdso_image(), vdso_size(), err);
	if (!is_file(name))
		return 0;
	path = path_of(rec, dso);
	rc = pfx_keep_file(rec->keep_dir, name, id, path, "elf", err);
	free(path);
	return rc;
}

static void add(struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		const struct pfx_build_id *id)
{
	struct pfx_env *env = &rec->meta->env;
	struct pfx_env_build_id *to = &env->build_ids[env->nr_build_ids++];
	const char *name = name_of(rec, dso);

	to->pid = -1;
	to->misc = dso->cpumode | FLAG_SIZE;
	to->size = id->size;
	memcpy(to->id, id->data, sizeof(to->id));
	to->filename = starts_with(name, KERNEL_MAP) ? KERNEL_MAP
						     : pfx_arena_strdup(&rec->meta->arena, name);
	pfx_env_set(env, PFX_FEAT_BUILD_ID);
}

/* A cache that cannot be filled is no reason to fail. */
static void keep_copy(struct pfx_recorder *rec, const struct pfx_tally_dso *dso,
		      const struct pfx_build_id *id)
{
	struct pfx_error err = {0};

	if (!rec->keep_dir || keep(rec, dso, id, &err) >= 0)
		return;
	if (rec->options->verbose)
		pfx_print_note("record", "%s", err.text);
}

void pfx_record_build_ids(struct pfx_recorder *rec)
{
	struct pfx_env *env = &rec->meta->env;
	size_t i;

	pfx_tally_hits(&rec->tally);
	env->build_ids =
		pfx_arena_array(&rec->meta->arena, struct pfx_env_build_id, rec->tally.dsos.nr);
	if (!rec->options->no_buildid_cache && !rec->is_pipe)
		pfx_keep_dir(pfx_globals.buildid_dir, &rec->keep_dir);
	for (i = 0; i < rec->tally.dsos.nr; i++) {
		const struct pfx_tally_dso *dso = &rec->tally.dsos.at[i];
		struct pfx_build_id id = {0};

		if (!dso->hit && !rec->options->buildid_all)
			continue;
		if (id_of(rec, dso, &id) < 0 || id.size == 0)
			continue;
		add(rec, dso, &id);
		keep_copy(rec, dso, &id);
	}
}
