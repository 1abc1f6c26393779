/* SPDX-License-Identifier: MIT */
/*
 * The numbers of the perf_event ABI and of perf.data, in one place. Sources: the kernel's
 * user-space interface (values are facts of the ABI) and files written by perf 2.6.31 to 7.2. They
 * do not depend on the kernel headers of the build machine.
 */
#ifndef PFX_EVENT_ABI_H
#define PFX_EVENT_ABI_H

#include <stdint.h>

enum pfx_event_type {
	PFX_TYPE_HARDWARE = 0,
	PFX_TYPE_SOFTWARE = 1,
	PFX_TYPE_TRACEPOINT = 2,
	PFX_TYPE_HW_CACHE = 3,
	PFX_TYPE_RAW = 4,
	PFX_TYPE_BREAKPOINT = 5,
	PFX_TYPE_FIRST_DYNAMIC = 6,
};
#define PFX_TYPE_SYNTH 0x80000000u /* made by user space while decoding */

enum pfx_hw {
	PFX_HW_CPU_CYCLES,
	PFX_HW_INSTRUCTIONS,
	PFX_HW_CACHE_REFERENCES,
	PFX_HW_CACHE_MISSES,
	PFX_HW_BRANCH_INSTRUCTIONS,
	PFX_HW_BRANCH_MISSES,
	PFX_HW_BUS_CYCLES,
	PFX_HW_STALLED_FRONTEND,
	PFX_HW_STALLED_BACKEND,
	PFX_HW_REF_CYCLES,
	PFX_HW_MAX,
};

enum pfx_sw {
	PFX_SW_CPU_CLOCK,
	PFX_SW_TASK_CLOCK,
	PFX_SW_PAGE_FAULTS,
	PFX_SW_CONTEXT_SWITCHES,
	PFX_SW_CPU_MIGRATIONS,
	PFX_SW_MINOR_FAULTS,
	PFX_SW_MAJOR_FAULTS,
	PFX_SW_ALIGNMENT_FAULTS,
	PFX_SW_EMULATION_FAULTS,
	PFX_SW_DUMMY,
	PFX_SW_BPF_OUTPUT,
	PFX_SW_CGROUP_SWITCHES,
	PFX_SW_MAX,
};

/* attr.sample_type */
#define PFX_SAMPLE_IP             (1ull << 0)
#define PFX_SAMPLE_TID            (1ull << 1)
#define PFX_SAMPLE_TIME           (1ull << 2)
#define PFX_SAMPLE_ADDR           (1ull << 3)
#define PFX_SAMPLE_READ           (1ull << 4)
#define PFX_SAMPLE_CALLCHAIN      (1ull << 5)
#define PFX_SAMPLE_ID             (1ull << 6)
#define PFX_SAMPLE_CPU            (1ull << 7)
#define PFX_SAMPLE_PERIOD         (1ull << 8)
#define PFX_SAMPLE_STREAM_ID      (1ull << 9)
#define PFX_SAMPLE_RAW            (1ull << 10)
#define PFX_SAMPLE_BRANCH_STACK   (1ull << 11)
#define PFX_SAMPLE_REGS_USER      (1ull << 12)
#define PFX_SAMPLE_STACK_USER     (1ull << 13)
#define PFX_SAMPLE_WEIGHT         (1ull << 14)
#define PFX_SAMPLE_DATA_SRC       (1ull << 15)
#define PFX_SAMPLE_IDENTIFIER     (1ull << 16)
#define PFX_SAMPLE_TRANSACTION    (1ull << 17)
#define PFX_SAMPLE_REGS_INTR      (1ull << 18)
#define PFX_SAMPLE_PHYS_ADDR      (1ull << 19)
#define PFX_SAMPLE_AUX            (1ull << 20)
#define PFX_SAMPLE_CGROUP         (1ull << 21)
#define PFX_SAMPLE_DATA_PAGE_SIZE (1ull << 22)
#define PFX_SAMPLE_CODE_PAGE_SIZE (1ull << 23)
#define PFX_SAMPLE_WEIGHT_STRUCT  (1ull << 24)
#define PFX_SAMPLE_KNOWN          ((1ull << 25) - 1)

/* attr.read_format */
#define PFX_FORMAT_ENABLED (1ull << 0)
#define PFX_FORMAT_RUNNING (1ull << 1)
#define PFX_FORMAT_ID      (1ull << 2)
#define PFX_FORMAT_GROUP   (1ull << 3)
#define PFX_FORMAT_LOST    (1ull << 4)

/* attr flags, as bits of the little-endian word; pfx_attr.flags always holds this form. */
#define PFX_ATTR_DISABLED                 (1ull << 0)
#define PFX_ATTR_INHERIT                  (1ull << 1)
#define PFX_ATTR_PINNED                   (1ull << 2)
#define PFX_ATTR_EXCLUSIVE                (1ull << 3)
#define PFX_ATTR_EXCLUDE_USER             (1ull << 4)
#define PFX_ATTR_EXCLUDE_KERNEL           (1ull << 5)
#define PFX_ATTR_EXCLUDE_HV               (1ull << 6)
#define PFX_ATTR_EXCLUDE_IDLE             (1ull << 7)
#define PFX_ATTR_MMAP                     (1ull << 8)
#define PFX_ATTR_COMM                     (1ull << 9)
#define PFX_ATTR_FREQ                     (1ull << 10)
#define PFX_ATTR_INHERIT_STAT             (1ull << 11)
#define PFX_ATTR_ENABLE_ON_EXEC           (1ull << 12)
#define PFX_ATTR_TASK                     (1ull << 13)
#define PFX_ATTR_WATERMARK                (1ull << 14)
#define PFX_ATTR_PRECISE_SHIFT            15
#define PFX_ATTR_PRECISE_MASK             (3ull << 15)
#define PFX_ATTR_MMAP_DATA                (1ull << 17)
#define PFX_ATTR_SAMPLE_ID_ALL            (1ull << 18)
#define PFX_ATTR_EXCLUDE_HOST             (1ull << 19)
#define PFX_ATTR_EXCLUDE_GUEST            (1ull << 20)
#define PFX_ATTR_EXCLUDE_CALLCHAIN_KERNEL (1ull << 21)
#define PFX_ATTR_EXCLUDE_CALLCHAIN_USER   (1ull << 22)
#define PFX_ATTR_MMAP2                    (1ull << 23)
#define PFX_ATTR_COMM_EXEC                (1ull << 24)
#define PFX_ATTR_USE_CLOCKID              (1ull << 25)
#define PFX_ATTR_CONTEXT_SWITCH           (1ull << 26)
#define PFX_ATTR_WRITE_BACKWARD           (1ull << 27)
#define PFX_ATTR_NAMESPACES               (1ull << 28)
#define PFX_ATTR_KSYMBOL                  (1ull << 29)
#define PFX_ATTR_BPF_EVENT                (1ull << 30)
#define PFX_ATTR_AUX_OUTPUT               (1ull << 31)
#define PFX_ATTR_CGROUP                   (1ull << 32)
#define PFX_ATTR_TEXT_POKE                (1ull << 33)
#define PFX_ATTR_BUILD_ID                 (1ull << 34)
#define PFX_ATTR_INHERIT_THREAD           (1ull << 35)
#define PFX_ATTR_REMOVE_ON_EXEC           (1ull << 36)
#define PFX_ATTR_SIGTRAP                  (1ull << 37)
#define PFX_ATTR_DEFER_CALLCHAIN          (1ull << 38)
#define PFX_ATTR_DEFER_OUTPUT             (1ull << 39)

/* attr.aux_action: effect of an overflow on the AUX trace of the group leader (Linux 6.13) */
#define PFX_AUX_START_PAUSED (1u << 0)
#define PFX_AUX_PAUSE        (1u << 1)
#define PFX_AUX_RESUME       (1u << 2)

/* Published sizes of perf_event_attr. */
#define PFX_ATTR_SIZE_VER0 64
#define PFX_ATTR_SIZE_VER1 72
#define PFX_ATTR_SIZE_VER2 80
#define PFX_ATTR_SIZE_VER3 96
#define PFX_ATTR_SIZE_VER4 104
#define PFX_ATTR_SIZE_VER5 112
#define PFX_ATTR_SIZE_VER6 120
#define PFX_ATTR_SIZE_VER7 128
#define PFX_ATTR_SIZE_VER8 136
#define PFX_ATTR_SIZE_VER9 144

/* attr.branch_sample_type */
#define PFX_BRANCH_USER       (1ull << 0)
#define PFX_BRANCH_KERNEL     (1ull << 1)
#define PFX_BRANCH_HV         (1ull << 2)
#define PFX_BRANCH_ANY        (1ull << 3)
#define PFX_BRANCH_ANY_CALL   (1ull << 4)
#define PFX_BRANCH_ANY_RETURN (1ull << 5)
#define PFX_BRANCH_IND_CALL   (1ull << 6)
#define PFX_BRANCH_ABORT_TX   (1ull << 7)
#define PFX_BRANCH_IN_TX      (1ull << 8)
#define PFX_BRANCH_NO_TX      (1ull << 9)
#define PFX_BRANCH_COND       (1ull << 10)
#define PFX_BRANCH_CALL_STACK (1ull << 11)
#define PFX_BRANCH_IND_JUMP   (1ull << 12)
#define PFX_BRANCH_CALL       (1ull << 13)
#define PFX_BRANCH_NO_FLAGS   (1ull << 14)
#define PFX_BRANCH_NO_CYCLES  (1ull << 15)
#define PFX_BRANCH_TYPE_SAVE  (1ull << 16)
#define PFX_BRANCH_HW_INDEX   (1ull << 17)
#define PFX_BRANCH_PRIV_SAVE  (1ull << 18)
#define PFX_BRANCH_COUNTERS   (1ull << 19)

/* record types */
enum pfx_record_type {
	PFX_RECORD_MMAP = 1,
	PFX_RECORD_LOST = 2,
	PFX_RECORD_COMM = 3,
	PFX_RECORD_EXIT = 4,
	PFX_RECORD_THROTTLE = 5,
	PFX_RECORD_UNTHROTTLE = 6,
	PFX_RECORD_FORK = 7,
	PFX_RECORD_READ = 8,
	PFX_RECORD_SAMPLE = 9,
	PFX_RECORD_MMAP2 = 10,
	PFX_RECORD_AUX = 11,
	PFX_RECORD_ITRACE_START = 12,
	PFX_RECORD_LOST_SAMPLES = 13,
	PFX_RECORD_SWITCH = 14,
	PFX_RECORD_SWITCH_CPU_WIDE = 15,
	PFX_RECORD_NAMESPACES = 16,
	PFX_RECORD_KSYMBOL = 17,
	PFX_RECORD_BPF_EVENT = 18,
	PFX_RECORD_CGROUP = 19,
	PFX_RECORD_TEXT_POKE = 20,
	PFX_RECORD_AUX_OUTPUT_HW_ID = 21,
	PFX_RECORD_CALLCHAIN_DEFERRED = 22,
	PFX_RECORD_KERNEL_MAX = 23,

	PFX_RECORD_USER_FIRST = 64,
	PFX_RECORD_HEADER_ATTR = 64,
	PFX_RECORD_HEADER_EVENT_TYPE = 65,
	PFX_RECORD_HEADER_TRACING_DATA = 66,
	PFX_RECORD_HEADER_BUILD_ID = 67,
	PFX_RECORD_FINISHED_ROUND = 68,
	PFX_RECORD_ID_INDEX = 69,
	PFX_RECORD_AUXTRACE_INFO = 70,
	PFX_RECORD_AUXTRACE = 71,
	PFX_RECORD_AUXTRACE_ERROR = 72,
	PFX_RECORD_THREAD_MAP = 73,
	PFX_RECORD_CPU_MAP = 74,
	PFX_RECORD_STAT_CONFIG = 75,
	PFX_RECORD_STAT = 76,
	PFX_RECORD_STAT_ROUND = 77,
	PFX_RECORD_EVENT_UPDATE = 78,
	PFX_RECORD_TIME_CONV = 79,
	PFX_RECORD_HEADER_FEATURE = 80,
	PFX_RECORD_COMPRESSED = 81,
	PFX_RECORD_FINISHED_INIT = 82,
	PFX_RECORD_COMPRESSED2 = 83,
	PFX_RECORD_BPF_METADATA = 84,
	PFX_RECORD_SCHEDSTAT_CPU = 85,
	PFX_RECORD_SCHEDSTAT_DOMAIN = 86,
	PFX_RECORD_USER_MAX = 87,
};

/* header.misc */
#define PFX_MISC_CPUMODE_MASK       7
#define PFX_MISC_PROC_MAP_TIMEOUT   (1 << 12)
#define PFX_MISC_MMAP_DATA          (1 << 13)
#define PFX_MISC_COMM_EXEC          (1 << 13)
#define PFX_MISC_FORK_EXEC          (1 << 13)
#define PFX_MISC_SWITCH_OUT         (1 << 13)
#define PFX_MISC_EXACT_IP           (1 << 14)
#define PFX_MISC_SWITCH_OUT_PREEMPT (1 << 14)
#define PFX_MISC_MMAP_BUILD_ID      (1 << 14)
#define PFX_MISC_BUILD_ID_SIZE      (1 << 15) /* HEADER_BUILD_ID: the size byte is valid */
#define PFX_MISC_LOST_SAMPLES_BPF   (1 << 15)

enum pfx_cpumode {
	PFX_MODE_UNKNOWN,
	PFX_MODE_KERNEL,
	PFX_MODE_USER,
	PFX_MODE_HYPERVISOR,
	PFX_MODE_GUEST_KERNEL,
	PFX_MODE_GUEST_USER,
};

/* Markers inside a callchain: any value from PFX_CONTEXT_MAX up is one. */
#define PFX_CONTEXT_HV            ((uint64_t)-32)
#define PFX_CONTEXT_KERNEL        ((uint64_t)-128)
#define PFX_CONTEXT_USER          ((uint64_t)-512)
#define PFX_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PFX_CONTEXT_GUEST         ((uint64_t)-2048)
#define PFX_CONTEXT_GUEST_KERNEL  ((uint64_t)-2176)
#define PFX_CONTEXT_GUEST_USER    ((uint64_t)-2560)
#define PFX_CONTEXT_MAX           ((uint64_t)-4095)

/* header features: bit numbers of the bitmap */
enum pfx_feature {
	PFX_FEAT_TRACING_DATA = 1,
	PFX_FEAT_BUILD_ID = 2,
	PFX_FEAT_HOSTNAME = 3,
	PFX_FEAT_OSRELEASE = 4,
	PFX_FEAT_VERSION = 5,
	PFX_FEAT_ARCH = 6,
	PFX_FEAT_NRCPUS = 7,
	PFX_FEAT_CPUDESC = 8,
	PFX_FEAT_CPUID = 9,
	PFX_FEAT_TOTAL_MEM = 10,
	PFX_FEAT_CMDLINE = 11,
	PFX_FEAT_EVENT_DESC = 12,
	PFX_FEAT_CPU_TOPOLOGY = 13,
	PFX_FEAT_NUMA_TOPOLOGY = 14,
	PFX_FEAT_BRANCH_STACK = 15,
	PFX_FEAT_PMU_MAPPINGS = 16,
	PFX_FEAT_GROUP_DESC = 17,
	PFX_FEAT_AUXTRACE = 18,
	PFX_FEAT_STAT = 19,
	PFX_FEAT_CACHE = 20,
	PFX_FEAT_SAMPLE_TIME = 21,
	PFX_FEAT_MEM_TOPOLOGY = 22,
	PFX_FEAT_CLOCKID = 23,
	PFX_FEAT_DIR_FORMAT = 24,
	PFX_FEAT_BPF_PROG_INFO = 25,
	PFX_FEAT_BPF_BTF = 26,
	PFX_FEAT_COMPRESSED = 27,
	PFX_FEAT_CPU_PMU_CAPS = 28,
	PFX_FEAT_CLOCK_DATA = 29,
	PFX_FEAT_HYBRID_TOPOLOGY = 30,
	PFX_FEAT_PMU_CAPS = 31,
	PFX_FEAT_CPU_DOMAIN_INFO = 32,
	PFX_FEAT_E_MACHINE = 33,
	PFX_FEAT_CLN_SIZE = 34,
	PFX_FEAT_MAX = 35,
	/* size of the bitmap */
	PFX_FEAT_BITS = 256,
};

#define PFX_BUILD_ID_MAX 20

#endif
