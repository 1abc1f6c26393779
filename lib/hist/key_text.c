/* SPDX-License-Identifier: MIT */
/*
 * What the keys of rows look like, in the shapes that people and scripts know from perf: levels in
 * brackets in front of symbols, 16 digits for what has none. One function for each kind of key;
 * counting and order are not its business.
 */
#include "hist/key_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/ns.h"
#include "event/mem_text.h"
#include "hist/blocks.h"

#define HEX_WIDTH     16 /* digits of an address */
#define ADDRESS_WIDTH (HEX_WIDTH + 2)
#define UNKNOWN_DSO   "[unknown]"
#define TIME_WIDTH_NS 16
/* All flags of a transaction, the abort code, a blank more. */
#define TRANSACTION_WIDTH 32

static void add_dso(const struct pfx_key_text *how, const struct pfx_place *place,
		    struct pfx_str *to)
{
	const struct pfx_dso *dso = place->dso;

	if (!dso)
		pfx_str_add(to, UNKNOWN_DSO);
	else
		pfx_str_add_foreign(to, how->verbose ? dso->name : dso->short_name);
}

/* "0x00007f0012345678", and zero without the 0x, 16 digits. */
static void add_address(struct pfx_str *to, uint64_t address)
{
	if (address)
		pfx_str_addn(to, "0x", 2);
	pfx_str_hex0(to, address, HEX_WIDTH);
}

static bool has(const char *path, const char *part)
{
	return strstr(path, part) != NULL;
}

/* Where the symbols of a dso come from, as the letters that perf has for it. */
static char origin_of(const struct pfx_key_text *how, const struct pfx_dso *dso)
{
	struct pfx_resolver *resolver = pfx_hists_options(how->hists)->resolver;
	const char *path;

	path = dso ? pfx_symtab_source(pfx_resolver_symtab(resolver, dso)) : "";
	if (!*path)
		return '!';
	if (has(path, "kallsyms"))
		return 'k';
	if (dso->kind == PFX_DSO_KERNEL)
		return 'v';
	if (dso->kind == PFX_DSO_MODULE)
		return 'K';
	if (has(path, "/tmp/perf-"))
		return 'j';
	if (has(path, "/usr/lib/debug/.build-id/"))
		return 'b';
	if (has(path, "/usr/lib/debug/"))
		return has(path, ".debug") ? 'f' : 'u';
	if (!strcmp(path, dso->name))
		return 'd';
	return has(path, "/debug") ? 'D' : has(path, ".debug/") ? 'B' : 'l';
}

/* A place as a symbol. */
struct shape {
	const struct pfx_place *place;
	char level;
	uint64_t shown; /* what stands for it where it has no symbol */
	bool offset;    /* with how far into the symbol it is, */
	uint64_t line;  /* or how far the line of so many bytes is that it lies in; 0: it itself */
};

/* "+0x40"; of a line that begins in front of the symbol "-0x20". */
static void add_offset(const struct shape *shape, struct pfx_str *to)
{
	uint64_t addr = shape->place->addr, start = shape->place->sym->start;

	if (shape->line)
		addr &= ~(shape->line - 1);
	if (addr < start)
		pfx_str_addf(to, "-%#" PRIx64, start - addr);
	else
		pfx_str_addf(to, "+%#" PRIx64, addr - start);
}

/* What -v shows in front of a symbol: the address, and where the symbol is from. */
static void add_verbose_address(const struct pfx_key_text *how, const struct shape *shape,
				struct pfx_str *to)
{
	size_t start = to->len;

	pfx_str_addf(to, "%#" PRIx64, shape->shown);
	if (to->len - start < ADDRESS_WIDTH)
		pfx_str_pad(to, ' ', ADDRESS_WIDTH - (to->len - start));
	pfx_str_addf(to, " %c ", origin_of(how, shape->place->dso));
}

static void add_symbol(const struct pfx_key_text *how, const struct shape *shape,
		       struct pfx_str *to)
{
	const struct pfx_symbol *sym = shape->place->sym;

	if (how->verbose)
		add_verbose_address(how, shape, to);
	pfx_str_addf(to, "[%c] ", shape->level);
	if (!sym) {
		add_address(to, shape->shown);
		return;
	}
	pfx_str_add_foreign(to, sym->name);
	if (shape->offset)
		add_offset(shape, to);
	if (sym->is_inlined)
		pfx_str_add(to, " (inlined)");
}

static void add_row_symbol(const struct pfx_key_text *how, const struct pfx_row *row,
			   enum pfx_key key, struct pfx_str *to)
{
	struct shape shape = {row->place, row->level, row->shown, key == PFX_KEY_SYMOFF, 0};

	if (key == PFX_KEY_SYM_IADDR)
		shape.shown = row->place->ip;
	add_symbol(how, &shape, to);
}

static void add_end(const struct pfx_key_text *how, const struct pfx_row *row, enum pfx_key key,
		    struct pfx_str *to)
{
	bool is_from = key == PFX_KEY_SYM_FROM || key == PFX_KEY_ADDR_FROM;
	const struct pfx_place *place =
		pfx_row_place(how->hists, row, is_from ? PFX_WORD_FROM : PFX_WORD_TO);
	struct shape shape = {place, pfx_place_level(place), place->shown, false, 0};

	if (key == PFX_KEY_SYM_FROM || key == PFX_KEY_SYM_TO) {
		add_symbol(how, &shape, to);
		return;
	}
	/* Of addresses perf shows the level of the sample. */
	shape.level = row->level;
	pfx_str_addf(to, "[%c] ", shape.level);
	if (place->sym) {
		shape.offset = place->addr != place->sym->start;
		pfx_str_clear(to);
		add_symbol(how, &shape, to);
	} else {
		add_address(to, place->shown);
	}
}

static void add_data_symbol(const struct pfx_key_text *how, const struct pfx_row *row,
			    struct pfx_str *to)
{
	const struct pfx_place *data = pfx_row_place(how->hists, row, PFX_WORD_DATA);
	struct shape shape = {data, pfx_place_level(data), data->ip, false, 0};

	shape.offset = data->sym && !data->sym->is_func;
	add_symbol(how, &shape, to);
}

/* 's' is a line that processes share: data of a mapped file. */
static void add_data_line(const struct pfx_key_text *how, const struct pfx_row *row,
			  struct pfx_str *to)
{
	const struct pfx_place *data = pfx_row_place(how->hists, row, PFX_WORD_DATA);
	const struct pfx_map *map = data->map;
	struct shape shape = {data, pfx_place_level(data), 0, false, 0};

	shape.shown = pfx_hist_line_of(how->hists, row);
	shape.offset = data->sym && !data->sym->is_func;
	shape.line = pfx_hist_line_size(how->hists);
	if (!map)
		shape.level = 'X';
	else if (shape.level != 'k' && !(map->prot & 4) && map->flags & 1 &&
		 (map->maj || map->min || map->ino || map->ino_generation))
		shape.level = 's';
	add_symbol(how, &shape, to);
}

static void add_physical(const struct pfx_key_text *how, const struct pfx_row *row,
			 struct pfx_str *to)
{
	pfx_str_addf(to, "[%c] ", row->level);
	add_address(to, pfx_row_word(how->hists, row, PFX_WORD_PHYS));
}

static void add_memory(const struct pfx_key_text *how, const struct pfx_row *row, enum pfx_key key,
		       struct pfx_str *to)
{
	switch (key) {
	case PFX_KEY_SYM_DADDR:
		add_data_symbol(how, row, to);
		break;
	case PFX_KEY_SYM_IADDR:
		add_row_symbol(how, row, key, to);
		break;
	case PFX_KEY_DSO_DADDR:
		add_dso(how, pfx_row_place(how->hists, row, PFX_WORD_DATA), to);
		break;
	case PFX_KEY_DCACHELINE:
		add_data_line(how, row, to);
		break;
	case PFX_KEY_PHYS_DADDR:
		add_physical(how, row, to);
		break;
	default:
		pfx_access_text(key, pfx_row_word(how->hists, row, PFX_WORD_DATA_SRC), to);
		break;
	}
}

static void add_cycles(uint64_t flags, struct pfx_str *to)
{
	int16_t cycles = (int16_t)(flags >> 4 & 0xffff);

	if (cycles)
		pfx_str_addf(to, "%d", cycles);
	else
		pfx_str_addc(to, '-');
}

static void add_ipc(const struct pfx_key_text *how, const struct pfx_row *row, struct pfx_str *to)
{
	struct pfx_hists *writable = (struct pfx_hists *)(uintptr_t)how->hists;
	struct pfx_ipc ipc = pfx_hist_ipc(writable, row->place);

	if (row->place->sym)
		pfx_str_addf(to, "%-5.2f [%5.1f%%]", ipc.ipc, ipc.coverage);
	else
		pfx_str_addc(to, '-');
}

static void add_branch(const struct pfx_key_text *how, const struct pfx_row *row, enum pfx_key key,
		       struct pfx_str *to)
{
	uint64_t flags = pfx_row_word(how->hists, row, PFX_WORD_FLAGS);

	switch (key) {
	case PFX_KEY_DSO_FROM:
	case PFX_KEY_DSO_TO:
		add_dso(how,
			pfx_row_place(how->hists, row,
				      key == PFX_KEY_DSO_FROM ? PFX_WORD_FROM : PFX_WORD_TO),
			to);
		break;
	case PFX_KEY_MISPREDICT:
		pfx_str_add(to, flags & 2 ? "N" : flags & 1 ? "Y" : "N/A");
		break;
	case PFX_KEY_IN_TX:
		pfx_str_add(to, flags & 4 ? "T" : ".");
		break;
	case PFX_KEY_ABORT:
		pfx_str_add(to, flags & 8 ? "A" : ".");
		break;
	case PFX_KEY_CYCLES:
		add_cycles(flags, to);
		break;
	case PFX_KEY_SRCLINE_FROM:
	case PFX_KEY_SRCLINE_TO:
		pfx_str_add_foreign(to, pfx_hist_source(how->hists, row, key));
		break;
	case PFX_KEY_IPC_LBR:
		add_ipc(how, row, to);
		break;
	default:
		add_end(how, row, key, to);
		break;
	}
}

static void add_size(bool known, uint64_t size, unsigned width, struct pfx_str *to)
{
	if (known)
		pfx_str_addf(to, "%*" PRIu64, (int)width, size);
	else
		pfx_str_addf(to, "%*s", (int)width, "unknown");
}

static void add_time(const struct pfx_key_text *how, uint64_t time, struct pfx_str *to)
{
	if (how->ns)
		pfx_str_addf(to, "%" PRIu64 ".%09" PRIu64, time / PFX_NS_PER_SECOND,
			     time % PFX_NS_PER_SECOND);
	else
		pfx_str_addf(to, "%" PRIu64 ".%06" PRIu64, time / PFX_NS_PER_SECOND,
			     time % PFX_NS_PER_SECOND / 1000);
}

static void add_cgroup(const struct pfx_key_text *how, uint64_t id, struct pfx_str *to)
{
	const char *path =
		id ? pfx_session_cgroup(pfx_hists_options(how->hists)->session, id) : NULL;

	if (!id)
		pfx_str_add(to, "N/A");
	else if (path)
		pfx_str_add_foreign(to, path);
	else
		pfx_str_add(to, "unknown");
}

static void add_number(const struct pfx_key_text *how, const struct pfx_row *row, enum pfx_key key,
		       struct pfx_str *to)
{
	uint32_t words = pfx_key_info(key)->words;
	uint64_t value = pfx_row_word(how->hists, row, (enum pfx_hist_word)__builtin_ctz(words));
	bool is_sum = key == PFX_KEY_WEIGHT || key == PFX_KEY_INS_LAT || key == PFX_KEY_STAGE ||
		      key == PFX_KEY_RETIRE_LAT;

	switch (key) {
	case PFX_KEY_TRANSACTION:
		pfx_transaction_text(value, to);
		break;
	case PFX_KEY_CODE_PAGE_SIZE:
	case PFX_KEY_DATA_PAGE_SIZE:
		pfx_mem_page_text(value, to);
		break;
	case PFX_KEY_CGROUP:
		add_cgroup(how, value, to);
		break;
	case PFX_KEY_TIME:
		add_time(how, value, to);
		break;
	default:
		pfx_str_u64(to, is_sum ? value * row->stat->count : value, 0);
		break;
	}
}

static void add_thread(const struct pfx_row *row, enum pfx_key key, struct pfx_str *to)
{
	const struct pfx_thread *thread = row->thread;
	const struct pfx_ns_link *ns = thread->nr_ns > 6 ? &thread->ns[6] : NULL;

	if (key == PFX_KEY_CGROUP_ID) {
		pfx_str_addf(to, "%" PRIu64 "/0x%" PRIx64, ns ? ns->dev : 0, ns ? ns->ino : 0);
		return;
	}
	pfx_str_addf(to, "%7d:", (int)(key == PFX_KEY_TGID ? thread->pid : thread->tid));
	pfx_str_add_foreign(to, thread->comm->text);
}

static void add_cpu(const struct pfx_key_text *how, const struct pfx_row *row, enum pfx_key key,
		    unsigned width, struct pfx_str *to)
{
	int digits = width ? (int)width : 3;

	if (key == PFX_KEY_CPU)
		pfx_str_addf(to, "%*.*d", digits, digits, row->cpu);
	else
		/* three digits in the usual width */
		pfx_str_addf(to, "%*.*d", (int)width, digits > 3 ? digits - 3 : 3,
			     (int)pfx_hist_socket(how->hists, row->cpu));
}

/* What the fields say has been escaped when it was made. */
static void add_trace(const struct pfx_key_text *how, const struct pfx_row *row, struct pfx_str *to)
{
	const struct pfx_hist_texts *texts = &pfx_hists_options(how->hists)->texts;

	if (texts->text)
		pfx_str_add(to, texts->text(texts->ctx, row->text));
}

static void add_field(const struct pfx_key_text *how, const struct pfx_row *row, enum pfx_key key,
		      struct pfx_str *to)
{
	const struct pfx_hist_texts *texts = &pfx_hists_options(how->hists)->texts;
	enum pfx_hist_word word = PFX_WORD_FIELD + (key - PFX_KEY_FIELD);

	if (texts->field_text)
		pfx_str_add(to, texts->field_text(texts->ctx,
						  (uint32_t)pfx_row_word(how->hists, row, word)));
}

static void add_place(const struct pfx_key_text *how, const struct pfx_row *row,
		      const struct pfx_column *column, unsigned width, struct pfx_str *to)
{
	const struct pfx_place *place = row->place;

	switch (column->key) {
	case PFX_KEY_DSO:
		add_dso(how, place, to);
		break;
	case PFX_KEY_SYM_SIZE:
		add_size(place->sym, place->sym ? place->sym->end - place->sym->start : 0, width,
			 to);
		break;
	case PFX_KEY_DSO_SIZE:
		add_size(place->map, place->map ? place->map->end - place->map->start : 0, width,
			 to);
		break;
	case PFX_KEY_ADDR:
		pfx_str_addf(to, "%#" PRIx64, place->ip);
		break;
	default:
		add_row_symbol(how, row, column->key, to);
		break;
	}
}

/* Of all branches before the row's samples. */
static void add_history(const struct pfx_row *row, enum pfx_key key, struct pfx_str *to)
{
	const struct pfx_branch_sum *sum = row->branches;

	if (!sum)
		pfx_str_addc(to, '-');
	else if (key == PFX_KEY_CHAIN_CYCLES)
		pfx_str_u64(to, sum->cycles / sum->to, 0);
	else
		pfx_str_addf(to, "%.1f%%",
			     100.0 * (key == PFX_KEY_CHAIN_ABORT ? sum->aborts : sum->predicted) /
				     sum->to);
}

static void add_common(const struct pfx_key_text *how, const struct pfx_row *row,
		       const struct pfx_column *column, unsigned width, struct pfx_str *to)
{
	switch (column->key) {
	case PFX_KEY_COMM:
		pfx_str_add_foreign(to, row->comm->text);
		break;
	case PFX_KEY_DSO:
	case PFX_KEY_SYM:
	case PFX_KEY_SYMOFF:
	case PFX_KEY_SYM_SIZE:
	case PFX_KEY_DSO_SIZE:
	case PFX_KEY_ADDR:
		add_place(how, row, column, width, to);
		break;
	case PFX_KEY_CPU:
	case PFX_KEY_SOCKET:
		add_cpu(how, row, column->key, width, to);
		break;
	case PFX_KEY_TRACE:
		add_trace(how, row, to);
		break;
	case PFX_KEY_SRCLINE:
	case PFX_KEY_SRCFILE:
	case PFX_KEY_PARENT:
	case PFX_KEY_COMM_NODIGIT:
	case PFX_KEY_TYPE:
	case PFX_KEY_TYPEOFF:
	case PFX_KEY_TYPECLN:
		pfx_str_add_foreign(to, pfx_hist_source(how->hists, row, column->key));
		break;
	case PFX_KEY_PID:
	case PFX_KEY_TID:
	case PFX_KEY_TGID:
	case PFX_KEY_CGROUP_ID:
		add_thread(row, column->key, to);
		break;
	case PFX_KEY_CHAIN_PREDICTED:
	case PFX_KEY_CHAIN_ABORT:
	case PFX_KEY_CHAIN_CYCLES:
		add_history(row, column->key, to);
		break;
	case PFX_KEY_SIMD:
		/* Only AUX data of Arm CPUs would tell. */
		pfx_str_add(to, "[.]");
		break;
	case PFX_KEY_IPC_NULL:
		pfx_str_add(to, "-      -");
		break;
	default:
		add_number(how, row, column->key, to);
		break;
	}
}

void pfx_key_text(const struct pfx_key_text *how, const struct pfx_row *row,
		  const struct pfx_column *column, unsigned width, struct pfx_str *to)
{
	enum pfx_key key = column->key;
	enum pfx_key_kind kind = pfx_key_info(key)->kind;

	if (key >= PFX_KEY_FIELD)
		add_field(how, row, key, to);
	else if (key == PFX_KEY_DATA_PAGE_SIZE || kind == PFX_KEY_OF_SAMPLE)
		add_common(how, row, column, width, to);
	else if (kind == PFX_KEY_OF_BRANCH)
		add_branch(how, row, key, to);
	else
		add_memory(how, row, key, to);
}

/* A symbol's column is made for the longest name, or for an address. */
static unsigned symbol_width(const struct pfx_place *place, unsigned len)
{
	return place->sym ? len : HEX_WIDTH + 4 + 2;
}

static unsigned data_width(const struct pfx_place *place, bool is_line)
{
	if (!place->sym)
		return HEX_WIDTH + 4 + 2;
	return (unsigned)strlen(place->sym->name) + 4 + HEX_WIDTH + 2 + is_line;
}

unsigned pfx_key_text_width(const struct pfx_key_text *how, const struct pfx_row *row,
			    const struct pfx_column *column)
{
	struct pfx_str text = {0};
	unsigned len;

	switch (column->key) {
	case PFX_KEY_SYM_DADDR:
	case PFX_KEY_DCACHELINE:
		return data_width(pfx_row_place(how->hists, row, PFX_WORD_DATA),
				  column->key == PFX_KEY_DCACHELINE);
	case PFX_KEY_SYM_IADDR:
		return data_width(row->place, false);
	case PFX_KEY_TRANSACTION:
		return pfx_row_word(how->hists, row, PFX_WORD_TRANSACTION) ? TRANSACTION_WIDTH : 0;
	case PFX_KEY_MEM:
	case PFX_KEY_ADDR:
		return 0;
	default:
		break;
	}
	pfx_key_text(how, row, column, 0, &text);
	len = (unsigned)text.len;
	pfx_str_fini(&text);
	if (column->key == PFX_KEY_SYM)
		return symbol_width(row->place, len);
	if (column->key == PFX_KEY_TIME && how->ns && len < TIME_WIDTH_NS)
		return TIME_WIDTH_NS;
	if (column->key == PFX_KEY_SYM_FROM || column->key == PFX_KEY_ADDR_FROM)
		return symbol_width(pfx_row_place(how->hists, row, PFX_WORD_FROM), len);
	if (column->key == PFX_KEY_SYM_TO || column->key == PFX_KEY_ADDR_TO)
		return symbol_width(pfx_row_place(how->hists, row, PFX_WORD_TO), len);
	return len;
}
