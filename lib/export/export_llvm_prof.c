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

#include "base/groups.h"
#include "export/export_internal.h"
#include "export/samples/pgo_counts.h"
#include "export/samples/redact.h"

#define LINE_MASK 0xffff /* offsets of lines are of 16 bits in compilers */
#define ROWS_MAX  4096   /* that are read at once */

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
	struct pfx_redact *redact; /* NULL: names stay */
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

/* GCC gives functions of one file, and templates with types of one function, no linkage name in the
 * debug information; the symbol table has it, with a suffix if they are a copy of them. A name of C
 * stays: its symbol may be one of several. */
static void take_linkage_name(struct llvm_prof *p, const struct pfx_dso *dso, uint64_t addr,
			      struct pfx_line_frame *frame)
{
	const struct pfx_symbol *sym;
	struct pfx_str name = {0};

	if (strncmp(frame->function, "_Z", 2) == 0)
		return;
	sym = pfx_symtab_find(pfx_resolver_symtab(p->resolver, dso), addr);
	if (!sym || strncmp(sym->name, "_Z", 2) != 0)
		return;
	pfx_str_addn(&name, sym->name, strcspn(sym->name, ".@"));
	frame->function = pfx_intern_get(&p->names, pfx_intern_str(&p->names, pfx_str_get(&name)));
	pfx_str_fini(&name);
}

static uint32_t frames_at(struct llvm_prof *p, const struct pfx_dso *dso, uint64_t addr,
			  struct pfx_line_frame *ret)
{
	struct pfx_lines *lines = dso ? pfx_resolver_lines(p->resolver, dso) : NULL;
	uint32_t nr = lines ? pfx_lines_frames(lines, addr, ret) : 0;

	if (nr)
		take_linkage_name(p, dso, addr, &ret[nr - 1]);
	return nr;
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

	if (!nr) {
		p->out->nr_left_out += count;
		return;
	}
	for (node = node_of(p, frames, nr);; node = p->nodes.at[node].parent) {
		p->nodes.at[node].total += count;
		if (p->nodes.at[node].parent == node)
			break;
	}
}

/* --- branch stacks --- */

/* A range, in the compilation unit in which it begins. */
struct range {
	const struct pfx_dso *dso;
	uint64_t unit, begin, end, count;
};

/* Ranges of a unit that touch each other: by where they begin, and by where they end. */
struct segment {
	const struct range *begins, *ends;
	size_t nr;
	uint64_t last; /* address */
};

static int by_unit(const struct range *a, const struct range *b)
{
	if (a->dso != b->dso)
		return a->dso->id > b->dso->id ? 1 : -1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

static int by_begin(const void *x, const void *y)
{
	const struct range *a = x, *b = y;
	int unit = by_unit(a, b);

	return unit ? unit : (a->begin > b->begin) - (a->begin < b->begin);
}

static int by_end(const void *x, const void *y)
{
	const struct range *a = x, *b = y;
	int unit = by_unit(a, b);

	return unit ? unit : (a->end > b->end) - (a->end < b->end);
}

/* The addresses of a segment in ascending order: where ranges begin, and rows of the line table. */
struct sweep {
	const struct segment *segment;
	struct pfx_lines *lines;
	uint64_t rows[ROWS_MAX];
	uint32_t nr_rows, row;
	size_t begun, ended; /* ranges that begin at or before the address, end before it */
	uint64_t active;     /* count of the ranges that the address is in */
};

static void read_rows(struct sweep *sweep, uint64_t from)
{
	sweep->row = 0;
	sweep->nr_rows = from > sweep->segment->last
				 ? 0
				 : pfx_lines_rows(sweep->lines, from, sweep->segment->last,
						  sweep->rows, ROWS_MAX);
}

/* The next address, if there is one; *@ret_is_row: the line table has it. */
static bool next_address(struct sweep *sweep, uint64_t *ret, bool *ret_is_row)
{
	const struct segment *segment = sweep->segment;
	bool has_begin = sweep->begun < segment->nr;
	uint64_t begin = has_begin ? segment->begins[sweep->begun].begin : 0;

	if (sweep->row == sweep->nr_rows && sweep->nr_rows == ROWS_MAX)
		read_rows(sweep, sweep->rows[ROWS_MAX - 1] + 1);
	*ret_is_row =
		sweep->row < sweep->nr_rows && (!has_begin || sweep->rows[sweep->row] <= begin);
	if (!*ret_is_row && !has_begin)
		return false;
	*ret = *ret_is_row ? sweep->rows[sweep->row++] : begin;
	return true;
}

/* How often an address ran. What is not in the line table ran as often as ranges begin there. */
static uint64_t count_at(struct sweep *sweep, uint64_t addr, bool is_row)
{
	const struct segment *segment = sweep->segment;
	uint64_t begun = 0;

	for (; sweep->begun < segment->nr && segment->begins[sweep->begun].begin == addr;
	     sweep->begun++)
		begun += segment->begins[sweep->begun].count;
	for (; sweep->ended < segment->nr && segment->ends[sweep->ended].end < addr; sweep->ended++)
		sweep->active -= segment->ends[sweep->ended].count;
	sweep->active += begun;
	return is_row ? sweep->active : begun;
}

static void add_segment(struct llvm_prof *p, const struct segment *segment)
{
	const struct pfx_dso *dso = segment->begins->dso;
	struct sweep *sweep = pfx_calloc(1, sizeof(*sweep));
	uint64_t addr;
	bool is_row;

	sweep->segment = segment;
	sweep->lines = pfx_resolver_lines(p->resolver, dso);
	read_rows(sweep, segment->begins->begin);
	while (next_address(sweep, &addr, &is_row))
		add_address(p, dso, addr, count_at(sweep, addr, is_row));
	free(sweep);
}

/* Those in code with debug information: their number. */
static size_t collect_ranges(struct llvm_prof *p, struct range *ret)
{
	const struct pfx_pgo_range *from;
	struct pfx_lines *lines;
	struct range range;
	size_t i, nr = 0;

	for (i = 0; i < p->pgo->ranges.nr; i++) {
		from = &p->pgo->ranges.at[i];
		range = (struct range){from->begin->dso, 0, from->begin->addr, from->end->addr,
				       from->count};
		lines = range.dso ? pfx_resolver_lines(p->resolver, range.dso) : NULL;
		range.unit = lines ? pfx_lines_unit(lines, range.begin) : 0;
		if (range.unit)
			ret[nr++] = range;
	}
	return nr;
}

static void add_ranges(struct llvm_prof *p)
{
	size_t size = (p->pgo->ranges.nr + 1) * sizeof(struct range), i, end, nr;
	struct range *begins = pfx_malloc(size), *ends = pfx_malloc(size);
	struct segment segment;

	nr = collect_ranges(p, begins);
	memcpy(ends, begins, nr * sizeof(*ends));
	qsort(begins, nr, sizeof(*begins), by_begin);
	qsort(ends, nr, sizeof(*ends), by_end);
	for (i = 0; i < nr; i = end) {
		segment = (struct segment){begins + i, ends + i, 0, begins[i].end};
		for (end = i; end < nr && !by_unit(&begins[end], &begins[i]) &&
			      begins[end].begin <= segment.last;
		     end++)
			if (begins[end].end > segment.last)
				segment.last = begins[end].end;
		segment.nr = end - i;
		add_segment(p, &segment);
	}
	free(begins);
	free(ends);
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
	struct pfx_groups targets;      /* by line */
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

static void add_function(struct llvm_prof *p, uint32_t name)
{
	struct pfx_str text = {0};

	if (p->redact)
		pfx_redact_function(p->redact, name_of(p, name), &text);
	add_name(&p->out->text, p->redact ? pfx_str_get(&text) : name_of(p, name));
	pfx_str_fini(&text);
}

static void write_body(const struct order *o, struct llvm_prof *p, uint32_t id, unsigned depth)
{
	const struct body *body = &p->bodies.at[id];
	const struct target *target;
	uint32_t i;

	add_line(p, depth, body->line, body->discriminator);
	pfx_str_addf(&p->out->text, "%" PRIu64, body->count);
	for (i = o->targets.first[id]; i < o->targets.first[id + 1]; i++) {
		target = &p->targets.at[o->targets.at[i]];
		pfx_str_addc(&p->out->text, ' ');
		add_function(p, target->name);
		pfx_str_addf(&p->out->text, ":%" PRIu64, target->count);
	}
	pfx_str_addc(&p->out->text, '\n');
}

static void write_node(const struct order *o, struct llvm_prof *p, uint32_t id, unsigned depth)
{
	const struct node *inlined;
	uint32_t i, child;

	for (i = 0; i < o->nr_body[id]; i++)
		write_body(o, p, o->bodies[o->first_body[id] + i], depth);
	for (i = 0; i < o->nr_node[id]; i++) {
		child = o->nodes[o->first_node[id] + i];
		inlined = &p->nodes.at[child];
		add_line(p, depth, inlined->line, inlined->discriminator);
		add_function(p, inlined->name);
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

static uint32_t body_of_target(const void *context, uint32_t i)
{
	const struct llvm_prof *p = context;

	return p->targets.at[i].body;
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
	pfx_groups_make(&o->targets, (uint32_t)p->targets.nr, (uint32_t)p->bodies.nr,
			body_of_target, p);
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
		add_function(p, node->name);
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
	pfx_groups_fini(&o.targets);
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
		.redact = in->stream->redact,
		.out = out,
	};

	if (rc < 0) {
		pfx_export_fail(out, rc, &err);
	} else {
		out->left_out_why =
			"in code without debug information, and left out; build it with -g";
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
