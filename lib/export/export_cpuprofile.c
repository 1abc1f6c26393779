/* SPDX-License-Identifier: MIT */
/*
 * The .cpuprofile of V8, which Chrome's and VS Code's tools show: one tree, and the samples in
 * order of time. With several threads or events, each has a node of its own below the root. Times
 * are us of the recording's clock; lines count from 0.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/groups.h"
#include "base/hash.h"
#include "export/export_internal.h"
#include "export/samples/export_rows.h"
#include "out/json_parts.h"

#define NO_GROUP UINT32_MAX
#define OF_GROUP UINT64_C(0xffffffff) /* in keys, instead of a node of the selection */

/* Ids are positions, from 1. */
struct cpu_node {
	uint32_t group, frame; /* frame: PFX_NO_ID for the root and for groups */
	uint32_t parent;
	uint64_t hits;
};

struct cpuprofile {
	const struct pfx_export_input *in;
	const struct pfx_profile *profile;
	struct pfx_export_output *out;
	struct pfx_str *to; /* out->text */
	struct pfx_export_rows rows;
	bool several; /* events */
	PFX_VEC(struct cpu_node) nodes;
	struct pfx_hash by_key;     /* group and node of the selection to position */
	struct pfx_hash group_of;   /* thread and column to group */
	uint32_t *leaf_of;          /* by row of the selection: the position of its node */
	struct pfx_groups children; /* of nodes, as positions - 1 */
};

static uint32_t add_node(struct cpuprofile *p, uint32_t parent, uint32_t group, uint32_t frame)
{
	pfx_vec_push(&p->nodes, ((struct cpu_node){group, frame, parent, 0}));
	return (uint32_t)p->nodes.nr - 1;
}

static uint32_t node_of_group(struct cpuprofile *p, uint32_t group)
{
	bool is_new;
	uint64_t *at;

	if (p->rows.nr_groups == 1)
		return 0;
	at = pfx_hash_add(&p->by_key, (uint64_t)group << 32 | OF_GROUP, &is_new);
	if (is_new)
		*at = add_node(p, 0, group, PFX_NO_ID);
	return (uint32_t)*at;
}

/* The path is walked up to a node that is known, then down. */
static uint32_t node_for(struct cpuprofile *p, uint32_t group, uint32_t node)
{
	const struct pfx_nodes *nodes = &p->in->selection->nodes;
	PFX_VEC(uint32_t) path = {0};
	const uint64_t *known = NULL;
	uint32_t at;
	bool is_new;

	for (; node; node = nodes->parent[node]) {
		known = pfx_hash_get(&p->by_key, (uint64_t)group << 32 | node);
		if (known)
			break;
		pfx_vec_push(&path, node);
	}
	at = known ? (uint32_t)*known : node_of_group(p, group);
	while (path.nr) {
		node = path.at[--path.nr];
		at = add_node(p, at, group, nodes->frame[node]);
		*pfx_hash_add(&p->by_key, (uint64_t)group << 32 | node, &is_new) = at;
	}
	pfx_vec_free(&path);
	return at;
}

/* Afterwards the rows by group are not needed any more. */
static void number_groups(struct cpuprofile *p)
{
	const struct pfx_export_group *group;
	uint32_t i;

	pfx_export_rows_make(&p->rows, p->in->selection);
	free(p->rows.at);
	p->rows.at = NULL;
	for (i = 0; i < p->rows.nr_groups; i++) {
		group = &p->rows.groups[i];
		*pfx_hash_add(&p->group_of, (uint64_t)group->thread << 32 | group->column, NULL) =
			i;
	}
}

static uint32_t group_of(const struct cpuprofile *p, uint32_t row)
{
	const struct pfx_profile *profile = p->profile;
	uint32_t thread = profile->tasks[profile->row_task[row]].thread;
	uint32_t column = pfx_selection_column(p->in->selection, profile->row_event[row]);

	return (uint32_t)*pfx_hash_get(&p->group_of, (uint64_t)thread << 32 | column);
}

static void make_nodes(struct cpuprofile *p)
{
	const struct pfx_selection *selection = p->in->selection;
	uint32_t i, row, leaf;

	p->leaf_of = pfx_malloc((selection->nr_rows + 1ul) * sizeof(uint32_t));
	add_node(p, 0, NO_GROUP, PFX_NO_ID);
	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		leaf = node_for(p, group_of(p, row), pfx_selection_node(selection, row));
		p->leaf_of[i] = leaf;
		p->nodes.at[leaf].hits += pfx_row_weight(p->profile, p->in->measure, row);
	}
}

/* All but the root have one. */
static uint32_t parent_of(const void *context, uint32_t i)
{
	const struct cpuprofile *p = context;

	return p->nodes.at[i + 1].parent;
}

static char *name_of_group(const struct cpuprofile *p, uint32_t group)
{
	const struct pfx_export_group *of = &p->rows.groups[group];
	const struct pfx_profile_thread *thread = &p->profile->threads[of->thread];
	const char *event = p->profile->events[p->in->selection->events[of->column]].name;

	if (p->several)
		return pfx_strfmt("%s %u (%s)", thread->comm, thread->tid, event);
	return pfx_strfmt("%s %u", thread->comm, thread->tid);
}

static void add_function(struct cpuprofile *p, const struct cpu_node *node)
{
	const struct pfx_profile_frame *frame =
		node->frame == PFX_NO_ID ? NULL : &p->profile->frames[node->frame];
	const char *url = "";
	char *name;

	if (frame)
		name = pfx_strdup(p->profile->functions[frame->function].name);
	else
		name = node->group == NO_GROUP ? pfx_strdup("(root)")
					       : name_of_group(p, node->group);
	if (frame && frame->file)
		url = frame->file;
	else if (frame && frame->dso != PFX_NO_ID)
		url = p->profile->dsos[frame->dso].name;
	pfx_str_add(p->to, ",\"callFrame\":{");
	pfx_json_add_text(p->to, "functionName", name);
	pfx_json_add_text(p->to, "scriptId", "0");
	pfx_json_add_text(p->to, "url", url);
	pfx_str_addf(p->to, ",\"lineNumber\":%" PRId64 ",\"columnNumber\":-1}",
		     frame ? (int64_t)frame->line - 1 : -1);
	free(name);
}

static void write_node(struct cpuprofile *p, uint32_t i)
{
	const struct cpu_node *node = &p->nodes.at[i];
	uint32_t k;

	pfx_json_add_comma(p->to, i);
	pfx_str_addf(p->to, "{\"id\":%u", i + 1);
	add_function(p, node);
	pfx_json_add_number(p->to, "hitCount", node->hits);
	pfx_str_add(p->to, ",\"children\":[");
	for (k = p->children.first[i]; k < p->children.first[i + 1]; k++) {
		pfx_json_add_comma(p->to, k - p->children.first[i]);
		pfx_str_u64(p->to, p->children.at[k] + 2, 0);
	}
	pfx_str_add(p->to, "]}");
}

static void write_samples(struct cpuprofile *p)
{
	const struct pfx_selection *selection = p->in->selection;
	const uint64_t *times = p->profile->row_time;
	uint64_t last = p->profile->first_time / 1000, time;
	uint32_t i;

	pfx_str_add(p->to, ",\"samples\":[");
	for (i = 0; i < selection->nr_rows && !pfx_export_flush(p->out); i++) {
		pfx_json_add_comma(p->to, i);
		pfx_str_u64(p->to, p->leaf_of[i] + 1, 0);
	}
	pfx_str_add(p->to, "],\"timeDeltas\":[");
	for (i = 0; i < selection->nr_rows && !pfx_export_flush(p->out); i++) {
		pfx_profile_pass(p->profile, selection->rows[i]);
		time = times[selection->rows[i]] / 1000;
		pfx_json_add_comma(p->to, i);
		pfx_str_u64(p->to, time > last ? time - last : 0, 0);
		last = time > last ? time : last;
	}
	pfx_str_addc(p->to, ']');
}

/* In microseconds, of the wall clock where it is known. */
static uint64_t shown_time(const struct cpuprofile *p, uint64_t time)
{
	uint64_t wall = time;

	pfx_export_wall_time(p->in->meta, time, &wall);
	return wall / 1000;
}

void pfx_export_cpuprofile(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct cpuprofile p = {
		.in = in,
		.profile = in->selection->profile,
		.out = out,
		.to = &out->text,
		.several = pfx_export_has_several(in->selection),
	};
	uint32_t i;

	number_groups(&p);
	make_nodes(&p);
	pfx_groups_make(&p.children, (uint32_t)p.nodes.nr - 1, (uint32_t)p.nodes.nr, parent_of, &p);
	pfx_str_add(p.to, "{\"nodes\":[");
	for (i = 0; i < p.nodes.nr && !pfx_export_flush(out); i++)
		write_node(&p, i);
	pfx_str_addf(p.to, "],\"startTime\":%" PRIu64 ",\"endTime\":%" PRIu64,
		     shown_time(&p, p.profile->first_time), shown_time(&p, p.profile->last_time));
	write_samples(&p);
	pfx_str_add(p.to, "}\n");
	pfx_export_rows_fini(&p.rows);
	pfx_hash_fini(&p.by_key);
	pfx_vec_free(&p.nodes);
	pfx_hash_fini(&p.group_of);
	free(p.leaf_of);
	pfx_groups_fini(&p.children);
}
