/* SPDX-License-Identifier: MIT */
/*
 * Reads a recording only for its addresses, without counting samples or resolving symbols.
 */
#include "rewrite/touched_internal.h"

#include <stdlib.h>

#include "read/recording.h"

#define FRAMES_MAX 1024 /* in a chain; reports use 127 by default */

struct pfx_touched {
	struct pfx_recording *recording;
	struct pfx_resolver *resolver;
};

static void take_sample(struct pfx_touched *touched, const struct pfx_sample *sample)
{
	struct pfx_thread *thread = pfx_recording_thread(touched->recording, sample);
	struct pfx_branch branch;
	uint64_t i;

	pfx_resolve(touched->resolver, thread, sample->cpumode, sample->ip);
	pfx_resolve_chain_id(touched->resolver, thread, sample);
	for (i = 0; i < sample->branch.nr; i++) {
		branch = pfx_branch_at(&sample->branch, i);
		pfx_resolve(touched->resolver, thread, PFX_MODE_USER, branch.from);
		pfx_resolve(touched->resolver, thread, PFX_MODE_USER, branch.to);
	}
}

static int read_all(struct pfx_touched *touched)
{
	struct pfx_item item;
	int rc;

	while ((rc = pfx_recording_next(touched->recording, &item, NULL)) > 0)
		if (item.sample)
			take_sample(touched, item.sample);
	pfx_session_update(pfx_recording_session(touched->recording));
	return rc;
}

struct pfx_touched *pfx_touched_read(const char *path, bool force, const char *buildid_dir)
{
	const struct pfx_resolve_options resolving = {.sym.buildid_dir = buildid_dir,
						      .max_stack = FRAMES_MAX};
	const struct pfx_recording_options how = {.reader.force = force};
	struct pfx_touched *touched = pfx_calloc(1, sizeof(*touched));

	if (!pfx_recording_open(&touched->recording, path, &how, NULL)) {
		pfx_recording_resolve(touched->recording, &resolving);
		touched->resolver = pfx_recording_resolver(touched->recording);
		if (!pfx_env_has(&pfx_recording_meta(touched->recording)->env, PFX_FEAT_AUXTRACE) &&
		    !read_all(touched))
			return touched;
	}
	pfx_touched_free(touched);
	return NULL;
}

void pfx_touched_free(struct pfx_touched *touched)
{
	if (!touched)
		return;
	pfx_recording_free(touched->recording);
	free(touched);
}

void pfx_touched_offsets(const struct pfx_touched *touched, const struct pfx_build_id *id,
			 struct pfx_offsets *ret)
{
	uint32_t i, nr = pfx_resolver_nr_places(touched->resolver);
	const struct pfx_place *place;
	struct pfx_build_id own;

	*ret = (struct pfx_offsets){0};
	for (i = 0; i < nr; i++) {
		place = pfx_resolver_place_at(touched->resolver, i);
		if (!place->dso)
			continue;
		own = pfx_build_id_make(place->dso->build_id, place->dso->build_id_size);
		if (pfx_build_id_same(&own, id))
			pfx_vec_push(&ret->at, place->addr);
	}
}
