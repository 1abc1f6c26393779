/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks: lines "comm;root;...;leaf N". With several events, the name of the event precedes
 * the comm, so that their weights are never added. Lines that look equal are merged. In order of
 * event, comm, and the tree of stacks.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "export/export_internal.h"
#include "export/samples/export_frames.h"
#include "out/folded_names.h"

/* A frame as text, called by its parent; 0 is the root. */
struct text_node {
	uint32_t parent, text;
};

struct folded_line {
	uint32_t column, comm, node;
	uint64_t weight;
};

struct folding {
	const struct pfx_export_input *in;
	const struct pfx_profile *profile;
	struct pfx_intern texts;
	uint32_t *frame_texts; /* by frame: id of its text */
	PFX_VEC(struct text_node) nodes;
	struct pfx_hash by_text; /* parent and text to node */
	uint32_t *node_of;       /* by node of the selection */
	PFX_VEC(struct folded_line) lines;
	PFX_VEC(uint32_t) path; /* scratch */
};

static uint32_t text_of(struct folding *folding, const struct pfx_profile_frame *frame,
			struct pfx_str *scratch)
{
	const struct pfx_profile *profile = folding->profile;
	const struct pfx_profile_function *function = &profile->functions[frame->function];
	const struct pfx_profile_dso *dso =
		frame->dso == PFX_NO_ID ? NULL : &profile->dsos[frame->dso];
	const struct pfx_folded_frame shown = {
		.name = function->is_named ? function->name : NULL,
		.dso = dso ? dso->short_name : NULL,
		.is_kernel = function->level == 'k',
		.is_inlined = function->is_inlined,
		.is_jit = dso && pfx_export_is_jit(dso),
	};

	pfx_str_clear(scratch);
	pfx_folded_add_frame(scratch, &shown);
	return pfx_intern_add(&folding->texts, scratch->at, scratch->len);
}

static void make_texts(struct folding *folding)
{
	const struct pfx_profile *profile = folding->profile;
	struct pfx_str scratch = {0};
	uint32_t i;

	folding->frame_texts =
		pfx_malloc((profile->nr_frames + 1ul) * sizeof(*folding->frame_texts));
	for (i = 0; i < profile->nr_frames; i++)
		folding->frame_texts[i] = text_of(folding, &profile->frames[i], &scratch);
	pfx_str_fini(&scratch);
}

static uint32_t node_for(struct folding *folding, uint32_t parent, uint32_t text)
{
	bool is_new;
	uint64_t *at = pfx_hash_add(&folding->by_text, (uint64_t)parent << 32 | text, &is_new);

	if (is_new) {
		*at = folding->nodes.nr;
		pfx_vec_push(&folding->nodes, ((struct text_node){parent, text}));
	}
	return (uint32_t)*at;
}

static void make_nodes(struct folding *folding)
{
	const struct pfx_nodes *nodes = &folding->in->selection->nodes;
	uint32_t i, *node_of = pfx_calloc(nodes->nr + 1ul, sizeof(*node_of));

	folding->node_of = node_of;
	pfx_vec_push(&folding->nodes, ((struct text_node){0}));
	for (i = 1; i < nodes->nr; i++)
		node_of[i] = node_for(folding, node_of[nodes->parent[i]],
				      folding->frame_texts[nodes->frame[i]]);
}

static int by_place(const void *a, const void *b)
{
	const struct folded_line *x = a, *y = b;

	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* A line for each chosen row, then sorted and merged. */
static void make_lines(struct folding *folding)
{
	const struct pfx_selection *selection = folding->in->selection;
	const struct pfx_profile *profile = folding->profile;
	struct folded_line line;
	uint32_t i, row;
	size_t nr = 0;

	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		line = (struct folded_line){
			.column = pfx_selection_column(selection, profile->row_event[row]),
			.comm = profile->tasks[profile->row_task[row]].comm,
			.node = folding->node_of[pfx_selection_node(selection, row)],
			.weight = pfx_row_weight(profile, folding->in->measure, row),
		};
		pfx_vec_push(&folding->lines, line);
	}
	if (folding->lines.nr)
		qsort(folding->lines.at, folding->lines.nr, sizeof(line), by_place);
	for (i = 0; i < folding->lines.nr; i++) {
		if (nr && !by_place(&folding->lines.at[nr - 1], &folding->lines.at[i]))
			folding->lines.at[nr - 1].weight += folding->lines.at[i].weight;
		else
			folding->lines.at[nr++] = folding->lines.at[i];
	}
	folding->lines.nr = nr;
}

static void add_line(struct folding *folding, const struct folded_line *line, bool with_event,
		     struct pfx_str *to)
{
	const struct pfx_profile *profile = folding->profile;
	uint32_t node;
	size_t i;

	if (with_event) {
		pfx_folded_add_name(
			to, profile->events[folding->in->selection->events[line->column]].name);
		pfx_str_addc(to, ';');
	}
	pfx_folded_add_name(to, profile->comms[line->comm]);
	folding->path.nr = 0;
	for (node = line->node; node; node = folding->nodes.at[node].parent)
		pfx_vec_push(&folding->path, folding->nodes.at[node].text);
	for (i = folding->path.nr; i--;) {
		pfx_str_addc(to, ';');
		pfx_str_add(to, pfx_intern_get(&folding->texts, folding->path.at[i]));
	}
	pfx_str_addf(to, " %" PRIu64 "\n", line->weight);
}

void pfx_export_folded(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct folding folding = {.in = in, .profile = in->selection->profile};
	bool several = pfx_export_has_several(in->selection);
	size_t i;

	make_texts(&folding);
	make_nodes(&folding);
	make_lines(&folding);
	for (i = 0; i < folding.lines.nr && !pfx_export_flush(out); i++)
		add_line(&folding, &folding.lines.at[i], several, &out->text);
	pfx_intern_fini(&folding.texts);
	pfx_hash_fini(&folding.by_text);
	pfx_vec_free(&folding.nodes);
	pfx_vec_free(&folding.lines);
	pfx_vec_free(&folding.path);
	free(folding.frame_texts);
	free(folding.node_of);
}
