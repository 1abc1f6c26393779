/* SPDX-License-Identifier: MIT */
/*
 * The text of an event by libtraceevent. The library trusts what it is given: formats are checked
 * for size, depth and offsets before it sees them, and an event's bytes are copied in front of
 * zeros that reach further than any offset in them.
 */
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#include "trace/print_guard_internal.h"
#include "trace/trace_internal.h"

#define RAW_MAX   (64u << 10)   /* a record has at most 64 KiB */
#define REACH_MAX (3 * RAW_MAX) /* a field's end, its 16-bit offset and its 16-bit length */
#define DEPTH_MAX 64            /* nested parentheses that the library may recurse into */

struct pfx_trace_printer {
	struct pfx_trace *trace;
	struct tep_handle *tep;
	struct trace_seq seq;
	struct pfx_hash known; /* id -> bytes that the fields reach, 0: unusable */
	uint8_t *scratch;      /* zeros, but for the event that is printed */
};

bool pfx_trace_is_built_in(void)
{
	return true;
}

static char *resolve(void *ctx, unsigned long long *addr, char **module)
{
	struct pfx_trace *trace = ctx;
	uint64_t start = *addr;
	const char *name;

	*module = NULL;
	name = trace->symbol ? trace->symbol(trace->symbol_ctx, *addr, &start) : NULL;
	if (name)
		*addr = start;
	return (char *)(uintptr_t)name;
}

/* One line of '0xADDR : "text"'. The library's own parser reads past the end of lines that are not
 * like that, and its registration before the beginning of texts of less than two characters. */
static void register_line(struct tep_handle *tep, char *line)
{
	unsigned long long addr;
	char *at, *end;

	addr = strtoull(line, &at, 16);
	if (at == line || strncmp(at, " : \"", 4) != 0)
		return;
	at += 3;
	end = strrchr(at, '"');
	if (end - at < 3)
		return;
	end[1] = '\0';
	tep_register_print_string(tep, at, addr);
}

static void register_printk(struct tep_handle *tep, const struct pfx_trace_piece *formats)
{
	char *text = pfx_strndup(formats->size ? formats->at : "", formats->size), *rest = text;
	char *line;

	while ((line = strsep(&rest, "\n")) != NULL)
		register_line(tep, line);
	free(text);
}

struct pfx_trace_printer *pfx_trace_printer_new(struct pfx_trace *trace)
{
	struct pfx_trace_printer *printer = pfx_calloc(1, sizeof(*printer));
	const struct pfx_trace_blob *blob = &trace->blob;
	bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	tep_set_loglevel(TEP_LOG_NONE);
	printer->trace = trace;
	printer->tep = tep_alloc();
	printer->scratch = pfx_calloc(1, RAW_MAX + REACH_MAX);
	trace_seq_init(&printer->seq);
	if (!printer->tep)
		return printer;
	tep_set_file_bigendian(printer->tep, blob->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(printer->tep, host_big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(printer->tep, (int)blob->long_size);
	tep_set_page_size(printer->tep, (int)blob->page_size);
	tep_set_function_resolver(printer->tep, resolve, trace);
	if (blob->printk.size <= PFX_TRACE_FORMAT_MAX)
		register_printk(printer->tep, &blob->printk);
	return printer;
}

void pfx_trace_printer_free(struct pfx_trace_printer *printer)
{
	if (!printer)
		return;
	if (printer->tep) {
		tep_reset_function_resolver(printer->tep);
		tep_free(printer->tep);
	}
	trace_seq_destroy(&printer->seq);
	pfx_hash_fini(&printer->known);
	free(printer->scratch);
	free(printer);
}

/* The library parses by recursion. */
static bool is_shallow(const struct pfx_trace_piece *text)
{
	unsigned depth = 0;
	size_t i;

	for (i = 0; i < text->size; i++) {
		if (strchr("([{?", text->at[i]) && text->at[i] && ++depth > DEPTH_MAX)
			return false;
		if (strchr(")]}:", text->at[i]) && text->at[i] && depth)
			depth--;
	}
	return true;
}

/* The end of the last field, 0 when one lies where no record reaches. */
static uint64_t fields_end(const struct tep_format_field *field, uint64_t end)
{
	uint64_t field_end;

	for (; field && end; field = field->next) {
		if (field->offset < 0 || field->size < 0)
			return 0;
		field_end = (uint64_t)field->offset + (uint64_t)field->size;
		if (field_end > RAW_MAX)
			return 0;
		if (field_end > end)
			end = field_end;
	}
	return end;
}

/* A copy of the format, in which a tab inside quotes is written as "\\t": some versions of the
 * library stumble over the plain one. */
static char *copy_format(const struct pfx_trace_piece *format)
{
	struct pfx_str copy = {0};
	bool quoted = false;
	size_t i;

	for (i = 0; i < format->size && format->at[i]; i++) {
		if (format->at[i] == '"' && (!i || format->at[i - 1] != '\\'))
			quoted = !quoted;
		if (quoted && format->at[i] == '\t')
			pfx_str_add(&copy, "\\t");
		else
			pfx_str_addc(&copy, format->at[i]);
	}
	return copy.at;
}

/* Hand the format to the library. Returns the bytes that the event needs, 0 when it is unusable. */
static uint64_t load_format(struct pfx_trace_printer *printer, const struct pfx_trace_event *event)
{
	const struct pfx_trace_piece *format = &event->format;
	struct tep_event *parsed;
	char *text;

	if (format->size > PFX_TRACE_FORMAT_MAX || !is_shallow(format))
		return 0;
	text = copy_format(format);
	if (!text)
		return 0;
	tep_parse_event(printer->tep, text, strlen(text), event->system);
	free(text);
	parsed = tep_find_event(printer->tep, (int)event->id);
	if (!parsed)
		return 0;
	return fields_end(parsed->format.fields, fields_end(parsed->format.common_fields, 1));
}

static uint64_t event_extent(struct pfx_trace_printer *printer, const struct pfx_trace_event *event)
{
	bool is_new;
	uint64_t *extent = pfx_hash_add(&printer->known, event->id, &is_new);

	if (is_new)
		*extent = load_format(printer, event);
	return *extent;
}

/* Escaped, but for tabs, which print formats of the kernel have. */
static void add_text(struct pfx_str *to, const char *text, size_t len)
{
	const char *end = text + len, *tab;

	for (; (tab = memchr(text, '\t', (size_t)(end - text))); text = tab + 1) {
		pfx_str_add_escaped(to, text, (size_t)(tab - text));
		pfx_str_addc(to, '\t');
	}
	pfx_str_add_escaped(to, text, (size_t)(end - text));
}

/* By the print format, or field by field where that is not safe. */
static void print_record(struct pfx_trace_printer *printer, const struct pfx_trace_event *event,
			 struct tep_record *record)
{
	struct tep_event *parsed = tep_find_event(printer->tep, (int)event->id);
	struct pfx_print_guard guard = {parsed, record->data, RAW_MAX};

	if (pfx_print_guard_ok(&guard))
		tep_print_event(printer->tep, &printer->seq, record, "%s", TEP_PRINT_INFO);
	else
		tep_record_print_fields(&printer->seq, record, parsed);
}

bool pfx_trace_printer_print(struct pfx_trace_printer *printer, const struct pfx_trace_event *event,
			     const struct pfx_trace_raw *raw, struct pfx_str *to)
{
	struct tep_record record = {.ts = raw->time, .cpu = (int)raw->cpu, .ref_count = 1};
	uint64_t extent;

	if (!printer->tep || raw->size > RAW_MAX)
		return false;
	extent = event_extent(printer, event);
	if (!extent)
		return false;
	memcpy(printer->scratch, raw->data, raw->size);
	record.data = printer->scratch;
	record.size = (int)(raw->size > extent ? raw->size : extent);
	trace_seq_reset(&printer->seq);
	print_record(printer, event, &record);
	trace_seq_terminate(&printer->seq);
	add_text(to, printer->seq.buffer, strnlen(printer->seq.buffer, printer->seq.len));
	memset(printer->scratch, 0, raw->size);
	return true;
}
