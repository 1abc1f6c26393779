/* SPDX-License-Identifier: MIT */
/*
 * Rows of the tables of options of the commands that open events: record, top and stat. @at is a
 * macro that gives the offset of a member of struct pfx_recorder_options, or of another struct with
 * members of these names, in the options of the command.
 */
#ifndef PFX_CMD_RECORD_ROWS_H
#define PFX_CMD_RECORD_ROWS_H

#include "cli/options.h"
#include "cmd/app/sampling/record_options.h"

#define PFX_OPT_CPU_LIST(at)                                                                \
	{                                                                                   \
		PFX_OPT_STRING, 'C', "cpu", at(cpus), "list", "only these CPUs, like 0,2-4" \
	}

/* For commands that may also start a command. */
#define PFX_OPT_TARGETS(at)                                                                      \
	{PFX_OPT_BOOL, 'a', "all-cpus", at(all_cpus), NULL, "the whole system"},                 \
		PFX_OPT_CPU_LIST(at),                                                            \
		{PFX_OPT_STRING,  'p', "pid", at(pids), "pid,...", "processes that already run", \
		 .words = "@pids"},                                                              \
	{                                                                                        \
		PFX_OPT_STRING, 't', "tid", at(tids), "tid,...", "threads that already run"      \
	}

/* Cgroups, and who has a ring buffer. */
#define PFX_OPT_COUNTERS(at)                                                                      \
	{PFX_OPT_CALL,                                                                            \
	 'G',                                                                                     \
	 "cgroup",                                                                                \
	 0,                                                                                       \
	 "name,...",                                                                              \
	 "count the preceding events only in these cgroups",                                      \
	 pfx_record_opt_cgroup,                                                                   \
	 .keeps = true},                                                                          \
		{PFX_OPT_BOOL, 0,                                                                 \
		 "per-thread", at(per_thread),                                                    \
		 NULL,         "one counter and ring buffer for each thread, not for each CPU"},  \
	{                                                                                         \
		PFX_OPT_BOOL, 'i', "no-inherit", at(no_inherit), NULL,                            \
			"do not follow new threads and processes", .set_offset = at(inherit_said) \
	}

#define PFX_OPT_EVENTS                                                                 \
	{PFX_OPT_CALL,                                                                 \
	 'e',                                                                          \
	 "event",                                                                      \
	 0,                                                                            \
	 "events",                                                                     \
	 "events, like cycles:u,page-faults",                                          \
	 pfx_record_opt_events,                                                        \
	 .words = "@events",                                                           \
	 .keeps = true},                                                               \
		{PFX_OPT_CALL,       0,                                                \
		 "pfm-events",       0,                                                \
		 "events",           "events by the names of libpfm4",                 \
		 pfx_record_opt_pfm, .keeps = true},                                   \
		{PFX_OPT_CALL,                                                         \
		 0,                                                                    \
		 "filter",                                                             \
		 0,                                                                    \
		 "expression",                                                         \
		 "filter expression for the tracepoints of the preceding -e",          \
		 pfx_record_opt_filter,                                                \
		 .keeps = true},                                                       \
	{                                                                              \
		PFX_OPT_CALL_NONE, 0, "exclude-perf", 0, NULL,                         \
			"exclude pfx itself from the tracepoints of the preceding -e", \
			pfx_record_opt_exclude_perf, .keeps = true                     \
	}

#define PFX_OPT_LEVELS(at)                                                             \
	{PFX_OPT_BOOL, 0, "all-user", at(all_user), NULL, "user space only"},          \
	{                                                                              \
		PFX_OPT_BOOL, 0, "all-kernel", at(all_kernel), NULL, "the kernel only" \
	}

#define PFX_OPT_RATE(at)                                                                           \
	{PFX_OPT_CALL, 'F', "freq", 0, "n|max", "samples per second (4000)", pfx_record_opt_freq}, \
	{                                                                                          \
		PFX_OPT_U64, 'c', "count", at(period), "n", "one sample every n events"            \
	}

#define PFX_OPT_REALTIME                                                      \
	{                                                                     \
		PFX_OPT_CALL, 'r', "realtime", 0, "priority",                 \
			"read the ring buffers with this real-time priority", \
			pfx_record_opt_realtime                               \
	}

#endif
