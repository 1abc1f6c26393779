/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace to the file: directly from its AUX area, after an AUXTRACE record; then the space
 * in the area is released.
 */
#include <string.h>

#include "arch/cpuid.h"
#include "record/file/record_file.h"

#define HEAD_SIZE 48 /* of an AUXTRACE record, without its data */

void pfx_record_trace_begin_file(struct pfx_record_file *file)
{
	file->areas.index.nr = 0;
	file->meta->env.nr_aux_index = 0;
	pfx_env_unset(&file->meta->env, PFX_FEAT_AUXTRACE);
}

void pfx_record_trace_end_file(struct pfx_record_file *file)
{
	struct pfx_env *env = &file->meta->env;
	size_t nr = file->areas.index.nr;

	if (!file->plan->trace.kind || file->plan->place.is_pipe)
		return;
	env->aux_index = pfx_arena_array(&file->meta->arena, struct pfx_env_aux_index, nr + 1);
	if (nr)
		memcpy(env->aux_index, file->areas.index.at, nr * sizeof(*env->aux_index));
	env->nr_aux_index = nr;
	pfx_env_set(env, PFX_FEAT_AUXTRACE);
}

static bool is_off(const struct pfx_record_file *file)
{
	return __atomic_load_n(&file->areas.is_off, __ATOMIC_ACQUIRE);
}

static void put_head(const struct pfx_record_file *file, const struct pfx_aux_area *area,
		     const uint64_t words[2], struct pfx_buffer *to)
{
	const struct pfx_ring *ring = &file->source->rings.list.at[area->ring];
	struct pfx_body body = {.type = PFX_RECORD_AUXTRACE};

	body.auxtrace.size = words[0];
	body.auxtrace.offset = words[1];
	body.auxtrace.reference = pfx_cpu_ticks();
	body.auxtrace.idx = (uint32_t)area->ring;
	body.auxtrace.tid = file->plan->is_system_wide ? UINT32_MAX : (uint32_t)ring->tid;
	body.auxtrace.cpu = (uint32_t)ring->cpu;
	pfx_record_encode(&body, NULL, to);
}

/* The record and its data, padded to 8 bytes. */
static int put_area(struct pfx_record_file *file, struct pfx_aux_area *area, struct pfx_error *err)
{
	static const uint8_t zeros[8];
	struct pfx_env_aux_index at = {pfx_writer_offset(file->sink.writer), HEAD_SIZE};
	struct iovec iov[4] = {0};
	struct pfx_buffer head = {0};
	uint64_t words[2];
	size_t pad;
	int nr, rc;

	nr = pfx_aux_take(area, file->plan->options->trace.snapshot_bytes, iov + 1, &words[1]);
	if (!nr)
		return 0;
	pad = -(area->head - area->tail) & 7;
	words[0] = area->head - area->tail + pad;
	put_head(file, area, words, &head);
	iov[0] = (struct iovec){head.at, head.len};
	iov[++nr] = (struct iovec){(void *)zeros, pad};
	rc = pfx_writer_appendv(file->sink.writer, iov, nr + (pad > 0), err);
	pfx_buffer_fini(&head);
	if (rc < 0)
		return rc;
	pfx_vec_push(&file->areas.index, at);
	return 0;
}

int pfx_record_trace_write(struct pfx_record_file *file, size_t number, struct pfx_error *err)
{
	struct pfx_record_source *source = file->source;
	struct pfx_aux_area *area;
	int rc;

	if (number == source->areas.list.nr) {
		if (!is_off(file))
			pfx_aux_switch(&source->counters, true);
		return 0;
	}
	area = &source->areas.list.at[number];
	rc = put_area(file, area, err);
	pfx_aux_release(area);
	/* The PMU stops when the area is full: start it again. */
	if (!area->keeps_newest && !is_off(file))
		pfx_aux_restart(&source->counters, &source->rings.list.at[area->ring]);
	return rc;
}
