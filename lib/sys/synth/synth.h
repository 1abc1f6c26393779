/* SPDX-License-Identifier: MIT */
/*
 * Records about what already runs, made from /proc and /sys, in the form the kernel would have sent
 * them. Everything is appended to a buffer that the caller owns and may drain between calls. Kernel
 * records get a zeroed trailer as the first event's attr asks for. Processes that vanish while they
 * are read, or that we may not look into, are skipped.
 */
#ifndef PFX_SYS_SYNTH_H
#define PFX_SYS_SYNTH_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/words.h"
#include "event/meta.h"
#include "event/record.h"

/* The build id of a mapped file into @ret, which has room for PFX_BUILD_ID_MAX bytes: how long it
 * is, 0 when there is none. Called by several threads at once where several make records. */
typedef uint8_t (*pfx_synth_build_id_fn)(void *context, const struct pfx_mmap *map, uint8_t *ret);

struct pfx_synth_options {
	const struct pfx_attr *attr;    /* of the first event: decides the trailer; NULL: none */
	const char *root;               /* a directory in front of /proc and /sys; NULL: none */
	bool mmap_data;                 /* maps that are not executable too, marked MMAP_DATA */
	bool namespaces;                /* NAMESPACES of each task */
	bool no_maps;                   /* only COMM and FORK */
	bool forks;                     /* FORK of each task, as a system-wide recording has them */
	bool exact;                     /* the end of the kernel's text to the byte; takes longer */
	pfx_synth_build_id_fn build_id; /* maps have build ids, where there are any; NULL: not */
	void *build_id_context;
	unsigned timeout_ms; /* reading the maps of one process stops after that; 0: 500 */
};

/* The kernel's text: MMAP "[kernel.kallsyms]_text" of pid -1. -EACCES when addresses are hidden,
 * -ENOENT when there is no /proc/kallsyms; nothing is appended then. */
int pfx_synth_kernel(const struct pfx_synth_options *options, struct pfx_buffer *to,
		     struct pfx_error *err);
/* An MMAP for each loaded module whose address is known. */
int pfx_synth_modules(const struct pfx_synth_options *options, struct pfx_buffer *to,
		      struct pfx_error *err);
/* KSYMBOL and BPF_EVENT for each BPF program that the meta knows (pfx_bpf_programs_read()) and that
 * was compiled. */
void pfx_synth_bpf(const struct pfx_synth_options *options, const struct pfx_meta *meta,
		   struct pfx_buffer *to);

/* CGROUP for each cgroup there is; quietly nothing where none are mounted. */
void pfx_synth_cgroups(const struct pfx_synth_options *options, struct pfx_buffer *to);

/* One process with all its threads: COMM, MMAP2 for its maps, COMM of the threads; FORK before each
 * COMM when the options ask for it. -ESRCH when there is no such process. */
int pfx_synth_process(const struct pfx_synth_options *options, uint32_t pid, struct pfx_buffer *to,
		      struct pfx_error *err);

/* THREAD_MAP: what was asked for, with the comm of each; -1 stands for "any" and has no comm. */
void pfx_synth_thread_map(const char *root, const int32_t *tids, size_t nr, struct pfx_buffer *to);
/* CPU_MAP in the shortest form; NULL or empty is "any CPU". */
void pfx_synth_cpu_map(const struct pfx_list *cpus, struct pfx_buffer *to);
struct pfx_target;
/* Both, for a target. */
void pfx_synth_target(const struct pfx_target *target, struct pfx_buffer *to);

/* How the CPU's counter becomes time, by the control page of a ring; false when the kernel gives no
 * conversion. */
bool pfx_synth_clock(const void *mmap_page, struct pfx_time_conv *ret);

struct pfx_synth_id {
	uint64_t id;
	uint64_t idx;     /* of the ring that has its samples */
	int64_t cpu, tid; /* -1: any */
};
/* ID_INDEX, in as many records as the ids need. */
void pfx_synth_id_index(const struct pfx_synth_id *ids, size_t nr, struct pfx_buffer *to);
/* EVENT_UPDATE for what the attr of an event does not say: unit, scale, the CPUs its PMU is on
 * (@own_cpus, may be NULL), and its name when @with_name. */
void pfx_synth_event_update(const struct pfx_event *event, const struct pfx_list *own_cpus,
			    bool with_name, struct pfx_buffer *to);
/* TIME_CONV from the control page of a ring (struct perf_event_mmap_page, mapped by the caller);
 * nothing when the kernel gives no conversion. */
void pfx_synth_time_conv(const void *mmap_page, struct pfx_buffer *to);

#endif
