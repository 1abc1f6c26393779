/* SPDX-License-Identifier: MIT */
/*
 * Synthesizes records for existing processes, from /proc and /sys, in the kernel's format. They are
 * appended to a buffer that the caller owns and may drain between calls. Kernel records get a
 * zeroed trailer according to the first event's attr. Processes that end while they are read, or
 * that are not accessible, are skipped.
 */
#ifndef PFX_SYS_SYNTH_H
#define PFX_SYS_SYNTH_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/words.h"
#include "event/meta.h"
#include "event/record.h"

/* Writes the build ID of a mapped file to @ret, which has room for PFX_BUILD_ID_MAX bytes; returns
 * its length, 0 if there is none. Called from several threads if several synthesize records. */
typedef uint8_t (*pfx_synth_build_id_fn)(void *context, const struct pfx_mmap *map, uint8_t *ret);

struct pfx_synth_options {
	const struct pfx_attr *attr;    /* of the first event: decides the trailer; NULL: none */
	const char *root;               /* prefix of /proc and /sys; NULL: none */
	bool mmap_data;                 /* also maps that are not executable, marked MMAP_DATA */
	bool namespaces;                /* NAMESPACES of each task */
	bool no_maps;                   /* only COMM and FORK */
	bool forks;                     /* FORK of each task, as in system-wide recordings */
	bool exact;                     /* the exact end of the kernel's text; slower */
	pfx_synth_build_id_fn build_id; /* source of build IDs for maps; NULL: none */
	void *build_id_context;
	unsigned timeout_ms; /* time limit for the maps of one process; 0: 500 */
};

/* The kernel's text: MMAP "[kernel.kallsyms]_text" of pid -1. -EACCES if addresses are hidden,
 * -ENOENT without /proc/kallsyms; then nothing is appended. */
int pfx_synth_kernel(const struct pfx_synth_options *options, struct pfx_buffer *to,
		     struct pfx_error *err);
/* An MMAP for each loaded module with a known address. */
int pfx_synth_modules(const struct pfx_synth_options *options, struct pfx_buffer *to,
		      struct pfx_error *err);
/* KSYMBOL and BPF_EVENT for each compiled BPF program in @meta (pfx_bpf_programs_read()). */
void pfx_synth_bpf(const struct pfx_synth_options *options, const struct pfx_meta *meta,
		   struct pfx_buffer *to);

/* CGROUP for each cgroup; nothing if no hierarchy is mounted. */
void pfx_synth_cgroups(const struct pfx_synth_options *options, struct pfx_buffer *to);

/* One process with all its threads: COMM, MMAP2 for its maps, COMM of the threads; with the option
 * `forks`, FORK before each COMM. -ESRCH if the process does not exist. */
int pfx_synth_process(const struct pfx_synth_options *options, uint32_t pid, struct pfx_buffer *to,
		      struct pfx_error *err);

/* THREAD_MAP: the requested threads with their comm; -1 means "any" and has no comm. */
void pfx_synth_thread_map(const char *root, const int32_t *tids, size_t nr, struct pfx_buffer *to);
/* CPU_MAP in the shortest form; NULL or empty means "any CPU". */
void pfx_synth_cpu_map(const struct pfx_list *cpus, struct pfx_buffer *to);
struct pfx_target;
/* Both, for a target. */
void pfx_synth_target(const struct pfx_target *target, struct pfx_buffer *to);

/* The conversion of CPU timestamps to time, from the control page of a ring buffer; false if the
 * kernel provides none. */
bool pfx_synth_clock(const void *mmap_page, struct pfx_time_conv *ret);

struct pfx_synth_id {
	uint64_t id;
	uint64_t idx;     /* index of the ring buffer with its samples */
	int64_t cpu, tid; /* -1: any */
};
/* ID_INDEX, in as many records as the ids need. */
void pfx_synth_id_index(const struct pfx_synth_id *ids, size_t nr, struct pfx_buffer *to);
/* EVENT_UPDATE for data that are not in the attr: unit, scale, the CPUs of its PMU (@own_cpus, may
 * be NULL), and its name if @with_name. */
void pfx_synth_event_update(const struct pfx_event *event, const struct pfx_list *own_cpus,
			    bool with_name, struct pfx_buffer *to);
/* TIME_CONV from the control page of a ring buffer (struct perf_event_mmap_page, mapped by the
 * caller); nothing if the kernel provides no conversion. */
void pfx_synth_time_conv(const void *mmap_page, struct pfx_buffer *to);

#endif
