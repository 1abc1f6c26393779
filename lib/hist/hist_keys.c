/* SPDX-License-Identifier: MIT */
/*
 * The table of keys and values. Each row has its functions: the word that distinguishes rows, the
 * sort order, the text (key_text.c), the value.
 */
#include <string.h>

#include "base/compare.h"
#include "base/str.h"
#include "event/mem_text.h"
#include "hist/hist_internal.h"
#include "hist/key_text_internal.h"

#define NO_ID UINT32_MAX

/* Frames without a symbol are distinguished by run-time address, samples by offset in the file. */
#define BY_IP 0x80000000u
/* Branch addresses without a symbol are distinguished by run-time address. */
#define END_BY_IP (1ull << 63)

/* Flags of branches. */
#define FLAG_GUESS  3ull /* predicted, mispredicted */
#define FLAG_TX     4ull
#define FLAG_ABORT  8ull
#define FLAG_CYCLES 0xffff0ull

/* --- words: equal for equal rows --- */

#define WORD(name)                                                               \
	static uint64_t name(struct pfx_hists *hists, const struct pfx_row *row, \
			     const struct pfx_key_info *info)

/* A number of the sample, unchanged. */
WORD(number_word)
{
	return info->words
		       ? pfx_row_word(hists, row, (enum pfx_hist_word)__builtin_ctz(info->words))
		       : 0;
}

WORD(comm_word)
{
	return row->comm->id;
}

/* "worker-12" and "worker-7" are both "worker-<N>". */
WORD(nodigit_word)
{
	const char *comm = row->comm->text;
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

static uint64_t word_of_dso(const struct pfx_place *place)
{
	return place->dso ? place->dso->name_id : NO_ID;
}

WORD(dso_word)
{
	return word_of_dso(row->place);
}

WORD(symbol_word)
{
	if (row->place->sym || row->shown == row->place->shown)
		return row->place->sym_id;
	return row->place->frame_id | BY_IP;
}

WORD(symoff_word)
{
	if (!row->place->sym)
		return row->place->ip;
	return (symbol_word(hists, row, info) << 32) ^ row->place->addr;
}

WORD(parent_word)
{
	return row->parent;
}

WORD(cpu_word)
{
	return (uint32_t)row->cpu;
}

WORD(socket_word)
{
	return pfx_hist_socket(hists, row->cpu);
}

WORD(trace_word)
{
	return row->text;
}

WORD(type_word)
{
	return pfx_hist_type_of(hists, row)->type;
}

WORD(typeoff_word)
{
	return pfx_hist_type_of(hists, row)->off;
}

WORD(typecln_word)
{
	return pfx_hist_type_of(hists, row)->cln;
}

WORD(tid_word)
{
	return row->thread->tid;
}

WORD(tgid_word)
{
	return row->thread->pid;
}

WORD(cgroup_word)
{
	return row->thread->nr_ns > PFX_NS_CGROUP ? row->thread->ns[PFX_NS_CGROUP].ino : 0;
}

WORD(srcline_word)
{
	return pfx_hist_source_id(hists, row->place, false);
}

WORD(srcfile_word)
{
	return pfx_hist_source_id(hists, row->place, true);
}

WORD(symbol_size_word)
{
	return row->place->sym ? row->place->sym->end - row->place->sym->start : 0;
}

WORD(dso_size_word)
{
	return row->place->map ? row->place->map->end - row->place->map->start : 0;
}

WORD(address_word)
{
	return row->place->ip;
}

/* A place other than the row's own: a branch address, or data. */
static struct pfx_place *other_place(const struct pfx_hists *hists, const struct pfx_row *row,
				     const struct pfx_key_info *info)
{
	return pfx_row_place(hists, row, info->place);
}

WORD(other_dso_word)
{
	return word_of_dso(other_place(hists, row, info));
}

WORD(end_word)
{
	const struct pfx_place *place = other_place(hists, row, info);

	return place->sym ? place->sym_id : place->ip | END_BY_IP;
}

WORD(end_line_word)
{
	return pfx_hist_source_id(hists, other_place(hists, row, info), false);
}

WORD(end_address_word)
{
	const struct pfx_place *place = other_place(hists, row, info);

	return place->shown ^ word_of_dso(place) << 48;
}

WORD(flags_word)
{
	return pfx_row_word(hists, row, PFX_WORD_FLAGS) & info->bits;
}

WORD(data_word)
{
	return other_place(hists, row, info)->ip;
}

WORD(line_word)
{
	return pfx_hist_line_of(hists, row) ^ word_of_dso(other_place(hists, row, info)) << 48 ^
	       (uint64_t)row->place->cpumode << 44;
}

static uint64_t data_src(const struct pfx_hists *hists, const struct pfx_row *row)
{
	return pfx_row_word(hists, row, PFX_WORD_DATA_SRC);
}

WORD(lock_word)
{
	return PFX_MEM_LOCK(data_src(hists, row));
}

WORD(tlb_word)
{
	return PFX_MEM_TLB(data_src(hists, row));
}

WORD(mem_word)
{
	uint64_t src = data_src(hists, row);

	return PFX_MEM_LEVELS(src) | PFX_MEM_NUMBER(src) << 14 | PFX_MEM_REMOTE(src) << 18 |
	       PFX_MEM_HOPS(src) << 19;
}

WORD(snoop_word)
{
	uint64_t src = data_src(hists, row);

	return PFX_MEM_SNOOP(src) | PFX_MEM_SNOOPX(src) << 5;
}

WORD(block_word)
{
	return PFX_MEM_BLOCK(data_src(hists, row));
}

/* --- orders --- */

#define ORDER(name)                                                                                \
	static int name(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b, \
			const struct pfx_key_info *info)

static const char *dso_name(const struct pfx_place *place)
{
	return place->dso ? place->dso->short_name : NULL;
}

/* By name, unnamed ones last. */
static int compare_dso(const struct pfx_place *a, const struct pfx_place *b)
{
	const char *x = dso_name(a), *y = dso_name(b);

	if (!x || !y)
		return (x == NULL) - (y == NULL);
	return strcmp(x, y);
}

/* Resolved ones first, by position; then unresolved ones by address. */
static int compare_symbol(const struct pfx_row *a, const struct pfx_row *b)
{
	const struct pfx_symbol *x = a->place->sym, *y = b->place->sym;

	if (!x != !y)
		return x ? -1 : 1;
	if (!x)
		return pfx_compare_u64(a->shown, b->shown);
	if (x->start != y->start)
		return pfx_compare_u64(x->start, y->start);
	return pfx_compare_u64(x->end, y->end);
}

static int compare_end(const struct pfx_place *a, const struct pfx_place *b)
{
	if (!a->sym || !b->sym) {
		if (!a->sym != !b->sym)
			return a->sym ? -1 : 1;
		return pfx_compare_u64(a->ip, b->ip);
	}
	return pfx_compare_u64(a->sym->start, b->sym->start);
}

/* As signed numbers: kernel addresses before all others. */
static int compare_signed(uint64_t a, uint64_t b)
{
	return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
}

static int compare_addresses(const struct pfx_place *a, const struct pfx_place *b)
{
	int rc = -compare_dso(a, b);

	return rc ? rc : compare_signed(a->shown, b->shown);
}

/* By the word. */
ORDER(by_word)
{
	return pfx_compare_u64(info->word(hists, a, info), info->word(hists, b, info));
}

/* Large numbers first. */
ORDER(by_word_down)
{
	return -by_word(hists, a, b, info);
}

ORDER(by_signed_word)
{
	return compare_signed(info->word(hists, a, info), info->word(hists, b, info));
}

/* The word is a signed 32-bit number. */
ORDER(by_id)
{
	return compare_signed((uint64_t)(int32_t)info->word(hists, a, info),
			      (uint64_t)(int32_t)info->word(hists, b, info));
}

/* The word is the id of a text. */
ORDER(by_text)
{
	return strcmp(pfx_intern_get(&hists->source_texts, (uint32_t)info->word(hists, a, info)),
		      pfx_intern_get(&hists->source_texts, (uint32_t)info->word(hists, b, info)));
}

ORDER(by_comm)
{
	return strcmp(a->comm->text, b->comm->text);
}

ORDER(by_trace)
{
	const struct pfx_hist_texts *texts = &hists->options.texts;

	if (a->text == b->text || !texts->text)
		return 0;
	return strcmp(texts->text(texts->ctx, a->text), texts->text(texts->ctx, b->text));
}

/* By name, unnamed ones last. */
ORDER(by_parent)
{
	const char *x = pfx_intern_get(&hists->source_texts, a->parent);
	const char *y = pfx_intern_get(&hists->source_texts, b->parent);
	bool no_x = !strcmp(x, PFX_NO_PARENT), no_y = !strcmp(y, PFX_NO_PARENT);

	return no_x || no_y ? no_x - no_y : strcmp(x, y);
}

ORDER(by_type)
{
	return pfx_hist_type_order(hists, a, b);
}

/* By type, then by offset in it, then by the text. */
ORDER(by_member)
{
	uint64_t x = info->word(hists, a, info), y = info->word(hists, b, info);
	int rc = pfx_hist_type_order(hists, a, b);

	if (rc || x == y)
		return rc;
	rc = pfx_compare_u64(pfx_hist_type_of(hists, a)->offset,
			     pfx_hist_type_of(hists, b)->offset);
	return rc ? rc : by_text(hists, a, b, info);
}

ORDER(by_dso)
{
	return compare_dso(a->place, b->place);
}

ORDER(by_symbol)
{
	int rc = 0;

	if (a->place->sym && b->place->sym && !pfx_columns_has(hists->options.columns, PFX_KEY_DSO))
		rc = compare_dso(a->place, b->place);
	return rc ? rc : compare_symbol(a, b);
}

ORDER(by_symoff)
{
	int rc = compare_symbol(a, b);

	return rc ? rc : pfx_compare_u64(a->place->addr, b->place->addr);
}

/* perf has the reverse order. */
ORDER(by_other_dso)
{
	return -compare_dso(other_place(hists, a, info), other_place(hists, b, info));
}

ORDER(by_end)
{
	return compare_end(other_place(hists, a, info), other_place(hists, b, info));
}

ORDER(by_end_address)
{
	return compare_addresses(other_place(hists, a, info), other_place(hists, b, info));
}

/* By the older bits of data_src, as in perf, without the bits of newer kernels; ties are ordered by
 * the following keys. */
ORDER(by_first_bits)
{
	return pfx_compare_u64(info->word(hists, a, info) & info->bits,
			       info->word(hists, b, info) & info->bits);
}

ORDER(by_line)
{
	int rc = pfx_compare_u64(a->place->cpumode, b->place->cpumode);

	if (!rc)
		rc = compare_dso(other_place(hists, a, info), other_place(hists, b, info));
	return rc ? rc : pfx_compare_u64(pfx_hist_line_of(hists, a), pfx_hist_line_of(hists, b));
}

/* Symbols by name. */
ORDER(by_symbol_name)
{
	const struct pfx_symbol *x = a->place->sym, *y = b->place->sym;

	if (!x || !y)
		return (x == NULL) - (y == NULL);
	return strcmp(x->name, y->name);
}

/* --- values --- */

#define VALUE(name, what)                                     \
	static uint64_t name(const struct pfx_row_stat *stat) \
	{                                                     \
		return what;                                  \
	}
#define AVERAGE(i) (stat->count ? stat->weights[i] / stat->count : 0)

VALUE(period_value, stat->period)
VALUE(sys_value, stat->by_level[PFX_LEVEL_SYS])
VALUE(us_value, stat->by_level[PFX_LEVEL_US])
VALUE(guest_sys_value, stat->by_level[PFX_LEVEL_GUEST_SYS])
VALUE(guest_us_value, stat->by_level[PFX_LEVEL_GUEST_US])
VALUE(children_value, stat->children)
VALUE(latency_value, stat->latency)
VALUE(latency_children_value, stat->latency_children)
VALUE(samples_value, stat->count)
VALUE(weight1_value, AVERAGE(0))
VALUE(weight2_value, AVERAGE(1))
VALUE(weight3_value, AVERAGE(2))

/* --- the table --- */

#define NEEDS(word) (1u << PFX_WORD_##word)

static const struct pfx_key_info key_table[PFX_KEY_NR] = {
	[PFX_KEY_PID] = {"pid", "    Pid:Command", 0, .by_thread = true, .word = tid_word,
			 .order = by_id, .text = pfx_key_thread_text},
	[PFX_KEY_COMM] = {"comm", "Command", 0, .word = comm_word, .order = by_comm,
			  .text = pfx_key_comm_text},
	[PFX_KEY_DSO] = {"dso", "Shared Object", 0, .word = dso_word, .order = by_dso,
			 .text = pfx_key_dso_text},
	[PFX_KEY_SYM] = {"symbol", "Symbol", 0, .is_ragged = true, .word = symbol_word,
			 .order = by_symbol, .shown_order = by_symbol_name,
			 .text = pfx_key_symbol_text, .width = pfx_key_symbol_width},
	[PFX_KEY_PARENT] = {"parent", "Parent symbol", 0, .prefix = 2, .word = parent_word,
			    .order = by_parent, .text = pfx_key_source_text},
	[PFX_KEY_CPU] = {"cpu", "CPU", 0, .prefix = 2, .by_cpu = true, .cannot_be_cut = true,
			 .word = cpu_word, .order = by_id, .text = pfx_key_cpu_text},
	[PFX_KEY_SOCKET] = {"socket", "Socket", 0, .prefix = 2, .by_cpu = true,
			    .cannot_be_cut = true, .word = socket_word, .order = by_word,
			    .text = pfx_key_socket_text},
	[PFX_KEY_SRCLINE] = {"srcline", "Source:Line", 0, .prefix = 2, .is_ragged = true,
			     .word = srcline_word, .order = by_text, .text = pfx_key_source_text},
	[PFX_KEY_SRCFILE] = {"srcfile", "Source File", 0, .prefix = 4, .is_ragged = true,
			     .word = srcfile_word, .order = by_text, .text = pfx_key_source_text},
	[PFX_KEY_LOCAL_WEIGHT] = {"local_weight", "Local Weight", 12, .words = NEEDS(WEIGHT),
				  .cannot_be_cut = true, .word = number_word, .order = by_word_down,
				  .text = pfx_key_number_text},
	[PFX_KEY_WEIGHT] = {"weight", "Weight", 12, .words = NEEDS(WEIGHT), .cannot_be_cut = true,
			    .word = number_word, .order = by_word_down, .text = pfx_key_sum_text},
	[PFX_KEY_TRANSACTION] = {"transaction", "Transaction", 27, .words = NEEDS(TRANSACTION),
				 .cannot_be_cut = true, .word = number_word, .order = by_word_down,
				 .text = pfx_key_transaction_text,
				 .width = pfx_key_transaction_width},
	[PFX_KEY_TRACE] = {"trace", "Trace output", 0, .prefix = 4, .is_ragged = true,
			   .word = trace_word, .order = by_trace, .text = pfx_key_trace_text},
	[PFX_KEY_SYM_SIZE] = {"symbol_size", "Symbol size", 0, .prefix = 7, .cannot_be_cut = true,
			      .word = symbol_size_word, .order = by_signed_word,
			      .text = pfx_key_symbol_size_text},
	[PFX_KEY_DSO_SIZE] = {"dso_size", "DSO size", 0, .prefix = 4, .cannot_be_cut = true,
			      .word = dso_size_word, .order = by_signed_word,
			      .text = pfx_key_dso_size_text},
	[PFX_KEY_CGROUP] = {"cgroup", "Cgroup", 0, .prefix = 2, .words = NEEDS(CGROUP),
			    .is_ragged = true, .word = number_word, .order = by_word,
			    .text = pfx_key_cgroup_text},
	[PFX_KEY_CGROUP_ID] = {"cgroup_id", "cgroup id (dev/inode)", 0, .prefix = 7,
			       .is_ragged = true, .by_thread = true, .word = cgroup_word,
			       .order = by_word, .text = pfx_key_cgroup_id_text},
	[PFX_KEY_IPC_NULL] = {"ipc_null", "IPC   [IPC Coverage]", 0, .cannot_be_cut = true,
			      .word = symbol_word, .order = by_symbol, .text = pfx_key_no_ipc_text},
	[PFX_KEY_TIME] = {"time", "Time", 12, .prefix = 2, .words = NEEDS(TIME), .is_ragged = true,
			  .cannot_be_cut = true, .word = number_word, .order = by_word,
			  .text = pfx_key_time_text, .width = pfx_key_time_width},
	[PFX_KEY_CODE_PAGE_SIZE] = {"code_page_size", "Code Page Size", 0, .prefix = 3,
				    .words = NEEDS(CODE_PAGE), .cannot_be_cut = true,
				    .word = number_word, .order = by_word,
				    .text = pfx_key_page_text},
	[PFX_KEY_LOCAL_INS_LAT] = {"local_ins_lat", "Local INSTR Latency", 13, .prefix = 7,
				   .words = NEEDS(INS_LAT), .cannot_be_cut = true,
				   .word = number_word, .order = by_word_down,
				   .text = pfx_key_number_text},
	[PFX_KEY_INS_LAT] = {"ins_lat", "INSTR Latency", 13, .prefix = 2, .words = NEEDS(INS_LAT),
			     .cannot_be_cut = true, .word = number_word, .order = by_word_down,
			     .text = pfx_key_sum_text},
	[PFX_KEY_LOCAL_STAGE] = {"local_p_stage_cyc", "Local Pipeline Stage Cycle", 13, .prefix = 7,
				 .words = NEEDS(STAGE), .cannot_be_cut = true, .word = number_word,
				 .order = by_word_down, .text = pfx_key_number_text},
	[PFX_KEY_STAGE] = {"p_stage_cyc", "Pipeline Stage Cycle", 13, .prefix = 2,
			   .words = NEEDS(STAGE), .cannot_be_cut = true, .word = number_word,
			   .order = by_word_down, .text = pfx_key_sum_text},
	[PFX_KEY_ADDR] = {"addr", "Address", 18, .cannot_be_cut = true, .word = address_word,
			  .order = by_signed_word, .text = pfx_key_address_text,
			  .width = pfx_key_no_width},
	[PFX_KEY_LOCAL_RETIRE_LAT] = {"local_retire_lat", "Local Retire Latency", 13, .prefix = 7,
				      .words = NEEDS(STAGE), .cannot_be_cut = true,
				      .word = number_word, .order = by_word_down,
				      .text = pfx_key_number_text},
	[PFX_KEY_RETIRE_LAT] = {"retire_lat", "Retire Latency", 13, .words = NEEDS(STAGE),
				.cannot_be_cut = true, .word = number_word, .order = by_word_down,
				.text = pfx_key_sum_text},
	[PFX_KEY_SYMOFF] = {"symoff", "Symbol Offset", 0, .prefix = 4, .is_ragged = true,
			    .word = symoff_word, .order = by_symoff, .text = pfx_key_symoff_text},
	[PFX_KEY_PARALLELISM] = {"parallelism", "Parallelism", 0, .prefix = 4,
				 .words = NEEDS(PARALLELISM), .cannot_be_cut = true,
				 .word = number_word, .order = by_word,
				 .text = pfx_key_number_text},
	[PFX_KEY_TGID] = {"tgid", "   Tgid:Command", 0, .prefix = 2, .by_thread = true,
			  .word = tgid_word, .order = by_id, .text = pfx_key_thread_text},
	[PFX_KEY_TID] = {"tid", "    Tid:Command", 0, .prefix = 3, .by_thread = true,
			 .word = tid_word, .order = by_id, .text = pfx_key_thread_text},
	[PFX_KEY_COMM_NODIGIT] = {"comm_nodigit", "CommandNoDigit", 0, .prefix = 5,
				  .word = nodigit_word, .order = by_text,
				  .text = pfx_key_source_text},
	[PFX_KEY_SIMD] = {"simd", "Simd", 0, .prefix = 2, .word = number_word, .order = by_word,
			  .text = pfx_key_simd_text},
	[PFX_KEY_TYPE] = {"type", "Data Type", 0, .prefix = 2, .is_ragged = true, .word = type_word,
			  .order = by_type, .by_type = true, .text = pfx_key_source_text},
	[PFX_KEY_TYPEOFF] = {"typeoff", "Data Type Offset", 0, .prefix = 5, .is_ragged = true,
			     .word = typeoff_word, .order = by_member, .by_type = true,
			     .text = pfx_key_source_text},
	[PFX_KEY_TYPECLN] = {"typecln", "Data Type Cacheline", 0, .prefix = 5, .is_ragged = true,
			     .word = typecln_word, .order = by_member, .by_type = true,
			     .text = pfx_key_source_text},
	[PFX_KEY_CHAIN_PREDICTED] = {"callchain_branch_predicted", "Predicted", 0, .prefix = 2,
				     .by_history = true, .cannot_be_cut = true, .word = number_word,
				     .order = by_word, .text = pfx_key_predicted_text},
	[PFX_KEY_CHAIN_ABORT] = {"callchain_branch_abort", "Abort", 0, .prefix = 18,
				 .by_history = true, .cannot_be_cut = true, .word = number_word,
				 .order = by_word, .text = pfx_key_aborts_text},
	[PFX_KEY_CHAIN_CYCLES] = {"callchain_branch_cycles", "Cycles", 0, .prefix = 18,
				  .by_history = true, .cannot_be_cut = true, .word = number_word,
				  .order = by_word, .text = pfx_key_chain_cycles_text},
	[PFX_KEY_DSO_FROM] = {"dso_from", "Source Shared Object", 0, .words = NEEDS(FROM),
			      .kind = PFX_KEY_OF_BRANCH, .word = other_dso_word,
			      .order = by_other_dso, .place = PFX_WORD_FROM,
			      .text = pfx_key_other_dso_text},
	[PFX_KEY_DSO_TO] = {"dso_to", "Target Shared Object", 0, .prefix = 5, .words = NEEDS(TO),
			    .kind = PFX_KEY_OF_BRANCH, .word = other_dso_word,
			    .order = by_other_dso, .place = PFX_WORD_TO,
			    .text = pfx_key_other_dso_text},
	[PFX_KEY_SYM_FROM] = {"symbol_from", "Source Symbol", 0, .words = NEEDS(FROM) | NEEDS(TO),
			      .is_ragged = true, .kind = PFX_KEY_OF_BRANCH, .word = end_word,
			      .order = by_end, .place = PFX_WORD_FROM, .text = pfx_key_end_text,
			      .width = pfx_key_end_width},
	[PFX_KEY_SYM_TO] = {"symbol_to", "Target Symbol", 0, .prefix = 8,
			    .words = NEEDS(FROM) | NEEDS(TO), .is_ragged = true,
			    .kind = PFX_KEY_OF_BRANCH, .word = end_word, .order = by_end,
			    .place = PFX_WORD_TO, .text = pfx_key_end_text,
			    .width = pfx_key_end_width},
	[PFX_KEY_MISPREDICT] = {"mispredict", "Branch Mispredicted", 0, .words = NEEDS(FLAGS),
				.kind = PFX_KEY_OF_BRANCH, .word = flags_word, .order = by_word,
				.bits = FLAG_GUESS, .text = pfx_key_mispredict_text},
	[PFX_KEY_IN_TX] = {"in_tx", "Branch in transaction", 0, .words = NEEDS(FLAGS),
			   .kind = PFX_KEY_OF_BRANCH, .word = flags_word, .order = by_word,
			   .bits = FLAG_TX, .text = pfx_key_in_tx_text},
	[PFX_KEY_ABORT] = {"abort", "Transaction abort", 0, .words = NEEDS(FLAGS),
			   .kind = PFX_KEY_OF_BRANCH, .word = flags_word, .order = by_word,
			   .bits = FLAG_ABORT, .text = pfx_key_abort_text},
	[PFX_KEY_CYCLES] = {"cycles", "Basic Block Cycles", 0, .words = NEEDS(FLAGS),
			    .cannot_be_cut = true, .kind = PFX_KEY_OF_BRANCH, .word = flags_word,
			    .order = by_word_down, .bits = FLAG_CYCLES,
			    .text = pfx_key_cycles_text},
	[PFX_KEY_SRCLINE_FROM] = {"srcline_from", "From Source:Line", 0, .prefix = 2,
				  .words = NEEDS(FROM), .kind = PFX_KEY_OF_BRANCH,
				  .word = end_line_word, .order = by_text, .place = PFX_WORD_FROM,
				  .text = pfx_key_source_text},
	[PFX_KEY_SRCLINE_TO] = {"srcline_to", "To Source:Line", 0, .prefix = 9, .words = NEEDS(TO),
				.kind = PFX_KEY_OF_BRANCH, .word = end_line_word, .order = by_text,
				.place = PFX_WORD_TO, .text = pfx_key_source_text},
	[PFX_KEY_IPC_LBR] = {"ipc_lbr", "IPC   [IPC Coverage]", 0, .prefix = 2,
			     .cannot_be_cut = true, .kind = PFX_KEY_OF_BRANCH, .word = symbol_word,
			     .order = by_symbol, .text = pfx_key_ipc_text},
	[PFX_KEY_ADDR_FROM] = {"addr_from", "Source Address", 0, .prefix = 2, .words = NEEDS(FROM),
			       .is_ragged = true, .cannot_be_cut = true, .kind = PFX_KEY_OF_BRANCH,
			       .word = end_address_word, .order = by_end_address,
			       .place = PFX_WORD_FROM, .text = pfx_key_end_address_text,
			       .width = pfx_key_end_width},
	[PFX_KEY_ADDR_TO] = {"addr_to", "Target Address", 0, .prefix = 6, .words = NEEDS(TO),
			     .is_ragged = true, .cannot_be_cut = true, .kind = PFX_KEY_OF_BRANCH,
			     .word = end_address_word, .order = by_end_address,
			     .place = PFX_WORD_TO, .text = pfx_key_end_address_text,
			     .width = pfx_key_end_width},
	[PFX_KEY_SYM_DADDR] = {"symbol_daddr", "Data Symbol", 0, .prefix = 8, .words = NEEDS(DATA),
			       .is_ragged = true, .kind = PFX_KEY_OF_MEMORY, .word = data_word,
			       .order = by_signed_word, .place = PFX_WORD_DATA,
			       .text = pfx_key_data_symbol_text,
			       .width = pfx_key_data_symbol_width},
	[PFX_KEY_SYM_IADDR] = {"symbol_iaddr", "Code Symbol", 0, .prefix = 8, .is_ragged = true,
			       .kind = PFX_KEY_OF_MEMORY, .word = address_word,
			       .order = by_signed_word, .text = pfx_key_code_symbol_text,
			       .width = pfx_key_code_symbol_width},
	[PFX_KEY_DSO_DADDR] = {"dso_daddr", "Data Object", 0, .prefix = 5, .words = NEEDS(DATA),
			       .kind = PFX_KEY_OF_MEMORY, .word = other_dso_word,
			       .order = by_other_dso, .place = PFX_WORD_DATA,
			       .text = pfx_key_other_dso_text},
	[PFX_KEY_LOCKED] = {"locked", "Locked", 6, .words = NEEDS(DATA_SRC), .is_ragged = true,
			    .kind = PFX_KEY_OF_MEMORY, .word = lock_word, .order = by_word,
			    .text = pfx_key_lock_text},
	[PFX_KEY_TLB] = {"tlb", "TLB access", 22, .words = NEEDS(DATA_SRC),
			 .kind = PFX_KEY_OF_MEMORY, .word = tlb_word, .order = by_word,
			 .text = pfx_key_tlb_text},
	[PFX_KEY_MEM] = {"mem", "Memory access", 24, .prefix = 2, .words = NEEDS(DATA_SRC),
			 .kind = PFX_KEY_OF_MEMORY, .word = mem_word, .order = by_first_bits,
			 .bits = 0x3fff, .text = pfx_key_mem_text, .width = pfx_key_no_width},
	[PFX_KEY_SNOOP] = {"snoop", "Snoop", 12, .prefix = 2, .words = NEEDS(DATA_SRC),
			   .kind = PFX_KEY_OF_MEMORY, .word = snoop_word, .order = by_first_bits,
			   .bits = 0x1f, .text = pfx_key_snoop_text},
	[PFX_KEY_DCACHELINE] = {"dcacheline", "Data Cacheline", 0, .prefix = 2,
				.words = NEEDS(DATA), .is_ragged = true, .kind = PFX_KEY_OF_MEMORY,
				.word = line_word, .order = by_line, .place = PFX_WORD_DATA,
				.text = pfx_key_data_line_text, .width = pfx_key_data_line_width},
	[PFX_KEY_PHYS_DADDR] = {"phys_daddr", "Data Physical Address", 22, .words = NEEDS(PHYS),
				.cannot_be_cut = true, .kind = PFX_KEY_OF_MEMORY,
				.word = number_word, .order = by_word,
				.text = pfx_key_physical_text},
	[PFX_KEY_DATA_PAGE_SIZE] = {"data_page_size", "Data Page Size", 22, .prefix = 2,
				    .words = NEEDS(DATA_PAGE), .cannot_be_cut = true,
				    .kind = PFX_KEY_OF_MEMORY, .word = number_word,
				    .order = by_word, .text = pfx_key_page_text},
	[PFX_KEY_BLOCKED] = {"blocked", "Blocked", 10, .words = NEEDS(DATA_SRC), .is_ragged = true,
			     .kind = PFX_KEY_OF_MEMORY, .word = block_word, .order = by_word,
			     .text = pfx_key_block_text},
	[PFX_KEY_OVERHEAD] = {"overhead", "Overhead", 8, .kind = PFX_KEY_VALUE,
			      .value = period_value, .is_percent = true},
	[PFX_KEY_OVERHEAD_SYS] = {"overhead_sys", "sys", 8, .prefix = 9, .kind = PFX_KEY_VALUE,
				  .value = sys_value, .is_percent = true},
	[PFX_KEY_OVERHEAD_US] = {"overhead_us", "usr", 8, .prefix = 10, .kind = PFX_KEY_VALUE,
				 .value = us_value, .is_percent = true},
	[PFX_KEY_OVERHEAD_GUEST_SYS] = {"overhead_guest_sys", "guest sys", 9, .prefix = 10,
					.kind = PFX_KEY_VALUE, .value = guest_sys_value,
					.is_percent = true},
	[PFX_KEY_OVERHEAD_GUEST_US] = {"overhead_guest_us", "guest usr", 9, .prefix = 16,
				       .kind = PFX_KEY_VALUE, .value = guest_us_value,
				       .is_percent = true},
	[PFX_KEY_OVERHEAD_CHILDREN] = {"overhead_children", "Children", 8, .prefix = 10,
				       .kind = PFX_KEY_VALUE, .value = children_value,
				       .is_percent = true},
	[PFX_KEY_LATENCY] = {"latency", "Latency", 8, .words = NEEDS(PARALLELISM),
			     .kind = PFX_KEY_VALUE, .value = latency_value, .is_percent = true},
	[PFX_KEY_LATENCY_CHILDREN] = {"latency_children", "Latency+", 8, .prefix = 8,
				      .words = NEEDS(PARALLELISM), .kind = PFX_KEY_VALUE,
				      .value = latency_children_value, .is_percent = true},
	[PFX_KEY_SAMPLE] = {"sample", "Samples", 12, .kind = PFX_KEY_VALUE, .value = samples_value},
	[PFX_KEY_PERIOD] = {"period", "Period", 12, .kind = PFX_KEY_VALUE, .value = period_value},
	[PFX_KEY_WEIGHT1] = {"weight1", "Weight1", 8, .words = NEEDS(WEIGHT), .kind = PFX_KEY_VALUE,
			     .value = weight1_value},
	[PFX_KEY_WEIGHT2] = {"weight2", "Weight2", 8, .prefix = 7, .words = NEEDS(INS_LAT),
			     .kind = PFX_KEY_VALUE, .value = weight2_value},
	[PFX_KEY_WEIGHT3] = {"weight3", "Weight3", 8, .prefix = 7, .words = NEEDS(STAGE),
			     .kind = PFX_KEY_VALUE, .value = weight3_value},
	[PFX_KEY_ACCESS_OP] = {"op", "Mem Op", 0, .words = NEEDS(DATA_SRC), .kind = PFX_KEY_ACCESS,
			       .access = PFX_ACCESS_OP, .value = period_value},
	[PFX_KEY_ACCESS_CACHE] = {"cache", "Cache", 0, .words = NEEDS(DATA_SRC),
				  .kind = PFX_KEY_ACCESS, .access = PFX_ACCESS_CACHE,
				  .value = period_value},
	[PFX_KEY_ACCESS_MEMORY] = {"memory", "Memory", 0, .words = NEEDS(DATA_SRC),
				   .kind = PFX_KEY_ACCESS, .access = PFX_ACCESS_MEMORY,
				   .value = period_value},
	[PFX_KEY_ACCESS_SNOOP] = {"snoop", "Snoop", 0, .words = NEEDS(DATA_SRC),
				  .kind = PFX_KEY_ACCESS, .access = PFX_ACCESS_SNOOP,
				  .value = period_value},
	[PFX_KEY_ACCESS_TLB] = {"dtlb", "D-TLB", 0, .words = NEEDS(DATA_SRC),
				.kind = PFX_KEY_ACCESS, .access = PFX_ACCESS_TLB,
				.value = period_value},
};

/* Shared by all fields of tracepoints. */
static const struct pfx_key_info field_info = {.name = "", .title = ""};

const struct pfx_key_info *pfx_key_info(enum pfx_key key)
{
	return key >= PFX_KEY_FIELD ? &field_info : &key_table[key];
}

/* The word of a tracepoint's field. */
static uint64_t field_word(const struct pfx_hists *hists, const struct pfx_row *row,
			   enum pfx_key key)
{
	return pfx_row_word(hists, row, PFX_WORD_FIELD + (key - PFX_KEY_FIELD));
}

static int by_field(const struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
		    enum pfx_key key)
{
	const struct pfx_hist_texts *texts = &hists->options.texts;
	uint64_t x = field_word(hists, a, key), y = field_word(hists, b, key);

	if (x == y || !texts->field_order)
		return 0;
	return texts->field_order(texts->ctx, (uint32_t)x, (uint32_t)y);
}

uint64_t pfx_hist_key_word(struct pfx_hists *hists, const struct pfx_row *row, enum pfx_key key)
{
	const struct pfx_key_info *info = pfx_key_info(key);

	return key >= PFX_KEY_FIELD ? field_word(hists, row, key) : info->word(hists, row, info);
}

int pfx_hist_key_order(struct pfx_hists *hists, const struct pfx_row *a, const struct pfx_row *b,
		       enum pfx_key key)
{
	const struct pfx_key_info *info = pfx_key_info(key);

	if (key >= PFX_KEY_FIELD)
		return by_field(hists, a, b, key);
	return info->order ? info->order(hists, a, b, info) : 0;
}

int pfx_hist_key_shown_order(struct pfx_hists *hists, const struct pfx_row *a,
			     const struct pfx_row *b, enum pfx_key key)
{
	const struct pfx_key_info *info = pfx_key_info(key);

	if (info->shown_order)
		return info->shown_order(hists, a, b, info);
	return pfx_hist_key_order(hists, a, b, key);
}

const char *pfx_hist_source(const struct pfx_hists *hists, const struct pfx_row *row,
			    enum pfx_key key)
{
	struct pfx_hists *writable = (struct pfx_hists *)(uintptr_t)hists;

	return pfx_intern_get(&hists->source_texts,
			      (uint32_t)pfx_hist_key_word(writable, row, key));
}

uint64_t pfx_row_value(const struct pfx_row_stat *stat, enum pfx_key key)
{
	return pfx_key_info(key)->value(stat);
}
