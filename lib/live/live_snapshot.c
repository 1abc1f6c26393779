/* SPDX-License-Identifier: MIT */
/* The file is complete in itself: kernel, tasks, records, build IDs of the sampled binaries. */
#include "live/live_snapshot.h"

#include <errno.h>
#include <string.h>

#include "file/writer/writer.h"
#include "live/live_internal.h"

#define PIECE (1u << 20) /* bytes that are written at a time */

struct writing {
	struct pfx_live *live;
	struct pfx_writer *writer;
	struct pfx_buffer bytes;
	struct pfx_live_snapshot *done;
	struct pfx_error *err;
	int rc;
};

static void flush(struct writing *w, size_t above)
{
	if (w->rc < 0 || w->bytes.len <= above)
		return;
	w->rc = pfx_writer_append(w->writer, w->bytes.at, w->bytes.len, w->err);
	w->done->bytes += w->bytes.len;
	pfx_buffer_clear(&w->bytes);
}

static void add_record(void *context, const uint8_t *bytes, size_t size)
{
	struct writing *w = context;
	struct pfx_record rec;

	pfx_record_init(&rec, bytes, false, 0);
	if (rec.type == PFX_RECORD_FINISHED_ROUND) /* a refresh */
		return;
	w->done->nr_samples += rec.type == PFX_RECORD_SAMPLE;
	pfx_buffer_bytes(&w->bytes, bytes, size);
	flush(w, PIECE);
}

static void add_tasks(struct writing *w)
{
	static const struct {
		uint32_t type;
		uint16_t misc, size;
	} begun = {PFX_RECORD_FINISHED_INIT, 0, sizeof(begun)};
	struct pfx_live *live = w->live;

	pfx_buffer_bytes(&w->bytes, live->kernel.at, live->kernel.len);
	pfx_live_dump_tasks(live->past, &live->meta->events[0]->attr, &w->bytes);
	pfx_buffer_bytes(&w->bytes, &begun, sizeof(begun));
}

/* --- build IDs --- */

int pfx_live_build_id(const struct pfx_dso *dso, struct pfx_build_id *ret)
{
	switch (dso->kind) {
	case PFX_DSO_KERNEL:
		return pfx_build_id_of_kernel(ret);
	case PFX_DSO_MODULE:
		return pfx_build_id_of_module(dso->short_name, ret);
	case PFX_DSO_FILE:
		return pfx_build_id_of_file(dso->name, ret, NULL);
	default:
		return -ENOENT;
	}
}

static void add_id(struct pfx_env *env, const struct pfx_dso *dso, const struct pfx_build_id *id)
{
	struct pfx_env_build_id *to = &env->build_ids[env->nr_build_ids++];
	bool is_user = dso->kind == PFX_DSO_FILE;

	*to = (struct pfx_env_build_id){
		.misc = is_user ? PFX_MODE_USER : PFX_MODE_KERNEL,
		.pid = -1,
		.size = (uint8_t)id->size,
		.filename = dso->name,
	};
	memcpy(to->id, id->data, id->size);
}

/* Of binaries in which addresses were looked up. The array is dropped after the file is written:
 * the session that goes on must not see it. */
static void add_build_ids(struct pfx_live *live)
{
	struct pfx_session *session = live->world.session;
	uint32_t nr = pfx_session_nr_dsos(session), i;
	struct pfx_env *env = &live->meta->env;
	const struct pfx_dso *dso;
	struct pfx_build_id id;

	env->build_ids = pfx_calloc(nr + 1ul, sizeof(*env->build_ids));
	for (i = 0; i < nr; i++) {
		dso = pfx_session_dso_at(session, i);
		if (dso->hit && pfx_live_build_id(dso, &id) == 0)
			add_id(env, dso, &id);
	}
	if (env->nr_build_ids)
		pfx_env_set(env, PFX_FEAT_BUILD_ID);
}

static void drop_build_ids(struct pfx_env *env)
{
	pfx_free_and_null((void **)&env->build_ids);
	env->nr_build_ids = 0;
	pfx_env_unset(env, PFX_FEAT_BUILD_ID);
}

static void describe_times(struct pfx_live *live, struct pfx_live_snapshot *ret)
{
	struct pfx_env *env = &live->meta->env;

	if (!pfx_live_log_span(&live->log, &env->first_sample_ns, &env->last_sample_ns))
		return;
	ret->seconds = (double)(env->last_sample_ns - env->first_sample_ns) / 1e9;
	pfx_env_set(env, PFX_FEAT_SAMPLE_TIME);
}

int pfx_live_snapshot(struct pfx_live *live, const char *path, struct pfx_live_snapshot *ret,
		      struct pfx_error *err)
{
	struct writing w = {.live = live, .done = ret, .err = err};

	*ret = (struct pfx_live_snapshot){0};
	w.rc = pfx_writer_open(&w.writer, path, err);
	if (w.rc < 0)
		return w.rc;
	describe_times(live, ret);
	add_build_ids(live);
	w.rc = pfx_writer_begin(w.writer, live->meta, err);
	add_tasks(&w);
	pfx_live_log_each(&live->log, add_record, &w);
	flush(&w, 0);
	if (w.rc >= 0)
		w.rc = pfx_writer_end(w.writer, err);
	if (w.rc < 0)
		pfx_writer_discard(w.writer);
	pfx_writer_free(w.writer);
	drop_build_ids(&live->meta->env);
	pfx_buffer_fini(&w.bytes);
	return w.rc < 0 ? w.rc : 0;
}
