/* SPDX-License-Identifier: MIT */
/*
 * Finds the option because of which the kernel refused a counter. The kernel returns EINVAL for
 * almost every reason, so the counter is tried again without each requested feature in turn; if it
 * opens, that feature was the reason. The caller provides the function that tries it.
 */
#include <errno.h>

#include "sys/counter/counter_internal.h"

/* A feature that options request. The row applies if one of its bits is set; they are cleared for
 * the trial. */
struct extra {
	const char *option;
	const char *needs;
	const char *hint;
	uint64_t fields; /* of sample_type */
	uint64_t flags;
	uint64_t branch; /* of branch_sample_type: if not 0, only these decide */
};

#define NO_BRANCHES "a CPU that records branches, and one of the CPU's own events (like cycles)"
#define NO_BRANCHES_HINT                                                                           \
	"virtual machines and many CPUs have no branch records; for callers, --call-graph fp and " \
	"--call-graph dwarf work everywhere"

/* More specific rows are first. */
static const struct extra extras[] = {
	{"--call-graph lbr", NO_BRANCHES, NO_BRANCHES_HINT, PFX_SAMPLE_BRANCH_STACK, 0,
	 PFX_BRANCH_CALL_STACK},
	{"branch sampling (-b, -j)", NO_BRANCHES, NO_BRANCHES_HINT, PFX_SAMPLE_BRANCH_STACK, 0,
	 ~0ull},
	{"-k", "a clock that the kernel can read anywhere",
	 "monotonic, monotonic_raw, realtime, boottime and tai work since Linux 4.1", 0,
	 PFX_ATTR_USE_CLOCKID, 0},
	{"-W", "Linux 3.10", "leave -W out", PFX_SAMPLE_WEIGHT | PFX_SAMPLE_WEIGHT_STRUCT, 0, 0},
	{"--transaction", "Linux 3.13", "leave --transaction out", PFX_SAMPLE_TRANSACTION, 0, 0},
	{"--phys-data", "Linux 4.13", "leave --phys-data out", PFX_SAMPLE_PHYS_ADDR, 0, 0},
	{"--data-page-size", "Linux 5.11", "leave --data-page-size out", PFX_SAMPLE_DATA_PAGE_SIZE,
	 0, 0},
	{"--code-page-size", "Linux 5.11", "leave --code-page-size out", PFX_SAMPLE_CODE_PAGE_SIZE,
	 0, 0},
	{"--all-cgroups", "Linux 5.7", "leave --all-cgroups out", PFX_SAMPLE_CGROUP,
	 PFX_ATTR_CGROUP, 0},
	{"-I", "registers that the CPU can show at an interrupt",
	 "-I? lists those of this machine; --user-regs and -I=ip work with all events",
	 PFX_SAMPLE_REGS_INTR, 0, 0},
	{"--user-regs", "registers that the kernel can copy", "--user-regs=? lists them",
	 PFX_SAMPLE_REGS_USER, 0, 0},
	{"--switch-events", "Linux 4.3", "the tracepoint sched:sched_switch tells the same", 0,
	 PFX_ATTR_CONTEXT_SWITCH, 0},
	{"--namespaces", "Linux 4.12", "leave --namespaces out", 0, PFX_ATTR_NAMESPACES, 0},
	{"term 'overwrite'", "Linux 4.7", "leave it out", 0, PFX_ATTR_WRITE_BACKWARD, 0},
	{"term 'aux-output'", "an event that can write into the AUX area", "leave it out", 0,
	 PFX_ATTR_AUX_OUTPUT, 0},
};
#define NR_EXTRAS (sizeof(extras) / sizeof(extras[0]))

static bool applies(const struct extra *extra, const struct pfx_attr *attr)
{
	if (extra->branch)
		return attr->branch_sample_type & extra->branch;
	return attr->sample_type & extra->fields || attr->flags & extra->flags;
}

static struct pfx_attr without(const struct extra *extra, const struct pfx_attr *attr)
{
	struct pfx_attr ret = *attr;

	ret.sample_type &= ~extra->fields;
	ret.flags &= ~extra->flags;
	if (extra->fields & PFX_SAMPLE_BRANCH_STACK)
		ret.branch_sample_type = 0;
	if (extra->fields & PFX_SAMPLE_REGS_INTR)
		ret.sample_regs_intr = 0;
	if (extra->fields & PFX_SAMPLE_REGS_USER)
		ret.sample_regs_user = 0;
	if (extra->flags & PFX_ATTR_USE_CLOCKID)
		ret.clockid = 0;
	return ret;
}

static void explain(const struct extra *extra, int code, struct pfx_error *err)
{
	if (code == EACCES || code == EPERM) {
		pfx_error_set(err, code, "no permission for %s", extra->option);
		pfx_error_hint(err, "run as root or with CAP_PERFMON, or leave it out");
		return;
	}
	pfx_error_set(err, code, "%s does not work here: it needs %s", extra->option, extra->needs);
	pfx_error_hint(err, "%s", extra->hint);
}

bool pfx_counter_blame(const struct pfx_refusal *refusal, pfx_counter_trial_fn trial, void *context,
		       struct pfx_error *err)
{
	const struct pfx_attr *attr = &refusal->counter->attr;
	size_t i;

	for (i = 0; i < NR_EXTRAS; i++) {
		struct pfx_attr less;

		if (!applies(&extras[i], attr))
			continue;
		less = without(&extras[i], attr);
		if (!trial(context, &less))
			continue;
		explain(&extras[i], refusal->code, err);
		return true;
	}
	return false;
}
