/* SPDX-License-Identifier: MIT */
/*
 * Lists the build IDs of a recording for display: its table; without a table, or if only binaries
 * with samples are wanted, reads all records and looks up each sample's addresses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "read/build_ids.h"
#include "read/sample_maps.h"

static void add(struct pfx_id_listing *to, const char *name, const uint8_t *id, uint8_t size)
{
	pfx_vec_push(&to->list.builds, ((struct pfx_kept){.name = pfx_strdup(name),
							  .id = pfx_build_id_make(id, size)}));
}

/* The table may contain a binary twice; the last build ID is valid. */
static void list_table(const struct pfx_env *env, struct pfx_id_listing *to)
{
	const struct pfx_env_build_id *entry = env->build_ids;
	struct pfx_intern names = {0};
	uint32_t i, at;

	for (i = 0; i < env->nr_build_ids; i++, entry++) {
		at = pfx_intern_str(&names, entry->filename);
		if (at == to->list.builds.nr)
			add(to, entry->filename, entry->id, entry->size);
		else
			to->list.builds.at[at].id = pfx_build_id_make(entry->id, entry->size);
	}
	pfx_intern_fini(&names);
	to->from_table = true;
}

/* Looking up an address marks its dso as hit in the session. */
static int take_map(void *context, const struct pfx_map *map)
{
	return 0;
}

static int read_hits(struct pfx_recording *recording, struct pfx_error *err)
{
	struct pfx_map_visitor visitor = {.session = pfx_recording_session(recording),
					  .fn = take_map};
	struct pfx_item item;
	int rc;

	while ((rc = pfx_recording_next(recording, &item, err)) > 0) {
		if (!item.sample)
			continue;
		visitor.thread = pfx_recording_thread(recording, item.sample);
		pfx_visit_sample_maps(&visitor, item.sample, false);
	}
	pfx_session_update(visitor.session);
	return rc;
}

/* Sorts binaries of the table first, in its order; then the others in order of appearance. */
struct hit {
	const struct pfx_dso *dso;
	uint32_t rank;
};

struct hits {
	PFX_VEC(struct hit) at;
	uint32_t nr_ranks; /* ranks from here on: not in the table */
};

static int compare_hits(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->dso->id < b->dso->id ? -1 : a->dso->id > b->dso->id;
}

/* A file may have two dsos: synthesized maps lack the generation of its inode. */
static bool is_same(const struct pfx_dso *a, const struct pfx_dso *b)
{
	return !strcmp(a->name, b->name) && a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

static void find_hits(const struct pfx_env *env, const struct pfx_session *session,
		      struct hits *ret)
{
	uint32_t i, rank, nr = pfx_session_nr_dsos(session);
	struct pfx_intern names = {0};
	const struct pfx_dso *dso;

	for (i = 0; i < env->nr_build_ids; i++) {
		rank = pfx_intern_str(&names, env->build_ids[i].filename);
		ret->nr_ranks = rank >= ret->nr_ranks ? rank + 1 : ret->nr_ranks;
	}
	for (i = 0; i < nr; i++) {
		dso = pfx_session_dso_at(session, i);
		if (!dso->hit)
			continue;
		rank = pfx_intern_str(&names, dso->name);
		pfx_vec_push(&ret->at,
			     ((struct hit){dso, rank < ret->nr_ranks ? rank : ret->nr_ranks}));
	}
	if (ret->at.nr)
		qsort(ret->at.at, ret->at.nr, sizeof(*ret->at.at), compare_hits);
	pfx_intern_fini(&names);
}

static void list_hits(const struct pfx_recording *recording, struct pfx_id_listing *to)
{
	const struct pfx_session *session = pfx_recording_session(recording);
	struct hits hits = {0};
	const struct pfx_dso *dso;
	const struct hit *hit;
	size_t i;

	find_hits(&pfx_recording_meta(recording)->env, session, &hits);
	for (i = 0; i < hits.at.nr; i++) {
		hit = &hits.at.at[i];
		dso = hit->dso;
		if (i && hit->rank < hits.nr_ranks && is_same(dso, hit[-1].dso))
			continue;
		add(to, dso->anon_pid >= 0 ? dso->script_name : dso->name, dso->build_id,
		    dso->build_id_size);
	}
	to->nr_samples = pfx_recording_stats(recording)->nr_samples;
	to->nr_hit = (uint32_t)hits.at.nr;
	to->nr_binaries = pfx_session_nr_dsos(session);
	pfx_vec_free(&hits.at);
}

int pfx_recording_list_ids(struct pfx_recording *recording,
			   const struct pfx_id_listing_options *options, struct pfx_id_listing *ret,
			   struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_recording_meta(recording);
	const struct pfx_env *env = &meta->env;
	/* AUX area data is not decoded, so that the binaries with samples are unknown. */
	bool with_hits = options->with_hits && !pfx_env_has(env, PFX_FEAT_AUXTRACE);
	bool by_hits = meta->is_pipe || with_hits || !pfx_env_has(env, PFX_FEAT_BUILD_ID);
	int rc = 0;

	*ret = (struct pfx_id_listing){0};
	if (by_hits)
		rc = read_hits(recording, err);
	else if (options->read_all)
		rc = pfx_recording_finish(recording, err);
	if (rc)
		return rc;
	if (by_hits)
		list_hits(recording, ret);
	else
		list_table(env, ret);
	return 0;
}
