/* SPDX-License-Identifier: MIT */
/*
 * Error messages for refused counters, with the remedy. The same errno has many reasons; the
 * permissions of the process show which one applies.
 */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "event/names.h"
#include "sys/counter/counter_internal.h"

static const char *name_of(const struct pfx_counter *counter, char *out, size_t size)
{
	char made[256];

	if (counter->name)
		return pfx_escape(out, size, counter->name);
	pfx_attr_name(&counter->attr, made, sizeof(made));
	return pfx_escape(out, size, made);
}

static const char *object_of(const struct pfx_refusal *r)
{
	if (r->system_wide)
		return "the whole system";
	return "other users' processes";
}

/* The lowest paranoid level at which unprivileged users may open this counter. */
static int level_needed(const struct pfx_refusal *r)
{
	if (r->counter->attr.type == PFX_TYPE_TRACEPOINT && r->system_wide)
		return -1;
	if (r->system_wide)
		return 0;
	return r->counter->attr.flags & PFX_ATTR_EXCLUDE_KERNEL ? 2 : 1;
}

static int explain_paranoid(const struct pfx_refusal *r, const struct pfx_perm *perm,
			    struct pfx_error *err)
{
	int level = level_needed(r);
	char name[128];

	pfx_error_set(err, r->code,
		      "no permission for event '%s' on %s: kernel.perf_event_paranoid is %d",
		      name_of(r->counter, name, sizeof(name)),
		      r->system_wide ? object_of(r) : "this target", perm->paranoid);
	if (r->system_wide)
		pfx_error_hint(err,
			       "run as root or with CAP_PERFMON, or: sudo sysctl -w "
			       "kernel.perf_event_paranoid=%d (without -a, your own "
			       "processes can be recorded)",
			       level);
	else
		pfx_error_hint(err,
			       "run as root or with CAP_PERFMON, or: sudo sysctl -w "
			       "kernel.perf_event_paranoid=%d",
			       level);
	return -r->code;
}

static int explain_permission(const struct pfx_refusal *r, const struct pfx_perm *perm,
			      struct pfx_error *err)
{
	char name[128];

	name_of(r->counter, name, sizeof(name));
	if (perm->has_seccomp && (r->code == EPERM || perm->may_profile)) {
		pfx_error_set(err, r->code,
			      "a seccomp filter of this container forbids perf_event_open");
		pfx_error_hint(err, "start the container with a profile that allows it, for "
				    "example docker run --security-opt seccomp=unconfined "
				    "--cap-add PERFMON");
		return -r->code;
	}
	if (!perm->may_profile && r->counter->is_probe) {
		pfx_error_set(err, r->code, "no permission for probe '%s'", name);
		pfx_error_hint(err, "probes are for root and who has CAP_PERFMON, whatever "
				    "kernel.perf_event_paranoid says");
		return -r->code;
	}
	if (!perm->may_profile && perm->paranoid > level_needed(r))
		return explain_paranoid(r, perm, err);
	if (r->tid > 0 && !perm->may_ptrace) {
		pfx_error_set(err, r->code, "no permission to record thread %d of another user",
			      r->tid);
		pfx_error_hint(err, "run as that user or as root, or give CAP_PERFMON and "
				    "CAP_SYS_PTRACE");
		return -r->code;
	}
	pfx_error_sys(err, r->code, "the kernel refused event '%s'", name);
	pfx_error_hint(err, "the program lacks CAP_PERFMON in the first user namespace, or a "
			    "security module (lockdown, SELinux) forbids it");
	return -r->code;
}

static int explain_unsupported(const struct pfx_refusal *r, struct pfx_error *err)
{
	const struct pfx_attr *attr = &r->counter->attr;
	char name[128];

	name_of(r->counter, name, sizeof(name));
	if (attr->type == PFX_TYPE_HARDWARE || attr->type == PFX_TYPE_HW_CACHE ||
	    attr->type == PFX_TYPE_RAW) {
		pfx_error_set(err, r->code, "event '%s' is not supported on this machine", name);
		pfx_error_hint(err,
			       "there is no such hardware counter here (virtual machines often "
			       "have none); cpu-clock, task-clock and page-faults always work");
	} else {
		pfx_error_set(err, r->code, "event '%s' is not supported by this kernel", name);
	}
	return -r->code;
}

static int explain_eopnotsupp(const struct pfx_refusal *r, struct pfx_error *err)
{
	const struct pfx_attr *attr = &r->counter->attr;
	char name[128];

	name_of(r->counter, name, sizeof(name));
	if (attr->sample_type & PFX_SAMPLE_BRANCH_STACK)
		pfx_error_set(err, r->code, "this CPU records no branches for event '%s'", name);
	else if (pfx_attr_precise(attr))
		pfx_error_set(err, r->code, "event '%s' cannot be sampled precisely here", name);
	else
		pfx_error_set(err, r->code, "event '%s' raises no interrupt: it cannot be sampled",
			      name);
	if (pfx_attr_precise(attr))
		pfx_error_hint(err, "leave the modifier 'p' out, or use 'P' for the best there is");
	else
		pfx_error_hint(err, "cpu-clock and task-clock can be sampled everywhere");
	return -r->code;
}

static int explain_einval(const struct pfx_refusal *r, struct pfx_error *err)
{
	char name[128];

	pfx_error_set(err, r->code, "the kernel does not take event '%s' as it is asked for",
		      name_of(r->counter, name, sizeof(name)));
	if (r->counter->attr.type == PFX_TYPE_BREAKPOINT)
		pfx_error_hint(err, "a breakpoint's length must be 1, 2, 4 or 8 and its address a "
				    "multiple of it");
	else if (r->counter->is_probe)
		pfx_error_hint(err, "a probe must be at the start of an instruction that the "
				    "kernel can step over");
	else
		pfx_error_hint(err,
			       "try it without modifiers, or with -c instead of -F; 'dmesg' may "
			       "say more");
	return -r->code;
}

static int explain_space(const struct pfx_refusal *r, const struct pfx_perm *perm,
			 struct pfx_error *err)
{
	char name[128];

	name_of(r->counter, name, sizeof(name));
	if (r->code == ENOSPC) {
		pfx_error_set(err, r->code,
			      "there are not enough hardware registers for event '%s'", name);
		pfx_error_hint(err, "CPUs have about four breakpoints; use fewer at a time");
		return -r->code;
	}
	pfx_error_sys(err, r->code, "cannot open event '%s'", name);
	if (r->counter->attr.sample_type & PFX_SAMPLE_CALLCHAIN)
		pfx_error_hint(err,
			       "kernel.perf_event_max_stack is %llu; a smaller value needs "
			       "less kernel memory for call chains",
			       (unsigned long long)perm->max_stack);
	return -r->code;
}

static int explain_emfile(const struct pfx_refusal *r, struct pfx_error *err)
{
	pfx_error_set(err, r->code, "too many open files: each thread needs one per CPU and event");
	pfx_error_hint(err, "raise the limit (ulimit -Hn 1000000 as root, or LimitNOFILE), or "
			    "record fewer threads or events");
	return -r->code;
}

static int explain_busy(const struct pfx_refusal *r, struct pfx_error *err)
{
	char name[128];

	pfx_error_set(err, r->code, "event '%s' is in use by another profiler",
		      name_of(r->counter, name, sizeof(name)));
	pfx_error_hint(err, "end the other one first; the NMI watchdog takes a counter too: sudo "
			    "sysctl -w kernel.nmi_watchdog=0");
	return -r->code;
}

int pfx_counter_explain(const struct pfx_refusal *r, const struct pfx_perm *perm,
			struct pfx_error *err)
{
	char name[128];

	switch (r->code) {
	case EPERM:
	case EACCES:
		explain_permission(r, perm, err);
		pfx_error_known(err,
				"Error:\nAccess to performance monitoring and observability "
				"operations is limited.\nNo permission to enable %s event.",
				name_of(r->counter, name, sizeof(name)));
		return -r->code;
	case ENOENT:
	case ENXIO:
	case ENODEV:
		explain_unsupported(r, err);
		pfx_error_known(err, "Error:\nThe %s event is not supported.",
				name_of(r->counter, name, sizeof(name)));
		return -r->code;
	case EOPNOTSUPP:
		return explain_eopnotsupp(r, err);
	case EINVAL:
		return explain_einval(r, err);
	case EMFILE:
	case ENFILE:
		return explain_emfile(r, err);
	case ENOMEM:
	case ENOSPC:
		return explain_space(r, perm, err);
	case EBUSY:
		return explain_busy(r, err);
	case ESRCH:
		pfx_error_set(err, ESRCH, "there is no process %d any more", r->tid);
		return -ESRCH;
	case ENOSYS:
		pfx_error_set(err, ENOSYS, "this kernel has no performance events");
		pfx_error_hint(err, "it was built without CONFIG_PERF_EVENTS, or a container "
				    "hides the system call");
		return -ENOSYS;
	default:
		return pfx_error_sys(err, r->code, "cannot open event '%s'",
				     name_of(r->counter, name, sizeof(name)));
	}
}
