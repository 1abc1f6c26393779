/* SPDX-License-Identifier: MIT */
/*
 * The sysfs and tracefs of other machines, made in a temporary directory: an x86 machine with
 * uncore PMUs, a hybrid one, an ARM one with two kinds of cores; and the text of an event list.
 */
#ifndef PFX_TESTS_PMU_FIXTURE_H
#define PFX_TESTS_PMU_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "pmu/parse.h"
#include "tree.h"

/* "MACHINE PMU/FILE CONTENT" */
static const char *const fixture_files[] = {
	/* x86 with one kind of core */
	"x86 cpu/type 4",
	"x86 cpu/format/event config:0-7",
	"x86 cpu/format/umask config:8-15",
	"x86 cpu/format/edge config:18",
	"x86 cpu/format/any config:21",
	"x86 cpu/format/inv config:23",
	"x86 cpu/format/cmask config:24-31",
	"x86 cpu/format/in_tx config:32",
	"x86 cpu/format/ldlat config1:0-15",
	"x86 cpu/format/offcore_rsp config1:0-63",
	"x86 cpu/format/frontend config1:0-23",
	"x86 cpu/format/big config2:0-63",
	"x86 cpu/format/split config:0-7,32-35",
	"x86 cpu/format/broken config9:0-7",
	"x86 cpu/events/cpu-cycles event=0x3c",
	"x86 cpu/events/mem-loads event=0xcd,umask=0x1,ldlat=3",
	"x86 cpu/events/mem-loads-aux event=0x03,umask=0x82",
	"x86 cpu/events/topdown-slots event=0x00,umask=0x4",
	"x86 cpu/events/cache-misses event=0x2e,umask=0x41",
	"x86 cpu/events/ld-wait event=0x11,umask=?",
	"x86 cpu/events/odd event=0x11,,",
	"x86 msr/type 9",
	"x86 msr/format/event config:0-63",
	"x86 msr/events/tsc event=0x00",
	"x86 msr/events/aperf event=0x01",
	"x86 intel_pt/type 8",
	"x86 intel_pt/format/tsc config:10",
	"x86 intel_pt/format/noretcomp config:11",
	"x86 intel_pt/format/cyc config:1",
	"x86 uncore_imc_0/type 20",
	"x86 uncore_imc_0/cpumask 0",
	"x86 uncore_imc_0/format/event config:0-7",
	"x86 uncore_imc_0/format/umask config:8-15",
	"x86 uncore_imc_0/events/cas_count_read event=0x04,umask=0x03",
	"x86 uncore_imc_0/events/cas_count_read.unit MiB",
	"x86 uncore_imc_1/type 21",
	"x86 uncore_imc_1/cpumask 0",
	"x86 uncore_imc_1/format/event config:0-7",
	"x86 uncore_imc_1/format/umask config:8-15",
	"x86 uncore_imc_1/events/cas_count_read event=0x04,umask=0x03",
	"x86 uncore_cbox_0/type 22",
	"x86 uncore_cbox_0/cpumask 0",
	"x86 uncore_cbox_0/format/event config:0-7",
	"x86 power/type 24",
	"x86 power/cpumask 0",
	"x86 power/format/event config:0-7",
	"x86 power/events/energy-cores event=0x01",
	"x86 power/events/energy-cores.scale 2.3283064365386962890625e-10",
	"x86 software/type 1",
	"x86 tracepoint/type 2",
	"x86 breakpoint/type 5",
	/* x86 with two kinds of cores */
	"hyb cpu_core/type 4",
	"hyb cpu_core/cpus 0-3",
	"hyb cpu_core/format/event config:0-7",
	"hyb cpu_core/format/umask config:8-15",
	"hyb cpu_core/format/ldlat config1:0-15",
	"hyb cpu_core/events/cpu-cycles event=0x3c",
	"hyb cpu_core/events/instructions event=0xc0",
	"hyb cpu_core/events/mem-loads event=0xcd,umask=0x1,ldlat=3",
	"hyb cpu_core/events/topdown-retiring event=0x00,umask=0x80",
	"hyb cpu_atom/type 10",
	"hyb cpu_atom/cpus 4-7",
	"hyb cpu_atom/format/event config:0-7",
	"hyb cpu_atom/format/umask config:8-15",
	"hyb cpu_atom/events/cpu-cycles event=0x3c",
	"hyb cpu_atom/events/instructions event=0xc0",
	"hyb cpu_atom/events/mem-loads event=0xd0,umask=0x5",
	"hyb software/type 1",
	/* ARM with two kinds of cores, a statistical profiler and a mesh */
	"arm armv8_pmuv3_0/type 8",
	"arm armv8_pmuv3_0/cpus 0-3",
	"arm armv8_pmuv3_0/format/event config:0-15",
	"arm armv8_pmuv3_0/format/long config1:0",
	"arm armv8_pmuv3_0/events/cpu_cycles event=0x0011",
	"arm armv8_pmuv3_0/events/l1d_cache event=0x0004",
	"arm armv8_cortex_a72/type 9",
	"arm armv8_cortex_a72/cpus 4-5",
	"arm armv8_cortex_a72/format/event config:0-15",
	"arm armv8_cortex_a72/events/cpu_cycles event=0x0011",
	"arm arm_spe_0/type 10",
	"arm arm_spe_0/cpumask 0-5",
	"arm arm_spe_0/format/ts_enable config:0",
	"arm arm_spe_0/format/load_filter config:33",
	"arm arm_spe_0/format/event_filter config1:0-63",
	"arm arm_spe_0/format/min_latency config2:0-11",
	"arm arm_spe_0/format/inv_event_filter config3:0-63",
	"arm arm_cmn_0/type 11",
	"arm arm_cmn_0/cpumask 0",
	"arm arm_cmn_0/format/type config:0-15",
	"arm arm_cmn_0/format/eventid config:16-26",
	"arm arm_cmn_0/format/wp_val config1:0-63",
	"arm arm_cmn_0/events/dn_rxreq_dvmop type=0x1,eventid=0x1",
	/* no PMU at all */
	"none software/type 1",
};

static const char *const fixture_tracepoints[] = {
	"sched/sched_switch 314",
	"sched/sched_wakeup 316",
	"sched/sched_wakeup_new 315",
	"sched/sched_waking 317",
	"sched/sched_process_fork 310",
	"syscalls/sys_enter_openat 700",
	"syscalls/sys_exit_openat 699",
	"irq/irq_handler_entry 150",
	"probe_libc/malloc 1800",
	"sdt_app/start 1801",
	"u/k 1900",
};

/* Make all machines in a new directory. */
static inline void fixture_init(struct tree *t)
{
	char path[256], text[128], machine[16], file[128];
	size_t i;

	tree_init(t);
	for (i = 0; i < sizeof(fixture_files) / sizeof(fixture_files[0]); i++) {
		sscanf(fixture_files[i], "%15s %127s %127[^\n]", machine, file, text);
		snprintf(path, sizeof(path), "/%s/bus/event_source/devices/%s", machine, file);
		strcat(text, "\n");
		tree_file(t, path, text);
	}
	for (i = 0; i < sizeof(fixture_tracepoints) / sizeof(fixture_tracepoints[0]); i++) {
		sscanf(fixture_tracepoints[i], "%127s %127s", file, text);
		snprintf(path, sizeof(path), "/tracing/events/%s/id", file);
		tree_file(t, path, text);
	}
	tree_file(t, "/tracing/events/enable", "0\n");
}

static inline int fixture_parse(const struct tree *t, const char *machine, const char *words,
				struct pfx_event_list *list, struct pfx_error *err)
{
	char sysfs[512], tracefs[512];
	struct pfx_pmu_roots roots = {sysfs, tracefs};

	snprintf(sysfs, sizeof(sysfs), "%s/%s", t->root, machine);
	snprintf(tracefs, sizeof(tracefs), "%s/tracing", t->root);
	return pfx_events_parse(list, words, &roots, err);
}

static inline void fixture_add_letters(struct pfx_str *to, uint64_t flags)
{
	static const struct {
		uint64_t bit;
		const char *text;
	} letters[] = {
		{PFX_ATTR_EXCLUDE_USER, "u"}, {PFX_ATTR_EXCLUDE_KERNEL, "k"},
		{PFX_ATTR_EXCLUDE_HV, "h"},   {PFX_ATTR_EXCLUDE_IDLE, "I"},
		{PFX_ATTR_EXCLUDE_HOST, "H"}, {PFX_ATTR_EXCLUDE_GUEST, "G"},
		{PFX_ATTR_PINNED, " pinned"}, {PFX_ATTR_EXCLUSIVE, " exclusive"},
	};
	size_t i;

	for (i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (flags & letters[i].bit)
			pfx_str_add(to, letters[i].text);
}

static inline void fixture_add_switch(struct pfx_str *to, const char *name, int on)
{
	if (on)
		pfx_str_addf(to, " %s%s", on > 0 ? "" : "no-", name);
}

/* What the terms say about sampling: " cg=mode stack=N frames=N br=bits time inherit". */
static inline void fixture_add_sampling(struct pfx_str *to, const struct pfx_event_sampling *s)
{
	if (s->has_callgraph)
		pfx_str_addf(to, " cg=%u", (unsigned)s->callgraph);
	if (s->stack_bytes)
		pfx_str_addf(to, " stack=%u", s->stack_bytes);
	if (s->max_frames)
		pfx_str_addf(to, " frames=%u", s->max_frames);
	if (s->branch_type)
		pfx_str_addf(to, " br=%llx", (unsigned long long)s->branch_type);
	fixture_add_switch(to, "time", s->time);
	fixture_add_switch(to, "inherit", s->inherit);
	fixture_add_switch(to, "overwrite", s->overwrite);
	fixture_add_switch(to, "aux-output", s->aux_output);
}

/* "name type:config 1=config1 2=config2 3=config3 bp=type -EXCLUDED pN g1{name} S W P period=N
 * @pmu#cpus", zero parts left out. */
static inline void fixture_add_spec(struct pfx_str *to, const struct pfx_event_spec *s)
{
	pfx_str_addf(to, "%s %u:%llx", s->name, s->attr.type, (unsigned long long)s->attr.config);
	if (s->attr.config1)
		pfx_str_addf(to, " 1=%llx", (unsigned long long)s->attr.config1);
	if (s->attr.config2)
		pfx_str_addf(to, " 2=%llx", (unsigned long long)s->attr.config2);
	if (s->attr.config3)
		pfx_str_addf(to, " 3=%llx", (unsigned long long)s->attr.config3);
	if (s->attr.bp_type)
		pfx_str_addf(to, " bp=%u", s->attr.bp_type);
	pfx_str_add(to, " -");
	fixture_add_letters(to, s->attr.flags);
	if (pfx_attr_precise(&s->attr))
		pfx_str_addf(to, " p%u", pfx_attr_precise(&s->attr));
	if (s->group)
		pfx_str_addf(to, " g%u%s%s%s", s->group, s->group_name ? "{" : "",
			     s->group_name ? s->group_name : "", s->group_name ? "}" : "");
	pfx_str_add(to, s->is_leader_sampling ? " S" : "");
	pfx_str_add(to, s->is_weak ? " W" : "");
	pfx_str_add(to, s->precise_max ? " P" : "");
	if (s->has_period || s->has_freq)
		pfx_str_addf(to, " %s=%llu", s->has_period ? "period" : "freq",
			     (unsigned long long)s->attr.sample_period);
	fixture_add_sampling(to, &s->sampling);
	if (s->pmu)
		pfx_str_addf(to, " @%s", s->pmu);
	if (s->cpus)
		pfx_str_addf(to, "#%s", s->cpus);
}

static inline void fixture_list_text(struct pfx_str *to, const struct pfx_event_list *list)
{
	size_t i;

	for (i = 0; i < list->specs.nr; i++) {
		pfx_str_add(to, i ? "\n" : "");
		fixture_add_spec(to, &list->specs.at[i]);
	}
}

#endif
