/* SPDX-License-Identifier: MIT */
/* Strings in kernel memory to which events point: a table from printk formats, read at first
 * use. */
#include <stdlib.h>
#include <string.h>

#include "trace/print_internal.h"

/* Lines of '0xADDR : "text"'. */
static void read_strings(struct pfx_trace *trace)
{
	struct pfx_arena *arena = &trace->blob.arena;
	char *rest, *line, *at, *end;
	uint64_t addr;

	trace->has_strings = true;
	rest = pfx_arena_strndup(arena, trace->blob.printk.at, trace->blob.printk.size);
	while ((line = strsep(&rest, "\n")) != NULL) {
		addr = strtoull(line, &at, 16);
		end = strrchr(at, '"');
		if (at == line || strncmp(at, " : \"", 4) != 0 || end < at + 4)
			continue;
		/* the text is an escaped C string, with a newline that is removed */
		if (end >= at + 6 && !memcmp(end - 2, "\\n", 2))
			end -= 2;
		*end = '\0';
		*pfx_hash_add(&trace->strings, addr, NULL) = (uintptr_t)(at + 4);
	}
}

const char *pfx_trace_string(struct pfx_trace *trace, uint64_t addr)
{
	const uint64_t *at;

	if (!trace->has_strings && trace->blob.printk.size)
		read_strings(trace);
	at = pfx_hash_get(&trace->strings, addr);
	return at ? (const char *)(uintptr_t)*at : NULL;
}
