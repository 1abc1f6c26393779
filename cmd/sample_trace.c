/* SPDX-License-Identifier: MIT */
/*
 * Tracepoint fields as text: opens the recording's formats once, names kernel functions by its
 * symbols. Formatting is slow beside everything else, so that aggregation asks for ids: equal
 * contents are formatted once.
 */
#include "cmd/sample_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* common_type, _flags, _preempt_count and _pid stand first in every event and in no format. */
#define COMMON_SIZE 8
/* Longer contents hardly come twice. */
#define KEPT_MAX 512

/* The kernel function around @addr, for fields that hold addresses of functions. */
static const char *kernel_symbol(void *ctx, uint64_t addr, uint64_t *ret_start)
{
	struct pfx_sample_trace *st = ctx;
	struct pfx_thread *idle = pfx_session_thread(st->session, 0, 0);
	struct pfx_place *place = pfx_resolve(st->resolver, idle, PFX_MODE_KERNEL, addr);
	const struct pfx_symbol *sym = pfx_place_symbol(st->resolver, place);

	if (!sym)
		return NULL;
	*ret_start = addr - (place->addr - sym->start);
	return sym->name;
}

static struct pfx_trace *open_trace(struct pfx_sample_trace *st)
{
	const struct pfx_env_blob *blob = &pfx_reader_meta(st->reader)->env.tracing_data;

	if (!st->tried && blob->size) {
		st->tried = true;
		if (!pfx_trace_open(&st->trace, blob->at, blob->size, NULL))
			pfx_trace_set_symbols(st->trace, kernel_symbol, st);
	}
	return st->trace;
}

/* Where the text of these bytes is or goes, NULL for bytes that are not worth keeping. */
static struct pfx_kept_text *kept_at(struct pfx_sample_trace *st, const struct pfx_event *event,
				     const struct pfx_sample *sample, bool *ret_hit)
{
	struct pfx_kept_text *kept;
	uint64_t hash;

	*ret_hit = false;
	if (sample->raw.size > KEPT_MAX)
		return NULL;
	if (!st->kept)
		st->kept = pfx_calloc(PFX_SAMPLE_TRACE_KEPT, sizeof(*st->kept));
	hash = pfx_hash_bytes(sample->raw.at, sample->raw.size) + event->idx;
	kept = &st->kept[hash % PFX_SAMPLE_TRACE_KEPT];
	*ret_hit = kept->hash == hash && kept->event_idx == event->idx &&
		   kept->raw_size == sample->raw.size &&
		   !memcmp(kept->bytes.at, sample->raw.at, sample->raw.size);
	if (*ret_hit)
		return kept;
	kept->hash = hash;
	kept->event_idx = event->idx;
	kept->raw_size = (uint32_t)sample->raw.size;
	pfx_str_clear(&kept->bytes);
	pfx_str_addn(&kept->bytes, (const char *)sample->raw.at, sample->raw.size);
	return kept;
}

void pfx_sample_trace_print(struct pfx_sample_trace *st, const struct pfx_event *event,
			    const struct pfx_sample *sample, struct pfx_str *to)
{
	struct pfx_trace *trace = sample->raw.size ? open_trace(st) : NULL;
	struct pfx_kept_text *kept;
	size_t start = to->len;
	bool hit;

	if (!trace)
		return;
	kept = kept_at(st, event, sample, &hit);
	if (hit) {
		pfx_str_addn(to, kept->bytes.at + kept->raw_size, kept->bytes.len - kept->raw_size);
		return;
	}
	pfx_trace_print(trace, event->attr.config, sample->raw.at, sample->raw.size, sample->cpu,
			sample->time, to);
	if (kept)
		pfx_str_addn(&kept->bytes, pfx_str_get(to) + start, to->len - start);
}

static uint32_t make_text(struct pfx_sample_trace *st, const struct pfx_event *event,
			  const struct pfx_sample *sample)
{
	pfx_str_clear(&st->scratch);
	pfx_sample_trace_print(st, event, sample, &st->scratch);
	return pfx_intern_add(&st->texts, pfx_str_get(&st->scratch), st->scratch.len);
}

uint32_t pfx_sample_trace_id(void *ctx, const struct pfx_event *event,
			     const struct pfx_sample *sample)
{
	struct pfx_sample_trace *st = ctx;
	size_t skip = sample->raw.size < COMMON_SIZE ? 0 : COMMON_SIZE;
	uint32_t before = st->raws.nr, id;
	size_t cap = st->cap_text_of;

	pfx_str_clear(&st->scratch);
	pfx_str_addn(&st->scratch, (const char *)&event->idx, sizeof(event->idx));
	if (sample->raw.size)
		pfx_str_addn(&st->scratch, (const char *)sample->raw.at + skip,
			     sample->raw.size - skip);
	id = pfx_intern_add(&st->raws, st->scratch.at, st->scratch.len);
	if (st->raws.nr == before)
		return st->text_of[id];
	if (id >= cap) {
		st->text_of = pfx_vec_grow(st->text_of, &cap, id + 1, sizeof(*st->text_of));
		st->cap_text_of = cap;
	}
	return st->text_of[id] = make_text(st, event, sample);
}

const char *pfx_sample_trace_text(const void *ctx, uint32_t id)
{
	const struct pfx_sample_trace *st = ctx;

	return pfx_intern_get(&st->texts, id);
}

void pfx_sample_trace_fini(struct pfx_sample_trace *st)
{
	size_t i;

	pfx_trace_free(st->trace);
	for (i = 0; st->kept && i < PFX_SAMPLE_TRACE_KEPT; i++)
		pfx_str_fini(&st->kept[i].bytes);
	free(st->kept);
	pfx_intern_fini(&st->raws);
	pfx_intern_fini(&st->texts);
	free(st->text_of);
	pfx_str_fini(&st->scratch);
	memset(st, 0, sizeof(*st));
}
