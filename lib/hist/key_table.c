/* SPDX-License-Identifier: MIT */
/*
 * The table of all keys and values: names, heads of columns, what of a sample each needs. What rows
 * show for them is made in lib/out; how they are told apart in hist_keys.c.
 */
#include "hist/sortkey.h"

#define NEEDS(word) (1u << PFX_WORD_##word)

static const struct pfx_key_info key_table[PFX_KEY_NR] = {
	[PFX_KEY_PID] = {"pid", "    Pid:Command", 0, .by_thread = true},
	[PFX_KEY_COMM] = {"comm", "Command", 0},
	[PFX_KEY_DSO] = {"dso", "Shared Object", 0},
	[PFX_KEY_SYM] = {"symbol", "Symbol", 0, .is_ragged = true},
	[PFX_KEY_PARENT] = {"parent", "Parent symbol", 0},
	[PFX_KEY_CPU] = {"cpu", "CPU", 0, .by_cpu = true, .cannot_be_cut = true},
	[PFX_KEY_SOCKET] = {"socket", "Socket", 0, .by_cpu = true, .cannot_be_cut = true},
	[PFX_KEY_SRCLINE] = {"srcline", "Source:Line", 0, .is_ragged = true},
	[PFX_KEY_SRCFILE] = {"srcfile", "Source File", 0, .is_ragged = true},
	[PFX_KEY_LOCAL_WEIGHT] = {"local_weight", "Local Weight", 12, .words = NEEDS(WEIGHT),
				  .is_descending = true, .cannot_be_cut = true},
	[PFX_KEY_WEIGHT] = {"weight", "Weight", 12, .words = NEEDS(WEIGHT), .is_descending = true,
			    .cannot_be_cut = true},
	[PFX_KEY_TRANSACTION] = {"transaction", "Transaction", 27, .words = NEEDS(TRANSACTION),
				 .cannot_be_cut = true, .is_descending = true},
	[PFX_KEY_TRACE] = {"trace", "Trace output", 0, .is_ragged = true},
	[PFX_KEY_SYM_SIZE] = {"symbol_size", "Symbol size", 0, .cannot_be_cut = true},
	[PFX_KEY_DSO_SIZE] = {"dso_size", "DSO size", 0, .cannot_be_cut = true},
	[PFX_KEY_CGROUP] = {"cgroup", "Cgroup", 0, .words = NEEDS(CGROUP), .is_ragged = true},
	[PFX_KEY_CGROUP_ID] = {"cgroup_id", "cgroup id (dev/inode)", 0, .is_ragged = true,
			       .by_thread = true},
	[PFX_KEY_IPC_NULL] = {"ipc_null", "IPC   [IPC Coverage]", 0, .cannot_be_cut = true},
	[PFX_KEY_TIME] = {"time", "Time", 12, .words = NEEDS(TIME), .is_ragged = true,
			  .cannot_be_cut = true},
	[PFX_KEY_CODE_PAGE_SIZE] = {"code_page_size", "Code Page Size", 0,
				    .words = NEEDS(CODE_PAGE), .cannot_be_cut = true},
	[PFX_KEY_LOCAL_INS_LAT] = {"local_ins_lat", "Local INSTR Latency", 13,
				   .words = NEEDS(INS_LAT), .is_descending = true,
				   .cannot_be_cut = true},
	[PFX_KEY_INS_LAT] = {"ins_lat", "INSTR Latency", 13, .words = NEEDS(INS_LAT),
			     .is_descending = true, .cannot_be_cut = true},
	[PFX_KEY_LOCAL_STAGE] = {"local_p_stage_cyc", "Local Pipeline Stage Cycle", 13,
				 .words = NEEDS(STAGE), .is_descending = true,
				 .cannot_be_cut = true},
	[PFX_KEY_STAGE] = {"p_stage_cyc", "Pipeline Stage Cycle", 13, .words = NEEDS(STAGE),
			   .is_descending = true, .cannot_be_cut = true},
	[PFX_KEY_ADDR] = {"addr", "Address", 18, .cannot_be_cut = true},
	[PFX_KEY_LOCAL_RETIRE_LAT] = {"local_retire_lat", "Local Retire Latency", 13,
				      .words = NEEDS(STAGE), .is_descending = true,
				      .cannot_be_cut = true},
	[PFX_KEY_RETIRE_LAT] = {"retire_lat", "Retire Latency", 13, .words = NEEDS(STAGE),
				.is_descending = true, .cannot_be_cut = true},
	[PFX_KEY_SYMOFF] = {"symoff", "Symbol Offset", 0, .is_ragged = true},
	[PFX_KEY_PARALLELISM] = {"parallelism", "Parallelism", 0, .words = NEEDS(PARALLELISM),
				 .cannot_be_cut = true},
	[PFX_KEY_TGID] = {"tgid", "   Tgid:Command", 0, .by_thread = true},
	[PFX_KEY_TID] = {"tid", "    Tid:Command", 0, .by_thread = true},
	[PFX_KEY_COMM_NODIGIT] = {"comm_nodigit", "CommandNoDigit", 0},
	[PFX_KEY_SIMD] = {"simd", "Simd", 0},
	[PFX_KEY_TYPE] = {"type", "Data Type", 0, .is_ragged = true},
	[PFX_KEY_TYPEOFF] = {"typeoff", "Data Type Offset", 0, .is_ragged = true},
	[PFX_KEY_TYPECLN] = {"typecln", "Data Type Cacheline", 0, .is_ragged = true},
	[PFX_KEY_CHAIN_PREDICTED] = {"callchain_branch_predicted", "Predicted", 0,
				     .by_history = true, .cannot_be_cut = true},
	[PFX_KEY_CHAIN_ABORT] = {"callchain_branch_abort", "Abort", 0, .by_history = true,
				 .cannot_be_cut = true},
	[PFX_KEY_CHAIN_CYCLES] = {"callchain_branch_cycles", "Cycles", 0, .by_history = true,
				  .cannot_be_cut = true},
	[PFX_KEY_DSO_FROM] = {"dso_from", "Source Shared Object", 0, .words = NEEDS(FROM)},
	[PFX_KEY_DSO_TO] = {"dso_to", "Target Shared Object", 0, .words = NEEDS(TO)},
	[PFX_KEY_SYM_FROM] = {"symbol_from", "Source Symbol", 0, .words = NEEDS(FROM) | NEEDS(TO),
			      .is_ragged = true},
	[PFX_KEY_SYM_TO] = {"symbol_to", "Target Symbol", 0, .words = NEEDS(FROM) | NEEDS(TO),
			    .is_ragged = true},
	[PFX_KEY_MISPREDICT] = {"mispredict", "Branch Mispredicted", 0, .words = NEEDS(FLAGS)},
	[PFX_KEY_IN_TX] = {"in_tx", "Branch in transaction", 0, .words = NEEDS(FLAGS)},
	[PFX_KEY_ABORT] = {"abort", "Transaction abort", 0, .words = NEEDS(FLAGS)},
	[PFX_KEY_CYCLES] = {"cycles", "Basic Block Cycles", 0, .words = NEEDS(FLAGS),
			    .cannot_be_cut = true},
	[PFX_KEY_SRCLINE_FROM] = {"srcline_from", "From Source:Line", 0, .words = NEEDS(FROM)},
	[PFX_KEY_SRCLINE_TO] = {"srcline_to", "To Source:Line", 0, .words = NEEDS(TO)},
	[PFX_KEY_IPC_LBR] = {"ipc_lbr", "IPC   [IPC Coverage]", 0, .cannot_be_cut = true},
	[PFX_KEY_ADDR_FROM] = {"addr_from", "Source Address", 0, .words = NEEDS(FROM),
			       .is_ragged = true, .cannot_be_cut = true},
	[PFX_KEY_ADDR_TO] = {"addr_to", "Target Address", 0, .words = NEEDS(TO), .is_ragged = true,
			     .cannot_be_cut = true},
	[PFX_KEY_SYM_DADDR] = {"symbol_daddr", "Data Symbol", 0, .words = NEEDS(DATA),
			       .is_ragged = true},
	[PFX_KEY_SYM_IADDR] = {"symbol_iaddr", "Code Symbol", 0, .is_ragged = true},
	[PFX_KEY_DSO_DADDR] = {"dso_daddr", "Data Object", 0, .words = NEEDS(DATA)},
	[PFX_KEY_LOCKED] = {"locked", "Locked", 6, .words = NEEDS(DATA_SRC), .is_ragged = true},
	[PFX_KEY_TLB] = {"tlb", "TLB access", 22, .words = NEEDS(DATA_SRC)},
	[PFX_KEY_MEM] = {"mem", "Memory access", 24, .words = NEEDS(DATA_SRC)},
	[PFX_KEY_SNOOP] = {"snoop", "Snoop", 12, .words = NEEDS(DATA_SRC)},
	[PFX_KEY_DCACHELINE] = {"dcacheline", "Data Cacheline", 0, .words = NEEDS(DATA),
				.is_ragged = true},
	[PFX_KEY_PHYS_DADDR] = {"phys_daddr", "Data Physical Address", 22, .words = NEEDS(PHYS),
				.cannot_be_cut = true},
	[PFX_KEY_DATA_PAGE_SIZE] = {"data_page_size", "Data Page Size", 22,
				    .words = NEEDS(DATA_PAGE), .cannot_be_cut = true},
	[PFX_KEY_BLOCKED] = {"blocked", "Blocked", 10, .words = NEEDS(DATA_SRC), .is_ragged = true},
	[PFX_KEY_OVERHEAD] = {"overhead", "Overhead", 8},
	[PFX_KEY_OVERHEAD_SYS] = {"overhead_sys", "sys", 8},
	[PFX_KEY_OVERHEAD_US] = {"overhead_us", "usr", 8},
	[PFX_KEY_OVERHEAD_GUEST_SYS] = {"overhead_guest_sys", "guest sys", 9},
	[PFX_KEY_OVERHEAD_GUEST_US] = {"overhead_guest_us", "guest usr", 9},
	[PFX_KEY_OVERHEAD_CHILDREN] = {"overhead_children", "Children", 8},
	[PFX_KEY_LATENCY] = {"latency", "Latency", 8, .words = NEEDS(PARALLELISM)},
	[PFX_KEY_LATENCY_CHILDREN] = {"latency_children", "Latency+", 8,
				      .words = NEEDS(PARALLELISM)},
	[PFX_KEY_SAMPLE] = {"sample", "Samples", 12},
	[PFX_KEY_PERIOD] = {"period", "Period", 12},
	[PFX_KEY_WEIGHT1] = {"weight1", "Weight1", 8, .words = NEEDS(WEIGHT)},
	[PFX_KEY_WEIGHT2] = {"weight2", "Weight2", 8, .words = NEEDS(INS_LAT)},
	[PFX_KEY_WEIGHT3] = {"weight3", "Weight3", 8, .words = NEEDS(STAGE)},
	[PFX_KEY_ACCESS_OP] = {"op", "Mem Op", 0, .words = NEEDS(DATA_SRC)},
	[PFX_KEY_ACCESS_CACHE] = {"cache", "Cache", 0, .words = NEEDS(DATA_SRC)},
	[PFX_KEY_ACCESS_MEMORY] = {"memory", "Memory", 0, .words = NEEDS(DATA_SRC)},
	[PFX_KEY_ACCESS_SNOOP] = {"snoop", "Snoop", 0, .words = NEEDS(DATA_SRC)},
	[PFX_KEY_ACCESS_TLB] = {"dtlb", "D-TLB", 0, .words = NEEDS(DATA_SRC)},
};

static const struct pfx_key_info field_info = {.name = "", .title = ""};

const struct pfx_key_info *pfx_key_info(enum pfx_key key)
{
	return key >= PFX_KEY_FIELD ? &field_info : &key_table[key];
}

const char *pfx_columns_usual(enum pfx_report_mode mode)
{
	switch (mode) {
	case PFX_REPORT_BRANCH:
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	case PFX_REPORT_MEM:
		return "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,"
		       "local_ins_lat,local_p_stage_cyc";
	default:
		return "comm,dso,symbol";
	}
}
