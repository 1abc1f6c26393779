/* SPDX-License-Identifier: MIT */
/*
 * The way of a trace into the file. The thread that empties the rings only notices that an area has
 * something new and asks for it, in order with what the rings had; the queue's thread writes
 * straight from the area, behind an AUXTRACE record, and gives the space back. What the trace says
 * is not known here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/cpuid.h"
#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/record/record_internal.h"
#include "sys/synth/synth.h"

#define HEAD_SIZE 48 /* of an AUXTRACE record; its data is not counted */

int pfx_record_aux_map(struct pfx_recorder *rec, bool *ret_too_large, struct pfx_error *err)
{
	int rc;

	*ret_too_large = false;
	if (!rec->aux.kind)
		return 0;
	rc = pfx_aux_map(&rec->aux.areas, &rec->rings, &rec->counters, rec->aux.bytes,
			 rec->aux.keeps_newest, err);
	*ret_too_large = rc == -EPERM || rc == -ENOMEM;
	if (rc < 0)
		return rc;
	free(rec->aux.asked);
	rec->aux.asked = pfx_calloc(rec->aux.areas.list.nr + 1, sizeof(*rec->aux.asked));
	rec->aux.is_off = rec->options->output_side.delayed;
	return 0;
}

int pfx_record_aux_describe(struct pfx_recorder *rec, struct pfx_buffer *to, struct pfx_error *err)
{
	struct pfx_aux_facts facts = {
		.kind = rec->aux.kind,
		.pmu = rec->aux.pmu,
		.attr = &rec->counters.list.at[0].attr,
		.filter = rec->counters.list.at[0].filter,
		.snapshot = rec->options->aux.snapshot,
		.per_cpu = !rec->target.per_thread,
		.switches = rec->aux.switches,
		.cpus = &rec->target.cpus,
	};
	struct pfx_time_conv clock = {0};
	struct pfx_target all = {0};
	int rc = 0;

	if (!rec->aux.kind)
		return 0;
	if (pfx_synth_clock(rec->rings.list.at[0].page, &clock)) {
		facts.has_time_zero = true;
		facts.time_shift = (uint16_t)clock.time_shift;
		facts.time_mult = (uint32_t)clock.time_mult;
		facts.time_zero = clock.time_zero;
	} else if (rec->aux.kind == PFX_AUX_INTEL_PT && !rec->options->quiet) {
		pfx_print_note("record", "the kernel does not say how the CPU's counter becomes "
					 "time: the trace has no times");
	}
	pfx_cpuid_clock_ratio(&facts.tsc_ctc_n, &facts.tsc_ctc_d);
	/* A thread's trace may come from any CPU. */
	if (!facts.per_cpu)
		rc = pfx_target_cpus(&all, NULL, NULL, err);
	if (!facts.per_cpu)
		facts.cpus = &all.cpus;
	if (rc >= 0)
		rc = pfx_aux_info(&facts, NULL, to, err);
	pfx_target_fini(&all);
	return rc;
}

void pfx_record_aux_begin_file(struct pfx_recorder *rec)
{
	rec->aux.index.nr = 0;
	rec->meta->env.nr_aux_index = 0;
	pfx_env_unset(&rec->meta->env, PFX_FEAT_AUXTRACE);
}

void pfx_record_aux_end_file(struct pfx_recorder *rec)
{
	struct pfx_env *env = &rec->meta->env;
	size_t nr = rec->aux.index.nr;

	if (!rec->aux.kind || rec->is_pipe)
		return;
	env->aux_index = pfx_arena_array(&rec->meta->arena, struct pfx_env_aux_index, nr + 1);
	if (nr)
		memcpy(env->aux_index, rec->aux.index.at, nr * sizeof(*env->aux_index));
	env->nr_aux_index = nr;
	pfx_env_set(env, PFX_FEAT_AUXTRACE);
}

/* --- on the thread that empties the rings --- */

static int ask(struct pfx_recorder *rec, size_t number, struct pfx_error *err)
{
	return pfx_output_ask(rec->out.to, PFX_OUTPUT_ASK_OWN + number, err);
}

void pfx_record_aux_want_snapshot(struct pfx_recorder *rec)
{
	if (!rec->options->aux.snapshot || !rec->aux.kind || rec->aux.in_samples)
		return;
	pfx_aux_switch(&rec->counters, false);
	rec->aux.wants_snapshot = true;
}

/* All areas, and then the PMUs go on. */
static int ask_snapshot(struct pfx_recorder *rec, struct pfx_error *err)
{
	size_t nr = rec->aux.areas.list.nr, i;
	int rc = 0;

	rec->aux.wants_snapshot = false;
	for (i = 0; i <= nr && rc >= 0; i++)
		rc = ask(rec, i, err);
	return rc;
}

int pfx_record_aux_pass(struct pfx_recorder *rec, struct pfx_error *err)
{
	uint64_t head;
	size_t i;
	int rc = 0;

	if (rec->aux.wants_snapshot)
		return ask_snapshot(rec, err);
	for (i = 0; i < rec->aux.areas.list.nr && !rec->aux.keeps_newest && rc >= 0; i++) {
		head = pfx_aux_head(&rec->aux.areas.list.at[i]);
		if (head == rec->aux.asked[i])
			continue;
		rec->aux.asked[i] = head;
		rc = ask(rec, i, err);
	}
	return rc;
}

int pfx_record_aux_last(struct pfx_recorder *rec, struct pfx_error *err)
{
	if (rec->options->aux.snapshot_at_end && rec->aux.kind && !rec->aux.in_samples)
		rec->aux.wants_snapshot = true;
	return pfx_record_aux_pass(rec, err);
}

void pfx_record_aux_set_off(struct pfx_recorder *rec, bool off)
{
	__atomic_store_n(&rec->aux.is_off, off, __ATOMIC_RELEASE);
}

/* --- on the queue's thread --- */

static bool is_off(const struct pfx_recorder *rec)
{
	return __atomic_load_n(&rec->aux.is_off, __ATOMIC_ACQUIRE);
}

static void put_head(const struct pfx_recorder *rec, const struct pfx_aux_area *area,
		     const uint64_t words[2], struct pfx_buffer *to)
{
	const struct pfx_ring *ring = &rec->rings.list.at[area->ring];
	struct pfx_body body = {.type = PFX_RECORD_AUXTRACE};

	body.auxtrace.size = words[0];
	body.auxtrace.offset = words[1];
	body.auxtrace.reference = pfx_cpu_ticks();
	body.auxtrace.idx = (uint32_t)area->ring;
	body.auxtrace.tid = rec->is_system_wide ? UINT32_MAX : (uint32_t)ring->tid;
	body.auxtrace.cpu = (uint32_t)ring->cpu;
	pfx_record_encode(&body, NULL, to);
}

/* The record and its data, which is padded to whole words. */
static int put_area(struct pfx_recorder *rec, struct pfx_aux_area *area, struct pfx_error *err)
{
	static const uint8_t zeros[8];
	struct pfx_env_aux_index at = {pfx_writer_offset(rec->sink.writer), HEAD_SIZE};
	struct iovec iov[4] = {0};
	struct pfx_buffer head = {0};
	uint64_t words[2];
	size_t pad;
	int nr, rc;

	nr = pfx_aux_take(area, rec->options->aux.snapshot_bytes, iov + 1, &words[1]);
	if (!nr)
		return 0;
	pad = -(area->head - area->tail) & 7;
	words[0] = area->head - area->tail + pad;
	put_head(rec, area, words, &head);
	iov[0] = (struct iovec){head.at, head.len};
	iov[++nr] = (struct iovec){(void *)zeros, pad};
	rc = pfx_writer_appendv(rec->sink.writer, iov, nr + (pad > 0), err);
	pfx_buffer_fini(&head);
	if (rc < 0)
		return rc;
	pfx_vec_push(&rec->aux.index, at);
	rec->aux.nr_bytes += words[0];
	return 0;
}

int pfx_record_aux_answer(struct pfx_recorder *rec, size_t request, struct pfx_error *err)
{
	size_t at = request - PFX_OUTPUT_ASK_OWN;
	struct pfx_aux_area *area;
	int rc;

	if (at == rec->aux.areas.list.nr) {
		if (!is_off(rec))
			pfx_aux_switch(&rec->counters, true);
		return 0;
	}
	area = &rec->aux.areas.list.at[at];
	rc = put_area(rec, area, err);
	pfx_aux_release(area);
	/* The PMU stops where the area is full. */
	if (!area->keeps_newest && !is_off(rec))
		pfx_aux_restart(&rec->counters, &rec->rings.list.at[area->ring]);
	return rc;
}

void pfx_record_aux_fini(struct pfx_recorder *rec)
{
	pfx_aux_unmap(&rec->aux.areas);
	pfx_vec_free(&rec->aux.index);
	free(rec->aux.asked);
}
