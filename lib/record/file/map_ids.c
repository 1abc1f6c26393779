/* SPDX-License-Identifier: MIT */
/*
 * Build IDs for synthesized MMAP2 records (--buildid-mmap): of the kernel, its modules, the vDSO
 * and files. Several threads may call this; one lock is enough, as nearly all answers are cached.
 */
#include "record/file/map_ids.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "sym/kernel/system_buildid.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* False if the file is gone, also because its process ends just now, or was replaced. */
static bool read_if_same(const struct pfx_mmap *map, const char *path, struct pfx_build_id *ret)
{
	struct stat st;

	if (stat(path, &st) < 0 || st.st_ino != map->ino)
		return false;
	if (pfx_build_id_of_file(path, ret, NULL) == 0)
		return true;
	ret->size = 0;
	return false;
}

/* Reads the mapped file through map_files, even if it was renamed or replaced; without permission
 * for that, the path in the root of the process, or the path here. */
static void read_file_id(const struct pfx_mmap *map, struct pfx_build_id *ret)
{
	char *mapped =
		pfx_strfmt("/proc/%u/map_files/%llx-%llx", map->pid, (unsigned long long)map->addr,
			   (unsigned long long)(map->addr + map->len));
	char *inside = pfx_strfmt("/proc/%u/root%s", map->pid, map->filename);

	if (pfx_build_id_of_file(mapped, ret, NULL) < 0) {
		ret->size = 0;
		if (!read_if_same(map, inside, ret))
			read_if_same(map, map->filename, ret);
	}
	free(mapped);
	free(inside);
}

static void read_id(const struct pfx_mmap *map, struct pfx_build_id *ret)
{
	int rc = -1;

	if (map->pid == (uint32_t)-1)
		rc = pfx_system_build_id(map->filename, ret);
	else if (strcmp(map->filename, PFX_VDSO_NAME) == 0)
		rc = pfx_system_build_id_of_vdso(ret);
	else if (map->filename[0] == '/' && map->filename[1] != '/' && map->ino) {
		read_file_id(map, ret);
		return;
	}
	if (rc < 0)
		ret->size = 0;
}

/* The name distinguishes mappings without an inode. */
static uint64_t key_of(const struct pfx_mmap *map)
{
	uint64_t device = (uint64_t)map->maj << 32 | map->min;

	if (!map->ino)
		return pfx_hash_bytes(map->filename, strlen(map->filename));
	return pfx_hash_u64(pfx_hash_u64(device) ^ map->ino);
}

uint8_t pfx_map_ids_find(void *context, const struct pfx_mmap *map, uint8_t *ret)
{
	struct pfx_map_ids *ids = context;
	struct pfx_build_id id = {0};
	bool is_new;
	uint64_t *at;

	pthread_mutex_lock(&lock);
	at = pfx_hash_add(&ids->by_file, key_of(map), &is_new);
	if (is_new) {
		read_id(map, &id);
		*at = ids->ids.nr;
		pfx_vec_push(&ids->ids, id);
	} else {
		id = ids->ids.at[*at];
	}
	pthread_mutex_unlock(&lock);
	memcpy(ret, id.data, sizeof(id.data));
	return id.size;
}

void pfx_map_ids_fini(struct pfx_map_ids *ids)
{
	pfx_hash_fini(&ids->by_file);
	pfx_vec_free(&ids->ids);
}
