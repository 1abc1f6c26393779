/* SPDX-License-Identifier: MIT */
/*
 * Reading recordings: perf.data files, streams, directories and archives, of any perf, machine and
 * byte order, damaged ones as far as they can be read. One pass: records come in order of time, and
 * functions about "the record" and "the sample" describe the last one that was read.
 *
 *	struct pfx_input *input;
 *	struct pfx_error err = {0};
 *	int rc = pfx_input_open(&input, "perf.data", NULL, &err);
 *
 *	while (rc >= 0 && (rc = pfx_input_next_sample(input, &err)) > 0)
 *		printf("%s %d\n", pfx_input_comm(input), pfx_input_pid(input));
 *	if (rc < 0)
 *		fprintf(stderr, "%s\n%s\n", err.text, err.hint);
 *	pfx_input_close(input);
 */
#ifndef PFX_INPUT_H
#define PFX_INPUT_H

#include <pfx/common.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pfx_input;

enum pfx_input_flags {
	PFX_INPUT_INLINES = 1 << 0,    /* frames of inlined functions, innermost first */
	PFX_INPUT_LINES = 1 << 1,      /* frames have source files and lines */
	PFX_INPUT_NO_SYMBOLS = 1 << 2, /* frames have addresses only */
	PFX_INPUT_FORCE = 1 << 3,      /* also read files of other users */
	PFX_INPUT_STRICT = 1 << 4,     /* damage is an error instead of being counted */
	PFX_INPUT_FILE_ORDER = 1 << 5, /* records as they lie in the file, not by time */
};

/* Strings are borrowed until pfx_input_close(). NULL and 0: no limit, or the default. */
struct pfx_input_options {
	size_t size;
	uint32_t flags;     /* enum pfx_input_flags */
	uint32_t max_stack; /* frames of a call chain at most; 0: 127 */
	uint64_t from, to;  /* only samples of these times, ns, both ends included; to 0: no end */
	/* Only samples of these, separated by commas. */
	const char *comms; /* names of threads */
	const char *pids, *tids;
	const char *cpus; /* like 0,4-7 */
	/* Where to look for symbols. */
	const char *symfs;        /* directory that is put before every path */
	const char *vmlinux;      /* kernel image */
	const char *kallsyms;     /* instead of the running kernel's */
	const char *build_id_dir; /* cache of binaries by build ID */
};

/* Open a recording ("-": standard input) and read its header. 0, or a negative errno and @err:
 * EBADMSG not a recording, ENODATA cut short, EPROTONOSUPPORT a newer format, EINVAL a malformed
 * option, ENOTDIR `symfs` or `build_id_dir` is not a directory, or what the system said, also of
 * `vmlinux` and `kallsyms`. The caller frees *@ret with pfx_input_close(), which accepts
 * NULL. */
PFX_API int pfx_input_open(struct pfx_input **ret, const char *path,
			   const struct pfx_input_options *options, struct pfx_error *err);
PFX_API void pfx_input_close(struct pfx_input *input);

/* Read the next record, or the next sample that passes the filters: 1, 0 at the end, or a negative
 * errno and @err. Other records on the way to a sample are applied: threads and mappings are as
 * they were at the time of the sample. */
PFX_API int pfx_input_next(struct pfx_input *input, struct pfx_error *err);
PFX_API int pfx_input_next_sample(struct pfx_input *input, struct pfx_error *err);

/* --- the record --- */

/* Its type, as in the kernel's ABI (9: SAMPLE); from 64 on, types of the perf.data format. */
PFX_API uint32_t pfx_input_type(const struct pfx_input *input);
/* "SAMPLE", "MMAP2", ...; "UNKNOWN" for types that this version does not know. Static
 * text. */
PFX_API const char *pfx_input_type_name(const struct pfx_input *input);
/* Its bytes with header, in the byte order of the recording; valid until the next record. */
PFX_API const void *pfx_input_bytes(const struct pfx_input *input, size_t *ret_size);
/* Whether the bytes are in the other byte order than this machine's. */
PFX_API bool pfx_input_is_swapped(const struct pfx_input *input);
/* Whether it is a sample, and could be decoded. */
PFX_API bool pfx_input_is_sample(const struct pfx_input *input);
/* ns of the clock of the recording; UINT64_MAX: not recorded, or there is no record. */
PFX_API uint64_t pfx_input_time(const struct pfx_input *input);

/* --- the sample; what was not recorded is 0, ids are -1 --- */

/* Index of its event, for pfx_input_event_info(). */
PFX_API uint32_t pfx_input_event(const struct pfx_input *input);
/* Its process and its thread, as the recorder's PID namespace numbers them. */
PFX_API int32_t pfx_input_pid(const struct pfx_input *input);
PFX_API int32_t pfx_input_tid(const struct pfx_input *input);
/* Number of the CPU. */
PFX_API int32_t pfx_input_cpu(const struct pfx_input *input);
/* Virtual address of the instruction. */
PFX_API uint64_t pfx_input_ip(const struct pfx_input *input);
/* Virtual address of the data that was accessed; of page faults, of the fault. */
PFX_API uint64_t pfx_input_addr(const struct pfx_input *input);
/* How many events it counts for, in the unit of its event: clocks count ns. */
PFX_API uint64_t pfx_input_period(const struct pfx_input *input);
/* Latency of the access in cycles, or what else the CPU gives as weight; all 64 bits of it. */
PFX_API uint64_t pfx_input_weight(const struct pfx_input *input);
/* Source of the data: bits of union perf_mem_data_src of the kernel's ABI. */
PFX_API uint64_t pfx_input_data_src(const struct pfx_input *input);
/* Physical address of the data that was accessed. */
PFX_API uint64_t pfx_input_phys_addr(const struct pfx_input *input);
/* Id of the cgroup of its thread. */
PFX_API uint64_t pfx_input_cgroup_id(const struct pfx_input *input);
/* The transaction: bits PERF_TXN_* of the kernel's ABI. */
PFX_API uint64_t pfx_input_transaction(const struct pfx_input *input);
/* Name of its thread at that time; ":TID" if it is unknown. Lives as long as @input. */
PFX_API const char *pfx_input_comm(const struct pfx_input *input);
/* Where it was taken: 'k' kernel, 'u' user space, 'g' guest kernel, 'G' guest user space, 'h'
 * hypervisor, '?' unknown. */
PFX_API char pfx_input_level(const struct pfx_input *input);

/* A branch of the sample's branch stack: virtual address of the branch, and where it went. */
struct pfx_branch_info {
	size_t size;
	uint64_t from, to;
	uint32_t cycles; /* since the branch before it; 0: not recorded */
	bool mispredicted, predicted, in_transaction, aborts;
};
/* Number of branches, the newest first. */
PFX_API uint32_t pfx_input_nr_branches(const struct pfx_input *input);
/* Branch @i, which must exist. */
PFX_API void pfx_input_branch(const struct pfx_input *input, uint32_t i,
			      struct pfx_branch_info *ret);
/* Raw bytes of the sample (of a tracepoint, its fields), valid until the next record; NULL and
 * 0: none. */
PFX_API const void *pfx_input_raw(const struct pfx_input *input, size_t *ret_size);

/* --- call chains --- */

/* A frame. Strings live as long as the input. */
struct pfx_frame {
	size_t size;
	uint64_t ip;        /* as sampled; of callers, the return address */
	uint64_t address;   /* virtual address in the binary; of the kernel and JIT code, the ip */
	uint64_t offset;    /* from the start of the symbol */
	const char *symbol; /* demangled; NULL: unknown */
	const char *dso;    /* path of the binary, or a name in brackets; NULL: unknown */
	const char *file;   /* of the source line; NULL: unknown, or not requested */
	uint32_t line;      /* 0: unknown */
	bool is_inlined;    /* in the next frame, which has the same ip */
	bool is_kernel;
};

/*
 * The call chain of the sample as a number: equal chains have equal numbers for as long as the
 * input lives, so that a program looks at the frames of each distinct chain once. Without a
 * recorded chain it has one frame, where the sample was taken. Stack dumps are unwound.
 */
PFX_API uint32_t pfx_input_stack(struct pfx_input *input);
/* Upper limit of these numbers so far (exclusive). */
PFX_API uint32_t pfx_input_nr_stacks(const struct pfx_input *input);
/* Number of frames of a stack, the innermost function first, inlined functions included; 0: there
 * is no such stack. The first call for a stack looks up its symbols. */
PFX_API uint32_t pfx_input_nr_frames(struct pfx_input *input, uint32_t stack);
/* Frame @i of a stack, which must exist. */
PFX_API void pfx_input_frame(struct pfx_input *input, uint32_t stack, uint32_t i,
			     struct pfx_frame *ret);
/* The frame as a number: equal frames have equal numbers for as long as the input lives. @stack and
 * @i must exist. */
PFX_API uint32_t pfx_input_frame_id(struct pfx_input *input, uint32_t stack, uint32_t i);

/* --- fields of tracepoints --- */

enum pfx_raw_kind {
	PFX_RAW_NUMBER, /* `number`, sign-extended if `is_signed` */
	PFX_RAW_TEXT,   /* `bytes`, without the final zero */
	PFX_RAW_BYTES,  /* an array */
};

struct pfx_raw_field {
	size_t size;
	const char *name; /* lives as long as the input */
	enum pfx_raw_kind kind;
	bool is_signed;
	uint64_t number;
	const void *bytes; /* valid until the next record */
	size_t nr_bytes;   /* bytes */
};

/* Number of fields of the sample's tracepoint; 0: it is none, or its format was not recorded. */
PFX_API uint32_t pfx_input_nr_fields(struct pfx_input *input);
/* Field @i, which must exist. */
PFX_API void pfx_input_field(struct pfx_input *input, uint32_t i, struct pfx_raw_field *ret);
/* The field with this name: 1, or 0 if there is none. */
PFX_API int pfx_input_find_field(struct pfx_input *input, const char *name,
				 struct pfx_raw_field *ret);

/* --- the recording --- */

struct pfx_event_info {
	size_t size;
	const char *name;
	uint32_t type;           /* as in perf_event_attr */
	uint64_t config;         /* the same */
	uint64_t period_or_freq; /* samples per second if `is_freq` */
	bool is_freq;
	uint32_t leader; /* index of the leader of its group; its own index outside groups */
};
/* Number of events, which of a stream may be complete only after the last record. */
PFX_API uint32_t pfx_input_nr_events(const struct pfx_input *input);
/* Event @i, which must exist. */
PFX_API void pfx_input_event_info(const struct pfx_input *input, uint32_t i,
				  struct pfx_event_info *ret);

/* The header, as text: item @i has a name ("hostname", "os release", "arch", "cpu", "cpuid",
 * "perf version", "command line", ...) and a value. False after the last. Strings live as long as
 * the input. */
PFX_API bool pfx_input_header(struct pfx_input *input, uint32_t i, const char **ret_name,
			      const char **ret_value);

/* --- binaries --- */

enum pfx_binaries_flags {
	PFX_BINARIES_WITH_SAMPLES = 1 << 0, /* only these, also where the recording has a table */
};

struct pfx_binaries {
	size_t size;
	bool from_table;                    /* the recording's table of build IDs; else: */
	uint32_t nr_known, nr_with_samples; /* numbers of binaries */
};
/* Find the binaries and their build IDs: those of the recording's table; without one, in streams,
 * and with PFX_BINARIES_WITH_SAMPLES (@flags) those in which samples were taken, for which the rest
 * of the records is read, without filters. 0, or a negative errno and @err; @ret may be NULL. */
PFX_API int pfx_input_find_binaries(struct pfx_input *input, uint32_t flags,
				    struct pfx_binaries *ret, struct pfx_error *err);

struct pfx_binary_info {
	size_t size;
	const char *path;              /* or a name in brackets */
	const unsigned char *build_id; /* NULL: unknown */
	uint32_t id_bytes;             /* bytes of it */
};
/* Number of the binaries that were found. */
PFX_API uint32_t pfx_input_nr_binaries(const struct pfx_input *input);
/* Binary @i, which must exist. Its texts live as long as the input, or until the next search. */
PFX_API void pfx_input_binary(const struct pfx_input *input, uint32_t i,
			      struct pfx_binary_info *ret);

/* --- threads and losses --- */

struct pfx_thread_info {
	size_t size;
	int32_t pid, tid, ppid; /* -1: unknown */
	const char *comm;       /* last name */
	uint64_t start;         /* ns; 0: unknown */
	bool has_exited;
};
/* Number of the threads that are known so far. */
PFX_API uint32_t pfx_input_nr_threads(const struct pfx_input *input);
/* Thread @i, which must exist. */
PFX_API void pfx_input_thread_info(const struct pfx_input *input, uint32_t i,
				   struct pfx_thread_info *ret);

/* What is missing; complete after the last record. */
struct pfx_losses {
	size_t size;
	uint64_t nr_records, nr_samples; /* read so far, before filters */
	uint64_t nr_bad_samples;         /* that could not be decoded */
	uint64_t nr_bad_records;
	uint64_t lost_records, lost_samples; /* that the kernel could not deliver */
	uint64_t damaged_places, bytes_skipped;
	uint64_t nr_unknown;        /* records of types that this version does not know */
	bool is_cut_short;          /* ends inside a record */
	bool recorder_was_killed;   /* the file was not completed */
	uint64_t nr_chains;         /* call chains that were unwound from stack dumps */
	uint64_t incomplete_chains; /* of these, that do not reach the start of their thread */
};
/* What is missing of what was read so far. */
PFX_API void pfx_input_losses(const struct pfx_input *input, struct pfx_losses *ret);

#ifdef __cplusplus
}
#endif

#endif
