/* SPDX-License-Identifier: MIT */
/*
 * Selects the source files to print and their order: of a file that the user names, of a function,
 * or all, the most expensive one first. The output forms are lines_text.c and lines_json.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "code/find_inlined.h"
#include "out/annotate/annotate_internal.h"
#include "out/code/lines_json.h"
#include "out/code/lines_text.h"
#include "out/term/term.h"

#define FLUSH_SIZE (64u << 10)

/* The state of printing. */
struct writing {
	const struct pfx_annotate *a;
	const struct pfx_file_cost *files;
	uint32_t nr_files;
	bool *is_wanted;         /* by file */
	struct pfx_cost *wholes; /* of all samples, by event */
	uint64_t nr_shown;
	struct pfx_event_items items; /* the files by event, for text */
	struct pfx_str *to;
};

/* --- the files that the user names --- */

/* Whether @end is the whole path or its last parts. */
static bool ends_with(const char *path, const char *end)
{
	size_t len = strlen(path), nr = strlen(end);

	return nr <= len && !strcmp(path + len - nr, end) &&
	       (nr == len || *end == '/' || path[len - nr - 1] == '/');
}

static uint32_t want_named(struct writing *w, const char *name)
{
	uint32_t i, nr = 0;

	for (i = 0; i < w->nr_files; i++) {
		w->is_wanted[i] = ends_with(w->files[i].name, name);
		nr += w->is_wanted[i];
	}
	return nr;
}

static int refuse_without_libdw(struct pfx_error *err)
{
	return pfx_error_set(err, ENODATA,
			     "source lines are not shown: pfx was built without libdw");
}

static int refuse_function(const struct pfx_code_function *function, struct pfx_error *err)
{
	char name[256], binary[256];

	if (!pfx_lines_are_built_in())
		return refuse_without_libdw(err);
	pfx_error_set(err, ENODATA,
		      "no source line of '%s' is known: '%s' has no debug information",
		      pfx_escape(name, sizeof(name), function->symbol->name),
		      pfx_escape(binary, sizeof(binary), function->dso->name));
	pfx_error_hint(err, "build with -g, or install the debug file of the binary");
	return -ENODATA;
}

/* The source of a function's first instruction: that of a call, if the called function is inlined
 * there. */
static bool source_of(struct pfx_lines *lines, const struct pfx_symbol *symbol,
		      struct pfx_source *ret)
{
	const struct pfx_inlined *inlined;
	uint32_t nr = pfx_lines_inlined(lines, symbol->start, &inlined);

	return nr ? pfx_lines_call(lines, &inlined[nr - 1], ret)
		  : pfx_lines_source(lines, symbol->start, ret);
}

/* The file that a function begins in. */
static int want_function(struct writing *w, const struct pfx_code_function *function,
			 struct pfx_error *err)
{
	struct pfx_lines *lines = pfx_resolver_lines(w->a->resolver, function->dso);
	struct pfx_source source;

	if (!lines || !source_of(lines, function->symbol, &source))
		return refuse_function(function, err);
	return want_named(w, source.file) ? 0 : refuse_function(function, err);
}

static int refuse_word(const struct writing *w, struct pfx_error *err)
{
	const struct pfx_code_function *functions;
	uint32_t nr_functions = pfx_costs_functions(w->a->costs, w->a->meta->nr_events, &functions);
	const char **names = pfx_calloc(w->nr_files + (size_t)nr_functions + 1, sizeof(*names));
	char shown[256], other[256];
	const char *near;
	size_t nr = 0;
	uint32_t i;

	for (i = 0; i < w->nr_files; i++)
		names[nr++] = pfx_file_name(w->files[i].name);
	for (i = 0; i < nr_functions; i++)
		names[nr++] = functions[i].symbol->name;
	near = pfx_similar_name(w->a->symbol, names, nr);
	free(names);
	pfx_error_set(err, ENOENT, "there is no source file or function '%s' in the recording",
		      pfx_escape(shown, sizeof(shown), w->a->symbol));
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", pfx_escape(other, sizeof(other), near));
	return -ENOENT;
}

/* The file of a function that is asked for: 1, 0 if there is none, or an error. */
static int want_asked(struct writing *w, const struct pfx_asked_name *asked, struct pfx_error *err)
{
	const struct pfx_code_function *functions;
	struct pfx_inlined_at at;
	uint32_t i, nr = pfx_costs_functions(w->a->costs, w->a->meta->nr_events, &functions);
	int rc;

	for (i = 0; i < nr; i++) {
		if (!pfx_filter_dso(w->a->filter, functions[i].dso) ||
		    !pfx_asked_name_fits(asked, functions[i].symbol->name))
			continue;
		rc = want_function(w, &functions[i], err);
		return rc < 0 ? rc : 1;
	}
	return pfx_costs_find_inlined(w->a->costs, w->a->resolver, w->a->filter, asked, &at) &&
	       at.has_source && want_named(w, at.source.file);
}

static int want_word(struct writing *w, struct pfx_error *err)
{
	struct pfx_asked_name asked = {.word = w->a->symbol};
	int rc;

	if (want_named(w, w->a->symbol))
		return 0;
	if (!w->nr_files && !pfx_lines_are_built_in())
		return refuse_without_libdw(err);
	rc = want_asked(w, &asked, err);
	if (!rc) {
		pfx_asked_name_loosen(&asked);
		rc = want_asked(w, &asked, err);
	}
	pfx_asked_name_fini(&asked);
	return rc < 0 ? rc : rc ? 0 : refuse_word(w, err);
}

static int want(struct writing *w, struct pfx_error *err)
{
	uint32_t i;

	w->is_wanted = pfx_calloc(w->nr_files + 1, sizeof(*w->is_wanted));
	for (i = 0; i < w->nr_files; i++)
		w->is_wanted[i] = true;
	return w->a->symbol ? want_word(w, err) : 0;
}

/* --- writing --- */

static bool is_above_limit(const struct writing *w, uint32_t event, uint64_t period)
{
	return w->a->symbol || pfx_annotate_share(w->wholes, event, period) >= w->a->percent_limit;
}

/* The files to print for an event (for the first one of a group), in order; the caller frees the
 * list. */
static struct pfx_ranked *list_files(const struct writing *w, const struct pfx_shown_events *shown,
				     uint32_t *ret_nr)
{
	uint32_t event = shown->at.at[0]->idx, i, nr_all, nr = 0;
	struct pfx_ranked *list = pfx_event_items_of(&w->items, shown, &nr_all);
	const struct pfx_file_cost *file;

	for (i = 0; i < nr_all; i++) {
		file = &w->files[list[i].item];
		list[i].period = pfx_cost_of(&file->self, event).period;
		list[i].inclusive = pfx_cost_of(&file->inclusive, event).period;
		if (w->is_wanted[list[i].item] && is_above_limit(w, event, list[i].period))
			list[nr++] = list[i];
	}
	*ret_nr = pfx_annotate_rank(w->a, list, nr);
	return list;
}

static int write_files(void *context, const struct pfx_shown_events *shown, struct pfx_error *err)
{
	struct writing *w = context;
	const struct pfx_code_events events = {shown->at.at, (uint32_t)shown->at.nr, w->wholes};
	struct pfx_ranked *list;
	uint32_t i, nr;
	int rc = 0;

	list = list_files(w, shown, &nr);
	for (i = 0; i < nr && !rc; i++) {
		w->nr_shown++;
		pfx_lines_text(&w->files[list[i].item], w->a->code.sources, &w->a->style, &events,
			       w->to);
		rc = pfx_out_write(w->to, FLUSH_SIZE, err);
	}
	free(list);
	return rc;
}

static int write_text(struct writing *w, struct pfx_error *err)
{
	uint32_t i;

	for (i = 0; i < w->nr_files; i++)
		pfx_event_items_add(&w->items, i, &w->files[i].inclusive);
	pfx_event_items_sort(&w->items);
	return pfx_annotate_each_event(w->a, w->wholes, write_files, w, err);
}

/* JSON has the costs of all events in each file. */
static int write_json(struct writing *w, struct pfx_error *err)
{
	struct pfx_lines_json json = {.sources = w->a->code.sources,
				      .context = w->a->style.context};
	uint32_t i;
	int rc = 0;

	pfx_lines_json_begin(&json, w->a->meta, w->wholes, w->to);
	for (i = 0; i < w->nr_files && !rc; i++) {
		if (!w->is_wanted[i] || (w->a->top && w->nr_shown >= w->a->top) ||
		    !is_above_limit(w, 0, pfx_cost_of(&w->files[i].self, 0).period))
			continue;
		w->nr_shown++;
		pfx_lines_json_add(&json, &w->files[i], w->to);
		rc = pfx_out_write(w->to, FLUSH_SIZE, err);
	}
	pfx_lines_json_end(&json, w->to);
	return rc;
}

int pfx_annotate_lines_write(const struct pfx_annotate *annotate, uint64_t *ret_nr,
			     struct pfx_str *to, struct pfx_error *err)
{
	struct pfx_line_costs *costs = pfx_line_costs_new();
	struct writing w = {.a = annotate, .to = to};
	const struct pfx_line_reading reading = {
		.resolver = annotate->resolver,
		.from = annotate->costs,
		.nr_events = annotate->meta->nr_events,
		.filter = annotate->filter,
		.sources = annotate->code.sources,
	};
	int rc;

	pfx_annotate_prepare(annotate);
	pfx_line_costs_read(costs, &reading);
	w.nr_files = pfx_line_costs_files(costs, &w.files);
	w.wholes = pfx_annotate_wholes(annotate);
	rc = want(&w, err);
	if (!rc)
		rc = annotate->json ? write_json(&w, err) : write_text(&w, err);
	*ret_nr = w.nr_shown;
	free(w.is_wanted);
	free(w.wholes);
	pfx_event_items_fini(&w.items);
	pfx_line_costs_free(costs);
	return rc < 0 ? rc : pfx_out_write(to, 0, err);
}
