/* SPDX-License-Identifier: MIT */
/*
 * A recording read for its addresses alone: nothing is counted and no name is looked up. What is
 * done with the addresses is not known here.
 */
#include "cmd/archive_touched.h"

#include <stdlib.h>

#include "cmd/deferred.h"
#include "cmd/recording.h"

#define FRAMES_MAX 1024 /* of a chain; reports show 127 unless asked for more */

struct pfx_touched {
	struct pfx_reader *reader;
	struct pfx_session *session;
	struct pfx_order *order;
	struct pfx_resolver *resolver;
};

static void take_sample(struct pfx_touched *touched, const struct pfx_record *rec)
{
	struct pfx_thread *thread;
	struct pfx_sample sample;
	struct pfx_branch branch;
	uint64_t i;

	if (!rec->event || !pfx_sample_decode(rec, &rec->event->attr, &sample))
		return;
	thread = pfx_session_thread(touched->session, sample.pid, sample.tid);
	pfx_resolve(touched->resolver, thread, sample.cpumode, sample.ip);
	pfx_resolve_chain_id(touched->resolver, thread, &sample);
	for (i = 0; i < sample.branch.nr; i++) {
		branch = pfx_branch_at(&sample.branch, i);
		pfx_resolve(touched->resolver, thread, PFX_MODE_USER, branch.from);
		pfx_resolve(touched->resolver, thread, PFX_MODE_USER, branch.to);
	}
}

static int read_all(struct pfx_touched *touched)
{
	struct pfx_deferred deferred = {.order = touched->order};
	struct pfx_record rec;
	int rc;

	while ((rc = pfx_deferred_next(&deferred, &rec, NULL)) > 0) {
		pfx_resolver_follow(touched->resolver, &rec);
		if (rec.type == PFX_RECORD_SAMPLE)
			take_sample(touched, &rec);
		else
			pfx_session_apply(touched->session, &rec);
	}
	pfx_deferred_fini(&deferred);
	pfx_session_update(touched->session);
	return rc;
}

struct pfx_touched *pfx_touched_read(const char *recording, unsigned how, const char *buildid_dir)
{
	const struct pfx_resolve_options options = {.sym.buildid_dir = buildid_dir,
						    .max_stack = FRAMES_MAX};
	struct pfx_touched *touched = pfx_calloc(1, sizeof(*touched));
	struct pfx_meta *meta;

	if (!pfx_recording_open(&touched->reader, recording, how, NULL)) {
		meta = pfx_reader_meta(touched->reader);
		touched->session = pfx_session_new(meta);
		touched->order = pfx_order_new(touched->reader, false);
		touched->resolver = pfx_resolver_new(touched->session, &options);
		if (!pfx_env_has(&meta->env, PFX_FEAT_AUXTRACE) && !read_all(touched))
			return touched;
	}
	pfx_touched_free(touched);
	return NULL;
}

void pfx_touched_free(struct pfx_touched *touched)
{
	if (!touched)
		return;
	pfx_resolver_free(touched->resolver);
	pfx_order_free(touched->order);
	pfx_session_free(touched->session);
	pfx_reader_free(touched->reader);
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
