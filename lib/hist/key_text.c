/* SPDX-License-Identifier: MIT */
/*
 * The text of keys, in perf's format: levels in brackets before symbols, 16 digits for addresses
 * without a symbol. One function for each kind of key.
 */
#include <inttypes.h>
#include <string.h>

#include "base/ns.h"
#include "event/mem_text.h"
#include "hist/blocks.h"
#include "hist/hist_internal.h"
#include "hist/key_text_internal.h"

#define HEX_WIDTH     16 /* digits of an address */
#define ADDRESS_WIDTH (HEX_WIDTH + 2)
#define UNKNOWN_DSO   "[unknown]"
#define TIME_WIDTH_NS 16
/* All flags of a transaction, the abort code, and a blank. */
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

/* How a place is shown as a symbol. */
struct shape {
	const struct pfx_place *place;
	char level;
	uint64_t shown; /* text instead of a missing symbol */
	bool offset;    /* add the offset in the symbol, */
	uint64_t line;  /* or the offset of its cache line of this many bytes; 0: no cache line */
};

/* "+0x40"; "-0x20" for a cache line that begins before the symbol. */
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

/* The prefix of -v before a symbol: the address, and the origin of the symbol. */
static void add_verbose_address(const struct pfx_key_text *how, const struct shape *shape,
				struct pfx_str *to)
{
	size_t start = to->len;

	pfx_str_addf(to, "%#" PRIx64, shape->shown);
	if (to->len - start < ADDRESS_WIDTH)
		pfx_str_pad(to, ' ', ADDRESS_WIDTH - (to->len - start));
	pfx_str_addf(to, " %c ",
		     pfx_resolver_symbols_letter(pfx_hists_options(how->hists)->resolver,
						 shape->place->dso));
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

static const struct pfx_place *other_place(const struct pfx_key_text *how,
					   const struct pfx_row *row,
					   const struct pfx_key_info *info)
{
	return pfx_row_place(how->hists, row, info->place);
}

#define TEXT(name)                                                                            \
	void pfx_key_##name##_text(const struct pfx_key_text *how, const struct pfx_row *row, \
				   const struct pfx_key_info *info, unsigned width,           \
				   struct pfx_str *to)

TEXT(comm)
{
	pfx_str_add_foreign(to, row->comm->text);
}

/* The word is the id of a text. */
TEXT(source)
{
	struct pfx_hists *writable = (struct pfx_hists *)(uintptr_t)how->hists;

	pfx_str_add_foreign(to, pfx_intern_get(&how->hists->source_texts,
					       (uint32_t)info->word(writable, row, info)));
}

TEXT(dso)
{
	add_dso(how, row->place, to);
}

TEXT(other_dso)
{
	add_dso(how, other_place(how, row, info), to);
}

TEXT(symbol)
{
	add_symbol(how, &(struct shape){row->place, row->level, row->shown, false, 0}, to);
}

TEXT(symoff)
{
	add_symbol(how, &(struct shape){row->place, row->level, row->shown, true, 0}, to);
}

TEXT(code_symbol)
{
	add_symbol(how, &(struct shape){row->place, row->level, row->place->ip, false, 0}, to);
}

TEXT(end)
{
	const struct pfx_place *place = other_place(how, row, info);

	add_symbol(how, &(struct shape){place, pfx_place_level(place), place->shown, false, 0}, to);
}

/* perf shows the level of the sample. */
TEXT(end_address)
{
	const struct pfx_place *place = other_place(how, row, info);
	struct shape shape = {place, row->level, place->shown, false, 0};

	if (place->sym) {
		shape.offset = place->addr != place->sym->start;
		add_symbol(how, &shape, to);
		return;
	}
	pfx_str_addf(to, "[%c] ", row->level);
	add_address(to, place->shown);
}

TEXT(data_symbol)
{
	const struct pfx_place *data = other_place(how, row, info);
	struct shape shape = {data, pfx_place_level(data), data->ip, false, 0};

	shape.offset = data->sym && !data->sym->is_func;
	add_symbol(how, &shape, to);
}

/* 's' marks a line that processes share: data of a mapped file. */
TEXT(data_line)
{
	const struct pfx_place *data = other_place(how, row, info);
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

TEXT(physical)
{
	pfx_str_addf(to, "[%c] ", row->level);
	add_address(to, pfx_row_word(how->hists, row, PFX_WORD_PHYS));
}

TEXT(lock)
{
	pfx_mem_lock_text(pfx_row_word(how->hists, row, PFX_WORD_DATA_SRC), to);
}

TEXT(tlb)
{
	pfx_mem_tlb_text(pfx_row_word(how->hists, row, PFX_WORD_DATA_SRC), to);
}

TEXT(mem)
{
	pfx_mem_level_text(pfx_row_word(how->hists, row, PFX_WORD_DATA_SRC), to);
}

TEXT(snoop)
{
	pfx_mem_snoop_text(pfx_row_word(how->hists, row, PFX_WORD_DATA_SRC), to);
}

TEXT(block)
{
	pfx_mem_block_text(pfx_row_word(how->hists, row, PFX_WORD_DATA_SRC), to);
}

TEXT(mispredict)
{
	uint64_t flags = pfx_row_word(how->hists, row, PFX_WORD_FLAGS);

	pfx_str_add(to, flags & 2 ? "N" : flags & 1 ? "Y" : "N/A");
}

TEXT(in_tx)
{
	pfx_str_add(to, pfx_row_word(how->hists, row, PFX_WORD_FLAGS) & 4 ? "T" : ".");
}

TEXT(abort)
{
	pfx_str_add(to, pfx_row_word(how->hists, row, PFX_WORD_FLAGS) & 8 ? "A" : ".");
}

TEXT(cycles)
{
	int16_t cycles = (int16_t)(pfx_row_word(how->hists, row, PFX_WORD_FLAGS) >> 4 & 0xffff);

	if (cycles)
		pfx_str_addf(to, "%d", cycles);
	else
		pfx_str_addc(to, '-');
}

TEXT(ipc)
{
	struct pfx_hists *writable = (struct pfx_hists *)(uintptr_t)how->hists;
	struct pfx_ipc ipc = pfx_hist_ipc(writable, row->place);

	if (row->place->sym)
		pfx_str_addf(to, "%-5.2f [%5.1f%%]", ipc.ipc, ipc.coverage);
	else
		pfx_str_addc(to, '-');
}

TEXT(no_ipc)
{
	pfx_str_add(to, "-      -");
}

static void add_size(bool known, uint64_t size, unsigned width, struct pfx_str *to)
{
	if (known)
		pfx_str_addf(to, "%*" PRIu64, (int)width, size);
	else
		pfx_str_addf(to, "%*s", (int)width, "unknown");
}

TEXT(symbol_size)
{
	const struct pfx_symbol *sym = row->place->sym;

	add_size(sym, sym ? sym->end - sym->start : 0, width, to);
}

TEXT(dso_size)
{
	const struct pfx_map *map = row->place->map;

	add_size(map, map ? map->end - map->start : 0, width, to);
}

TEXT(address)
{
	pfx_str_addf(to, "%#" PRIx64, row->place->ip);
}

/* The number of the sample that the key needs. */
static uint64_t number_of(const struct pfx_key_text *how, const struct pfx_row *row,
			  const struct pfx_key_info *info)
{
	return info->words ? pfx_row_word(how->hists, row,
					  (enum pfx_hist_word)__builtin_ctz(info->words))
			   : 0;
}

TEXT(number)
{
	pfx_str_u64(to, number_of(how, row, info), 0);
}

TEXT(sum)
{
	pfx_str_u64(to, number_of(how, row, info) * row->stat->count, 0);
}

TEXT(transaction)
{
	pfx_transaction_text(number_of(how, row, info), to);
}

TEXT(page)
{
	pfx_mem_page_text(number_of(how, row, info), to);
}

TEXT(time)
{
	uint64_t time = number_of(how, row, info);

	if (how->ns)
		pfx_str_addf(to, "%" PRIu64 ".%09" PRIu64, time / PFX_NS_PER_SECOND,
			     time % PFX_NS_PER_SECOND);
	else
		pfx_str_addf(to, "%" PRIu64 ".%06" PRIu64, time / PFX_NS_PER_SECOND,
			     time % PFX_NS_PER_SECOND / 1000);
}

TEXT(cgroup)
{
	uint64_t id = number_of(how, row, info);
	const char *path =
		id ? pfx_session_cgroup(pfx_hists_options(how->hists)->session, id) : NULL;

	if (!id)
		pfx_str_add(to, "N/A");
	else if (path)
		pfx_str_add_foreign(to, path);
	else
		pfx_str_add(to, "unknown");
}

TEXT(cgroup_id)
{
	const struct pfx_thread *thread = row->thread;
	const struct pfx_ns_link *ns =
		thread->nr_ns > PFX_NS_CGROUP ? &thread->ns[PFX_NS_CGROUP] : NULL;

	pfx_str_addf(to, "%" PRIu64 "/0x%" PRIx64, ns ? ns->dev : 0, ns ? ns->ino : 0);
}

/* The word is a pid or tid. */
TEXT(thread)
{
	struct pfx_hists *writable = (struct pfx_hists *)(uintptr_t)how->hists;

	pfx_str_addf(to, "%7d:", (int)info->word(writable, row, info));
	pfx_str_add_foreign(to, row->thread->comm->text);
}

TEXT(cpu)
{
	int digits = width ? (int)width : 3;

	pfx_str_addf(to, "%*.*d", digits, digits, row->cpu);
}

/* At least three digits. */
TEXT(socket)
{
	int digits = width ? (int)width : 3;

	pfx_str_addf(to, "%*.*d", (int)width, digits > 3 ? digits - 3 : 3,
		     (int)pfx_hist_socket(how->hists, row->cpu));
}

/* The value was escaped when it was made. */
TEXT(trace)
{
	const struct pfx_hist_texts *texts = &pfx_hists_options(how->hists)->texts;

	if (texts->text)
		pfx_str_add(to, texts->text(texts->ctx, row->text));
}

/* Needs AUX data of Arm CPUs. */
TEXT(simd)
{
	pfx_str_add(to, "[.]");
}

/* --- of all branches before the row's samples --- */

TEXT(predicted)
{
	const struct pfx_branch_sum *sum = row->branches;

	if (sum)
		pfx_str_addf(to, "%.1f%%", 100.0 * sum->predicted / sum->to);
	else
		pfx_str_addc(to, '-');
}

TEXT(aborts)
{
	const struct pfx_branch_sum *sum = row->branches;

	if (sum)
		pfx_str_addf(to, "%.1f%%", 100.0 * sum->aborts / sum->to);
	else
		pfx_str_addc(to, '-');
}

TEXT(chain_cycles)
{
	const struct pfx_branch_sum *sum = row->branches;

	if (sum)
		pfx_str_u64(to, sum->cycles / sum->to, 0);
	else
		pfx_str_addc(to, '-');
}

/* --- widths --- */

/* The width of a symbol column: the longest name, or an address. */
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

#define WIDTH(name)                                                                                \
	unsigned pfx_key_##name##_width(const struct pfx_key_text *how, const struct pfx_row *row, \
					const struct pfx_key_info *info, unsigned len)

WIDTH(symbol)
{
	return symbol_width(row->place, len);
}

WIDTH(end)
{
	return symbol_width(other_place(how, row, info), len);
}

WIDTH(data_symbol)
{
	return data_width(other_place(how, row, info), false);
}

WIDTH(data_line)
{
	return data_width(other_place(how, row, info), true);
}

WIDTH(code_symbol)
{
	return data_width(row->place, false);
}

WIDTH(transaction)
{
	return number_of(how, row, info) ? TRANSACTION_WIDTH : 0;
}

WIDTH(time)
{
	return how->ns && len < TIME_WIDTH_NS ? TIME_WIDTH_NS : len;
}

/* No width of its own: the title's, or the minimum. */
WIDTH(no)
{
	return 0;
}
