/* SPDX-License-Identifier: MIT */
/*
 * The records that user space writes, types 64 to 86: metadata of a recording in a pipe, CPU maps
 * and thread maps, counts, AUX data, compressed records. They never have a trailer. Layouts are
 * those that perf 2.6.31 to 7.2 wrote; numbers are 64 bits wide unless said otherwise. Numbers of
 * sections are those of Documentation/file-format.md.
 */
#include <string.h>

#include "event/codec_internal.h"

#define EVENT_TYPE_NAME   64
#define ERROR_MSG_SIZE    64
#define THREAD_ENTRY_SIZE 24
#define BPF_PROG_NAME     512
#define BPF_ENTRY_SIZE    320

/* 6.64 HEADER_ATTR: attr (attr.size bytes) id[] */
static void decode_header_attr(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			       struct pfx_body *ret)
{
	int used =
		pfx_attr_decode(c->at, pfx_cursor_left(c), c->swap, &ret->header_attr.attr, NULL);

	if (used < 0) {
		c->failed = true;
		return;
	}
	pfx_cursor_skip(c, (size_t)used);
	ret->header_attr.ids = pfx_record_rest_words(c);
}

static void encode_header_attr(const struct pfx_body *body, const struct pfx_record_context *ctx,
			       struct pfx_buffer *to)
{
	pfx_attr_encode(&body->header_attr.attr, to);
	pfx_record_put_words(to, &body->header_attr.ids);
}

/* 6.65 HEADER_EVENT_TYPE: id name[64] */
static void decode_event_type(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			      struct pfx_body *ret)
{
	ret->header_event_type.event_id = pfx_cursor_u64(c);
	ret->header_event_type.name = pfx_cursor_field(c, EVENT_TYPE_NAME);
}

static void encode_event_type(const struct pfx_body *body, const struct pfx_record_context *ctx,
			      struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->header_event_type.event_id);
	pfx_record_put_field(to, body->header_event_type.name, EVENT_TYPE_NAME);
}

/* 6.66 HEADER_TRACING_DATA: size:32 (0:32 since perf 6.18) */
static void decode_tracing_data(struct pfx_cursor *c, const struct pfx_record_context *ctx,
				struct pfx_body *ret)
{
	ret->tracing_data_size = pfx_cursor_u32(c);
}

static void encode_tracing_data(const struct pfx_body *body, const struct pfx_record_context *ctx,
				struct pfx_buffer *to)
{
	pfx_buffer_u32(to, body->tracing_data_size);
	pfx_buffer_u32(to, 0);
}

/* 6.67 HEADER_BUILD_ID: pid:32 build_id[20] size:8 0:8 0:16 filename[]; size is valid if misc has
 * the bit */
static void decode_build_id(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			    struct pfx_body *ret)
{
	struct pfx_header_build_id *b = &ret->header_build_id;
	const uint8_t *id;
	uint8_t size;

	b->pid = (int32_t)pfx_cursor_u32(c);
	id = pfx_cursor_bytes(c, PFX_BUILD_ID_MAX);
	size = pfx_cursor_u8(c);
	pfx_cursor_skip(c, 3);
	b->filename = pfx_cursor_cstr(c);
	if (!id)
		return;
	if (!(ctx->misc & PFX_MISC_BUILD_ID_SIZE) || size > PFX_BUILD_ID_MAX)
		size = PFX_BUILD_ID_MAX;
	b->build_id_size = size;
	memset(b->build_id, 0, sizeof(b->build_id));
	memcpy(b->build_id, id, size);
}

static void encode_build_id(const struct pfx_body *body, const struct pfx_record_context *ctx,
			    struct pfx_buffer *to)
{
	const struct pfx_header_build_id *b = &body->header_build_id;

	pfx_buffer_u32(to, (uint32_t)b->pid);
	pfx_buffer_bytes(to, b->build_id, PFX_BUILD_ID_MAX);
	pfx_buffer_u8(to, ctx->misc & PFX_MISC_BUILD_ID_SIZE ? b->build_id_size : 0);
	pfx_buffer_zeros(to, 3);
	pfx_buffer_cstr(to, b->filename, 1);
}

/* 6.69 ID_INDEX: nr { id idx cpu tid }[nr] ({ machine_pid vcpu }[nr] since perf 6.0, when needed)
 */
static void decode_id_index(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			    struct pfx_body *ret)
{
	struct pfx_id_index *index = &ret->id_index;

	memset(index, 0, sizeof(*index));
	index->nr = pfx_cursor_u64(c);
	if (!pfx_cursor_fits(c, index->nr, 32))
		return;
	index->entries = pfx_record_words(c, 4 * index->nr);
	if (pfx_cursor_left(c) / 16 >= index->nr)
		index->machines = pfx_record_words(c, 2 * index->nr);
}

static void encode_id_index(const struct pfx_body *body, const struct pfx_record_context *ctx,
			    struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->id_index.nr);
	pfx_record_put_words(to, &body->id_index.entries);
	pfx_record_put_words(to, &body->id_index.machines);
}

/* 6.70 AUXTRACE_INFO: type:32 0:32 priv[] */
static void decode_auxtrace_info(struct pfx_cursor *c, const struct pfx_record_context *ctx,
				 struct pfx_body *ret)
{
	ret->auxtrace_info.type = pfx_cursor_u32(c);
	pfx_cursor_skip(c, 4);
	ret->auxtrace_info.priv = pfx_record_rest_words(c);
}

static void encode_auxtrace_info(const struct pfx_body *body, const struct pfx_record_context *ctx,
				 struct pfx_buffer *to)
{
	pfx_buffer_u32(to, body->auxtrace_info.type);
	pfx_buffer_u32(to, 0);
	pfx_record_put_words(to, &body->auxtrace_info.priv);
}

/* 6.71 AUXTRACE: size offset reference idx:32 tid:32 cpu:32 0:32; size bytes follow the record */
static void decode_auxtrace(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			    struct pfx_body *ret)
{
	struct pfx_auxtrace *aux = &ret->auxtrace;

	aux->size = pfx_cursor_u64(c);
	aux->offset = pfx_cursor_u64(c);
	aux->reference = pfx_cursor_u64(c);
	aux->idx = pfx_cursor_u32(c);
	aux->tid = pfx_cursor_u32(c);
	aux->cpu = pfx_cursor_u32(c);
}

static void encode_auxtrace(const struct pfx_body *body, const struct pfx_record_context *ctx,
			    struct pfx_buffer *to)
{
	const struct pfx_auxtrace *aux = &body->auxtrace;

	pfx_buffer_u64(to, aux->size);
	pfx_buffer_u64(to, aux->offset);
	pfx_buffer_u64(to, aux->reference);
	pfx_buffer_u32(to, aux->idx);
	pfx_buffer_u32(to, aux->tid);
	pfx_buffer_u32(to, aux->cpu);
	pfx_buffer_u32(to, 0);
}

/*
 * 6.72 AUXTRACE_ERROR: type:32 code:32 cpu:32 pid:32 tid:32 fmt:32 ip (time) msg[64]
 *	(machine_pid:32 vcpu:32). fmt 0: no time; 1: time; 2: time, machine_pid and vcpu.
 */
static void decode_auxtrace_error(struct pfx_cursor *c, const struct pfx_record_context *ctx,
				  struct pfx_body *ret)
{
	struct pfx_auxtrace_error *e = &ret->auxtrace_error;

	memset(e, 0, sizeof(*e));
	e->type = pfx_cursor_u32(c);
	e->code = pfx_cursor_u32(c);
	e->cpu = pfx_cursor_u32(c);
	e->pid = pfx_cursor_u32(c);
	e->tid = pfx_cursor_u32(c);
	e->fmt = pfx_cursor_u32(c);
	e->ip = pfx_cursor_u64(c);
	e->time = e->fmt ? pfx_cursor_u64(c) : PFX_NO_TIME;
	e->msg = pfx_cursor_field(c, ERROR_MSG_SIZE);
	if (e->fmt >= 2 && pfx_cursor_left(c) >= 8) {
		e->machine_pid = pfx_cursor_u32(c);
		e->vcpu = pfx_cursor_u32(c);
	}
}

static void encode_auxtrace_error(const struct pfx_body *body, const struct pfx_record_context *ctx,
				  struct pfx_buffer *to)
{
	const struct pfx_auxtrace_error *e = &body->auxtrace_error;

	pfx_buffer_u32(to, e->type);
	pfx_buffer_u32(to, e->code);
	pfx_buffer_u32(to, e->cpu);
	pfx_buffer_u32(to, e->pid);
	pfx_buffer_u32(to, e->tid);
	pfx_buffer_u32(to, e->fmt);
	pfx_buffer_u64(to, e->ip);
	if (e->fmt)
		pfx_buffer_u64(to, e->time);
	pfx_record_put_field(to, e->msg, ERROR_MSG_SIZE);
	if (e->fmt >= 2) {
		pfx_buffer_u32(to, e->machine_pid);
		pfx_buffer_u32(to, e->vcpu);
	}
}

/* 6.73 THREAD_MAP: nr { pid comm[16] }[nr] */
static void decode_thread_map(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			      struct pfx_body *ret)
{
	ret->thread_map.nr = pfx_cursor_u64(c);
	ret->thread_map.entries = pfx_record_bytes(c, ret->thread_map.nr, THREAD_ENTRY_SIZE);
}

static void encode_thread_map(const struct pfx_body *body, const struct pfx_record_context *ctx,
			      struct pfx_buffer *to)
{
	const uint8_t *at = body->thread_map.entries.at;
	uint64_t i;

	pfx_buffer_u64(to, body->thread_map.nr);
	for (i = 0; i < body->thread_map.nr; i++, at += THREAD_ENTRY_SIZE) {
		pfx_buffer_u64(to, pfx_load64(at, body->swap));
		pfx_buffer_bytes(to, at + 8, THREAD_ENTRY_SIZE - 8);
	}
}

/*
 * A CPU map (6.74) is packed: type:16 at 0, then
 *	0 CPUS:	 nr:16 cpu:16[nr]
 *	1 MASK:	 nr:16 long_size:16, mask:32[nr] at 6 or (0:32) mask:64[nr] at 10
 *	2 RANGE: any_cpu:8 0:8 start:16 end:16
 */
static bool decode_cpus(struct pfx_cursor *c, struct pfx_cpu_map *ret)
{
	*ret = (struct pfx_cpu_map){.type = pfx_cursor_u16(c)};
	switch (ret->type) {
	case PFX_CPU_MAP_CPUS:
		ret->nr = pfx_cursor_u16(c);
		ret->entries = pfx_record_bytes(c, ret->nr, 2);
		break;
	case PFX_CPU_MAP_MASK:
		ret->nr = pfx_cursor_u16(c);
		ret->long_size = pfx_cursor_u16(c);
		if (ret->long_size == 8)
			pfx_cursor_skip(c, 4);
		else if (ret->long_size != 4)
			c->failed = true;
		ret->entries = pfx_record_bytes(c, ret->nr, ret->long_size == 8 ? 8 : 4);
		break;
	case PFX_CPU_MAP_RANGE:
		ret->any_cpu = pfx_cursor_u8(c);
		pfx_cursor_skip(c, 1);
		ret->start = pfx_cursor_u16(c);
		ret->end = pfx_cursor_u16(c);
		break;
	default:
		c->failed = true;
	}
	return pfx_cursor_ok(c);
}

static uint64_t mask_word(const struct pfx_cpu_map *map, uint32_t i, bool swap)
{
	const uint8_t *at = map->entries.at + (size_t)i * map->long_size;

	return map->long_size == 8 ? pfx_load64(at, swap) : pfx_load32(at, swap);
}

static void encode_mask(const struct pfx_cpu_map *map, bool swap, struct pfx_buffer *to)
{
	uint32_t i;

	pfx_buffer_u16(to, map->nr);
	pfx_buffer_u16(to, map->long_size);
	if (map->long_size == 8)
		pfx_buffer_u32(to, 0);
	for (i = 0; i < map->nr; i++) {
		if (map->long_size == 8)
			pfx_buffer_u64(to, mask_word(map, i, swap));
		else
			pfx_buffer_u32(to, (uint32_t)mask_word(map, i, swap));
	}
}

static void encode_cpus(const struct pfx_cpu_map *map, bool swap, struct pfx_buffer *to)
{
	uint32_t i;

	pfx_buffer_u16(to, map->type);
	switch (map->type) {
	case PFX_CPU_MAP_CPUS:
		pfx_buffer_u16(to, map->nr);
		for (i = 0; i < map->nr; i++)
			pfx_buffer_u16(to, pfx_load16(map->entries.at + 2 * (size_t)i, swap));
		break;
	case PFX_CPU_MAP_MASK:
		encode_mask(map, swap, to);
		break;
	case PFX_CPU_MAP_RANGE:
		pfx_buffer_u8(to, map->any_cpu);
		pfx_buffer_u8(to, 0);
		pfx_buffer_u16(to, map->start);
		pfx_buffer_u16(to, map->end);
		break;
	}
}

static int next_in_mask(const struct pfx_cpu_map *map, bool swap, uint32_t *pos)
{
	uint32_t bits = 8 * (uint32_t)map->long_size;

	while (*pos < map->nr * bits) {
		uint64_t word = mask_word(map, *pos / bits, swap) >> (*pos % bits);

		if (word) {
			*pos += (uint32_t)__builtin_ctzll(word) + 1;
			return (int)*pos - 1;
		}
		*pos += bits - *pos % bits;
	}
	return -1;
}

static int next_in_range(const struct pfx_cpu_map *map, uint32_t *pos)
{
	uint32_t any = map->any_cpu != 0;

	if (any && !*pos) {
		(*pos)++;
		return UINT16_MAX;
	}
	if (map->start > map->end || *pos - any > (uint32_t)(map->end - map->start))
		return -1;
	return map->start + (int)((*pos)++ - any);
}

int pfx_cpu_map_next(const struct pfx_cpu_map *map, bool swap, uint32_t *pos)
{
	switch (map->type) {
	case PFX_CPU_MAP_CPUS:
		if (*pos >= map->nr)
			return -1;
		return pfx_load16(map->entries.at + 2 * (size_t)(*pos)++, swap);
	case PFX_CPU_MAP_MASK:
		return next_in_mask(map, swap, pos);
	case PFX_CPU_MAP_RANGE:
		return next_in_range(map, pos);
	}
	return -1;
}

/* 6.74 CPU_MAP: the map */
static void decode_cpu_map(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			   struct pfx_body *ret)
{
	decode_cpus(c, &ret->cpu_map);
}

static void encode_cpu_map(const struct pfx_body *body, const struct pfx_record_context *ctx,
			   struct pfx_buffer *to)
{
	encode_cpus(&body->cpu_map, body->swap, to);
}

/* 6.75 STAT_CONFIG: nr { tag value }[nr] */
static void decode_stat_config(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			       struct pfx_body *ret)
{
	uint64_t nr = pfx_cursor_u64(c);

	ret->stat_config.entries = (struct pfx_words){0};
	if (pfx_cursor_fits(c, nr, 16))
		ret->stat_config.entries = pfx_record_words(c, 2 * nr);
}

static void encode_stat_config(const struct pfx_body *body, const struct pfx_record_context *ctx,
			       struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->stat_config.entries.nr / 2);
	pfx_record_put_words(to, &body->stat_config.entries);
}

/* 6.76 STAT: id cpu:32 thread:32 val ena run */
static void decode_stat(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			struct pfx_body *ret)
{
	ret->stat.id = pfx_cursor_u64(c);
	ret->stat.cpu = pfx_cursor_u32(c);
	ret->stat.thread = pfx_cursor_u32(c);
	ret->stat.val = pfx_cursor_u64(c);
	ret->stat.ena = pfx_cursor_u64(c);
	ret->stat.run = pfx_cursor_u64(c);
}

static void encode_stat(const struct pfx_body *body, const struct pfx_record_context *ctx,
			struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->stat.id);
	pfx_buffer_u32(to, body->stat.cpu);
	pfx_buffer_u32(to, body->stat.thread);
	pfx_buffer_u64(to, body->stat.val);
	pfx_buffer_u64(to, body->stat.ena);
	pfx_buffer_u64(to, body->stat.run);
}

/* 6.77 STAT_ROUND: type time */
static void decode_stat_round(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			      struct pfx_body *ret)
{
	ret->stat_round.type = pfx_cursor_u64(c);
	ret->stat_round.time = pfx_cursor_u64(c);
}

static void encode_stat_round(const struct pfx_body *body, const struct pfx_record_context *ctx,
			      struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->stat_round.type);
	pfx_buffer_u64(to, body->stat_round.time);
}

/* 6.78 EVENT_UPDATE: type id, then a string, a double, or a CPU map */
static void decode_event_update(struct pfx_cursor *c, const struct pfx_record_context *ctx,
				struct pfx_body *ret)
{
	struct pfx_event_update *update = &ret->event_update;
	uint64_t bits;

	memset(update, 0, sizeof(*update));
	update->type = pfx_cursor_u64(c);
	update->id = pfx_cursor_u64(c);
	switch (update->type) {
	case PFX_UPDATE_UNIT:
	case PFX_UPDATE_NAME:
		update->text = pfx_cursor_cstr(c);
		break;
	case PFX_UPDATE_SCALE:
		bits = pfx_cursor_u64(c);
		memcpy(&update->scale, &bits, sizeof(bits));
		break;
	case PFX_UPDATE_CPUS:
		decode_cpus(c, &update->cpus);
		break;
	}
}

static void encode_event_update(const struct pfx_body *body, const struct pfx_record_context *ctx,
				struct pfx_buffer *to)
{
	const struct pfx_event_update *update = &body->event_update;
	uint64_t bits;

	pfx_buffer_u64(to, update->type);
	pfx_buffer_u64(to, update->id);
	switch (update->type) {
	case PFX_UPDATE_UNIT:
	case PFX_UPDATE_NAME:
		pfx_buffer_cstr(to, update->text, 1);
		break;
	case PFX_UPDATE_SCALE:
		memcpy(&bits, &update->scale, sizeof(bits));
		pfx_buffer_u64(to, bits);
		break;
	case PFX_UPDATE_CPUS:
		encode_cpus(&update->cpus, body->swap, to);
		break;
	}
}

/* 6.79 TIME_CONV: shift mult zero (cycles mask cap_zero:8 cap_short:8 0:48 in the long form) */
static void decode_time_conv(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			     struct pfx_body *ret)
{
	struct pfx_time_conv *conv = &ret->time_conv;

	memset(conv, 0, sizeof(*conv));
	conv->time_shift = pfx_cursor_u64(c);
	conv->time_mult = pfx_cursor_u64(c);
	conv->time_zero = pfx_cursor_u64(c);
	conv->is_long = pfx_cursor_left(c) >= 24;
	if (!conv->is_long)
		return;
	conv->time_cycles = pfx_cursor_u64(c);
	conv->time_mask = pfx_cursor_u64(c);
	conv->cap_user_time_zero = pfx_cursor_u8(c);
	conv->cap_user_time_short = pfx_cursor_u8(c);
}

static void encode_time_conv(const struct pfx_body *body, const struct pfx_record_context *ctx,
			     struct pfx_buffer *to)
{
	const struct pfx_time_conv *conv = &body->time_conv;

	pfx_buffer_u64(to, conv->time_shift);
	pfx_buffer_u64(to, conv->time_mult);
	pfx_buffer_u64(to, conv->time_zero);
	if (!conv->is_long)
		return;
	pfx_buffer_u64(to, conv->time_cycles);
	pfx_buffer_u64(to, conv->time_mask);
	pfx_buffer_u8(to, conv->cap_user_time_zero);
	pfx_buffer_u8(to, conv->cap_user_time_short);
	pfx_buffer_zeros(to, 6);
}

/* 6.80 HEADER_FEATURE: feature bytes[] */
static void decode_header_feature(struct pfx_cursor *c, const struct pfx_record_context *ctx,
				  struct pfx_body *ret)
{
	ret->header_feature.feature = pfx_cursor_u64(c);
	ret->header_feature.payload = pfx_record_bytes(c, pfx_cursor_left(c), 1);
}

static void encode_header_feature(const struct pfx_body *body, const struct pfx_record_context *ctx,
				  struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->header_feature.feature);
	pfx_buffer_bytes(to, body->header_feature.payload.at, body->header_feature.payload.size);
}

/* 6.81 COMPRESSED: bytes[] */
static void decode_compressed(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			      struct pfx_body *ret)
{
	ret->compressed.data = pfx_record_bytes(c, pfx_cursor_left(c), 1);
}

static void encode_compressed(const struct pfx_body *body, const struct pfx_record_context *ctx,
			      struct pfx_buffer *to)
{
	pfx_buffer_bytes(to, body->compressed.data.at, body->compressed.data.size);
}

/* 6.83 COMPRESSED2: size bytes[size] */
static void decode_compressed2(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			       struct pfx_body *ret)
{
	ret->compressed.data = pfx_record_bytes(c, pfx_cursor_u64(c), 1);
}

static void encode_compressed2(const struct pfx_body *body, const struct pfx_record_context *ctx,
			       struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->compressed.data.size);
	encode_compressed(body, ctx, to);
}

/* 6.84 BPF_METADATA: prog_name[512] nr { key[64] value[256] }[nr] */
static void decode_bpf_metadata(struct pfx_cursor *c, const struct pfx_record_context *ctx,
				struct pfx_body *ret)
{
	ret->bpf_metadata.prog_name = pfx_cursor_field(c, BPF_PROG_NAME);
	ret->bpf_metadata.nr = pfx_cursor_u64(c);
	ret->bpf_metadata.entries = pfx_record_bytes(c, ret->bpf_metadata.nr, BPF_ENTRY_SIZE);
}

static void encode_bpf_metadata(const struct pfx_body *body, const struct pfx_record_context *ctx,
				struct pfx_buffer *to)
{
	pfx_record_put_field(to, body->bpf_metadata.prog_name, BPF_PROG_NAME);
	pfx_buffer_u64(to, body->bpf_metadata.nr);
	pfx_buffer_bytes(to, body->bpf_metadata.entries.at, body->bpf_metadata.entries.size);
}

/* 6.85, 6.86 SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN: timestamp cpu:32 version:16 domain:16, fields of the
 * version */
static void decode_schedstat(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			     struct pfx_body *ret)
{
	ret->schedstat.timestamp = pfx_cursor_u64(c);
	ret->schedstat.cpu = pfx_cursor_u32(c);
	ret->schedstat.version = pfx_cursor_u16(c);
	ret->schedstat.domain = pfx_cursor_u16(c);
	ret->schedstat.fields = pfx_record_bytes(c, pfx_cursor_left(c), 1);
}

static void encode_schedstat_head(const struct pfx_body *body, struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->schedstat.timestamp);
	pfx_buffer_u32(to, body->schedstat.cpu);
	pfx_buffer_u16(to, body->schedstat.version);
	pfx_buffer_u16(to, body->schedstat.domain);
}

static void put_words32(struct pfx_buffer *to, const struct pfx_bytes *bytes, uint64_t from,
			uint64_t end, bool swap)
{
	uint64_t i;

	for (i = from; i + 4 <= bytes->size && i + 4 <= end; i += 4)
		pfx_buffer_u32(to, pfx_load32(bytes->at + i, swap));
}

/* Six 32-bit numbers, then 64-bit numbers. */
static void encode_schedstat_cpu(const struct pfx_body *body, const struct pfx_record_context *ctx,
				 struct pfx_buffer *to)
{
	const struct pfx_bytes *fields = &body->schedstat.fields;
	uint64_t i;

	encode_schedstat_head(body, to);
	put_words32(to, fields, 0, 24, body->swap);
	for (i = 24; i + 8 <= fields->size; i += 8)
		pfx_buffer_u64(to, pfx_load64(fields->at + i, body->swap));
}

static void encode_schedstat_domain(const struct pfx_body *body,
				    const struct pfx_record_context *ctx, struct pfx_buffer *to)
{
	encode_schedstat_head(body, to);
	put_words32(to, &body->schedstat.fields, 0, UINT64_MAX, body->swap);
}

#define USER(type) [PFX_RECORD_##type - PFX_RECORD_USER_FIRST]

/* 6.68 FINISHED_ROUND and 6.82 FINISHED_INIT have no body. */
const struct pfx_record_codec pfx_record_user_codecs[PFX_RECORD_USER_MAX -
						     PFX_RECORD_USER_FIRST] = {
	USER(HEADER_ATTR) = {"ATTR", decode_header_attr, encode_header_attr, false},
	USER(HEADER_EVENT_TYPE) = {"EVENT_TYPE", decode_event_type, encode_event_type, false},
	USER(HEADER_TRACING_DATA) = {"TRACING_DATA", decode_tracing_data, encode_tracing_data,
				     false},
	USER(HEADER_BUILD_ID) = {"BUILD_ID", decode_build_id, encode_build_id, false},
	USER(FINISHED_ROUND) = {"FINISHED_ROUND", NULL, NULL, false},
	USER(ID_INDEX) = {"ID_INDEX", decode_id_index, encode_id_index, false},
	USER(AUXTRACE_INFO) = {"AUXTRACE_INFO", decode_auxtrace_info, encode_auxtrace_info, false},
	USER(AUXTRACE) = {"AUXTRACE", decode_auxtrace, encode_auxtrace, false},
	USER(AUXTRACE_ERROR) = {"AUXTRACE_ERROR", decode_auxtrace_error, encode_auxtrace_error,
				false},
	USER(THREAD_MAP) = {"THREAD_MAP", decode_thread_map, encode_thread_map, false},
	USER(CPU_MAP) = {"CPU_MAP", decode_cpu_map, encode_cpu_map, false},
	USER(STAT_CONFIG) = {"STAT_CONFIG", decode_stat_config, encode_stat_config, false},
	USER(STAT) = {"STAT", decode_stat, encode_stat, false},
	USER(STAT_ROUND) = {"STAT_ROUND", decode_stat_round, encode_stat_round, false},
	USER(EVENT_UPDATE) = {"EVENT_UPDATE", decode_event_update, encode_event_update, false},
	USER(TIME_CONV) = {"TIME_CONV", decode_time_conv, encode_time_conv, false},
	USER(HEADER_FEATURE) = {"FEATURE", decode_header_feature, encode_header_feature, true},
	USER(COMPRESSED) = {"COMPRESSED", decode_compressed, encode_compressed, true},
	USER(FINISHED_INIT) = {"FINISHED_INIT", NULL, NULL, false},
	USER(COMPRESSED2) = {"COMPRESSED2", decode_compressed2, encode_compressed2, false},
	USER(BPF_METADATA) = {"BPF_METADATA", decode_bpf_metadata, encode_bpf_metadata, false},
	USER(SCHEDSTAT_CPU) = {"SCHEDSTAT_CPU", decode_schedstat, encode_schedstat_cpu, false},
	USER(SCHEDSTAT_DOMAIN) = {"SCHEDSTAT_DOMAIN", decode_schedstat, encode_schedstat_domain,
				  false},
};
