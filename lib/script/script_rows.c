/* SPDX-License-Identifier: MIT */
/*
 * The fields of script lines, one row each: its requirements, the kinds of events that print it by
 * default, and its functions. Lines show fields in the order of the rows. Rows without functions
 * change how other fields are printed, or belong to traces, which are not decoded.
 */
#include <errno.h>

#include "script/script_internal.h"

#define ON(kind)              (1u << PFX_SCRIPT_TYPE_##kind)
#define EVERY_KIND            ((1u << PFX_SCRIPT_NR_TYPES) - 1)
#define WITH_PLACES           (EVERY_KIND & ~ON(TRACE)) /* print the location of samples */
#define PLACE                 .needs = PFX_SAMPLE_IP | PFX_SAMPLE_ADDR, .recorded = "IP or ADDR"
#define NEEDS(what)           .needs = PFX_SAMPLE_##what, .recorded = #what
#define TEXT(place, function) .part = PFX_SCRIPT_PART_##place, .text = pfx_script_text_##function
#define JSON(function)        .json = PFX_SCRIPT_JSON_USUAL, .add_json = pfx_script_json_##function
#define JSON_ASKED(function)  .json = PFX_SCRIPT_JSON_ASKED, .add_json = pfx_script_json_##function

static int check_branch_code(const struct pfx_event *event, struct pfx_error *err)
{
	if (event->attr.branch_sample_type & PFX_BRANCH_ANY)
		return 0;
	pfx_error_set(err, EINVAL,
		      "the code between branches is known only where all of them were recorded");
	pfx_error_hint(err, "record with -b");
	return -EINVAL;
}

static int check_counters(const struct pfx_event *event, struct pfx_error *err)
{
	if (event->attr.branch_sample_type & PFX_BRANCH_COUNTERS)
		return 0;
	pfx_error_set(err, EINVAL, "field 'brcntr': nothing was counted between branches");
	pfx_error_hint(err, "record with -j any,counter");
	return -EINVAL;
}

#define BRANCHES NEEDS(BRANCH_STACK), TEXT(WHAT, branches)
#define BRANCH_CODE                                                                     \
	NEEDS(BRANCH_STACK), TEXT(WHAT, branch_code), .check_event = check_branch_code, \
						      .check = pfx_script_check_disasm
#define INSN NEEDS(IP), TEXT(WHAT, insn), JSON_ASKED(insn), .check = pfx_script_check_disasm

const struct pfx_script_field pfx_script_rows[] = {
	{"machine_pid", PFX_SCRIPT_MACHINE_PID, TEXT(GUEST, guest), JSON(guest)},
	{"vcpu", PFX_SCRIPT_VCPU, TEXT(GUEST, guest), JSON(guest)},
	{"comm", PFX_SCRIPT_COMM, .usual = EVERY_KIND, TEXT(WHO, comm), JSON(comm)},
	{"pid", PFX_SCRIPT_PID, NEEDS(TID), TEXT(WHO, ids), JSON(pid)},
	{"tid", PFX_SCRIPT_TID, NEEDS(TID), .usual = EVERY_KIND, TEXT(WHO, ids), JSON(tid)},
	{"cpu", PFX_SCRIPT_CPU, NEEDS(CPU), .usual = EVERY_KIND, TEXT(WHO, cpu), JSON(cpu)},
	{"misc", PFX_SCRIPT_MISC, TEXT(WHEN, misc), JSON(level)},
	{"tod", PFX_SCRIPT_TOD, NEEDS(TIME), TEXT(WHEN, tod), .check = pfx_script_check_tod},
	{"time", PFX_SCRIPT_TIME, NEEDS(TIME), .usual = EVERY_KIND, TEXT(WHEN, time), JSON(time)},
	{"period", PFX_SCRIPT_PERIOD, .usual = WITH_PLACES & ~ON(SYNTH), TEXT(TITLE, period),
	 JSON(period)},
	{"event", PFX_SCRIPT_EVENT, .usual = EVERY_KIND, TEXT(TITLE, event), JSON(event)},
	{"flags", PFX_SCRIPT_FLAGS, TEXT(TITLE, flags)},
	{"trace", PFX_SCRIPT_TRACE, NEEDS(RAW), .kinds = ON(TRACE), .usual = ON(TRACE),
	 TEXT(WHAT, trace), JSON(trace)},
	{"synth", PFX_SCRIPT_SYNTH, .usual = ON(SYNTH), TEXT(WHAT, synth)},
	{"addr", PFX_SCRIPT_ADDR, NEEDS(ADDR), .usual = ON(RAW), TEXT(WHAT, addr), JSON(addr)},
	{"data_src", PFX_SCRIPT_DATA_SRC, NEEDS(DATA_SRC), .usual = ON(RAW), TEXT(WHAT, data_src),
	 JSON(data_src)},
	{"weight", PFX_SCRIPT_WEIGHT, .needs = PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT,
	 .recorded = "WEIGHT", .usual = ON(RAW), TEXT(WHAT, weight), JSON(weight)},
	{"ins_lat", PFX_SCRIPT_INS_LAT, NEEDS(WEIGHT_STRUCT), .usual = ON(RAW), TEXT(WHAT, ins_lat),
	 JSON(ins_lat)},
	{"retire_lat", PFX_SCRIPT_RETIRE_LAT, NEEDS(WEIGHT_STRUCT), TEXT(WHAT, retire_lat),
	 JSON(retire_lat)},
	{"ip", PFX_SCRIPT_IP, NEEDS(IP), .usual = WITH_PLACES, TEXT(WHAT, ip), JSON(ip)},
	{"sym", PFX_SCRIPT_SYM, PLACE, .usual = WITH_PLACES, .json = PFX_SCRIPT_JSON_USUAL},
	{"symoff", PFX_SCRIPT_SYMOFF, PLACE, .usual = WITH_PLACES, .with = PFX_SCRIPT_SYM,
	 .json = PFX_SCRIPT_JSON_USUAL},
	{"dso", PFX_SCRIPT_DSO, PLACE, .usual = WITH_PLACES, .json = PFX_SCRIPT_JSON_USUAL},
	{"dsoff", PFX_SCRIPT_DSOFF, PLACE, .json = PFX_SCRIPT_JSON_USUAL},
	{"srcline", PFX_SCRIPT_SRCLINE, NEEDS(IP), .with = PFX_SCRIPT_IP,
	 .json = PFX_SCRIPT_JSON_ASKED},
	{"iregs", PFX_SCRIPT_IREGS, NEEDS(REGS_INTR), TEXT(WHAT, iregs), JSON(iregs)},
	{"uregs", PFX_SCRIPT_UREGS, NEEDS(REGS_USER), TEXT(WHAT, uregs), JSON(uregs)},
	{"brstack", PFX_SCRIPT_BRSTACK, BRANCHES, JSON(branches)},
	{"brstacksym", PFX_SCRIPT_BRSTACKSYM, BRANCHES},
	{"brstackoff", PFX_SCRIPT_BRSTACKOFF, BRANCHES},
	{"bpf-output", PFX_SCRIPT_BPF_OUTPUT, .kinds = ON(SW), .usual = ON(SW),
	 TEXT(WHAT, bpf_output), JSON(bpf_output)},
	{"insn", PFX_SCRIPT_INSN, INSN},
	{"insnlen", PFX_SCRIPT_INSNLEN, INSN},
	{"disasm", PFX_SCRIPT_DISASM, INSN},
	{"brstackinsn", PFX_SCRIPT_BRSTACKINSN, BRANCH_CODE},
	{"brstackinsnlen", PFX_SCRIPT_BRSTACKINSNLEN, BRANCH_CODE},
	{"brstackdisasm", PFX_SCRIPT_BRSTACKDISASM, BRANCH_CODE},
	{"brcntr", PFX_SCRIPT_BRCNTR, NEEDS(BRANCH_STACK), .check_event = check_counters},
	{"phys_addr", PFX_SCRIPT_PHYS_ADDR, NEEDS(PHYS_ADDR), .usual = ON(RAW),
	 TEXT(WHAT, phys_addr), JSON(phys_addr)},
	{"data_page_size", PFX_SCRIPT_DATA_PAGE_SIZE, NEEDS(DATA_PAGE_SIZE), .usual = ON(RAW),
	 TEXT(WHAT, data_page_size), JSON(data_page_size)},
	{"code_page_size", PFX_SCRIPT_CODE_PAGE_SIZE, NEEDS(CODE_PAGE_SIZE), .usual = ON(RAW),
	 TEXT(WHAT, code_page_size), JSON(code_page_size)},
	{"cgroup", PFX_SCRIPT_CGROUP, NEEDS(CGROUP), TEXT(WHAT, cgroup), JSON(cgroup)},
	{"callindent", PFX_SCRIPT_CALLINDENT},
	{"ipc", PFX_SCRIPT_IPC},
	{"metric", PFX_SCRIPT_METRIC},
	{"srccode", PFX_SCRIPT_SRCCODE, NEEDS(IP), .with = PFX_SCRIPT_IP, TEXT(BELOW, srccode)},
};

const size_t pfx_script_nr_rows = sizeof(pfx_script_rows) / sizeof(*pfx_script_rows);
_Static_assert(sizeof(pfx_script_rows) / sizeof(*pfx_script_rows) <= PFX_SCRIPT_COLUMNS_MAX,
	       "a line has room for a column of each row");
