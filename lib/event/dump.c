/* SPDX-License-Identifier: MIT */
/*
 * The dump of a record: its offset, its bytes, its decoded fields. Also for records that cannot be
 * decoded. Output is a string.
 */
#include "event/dump.h"

#include <inttypes.h>

#include "event/dump_internal.h"

#define BYTES_PER_LINE 16

static void hex_line(const struct pfx_record *rec, uint32_t offset, struct pfx_str *to)
{
	uint32_t i, end = offset + BYTES_PER_LINE;

	pfx_str_add(to, ".  ");
	pfx_str_hex0(to, offset, 4);
	pfx_str_add(to, ": ");
	for (i = offset; i < end; i++) {
		if (i >= rec->size) {
			pfx_str_add(to, "   ");
			continue;
		}
		pfx_str_addc(to, ' ');
		pfx_str_hex0(to, rec->bytes[i], 2);
	}
	pfx_str_add(to, "  ");
	for (i = offset; i < end; i++) {
		uint8_t c = i < rec->size ? rec->bytes[i] : ' ';

		pfx_str_addc(to, c >= ' ' && c < 0x7f ? (char)c : '.');
	}
	pfx_str_addc(to, '\n');
}

/* The raw bytes alone: 16 bytes a line in hex and as text. */
static void dump_hex(const struct pfx_record *rec, struct pfx_str *to)
{
	uint32_t offset;

	pfx_str_addf(to, ".\n. ... raw event: size %u bytes\n", rec->size);
	for (offset = 0; offset < rec->size; offset += BYTES_PER_LINE)
		hex_line(rec, offset, to);
}

/* The CPU and time at the start of the line, from the trailer. */
static void add_stamp(const struct pfx_record *rec, const struct pfx_attr *attr, struct pfx_str *to)
{
	struct pfx_sample_id id = {0};
	struct pfx_sample sample;

	if (rec->type == PFX_RECORD_SAMPLE && attr && pfx_sample_decode(rec, attr, &sample)) {
		id.cpu = sample.cpu;
		id.time = sample.time;
	} else if (!attr || !(attr->flags & PFX_ATTR_SAMPLE_ID_ALL)) {
		pfx_str_add(to, "-1 -1 ");
		return;
	} else if (rec->type >= PFX_RECORD_USER_FIRST || !pfx_sample_id_decode(rec, attr, &id)) {
		id = (struct pfx_sample_id){0};
	}
	if (attr->sample_type & PFX_SAMPLE_CPU)
		pfx_str_addf(to, "%u ", id.cpu);
	if (attr->sample_type & PFX_SAMPLE_TIME)
		pfx_str_addf(to, "%" PRIu64 " ", id.time);
}

static void add_head(const struct pfx_record *rec, struct pfx_str *to)
{
	const char *name = pfx_record_name(rec->type);

	pfx_dump_hex_number(to, rec->offset);
	pfx_str_add(to, " [");
	pfx_dump_hex_number(to, rec->size);
	pfx_str_add(to, "]: PERF_RECORD_");
	if (name)
		pfx_str_add(to, name);
	else
		pfx_str_addf(to, "UNKNOWN: type %u", rec->type);
}

static pfx_dump_fn dumper_of(uint32_t type)
{
	if (type < PFX_RECORD_KERNEL_MAX)
		return pfx_dump_kernel[type];
	if (type >= PFX_RECORD_USER_FIRST && type < PFX_RECORD_USER_MAX)
		return pfx_dump_user[type - PFX_RECORD_USER_FIRST];
	return NULL;
}

/* The fields of a trailer that perf does not show: pid, tid and ids. */
static void add_trailer(const struct pfx_sample_id *id, struct pfx_str *to)
{
	if (id->has & PFX_SAMPLE_TID)
		pfx_str_addf(to, "\n... pid: %d, tid: %d", (int32_t)id->pid, (int32_t)id->tid);
	if (id->has & (PFX_SAMPLE_ID | PFX_SAMPLE_IDENTIFIER))
		pfx_str_addf(to, "\n... id: %" PRIu64,
			     id->has & PFX_SAMPLE_IDENTIFIER ? id->identifier : id->id);
	if (id->has & PFX_SAMPLE_STREAM_ID)
		pfx_str_addf(to, "\n... stream id: %" PRIu64, id->stream_id);
}

static void add_body(const struct pfx_record *rec, struct pfx_str *to)
{
	const struct pfx_attr *attr = rec->event ? &rec->event->attr : NULL;
	pfx_dump_fn dump = dumper_of(rec->type);
	struct pfx_error err = {0};
	struct pfx_body body;

	if (!pfx_record_name(rec->type))
		return;
	if (pfx_record_decode(rec, attr, &body, &err) < 0) {
		pfx_str_add(to, ": malformed");
		return;
	}
	if (dump)
		dump(&body, rec, to);
	add_trailer(&body.id, to);
}

static void add_fields(const struct pfx_record *rec, const struct pfx_dump_context *ctx,
		       struct pfx_str *to)
{
	add_stamp(rec, rec->event ? &rec->event->attr : ctx->attr, to);
	add_head(rec, to);
	if (rec->type == PFX_RECORD_SAMPLE)
		pfx_dump_sample(rec, ctx, to);
	else
		add_body(rec, to);
	pfx_str_addc(to, '\n');
}

void pfx_dump_fields(const struct pfx_record *rec, struct pfx_str *to)
{
	const struct pfx_dump_context none = {0};

	add_fields(rec, &none, to);
}

void pfx_dump_record(const struct pfx_record *rec, const struct pfx_dump_context *ctx,
		     struct pfx_str *to)
{
	const struct pfx_dump_context none = {0};

	ctx = ctx ? ctx : &none;
	pfx_str_addc(to, '\n');
	pfx_dump_hex_number(to, rec->offset);
	if (ctx->path) {
		pfx_str_addc(to, '@');
		pfx_dump_text(to, ctx->path);
	}
	pfx_str_add(to, " [");
	pfx_dump_hex_number(to, rec->size);
	pfx_str_addf(to, "]: event: %u\n", rec->type);
	dump_hex(rec, to);
	pfx_str_addc(to, '\n');
	add_fields(rec, ctx, to);
}
