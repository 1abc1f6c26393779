/* SPDX-License-Identifier: MIT */
/*
 * Source lines of a jitdump's functions, by file offset of the code. A DEBUG_INFO record contains
 * the lines of the function in the next LOAD record, by address in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "sym/find/request.h"
#include "sym/jit/jit_files.h"
#include "sym/jit/jit_source_internal.h"
#include "sym/jit/jitdump.h"
#include "sym/table/source.h"

struct row {
	uint64_t offset; /* of the code in the jitdump */
	uint32_t line;   /* 0: end of the function */
	uint32_t file;   /* index in names */
	uint64_t order;
};

struct pfx_jit_source {
	PFX_VEC(struct row) rows;
	struct pfx_intern names;
};

static void add_row(struct pfx_jit_source *source, uint64_t offset, uint32_t line, const char *file)
{
	pfx_vec_push(&source->rows,
		     ((struct row){offset, line, pfx_intern_str(&source->names, file),
				   source->rows.nr}));
}

static void add_function(struct pfx_jit_source *source, const struct pfx_jit_load *load,
			 struct pfx_jit_debug debug, uint64_t offset)
{
	struct pfx_jit_line line;

	while (pfx_jit_debug_next(&debug, &line))
		if (line.addr >= load->addr && line.addr - load->addr < load->size && *line.file)
			add_row(source, offset + (line.addr - load->addr), line.line, line.file);
	add_row(source, offset + load->size, 0, "");
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void take_all(struct pfx_jit_source *source, const struct pfx_jit_file *file,
		     struct pfx_jitdump *dump)
{
	struct pfx_jit_debug debug = {0};
	struct pfx_jit_record record;
	bool has_debug = false;

	while (pfx_jitdump_next(dump, &record)) {
		if (record.type == PFX_JIT_DEBUG_INFO) {
			debug = record.debug;
			has_debug = true;
		} else if (record.type == PFX_JIT_LOAD) {
			if (has_debug)
				add_function(source, &record.load, debug,
					     (uint64_t)(record.load.code - file->data));
			has_debug = false;
		}
	}
	if (source->rows.nr)
		qsort(source->rows.at, source->rows.nr, sizeof(*source->rows.at), compare);
}

int pfx_jit_source_new(struct pfx_jit_source **ret, const struct pfx_sym_request *request,
		       const struct pfx_sym_options *options, struct pfx_error *err)
{
	struct pfx_jit_source *source;
	struct pfx_jitdump dump;
	struct pfx_jit_file file;
	int rc = pfx_jit_file_read(request, options, &file, err);

	if (rc)
		return rc;
	source = pfx_calloc(1, sizeof(*source));
	rc = pfx_jitdump_init(&dump, file.data, file.size, err);
	if (!rc)
		take_all(source, &file, &dump);
	pfx_jit_file_free(&file);
	*ret = source;
	if (rc) {
		pfx_jit_source_free(source);
		*ret = NULL;
	}
	return rc;
}

void pfx_jit_source_free(struct pfx_jit_source *source)
{
	if (!source)
		return;
	pfx_vec_free(&source->rows);
	pfx_intern_fini(&source->names);
	free(source);
}

bool pfx_jit_source_find(const struct pfx_jit_source *source, uint64_t offset,
			 struct pfx_source *ret)
{
	size_t behind = pfx_bisect(i, source->rows.nr, source->rows.at[i].offset <= offset);
	const struct row *row = behind ? &source->rows.at[behind - 1] : NULL;

	if (!row || !row->line)
		return false;
	*ret = (struct pfx_source){.file = pfx_intern_get(&source->names, row->file),
				   .line = row->line};
	return true;
}
