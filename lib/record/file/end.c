/* SPDX-License-Identifier: MIT */
/* The end of a file: data that are only known after the last sample. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/file/record_file.h"
#include "record/file/reserve.h"

/* Append LOST_SAMPLES records with the kernel's count for each counter. */
static void put_lost(struct pfx_record_file *file, struct pfx_buffer *to)
{
	const struct pfx_attr *attr = &file->meta->events[0]->attr;
	uint64_t total = 0, lost;
	size_t i, j;

	for (i = 0; i < file->source->counters.list.nr; i++) {
		const struct pfx_counter *counter = &file->source->counters.list.at[i];

		for (j = 0; j < counter->fds.nr; j++) {
			struct pfx_body body = {.type = PFX_RECORD_LOST_SAMPLES};

			lost = file->source->machine->lost(counter, j);
			if (!lost)
				continue;
			body.lost_samples = lost;
			body.id.id = body.id.identifier = counter->fds.at[j].id;
			body.id.cpu = (uint32_t)counter->fds.at[j].cpu;
			pfx_record_encode(&body, attr, to);
			total += lost;
		}
	}
	/* Both count the same losses; LOST records do not include those after the last sample. */
	if (total > file->sink.tally.nr_lost)
		file->sink.tally.nr_lost = total;
}

static void put_build_id(const struct pfx_env_build_id *id, struct pfx_buffer *to)
{
	struct pfx_body body = {
		.type = PFX_RECORD_HEADER_BUILD_ID,
		.misc = id->misc,
	};

	body.header_build_id.pid = id->pid;
	body.header_build_id.build_id_size = id->size;
	memcpy(body.header_build_id.build_id, id->id, sizeof(id->id));
	body.header_build_id.filename = id->filename;
	pfx_record_encode(&body, NULL, to);
}

static void describe_packing(const struct pfx_record_file *file, struct pfx_env *env)
{
	struct pfx_output_totals totals;

	pfx_output_totals(file->out, &file->sink, &totals);
	pfx_pack_describe(file->sink.pack, env);
	if (totals.packed)
		env->comp_ratio = (uint32_t)((totals.original + totals.packed / 2) / totals.packed);
}

static void describe_end(struct pfx_record_file *file)
{
	struct pfx_env *env = &file->meta->env;
	uint32_t i;

	if (file->sink.tally.nr_samples && file->sink.tally.first_ns != PFX_NO_TIME) {
		env->first_sample_ns = file->sink.tally.first_ns;
		env->last_sample_ns = file->sink.tally.last_ns;
	}
	if (file->plan->options->out.timestamp_boundary)
		pfx_env_set(env, PFX_FEAT_SAMPLE_TIME);
	if (file->sink.pack)
		describe_packing(file, env);
	pfx_record_trace_end_file(file);
	pfx_record_describe_bpf(file->plan, &file->source->counters, file->meta);
	if (!file->plan->options->no_buildid)
		pfx_record_build_ids(file);
	for (i = 0; file->plan->place.is_pipe && i < env->nr_build_ids; i++)
		put_build_id(&env->build_ids[i], &file->scratch);
}

int pfx_record_file_end(struct pfx_record_file *file, struct pfx_error *err)
{
	int rc;

	pfx_reserve_release(&file->reserve_fd);
	rc = pfx_record_file_put_tail(file, err);
	if (rc < 0)
		return rc;
	describe_end(file);
	return pfx_writer_end(file->sink.writer, err);
}

/* Write everything that follows the last sample. */
static int put_last(struct pfx_record_file *file, bool is_whole, struct pfx_error *err)
{
	int rc = is_whole ? pfx_sink_end_offcpu(&file->sink, err) : 0;

	pfx_buffer_clear(&file->scratch);
	put_lost(file, &file->scratch);
	if (is_whole && rc >= 0)
		rc = pfx_record_file_put_tail(file, err);
	describe_end(file);
	if (rc >= 0 && is_whole && file->scratch.len)
		rc = pfx_writer_append(file->sink.writer, file->scratch.at, file->scratch.len, err);
	return rc;
}

int pfx_record_file_finish(struct pfx_record_file *file, bool is_whole, bool *ret_is_gone,
			   struct pfx_error *err)
{
	int first, rc;

	*ret_is_gone = false;
	pfx_reserve_release(&file->reserve_fd);
	first = put_last(file, is_whole, err);
	if (first == -EPIPE)
		return 0;
	rc = pfx_writer_end(file->sink.writer, first < 0 ? NULL : err);
	/* No space for the header features: at least keep the records readable. */
	if (rc < 0 && rc != -ESTALE)
		pfx_writer_refresh(file->sink.writer, NULL);
	if (rc >= 0)
		rc = pfx_output_check(file->out, first < 0 ? NULL : err);
	*ret_is_gone = rc == -ESTALE;
	return first < 0 ? first : rc < 0 ? rc : 0;
}

void pfx_record_file_fini(struct pfx_record_file *file)
{
	pfx_reserve_release(&file->reserve_fd);
	pfx_sink_fini(&file->sink);
	pfx_map_ids_fini(&file->map_ids);
	pfx_named_files_fini(&file->names);
	pfx_meta_free(file->meta);
	pfx_buffer_fini(&file->scratch);
	pfx_vec_free(&file->areas.index);
	free(file->keep_dir);
}
