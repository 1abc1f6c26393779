/* SPDX-License-Identifier: MIT */
/* What fuzz targets ask about lines and types of data: everything about addresses all over a file.
 */
#ifndef PFX_TESTS_ASK_LINES_H
#define PFX_TESTS_ASK_LINES_H

#include <string.h>

#include "sym/dwarf/lines.h"
#include "sym/find/request.h"
#include "sym/types/types.h"

static inline size_t ask_one(struct pfx_lines *lines, uint64_t offset)
{
	const struct pfx_inlined *inlined;
	struct pfx_source source;
	size_t sum = 0;
	uint32_t i, nr;

	if (pfx_lines_source(lines, offset, &source))
		sum += strlen(source.file) + source.line;
	nr = pfx_lines_inlined(lines, offset, &inlined);
	for (i = 0; i < nr; i++) {
		sum += strlen(inlined[i].name);
		if (pfx_lines_call(lines, &inlined[i], &source))
			sum += strlen(source.file);
	}
	return sum;
}

static inline size_t ask_type(struct pfx_types *types, uint64_t offset)
{
	struct pfx_data data = pfx_types_find(types, offset);

	return strlen(data.type) + strlen(data.member) + (size_t)data.offset;
}

/* Ask at @steps places of the @size bytes from @base on. The sum depends on all of the results, so
 * that they are read. */
static inline size_t ask_lines(const struct pfx_sym_request *request,
			       const struct pfx_sym_options *options, uint64_t base, size_t size,
			       size_t steps)
{
	struct pfx_types *types;
	struct pfx_lines *lines;
	uint64_t offset;
	size_t sum = 0;

	if (pfx_lines_open(&lines, request, options, NULL))
		return 0;
	for (offset = 0; offset < size; offset += size / steps + 1)
		sum += ask_one(lines, base + offset);
	if (!pfx_types_new(&types, lines, NULL)) {
		for (offset = 0; offset < size; offset += size / steps + 1)
			sum += ask_type(types, base + offset);
		pfx_types_free(types);
	}
	pfx_lines_free(lines);
	return sum;
}

#endif
