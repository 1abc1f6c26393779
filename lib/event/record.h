/* SPDX-License-Identifier: MIT */
/*
 * Records: the items of perf.data. struct pfx_record is one record as bytes; struct pfx_body has
 * the decoded fields. Decoded strings and arrays are borrowed from the record; encoding is the
 * inverse, in either byte order. Samples are in event/sample.h.
 */
#ifndef PFX_EVENT_RECORD_H
#define PFX_EVENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"
#include "event/abi.h"
#include "event/attr.h"

#define PFX_RECORD_HEADER_SIZE 8
#define PFX_NO_TIME            ((uint64_t)-1)

struct pfx_event;

struct pfx_record {
	const uint8_t *bytes; /* the header and the body; any alignment; borrowed */
	uint32_t type;        /* enum pfx_record_type, or unknown */
	uint16_t misc;
	uint16_t size;                 /* bytes, including the header's 8 */
	bool swap;                     /* the bytes are in the other byte order */
	bool has_unknown_id;           /* no event has its id; assigned to the first event */
	uint64_t offset;               /* of the record in the file, for messages and dumps */
	uint64_t time;                 /* ns, or PFX_NO_TIME */
	const struct pfx_event *event; /* the event it belongs to; NULL for user records */
	/* payload after the record, not part of `size` (AUXTRACE); NULL if it was skipped */
	const uint8_t *extra;
	uint64_t extra_size;
};

static inline enum pfx_cpumode pfx_record_cpumode(const struct pfx_record *rec)
{
	return (enum pfx_cpumode)(rec->misc & PFX_MISC_CPUMODE_MASK);
}

/* A cursor over the bytes after the header. */
static inline struct pfx_cursor pfx_record_cursor(const struct pfx_record *rec)
{
	return pfx_cursor_make(rec->bytes + PFX_RECORD_HEADER_SIZE,
			       rec->size - PFX_RECORD_HEADER_SIZE, rec->swap);
}

/* Fill bytes, type, misc, size from the 8 header bytes at @data; time is PFX_NO_TIME, event NULL.
 */
static inline void pfx_record_init(struct pfx_record *rec, const void *data, bool swap,
				   uint64_t offset)
{
	const uint8_t *p = data;

	*rec = (struct pfx_record){
		.bytes = p,
		.type = pfx_load32(p, swap),
		.misc = pfx_load16(p + 4, swap),
		.size = pfx_load16(p + 6, swap),
		.swap = swap,
		.offset = offset,
		.time = PFX_NO_TIME,
	};
}

/* 64-bit words in a record: call chains, ids, registers. */
struct pfx_words {
	const uint8_t *at;
	uint64_t nr;
	bool swap;
};

static inline uint64_t pfx_word(const struct pfx_words *w, uint64_t i)
{
	return pfx_load64(w->at + 8 * i, w->swap);
}

/* Bytes in a record. */
struct pfx_bytes {
	const uint8_t *at;
	uint64_t size;
};

/* The trailer of all kernel records except SAMPLE with sample_id_all. `has` has the PFX_SAMPLE_*
 * bits of the fields that are present. */
struct pfx_sample_id {
	uint64_t has;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
	uint64_t identifier;
};

/* MMAP and MMAP2. Without a build ID: device and inode; with a build ID (PFX_MISC_MMAP_BUILD_ID):
 * its bytes. Where the kernel set the bit in a record that has none, decoding clears it in `misc`.
 */
struct pfx_mmap {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint8_t build_id[PFX_BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: none */
	uint32_t prot, flags;  /* PROT_*, MAP_*; MMAP: 0 */
	const char *filename;
};

struct pfx_lost {
	uint64_t id, lost;
};

struct pfx_comm {
	uint32_t pid, tid;
	const char *comm;
};

/* FORK and EXIT */
struct pfx_task {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct pfx_throttle {
	uint64_t time, id, stream_id;
};

/* One counter value in the layout of read_format. */
struct pfx_read_value {
	uint64_t value, id, lost;
};

#define PFX_READ_MAX \
	64 /* maximum number of group members that are kept; the others are only counted */

struct pfx_read {
	uint64_t enabled, running;
	uint64_t nr; /* values in the record */
	struct pfx_read_value values[PFX_READ_MAX];
};

struct pfx_read_record {
	uint32_t pid, tid;
	struct pfx_read read;
};

struct pfx_aux {
	uint64_t offset, size, flags;
};

/* ITRACE_START, SWITCH_CPU_WIDE (the other side) */
struct pfx_pid_tid {
	uint32_t pid, tid;
};

struct pfx_namespaces {
	uint32_t pid, tid;
	struct pfx_words links; /* 2 words each: dev, ino; net uts ipc pid user mnt cgroup */
};

struct pfx_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t ksym_type, flags;
	const char *name;
};

struct pfx_bpf_event {
	uint16_t type, flags;
	uint32_t id;
	uint8_t tag[8];
};

struct pfx_cgroup {
	uint64_t id;
	const char *path;
};

struct pfx_text_poke {
	uint64_t addr;
	uint16_t old_len, new_len;
	const uint8_t *bytes; /* old_len, then new_len */
};

struct pfx_callchain_deferred {
	uint64_t cookie;
	struct pfx_words ips;
};

struct pfx_header_attr {
	struct pfx_attr attr;
	struct pfx_words ids;
};

struct pfx_header_event_type {
	uint64_t event_id;
	const char *name; /* 64 bytes in the record */
};

struct pfx_header_build_id {
	int32_t pid;
	uint8_t build_id[PFX_BUILD_ID_MAX];
	uint8_t build_id_size;
	const char *filename;
};

struct pfx_id_index {
	uint64_t nr;
	struct pfx_words entries;  /* 4 words each: id, idx, cpu, tid */
	struct pfx_words machines; /* 2 words each: machine_pid, vcpu; nr 0 when absent */
};

struct pfx_auxtrace_info {
	uint32_t type;
	struct pfx_words priv;
};

struct pfx_auxtrace {
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu;
};

struct pfx_auxtrace_error {
	uint32_t type, code, cpu, pid, tid, fmt;
	uint64_t ip, time;
	const char *msg; /* 64 bytes in the record */
	uint32_t machine_pid, vcpu;
};

struct pfx_thread_map {
	uint64_t nr;
	struct pfx_bytes entries; /* 24 bytes each: u64 pid, char comm[16] */
};

enum pfx_cpu_map_type { PFX_CPU_MAP_CPUS, PFX_CPU_MAP_MASK, PFX_CPU_MAP_RANGE };

struct pfx_cpu_map {
	uint16_t type;            /* enum pfx_cpu_map_type */
	uint16_t nr;              /* CPUS, MASK */
	uint16_t long_size;       /* MASK: 4 or 8 */
	struct pfx_bytes entries; /* CPUS: u16 each; MASK: long_size each */
	uint8_t any_cpu;          /* RANGE */
	uint16_t start, end;      /* RANGE */
};

struct pfx_stat_config {
	struct pfx_words entries; /* 2 words each: tag, value */
};

struct pfx_stat {
	uint64_t id;
	uint32_t cpu, thread;
	uint64_t val, ena, run;
};

struct pfx_stat_round {
	uint64_t type, time;
};

enum pfx_event_update_type {
	PFX_UPDATE_UNIT,
	PFX_UPDATE_SCALE,
	PFX_UPDATE_NAME,
	PFX_UPDATE_CPUS,
};

struct pfx_event_update {
	uint64_t type, id;
	const char *text; /* UNIT, NAME */
	double scale;     /* SCALE */
	struct pfx_cpu_map cpus;
};

struct pfx_time_conv {
	uint64_t time_shift, time_mult, time_zero;
	uint64_t time_cycles, time_mask; /* long form only */
	uint8_t cap_user_time_zero, cap_user_time_short;
	bool is_long;
};

struct pfx_header_feature {
	uint64_t feature; /* enum pfx_feature */
	struct pfx_bytes payload;
};

struct pfx_compressed {
	struct pfx_bytes data;
};

struct pfx_bpf_metadata {
	const char *prog_name; /* 512 bytes in the record */
	uint64_t nr;
	struct pfx_bytes entries; /* 320 bytes each: char key[64], value[256] */
};

/* SCHEDSTAT_CPU and _DOMAIN: the fixed fields, then fields that depend on the version. */
struct pfx_schedstat {
	uint64_t timestamp;
	uint32_t cpu;
	uint16_t version, domain;
	struct pfx_bytes fields;
};

struct pfx_body {
	uint32_t type;
	uint16_t misc;
	bool swap;               /* the arrays are in the other byte order */
	struct pfx_sample_id id; /* kernel records under sample_id_all */
	union {
		struct pfx_mmap mmap; /* MMAP, MMAP2 */
		struct pfx_lost lost;
		struct pfx_comm comm;
		struct pfx_task task;         /* FORK, EXIT */
		struct pfx_throttle throttle; /* THROTTLE, UNTHROTTLE */
		struct pfx_read_record read;
		struct pfx_aux aux;
		struct pfx_pid_tid itrace_start;
		uint64_t lost_samples;
		struct pfx_pid_tid next_prev; /* SWITCH_CPU_WIDE */
		struct pfx_namespaces namespaces;
		struct pfx_ksymbol ksymbol;
		struct pfx_bpf_event bpf_event;
		struct pfx_cgroup cgroup;
		struct pfx_text_poke text_poke;
		uint64_t aux_output_hw_id;
		struct pfx_callchain_deferred callchain_deferred;
		struct pfx_header_attr header_attr;
		struct pfx_header_event_type header_event_type;
		uint32_t tracing_data_size;
		struct pfx_header_build_id header_build_id;
		struct pfx_id_index id_index;
		struct pfx_auxtrace_info auxtrace_info;
		struct pfx_auxtrace auxtrace;
		struct pfx_auxtrace_error auxtrace_error;
		struct pfx_thread_map thread_map;
		struct pfx_cpu_map cpu_map;
		struct pfx_stat_config stat_config;
		struct pfx_stat stat;
		struct pfx_stat_round stat_round;
		struct pfx_event_update event_update;
		struct pfx_time_conv time_conv;
		struct pfx_header_feature header_feature;
		struct pfx_compressed compressed; /* COMPRESSED, COMPRESSED2 */
		struct pfx_bpf_metadata bpf_metadata;
		struct pfx_schedstat schedstat;
	};
};

/* Decode any record except SAMPLE. @attr (NULL: none) determines the trailer and read_format.
 * Unknown types give -EPROTONOSUPPORT, malformed ones -EBADMSG; @ret is then undefined. */
int pfx_record_decode(const struct pfx_record *rec, const struct pfx_attr *attr,
		      struct pfx_body *ret, struct pfx_error *err);
/* Append the record in the buffer's byte order, with the trailer that @attr requires. Returns false
 * and appends nothing for SAMPLE, unknown types, and bodies that are too long for a record. */
bool pfx_record_encode(const struct pfx_body *body, const struct pfx_attr *attr,
		       struct pfx_buffer *to);
/* Decode only the trailer, from the record's end. False when it does not fit. */
bool pfx_sample_id_decode(const struct pfx_record *rec, const struct pfx_attr *attr,
			  struct pfx_sample_id *ret);
/* Decode the values at the cursor, in the layout of @read_format. */
bool pfx_read_decode(struct pfx_cursor *c, uint64_t read_format, struct pfx_read *ret);
/* Append the values of @read in the layout of @read_format. */
void pfx_read_encode(const struct pfx_read *read, uint64_t read_format, struct pfx_buffer *to);
/* The next CPU of the map at or after *@pos, and advance *@pos; -1 at the end. 65535 means any
 * CPU. */
int pfx_cpu_map_next(const struct pfx_cpu_map *map, bool swap, uint32_t *pos);

/* "MMAP2", "FINISHED_ROUND", "ATTR" (HEADER_ATTR), ... as perf names them; NULL for an unknown
 * type. */
const char *pfx_record_name(uint32_t type);

#endif
