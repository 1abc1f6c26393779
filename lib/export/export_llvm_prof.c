/* SPDX-License-Identifier: MIT */
/*
 * A sample profile for clang (-fprofile-sample-use), as text that llvm-profdata reads. For each
 * function, by its linkage name: its samples with all functions inlined in it, how often it was
 * entered, and by line (from the function's declaration on) and discriminator how often it ran;
 * then the inlined functions in the same form. With branch stacks the code between two branches ran
 * as often as these were seen, and calls are known; without, each sample counts for its line. A
 * line ran as often as the instruction of it that ran most often. Code without debug information is
 * left out.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/export_internal.h"
#include "export/samples/pgo_counts.h"

#define LINE_MASK 0xffff /* offsets of lines are of 16 bits in compilers */
#define ROWS_MAX  4096

/* A function, or its copy inlined at a line of its parent. */
struct node {
	uint32_t parent; /* of a function: itself */
	uint32_t name, line, discriminator;
	uint64_t total, head;
};

struct body {
	uint32_t node, line, discriminator;
	uint64_t count;
};

struct target {
	uint32_t body, name;
	uint64_t count;
};

struct llvm_prof {
	const struct pfx_pgo *pgo;
	struct pfx_resolver *resolver;
	struct pfx_intern names;
	PFX_VEC(struct node) nodes;
	PFX_VEC(struct body) bodies;
	PFX_VEC(struct target) targets;
	struct pfx_id_table node_at, body_at, target_at;
	struct pfx_export_output *out;
};

/* --- tables --- */

static uint64_t hash_of(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return pfx_hash_u64(pfx_hash_u64((uint64_t)a << 32 | b) ^ ((uint64_t)c << 32 | d));
}

static uint32_t add_node(struct llvm_prof *p, const struct node *wanted, bool is_function)
{
	uint64_t hash = hash_of(is_function ? UINT32_MAX : wanted->parent, wanted->name,
				wanted->line, wanted->discriminator);
	const struct node *node;
	uint64_t at = hash;
	uint32_t id;

	while (pfx_id_table_next(&p->node_at, hash, &at, &id)) {
		node = &p->nodes.at[id];
		if (node->name == wanted->name && node->line == wanted->line &&
		    node->discriminator == wanted->discriminator &&
		    (is_function ? node->parent == id
				 : node->parent == wanted->parent && node->parent != id))
			return id;
	}
	id = (uint32_t)p->nodes.nr;
	pfx_vec_push(&p->nodes, *wanted);
	if (is_function)
		p->nodes.at[id].parent = id;
	pfx_id_table_add(&p->node_at, hash, id);
	return id;
}

static uint32_t add_body(struct llvm_prof *p, uint32_t node, uint32_t line, uint32_t discriminator)
{
	uint64_t hash = hash_of(node, line, discriminator, 0), at = hash;
	const struct body *body;
	uint32_t id;

	while (pfx_id_table_next(&p->body_at, hash, &at, &id)) {
		body = &p->bodies.at[id];
		if (body->node == node && body->line == line &&
		    body->discriminator == discriminator)
			return id;
	}
	id = (uint32_t)p->bodies.nr;
	*pfx_vec_add(&p->bodies) =
		(struct body){.node = node, .line = line, .discriminator = discriminator};
	pfx_id_table_add(&p->body_at, hash, id);
	return id;
}

static void add_target(struct llvm_prof *p, uint32_t body, uint32_t name, uint64_t count)
{
	uint64_t hash = hash_of(body, name, 0, 0), at = hash;
	uint32_t id;

	while (pfx_id_table_next(&p->target_at, hash, &at, &id)) {
		if (p->targets.at[id].body != body || p->targets.at[id].name != name)
			continue;
		p->targets.at[id].count += count;
		return;
	}
	pfx_id_table_add(&p->target_at, hash, (uint32_t)p->targets.nr);
	*pfx_vec_add(&p->targets) = (struct target){body, name, count};
}

/* --- frames --- */

/* The part of a discriminator of LLVM that says which block of a line it is; the others say how
 * often the code was copied. It has 5 or 12 bits: bit 6 means that 7 more follow. */
static uint32_t base_of(uint32_t discriminator)
{
	uint32_t value = discriminator >> 1;

	if (discriminator & 1)
		return 0;
	return value & 0x20 ? (value & 0x1f) | (value >> 1 & 0xfe0) : value & 0x1f;
}

static uint32_t offset_of(const struct pfx_line_frame *frame)
{
	return (frame->line - frame->declared) & LINE_MASK;
}

static uint32_t frames_at(struct llvm_prof *p, const struct pfx_dso *dso, uint64_t addr,
			  struct pfx_line_frame *ret)
{
	struct pfx_lines *lines = dso ? pfx_resolver_lines(p->resolver, dso) : NULL;

	return lines ? pfx_lines_frames(lines, addr, ret) : 0;
}

/* The node of the innermost frame; @nr frames, innermost first. */
static uint32_t node_of(struct llvm_prof *p, const struct pfx_line_frame *frames, uint32_t nr)
{
	struct node node = {.name = pfx_intern_str(&p->names, frames[nr - 1].function)};
	uint32_t id = add_node(p, &node, true), i;

	for (i = nr - 1; i > 0; i--) {
		node = (struct node){
			.parent = id,
			.name = pfx_intern_str(&p->names, frames[i - 1].function),
			.line = offset_of(&frames[i]),
			.discriminator = base_of(frames[i].discriminator),
		};
		id = add_node(p, &node, false);
	}
	return id;
}

/* An address ran so often: its line at least so often. */
static void add_address(struct llvm_prof *p, const struct pfx_dso *dso, uint64_t addr,
			uint64_t count)
{
	struct pfx_line_frame frames[PFX_LINE_FRAMES_MAX];
	uint32_t nr = frames_at(p, dso, addr, frames), node, body;

	if (!nr)
		return;
	node = node_of(p, frames, nr);
	body = add_body(p, node, offset_of(&frames[0]), base_of(frames[0].discriminator));
	if (count > p->bodies.at[body].count)
		p->bodies.at[body].count = count;
}

static void add_samples(struct llvm_prof *p, const struct pfx_place *place, uint64_t count)
{
	struct pfx_line_frame frames[PFX_LINE_FRAMES_MAX];
	uint32_t nr = frames_at(p, place->dso, place->addr, frames), node;

	if (!nr)
		return;
	for (node = node_of(p, frames, nr);; node = p->nodes.at[node].parent) {
		p->nodes.at[node].total += count;
		if (p->nodes.at[node].parent == node)
			break;
	}
}

/* --- branch stacks --- */

struct address {
	const struct pfx_dso *dso;
	uint64_t addr, count;
};

struct addresses {
	PFX_VEC(struct address) all;
};

static int by_address(const void *x, const void *y)
{
	const struct address *a = x, *b = y;

	if (a->dso != b->dso)
		return a->dso->id > b->dso->id ? 1 : -1;
	return (a->addr > b->addr) - (a->addr < b->addr);
}

/* Where the range begins, and each row of the line table in it. */
static void collect_range(struct llvm_prof *p, const struct pfx_pgo_range *range,
			  struct addresses *to)
{
	static uint64_t rows[ROWS_MAX];
	const struct pfx_dso *dso = range->begin->dso;
	struct pfx_lines *lines = dso ? pfx_resolver_lines(p->resolver, dso) : NULL;
	uint32_t nr, i;

	if (!lines)
		return;
	pfx_vec_push(&to->all, ((struct address){dso, range->begin->addr, range->count}));
	nr = pfx_lines_rows(lines, range->begin->addr, range->end->addr, rows, ROWS_MAX);
	for (i = 0; i < nr; i++)
		if (rows[i] != range->begin->addr)
			pfx_vec_push(&to->all, ((struct address){dso, rows[i], range->count}));
}

static void add_ranges(struct llvm_prof *p)
{
	struct addresses to = {0};
	uint64_t count;
	size_t i;

	for (i = 0; i < p->pgo->ranges.nr; i++)
		collect_range(p, &p->pgo->ranges.at[i], &to);
	if (to.all.nr)
		qsort(to.all.at, to.all.nr, sizeof(*to.all.at), by_address);
	for (i = 0; i < to.all.nr;) {
		const struct address *first = &to.all.at[i];

		for (count = 0; i < to.all.nr && !by_address(first, &to.all.at[i]); i++)
			count += to.all.at[i].count;
		add_address(p, first->dso, first->addr, count);
	}
	pfx_vec_free(&to.all);
}

/* A branch to the first instruction of a function is a call, or a jump that replaces one. */
static void add_call(struct llvm_prof *p, const struct pfx_pgo_branch *branch)
{
	struct pfx_line_frame from[PFX_LINE_FRAMES_MAX], to[PFX_LINE_FRAMES_MAX];
	uint32_t nr_from, nr_to, callee, body;
	struct node node = {0};

	if (!branch->to->sym || branch->to->addr != branch->to->sym->start)
		return;
	nr_to = frames_at(p, branch->to->dso, branch->to->addr, to);
	if (!nr_to)
		return;
	node.name = callee = pfx_intern_str(&p->names, to[nr_to - 1].function);
	p->nodes.at[add_node(p, &node, true)].head += branch->count;
	nr_from = frames_at(p, branch->from->dso, branch->from->addr, from);
	if (!nr_from)
		return;
	body = add_body(p, node_of(p, from, nr_from), offset_of(&from[0]),
			base_of(from[0].discriminator));
	add_target(p, body, callee, branch->count);
	if (p->bodies.at[body].count < branch->count)
		p->bodies.at[body].count = branch->count;
}

/* --- output --- */

struct order {
	uint32_t *nodes, *bodies;       /* sorted by parent, line; by node, line */
	uint32_t *first_node, *nr_node; /* inlined functions by node */
	uint32_t *first_body, *nr_body; /* lines by node */
};

static int by_line(const void *x, const void *y, void *context)
{
	const struct llvm_prof *p = context;
	const struct body *a = &p->bodies.at[*(const uint32_t *)x],
			  *b = &p->bodies.at[*(const uint32_t *)y];

	if (a->node != b->node)
		return a->node > b->node ? 1 : -1;
	if (a->line != b->line)
		return a->line > b->line ? 1 : -1;
	return (a->discriminator > b->discriminator) - (a->discriminator < b->discriminator);
}

static const char *name_of(const struct llvm_prof *p, uint32_t name)
{
	return pfx_intern_get(&p->names, name);
}

static bool is_function(const struct llvm_prof *p, uint32_t node)
{
	return p->nodes.at[node].parent == node;
}

static int by_parent(const void *x, const void *y, void *context)
{
	const struct llvm_prof *p = context;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct node *a = &p->nodes.at[i], *b = &p->nodes.at[k];

	if (is_function(p, i) != is_function(p, k))
		return is_function(p, i) ? -1 : 1;
	if (!is_function(p, i) && a->parent != b->parent)
		return a->parent > b->parent ? 1 : -1;
	if (!is_function(p, i) && a->line != b->line)
		return a->line > b->line ? 1 : -1;
	if (!is_function(p, i) && a->discriminator != b->discriminator)
		return a->discriminator > b->discriminator ? 1 : -1;
	if (is_function(p, i) && a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return strcmp(name_of(p, a->name), name_of(p, b->name));
}

static void add_line(struct llvm_prof *p, unsigned depth, uint32_t line, uint32_t discriminator)
{
	pfx_str_pad(&p->out->text, ' ', depth);
	pfx_str_addf(&p->out->text, "%" PRIu32, line);
	if (discriminator)
		pfx_str_addf(&p->out->text, ".%" PRIu32, discriminator);
	pfx_str_add(&p->out->text, ": ");
}

/* A name with a blank or a colon would end the field. */
static void add_name(struct pfx_str *to, const char *name)
{
	for (; *name; name++)
		pfx_str_addc(to, (unsigned char)*name <= ' ' || *name == ':' || *name == 0x7f
					 ? '_'
					 : *name);
}

static void write_body(struct llvm_prof *p, uint32_t id, unsigned depth)
{
	const struct body *body = &p->bodies.at[id];
	size_t i;

	add_line(p, depth, body->line, body->discriminator);
	pfx_str_addf(&p->out->text, "%" PRIu64, body->count);
	for (i = 0; i < p->targets.nr; i++) {
		if (p->targets.at[i].body != id)
			continue;
		pfx_str_addc(&p->out->text, ' ');
		add_name(&p->out->text, name_of(p, p->targets.at[i].name));
		pfx_str_addf(&p->out->text, ":%" PRIu64, p->targets.at[i].count);
	}
	pfx_str_addc(&p->out->text, '\n');
}

static void write_node(const struct order *o, struct llvm_prof *p, uint32_t id, unsigned depth)
{
	const struct node *inlined;
	uint32_t i, child;

	for (i = 0; i < o->nr_body[id]; i++)
		write_body(p, o->bodies[o->first_body[id] + i], depth);
	for (i = 0; i < o->nr_node[id]; i++) {
		child = o->nodes[o->first_node[id] + i];
		inlined = &p->nodes.at[child];
		add_line(p, depth, inlined->line, inlined->discriminator);
		add_name(&p->out->text, name_of(p, inlined->name));
		pfx_str_addf(&p->out->text, ":%" PRIu64 "\n", inlined->total);
		write_node(o, p, child, depth + 1);
	}
}

static uint32_t *make_ids(size_t nr)
{
	uint32_t *ids = pfx_malloc((nr + 1) * sizeof(*ids)), i;

	for (i = 0; i < nr; i++)
		ids[i] = i;
	return ids;
}

static void make_order(struct llvm_prof *p, struct order *o)
{
	uint32_t i, id;

	*o = (struct order){
		.nodes = make_ids(p->nodes.nr),
		.bodies = make_ids(p->bodies.nr),
		.first_node = pfx_calloc(p->nodes.nr + 1, sizeof(uint32_t)),
		.nr_node = pfx_calloc(p->nodes.nr + 1, sizeof(uint32_t)),
		.first_body = pfx_calloc(p->nodes.nr + 1, sizeof(uint32_t)),
		.nr_body = pfx_calloc(p->nodes.nr + 1, sizeof(uint32_t)),
	};
	qsort_r(o->nodes, p->nodes.nr, sizeof(*o->nodes), by_parent, p);
	qsort_r(o->bodies, p->bodies.nr, sizeof(*o->bodies), by_line, p);
	for (i = 0; i < p->nodes.nr; i++) {
		if (is_function(p, o->nodes[i]))
			continue;
		id = p->nodes.at[o->nodes[i]].parent;
		if (!o->nr_node[id]++)
			o->first_node[id] = i;
	}
	for (i = 0; i < p->bodies.nr; i++) {
		id = p->bodies.at[o->bodies[i]].node;
		if (!o->nr_body[id]++)
			o->first_body[id] = i;
	}
}

static void write_all(struct llvm_prof *p)
{
	const struct node *node;
	struct order o;
	uint32_t i;

	make_order(p, &o);
	for (i = 0; i < p->nodes.nr && is_function(p, o.nodes[i]); i++) {
		node = &p->nodes.at[o.nodes[i]];
		add_name(&p->out->text, name_of(p, node->name));
		pfx_str_addf(&p->out->text, ":%" PRIu64 ":%" PRIu64 "\n", node->total, node->head);
		write_node(&o, p, o.nodes[i], 1);
		if (pfx_export_flush(p->out))
			break;
	}
	free(o.nodes);
	free(o.bodies);
	free(o.first_node);
	free(o.nr_node);
	free(o.first_body);
	free(o.nr_body);
}

static void make_profile(struct llvm_prof *p)
{
	const struct pfx_place *place;
	size_t i;

	for (i = 0; i < p->pgo->places.nr; i++) {
		if (!p->pgo->places.at[i])
			continue;
		place = pfx_resolver_place_at(p->resolver, (uint32_t)i);
		add_samples(p, place, p->pgo->places.at[i]);
		if (!p->pgo->branches.nr)
			add_address(p, place->dso, place->addr, p->pgo->places.at[i]);
	}
	add_ranges(p);
	for (i = 0; i < p->pgo->branches.nr; i++)
		add_call(p, &p->pgo->branches.at[i]);
}

void pfx_export_llvm_prof(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pfx_error err = {0};
	struct pfx_pgo pgo;
	int rc = pfx_pgo_read(in->stream, &pgo, &err);
	struct llvm_prof p = {
		.pgo = &pgo,
		.resolver = pfx_recording_resolver(in->stream->reading.recording),
		.out = out,
	};

	if (rc < 0) {
		pfx_export_fail(out, rc, &err);
	} else {
		make_profile(&p);
		write_all(&p);
	}
	pfx_pgo_fini(&pgo);
	pfx_intern_fini(&p.names);
	pfx_vec_free(&p.nodes);
	pfx_vec_free(&p.bodies);
	pfx_vec_free(&p.targets);
	pfx_id_table_fini(&p.node_at);
	pfx_id_table_fini(&p.body_at);
	pfx_id_table_fini(&p.target_at);
}
