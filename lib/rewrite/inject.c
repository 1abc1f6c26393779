/* SPDX-License-Identifier: MIT */
/*
 * The steps of inject: opens the input and the parts that the options need, copies each record with
 * added records before it, then writes the header. The changes are in inject_*.c.
 */
#include "rewrite/inject.h"

#include <errno.h>
#include <stdlib.h>

#include "rewrite/inject_internal.h"

/* Whether build IDs are added for binaries with samples, which needs the session; other changes
 * need only the time order of records. */
static bool by_hits(const struct pfx_inject_options *o)
{
	return (o->build_ids && !o->build_ids_all) || (o->maps_hit && !o->maps_all);
}

static bool wants_ids(const struct pfx_inject_options *o)
{
	return o->build_ids || o->build_ids_all || o->maps_hit || o->maps_all;
}

static int open_input(struct pfx_inject *inject, struct pfx_error *err)
{
	const struct pfx_inject_options *o = &inject->options;
	const struct pfx_recording_options how = {
		.reader = {.force = o->force,
			   .strict = o->strict,
			   .keep_meta_records = true,
			   .keep_payload = true},
		.as_it_lies = !by_hits(o) && !o->jit && !o->sched_stat,
		.late_frames_apart = true,
	};
	int rc = pfx_recording_open(&inject->recording, o->input, &how, err);

	if (!rc)
		inject->meta = pfx_recording_meta(inject->recording);
	return rc;
}

/* Opens the parts that the options need. */
static int open_parts(struct pfx_inject *inject, struct pfx_error *err)
{
	const struct pfx_inject_options *o = &inject->options;

	if (wants_ids(o)) {
		inject->ids = pfx_inject_ids_new(inject, err);
		if (!inject->ids)
			return -err->code;
	}
	if (by_hits(o))
		inject->session = pfx_recording_session(inject->recording);
	if (o->jit)
		inject->jit = pfx_inject_jit_new();
	if (o->sched_stat)
		inject->sched = pfx_inject_sched_new();
	return 0;
}

int pfx_inject_new(struct pfx_inject **ret, const struct pfx_inject_options *options,
		   struct pfx_error *err)
{
	struct pfx_inject *inject = pfx_calloc(1, sizeof(*inject));
	int rc;

	inject->options = *options;
	rc = open_input(inject, err);
	if (!rc)
		rc = open_parts(inject, err);
	if (rc < 0) {
		pfx_inject_free(inject);
		return rc;
	}
	*ret = inject;
	return 0;
}

static void free_result(struct pfx_inject_result *result)
{
	size_t i;

	for (i = 0; i < result->asked.nr; i++)
		free(result->asked.at[i].name);
	for (i = 0; i < result->dumps.nr; i++)
		free(result->dumps.at[i].path);
	pfx_vec_free(&result->asked);
	pfx_vec_free(&result->dumps);
}

void pfx_inject_free(struct pfx_inject *inject)
{
	if (!inject)
		return;
	pfx_buffer_fini(&inject->pending);
	pfx_buffer_fini(&inject->scratch);
	pfx_inject_ids_free(inject->ids);
	pfx_inject_jit_free(inject->jit);
	pfx_inject_sched_free(inject->sched);
	pfx_hash_fini(&inject->maps_told);
	pfx_recording_free(inject->recording);
	pfx_vec_free(&inject->aux);
	free_result(&inject->result);
	free(inject);
}

/* Writes JIT maps with earlier times before the record. */
/* A copy that keeps the traces where decoded samples were asked for would look right. */
static int refuse_traces(struct pfx_error *err)
{
	pfx_error_set(err, ENOTSUP, "--itrace: the traces of this recording cannot be decoded");
	pfx_error_hint(err, "pfx decodes no traces; without --itrace they are copied");
	return -ENOTSUP;
}

static int take_record(struct pfx_inject *inject, const struct pfx_record *rec,
		       struct pfx_error *err)
{
	int verdict = PFX_INJECT_KEEP, rc = 0;

	if (inject->options.itrace &&
	    (rec->type == PFX_RECORD_AUXTRACE_INFO || rec->type == PFX_RECORD_AUXTRACE))
		return refuse_traces(err);
	if (inject->jit && rec->time != PFX_NO_TIME)
		rc = pfx_inject_jit_until(inject, rec->time, err);
	if (rc < 0)
		return rc;
	if (inject->jit)
		verdict = pfx_inject_jit_take(inject, rec, err);
	if (inject->sched && verdict == PFX_INJECT_KEEP)
		verdict = pfx_inject_sched_take(inject, rec, err);
	if (verdict == PFX_INJECT_KEEP)
		return pfx_inject_take(inject, rec, err);
	pfx_recording_drop(inject->recording);
	return verdict;
}

static int copy_records(struct pfx_inject *inject, struct pfx_error *err)
{
	struct pfx_item item;
	int rc;

	while ((rc = pfx_recording_next(inject->recording, &item, err)) > 0) {
		rc = take_record(inject, &item.rec, err);
		if (rc < 0)
			break;
	}
	if (!rc && inject->jit)
		rc = pfx_inject_jit_until(inject, UINT64_MAX, err);
	return rc;
}

int pfx_inject_run(struct pfx_inject *inject, struct pfx_writer *writer, struct pfx_error *err)
{
	int rc;

	inject->writer = writer;
	rc = pfx_inject_begin(inject, err);
	if (!rc)
		rc = copy_records(inject, err);
	if (!rc && inject->ids)
		pfx_inject_ids_finish(inject);
	if (!rc)
		rc = pfx_inject_end(inject, err);
	inject->result.nr_left_out = pfx_writer_nr_left_out(writer);
	if (rc < 0)
		pfx_writer_discard(writer);
	return rc;
}

const struct pfx_inject_result *pfx_inject_result(const struct pfx_inject *inject)
{
	return &inject->result;
}

const struct pfx_recording *pfx_inject_recording(const struct pfx_inject *inject)
{
	return inject->recording;
}
