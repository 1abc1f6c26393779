/* SPDX-License-Identifier: MIT */
/*
 * The interface of filters for samples: libraries that `pfx script --dlfilter FILE.so` loads, and
 * perf's `script` as well. A filter defines some of the functions at the end of this file. Layouts,
 * names and numbers are those of perf 6.1; structures begin with their size, so that a program
 * knows what a later version has appended.
 */
#ifndef PFX_PERF_DLFILTER_H
#define PFX_PERF_DLFILTER_H

#include <linux/perf_event.h>
#include <linux/types.h>

/* struct perf_dlfilter_sample has machine_pid and vcpu. */
#define PERF_DLFILTER_HAS_MACHINE_PID

/* What a branch of a decoded trace is: bits of perf_dlfilter_sample.flags. */
enum {
	PERF_DLFILTER_FLAG_BRANCH = 1 << 0,
	PERF_DLFILTER_FLAG_CALL = 1 << 1,
	PERF_DLFILTER_FLAG_RETURN = 1 << 2,
	PERF_DLFILTER_FLAG_CONDITIONAL = 1 << 3,
	PERF_DLFILTER_FLAG_SYSCALLRET = 1 << 4,
	PERF_DLFILTER_FLAG_ASYNC = 1 << 5,
	PERF_DLFILTER_FLAG_INTERRUPT = 1 << 6,
	PERF_DLFILTER_FLAG_TX_ABORT = 1 << 7,
	PERF_DLFILTER_FLAG_TRACE_BEGIN = 1 << 8,
	PERF_DLFILTER_FLAG_TRACE_END = 1 << 9,
	PERF_DLFILTER_FLAG_IN_TX = 1 << 10,
	PERF_DLFILTER_FLAG_VMENTRY = 1 << 11,
	PERF_DLFILTER_FLAG_VMEXIT = 1 << 12,
};

/* A sample; the fields are those of the record, see <linux/perf_event.h>. Valid during the call. */
struct perf_dlfilter_sample {
	__u32 size; /* of this structure, in bytes */
	__u16 ins_lat, p_stage_cyc;
	__u64 ip;
	__s32 pid, tid;
	__u64 time; /* ns */
	__u64 addr;
	__u64 id, stream_id;
	__u64 period;
	__u64 weight;
	__u64 transaction;
	__u64 insn_cnt, cyc_cnt; /* of decoded traces */
	__s32 cpu;
	__u32 flags; /* PERF_DLFILTER_FLAG_* */
	__u64 data_src;
	__u64 phys_addr;
	__u64 data_page_size, code_page_size; /* bytes */
	__u64 cgroup;
	__u8 cpumode;
	__u8 addr_correlates_sym; /* resolve_addr() may be called */
	__u16 misc;               /* of the record's header */
	__u32 raw_size;
	const void *raw_data;
	__u64 brstack_nr;
	const struct perf_branch_entry *brstack;
	__u64 raw_callchain_nr;
	const __u64 *raw_callchain; /* with context markers */
	const char *event;          /* its name */
	__s32 machine_pid, vcpu;    /* of a guest */
};

/* Where an address is. Strings and bytes live until the filter ends. */
struct perf_dlfilter_al {
	__u32 size; /* of this structure, in bytes */
	__u32 symoff;
	const char *sym; /* NULL: unknown */
	__u64 addr;      /* in the binary */
	__u64 sym_start, sym_end;
	const char *dso;  /* NULL: unknown */
	__u8 sym_binding; /* STB_LOCAL, STB_GLOBAL, STB_WEAK */
	__u8 is_64_bit;
	__u8 is_kernel_ip;
	__u32 buildid_size;
	__u8 *buildid;
	/* of resolve_ip() only: */
	__u8 filtered; /* another option leaves the sample out */
	const char *comm;
	void *priv; /* NULL */
};

/* Functions for filters. A filter defines a variable perf_dlfilter_fns of this type, which is
 * filled before start(). Except for args(), they may be called only by filter_event() and
 * filter_event_early(). */
struct perf_dlfilter_fns {
	const struct perf_dlfilter_al *(*resolve_ip)(void *ctx);
	/* The target, if addr_correlates_sym. */
	const struct perf_dlfilter_al *(*resolve_addr)(void *ctx);
	/* The values of --dlarg. */
	char **(*args)(void *ctx, int *dlargc);
	/* Any address of the sample's thread; al->size must be set. 0, or -1: unknown. */
	__s32 (*resolve_address)(void *ctx, __u64 address, struct perf_dlfilter_al *al);
	/* The bytes of the sampled instruction; NULL: unknown. */
	const __u8 *(*insn)(void *ctx, __u32 *length);
	/* The source file; NULL: unknown. */
	const char *(*srcline)(void *ctx, __u32 *line_number);
	struct perf_event_attr *(*attr)(void *ctx);
	/* Code at an address of the sample's thread: the number of bytes, or -1. */
	__s32 (*object_code)(void *ctx, __u64 ip, void *buf, __u32 len);
	/* May be called when what resolve_address() found is no longer used; older programs have
	 * no such function. */
	void (*al_cleanup)(void *ctx, struct perf_dlfilter_al *al);
	void *(*reserved[119])(void *);
};

/* At the beginning: *data is passed to the other functions. Not 0 ends the program. */
int start(void **data, void *ctx);
/* At the end. */
int stop(void *data, void *ctx);
/* For each sample that the other options select: 0 keeps it, 1 leaves it out, negative is an error.
 */
int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
/* The same for every sample, before the other options are applied. */
int filter_event_early(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
/* A line for --list-dlfilters, and more for -v. */
const char *filter_description(const char **long_description);

#endif
