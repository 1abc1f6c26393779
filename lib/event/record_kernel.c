/* SPDX-License-Identifier: MIT */
/*
 * The records that the kernel writes (and that user space synthesizes for processes that started
 * earlier). Layouts are those of the kernel's perf_event.h; numbers are 64 bits wide unless said
 * otherwise. The trailer of sample_id_all is handled by record.c. Numbers of sections are those of
 * Documentation/file-format.md.
 */
#include <string.h>

#include "event/codec_internal.h"

/* All defined PROT_ bits: read, write, exec, CPU-specific bits, grows down, grows up. */
#define PROT_KNOWN   0x030000ffu
#define PROT_OF_CODE 5 /* read, execute */
#define PROT_OF_DATA 1 /* read */

/* 5.1 MMAP: pid:32 tid:32 addr len pgoff filename[] */
static void decode_mmap(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			struct pfx_body *ret)
{
	struct pfx_mmap *m = &ret->mmap;

	memset(m, 0, sizeof(*m));
	m->pid = pfx_cursor_u32(c);
	m->tid = pfx_cursor_u32(c);
	m->addr = pfx_cursor_u64(c);
	m->len = pfx_cursor_u64(c);
	m->pgoff = pfx_cursor_u64(c);
	m->filename = pfx_cursor_cstr(c);
}

static void encode_mmap_range(const struct pfx_mmap *m, struct pfx_buffer *to)
{
	pfx_buffer_u32(to, m->pid);
	pfx_buffer_u32(to, m->tid);
	pfx_buffer_u64(to, m->addr);
	pfx_buffer_u64(to, m->len);
	pfx_buffer_u64(to, m->pgoff);
}

static void encode_mmap(const struct pfx_body *body, const struct pfx_record_context *ctx,
			struct pfx_buffer *to)
{
	encode_mmap_range(&body->mmap, to);
	pfx_buffer_cstr(to, body->mmap.filename, 1);
}

/* Instead of device and inode: size:8 0:8 0:16 build_id[20] */
static void decode_mmap_build_id(struct pfx_cursor *c, struct pfx_mmap *m)
{
	uint8_t size = pfx_cursor_u8(c);
	const uint8_t *id;

	pfx_cursor_skip(c, 3);
	id = pfx_cursor_bytes(c, PFX_BUILD_ID_MAX);
	if (!id)
		return;
	m->build_id_size = size;
	memcpy(m->build_id, id, m->build_id_size);
}

/*
 * The bit in misc is not sufficient: if a second recorder requested build IDs, the kernel also sets
 * it in records that contain device and inode. There, the size would be a byte of the device
 * number, and bytes that must be 0 are not: beside the size, and after a short ID. An ID of no
 * bytes is one if nothing at all follows.
 */
static bool has_build_id(const struct pfx_cursor *c, uint16_t misc)
{
	static const uint8_t zeros[PFX_BUILD_ID_MAX];
	struct pfx_cursor look = *c;
	const uint8_t *id;
	uint8_t size;

	if (!(misc & PFX_MISC_MMAP_BUILD_ID))
		return false;
	size = pfx_cursor_u8(&look);
	if (size > PFX_BUILD_ID_MAX || pfx_cursor_u8(&look) || pfx_cursor_u16(&look))
		return false;
	id = pfx_cursor_bytes(&look, PFX_BUILD_ID_MAX);
	return id && !memcmp(id + size, zeros, PFX_BUILD_ID_MAX - size);
}

/* Linux 3.12 had no prot and flags: the file name, "/..." or "[...", is at their offset. */
static void decode_prot(struct pfx_cursor *c, uint16_t misc, struct pfx_mmap *m)
{
	struct pfx_cursor start = *c;

	m->prot = pfx_cursor_u32(c);
	m->flags = pfx_cursor_u32(c);
	if (!(m->prot & ~PROT_KNOWN) || c->failed || (*start.at != '/' && *start.at != '['))
		return;
	m->prot = misc & PFX_MISC_MMAP_DATA ? PROT_OF_DATA : PROT_OF_CODE;
	m->flags = 0;
	*c = start;
}

/* 5.10 MMAP2: pid:32 tid:32 addr len pgoff (maj:32 min:32 ino generation | build id) prot:32
 * flags:32 filename[] */
static void decode_mmap2(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			 struct pfx_body *ret)
{
	struct pfx_mmap *m = &ret->mmap;

	memset(m, 0, sizeof(*m));
	m->pid = pfx_cursor_u32(c);
	m->tid = pfx_cursor_u32(c);
	m->addr = pfx_cursor_u64(c);
	m->len = pfx_cursor_u64(c);
	m->pgoff = pfx_cursor_u64(c);
	if (has_build_id(c, ctx->misc)) {
		decode_mmap_build_id(c, m);
	} else {
		ret->misc &= (uint16_t)~PFX_MISC_MMAP_BUILD_ID;
		m->maj = pfx_cursor_u32(c);
		m->min = pfx_cursor_u32(c);
		m->ino = pfx_cursor_u64(c);
		m->ino_generation = pfx_cursor_u64(c);
	}
	decode_prot(c, ctx->misc, m);
	m->filename = pfx_cursor_cstr(c);
}

static void encode_mmap2(const struct pfx_body *body, const struct pfx_record_context *ctx,
			 struct pfx_buffer *to)
{
	const struct pfx_mmap *m = &body->mmap;

	encode_mmap_range(m, to);
	if (ctx->misc & PFX_MISC_MMAP_BUILD_ID) {
		pfx_buffer_u8(to, m->build_id_size);
		pfx_buffer_zeros(to, 3);
		pfx_buffer_bytes(to, m->build_id, PFX_BUILD_ID_MAX);
	} else {
		pfx_buffer_u32(to, m->maj);
		pfx_buffer_u32(to, m->min);
		pfx_buffer_u64(to, m->ino);
		pfx_buffer_u64(to, m->ino_generation);
	}
	pfx_buffer_u32(to, m->prot);
	pfx_buffer_u32(to, m->flags);
	pfx_buffer_cstr(to, m->filename, 1);
}

/* 5.2 LOST: id lost */
static void decode_lost(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			struct pfx_body *ret)
{
	ret->lost.id = pfx_cursor_u64(c);
	ret->lost.lost = pfx_cursor_u64(c);
}

static void encode_lost(const struct pfx_body *body, const struct pfx_record_context *ctx,
			struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->lost.id);
	pfx_buffer_u64(to, body->lost.lost);
}

/* 5.3 COMM: pid:32 tid:32 comm[] */
static void decode_comm(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			struct pfx_body *ret)
{
	ret->comm.pid = pfx_cursor_u32(c);
	ret->comm.tid = pfx_cursor_u32(c);
	ret->comm.comm = pfx_cursor_cstr(c);
}

static void encode_comm(const struct pfx_body *body, const struct pfx_record_context *ctx,
			struct pfx_buffer *to)
{
	pfx_buffer_u32(to, body->comm.pid);
	pfx_buffer_u32(to, body->comm.tid);
	pfx_buffer_cstr(to, body->comm.comm, 1);
}

/* 5.4, 5.7 FORK, EXIT: pid:32 ppid:32 tid:32 ptid:32 time */
static void decode_task(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			struct pfx_body *ret)
{
	ret->task.pid = pfx_cursor_u32(c);
	ret->task.ppid = pfx_cursor_u32(c);
	ret->task.tid = pfx_cursor_u32(c);
	ret->task.ptid = pfx_cursor_u32(c);
	ret->task.time = pfx_cursor_u64(c);
}

static void encode_task(const struct pfx_body *body, const struct pfx_record_context *ctx,
			struct pfx_buffer *to)
{
	pfx_buffer_u32(to, body->task.pid);
	pfx_buffer_u32(to, body->task.ppid);
	pfx_buffer_u32(to, body->task.tid);
	pfx_buffer_u32(to, body->task.ptid);
	pfx_buffer_u64(to, body->task.time);
}

/* 5.5, 5.6 THROTTLE, UNTHROTTLE: time id stream_id */
static void decode_throttle(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			    struct pfx_body *ret)
{
	ret->throttle.time = pfx_cursor_u64(c);
	ret->throttle.id = pfx_cursor_u64(c);
	ret->throttle.stream_id = pfx_cursor_u64(c);
}

static void encode_throttle(const struct pfx_body *body, const struct pfx_record_context *ctx,
			    struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->throttle.time);
	pfx_buffer_u64(to, body->throttle.id);
	pfx_buffer_u64(to, body->throttle.stream_id);
}

/* 5.8 READ: pid:32 tid:32, values in the layout of attr.read_format */
static void decode_read(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			struct pfx_body *ret)
{
	ret->read.pid = pfx_cursor_u32(c);
	ret->read.tid = pfx_cursor_u32(c);
	pfx_read_decode(c, ctx->attr ? ctx->attr->read_format : 0, &ret->read.read);
}

static void encode_read(const struct pfx_body *body, const struct pfx_record_context *ctx,
			struct pfx_buffer *to)
{
	pfx_buffer_u32(to, body->read.pid);
	pfx_buffer_u32(to, body->read.tid);
	pfx_read_encode(&body->read.read, ctx->attr ? ctx->attr->read_format : 0, to);
}

/* 5.11 AUX: offset size flags */
static void decode_aux(struct pfx_cursor *c, const struct pfx_record_context *ctx,
		       struct pfx_body *ret)
{
	ret->aux.offset = pfx_cursor_u64(c);
	ret->aux.size = pfx_cursor_u64(c);
	ret->aux.flags = pfx_cursor_u64(c);
}

static void encode_aux(const struct pfx_body *body, const struct pfx_record_context *ctx,
		       struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->aux.offset);
	pfx_buffer_u64(to, body->aux.size);
	pfx_buffer_u64(to, body->aux.flags);
}

/* 5.12, 5.15 ITRACE_START, SWITCH_CPU_WIDE: pid:32 tid:32 */
static void decode_pid_tid(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			   struct pfx_body *ret)
{
	ret->itrace_start.pid = pfx_cursor_u32(c);
	ret->itrace_start.tid = pfx_cursor_u32(c);
}

static void encode_pid_tid(const struct pfx_body *body, const struct pfx_record_context *ctx,
			   struct pfx_buffer *to)
{
	pfx_buffer_u32(to, body->itrace_start.pid);
	pfx_buffer_u32(to, body->itrace_start.tid);
}

/* 5.13, 5.21 LOST_SAMPLES: lost; AUX_OUTPUT_HW_ID: id */
static void decode_number(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			  struct pfx_body *ret)
{
	ret->lost_samples = pfx_cursor_u64(c);
}

static void encode_number(const struct pfx_body *body, const struct pfx_record_context *ctx,
			  struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->lost_samples);
}

/* 5.16 NAMESPACES: pid:32 tid:32 nr { dev ino }[nr] */
static void decode_namespaces(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			      struct pfx_body *ret)
{
	uint64_t nr;

	ret->namespaces.pid = pfx_cursor_u32(c);
	ret->namespaces.tid = pfx_cursor_u32(c);
	nr = pfx_cursor_u64(c);
	if (pfx_cursor_fits(c, nr, 16))
		ret->namespaces.links = pfx_record_words(c, 2 * nr);
}

static void encode_namespaces(const struct pfx_body *body, const struct pfx_record_context *ctx,
			      struct pfx_buffer *to)
{
	pfx_buffer_u32(to, body->namespaces.pid);
	pfx_buffer_u32(to, body->namespaces.tid);
	pfx_buffer_u64(to, body->namespaces.links.nr / 2);
	pfx_record_put_words(to, &body->namespaces.links);
}

/* 5.17 KSYMBOL: addr len:32 type:16 flags:16 name[] */
static void decode_ksymbol(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			   struct pfx_body *ret)
{
	ret->ksymbol.addr = pfx_cursor_u64(c);
	ret->ksymbol.len = pfx_cursor_u32(c);
	ret->ksymbol.ksym_type = pfx_cursor_u16(c);
	ret->ksymbol.flags = pfx_cursor_u16(c);
	ret->ksymbol.name = pfx_cursor_cstr(c);
}

static void encode_ksymbol(const struct pfx_body *body, const struct pfx_record_context *ctx,
			   struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->ksymbol.addr);
	pfx_buffer_u32(to, body->ksymbol.len);
	pfx_buffer_u16(to, body->ksymbol.ksym_type);
	pfx_buffer_u16(to, body->ksymbol.flags);
	pfx_buffer_cstr(to, body->ksymbol.name, 1);
}

/* 5.18 BPF_EVENT: type:16 flags:16 id:32 tag[8] */
static void decode_bpf_event(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			     struct pfx_body *ret)
{
	const uint8_t *tag;

	ret->bpf_event.type = pfx_cursor_u16(c);
	ret->bpf_event.flags = pfx_cursor_u16(c);
	ret->bpf_event.id = pfx_cursor_u32(c);
	tag = pfx_cursor_bytes(c, sizeof(ret->bpf_event.tag));
	if (tag)
		memcpy(ret->bpf_event.tag, tag, sizeof(ret->bpf_event.tag));
}

static void encode_bpf_event(const struct pfx_body *body, const struct pfx_record_context *ctx,
			     struct pfx_buffer *to)
{
	pfx_buffer_u16(to, body->bpf_event.type);
	pfx_buffer_u16(to, body->bpf_event.flags);
	pfx_buffer_u32(to, body->bpf_event.id);
	pfx_buffer_bytes(to, body->bpf_event.tag, sizeof(body->bpf_event.tag));
}

/* 5.19 CGROUP: id path[] */
static void decode_cgroup(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			  struct pfx_body *ret)
{
	ret->cgroup.id = pfx_cursor_u64(c);
	ret->cgroup.path = pfx_cursor_cstr(c);
}

static void encode_cgroup(const struct pfx_body *body, const struct pfx_record_context *ctx,
			  struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->cgroup.id);
	pfx_buffer_cstr(to, body->cgroup.path, 1);
}

/* 5.20 TEXT_POKE: addr old_len:16 new_len:16 bytes[old_len + new_len] */
static void decode_text_poke(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			     struct pfx_body *ret)
{
	struct pfx_text_poke *poke = &ret->text_poke;

	poke->addr = pfx_cursor_u64(c);
	poke->old_len = pfx_cursor_u16(c);
	poke->new_len = pfx_cursor_u16(c);
	poke->bytes = pfx_cursor_bytes(c, (size_t)poke->old_len + poke->new_len);
}

static void encode_text_poke(const struct pfx_body *body, const struct pfx_record_context *ctx,
			     struct pfx_buffer *to)
{
	const struct pfx_text_poke *poke = &body->text_poke;

	pfx_buffer_u64(to, poke->addr);
	pfx_buffer_u16(to, poke->old_len);
	pfx_buffer_u16(to, poke->new_len);
	pfx_buffer_bytes(to, poke->bytes, (size_t)poke->old_len + poke->new_len);
}

/* 5.22 CALLCHAIN_DEFERRED: cookie nr ips[nr] */
static void decode_deferred(struct pfx_cursor *c, const struct pfx_record_context *ctx,
			    struct pfx_body *ret)
{
	ret->callchain_deferred.cookie = pfx_cursor_u64(c);
	ret->callchain_deferred.ips = pfx_record_words(c, pfx_cursor_u64(c));
}

static void encode_deferred(const struct pfx_body *body, const struct pfx_record_context *ctx,
			    struct pfx_buffer *to)
{
	pfx_buffer_u64(to, body->callchain_deferred.cookie);
	pfx_buffer_u64(to, body->callchain_deferred.ips.nr);
	pfx_record_put_words(to, &body->callchain_deferred.ips);
}

/* 5.14 SWITCH has no body. */
const struct pfx_record_codec pfx_record_kernel_codecs[PFX_RECORD_KERNEL_MAX] = {
	[PFX_RECORD_MMAP] = {"MMAP", decode_mmap, encode_mmap, false},
	[PFX_RECORD_LOST] = {"LOST", decode_lost, encode_lost, false},
	[PFX_RECORD_COMM] = {"COMM", decode_comm, encode_comm, false},
	[PFX_RECORD_EXIT] = {"EXIT", decode_task, encode_task, false},
	[PFX_RECORD_THROTTLE] = {"THROTTLE", decode_throttle, encode_throttle, false},
	[PFX_RECORD_UNTHROTTLE] = {"UNTHROTTLE", decode_throttle, encode_throttle, false},
	[PFX_RECORD_FORK] = {"FORK", decode_task, encode_task, false},
	[PFX_RECORD_READ] = {"READ", decode_read, encode_read, false},
	[PFX_RECORD_SAMPLE] = {"SAMPLE", NULL, NULL, false},
	[PFX_RECORD_MMAP2] = {"MMAP2", decode_mmap2, encode_mmap2, false},
	[PFX_RECORD_AUX] = {"AUX", decode_aux, encode_aux, false},
	[PFX_RECORD_ITRACE_START] = {"ITRACE_START", decode_pid_tid, encode_pid_tid, false},
	[PFX_RECORD_LOST_SAMPLES] = {"LOST_SAMPLES", decode_number, encode_number, false},
	[PFX_RECORD_SWITCH] = {"SWITCH", NULL, NULL, false},
	[PFX_RECORD_SWITCH_CPU_WIDE] = {"SWITCH_CPU_WIDE", decode_pid_tid, encode_pid_tid, false},
	[PFX_RECORD_NAMESPACES] = {"NAMESPACES", decode_namespaces, encode_namespaces, false},
	[PFX_RECORD_KSYMBOL] = {"KSYMBOL", decode_ksymbol, encode_ksymbol, false},
	[PFX_RECORD_BPF_EVENT] = {"BPF_EVENT", decode_bpf_event, encode_bpf_event, false},
	[PFX_RECORD_CGROUP] = {"CGROUP", decode_cgroup, encode_cgroup, false},
	[PFX_RECORD_TEXT_POKE] = {"TEXT_POKE", decode_text_poke, encode_text_poke, false},
	[PFX_RECORD_AUX_OUTPUT_HW_ID] = {"AUX_OUTPUT_HW_ID", decode_number, encode_number, false},
	[PFX_RECORD_CALLCHAIN_DEFERRED] = {"CALLCHAIN_DEFERRED", decode_deferred, encode_deferred,
					   false},
};
