/* SPDX-License-Identifier: MIT */
/*
 * Opening counters: perf_event_open(2) for every event, thread and CPU, and the fallbacks if the
 * kernel refuses, in this order: lower precision, omit features that an old kernel does not
 * support, use the clock instead of cycles, exclude the kernel, raise the limit of open files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "base/ns.h"
#include "base/str.h"
#include "sys/counter/counter_internal.h"

/* ioctl numbers of perf events; ABI. */
#define IOC_ENABLE      _IO('$', 0)
#define IOC_DISABLE     _IO('$', 1)
#define IOC_ID          _IOR('$', 7, uint64_t *)
#define IOC_SET_FILTER  _IOW('$', 6, char *)
#define FLAG_PID_CGROUP (1ul << 2)
#define FLAG_FD_CLOEXEC (1ul << 3)

#define NOFILE_STEP 1000 /* step by which the hard limit is raised */

/* A program that creates threads faster than they can be attached is never complete: after this
 * many attempts, new threads are accepted as they are. */
#define ATTACH_TRIES 8

/* Features that kernels may lack, newest first, and the bits of attrs to clear. Only features that
 * the user did not request, or that have a substitute: for others, counter_blame.c finds the
 * message. */
static const struct {
	const char *name;
	uint64_t flags;
	uint64_t read_format;
	uint64_t fields, instead; /* of sample_type */
	bool cloexec;
} gaps[] = {
	{"deferred call chains", PFX_ATTR_DEFER_CALLCHAIN | PFX_ATTR_DEFER_OUTPUT, 0, 0, 0,
	 false},                                                                        /* 6.19 */
	{"lost counts", 0, PFX_FORMAT_LOST, 0, 0, false},                               /* 6.0 */
	{"build ids in maps", PFX_ATTR_BUILD_ID, 0, 0, 0, false},                       /* 5.12 */
	{"weights in parts", 0, 0, PFX_SAMPLE_WEIGHT_STRUCT, PFX_SAMPLE_WEIGHT, false}, /* 5.12 */
	{"text pokes", PFX_ATTR_TEXT_POKE, 0, 0, 0, false},                             /* 5.9 */
	{"BPF program events", PFX_ATTR_BPF_EVENT, 0, 0, 0, false},                     /* 5.1 */
	{"kernel symbol events", PFX_ATTR_KSYMBOL, 0, 0, 0, false},                     /* 5.1 */
	{"comm_exec", PFX_ATTR_COMM_EXEC, 0, 0, 0, false},                              /* 3.16 */
	{"close-on-exec counters", 0, 0, 0, 0, true},                                   /* 3.14 */
	{"mmap2", PFX_ATTR_MMAP2, 0, 0, 0, false},                                      /* 3.12 */
	{"guest exclusion", PFX_ATTR_EXCLUDE_GUEST | PFX_ATTR_EXCLUDE_HOST, 0, 0, 0,
	 false}, /* 3.2 */
};
#define NR_GAPS (sizeof(gaps) / sizeof(gaps[0]))

const char *const *pfx_counter_gaps(void)
{
	static const char *names[NR_GAPS + 1];
	size_t i;

	for (i = 0; i < NR_GAPS; i++)
		names[i] = gaps[i].name;
	return names;
}

/* If the attr has fields that the kernel does not support, it returns E2BIG and writes its own
 * size. */
static int open_syscall(struct pfx_attr *attr, pid_t tid, int cpu, int group_fd,
			unsigned long flags)
{
	struct pfx_buffer bytes = {0};
	uint32_t size;
	int fd;

	pfx_attr_encode(attr, &bytes);
	fd = (int)syscall(SYS_perf_event_open, bytes.at, tid, cpu, group_fd, flags);
	if (fd < 0) {
		fd = -errno;
		memcpy(&size, bytes.at + 4, sizeof(size));
		if (fd == -E2BIG && size >= PFX_ATTR_SIZE_VER0 && size < attr->size)
			attr->size = size;
		else if (fd == -E2BIG)
			fd = -EINVAL;
	}
	pfx_buffer_fini(&bytes);
	return fd;
}

/* One opening in progress. */
struct attempt {
	struct pfx_counters *set;
	const struct pfx_target *target;
	struct pfx_perm perm;
	size_t index; /* of the counter */
};

static struct pfx_counter *current(struct attempt *a)
{
	return &a->set->list.at[a->index];
}

static bool lower_precision(struct pfx_counter *counter)
{
	unsigned precise = pfx_attr_precise(&counter->attr);

	if (!counter->precise_max || precise == 0)
		return false;
	pfx_attr_set_precise(&counter->attr, precise - 1);
	return true;
}

static void rename_as_attr(struct pfx_counter *counter)
{
	free(counter->name);
	counter->name = NULL;
}

/* What was asked of a cycle counter. A timer costs a virtual CPU more than 10 us, and the kernel
 * would give it that often, so that nothing else runs. */
static bool slow_down(struct pfx_attr *attr)
{
	const uint64_t period = PFX_NS_PER_SECOND / PFX_CLOCK_RATE_MAX;
	bool is_rate = attr->flags & PFX_ATTR_FREQ, is_slow;

	is_slow =
		is_rate ? attr->sample_period <= PFX_CLOCK_RATE_MAX : attr->sample_period >= period;
	if (!attr->sample_period || is_slow)
		return false;
	attr->sample_period = is_rate ? PFX_CLOCK_RATE_MAX : period;
	return true;
}

static bool fall_to_clock(struct attempt *a, int code)
{
	struct pfx_counter *counter = current(a);

	if (a->set->counts_only)
		return false;
	if (code != ENOENT && code != ENXIO && code != ENODEV && code != EOPNOTSUPP)
		return false;
	if (counter->attr.type != PFX_TYPE_HARDWARE || counter->attr.config != PFX_HW_CPU_CYCLES)
		return false;
	counter->attr.type = PFX_TYPE_SOFTWARE;
	counter->attr.config = PFX_SW_CPU_CLOCK;
	if (counter->precise_max)
		pfx_attr_set_precise(&counter->attr, 3);
	rename_as_attr(counter);
	a->set->fell_to_clock = true;
	a->set->slowed_clock |= slow_down(&counter->attr);
	return true;
}

static bool fall_to_user(struct attempt *a, int code)
{
	struct pfx_counter *counter = current(a);
	uint64_t user_only = PFX_ATTR_EXCLUDE_KERNEL | PFX_ATTR_EXCLUDE_HV;

	if ((code != EACCES && code != EPERM) || pfx_perm_kernel(&a->perm))
		return false;
	if (a->target->system_wide || counter->attr.flags & PFX_ATTR_EXCLUDE_USER ||
	    counter->is_probe)
		return false;
	/* Branches at hypervisor level are recorded only if that level is counted. */
	if ((counter->attr.flags & user_only) == PFX_ATTR_EXCLUDE_KERNEL &&
	    counter->attr.sample_type & PFX_SAMPLE_BRANCH_STACK) {
		counter->attr.flags |= user_only;
		return true;
	}
	if (counter->attr.flags & PFX_ATTR_EXCLUDE_KERNEL)
		return false;
	counter->attr.flags |= user_only;
	if (counter->is_offcpu)
		return true;
	if (counter->name)
		rename_as_attr(counter);
	a->set->fell_to_user = true;
	return true;
}

static bool any_has(const struct pfx_counters *set, size_t gap)
{
	size_t i;

	if (gaps[gap].cloexec)
		return true;
	for (i = 0; i < set->list.nr; i++)
		if (set->list.at[i].attr.flags & gaps[gap].flags ||
		    set->list.at[i].attr.read_format & gaps[gap].read_format ||
		    set->list.at[i].attr.sample_type & gaps[gap].fields)
			return true;
	return false;
}

/* Clear the newest feature that is still requested. No counter may be open, because all must agree:
 * the caller starts again. */
static bool drop_feature(struct attempt *a, int code)
{
	struct pfx_counters *set = a->set;
	size_t gap, i;

	if (code != EINVAL)
		return false;
	for (gap = 0; gap < NR_GAPS; gap++)
		if (!(set->gaps >> gap & 1) && any_has(set, gap))
			break;
	if (gap == NR_GAPS)
		return false;
	set->gaps |= 1u << gap;
	for (i = 0; i < set->list.nr; i++) {
		struct pfx_attr *attr = &set->list.at[i].attr;

		attr->flags &= ~gaps[gap].flags;
		attr->read_format &= ~gaps[gap].read_format;
		if (attr->sample_type & gaps[gap].fields)
			attr->sample_type |= gaps[gap].instead;
		attr->sample_type &= ~gaps[gap].fields;
	}
	return true;
}

/* Make the members of a weak group single events, which start like their leader. */
static void dissolve_group(struct attempt *a)
{
	const uint64_t start = PFX_ATTR_DISABLED | PFX_ATTR_ENABLE_ON_EXEC;
	uint64_t flags = a->set->list.at[current(a)->leader].attr.flags & start;
	uint32_t group = current(a)->group;
	struct pfx_counter *counter;
	size_t i;

	for (i = 0; i < a->set->list.nr; i++) {
		counter = &a->set->list.at[i];
		if (counter->group != group)
			continue;
		counter->attr.flags |= flags;
		counter->attr.read_format &= ~PFX_FORMAT_GROUP;
		counter->leader = (uint32_t)i;
		counter->group = 0;
	}
}

/* Split a weak group that the PMU cannot schedule. */
static bool break_up_group(struct attempt *a, int code)
{
	if (code != EINVAL || !current(a)->is_weak || current(a)->leader == a->index)
		return false;
	dissolve_group(a);
	return true;
}

static bool raise_nofile(struct pfx_counters *set)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return false;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
	} else {
		limit.rlim_cur += NOFILE_STEP;
		limit.rlim_max = limit.rlim_cur;
	}
	set->raised_nofile = true;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static unsigned long open_flags(const struct attempt *a)
{
	unsigned long flags = FLAG_FD_CLOEXEC;
	size_t gap;

	for (gap = 0; gap < NR_GAPS; gap++)
		if (gaps[gap].cloexec && a->set->gaps >> gap & 1)
			flags = 0;
	return a->set->list.at[a->index].cgroup_fd >= 0 ? flags | FLAG_PID_CGROUP : flags;
}

static int open_attr(struct attempt *a, struct pfx_attr *attr, pid_t tid, int cpu, int group_fd)
{
	struct pfx_counters *set = a->set;
	uint64_t config1 = attr->config1;
	uint32_t size;
	int fd;

	if (current(a)->cgroup_fd >= 0)
		tid = current(a)->cgroup_fd;
	/* a user space address: it has no meaning in a file */
	if (current(a)->probe_path)
		attr->config1 = (uintptr_t)current(a)->probe_path;
	do {
		size = attr->size;
		fd = (set->open ? set->open : open_syscall)(attr, tid, cpu, group_fd,
							    open_flags(a));
		if (fd == -EMFILE && raise_nofile(set))
			size = 0; /* again */
	} while (fd < 0 && attr->size != size);
	attr->config1 = config1;
	return fd;
}

/* The leader's descriptor for the same thread and CPU; -1 without a group; -2: the leader has
 * none. */
static int group_fd(struct attempt *a, pid_t tid, int cpu)
{
	const struct pfx_counter *counter = current(a), *leader;
	size_t i;

	if (counter->leader == a->index)
		return -1;
	leader = &a->set->list.at[counter->leader];
	for (i = 0; i < leader->fds.nr; i++)
		if (leader->fds.at[i].tid == tid && leader->fds.at[i].cpu == cpu)
			return leader->fds.at[i].fd;
	return -2;
}

/* The trial of pfx_counter_blame(): whether the kernel accepts these attrs instead of the refused
 * ones. If the refusal was a lack of permission, any other errno counts as accepted, because a
 * fallback would follow. */
struct trial {
	struct attempt *attempt;
	bool wants_permission;
	pid_t tid;
	int cpu;
};

static bool would_open(void *context, struct pfx_attr *attr)
{
	struct trial *trial = context;
	int fd = open_attr(trial->attempt, attr, trial->tid, trial->cpu, -1);

	if (fd >= 0 && !trial->attempt->set->open)
		close(fd);
	if (trial->wants_permission)
		return fd != -EACCES && fd != -EPERM;
	return fd >= 0;
}

static int refuse(struct attempt *a, int code, pid_t tid, int cpu, struct pfx_error *err)
{
	struct trial trial = {a, code == EACCES || code == EPERM, tid, cpu};
	struct pfx_refusal refusal = {
		.counter = current(a),
		.code = code,
		.tid = tid,
		.cpu = cpu,
		.system_wide = a->target->system_wide,
	};

	if (code == EINVAL || code == EOPNOTSUPP || trial.wants_permission)
		if (pfx_counter_blame(&refusal, would_open, &trial, err))
			return -code;
	return pfx_counter_explain(&refusal, &a->perm, err);
}

static void keep(struct attempt *a, int fd, pid_t tid, int cpu)
{
	struct pfx_counter_fd *entry = pfx_vec_add(&current(a)->fds);

	entry->fd = fd;
	entry->cpu = cpu;
	entry->tid = tid;
	entry->id = 0;
	entry->backward = current(a)->attr.flags & PFX_ATTR_WRITE_BACKWARD;
	entry->is_apart = current(a)->is_apart;
	if (!a->set->open)
		ioctl(fd, IOC_ID, &entry->id);
}

/* The next step after a failed open. */
enum step { STEP_FAIL, STEP_RETRY, STEP_SKIP, STEP_RESTART };

/* Offline or removed. */
static bool cpu_is_gone(int cpu)
{
	char path[128], line[8];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	if (access(path, F_OK))
		return !access("/sys/devices/system/cpu", F_OK);
	strcat(path, "/online");
	return pfx_read_line(path, line, sizeof(line)) >= 0 && line[0] == '0';
}

/* An event that is only counted may be unsupported, unless it has group members. */
static bool give_up_counting(struct attempt *a, int code)
{
	size_t i;

	if (!a->set->counts_only || current(a)->fds.nr)
		return false;
	if (code != ENOENT && code != ENXIO && code != ENODEV && code != EOPNOTSUPP &&
	    code != EINVAL && code != ENOSYS)
		return false;
	if (current(a)->is_weak && current(a)->group)
		dissolve_group(a);
	for (i = 0; i < a->set->list.nr && current(a)->leader == a->index; i++)
		if (i != a->index && a->set->list.at[i].leader == a->index)
			return false;
	current(a)->is_unsupported = true;
	return true;
}

static enum step next_step(struct attempt *a, int code, int cpu)
{
	bool is_first = current(a)->fds.nr == 0;

	if (code == ESRCH && a->target->is_attached) {
		a->set->nr_vanished += cpu == a->target->cpus.at[0] && a->index == 0;
		return STEP_SKIP;
	}
	if (code == ENODEV && a->target->cpus.nr > 1 && cpu_is_gone(cpu)) {
		a->set->nr_offline++;
		return STEP_SKIP;
	}
	if (!is_first)
		return STEP_FAIL;
	if (break_up_group(a, code))
		return STEP_RESTART;
	if (fall_to_user(a, code))
		return STEP_RETRY;
	if (code != EACCES && code != EPERM && lower_precision(current(a)))
		return STEP_RETRY;
	if (fall_to_clock(a, code))
		return STEP_RETRY;
	if (drop_feature(a, code))
		return STEP_RESTART;
	return give_up_counting(a, code) ? STEP_SKIP : STEP_FAIL;
}

/* 0, or -EAGAIN if everything must be opened again with fewer features. */
static int open_one(struct attempt *a, pid_t tid, int cpu, struct pfx_error *err)
{
	int group, fd;

	for (;;) {
		group = group_fd(a, tid, cpu);
		if (group == -2)
			return 0;
		fd = open_attr(a, &current(a)->attr, tid, cpu, group);
		if (fd >= 0) {
			keep(a, fd, tid, cpu);
			return 0;
		}
		switch (next_step(a, -fd, cpu)) {
		case STEP_RETRY:
			break;
		case STEP_SKIP:
			return 0;
		case STEP_RESTART:
			return -EAGAIN;
		case STEP_FAIL:
			return refuse(a, -fd, tid, cpu, err);
		}
	}
}

/* Whether the event's PMU counts on @cpu (-1: any). */
static bool counts_on(const struct pfx_counter *counter, int cpu)
{
	return cpu < 0 || counter->cpus.nr == 0 || pfx_list_has(&counter->cpus, cpu);
}

/* No counter was opened and none failed. */
static int refuse_nowhere(struct attempt *a, pid_t tid, const struct pfx_list *cpus,
			  struct pfx_error *err)
{
	char name[128], list[128];
	size_t i;

	for (i = 0; i < cpus->nr; i++)
		if (counts_on(current(a), cpus->at[i]))
			return refuse(a, ESRCH, tid, -1, err);
	pfx_list_format(&current(a)->cpus, list, sizeof(list));
	pfx_error_set(err, ENODEV, "event '%s' counts on none of the CPUs that are recorded",
		      current(a)->name ? pfx_escape(name, sizeof(name), current(a)->name) : "?");
	pfx_error_hint(err, "it counts on '%s'", list);
	return -ENODEV;
}

static int open_counter(struct attempt *a, struct pfx_error *err)
{
	const struct pfx_target *target = a->target;
	bool everywhere = target->system_wide || current(a)->is_everywhere;
	const struct pfx_list *cpus = &target->cpus;
	size_t nr = everywhere ? 1 : target->threads.nr;
	size_t i, c;
	int rc;

	/* CPU-wide counters need a CPU, also if threads have none */
	if ((everywhere || current(a)->only_on_cpus) && target->per_thread && current(a)->cpus.nr)
		cpus = &current(a)->cpus;
	for (i = 0; i < nr && !current(a)->is_unsupported; i++) {
		pid_t tid = everywhere ? -1 : target->threads.at[i].tid;

		for (c = 0; c < cpus->nr && !current(a)->is_unsupported; c++) {
			if (!counts_on(current(a), cpus->at[c]))
				continue;
			rc = open_one(a, tid, cpus->at[c], err);
			if (rc < 0)
				return rc;
		}
	}
	if (current(a)->fds.nr || current(a)->is_unsupported || a->set->counts_only)
		return 0;
	return refuse_nowhere(a, nr && !everywhere ? target->threads.at[0].tid : 0, cpus, err);
}

int pfx_counter_filter(const struct pfx_counter *counter, struct pfx_error *err)
{
	char filter[256], name[128];
	size_t i;

	for (i = 0; counter->filter && i < counter->fds.nr; i++)
		if (ioctl(counter->fds.at[i].fd, IOC_SET_FILTER, counter->filter) < 0)
			return pfx_error_sys(err, errno,
					     "the kernel does not take filter '%s' for '%s'",
					     pfx_escape(filter, sizeof(filter), counter->filter),
					     pfx_escape(name, sizeof(name),
							counter->name ? counter->name : "?"));
	return 0;
}

static int set_filters(struct pfx_counters *set, struct pfx_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < set->list.nr && rc >= 0 && !set->open; i++) {
		rc = set->list.at[i].filter_later ? 0 : pfx_counter_filter(&set->list.at[i], err);
		if (rc < 0)
			set->bad_filter = &set->list.at[i];
	}
	if (rc < 0)
		pfx_counters_close(set);
	return rc;
}

int pfx_counters_open(struct pfx_counters *set, const struct pfx_target *target,
		      struct pfx_error *err)
{
	struct attempt a = {.set = set, .target = target};
	int rc = 0;

	pfx_perm_read(&a.perm, NULL);
	do {
		set->nr_vanished = set->nr_offline = 0;
		for (a.index = 0; a.index < set->list.nr; a.index++) {
			rc = open_counter(&a, err);
			if (rc < 0) {
				pfx_counters_close(set);
				break;
			}
		}
	} while (rc == -EAGAIN);
	return rc < 0 ? rc : set_filters(set, err);
}

int pfx_counters_attach(struct pfx_counters *set, struct pfx_target *target, const char *root,
			struct pfx_error *err)
{
	unsigned tries;
	int rc = pfx_counters_open(set, target, err);

	for (tries = 1; rc >= 0 && tries < ATTACH_TRIES; tries++) {
		if (!pfx_target_look_again(target, root))
			break;
		pfx_counters_close(set);
		rc = pfx_counters_open(set, target, err);
	}
	return rc;
}

int pfx_counters_enable(struct pfx_counters *set, struct pfx_error *err)
{
	size_t i, j;

	for (i = 0; i < set->list.nr; i++) {
		struct pfx_counter *counter = &set->list.at[i];

		if (!(counter->attr.flags & PFX_ATTR_DISABLED) ||
		    counter->attr.flags & PFX_ATTR_ENABLE_ON_EXEC)
			continue;
		for (j = 0; j < counter->fds.nr; j++)
			if (ioctl(counter->fds.at[j].fd, IOC_ENABLE, 0) < 0)
				return pfx_error_sys(err, errno, "cannot start the counters");
	}
	return 0;
}

void pfx_counters_disable(struct pfx_counters *set)
{
	size_t i, j;

	for (i = 0; i < set->list.nr; i++)
		for (j = 0; j < set->list.at[i].fds.nr; j++)
			ioctl(set->list.at[i].fds.at[j].fd, IOC_DISABLE, 0);
}

/* Larger groups cannot be scheduled on any PMU. */
#define GROUP_WORDS 256

uint64_t pfx_counter_lost(const struct pfx_counter *counter, size_t fd_index)
{
	/* value, [enabled, running], id, lost; of a group: number, [enabled, running], and for
	 * each member value, id, lost */
	const struct pfx_counter_fd *entry = &counter->fds.at[fd_index];
	uint64_t words[GROUP_WORDS], format = counter->attr.read_format;
	bool is_group = format & PFX_FORMAT_GROUP;
	size_t at = 1, nr;
	ssize_t size;

	if (!(format & PFX_FORMAT_LOST))
		return 0;
	at += (format & PFX_FORMAT_ENABLED) != 0;
	at += (format & PFX_FORMAT_RUNNING) != 0;
	size = read(entry->fd, words, sizeof(words));
	nr = size > 0 ? (size_t)size / sizeof(*words) : 0;
	for (at += is_group; at + 1 < nr; at += 3)
		if (!is_group || words[at] == entry->id)
			return words[at + 1];
	return 0;
}

void pfx_counters_close(struct pfx_counters *set)
{
	size_t i, j;

	for (i = 0; i < set->list.nr; i++) {
		for (j = 0; j < set->list.at[i].fds.nr; j++)
			if (!set->open)
				close(set->list.at[i].fds.at[j].fd);
		set->list.at[i].fds.nr = 0;
	}
}

void pfx_counters_fini(struct pfx_counters *set)
{
	size_t i;

	pfx_counters_close(set);
	for (i = 0; i < set->list.nr; i++) {
		free(set->list.at[i].name);
		free(set->list.at[i].filter);
		if (set->list.at[i].cgroup_fd >= 0)
			close(set->list.at[i].cgroup_fd);
		pfx_vec_free(&set->list.at[i].fds);
		pfx_list_fini(&set->list.at[i].cpus);
	}
	pfx_vec_free(&set->list);
}
