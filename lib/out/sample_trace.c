/* SPDX-License-Identifier: MIT */
/*
 * Tracepoint fields as text: opens the recording's formats once, names kernel functions by its
 * symbols. Many events repeat the same contents, so texts are cached by their bytes. Aggregation
 * asks for ids of texts instead of texts.
 */
#include "out/sample_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* common_type, _flags, _preempt_count and _pid are the first fields of every event and not in the
 * text. */
#define COMMON_SIZE 8
/* Longer contents are rarely repeated. */
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

struct pfx_trace *pfx_sample_trace_formats(struct pfx_sample_trace *st)
{
	const struct pfx_env_blob *blob = &st->meta->env.tracing_data;

	if (!st->tried && blob->size) {
		st->tried = true;
		if (!pfx_trace_open(&st->trace, blob->at, blob->size, NULL))
			pfx_trace_set_symbols(st->trace, kernel_symbol, st);
	}
	return st->trace;
}

static bool is_of(const struct pfx_kept_text *kept, const struct pfx_event *event,
		  const uint8_t *raw, size_t size)
{
	return kept->bytes.at && kept->event_idx == event->idx && kept->raw_size == size &&
	       !memcmp(kept->bytes.at, raw, size);
}

/* Look-up by hash; *@ret_hit if the text is cached. */
static struct pfx_kept_text *find_kept(struct pfx_kept_texts *texts, const struct pfx_event *event,
				       const uint8_t *raw, size_t size, bool *ret_hit)
{
	uint64_t hash = pfx_hash_bytes(raw, size) + event->idx;
	struct pfx_kept_text *kept;

	if (!texts->table)
		texts->table = pfx_calloc(PFX_SAMPLE_TRACE_KEPT, sizeof(*texts->table));
	kept = &texts->table[hash % PFX_SAMPLE_TRACE_KEPT];
	*ret_hit = is_of(kept, event, raw, size);
	if (*ret_hit)
		return kept;
	kept->event_idx = event->idx;
	kept->raw_size = (uint32_t)size;
	pfx_str_clear(&kept->bytes);
	pfx_str_reserve(&kept->bytes, size);
	pfx_str_addn(&kept->bytes, (const char *)raw, size);
	return kept;
}

/* The cache entry for these bytes, *@ret_hit if it is filled. NULL for bytes that are not cached.
 * Programs often repeat sequences of events: the entry that followed the previous one last time is
 * tried first. */
static struct pfx_kept_text *kept_at(struct pfx_kept_texts *texts, const struct pfx_event *event,
				     const uint8_t *raw, size_t size, bool *ret_hit)
{
	struct pfx_kept_text *last = texts->last, *kept;

	*ret_hit = last && last->follower && is_of(last->follower, event, raw, size);
	if (*ret_hit)
		return texts->last = last->follower;
	if (size > KEPT_MAX)
		return NULL;
	kept = find_kept(texts, event, raw, size, ret_hit);
	if (last)
		last->follower = kept;
	return texts->last = kept;
}

void pfx_sample_trace_print(struct pfx_sample_trace *st, const struct pfx_event *event,
			    const struct pfx_sample *sample, struct pfx_str *to)
{
	struct pfx_trace *trace = sample->raw.size ? pfx_sample_trace_formats(st) : NULL;
	struct pfx_kept_text *kept;
	size_t start = to->len;
	bool hit;

	if (!trace)
		return;
	kept = kept_at(&st->kept, event, sample->raw.at, sample->raw.size, &hit);
	if (hit) {
		pfx_str_addn(to, kept->bytes.at + kept->raw_size, kept->bytes.len - kept->raw_size);
		return;
	}
	pfx_trace_print(trace, event->attr.config, sample->raw.at, sample->raw.size, to);
	if (kept)
		pfx_str_addn(&kept->bytes, pfx_str_get(to) + start, to->len - start);
}

static void print(struct pfx_sample_trace *st, const struct pfx_event *event,
		  const struct pfx_sample *sample)
{
	struct pfx_trace *trace = pfx_sample_trace_formats(st);

	if (st->raw)
		pfx_trace_print_raw(trace, event->attr.config, sample->raw.at, sample->raw.size,
				    &st->scratch);
	else
		pfx_trace_print(trace, event->attr.config, sample->raw.at, sample->raw.size,
				&st->scratch);
}

uint32_t pfx_sample_trace_id(void *ctx, const struct pfx_event *event,
			     const struct pfx_sample *sample)
{
	struct pfx_sample_trace *st = ctx;
	size_t skip = sample->raw.size < COMMON_SIZE ? 0 : COMMON_SIZE;
	struct pfx_kept_text *kept = NULL;
	struct pfx_trace *trace;
	uint32_t id;
	bool hit = false;

	if (event->attr.type != PFX_TYPE_TRACEPOINT)
		return pfx_intern_str(&st->texts, "N/A");
	if (sample->raw.size)
		kept = kept_at(&st->kept_ids, event, (const uint8_t *)sample->raw.at + skip,
			       sample->raw.size - skip, &hit);
	if (hit)
		return kept->id;
	pfx_str_clear(&st->scratch);
	trace = sample->raw.size ? pfx_sample_trace_formats(st) : NULL;
	if (trace)
		print(st, event, sample);
	id = pfx_intern_add(&st->texts, pfx_str_get(&st->scratch), st->scratch.len);
	if (kept)
		kept->id = id;
	return id;
}

const char *pfx_sample_trace_text(const void *ctx, uint32_t id)
{
	const struct pfx_sample_trace *st = ctx;

	return pfx_intern_get(&st->texts, id);
}

static void free_kept(struct pfx_kept_texts *texts)
{
	size_t i;

	for (i = 0; texts->table && i < PFX_SAMPLE_TRACE_KEPT; i++)
		pfx_str_fini(&texts->table[i].bytes);
	free(texts->table);
}

void pfx_sample_trace_fini(struct pfx_sample_trace *st)
{
	pfx_trace_free(st->trace);
	free_kept(&st->kept);
	free_kept(&st->kept_ids);
	pfx_intern_fini(&st->texts);
	pfx_intern_fini(&st->fields);
	pfx_vec_free(&st->field_texts);
	pfx_str_fini(&st->scratch);
	pfx_str_fini(&st->near);
	memset(st, 0, sizeof(*st));
}
