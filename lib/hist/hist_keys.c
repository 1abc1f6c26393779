/* SPDX-License-Identifier: MIT */
/*
 * The keys of rows: the word that tells rows of a key apart, and the order of rows by a key. One
 * switch for each, by key; text is made elsewhere. What has no entry here is a number of the
 * sample and is compared as such.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "event/mem_text.h"
#include "hist/hist_internal.h"

#define NO_ID UINT32_MAX

/* Frames without a symbol are told apart by where they ran, samples by where they lie in the file.
 */
#define BY_IP 0x80000000u
/* Ends of branches without a symbol are told apart by where they ran. */
#define END_BY_IP (1ull << 63)

/* What branches say. */
#define FLAG_GUESS  3ull /* of a branch: predicted, mispredicted */
#define FLAG_TX     4ull
#define FLAG_ABORT  8ull
#define FLAG_CYCLES 0xffff0ull

static uint64_t dso_word(const struct pfx_place *place)
{
	return place->dso ? place->dso->name_id : NO_ID;
}

static uint64_t symbol_word(const struct pfx_place *place, uint64_t shown)
{
	if (place->sym || shown == place->shown)
		return place->sym_id;
	return place->frame_id | BY_IP;
}

uint32_t pfx_hist_socket(const struct pfx_hists *hists, int32_t cpu)
{
	const struct pfx_env_topology *topology = &hists->options.meta->env.topology;

	if (cpu < 0 || (uint32_t)cpu >= topology->nr_cpus)
		return UINT32_MAX;
	return topology->cpus[cpu].socket_id;
}

/* "worker-12" and "worker-7" are both "worker-<N>". */
static uint32_t nodigit_id(struct pfx_hists *hists, const char *comm)
{
	struct pfx_str text = {0};
	uint32_t id;

	for (; *comm; comm++) {
		if (*comm < '0' || *comm > '9') {
			pfx_str_addc(&text, *comm);
			continue;
		}
		pfx_str_add(&text, "<N>");
		while (comm[1] >= '0' && comm[1] <= '9')
			comm++;
	}
	id = pfx_intern_add(&hists->source_texts, pfx_str_get(&text), text.len);
	pfx_str_fini(&text);
	return id;
}

uint64_t pfx_hist_line_size(const struct pfx_hists *hists)
{
	uint32_t size = hists->options.meta->env.cln_size;

	return size ? size : 64;
}

uint64_t pfx_hist_line_of(const struct pfx_hists *hists, const struct pfx_row *row)
{
	return pfx_row_place(hists, row, PFX_WORD_DATA)->shown & ~(pfx_hist_line_size(hists) - 1);
}

/* The part of data_src that a key is about. */
static uint64_t access_part(enum pfx_key key, uint64_t src)
{
	switch (key) {
	case PFX_KEY_LOCKED:
		return PFX_MEM_LOCK(src);
	case PFX_KEY_TLB:
		return PFX_MEM_TLB(src);
	case PFX_KEY_MEM:
		return PFX_MEM_LEVELS(src) | PFX_MEM_NUMBER(src) << 14 | PFX_MEM_REMOTE(src) << 18 |
		       PFX_MEM_HOPS(src) << 19;
	case PFX_KEY_SNOOP:
		return PFX_MEM_SNOOP(src) | PFX_MEM_SNOOPX(src) << 5;
	default:
		return PFX_MEM_BLOCK(src);
	}
}

static uint64_t flag_bits(enum pfx_key key)
{
	switch (key) {
	case PFX_KEY_MISPREDICT:
		return FLAG_GUESS;
	case PFX_KEY_IN_TX:
		return FLAG_TX;
	case PFX_KEY_ABORT:
		return FLAG_ABORT;
	default:
		return FLAG_CYCLES;
	}
}

static uint64_t branch_key(struct pfx_hists *hists, const struct pfx_row *row, enum pfx_key key)
{
	bool is_from = key == PFX_KEY_DSO_FROM || key == PFX_KEY_SYM_FROM ||
		       key == PFX_KEY_ADDR_FROM || key == PFX_KEY_SRCLINE_FROM;
	struct pfx_place *place;

	if (key >= PFX_KEY_MISPREDICT && key <= PFX_KEY_CYCLES)
		return pfx_row_word(hists, row, PFX_WORD_FLAGS) & flag_bits(key);
	place = pfx_row_place(hists, row, is_from ? PFX_WORD_FROM : PFX_WORD_TO);
	switch (key) {
	case PFX_KEY_DSO_FROM:
	case PFX_KEY_DSO_TO:
		return dso_word(place);
	case PFX_KEY_SYM_FROM:
	case PFX_KEY_SYM_TO:
		return place->sym ? place->sym_id : place->ip | END_BY_IP;
	case PFX_KEY_SRCLINE_FROM:
	case PFX_KEY_SRCLINE_TO:
		return pfx_hist_source_id(hists, place, PFX_KEY_SRCLINE);
	default:
		return place->shown ^ dso_word(place) << 48;
	}
}

static uint64_t memory_key(const struct pfx_hists *hists, const struct pfx_row *row,
			   enum pfx_key key)
{
	const struct pfx_place *data = pfx_row_place(hists, row, PFX_WORD_DATA);

	switch (key) {
	case PFX_KEY_SYM_DADDR:
		return data->ip;
	case PFX_KEY_SYM_IADDR:
		return row->place->ip;
	case PFX_KEY_DSO_DADDR:
		return dso_word(data);
	case PFX_KEY_DCACHELINE:
		return pfx_hist_line_of(hists, row) ^ dso_word(data) << 48 ^
		       (uint64_t)row->place->cpumode << 44;
	case PFX_KEY_PHYS_DADDR:
		return pfx_row_word(hists, row, PFX_WORD_PHYS);
	case PFX_KEY_DATA_PAGE_SIZE:
		return pfx_row_word(hists, row, PFX_WORD_DATA_PAGE);
	default:
		return access_part(key, pfx_row_word(hists, row, PFX_WORD_DATA_SRC));
	}
}

/* Keys by one number of the sample, as it is. */
static uint64_t number_key(const struct pfx_hists *hists, const struct pfx_row *row,
			   enum pfx_key key)
{
	uint32_t words = pfx_key_info(key)->words;

	if (key >= PFX_KEY_FIELD)
		return pfx_row_word(hists, row, PFX_WORD_FIELD + key - PFX_KEY_FIELD);
	return words ? pfx_row_word(hists, row, (enum pfx_hist_word)__builtin_ctz(words)) : 0;
}

static uint64_t place_key(struct pfx_hists *hists, const struct pfx_row *row, enum pfx_key key)
{
	struct pfx_place *place = row->place;

	switch (key) {
	case PFX_KEY_SRCLINE:
	case PFX_KEY_SRCFILE:
		return pfx_hist_source_id(hists, place, key);
	case PFX_KEY_SYM_SIZE:
		return place->sym ? place->sym->end - place->sym->start : 0;
	case PFX_KEY_DSO_SIZE:
		return place->map ? place->map->end - place->map->start : 0;
	case PFX_KEY_SYMOFF:
		return place->sym ? (symbol_word(place, row->shown) << 32) ^ place->addr
				  : place->ip;
	default:
		return place->ip;
	}
}

static uint64_t thread_key(const struct pfx_row *row, enum pfx_key key)
{
	switch (key) {
	case PFX_KEY_TGID:
		return row->thread->pid;
	case PFX_KEY_CGROUP_ID:
		return row->thread->nr_ns > PFX_NS_CGROUP ? row->thread->ns[PFX_NS_CGROUP].ino : 0;
	default:
		return row->thread->tid;
	}
}

uint64_t pfx_hist_key_word(struct pfx_hists *hists, const struct pfx_row *row, enum pfx_key key)
{
	switch (key) {
	case PFX_KEY_COMM:
		return row->comm->id;
	case PFX_KEY_COMM_NODIGIT:
		return nodigit_id(hists, row->comm->text);
	case PFX_KEY_DSO:
		return dso_word(row->place);
	case PFX_KEY_SYM:
	case PFX_KEY_IPC_NULL:
	case PFX_KEY_IPC_LBR:
		return symbol_word(row->place, row->shown);
	case PFX_KEY_PARENT:
		return row->parent;
	case PFX_KEY_CPU:
		return (uint32_t)row->cpu;
	case PFX_KEY_SOCKET:
		return pfx_hist_socket(hists, row->cpu);
	case PFX_KEY_TRACE:
		return row->text;
	case PFX_KEY_TYPE:
	case PFX_KEY_TYPEOFF:
	case PFX_KEY_TYPECLN:
		return pfx_hist_type_text(hists, row, key);
	case PFX_KEY_PID:
	case PFX_KEY_TID:
	case PFX_KEY_TGID:
	case PFX_KEY_CGROUP_ID:
		return thread_key(row, key);
	case PFX_KEY_SRCLINE:
	case PFX_KEY_SRCFILE:
	case PFX_KEY_SYM_SIZE:
	case PFX_KEY_DSO_SIZE:
	case PFX_KEY_ADDR:
	case PFX_KEY_SYMOFF:
		return place_key(hists, row, key);
	default:
		break;
	}
	if (key >= PFX_KEY_FIRST_BRANCH && key < PFX_KEY_FIRST_MEM)
		return branch_key(hists, row, key);
	if (key >= PFX_KEY_FIRST_MEM && key < PFX_KEY_FIRST_VALUE)
		return memory_key(hists, row, key);
	return number_key(hists, row, key);
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static const char *dso_name(const struct pfx_place *place)
{
	return place->dso ? place->dso->short_name : NULL;
}

/* By name, what has none last. */
static int compare_dso(const struct pfx_place *a, const struct pfx_place *b)
{
	const char *x = dso_name(a), *y = dso_name(b);

	if (!x || !y)
		return (x == NULL) - (y == NULL);
	return strcmp(x, y);
}

/* Resolved ones first, by where they are; then the unresolved by address. */
static int compare_symbol(const struct pfx_row *a, const struct pfx_row *b)
{
	const struct pfx_symbol *x = a->place->sym, *y = b->place->sym;

	if (!x != !y)
		return x ? -1 : 1;
	if (!x)
		return compare_u64(a->shown, b->shown);
	if (x->start != y->start)
		return compare_u64(x->start, y->start);
	return compare_u64(x->end, y->end);
}

static int compare_end(const struct pfx_place *a, const struct pfx_place *b)
{
	if (!a->sym || !b->sym) {
		if (!a->sym != !b->sym)
			return a->sym ? -1 : 1;
		return compare_u64(a->ip, b->ip);
	}
	return compare_u64(a->sym->start, b->sym->start);
}

/* As signed numbers: the kernel's before all others. */
static int compare_signed(uint64_t a, uint64_t b)
{
	return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
}

static int compare_address(const struct pfx_place *a, const struct pfx_place *b)
{
	int rc = -compare_dso(a, b);

	return rc ? rc : compare_signed(a->shown, b->shown);
}

static int compare_text(const struct pfx_hist_options *options, const struct pfx_row *a,
			const struct pfx_row *b)
{
	const struct pfx_hist_texts *texts = &options->texts;

	if (a->text == b->text || !texts->text)
		return 0;
	return strcmp(texts->text(texts->ctx, a->text), texts->text(texts->ctx, b->text));
}

static int compare_field(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
			 enum pfx_key key)
{
	const struct pfx_hist_texts *texts = &hists->options.texts;
	uint64_t x = number_key(hists, a, key), y = number_key(hists, b, key);

	if (x == y || !texts->field_order)
		return 0;
	return texts->field_order(texts->ctx, (uint32_t)x, (uint32_t)y);
}

static int compare_branch(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
			  enum pfx_key key)
{
	bool is_from =
		key == PFX_KEY_DSO_FROM || key == PFX_KEY_SYM_FROM || key == PFX_KEY_ADDR_FROM;
	enum pfx_hist_word word = is_from ? PFX_WORD_FROM : PFX_WORD_TO;
	const struct pfx_place *x, *y;

	switch (key) {
	case PFX_KEY_DSO_FROM:
	case PFX_KEY_DSO_TO:
	case PFX_KEY_SYM_FROM:
	case PFX_KEY_SYM_TO:
		x = pfx_row_place(hists, a, word);
		y = pfx_row_place(hists, b, word);
		if (key == PFX_KEY_DSO_FROM || key == PFX_KEY_DSO_TO)
			/* perf has them the other way round */
			return -compare_dso(x, y);
		return compare_end(x, y);
	case PFX_KEY_SRCLINE_FROM:
	case PFX_KEY_SRCLINE_TO:
		return strcmp(pfx_hist_source(hists, a, key), pfx_hist_source(hists, b, key));
	case PFX_KEY_ADDR_FROM:
	case PFX_KEY_ADDR_TO:
		return compare_address(pfx_row_place(hists, a, word),
				       pfx_row_place(hists, b, word));
	case PFX_KEY_CYCLES:
		return compare_u64(branch_key(hists, b, key), branch_key(hists, a, key));
	default:
		return compare_u64(branch_key(hists, a, key), branch_key(hists, b, key));
	}
}

/* The level, or the snoop, without what newer kernels say beside it. */
static uint64_t first_access_bits(enum pfx_key key, uint64_t part)
{
	return part & (key == PFX_KEY_MEM ? 0x3fff : 0x1f);
}

static int compare_memory(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
			  enum pfx_key key)
{
	uint64_t x = memory_key(hists, a, key), y = memory_key(hists, b, key);
	int rc = 0;

	switch (key) {
	case PFX_KEY_DSO_DADDR:
		/* as for the ends of branches */
		return -compare_dso(pfx_row_place(hists, a, PFX_WORD_DATA),
				    pfx_row_place(hists, b, PFX_WORD_DATA));
	case PFX_KEY_MEM:
	case PFX_KEY_SNOOP:
		/* by the first set of bits, as in perf, and then by the keys behind */
		return compare_u64(first_access_bits(key, x), first_access_bits(key, y));
	case PFX_KEY_DCACHELINE:
		rc = compare_u64(a->place->cpumode, b->place->cpumode);
		if (!rc)
			rc = compare_dso(pfx_row_place(hists, a, PFX_WORD_DATA),
					 pfx_row_place(hists, b, PFX_WORD_DATA));
		return rc ? rc
			  : compare_u64(pfx_hist_line_of(hists, a), pfx_hist_line_of(hists, b));
	case PFX_KEY_SYM_DADDR:
	case PFX_KEY_SYM_IADDR:
		return compare_signed(x, y);
	default:
		return compare_u64(x, y);
	}
}

static int compare_comm(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
			enum pfx_key key)
{
	if (key == PFX_KEY_COMM)
		return strcmp(a->comm->text, b->comm->text);
	return strcmp(pfx_hist_source(hists, a, key), pfx_hist_source(hists, b, key));
}

/* By name, what has none last. */
static int compare_parents(const char *a, const char *b)
{
	bool no_a = !strcmp(a, PFX_NO_PARENT), no_b = !strcmp(b, PFX_NO_PARENT);

	return no_a || no_b ? no_a - no_b : strcmp(a, b);
}

static int compare_place(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
			 enum pfx_key key)
{
	int rc;

	switch (key) {
	case PFX_KEY_DSO:
		return compare_dso(a->place, b->place);
	case PFX_KEY_SYM:
	case PFX_KEY_IPC_NULL:
	case PFX_KEY_IPC_LBR:
		if (!a->place->sym || !b->place->sym)
			return compare_symbol(a, b);
		rc = pfx_columns_has(hists->options.columns, PFX_KEY_DSO)
			     ? 0
			     : compare_dso(a->place, b->place);
		return rc ? rc : compare_symbol(a, b);
	case PFX_KEY_SYMOFF:
		rc = compare_symbol(a, b);
		return rc ? rc : compare_u64(a->place->addr, b->place->addr);
	case PFX_KEY_SYM_SIZE:
	case PFX_KEY_DSO_SIZE:
	case PFX_KEY_ADDR:
		return compare_signed(place_key(hists, a, key), place_key(hists, b, key));
	default:
		return strcmp(pfx_hist_source(hists, a, key), pfx_hist_source(hists, b, key));
	}
}

static int compare_number(const struct pfx_hists *hists, const struct pfx_row *a,
			  const struct pfx_row *b, enum pfx_key key)
{
	int rc = compare_u64(number_key(hists, a, key), number_key(hists, b, key));

	return pfx_key_info(key)->is_descending ? -rc : rc;
}

int pfx_hist_key_order(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
		       enum pfx_key key)
{
	switch (key) {
	case PFX_KEY_COMM:
	case PFX_KEY_COMM_NODIGIT:
		return compare_comm(hists, a, b, key);
	case PFX_KEY_CPU:
		return compare_signed((uint64_t)a->cpu, (uint64_t)b->cpu);
	case PFX_KEY_SOCKET:
		return compare_u64(pfx_hist_socket(hists, a->cpu), pfx_hist_socket(hists, b->cpu));
	case PFX_KEY_PID:
	case PFX_KEY_TID:
	case PFX_KEY_TGID:
		return compare_signed((uint64_t)(int32_t)thread_key(a, key),
				      (uint64_t)(int32_t)thread_key(b, key));
	case PFX_KEY_CGROUP_ID:
		return compare_u64(thread_key(a, key), thread_key(b, key));
	case PFX_KEY_TRACE:
		return compare_text(&hists->options, a, b);
	case PFX_KEY_TYPE:
	case PFX_KEY_TYPEOFF:
	case PFX_KEY_TYPECLN:
		return pfx_hist_type_order(hists, a, b, key);
	case PFX_KEY_PARENT:
		return compare_parents(pfx_hist_source(hists, a, key),
				       pfx_hist_source(hists, b, key));
	case PFX_KEY_DSO:
	case PFX_KEY_SYM:
	case PFX_KEY_IPC_NULL:
	case PFX_KEY_IPC_LBR:
	case PFX_KEY_SYMOFF:
	case PFX_KEY_SRCLINE:
	case PFX_KEY_SRCFILE:
	case PFX_KEY_SYM_SIZE:
	case PFX_KEY_DSO_SIZE:
	case PFX_KEY_ADDR:
		return compare_place(hists, a, b, key);
	default:
		break;
	}
	if (pfx_key_is_value(key))
		return 0;
	if (key >= PFX_KEY_FIELD)
		return compare_field(hists, a, b, key);
	if (key >= PFX_KEY_FIRST_MEM)
		return compare_memory(hists, a, b, key);
	if (key >= PFX_KEY_FIRST_BRANCH)
		return compare_branch(hists, a, b, key);
	return compare_number(hists, a, b, key);
}

/* Symbols by name. */
static int compare_names(const struct pfx_place *a, const struct pfx_place *b)
{
	if (!a->sym || !b->sym)
		return (a->sym == NULL) - (b->sym == NULL);
	return strcmp(a->sym->name, b->sym->name);
}

int pfx_hist_key_shown_order(struct pfx_hists *hists, const struct pfx_row *a,
			     const struct pfx_row *b, enum pfx_key key)
{
	if (key == PFX_KEY_SYM)
		return compare_names(a->place, b->place);
	return pfx_hist_key_order(hists, a, b, key);
}

uint64_t pfx_row_value(const struct pfx_row_stat *stat, enum pfx_key key)
{
	switch (key) {
	case PFX_KEY_OVERHEAD_CHILDREN:
		return stat->children;
	case PFX_KEY_OVERHEAD_SYS:
		return stat->by_level[PFX_LEVEL_SYS];
	case PFX_KEY_OVERHEAD_US:
		return stat->by_level[PFX_LEVEL_US];
	case PFX_KEY_OVERHEAD_GUEST_SYS:
		return stat->by_level[PFX_LEVEL_GUEST_SYS];
	case PFX_KEY_OVERHEAD_GUEST_US:
		return stat->by_level[PFX_LEVEL_GUEST_US];
	case PFX_KEY_SAMPLE:
		return stat->count;
	case PFX_KEY_LATENCY:
		return stat->latency;
	case PFX_KEY_LATENCY_CHILDREN:
		return stat->latency_children;
	case PFX_KEY_WEIGHT1:
	case PFX_KEY_WEIGHT2:
	case PFX_KEY_WEIGHT3:
		return stat->count ? stat->weights[key - PFX_KEY_WEIGHT1] / stat->count : 0;
	default:
		return stat->period;
	}
}
