/* SPDX-License-Identifier: MIT */
/*
 * Lists the builds of binaries that a recording needs: from its build ID table, else from its MMAP2
 * records. Does not search for the binaries.
 */
#include "read/build_ids.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

struct collection {
	struct pfx_kept_list *to;
	struct pfx_intern seen;
};

static void add(struct collection *c, const char *name, const uint8_t *id, uint8_t size)
{
	struct pfx_kept build = {.id.size = size};
	uint32_t known = c->seen.nr;
	uint8_t key[PFX_BUILD_ID_SIZE] = {0};

	if (size < 2 || size > PFX_BUILD_ID_SIZE || !name || !*name)
		return;
	memcpy(key, id, size);
	pfx_intern_add(&c->seen, key, sizeof(key));
	if (c->seen.nr == known)
		return;
	memcpy(build.id.data, id, size);
	build.name = pfx_strdup(name);
	pfx_vec_push(&c->to->builds, build);
}

static void add_table(struct collection *c, const struct pfx_env *env)
{
	uint32_t i;

	for (i = 0; i < env->nr_build_ids; i++)
		add(c, env->build_ids[i].filename, env->build_ids[i].id, env->build_ids[i].size);
}

static int add_maps(struct collection *c, struct pfx_recording *recording, struct pfx_error *err)
{
	struct pfx_session *session = pfx_recording_session(recording);
	const struct pfx_dso *dso;
	uint32_t i;
	int rc = pfx_recording_finish(recording, err);

	for (i = 0; i < pfx_session_nr_dsos(session); i++) {
		dso = pfx_session_dso_at(session, i);
		add(c, dso->kind == PFX_DSO_ANON ? dso->script_name : dso->name, dso->build_id,
		    dso->build_id_size);
	}
	return rc;
}

int pfx_recording_ids(struct pfx_recording *recording, struct pfx_kept_list *ret,
		      struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_recording_meta(recording);
	struct collection c = {.to = ret};
	int rc = 0;

	*ret = (struct pfx_kept_list){0};
	if (meta->is_pipe || !pfx_env_has(&meta->env, PFX_FEAT_BUILD_ID))
		rc = add_maps(&c, recording, err);
	add_table(&c, &meta->env);
	pfx_intern_fini(&c.seen);
	return rc;
}
