/* SPDX-License-Identifier: MIT */
/* Collects the probes of each file by name, then sorts them over all files. */
#include "record/plan/probe_catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/workers.h"
#include "sym/cache/keep.h"
#include "sym/probe/sdt.h"

#define ID_SHOWN 6 /* bytes of a build id */

/* A probe with all its locations in one file. */
struct probe {
	char *name;
	const char *path; /* owned by the catalog */
	struct pfx_build_id id;
	struct pfx_str encoding;
	char *arguments;
};

struct probes {
	struct pfx_catalog *catalog;
	PFX_VEC(struct probe) all;
};

/* @names: those of the file, whose probes begin at @first. */
static struct probe *find_or_add(struct probes *probes, struct pfx_intern *names, size_t first,
				 const char *name)
{
	size_t at = first + pfx_intern_str(names, name);
	struct probe *probe;

	if (at < probes->all.nr)
		return &probes->all.at[at];
	probe = pfx_vec_add(&probes->all);
	*probe = (struct probe){.name = pfx_strdup(name)};
	return probe;
}

/* @shown: the original name of the file that was read. */
static void add_file(struct probes *probes, const struct pfx_sdt *sdt, const char *shown)
{
	size_t first = probes->all.nr, i;
	struct pfx_intern names = {0};

	shown = sdt->probes.nr ? pfx_arena_strdup(&probes->catalog->arena, shown) : NULL;
	for (i = 0; i < sdt->probes.nr; i++) {
		const struct pfx_sdt_probe *at = &sdt->probes.at[i];
		char *name = pfx_strfmt("sdt_%s:%s", at->provider, at->name);
		struct probe *probe = find_or_add(probes, &names, first, name);

		free(name);
		probe->path = shown;
		probe->id = sdt->build_id;
		pfx_str_addf(&probe->encoding, "%suprobe:%s:0x%" PRIx64,
			     probe->encoding.len ? "," : "", shown, at->offset);
		if (!probe->arguments)
			probe->arguments = pfx_strdup(at->arguments);
	}
	pfx_intern_fini(&names);
}

/* What a thread reads of a file of the cache. */
struct kept_file {
	struct pfx_sdt sdt;
	bool is_read;
};

struct reading {
	const char *dir;
	const struct pfx_kept_list *list;
	struct kept_file *files;
};

/* Unreadable files are skipped: the user did not name them. */
static void read_kept(void *context, size_t piece, unsigned worker)
{
	struct reading *reading = context;
	struct kept_file *file = &reading->files[piece];
	char *path = pfx_keep_find(reading->dir, &reading->list->builds.at[piece].id, "elf");

	(void)worker;
	file->is_read = path && !pfx_sdt_read(path, &file->sdt, NULL);
	free(path);
}

/* Most time is spent waiting for the files: several threads read them. */
static void read_builds(struct probes *probes, const char *dir, const struct pfx_kept_list *list)
{
	struct reading reading = {dir, list,
				  pfx_calloc(list->builds.nr + 1, sizeof(*reading.files))};
	struct pfx_workers *workers = pfx_workers_new(pfx_workers_wanted());
	size_t i;

	pfx_workers_run(workers, list->builds.nr, read_kept, &reading);
	pfx_workers_free(workers);
	for (i = 0; i < list->builds.nr; i++) {
		if (!reading.files[i].is_read)
			continue;
		add_file(probes, &reading.files[i].sdt, list->builds.at[i].name);
		pfx_sdt_fini(&reading.files[i].sdt);
	}
	free(reading.files);
}

static int read_cache(struct probes *probes, const char *cache, struct pfx_error *err)
{
	struct pfx_kept_list list = {0};
	char *dir;
	int rc;

	if (!pfx_keep_dir(cache, &dir))
		return 0;
	rc = pfx_keep_list(dir, &list, err);
	if (rc >= 0)
		read_builds(probes, dir, &list);
	pfx_keep_list_free(&list);
	free(dir);
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct probe *x = a, *y = b;
	int by_name = strcmp(x->name, y->name), by_path = strcmp(x->path, y->path);

	return by_name ? by_name : by_path ? by_path : memcmp(x->id.data, y->id.data, x->id.size);
}

static bool is_called(const struct probes *probes, size_t at, const char *name)
{
	return at < probes->all.nr && !strcmp(probes->all.at[at].name, name);
}

/* "sdt_p:x@/usr/bin/x(05a281f31b17)" for an ambiguous name. */
static char *full_name(const struct probe *probe)
{
	char id[2 * ID_SHOWN + 1] = "";
	size_t i;

	for (i = 0; i < ID_SHOWN && i < probe->id.size; i++)
		snprintf(id + 2 * i, 3, "%02x", probe->id.data[i]);
	return pfx_strfmt("%s@%s(%s)", probe->name, probe->path, id);
}

static void append(struct probes *probes, size_t at)
{
	struct pfx_arena *arena = &probes->catalog->arena;
	const struct probe *probe = &probes->all.at[at];
	struct pfx_catalog_event *event = pfx_vec_add(&probes->catalog->events);
	bool is_shared = is_called(probes, at + 1, probe->name) ||
			 (at && is_called(probes, at - 1, probe->name));
	char *name = is_shared ? full_name(probe) : pfx_strdup(probe->name);

	*event = (struct pfx_catalog_event){
		.kind = PFX_CATALOG_PROBE,
		.name = pfx_arena_strdup(arena, name),
		.encoding = pfx_arena_strdup(arena, pfx_str_get(&probe->encoding)),
		.arguments = *probe->arguments ? pfx_arena_strdup(arena, probe->arguments) : NULL,
	};
	free(name);
}

/* Append the probes to the catalog, sorted. */
static void append_all(struct probes *probes)
{
	size_t i;

	if (probes->all.nr)
		qsort(probes->all.at, probes->all.nr, sizeof(*probes->all.at), compare);
	for (i = 0; i < probes->all.nr; i++)
		append(probes, i);
	for (i = 0; i < probes->all.nr; i++) {
		free(probes->all.at[i].name);
		free(probes->all.at[i].arguments);
		pfx_str_fini(&probes->all.at[i].encoding);
	}
	pfx_vec_free(&probes->all);
}

int pfx_catalog_add_probes(struct pfx_catalog *catalog, const char *path, struct pfx_error *err)
{
	struct probes probes = {.catalog = catalog};
	struct pfx_sdt sdt;
	int rc = pfx_sdt_read(path, &sdt, err);

	if (rc)
		return rc;
	add_file(&probes, &sdt, path);
	pfx_sdt_fini(&sdt);
	append_all(&probes);
	return 0;
}

int pfx_catalog_add_cached_probes(struct pfx_catalog *catalog, const char *dir,
				  struct pfx_error *err)
{
	struct probes probes = {.catalog = catalog};
	int rc = read_cache(&probes, dir, err);

	append_all(&probes);
	return rc;
}
