/* SPDX-License-Identifier: MIT */
/* The dump of record types 1 to 22 except SAMPLE. Scripts parse these lines: they have perf's
 * format. */
#include <inttypes.h>

#include "event/dump_internal.h"

#define PROT_READ_BIT  1
#define PROT_WRITE_BIT 2
#define PROT_EXEC_BIT  4
#define MAP_SHARED_BIT 1

static void add_range(const struct pfx_mmap *m, struct pfx_str *to)
{
	pfx_str_addf(to, " %d/%d: [", (int32_t)m->pid, (int32_t)m->tid);
	pfx_dump_hex_number(to, m->addr);
	pfx_str_addc(to, '(');
	pfx_dump_hex_number(to, m->len);
	pfx_str_add(to, ") @ ");
	pfx_dump_hex_number(to, m->pgoff);
}

static void dump_mmap(const struct pfx_body *body, const struct pfx_record *rec, struct pfx_str *to)
{
	add_range(&body->mmap, to);
	pfx_str_add(to, body->misc & PFX_MISC_MMAP_DATA ? "]: r " : "]: x ");
	pfx_dump_text(to, body->mmap.filename);
}

static void dump_mmap2(const struct pfx_body *body, const struct pfx_record *rec,
		       struct pfx_str *to)
{
	const struct pfx_mmap *m = &body->mmap;

	add_range(m, to);
	if (body->misc & PFX_MISC_MMAP_BUILD_ID) {
		pfx_str_add(to, " <");
		pfx_dump_hex_bytes(to, m->build_id, m->build_id_size);
		pfx_str_addc(to, '>');
	} else {
		pfx_str_addf(to, " %02x:%02x %" PRIu64 " %" PRIu64, m->maj, m->min, m->ino,
			     m->ino_generation);
	}
	pfx_str_add(to, "]: ");
	pfx_str_addc(to, m->prot & PROT_READ_BIT ? 'r' : '-');
	pfx_str_addc(to, m->prot & PROT_WRITE_BIT ? 'w' : '-');
	pfx_str_addc(to, m->prot & PROT_EXEC_BIT ? 'x' : '-');
	pfx_str_addc(to, m->flags & MAP_SHARED_BIT ? 's' : 'p');
	pfx_str_addc(to, ' ');
	pfx_dump_text(to, m->filename);
}

static void dump_lost(const struct pfx_body *body, const struct pfx_record *rec, struct pfx_str *to)
{
	pfx_str_addf(to, ": id:%" PRIu64 ": lost:%" PRIu64, body->lost.id, body->lost.lost);
}

static void dump_comm(const struct pfx_body *body, const struct pfx_record *rec, struct pfx_str *to)
{
	pfx_str_add(to, body->misc & PFX_MISC_COMM_EXEC ? " exec: " : ": ");
	pfx_dump_text(to, body->comm.comm);
	pfx_str_addf(to, ":%d/%d", (int32_t)body->comm.pid, (int32_t)body->comm.tid);
}

/* The record's time field is shown if it differs from the time of the trailer, with which the line
 * begins. */
static void dump_task(const struct pfx_body *body, const struct pfx_record *rec, struct pfx_str *to)
{
	const struct pfx_task *task = &body->task;

	pfx_str_addf(to, "(%d:%d):(%d:%d)", (int32_t)task->pid, (int32_t)task->tid,
		     (int32_t)task->ppid, (int32_t)task->ptid);
	if (!(body->id.has & PFX_SAMPLE_TIME) || body->id.time != task->time)
		pfx_str_addf(to, "\n... time: %" PRIu64, task->time);
}

static void dump_throttle(const struct pfx_body *body, const struct pfx_record *rec,
			  struct pfx_str *to)
{
	pfx_str_addf(to, ": time:%" PRIu64 " id:%" PRIu64 " stream_id:%" PRIu64,
		     body->throttle.time, body->throttle.id, body->throttle.stream_id);
}

static void dump_read(const struct pfx_body *body, const struct pfx_record *rec, struct pfx_str *to)
{
	const struct pfx_read *read = &body->read.read;
	uint64_t format = rec->event ? rec->event->attr.read_format : 0;
	uint64_t i;

	pfx_str_addf(to, ": %d %d ", (int32_t)body->read.pid, (int32_t)body->read.tid);
	pfx_dump_text(to, rec->event ? rec->event->name : "unknown event");
	pfx_str_addf(to, " %" PRIu64, read->nr ? read->values[0].value : 0);
	if (format & PFX_FORMAT_ENABLED)
		pfx_str_addf(to, "\n... time enabled : %" PRIu64, read->enabled);
	if (format & PFX_FORMAT_RUNNING)
		pfx_str_addf(to, "\n... time running : %" PRIu64, read->running);
	for (i = 0; i < read->nr && i < PFX_READ_MAX; i++) {
		if (i)
			pfx_str_addf(to, "\n... value        : %" PRIu64, read->values[i].value);
		if (format & PFX_FORMAT_ID)
			pfx_str_addf(to, "\n... id           : %" PRIu64, read->values[i].id);
		if (format & PFX_FORMAT_LOST)
			pfx_str_addf(to, "\n... lost         : %" PRIu64, read->values[i].lost);
	}
}

static void dump_aux(const struct pfx_body *body, const struct pfx_record *rec, struct pfx_str *to)
{
	static const char letters[] = "TOPC"; /* truncated overwrite partial collision */
	unsigned i;

	pfx_str_add(to, " offset: ");
	pfx_dump_hex_number(to, body->aux.offset);
	pfx_str_add(to, " size: ");
	pfx_dump_hex_number(to, body->aux.size);
	pfx_str_add(to, " flags: ");
	pfx_dump_hex_number(to, body->aux.flags);
	pfx_str_add(to, " [");
	for (i = 0; letters[i]; i++) {
		if (body->aux.flags >> i & 1)
			pfx_str_addc(to, letters[i]);
	}
	pfx_str_addc(to, ']');
}

static void dump_itrace_start(const struct pfx_body *body, const struct pfx_record *rec,
			      struct pfx_str *to)
{
	pfx_str_addf(to, " pid: %d tid: %d", (int32_t)body->itrace_start.pid,
		     (int32_t)body->itrace_start.tid);
}

static void dump_lost_samples(const struct pfx_body *body, const struct pfx_record *rec,
			      struct pfx_str *to)
{
	uint64_t id = UINT64_MAX;

	if (body->id.has & PFX_SAMPLE_IDENTIFIER)
		id = body->id.identifier;
	else if (body->id.has & PFX_SAMPLE_ID)
		id = body->id.id;
	pfx_str_addf(to, ": id:%" PRIu64 ": lost samples :%" PRIu64, id, body->lost_samples);
	if (body->misc & PFX_MISC_LOST_SAMPLES_BPF)
		pfx_str_add(to, " (dropped by the BPF filter)");
}

static const char *switch_text(uint16_t misc)
{
	if (!(misc & PFX_MISC_SWITCH_OUT))
		return "IN         ";
	return misc & PFX_MISC_SWITCH_OUT_PREEMPT ? "OUT preempt" : "OUT        ";
}

static void dump_switch(const struct pfx_body *body, const struct pfx_record *rec,
			struct pfx_str *to)
{
	pfx_str_addf(to, " %s", switch_text(body->misc));
}

static void dump_switch_wide(const struct pfx_body *body, const struct pfx_record *rec,
			     struct pfx_str *to)
{
	pfx_str_addf(to, " %s  %s pid/tid: %5d/%-5d", switch_text(body->misc),
		     body->misc & PFX_MISC_SWITCH_OUT ? "next" : "prev",
		     (int32_t)body->next_prev.pid, (int32_t)body->next_prev.tid);
}

static void dump_namespaces(const struct pfx_body *body, const struct pfx_record *rec,
			    struct pfx_str *to)
{
	static const char *const names[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
	const struct pfx_words *links = &body->namespaces.links;
	uint64_t i, nr = links->nr / 2;

	pfx_str_addf(to, " %d/%d - nr_namespaces: %" PRIu64 "\n\t\t[",
		     (int32_t)body->namespaces.pid, (int32_t)body->namespaces.tid, nr);
	for (i = 0; i < nr; i++) {
		if (i)
			pfx_str_add(to, i % 4 ? ", " : ", \n\t\t ");
		pfx_str_addf(to, "%" PRIu64 "/%s: %" PRIu64 "/", i,
			     i < sizeof(names) / sizeof(names[0]) ? names[i] : "UNKNOWN",
			     pfx_word(links, 2 * i));
		pfx_dump_hex_number(to, pfx_word(links, 2 * i + 1));
	}
	pfx_str_addc(to, ']');
}

static void dump_ksymbol(const struct pfx_body *body, const struct pfx_record *rec,
			 struct pfx_str *to)
{
	const struct pfx_ksymbol *k = &body->ksymbol;

	pfx_str_addf(to, " addr %" PRIx64 " len %u type %u flags 0x%x name ", k->addr, k->len,
		     k->ksym_type, k->flags);
	pfx_dump_text(to, k->name);
}

static void dump_bpf_event(const struct pfx_body *body, const struct pfx_record *rec,
			   struct pfx_str *to)
{
	pfx_str_addf(to, " type %u, flags %u, id %u\n... tag: ", body->bpf_event.type,
		     body->bpf_event.flags, body->bpf_event.id);
	pfx_dump_hex_bytes(to, body->bpf_event.tag, sizeof(body->bpf_event.tag));
}

static void dump_cgroup(const struct pfx_body *body, const struct pfx_record *rec,
			struct pfx_str *to)
{
	pfx_str_addf(to, " cgroup: %" PRIu64 " ", body->cgroup.id);
	pfx_dump_text(to, body->cgroup.path);
}

static void add_poke_bytes(struct pfx_str *to, const char *title, const uint8_t *bytes, unsigned nr)
{
	unsigned i;

	for (i = 0; i < nr; i++) {
		if (i % 16 == 0)
			pfx_str_addf(to, "\n            %s bytes:", title);
		pfx_str_addc(to, ' ');
		pfx_str_hex0(to, bytes[i], 2);
	}
}

static void dump_text_poke(const struct pfx_body *body, const struct pfx_record *rec,
			   struct pfx_str *to)
{
	const struct pfx_text_poke *poke = &body->text_poke;

	pfx_str_addf(to, " %" PRIx64 "  old len %u new len %u", poke->addr, poke->old_len,
		     poke->new_len);
	add_poke_bytes(to, "Old", poke->bytes, poke->old_len);
	add_poke_bytes(to, "New", poke->bytes + poke->old_len, poke->new_len);
}

static void dump_hw_id(const struct pfx_body *body, const struct pfx_record *rec,
		       struct pfx_str *to)
{
	pfx_str_add(to, " hw_id: ");
	pfx_dump_hex_number(to, body->aux_output_hw_id);
}

static void dump_deferred(const struct pfx_body *body, const struct pfx_record *rec,
			  struct pfx_str *to)
{
	const struct pfx_words *ips = &body->callchain_deferred.ips;
	uint64_t i;

	pfx_str_addf(to, " cookie: 0x%" PRIx64 "\n... FP chain: nr:%" PRIu64,
		     body->callchain_deferred.cookie, ips->nr);
	for (i = 0; i < ips->nr; i++)
		pfx_str_addf(to, "\n..... %2" PRIu64 ": %016" PRIx64, i, pfx_word(ips, i));
}

const pfx_dump_fn pfx_dump_kernel[PFX_RECORD_KERNEL_MAX] = {
	[PFX_RECORD_MMAP] = dump_mmap,
	[PFX_RECORD_LOST] = dump_lost,
	[PFX_RECORD_COMM] = dump_comm,
	[PFX_RECORD_EXIT] = dump_task,
	[PFX_RECORD_THROTTLE] = dump_throttle,
	[PFX_RECORD_UNTHROTTLE] = dump_throttle,
	[PFX_RECORD_FORK] = dump_task,
	[PFX_RECORD_READ] = dump_read,
	[PFX_RECORD_MMAP2] = dump_mmap2,
	[PFX_RECORD_AUX] = dump_aux,
	[PFX_RECORD_ITRACE_START] = dump_itrace_start,
	[PFX_RECORD_LOST_SAMPLES] = dump_lost_samples,
	[PFX_RECORD_SWITCH] = dump_switch,
	[PFX_RECORD_SWITCH_CPU_WIDE] = dump_switch_wide,
	[PFX_RECORD_NAMESPACES] = dump_namespaces,
	[PFX_RECORD_KSYMBOL] = dump_ksymbol,
	[PFX_RECORD_BPF_EVENT] = dump_bpf_event,
	[PFX_RECORD_CGROUP] = dump_cgroup,
	[PFX_RECORD_TEXT_POKE] = dump_text_poke,
	[PFX_RECORD_AUX_OUTPUT_HW_ID] = dump_hw_id,
	[PFX_RECORD_CALLCHAIN_DEFERRED] = dump_deferred,
};
