/* SPDX-License-Identifier: MIT */
/*
 * Build IDs for synthesized MMAP2 records (--buildid-mmap): of the kernel, its modules, the vDSO
 * and files. Several threads may call this; one lock is enough, as nearly all answers are cached.
 */
#include "record/file/map_ids.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "record/sink/mapped_file.h"
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

/* False if there is no file, or if it has no build ID. Closes the descriptor. */
static bool read_open(int fd, struct pfx_build_id *ret)
{
	char path[32];
	int rc;

	if (fd < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = pfx_build_id_of_file(path, ret, NULL);
	close(fd);
	if (rc < 0)
		ret->size = 0;
	return rc >= 0;
}

/* Reads the mapped file through the mapping; without permission for that, the path in the root of
 * the process, or the path here. */
static void read_file_id(const struct pfx_mmap *map, struct pfx_build_id *ret)
{
	ret->size = 0;
	if (!read_open(pfx_mapped_file_open(map->pid, map->addr, map->addr + map->len, 0), ret) &&
	    !read_open(pfx_mapped_file_open_inside(map->pid, map->filename, map->ino), ret))
		read_if_same(map, map->filename, ret);
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
