/* SPDX-License-Identifier: MIT */
/*
 * Counters: the events of a recording with what is to be sampled, and the descriptors that the
 * kernel gave for them, one for each thread and CPU. The set owns its memory and descriptors.
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

/* The size of perf_event_attr that is handed to the kernel (and written): that of Linux 5.13. */
#define PFX_COUNTER_ATTR_SIZE PFX_ATTR_SIZE_VER7

/* What the options say about every event. */
struct pfx_sampling {
	uint64_t freq;   /* Hz, for events without a period */
	uint64_t period; /* events per sample; 0: by frequency */
	bool rate_given; /* the user said one of them: it holds for tracepoints too */
	bool no_samples; /* events without a rate of their own only count */
	/* sample_type */
	uint64_t fields;          /* bits for every event, besides those that it needs anyway */
	signed char period_field; /* PERIOD: above 0 always, below never, 0 with a frequency */
	bool no_time;             /* leave TIME out */
	uint64_t user_regs, intr_regs; /* masks; 0: none */
	uint64_t branch_type;          /* which branches are kept; 0: none */
	struct pfx_stack_options callgraph;
	uint64_t callgraph_flags; /* EXCLUDE_CALLCHAIN_KERNEL and _USER, where there are chains */
	uint64_t stack_regs;      /* registers to go with a stack dump */
	uint64_t leaf_regs;       /* registers to go with a chain of frame pointers */
	uint64_t stack_regs_minimum; /* those that go with it even if user_regs chooses others */
	/* flags and the rest */
	uint64_t tracking;    /* flags of the event that carries records about processes, added */
	uint64_t no_tracking; /* and left out */
	bool running_time;    /* times enabled and running beside each count */
	bool stat;            /* counts per thread */
	bool no_inherit;
	bool all_user, all_kernel;
	bool use_clockid; /* time is that of `clockid` */
	int32_t clockid;
	bool system_wide;
	bool overwrite;         /* rings keep the newest records, until they are asked for */
	bool target_is_threads; /* one ring a thread, on whatever CPU */
	bool delayed;           /* counting begins later; records about processes come at once */
	bool enable_on_exec;    /* the counters belong to a command that was not started yet */
	bool is_pipe;           /* a stream needs ids even for one event */
	/* An event with an AUX area: its trace needs other records to be understood. */
	bool aux;            /* there is one */
	bool aux_timed;      /* the trace has times: context switches tell whose it is */
	bool aux_text_poke;  /* the trace is of the kernel: changes of its text matter */
	bool text_poke;      /* they matter without a trace, too */
	bool may_everywhere; /* counters of all tasks on a CPU are allowed */
	uint32_t watermark;  /* bytes in the ring that wake the reader; 0: the kernel's choice */
};

struct pfx_counter_fd {
	int fd;
	int cpu;   /* -1: any */
	pid_t tid; /* -1: any */
	uint64_t id;
	bool backward; /* its ring is written backward: newer records take the place of old ones */
	bool is_apart; /* its ring has the records of no other counters */
};

struct pfx_counter {
	struct pfx_attr attr;
	char *name;        /* as typed; NULL: made from the attr */
	bool precise_max;  /* lower precise_ip until the kernel takes it */
	bool has_rate;     /* attr.sample_period came with the event */
	bool guest_unsaid; /* exclude_guest is set only because nothing was said about guests */
	bool is_offcpu;    /* the caller makes time asleep of its records */
	bool is_apart;     /* its records go into rings of their own */
	bool is_tracking;  /* carries the records about processes and maps */
	bool reads_group;  /* only the leader samples, and its samples read all members */
	bool has_aux;      /* writes a trace into an AUX area; makes no samples */
	bool makes_no_samples;
	uint64_t left_out;    /* flags that another counter has in its place */
	bool is_everywhere;   /* of all tasks, whatever the target is */
	bool is_unsupported;  /* of a set that only counts: this machine cannot */
	bool is_weak;         /* the group may be broken up when the PMU cannot hold it */
	uint32_t group;       /* events of a group have the same number; 0: none */
	uint32_t leader;      /* index of the group's leader, or its own */
	struct pfx_list cpus; /* where its PMU counts; nr 0: everywhere */
	bool only_on_cpus;    /* of a set that only counts: one counter for each of `cpus` */
	/* What was said for this event alone. */
	bool has_callgraph; /* `callgraph` in place of that of all events */
	struct pfx_stack_options callgraph;
	uint64_t branch_type;                 /* in addition */
	signed char time, inherit, overwrite; /* above 0: yes, below: no */
	char *filter;      /* which of its records are wanted, in the kernel's words */
	bool filter_later; /* the caller hands it over by itself, before it starts the counter */
	bool is_probe;     /* a place in code: each time that it is reached counts */
	const char *probe_path; /* of a place in a program, its file; borrowed. NULL: none */
	int cgroup_fd;          /* count in this cgroup only; 0: everywhere */
	PFX_VEC(struct pfx_counter_fd) fds;
};

/* perf_event_open(2): the descriptor or a negative errno. Tests put their own in. */
typedef int (*pfx_counter_open_fn)(struct pfx_attr *attr, pid_t tid, int cpu, int group_fd,
				   unsigned long flags);

struct pfx_counters {
	PFX_VEC(struct pfx_counter) list;
	pfx_counter_open_fn open; /* NULL: the system call */
	uint32_t gaps;            /* features that the kernel lacks, bits of pfx_counter_gaps() */
	uint32_t nr_vanished;     /* threads that ended before they could be attached */
	uint32_t nr_offline;      /* CPUs that went away meanwhile */
	bool fell_to_clock;       /* cpu-clock instead of cycles */
	bool fell_to_user;        /* without the kernel */
	const struct pfx_counter *bad_filter; /* whose filter was refused */
	bool raised_nofile;                   /* the limit of open files was raised */
	bool counts_only; /* what the machine cannot count is marked, not refused */
};

/* Append an event; @name is copied. The returned counter is valid until the next call. */
struct pfx_counter *pfx_counters_add(struct pfx_counters *set, const struct pfx_attr *attr,
				     const char *name);
/* Complete the attrs: sample_type, read_format, rate, flags; add the tracking event where the first
 * one cannot do it. Must be called once, before opening. */
void pfx_counters_setup(struct pfx_counters *set, const struct pfx_sampling *sampling);
/* Whether call graphs by LBR can work for this event; else it gets chains by frame pointers. */
bool pfx_counter_may_lbr(const struct pfx_counter *counter, const struct pfx_sampling *sampling);
/* Change the watermark of all events before they are opened (again). */
void pfx_counters_watermark(struct pfx_counters *set, uint32_t bytes);

/* Open all counters for the target, coping with what the kernel or the permissions lack. On an
 * error nothing stays open. */
int pfx_counters_open(struct pfx_counters *set, const struct pfx_target *target,
		      struct pfx_error *err);
/* The same for threads that run already. What was created between the look at /proc and the opening
 * is in no counter, and cannot be told from what was created after it, which inherits one: so all
 * is opened again with @target's new list until nothing new appears. @root: see
 * sys/target/target.h. */
int pfx_counters_attach(struct pfx_counters *set, struct pfx_target *target, const char *root,
			struct pfx_error *err);
/* Hand the filter to the kernel; a counter takes one only. */
int pfx_counter_filter(const struct pfx_counter *counter, struct pfx_error *err);
/* Start and stop counting. Counters that run on exec or from the start are left alone. */
int pfx_counters_enable(struct pfx_counters *set, struct pfx_error *err);
void pfx_counters_disable(struct pfx_counters *set);
/* Switch one event, and the members of its group, while it is recorded: on, off. The event that
 * only carries the records about processes is left alone. */
void pfx_counter_switch(const struct pfx_counter *counter, bool on);
/* Wake the reader for every record, before the counters are opened. */
void pfx_counters_wake_always(struct pfx_counters *set);
/* How many records of a counter the kernel could not store, by its own count; 0 where it has none.
 */
uint64_t pfx_counter_lost(const struct pfx_counter *counter, size_t fd_index);
/* Close the descriptors, keep the events. */
void pfx_counters_close(struct pfx_counters *set);
void pfx_counters_fini(struct pfx_counters *set);

/* What the options say about events that only count. */
struct pfx_counting {
	bool no_inherit;
	bool all_user, all_kernel;
	bool enable_on_exec; /* the counters belong to a command that was not started yet */
};
/* The same as pfx_counters_setup() for counts without samples. */
void pfx_counters_setup_counting(struct pfx_counters *set, const struct pfx_counting *counting);
/* What a counter of such a set says now: the count, and for how many ns it was enabled and ran. */
int pfx_counter_read(const struct pfx_counter *counter, size_t fd_index, uint64_t ret[3]);

/* What a kernel may lack, newest first: the names, ended by NULL. Bit i of `gaps` is name i. */
const char *const *pfx_counter_gaps(void);

#endif
