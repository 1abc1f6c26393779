/* SPDX-License-Identifier: MIT */
/*
 * Counters: the events of a recording with their sampling options, and their perf_event
 * descriptors, one for each thread and CPU. The set owns its memory and descriptors.
 */
#ifndef PFX_SYS_COUNTER_H
#define PFX_SYS_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/words.h"
#include "event/attr.h"
#include "event/sampling.h"
#include "sys/target/target.h"

/* The size of perf_event_attr that is passed to the kernel (and written): that of Linux 5.13. */
#define PFX_COUNTER_ATTR_SIZE PFX_ATTR_SIZE_VER7

/* Options for all events. */
struct pfx_sampling {
	uint64_t freq;   /* Hz, for events without a period */
	uint64_t period; /* events per sample; 0: by frequency */
	bool rate_given; /* the user gave freq or period: they apply to tracepoints, too */
	bool no_samples; /* events without their own rate only count */
	/* sample_type */
	uint64_t fields;               /* bits for every event, in addition to required ones */
	signed char period_field;      /* PERIOD: above 0 always, below never, 0 with a frequency */
	bool no_time;                  /* without TIME */
	uint64_t user_regs, intr_regs; /* masks; 0: none */
	uint64_t branch_type;          /* branches to record; 0: none */
	struct pfx_stack_options callgraph;
	uint64_t callgraph_flags;    /* EXCLUDE_CALLCHAIN_KERNEL and _USER, with call chains */
	uint64_t stack_regs;         /* registers for stack dumps */
	uint64_t leaf_regs;          /* registers for frame pointer chains */
	uint64_t stack_regs_minimum; /* registers that stack dumps need even if user_regs selects
					others */
	/* flags and the rest */
	uint64_t tracking;    /* flags to set in the tracking event */
	uint64_t no_tracking; /* flags to clear in it */
	bool running_time;    /* read_format has times enabled and running */
	bool stat;            /* INHERIT_STAT: counts per thread */
	bool no_inherit;
	bool all_user, all_kernel;
	bool use_clockid; /* timestamps use `clockid` */
	int32_t clockid;
	bool system_wide;
	bool overwrite;         /* ring buffers keep the newest records until they are dumped */
	bool target_is_threads; /* one ring buffer per thread, on any CPU */
	bool delayed;           /* counting starts later; task and map records start at once */
	bool enable_on_exec;    /* the counters belong to a workload that is not started yet */
	bool is_pipe;           /* streams need ids even with one event */
	/* For events with an AUX area: decoding the trace requires other records. */
	bool aux;            /* there is an AUX event */
	bool aux_timed;      /* the trace has timestamps: context switches assign it to threads */
	bool aux_text_poke;  /* the trace includes the kernel: record changes of its code */
	bool text_poke;      /* record them without a trace, too */
	bool may_everywhere; /* CPU-wide counters are permitted */
	uint32_t watermark;  /* bytes in the ring buffer that wake the reader; 0: the kernel's
				default */
};

struct pfx_counter_fd {
	int fd;
	int cpu;   /* -1: any */
	pid_t tid; /* -1: any */
	uint64_t id;
	bool backward; /* the kernel writes its ring buffer backward: newer records overwrite older
			  ones */
	bool is_apart; /* not in the ring buffer of other counters */
};

struct pfx_counter {
	struct pfx_attr attr;
	char *name;        /* as given; NULL: made from the attr */
	bool precise_max;  /* lower precise_ip until the kernel accepts it */
	bool has_rate;     /* attr.sample_period was set in the event */
	bool guest_unsaid; /* exclude_guest is only a default */
	bool is_offcpu;    /* the caller derives off-CPU time from its records */
	bool is_apart;     /* its records need separate ring buffers */
	bool is_tracking;  /* its records include tasks and maps */
	bool reads_group;  /* only the leader samples; its samples contain the counts of all members
			    */
	bool has_aux;      /* writes an AUX trace; no samples */
	bool makes_no_samples;
	uint64_t left_out;    /* flags that another counter has instead */
	bool is_everywhere;   /* CPU-wide, for every target */
	bool is_unsupported;  /* in a counting set: not supported on this machine */
	bool is_weak;         /* the group may be split if the PMU cannot schedule it */
	uint32_t group;       /* events of a group have the same number; 0: no group */
	uint32_t leader;      /* index of the group's leader, or its own */
	struct pfx_list cpus; /* the CPUs of its PMU; nr 0: all */
	bool only_on_cpus;    /* in a counting set: one counter for each of `cpus` */
	/* Terms of this event only. */
	bool has_callgraph; /* `callgraph` overrides the option for all events */
	struct pfx_stack_options callgraph;
	uint64_t branch_type;                 /* in addition to the option */
	signed char time, inherit, overwrite; /* positive: on, negative: off */
	char *filter;           /* filter expression for its records, in the kernel's syntax */
	bool filter_later;      /* the caller applies it before it enables the counter */
	bool is_probe;          /* a uprobe: every hit counts */
	const char *probe_path; /* for a uprobe, the program's file; borrowed. NULL: none */
	int cgroup_fd;          /* count only in this cgroup; -1: all */
	PFX_VEC(struct pfx_counter_fd) fds;
};

/* perf_event_open(2): the descriptor or a negative errno. Tests replace it. */
typedef int (*pfx_counter_open_fn)(struct pfx_attr *attr, pid_t tid, int cpu, int group_fd,
				   unsigned long flags);

/* The highest rate, in Hz, of a clock that is used because there is no cycle counter. */
#define PFX_CLOCK_RATE_MAX 20000

struct pfx_counters {
	PFX_VEC(struct pfx_counter) list;
	pfx_counter_open_fn open; /* NULL: the system call */
	uint32_t gaps;            /* features that the kernel lacks, bits of pfx_counter_gaps() */
	uint32_t nr_vanished;     /* threads that ended before they could be attached */
	uint32_t nr_offline;      /* CPUs that went offline meanwhile */
	bool fell_to_clock;       /* fallback: cpu-clock instead of cycles */
	bool slowed_clock;        /* and less often than was asked for: PFX_CLOCK_RATE_MAX */
	bool fell_to_user;        /* fallback: user space only */
	const struct pfx_counter *bad_filter; /* counter whose filter was refused */
	bool raised_nofile;                   /* the limit of open files was raised */
	bool counts_only;                     /* mark unsupported events instead of failing */
};

/* Append an event; @name is copied. The returned counter is valid until the next call. */
struct pfx_counter *pfx_counters_add(struct pfx_counters *set, const struct pfx_attr *attr,
				     const char *name);
/* Complete the attrs: sample_type, read_format, rate, flags; add a tracking event if the first
 * event cannot be it. Must be called once, before opening. */
void pfx_counters_setup(struct pfx_counters *set, const struct pfx_sampling *sampling);
/* Whether LBR call chains are possible for this event; otherwise it uses frame pointers. */
bool pfx_counter_may_lbr(const struct pfx_counter *counter, const struct pfx_sampling *sampling);
/* Change the watermark of all events before they are opened (again). */
void pfx_counters_watermark(struct pfx_counters *set, uint32_t bytes);

/* Open all counters for the target, with fallbacks for missing kernel features and permissions. On
 * errors, no descriptor stays open. */
int pfx_counters_open(struct pfx_counters *set, const struct pfx_target *target,
		      struct pfx_error *err);
/* The same for threads that run already. Threads that were created between reading /proc and
 * opening have no counter, and cannot be distinguished from later ones, which inherit one: so all
 * counters are opened again with @target's new list until no new threads appear. @root: see
 * sys/target/target.h. */
int pfx_counters_attach(struct pfx_counters *set, struct pfx_target *target, const char *root,
			struct pfx_error *err);
/* Set the filter; a counter accepts only one. */
int pfx_counter_filter(const struct pfx_counter *counter, struct pfx_error *err);
/* Start and stop counting. Counters that start on exec or at once are not changed. */
int pfx_counters_enable(struct pfx_counters *set, struct pfx_error *err);
void pfx_counters_disable(struct pfx_counters *set);
/* Enable or disable one event with the members of its group during a recording. The tracking event
 * is not changed. */
void pfx_counter_switch(const struct pfx_counter *counter, bool on);
/* Wake the reader for every record, before the counters are opened. */
void pfx_counters_wake_always(struct pfx_counters *set);
/* The number of records that the kernel could not store for a counter; 0 if the kernel does not
 * count them. */
uint64_t pfx_counter_lost(const struct pfx_counter *counter, size_t fd_index);
/* Close the descriptors, but keep the events. */
void pfx_counters_close(struct pfx_counters *set);
void pfx_counters_fini(struct pfx_counters *set);

/* Options for events that only count. */
struct pfx_counting {
	bool no_inherit;
	bool all_user, all_kernel;
	bool enable_on_exec; /* the counters belong to a workload that is not started yet */
};
/* The same as pfx_counters_setup() for counts without samples. */
void pfx_counters_setup_counting(struct pfx_counters *set, const struct pfx_counting *counting);
/* Read a counter of a counting set: the count, and the ns that it was enabled and running. */
int pfx_counter_read(const struct pfx_counter *counter, size_t fd_index, uint64_t ret[3]);

/* Features that kernels may lack, newest first: names, ends with NULL. Bit i of `gaps` is name
 * i. */
const char *const *pfx_counter_gaps(void);

#endif
