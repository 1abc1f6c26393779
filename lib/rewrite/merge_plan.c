/* SPDX-License-Identifier: MIT */
/* Which numbers, addresses and times of an input change, so that recordings do not mix. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "rewrite/merge_internal.h"
#include "sym/elf/buildid.h"

#define KERNEL_NAME   "[kernel.kallsyms]"
#define KERNEL_STEP   (1ull << 36)
#define UPPER_HALF    (1ull << 63)
#define SAME_CLOCK_NS 1000000000ll

/* --- the scan --- */

static void note_id(struct pfx_merge_source *source, uint32_t id)
{
	if (id && id != UINT32_MAX)
		pfx_hash_add(&source->ids, id, NULL);
}

bool pfx_merge_is_kernel_name(const char *name)
{
	return !strncmp(name, KERNEL_NAME, strlen(KERNEL_NAME));
}

static void note_map(struct pfx_merge_source *source, const struct pfx_mmap *map)
{
	if (map->pid != UINT32_MAX || map->addr < UPPER_HALF)
		return;
	*pfx_vec_add(&source->maps) =
		(struct pfx_merge_map){map->addr, map->len, map->pgoff, pfx_strdup(map->filename)};
}

static void note_body(struct pfx_merge_source *source, const struct pfx_body *body)
{
	switch (body->type) {
	case PFX_RECORD_MMAP:
	case PFX_RECORD_MMAP2:
		note_map(source, &body->mmap);
		note_id(source, body->mmap.pid);
		note_id(source, body->mmap.tid);
		break;
	case PFX_RECORD_COMM:
		note_id(source, body->comm.pid);
		note_id(source, body->comm.tid);
		break;
	case PFX_RECORD_FORK:
	case PFX_RECORD_EXIT:
		note_id(source, body->task.pid);
		note_id(source, body->task.tid);
		break;
	default:
		break;
	}
}

static int refuse_trace(const struct pfx_merge_source *source, struct pfx_error *err)
{
	char shown[256];

	pfx_error_set(err, EINVAL, "'%s' has AUX area traces, which cannot be merged",
		      pfx_escape(shown, sizeof(shown), source->told.path));
	pfx_error_hint(err, "report each recording by itself");
	return -EINVAL;
}

static int scan_item(struct pfx_merge_source *source, const struct pfx_item *item,
		     struct pfx_error *err)
{
	const struct pfx_attr *attr = item->rec.event ? &item->rec.event->attr : NULL;
	struct pfx_error ignored;
	struct pfx_body body;

	if (item->rec.type == PFX_RECORD_AUXTRACE_INFO || item->rec.type == PFX_RECORD_AUXTRACE)
		return refuse_trace(source, err);
	if (item->sample) {
		note_id(source, item->sample->pid);
		note_id(source, item->sample->tid);
	} else if (item->rec.type != PFX_RECORD_SAMPLE &&
		   pfx_record_decode(&item->rec, attr, &body, &ignored) >= 0) {
		note_body(source, &body);
	}
	return 0;
}

int pfx_merge_scan(struct pfx_merge_source *source, struct pfx_error *err)
{
	struct pfx_item item;
	int rc;

	while ((rc = pfx_recording_next(source->recording, &item, err)) > 0) {
		rc = scan_item(source, &item, err);
		if (rc < 0)
			break;
	}
	return rc;
}

/* --- processes --- */

static bool shares_ids(const struct pfx_hash *all, const struct pfx_hash *ids)
{
	size_t i;

	for (i = 0; i < ids->cap; i++)
		if (ids->used[i] && pfx_hash_get(all, ids->slots[i].key))
			return true;
	return false;
}

static uint64_t largest_id(const struct pfx_hash *ids)
{
	uint64_t largest = 0;
	size_t i;

	for (i = 0; i < ids->cap; i++)
		if (ids->used[i] && ids->slots[i].key > largest)
			largest = ids->slots[i].key;
	return largest;
}

static void add_ids(struct pfx_hash *all, const struct pfx_merge_source *source)
{
	const struct pfx_hash *ids = &source->ids;
	size_t i;

	for (i = 0; i < ids->cap; i++)
		if (ids->used[i])
			pfx_hash_add(all, ids->slots[i].key + source->told.pid_offset, NULL);
}

static int refuse_ids(const struct pfx_merge_source *source, struct pfx_error *err)
{
	char shown[256];

	pfx_error_set(err, EINVAL,
		      "processes of '%s' have numbers of another recording, and cannot have others",
		      pfx_escape(shown, sizeof(shown), source->told.path));
	pfx_error_hint(err, "numbers up to %d are possible", INT32_MAX);
	return -EINVAL;
}

static int plan_pids(struct pfx_merge *merge, struct pfx_error *err)
{
	struct pfx_hash all = {0};
	struct pfx_merge_source *source;
	uint64_t offset;
	size_t i;
	int rc = 0;

	for (i = 0; i < merge->options.nr && !rc; i++) {
		source = &merge->sources[i];
		if (shares_ids(&all, &source->ids)) {
			offset = (largest_id(&all) / PFX_MERGE_PID_STEP + 1) * PFX_MERGE_PID_STEP;
			if (offset + largest_id(&source->ids) > INT32_MAX)
				rc = refuse_ids(source, err);
			source->told.pid_offset = rc ? 0 : (uint32_t)offset;
		}
		add_ids(&all, source);
	}
	pfx_hash_fini(&all);
	return rc;
}

/* --- kernels --- */

const struct pfx_merge_map *pfx_merge_kernel_map(const struct pfx_merge_source *source)
{
	size_t i;

	for (i = 0; i < source->maps.nr; i++)
		if (pfx_merge_is_kernel_name(source->maps.at[i].name))
			return &source->maps.at[i];
	return NULL;
}

static const struct pfx_env_build_id *kernel_id(const struct pfx_merge_source *source)
{
	const struct pfx_env *env = &pfx_recording_meta(source->recording)->env;
	uint32_t i;

	for (i = 0; i < env->nr_build_ids; i++)
		if (!strcmp(env->build_ids[i].filename, KERNEL_NAME))
			return &env->build_ids[i];
	return NULL;
}

/* By build ID, else by release and size; a recording that is cut short has neither, and is judged
 * by the place and size of its kernel. */
static bool is_same_build(const struct pfx_merge_source *a, const struct pfx_merge_source *b)
{
	const char *release = pfx_recording_meta(a->recording)->env.osrelease;
	const char *other_release = pfx_recording_meta(b->recording)->env.osrelease;
	const struct pfx_env_build_id *one = kernel_id(a), *other = kernel_id(b);
	const struct pfx_merge_map *map = pfx_merge_kernel_map(a);
	const struct pfx_merge_map *other_map = pfx_merge_kernel_map(b);

	if (one && other)
		return one->size == other->size && !memcmp(one->id, other->id, one->size);
	if (map->len != other_map->len)
		return false;
	return release && other_release ? !strcmp(release, other_release)
					: map->addr == other_map->addr;
}

static bool has_map(const struct pfx_merge_source *source, const struct pfx_merge_map *map,
		    bool *ret_overlaps)
{
	size_t i;

	*ret_overlaps = false;
	for (i = 0; i < source->maps.nr; i++) {
		const struct pfx_merge_map *other = &source->maps.at[i];

		if (other->addr == map->addr && other->len == map->len &&
		    !strcmp(other->name, map->name))
			return true;
		if (map->addr < other->addr + other->len && other->addr < map->addr + map->len)
			*ret_overlaps = true;
	}
	return false;
}

/* Whether modules of both lie at the same addresses. */
static bool modules_collide(const struct pfx_merge_source *first,
			    const struct pfx_merge_source *source)
{
	bool overlaps;
	size_t i;

	for (i = 0; i < source->maps.nr; i++)
		if (!pfx_merge_is_kernel_name(source->maps.at[i].name) &&
		    !has_map(first, &source->maps.at[i], &overlaps) && overlaps)
			return true;
	return false;
}

static void plan_kernel(struct pfx_merge_source *source, const struct pfx_merge_source *first,
			size_t place)
{
	const struct pfx_merge_map *map = pfx_merge_kernel_map(source);
	const struct pfx_merge_map *base = pfx_merge_kernel_map(first);
	bool is_same = is_same_build(first, source);

	if (is_same && map->addr == base->addr && !modules_collide(first, source)) {
		source->told.kernel = PFX_MERGE_KERNEL_SAME;
		return;
	}
	source->told.kernel = is_same ? PFX_MERGE_KERNEL_MOVED : PFX_MERGE_KERNEL_OTHER;
	source->kernel_shift = -(uint64_t)place * KERNEL_STEP;
	source->text_shift = is_same ? base->addr - map->addr : source->kernel_shift;
	source->text_start = map->addr;
	source->text_end = map->addr + map->len < map->addr ? UINT64_MAX : map->addr + map->len;
}

static void plan_kernels(struct pfx_merge *merge)
{
	const struct pfx_merge_source *first = NULL;
	size_t i;

	for (i = 0; i < merge->options.nr; i++) {
		struct pfx_merge_source *source = &merge->sources[i];

		if (!pfx_merge_kernel_map(source))
			continue;
		if (first)
			plan_kernel(source, first, i);
		else
			first = source;
	}
}

/* --- times --- */

static int64_t clock_offset(const struct pfx_env *env)
{
	return (int64_t)(env->wall_clock_ns - env->clockid_ns);
}

/* Times of recordings with CLOCK_DATA become those of the clock that started first. */
static void plan_times(struct pfx_merge *merge)
{
	const struct pfx_env *base = NULL, *env;
	size_t i;

	for (i = 0; i < merge->options.nr; i++) {
		env = &pfx_recording_meta(merge->sources[i].recording)->env;
		if (pfx_env_has(env, PFX_FEAT_CLOCK_DATA) &&
		    (!base || clock_offset(env) < clock_offset(base)))
			base = env;
	}
	for (i = 0; base && i < merge->options.nr; i++) {
		struct pfx_merge_input *told = &merge->sources[i].told;

		env = &pfx_recording_meta(merge->sources[i].recording)->env;
		if (!pfx_env_has(env, PFX_FEAT_CLOCK_DATA))
			continue;
		told->has_clock = true;
		told->time_shift =
			(int64_t)((uint64_t)clock_offset(env) - (uint64_t)clock_offset(base));
		if (told->time_shift < SAME_CLOCK_NS && env->clockid == base->clockid)
			told->time_shift = 0; /* the clocks differ by how they were read */
	}
}

int pfx_merge_plan(struct pfx_merge *merge, struct pfx_error *err)
{
	int rc = plan_pids(merge, err);

	plan_kernels(merge);
	plan_times(merge);
	return rc ? rc : pfx_merge_make_meta(merge, err);
}
