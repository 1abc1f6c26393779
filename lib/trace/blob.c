/* SPDX-License-Identifier: MIT */
/*
 * The container of tracing data, as perf and trace-cmd write it:
 *
 *	bytes 23 8 68, "tracing", cstring version ("0.6")
 *	u8 big endian, u8 size of long, u32 page size
 *	"header_page\0", u64 size, text; "header_event\0", u64 size, text
 *	u32 number of ftrace events, each u64 size, text
 *	u32 number of systems, each cstring name, u32 number of events, each u64 size, text
 *	u32 size of kallsyms, text; u32 size of printk formats, text
 *	from version 0.6: u64 size of the saved command lines, text
 *
 * Of the format texts, only name and id are parsed here. Section 8 of Documentation/file-format.md.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "trace/trace_internal.h"

#define VERSION_SIZE     16
#define MIN_EVENT_BYTES  8 /* its size */
#define MIN_SYSTEM_BYTES 5 /* an empty name and a number */

static const uint8_t magic[] = {23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

static struct pfx_trace_piece take_piece(struct pfx_cursor *c, uint64_t size)
{
	struct pfx_trace_piece piece = {0};

	if (!pfx_cursor_fits(c, size, 1))
		return piece;
	piece.at = (const char *)pfx_cursor_bytes(c, size);
	piece.size = size;
	return piece;
}

/* The value after "@key: " at the start of a line, up to the end of the line. */
static bool find_line(const struct pfx_trace_piece *text, const char *key,
		      struct pfx_trace_piece *ret)
{
	const char *at = text->at, *end = text->at + text->size, *line_end;
	size_t len = strlen(key);

	for (; at < end; at = line_end + 1) {
		line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			line_end = end;
		if ((size_t)(line_end - at) <= len || memcmp(at, key, len) || at[len] != ':')
			continue;
		for (at += len + 1; at < line_end && *at == ' '; at++)
			;
		*ret = (struct pfx_trace_piece){at, (size_t)(line_end - at)};
		return ret->size > 0;
	}
	return false;
}

static bool parse_id(const struct pfx_trace_piece *text, uint64_t *ret)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < text->size && i < 10; i++) {
		if (text->at[i] < '0' || text->at[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(text->at[i] - '0');
	}
	*ret = v;
	return i == text->size;
}

/* Formats without name or id are skipped. */
static void add_event(struct pfx_trace_blob *blob, const char *system,
		      const struct pfx_trace_piece *format)
{
	struct pfx_trace_event event = {.system = system, .format = *format};
	struct pfx_trace_piece name, id;

	if (!find_line(format, "name", &name) || !find_line(format, "ID", &id) ||
	    !parse_id(&id, &event.id))
		return;
	event.name = pfx_arena_strndup(&blob->arena, name.at, name.size);
	pfx_vec_push(&blob->events, event);
}

static void take_events(struct pfx_trace_blob *blob, struct pfx_cursor *c, const char *system)
{
	uint32_t nr = pfx_cursor_u32(c), i;
	struct pfx_trace_piece format;

	if (!pfx_cursor_fits(c, nr, MIN_EVENT_BYTES))
		return;
	for (i = 0; i < nr && pfx_cursor_ok(c); i++) {
		format = take_piece(c, pfx_cursor_u64(c));
		if (pfx_cursor_ok(c) && format.size)
			add_event(blob, system, &format);
	}
}

static void take_systems(struct pfx_trace_blob *blob, struct pfx_cursor *c)
{
	uint32_t nr = pfx_cursor_u32(c), i;
	const char *system;

	if (!pfx_cursor_fits(c, nr, MIN_SYSTEM_BYTES))
		return;
	for (i = 0; i < nr && pfx_cursor_ok(c); i++) {
		system = pfx_arena_strdup(&blob->arena, pfx_cursor_cstr(c));
		take_events(blob, c, system);
	}
}

/* "name\0", u64 size, text */
static struct pfx_trace_piece take_named(struct pfx_cursor *c, const char *name)
{
	if (strcmp(pfx_cursor_cstr(c), name))
		c->failed = true;
	return take_piece(c, pfx_cursor_u64(c));
}

static void take_header(struct pfx_trace_blob *blob, struct pfx_cursor *c)
{
	bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	blob->big_endian = pfx_cursor_u8(c) != 0;
	blob->swap = c->swap = blob->big_endian != host_big;
	blob->long_size = pfx_cursor_u8(c);
	blob->page_size = pfx_cursor_u32(c);
	blob->header_page = take_named(c, "header_page");
	blob->header_event = take_named(c, "header_event");
}

/* Check the version: major version 0; whether the command lines follow. */
static int check_version(const char *version, bool *ret_has_cmdlines, struct pfx_error *err)
{
	char shown[VERSION_SIZE * 4];

	*ret_has_cmdlines = strtod(version, NULL) >= 0.6;
	if (!strncmp(version, "0.", 2) && strlen(version) < VERSION_SIZE)
		return 0;
	return pfx_error_set(err, EPROTONOSUPPORT, "tracing data of version '%s' is not known",
			     pfx_escape(shown, sizeof(shown), version));
}

int pfx_trace_blob_parse(struct pfx_trace_blob *blob, const void *data, size_t size,
			 struct pfx_error *err)
{
	struct pfx_cursor c = pfx_cursor_make(data, size, false);
	const uint8_t *start = pfx_cursor_bytes(&c, sizeof(magic));
	const char *version = pfx_cursor_cstr(&c);
	bool has_cmdlines;
	int ret;

	if (!start || memcmp(start, magic, sizeof(magic)) || !pfx_cursor_ok(&c))
		return pfx_error_set(err, EBADMSG, "the tracing data does not start as it has to");
	ret = check_version(version, &has_cmdlines, err);
	if (ret)
		return ret;
	take_header(blob, &c);
	take_events(blob, &c, "ftrace");
	take_systems(blob, &c);
	blob->kallsyms = take_piece(&c, pfx_cursor_u32(&c));
	blob->printk = take_piece(&c, pfx_cursor_u32(&c));
	if (has_cmdlines)
		blob->cmdlines = take_piece(&c, pfx_cursor_u64(&c));
	if (!pfx_cursor_ok(&c))
		return pfx_error_set(err, EBADMSG,
				     "the tracing data of %zu bytes is damaged or cut short", size);
	return 0;
}

void pfx_trace_blob_fini(struct pfx_trace_blob *blob)
{
	pfx_vec_free(&blob->events);
	pfx_arena_clear(&blob->arena);
}
