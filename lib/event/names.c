/* SPDX-License-Identifier: MIT */
/*
 * Names of the ABI's numbers, in perf's spelling and order, since scripts parse them. One table
 * each; the parser of `-e` and the printers use the same. Names that depend on the machine's PMUs
 * or tracepoints are made elsewhere.
 */
#include "event/names.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "event/env.h"

#define HW(name, alias, config)                        \
	{                                              \
		name, alias, PFX_TYPE_HARDWARE, config \
	}
#define SW(name, alias, config)                        \
	{                                              \
		name, alias, PFX_TYPE_SOFTWARE, config \
	}

static const struct pfx_event_name event_names[] = {
	HW("cycles", "cpu-cycles", PFX_HW_CPU_CYCLES),
	HW("instructions", NULL, PFX_HW_INSTRUCTIONS),
	HW("cache-references", NULL, PFX_HW_CACHE_REFERENCES),
	HW("cache-misses", NULL, PFX_HW_CACHE_MISSES),
	HW("branches", "branch-instructions", PFX_HW_BRANCH_INSTRUCTIONS),
	HW("branch-misses", NULL, PFX_HW_BRANCH_MISSES),
	HW("bus-cycles", NULL, PFX_HW_BUS_CYCLES),
	HW("stalled-cycles-frontend", "idle-cycles-frontend", PFX_HW_STALLED_FRONTEND),
	HW("stalled-cycles-backend", "idle-cycles-backend", PFX_HW_STALLED_BACKEND),
	HW("ref-cycles", NULL, PFX_HW_REF_CYCLES),
	SW("cpu-clock", NULL, PFX_SW_CPU_CLOCK),
	SW("task-clock", NULL, PFX_SW_TASK_CLOCK),
	SW("page-faults", "faults", PFX_SW_PAGE_FAULTS),
	SW("context-switches", "cs", PFX_SW_CONTEXT_SWITCHES),
	SW("cpu-migrations", "migrations", PFX_SW_CPU_MIGRATIONS),
	SW("minor-faults", NULL, PFX_SW_MINOR_FAULTS),
	SW("major-faults", NULL, PFX_SW_MAJOR_FAULTS),
	SW("alignment-faults", NULL, PFX_SW_ALIGNMENT_FAULTS),
	SW("emulation-faults", NULL, PFX_SW_EMULATION_FAULTS),
	SW("dummy", NULL, PFX_SW_DUMMY),
	SW("bpf-output", NULL, PFX_SW_BPF_OUTPUT),
	SW("cgroup-switches", NULL, PFX_SW_CGROUP_SWITCHES),
};

static const char *const cache_types[PFX_CACHE_TYPES][7] = {
	{"L1-dcache", "l1-d", "l1d", "L1-data"},
	{"L1-icache", "l1-i", "l1i", "L1-instruction"},
	{"LLC", "L2"},
	{"dTLB", "d-tlb", "Data-TLB"},
	{"iTLB", "i-tlb", "Instruction-TLB"},
	{"branch", "branches", "bpu", "btb", "bpc"},
	{"node"},
};

/* The second name is the plural, printed if the result is an access. */
static const char *const cache_ops[PFX_CACHE_OPS][5] = {
	{"load", "loads", "read"},
	{"store", "stores", "write"},
	{"prefetch", "prefetches", "speculative-read", "speculative-load"},
};

static const char *const cache_results[PFX_CACHE_RESULTS][5] = {
	{"refs", "Reference", "ops", "access"},
	{"misses", "miss"},
};

#define LOAD     1
#define STORE    2
#define PREFETCH 4

static const uint8_t cache_valid_ops[PFX_CACHE_TYPES] = {
	LOAD | STORE | PREFETCH, /* L1-dcache */
	LOAD | PREFETCH,         /* L1-icache */
	LOAD | STORE | PREFETCH, /* LLC */
	LOAD | STORE | PREFETCH, /* dTLB */
	LOAD,                    /* iTLB */
	LOAD,                    /* branch */
	LOAD | STORE | PREFETCH, /* node */
};

const struct pfx_event_name *pfx_event_names(size_t *ret_nr)
{
	*ret_nr = sizeof(event_names) / sizeof(event_names[0]);
	return event_names;
}

const char *const *pfx_cache_type_names(unsigned type)
{
	return type < PFX_CACHE_TYPES ? cache_types[type] : NULL;
}

const char *const *pfx_cache_op_names(unsigned op)
{
	return op < PFX_CACHE_OPS ? cache_ops[op] : NULL;
}

const char *const *pfx_cache_result_names(unsigned result)
{
	return result < PFX_CACHE_RESULTS ? cache_results[result] : NULL;
}

bool pfx_cache_op_is_valid(unsigned type, unsigned op)
{
	return type < PFX_CACHE_TYPES && op < PFX_CACHE_OPS && cache_valid_ops[type] >> op & 1;
}

bool pfx_cache_name(uint64_t config, char *out, size_t size)
{
	unsigned type = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;
	const char *wrong = NULL;

	if (type >= PFX_CACHE_TYPES)
		wrong = "unknown-ext-hardware-cache-type";
	else if (op >= PFX_CACHE_OPS)
		wrong = "unknown-ext-hardware-cache-op";
	else if (result >= PFX_CACHE_RESULTS)
		wrong = "unknown-ext-hardware-cache-result";
	else if (!pfx_cache_op_is_valid(type, op))
		wrong = "invalid-cache";
	if (wrong)
		snprintf(out, size, "%s", wrong);
	else if (result)
		snprintf(out, size, "%s-%s-%s", cache_types[type][0], cache_ops[op][0],
			 cache_results[result][0]);
	else
		snprintf(out, size, "%s-%s", cache_types[type][0], cache_ops[op][1]);
	return !wrong;
}

static void listed_name(const struct pfx_attr *attr, char *out, size_t size)
{
	/* The upper half of a hardware event's config is the PMU type on a hybrid machine. */
	uint64_t config = attr->type == PFX_TYPE_HARDWARE ? (uint32_t)attr->config : attr->config;
	size_t i;

	for (i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++) {
		if (event_names[i].type == attr->type && event_names[i].config == config) {
			snprintf(out, size, "%s", event_names[i].name);
			return;
		}
	}
	snprintf(out, size, "unknown-%s",
		 attr->type == PFX_TYPE_HARDWARE ? "hardware" : "software");
}

static void breakpoint_name(const struct pfx_attr *attr, char *out, size_t size)
{
	snprintf(out, size, "mem:0x%" PRIx64 ":%s%s%s", attr->config1, attr->bp_type & 1 ? "r" : "",
		 attr->bp_type & 2 ? "w" : "", attr->bp_type & 4 ? "x" : "");
}

static void add_letter(char *out, size_t size, char letter)
{
	size_t len = strlen(out);

	if (!len && size > 2) {
		out[0] = ':';
		out[++len] = '\0';
	}
	if (len + 1 < size) {
		out[len] = letter;
		out[len + 1] = '\0';
	}
}

/*
 * "" or ":kuhppHG". If a level is excluded, the letters name the levels that are counted. G and H
 * are printed only if they differ from the default, which is to exclude guests for an event without
 * modifiers and to include them for one with modifiers.
 */
static void attr_modifiers(const struct pfx_attr *attr, char *out, size_t size)
{
	uint64_t flags = attr->flags;
	unsigned i, precise = pfx_attr_precise(attr);
	bool any = false, excludes_guest = flags & PFX_ATTR_EXCLUDE_GUEST;

	if (!size)
		return;
	out[0] = '\0';
	if (flags & (PFX_ATTR_EXCLUDE_USER | PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV)) {
		any = true;
		if (!(flags & PFX_ATTR_EXCLUDE_KERNEL))
			add_letter(out, size, 'k');
		if (!(flags & PFX_ATTR_EXCLUDE_USER))
			add_letter(out, size, 'u');
		if (!(flags & PFX_ATTR_EXCLUDE_HV))
			add_letter(out, size, 'h');
	}
	for (i = 0; i < precise; i++, any = true)
		add_letter(out, size, 'p');
	if (!(flags & PFX_ATTR_EXCLUDE_HOST) && excludes_guest != any)
		return;
	if (!(flags & PFX_ATTR_EXCLUDE_HOST))
		add_letter(out, size, 'H');
	if (!excludes_guest)
		add_letter(out, size, 'G');
}

void pfx_attr_name(const struct pfx_attr *attr, char *out, size_t size)
{
	size_t len;

	switch (attr->type) {
	case PFX_TYPE_HARDWARE:
	case PFX_TYPE_SOFTWARE:
		listed_name(attr, out, size);
		break;
	case PFX_TYPE_HW_CACHE:
		pfx_cache_name(attr->config, out, size);
		break;
	case PFX_TYPE_RAW:
		snprintf(out, size, "raw 0x%" PRIx64, attr->config);
		break;
	case PFX_TYPE_BREAKPOINT:
		breakpoint_name(attr, out, size);
		break;
	case PFX_TYPE_TRACEPOINT:
		snprintf(out, size, "unknown tracepoint");
		return;
	default:
		snprintf(out, size, "unknown attr type: %u", attr->type);
		return;
	}
	len = strlen(out);
	attr_modifiers(attr, out + len, size - len);
}

struct bit_name {
	uint64_t bit;
	const char *name;
};

/* In perf's order, which differs from the order of the bits. */
static const struct bit_name sample_bits[] = {
	{PFX_SAMPLE_IP, "IP"},
	{PFX_SAMPLE_TID, "TID"},
	{PFX_SAMPLE_TIME, "TIME"},
	{PFX_SAMPLE_ADDR, "ADDR"},
	{PFX_SAMPLE_READ, "READ"},
	{PFX_SAMPLE_CALLCHAIN, "CALLCHAIN"},
	{PFX_SAMPLE_ID, "ID"},
	{PFX_SAMPLE_CPU, "CPU"},
	{PFX_SAMPLE_PERIOD, "PERIOD"},
	{PFX_SAMPLE_STREAM_ID, "STREAM_ID"},
	{PFX_SAMPLE_RAW, "RAW"},
	{PFX_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{PFX_SAMPLE_REGS_USER, "REGS_USER"},
	{PFX_SAMPLE_STACK_USER, "STACK_USER"},
	{PFX_SAMPLE_IDENTIFIER, "IDENTIFIER"},
	{PFX_SAMPLE_REGS_INTR, "REGS_INTR"},
	{PFX_SAMPLE_DATA_SRC, "DATA_SRC"},
	{PFX_SAMPLE_WEIGHT, "WEIGHT"},
	{PFX_SAMPLE_PHYS_ADDR, "PHYS_ADDR"},
	{PFX_SAMPLE_AUX, "AUX"},
	{PFX_SAMPLE_CGROUP, "CGROUP"},
	{PFX_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE"},
	{PFX_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE"},
	{PFX_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
	{PFX_SAMPLE_TRANSACTION, "TRANSACTION"},
};

static const struct bit_name read_bits[] = {
	{PFX_FORMAT_ENABLED, "TOTAL_TIME_ENABLED"},
	{PFX_FORMAT_RUNNING, "TOTAL_TIME_RUNNING"},
	{PFX_FORMAT_ID, "ID"},
	{PFX_FORMAT_GROUP, "GROUP"},
	{PFX_FORMAT_LOST, "LOST"},
};

static const struct bit_name branch_bits[] = {
	{PFX_BRANCH_USER, "USER"},
	{PFX_BRANCH_KERNEL, "KERNEL"},
	{PFX_BRANCH_HV, "HV"},
	{PFX_BRANCH_ANY, "ANY"},
	{PFX_BRANCH_ANY_CALL, "ANY_CALL"},
	{PFX_BRANCH_ANY_RETURN, "ANY_RETURN"},
	{PFX_BRANCH_IND_CALL, "IND_CALL"},
	{PFX_BRANCH_ABORT_TX, "ABORT_TX"},
	{PFX_BRANCH_IN_TX, "IN_TX"},
	{PFX_BRANCH_NO_TX, "NO_TX"},
	{PFX_BRANCH_COND, "COND"},
	{PFX_BRANCH_CALL_STACK, "CALL_STACK"},
	{PFX_BRANCH_IND_JUMP, "IND_JUMP"},
	{PFX_BRANCH_CALL, "CALL"},
	{PFX_BRANCH_NO_FLAGS, "NO_FLAGS"},
	{PFX_BRANCH_NO_CYCLES, "NO_CYCLES"},
	{PFX_BRANCH_TYPE_SAVE, "TYPE_SAVE"},
	{PFX_BRANCH_HW_INDEX, "HW_INDEX"},
	{PFX_BRANCH_PRIV_SAVE, "PRIV_SAVE"},
	{PFX_BRANCH_COUNTERS, "COUNTERS"},
};

static void bits_text(uint64_t bits, const struct bit_name *names, size_t nr, struct pfx_str *to)
{
	const char *separator = "";
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!(bits & names[i].bit))
			continue;
		pfx_str_add(to, separator);
		pfx_str_add(to, names[i].name);
		separator = "|";
	}
}

#define BITS_TEXT(bits, names, to) bits_text(bits, names, sizeof(names) / sizeof(names[0]), to)

static const char *const flag_names[64] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise_ip",
	"precise_ip",
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
	"defer_callchain",
	"defer_output",
};

enum attr_format { DECIMAL, HEX, SIGNED, SAMPLE_BITS, READ_BITS, BRANCH_BITS };

struct attr_field {
	const char *name;
	enum attr_format format;
	uint64_t value;
};

static void add_value(const struct attr_field *field, struct pfx_str *to)
{
	switch (field->format) {
	case DECIMAL:
		pfx_str_u64(to, field->value, 0);
		break;
	case HEX:
		pfx_str_add(to, "0x");
		pfx_str_hex(to, field->value, 0);
		break;
	case SIGNED:
		pfx_str_addf(to, "%" PRId64, (int64_t)field->value);
		break;
	case SAMPLE_BITS:
		BITS_TEXT(field->value, sample_bits, to);
		break;
	case READ_BITS:
		BITS_TEXT(field->value, read_bits, to);
		break;
	case BRANCH_BITS:
		BITS_TEXT(field->value, branch_bits, to);
		break;
	}
}

/* Fields that are 0 are not printed. */
static void add_fields(const struct attr_field *fields, size_t nr, size_t start, struct pfx_str *to)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!fields[i].value)
			continue;
		if (to->len > start)
			pfx_str_add(to, ", ");
		pfx_str_add(to, fields[i].name);
		pfx_str_add(to, ": ");
		add_value(&fields[i], to);
	}
}

static void add_flags(const struct pfx_attr *attr, size_t start, struct pfx_str *to)
{
	struct attr_field field = {.format = DECIMAL};
	unsigned bit;

	for (bit = 0; bit < 64; bit++) {
		if (bit == PFX_ATTR_PRECISE_SHIFT + 1 || !flag_names[bit])
			continue;
		field.name = flag_names[bit];
		field.value = attr->flags >> bit & 1;
		if (bit == PFX_ATTR_PRECISE_SHIFT)
			field.value = pfx_attr_precise(attr);
		add_fields(&field, 1, start, to);
	}
}

void pfx_attr_text(const struct pfx_attr *attr, struct pfx_str *to)
{
	const struct attr_field first[] = {
		{"type", DECIMAL, attr->type},
		{"size", DECIMAL, attr->size},
		{"config", HEX, attr->config},
		{"{ sample_period, sample_freq }", DECIMAL, attr->sample_period},
		{"sample_type", SAMPLE_BITS, attr->sample_type},
		{"read_format", READ_BITS, attr->read_format},
	};
	const struct attr_field later[] = {
		{"{ wakeup_events, wakeup_watermark }", DECIMAL, attr->wakeup},
		{"bp_type", DECIMAL, attr->bp_type},
		{"{ bp_addr, config1 }", HEX, attr->config1},
		{"{ bp_len, config2 }", HEX, attr->config2},
		{"branch_sample_type", BRANCH_BITS, attr->branch_sample_type},
		{"sample_regs_user", HEX, attr->sample_regs_user},
		{"sample_stack_user", DECIMAL, attr->sample_stack_user},
		{"clockid", SIGNED, (uint64_t)(int64_t)attr->clockid},
		{"sample_regs_intr", HEX, attr->sample_regs_intr},
		{"aux_watermark", DECIMAL, attr->aux_watermark},
		{"sample_max_stack", DECIMAL, attr->sample_max_stack},
		{"aux_sample_size", DECIMAL, attr->aux_sample_size},
		{"aux_action", HEX, attr->aux_action},
		{"sig_data", DECIMAL, attr->sig_data},
		{"config3", HEX, attr->config3},
		{"config4", HEX, attr->config4},
	};
	size_t start = to->len;

	add_fields(first, sizeof(first) / sizeof(first[0]), start, to);
	add_flags(attr, start, to);
	add_fields(later, sizeof(later) / sizeof(later[0]), start, to);
}

static const char *const feature_names[PFX_FEAT_MAX] = {
	[PFX_FEAT_TRACING_DATA] = "TRACING_DATA",
	[PFX_FEAT_BUILD_ID] = "BUILD_ID",
	[PFX_FEAT_HOSTNAME] = "HOSTNAME",
	[PFX_FEAT_OSRELEASE] = "OSRELEASE",
	[PFX_FEAT_VERSION] = "VERSION",
	[PFX_FEAT_ARCH] = "ARCH",
	[PFX_FEAT_NRCPUS] = "NRCPUS",
	[PFX_FEAT_CPUDESC] = "CPUDESC",
	[PFX_FEAT_CPUID] = "CPUID",
	[PFX_FEAT_TOTAL_MEM] = "TOTAL_MEM",
	[PFX_FEAT_CMDLINE] = "CMDLINE",
	[PFX_FEAT_EVENT_DESC] = "EVENT_DESC",
	[PFX_FEAT_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[PFX_FEAT_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[PFX_FEAT_BRANCH_STACK] = "BRANCH_STACK",
	[PFX_FEAT_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[PFX_FEAT_GROUP_DESC] = "GROUP_DESC",
	[PFX_FEAT_AUXTRACE] = "AUXTRACE",
	[PFX_FEAT_STAT] = "STAT",
	[PFX_FEAT_CACHE] = "CACHE",
	[PFX_FEAT_SAMPLE_TIME] = "SAMPLE_TIME",
	[PFX_FEAT_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[PFX_FEAT_CLOCKID] = "CLOCKID",
	[PFX_FEAT_DIR_FORMAT] = "DIR_FORMAT",
	[PFX_FEAT_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[PFX_FEAT_BPF_BTF] = "BPF_BTF",
	[PFX_FEAT_COMPRESSED] = "COMPRESSED",
	[PFX_FEAT_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[PFX_FEAT_CLOCK_DATA] = "CLOCK_DATA",
	[PFX_FEAT_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[PFX_FEAT_PMU_CAPS] = "PMU_CAPS",
	[PFX_FEAT_CPU_DOMAIN_INFO] = "CPU_DOMAIN_INFO",
	[PFX_FEAT_E_MACHINE] = "E_MACHINE",
	[PFX_FEAT_CLN_SIZE] = "CLN_SIZE",
};

const char *pfx_feature_name(unsigned feature)
{
	return feature < PFX_FEAT_MAX ? feature_names[feature] : NULL;
}
