/* SPDX-License-Identifier: MIT */
/*
 * Source lines and inlined functions of one program: selects the reader, serializes threads, and
 * converts file offsets to the virtual addresses that debug information uses.
 */
#include "sym/dwarf/lines.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "sym/dwarf/lines_internal.h"
#include "sym/find/request.h"
#include "sym/jit/jit_source_internal.h"
#include "sym/table/source.h"

struct pfx_lines {
	struct pfx_binary *binary;
	struct pfx_debug_info *info;
	struct pfx_jit_source *jit; /* for a jitdump; all fields above are NULL */
	struct pfx_arena arena;
	struct pfx_inlined found[PFX_INLINED_MAX];
	struct pfx_hash inlined; /* cache: offset -> struct inlined */
	pthread_mutex_t lock;
};

struct inlined {
	uint32_t nr;
	uint64_t size; /* of the code from the offset on for which it is the same */
	struct pfx_inlined at[];
};

static struct pfx_lines *new_lines(void)
{
	struct pfx_lines *lines = pfx_calloc(1, sizeof(*lines));

	pthread_mutex_init(&lines->lock, NULL);
	return lines;
}

static int open_jitdump(struct pfx_lines **ret, const struct pfx_sym_request *request,
			const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_jit_source *jit;
	int rc = pfx_jit_source_new(&jit, request, options, err);

	if (rc)
		return rc;
	*ret = new_lines();
	(*ret)->jit = jit;
	return 0;
}

static int no_debug_info(struct pfx_binary *binary, struct pfx_error *err)
{
	const char *refused = pfx_binary_refused_debug(binary);
	char shown[256];

	if (!refused)
		return pfx_error_set(err, ENODATA, "there is no debug information");
	pfx_error_set(err, ESTALE, "'%s' is of another build",
		      pfx_escape(shown, sizeof(shown), refused));
	return -ENODATA;
}

bool pfx_lines_are_built_in(void)
{
	return pfx_debug_info_is_built_in();
}

int pfx_lines_open(struct pfx_lines **ret, const struct pfx_sym_request *request,
		   const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_binary *binary;
	struct pfx_lines *lines;
	int rc;

	if (request->kind == PFX_SYM_JITDUMP)
		return open_jitdump(ret, request, options, err);
	if (!pfx_debug_info_is_built_in())
		return pfx_error_set(err, ENOTSUP,
				     "source lines cannot be read: libdw is not built in");
	rc = pfx_binary_open(&binary, request, options, err);
	if (rc)
		return rc;
	lines = new_lines();
	lines->binary = binary;
	lines->info = pfx_debug_info_new(binary, &lines->arena, options->no_demangle);
	if (!lines->info) {
		rc = no_debug_info(binary, err);
		pfx_lines_free(lines);
		return rc;
	}
	*ret = lines;
	return 0;
}

void pfx_lines_free(struct pfx_lines *lines)
{
	if (!lines)
		return;
	pfx_jit_source_free(lines->jit);
	pfx_debug_info_free(lines->info);
	pfx_binary_free(lines->binary);
	pfx_hash_fini(&lines->inlined);
	pfx_arena_clear(&lines->arena);
	pthread_mutex_destroy(&lines->lock);
	free(lines);
}

bool pfx_lines_source_range(struct pfx_lines *lines, uint64_t offset, struct pfx_source *ret,
			    uint64_t *ret_size)
{
	uint64_t vaddr, end;
	bool found = false;

	*ret_size = 1;
	if (lines->jit)
		return pfx_jit_source_find(lines->jit, offset, ret);
	pthread_mutex_lock(&lines->lock);
	if (pfx_binary_vaddr(lines->binary, offset, &vaddr)) {
		found = pfx_debug_info_source(lines->info, vaddr, ret, &end);
		*ret_size = end - vaddr;
	}
	pthread_mutex_unlock(&lines->lock);
	return found;
}

bool pfx_lines_source(struct pfx_lines *lines, uint64_t offset, struct pfx_source *ret)
{
	uint64_t size;

	return pfx_lines_source_range(lines, offset, ret, &size);
}

/* NULL: none, which is faster to look up than to cache. */
static const struct inlined *find_inlined(struct pfx_lines *lines, uint64_t offset,
					  uint64_t *ret_size)
{
	uint64_t *known = pfx_hash_get(&lines->inlined, offset), vaddr, end;
	struct inlined *inlined;
	uint32_t nr = 0;

	if (known) {
		inlined = (struct inlined *)(uintptr_t)*known;
		*ret_size = inlined->size;
		return inlined;
	}
	*ret_size = 1;
	if (pfx_binary_vaddr(lines->binary, offset, &vaddr)) {
		nr = pfx_debug_info_inlined(lines->info, vaddr, lines->found, &end);
		*ret_size = end - vaddr;
	}
	if (!nr)
		return NULL;
	inlined = pfx_arena_alloc(&lines->arena, sizeof(*inlined) + nr * sizeof(*inlined->at));
	inlined->nr = nr;
	inlined->size = *ret_size;
	memcpy(inlined->at, lines->found, nr * sizeof(*inlined->at));
	*pfx_hash_add(&lines->inlined, offset, NULL) = (uintptr_t)inlined;
	return inlined;
}

uint32_t pfx_lines_inlined_range(struct pfx_lines *lines, uint64_t offset,
				 const struct pfx_inlined **ret, uint64_t *ret_size)
{
	const struct inlined *inlined;

	*ret_size = 1;
	if (lines->jit)
		return 0;
	pthread_mutex_lock(&lines->lock);
	inlined = find_inlined(lines, offset, ret_size);
	pthread_mutex_unlock(&lines->lock);
	if (!inlined)
		return 0;
	*ret = inlined->at;
	return inlined->nr;
}

uint32_t pfx_lines_inlined(struct pfx_lines *lines, uint64_t offset, const struct pfx_inlined **ret)
{
	uint64_t size;

	return pfx_lines_inlined_range(lines, offset, ret, &size);
}

uint32_t pfx_lines_frames(struct pfx_lines *lines, uint64_t offset, struct pfx_line_frame *ret)
{
	uint32_t nr = 0;
	uint64_t vaddr;

	if (lines->jit)
		return 0;
	pthread_mutex_lock(&lines->lock);
	if (pfx_binary_vaddr(lines->binary, offset, &vaddr))
		nr = pfx_debug_info_frames(lines->info, vaddr, ret);
	pthread_mutex_unlock(&lines->lock);
	return nr;
}

uint64_t pfx_lines_unit(struct pfx_lines *lines, uint64_t offset)
{
	uint64_t vaddr, unit = 0;

	if (lines->jit)
		return 0;
	pthread_mutex_lock(&lines->lock);
	if (pfx_binary_vaddr(lines->binary, offset, &vaddr))
		unit = pfx_debug_info_unit_number(lines->info, vaddr);
	pthread_mutex_unlock(&lines->lock);
	return unit;
}

uint32_t pfx_lines_rows(struct pfx_lines *lines, uint64_t begin, uint64_t end, uint64_t *ret,
			uint32_t max)
{
	uint64_t low, high;
	uint32_t nr = 0, i;

	if (lines->jit || end < begin)
		return 0;
	pthread_mutex_lock(&lines->lock);
	if (pfx_binary_vaddr(lines->binary, begin, &low) &&
	    pfx_binary_vaddr(lines->binary, end, &high) && high - low == end - begin)
		nr = pfx_debug_info_rows(lines->info, low, high, ret, max);
	pthread_mutex_unlock(&lines->lock);
	for (i = 0; i < nr; i++)
		ret[i] = begin + (ret[i] - low);
	return nr;
}

bool pfx_lines_are_split(struct pfx_lines *lines)
{
	bool split;

	pthread_mutex_lock(&lines->lock);
	split = lines->info && pfx_debug_info_is_split(lines->info);
	pthread_mutex_unlock(&lines->lock);
	return split;
}

void pfx_lines_splits(struct pfx_lines *lines, const uint64_t *offsets, size_t nr,
		      struct pfx_split_list *ret)
{
	PFX_VEC(uint64_t) vaddrs = {0};
	uint64_t vaddr;
	size_t i;

	*ret = (struct pfx_split_list){0};
	if (!lines->info)
		return;
	for (i = 0; offsets && i < nr; i++) {
		if (!pfx_binary_vaddr(lines->binary, offsets[i], &vaddr))
			continue;
		pfx_vec_push(&vaddrs, vaddr);
		pfx_vec_push(&vaddrs, vaddr - 1); /* the offset may be a return address after the
						     last call of a unit */
	}
	pthread_mutex_lock(&lines->lock);
	if (offsets)
		pfx_debug_info_splits_at(lines->info, vaddrs.at, vaddrs.nr, ret);
	else
		pfx_debug_info_splits(lines->info, ret);
	pthread_mutex_unlock(&lines->lock);
	pfx_vec_free(&vaddrs);
}

struct pfx_split_gaps pfx_lines_gaps(struct pfx_lines *lines)
{
	struct pfx_split_gaps gaps = {0};

	if (!lines->info)
		return gaps;
	pthread_mutex_lock(&lines->lock);
	gaps = pfx_debug_info_gaps(lines->info);
	pthread_mutex_unlock(&lines->lock);
	return gaps;
}

void pfx_split_list_free(struct pfx_split_list *list)
{
	size_t i;

	for (i = 0; i < list->files.nr; i++)
		free(list->files.at[i].path);
	pfx_vec_free(&list->files);
}

bool pfx_lines_call(struct pfx_lines *lines, const struct pfx_inlined *inlined,
		    struct pfx_source *ret)
{
	bool found;

	pthread_mutex_lock(&lines->lock);
	found = pfx_debug_info_call(lines->info, inlined, ret);
	pthread_mutex_unlock(&lines->lock);
	return found;
}

struct pfx_debug_info *pfx_lines_info(const struct pfx_lines *lines)
{
	return lines->info;
}

struct pfx_binary *pfx_lines_binary(const struct pfx_lines *lines)
{
	return lines->binary;
}

void pfx_lines_lock(struct pfx_lines *lines)
{
	pthread_mutex_lock(&lines->lock);
}

void pfx_lines_unlock(struct pfx_lines *lines)
{
	pthread_mutex_unlock(&lines->lock);
}
