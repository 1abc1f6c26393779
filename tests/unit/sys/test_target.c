/* SPDX-License-Identifier: MIT */
/* Permissions, CPUs, threads and cgroups, read below a directory instead of /proc and /sys. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "sys/counter/counter.h"
#include "sys/counter/ring.h"
#include "sys/host/cgroup.h"
#include "sys/host/perm.h"
#include "unit/base/tree.h"

static char root[] = "/tmp/pfx-target-XXXXXX";

static void put(const char *path, const char *text)
{
	char full[512], *slash;
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_root(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	put("sys/devices/system/cpu/online", "0-3,6\n");
	put("proc/sys/kernel/perf_event_paranoid", "3\n");
	put("proc/sys/kernel/perf_event_mlock_kb", "516\n");
	put("proc/sys/kernel/perf_event_max_sample_rate", "50000\n");
	put("proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\nSeccomp:\t2\n");
	put("proc/77/task/77/comm", "main\n");
	put("proc/77/task/78/comm", "worker\n");
	put("proc/77/comm", "main\n");
	put("proc/78/comm", "worker\n");
	put("proc/78/status", "Name:\tworker\nTgid:\t77\n");
	put("sys/fs/old/web/x", "");
	put("sys/fs/new/app/x", "");
	put("proc/mounts", "none /proc proc rw 0 0\n");
	return 0;
}

static int drop_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command) ? -1 : 0;
}

static void permissions(void **state)
{
	struct pfx_perm perm;

	(void)state;
	pfx_perm_read(&perm, root);
	assert_int_equal(perm.paranoid, 3);
	assert_int_equal(perm.max_rate, 50000);
	assert_true(perm.may_profile);
	assert_false(perm.may_lock);
	assert_true(perm.has_seccomp);
	assert_true(pfx_perm_kernel(&perm));
	perm.may_profile = false;
	assert_false(pfx_perm_kernel(&perm));
}

static void ring_sizes(void **state)
{
	struct pfx_perm perm = {.mlock_kb = 516, .mem_bytes = 64ull << 30};

	(void)state;
	assert_int_equal(pfx_perm_ring_bytes(&perm, 1), 512 << 10);
	assert_int_equal(pfx_perm_ring_bytes(&perm, 64), 512 << 10);
	perm.memlock = 8 << 20;
	assert_int_equal(pfx_perm_ring_bytes(&perm, 2), 4 << 20);
	assert_int_equal(pfx_perm_ring_bytes(&perm, 64), 512 << 10);
	perm.may_lock = true;
	assert_int_equal(pfx_perm_ring_bytes(&perm, 2), 8 << 20);
	assert_int_equal(pfx_perm_ring_bytes(&perm, 0), 8 << 20);
	/* Half a terabyte for all CPUs is limited to a sixteenth of the memory. */
	assert_int_equal(pfx_perm_ring_bytes(&perm, 1024), 4 << 20);
	perm.mem_bytes = 128 << 20;
	assert_int_equal(pfx_perm_ring_bytes(&perm, 2), 4 << 20);
}

static void cpus_of_a_list(void **state)
{
	struct pfx_target target = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_target_cpus(&target, NULL, root, &err), 0);
	assert_int_equal(target.cpus.nr, 5);
	assert_false(target.cpus_given);
	assert_int_equal(pfx_target_cpus(&target, "6,1-2", root, &err), 0);
	assert_int_equal(target.cpus.nr, 3);
	assert_int_equal(target.cpus.at[2], 6);
	assert_int_equal(pfx_target_cpus(&target, "2,5", root, &err), -ENODEV);
	assert_string_equal(err.text, "CPU 5 is not online");
	assert_non_null(strstr(err.hint, "0-3,6"));
	assert_int_equal(pfx_target_cpus(&target, "x", root, &err), -EINVAL);
	pfx_target_fini(&target);
}

static void threads_of_a_process(void **state)
{
	struct pfx_target target = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_target_pids(&target, "77,77", root, &err), 0);
	assert_int_equal(target.threads.nr, 2);
	assert_true(target.is_attached);
	assert_int_equal(target.threads.at[0].pid, 77);
	assert_int_equal(pfx_target_pids(&target, "79", root, &err), -ESRCH);
	assert_string_equal(err.text, "there is no process 79");
	pfx_target_fini(&target);
	assert_int_equal(pfx_target_tids(&target, "78", root, &err), 0);
	assert_int_equal(target.threads.nr, 1);
	assert_int_equal(target.threads.at[0].pid, 77);
	assert_string_equal(target.threads.at[0].comm, "worker");
	assert_int_equal(pfx_target_tids(&target, "80", root, &err), -ESRCH);
	pfx_target_fini(&target);
}

static void threads_of_a_user(void **state)
{
	struct pfx_target target = {0};
	struct pfx_error err = {0};
	char word[32];

	(void)state;
	snprintf(word, sizeof(word), "%u", (unsigned)getuid());
	assert_int_equal(pfx_target_user(&target, word, root, &err), 0);
	assert_true(target.is_attached);
	assert_int_equal(target.threads.nr, 2);
	assert_int_equal(target.threads.at[0].pid, 77);
	pfx_target_fini(&target);
	assert_int_equal(pfx_target_user(&target, "4000000000", root, &err), -ESRCH);
	assert_string_equal(err.text, "user '4000000000' has no processes");
	assert_int_equal(pfx_target_user(&target, "no such user", root, &err), -EINVAL);
	assert_string_equal(err.text, "there is no user 'no such user'");
	pfx_target_fini(&target);
}

/* A kernel in which the target creates a thread whenever a counter of @creator is opened, until it
 * has @most. */
static struct {
	pid_t creator;
	int nr, most;
} created;

static int open_while_threads_are_created(struct pfx_attr *attr, pid_t tid, int cpu, int group_fd,
					  unsigned long flags)
{
	char path[64];

	(void)attr, (void)cpu, (void)group_fd, (void)flags;
	if (tid == created.creator && created.nr < created.most) {
		snprintf(path, sizeof(path), "proc/90/task/%d/comm", 91 + created.nr++);
		put(path, "late\n");
	}
	return 100;
}

static size_t attach(int most, const char *user, struct pfx_target *target)
{
	struct pfx_counters set = {.open = open_while_threads_are_created};
	struct pfx_attr attr = {.type = PFX_TYPE_SOFTWARE, .size = PFX_COUNTER_ATTR_SIZE};
	struct pfx_error err = {0};
	size_t nr;

	put("proc/90/task/90/comm", "maker\n");
	created.creator = 90;
	created.nr = 0;
	created.most = most;
	pfx_counters_add(&set, &attr, "event");
	if (user)
		assert_int_equal(pfx_target_user(target, user, root, &err), 0);
	else
		assert_int_equal(pfx_target_pids(target, "90", root, &err), 0);
	assert_int_equal(pfx_target_cpus(target, NULL, root, &err), 0);
	pfx_target_per_thread(target);
	assert_int_equal(pfx_counters_attach(&set, target, root, &err), 0);
	nr = set.list.at[0].fds.nr;
	pfx_counters_fini(&set);
	return nr;
}

static void threads_created_while_attaching(void **state)
{
	struct pfx_target target = {0};
	char user[32], command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s/proc/90", root);
	/* The third list is the same as the second. */
	assert_int_equal(attach(2, NULL, &target), 3);
	assert_int_equal(target.threads.nr, 3);
	assert_string_equal(target.threads.at[2].comm, "");
	pfx_target_fini(&target);
	/* One more thread each time: give up, with the threads so far. */
	assert_int_equal(system(command), 0);
	assert_int_equal(attach(1000, NULL, &target), 8);
	pfx_target_fini(&target);
	/* All processes of a user: also those of 77. */
	assert_int_equal(system(command), 0);
	snprintf(user, sizeof(user), "%u", (unsigned)getuid());
	assert_int_equal(attach(1, user, &target), 4);
	pfx_target_fini(&target);
	assert_int_equal(system(command), 0);
}

static void one_ring_per_thread(void **state)
{
	struct pfx_counter_fd first = {.cpu = -1, .tid = 77}, second = {.cpu = -1, .tid = 78};
	struct pfx_ring ring = {.cpu = -1, .tid = 77};
	struct pfx_target target = {0};
	struct pfx_error err = {0};

	(void)state;
	assert_int_equal(pfx_target_cpus(&target, NULL, root, &err), 0);
	assert_int_equal(pfx_target_pids(&target, "77", root, &err), 0);
	assert_int_equal(pfx_target_rings(&target), 5);
	pfx_target_per_thread(&target);
	assert_int_equal(target.cpus.nr, 1);
	assert_int_equal(target.cpus.at[0], -1);
	assert_int_equal(pfx_target_rings(&target), 2);
	assert_true(pfx_ring_takes(&ring, &first));
	assert_false(pfx_ring_takes(&ring, &second));
	ring.cpu = second.cpu = 3;
	assert_true(pfx_ring_takes(&ring, &second));
	assert_false(pfx_ring_takes(&ring, &first));
	pfx_target_fini(&target);
}

/* The mounts determine the directories of cgroups; a hierarchy of their own has precedence. */
static void directories_of_cgroups(void **state)
{
	char text[1024];
	struct pfx_error err = {0};
	char *mount;
	int fd;

	(void)state;
	assert_null(pfx_cgroup_mount(root));
	assert_int_equal(pfx_cgroup_open("web", root, &fd, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no hierarchy"));
	snprintf(text, sizeof(text),
		 "c %s/sys/fs/new cgroup2 rw 0 0\nc /nowhere cgroup rw,cpu 0 0\n", root);
	put("proc/mounts", text);
	assert_int_equal(pfx_cgroup_open("/app", root, &fd, &err), 0);
	close(fd);
	assert_int_equal(pfx_cgroup_open("web", root, &fd, &err), -ENOENT);
	assert_non_null(strstr(err.text, "'web'"));
	assert_non_null(strstr(err.hint, "/sys/fs/new"));
	snprintf(text, sizeof(text),
		 "c %s/sys/fs/new cgroup2 rw 0 0\nc %s/sys/fs/old cgroup rw,cpu,perf_event 0 0\n",
		 root, root);
	put("proc/mounts", text);
	mount = pfx_cgroup_mount(root);
	assert_non_null(strstr(mount, "/sys/fs/old"));
	free(mount);
	assert_int_equal(pfx_cgroup_open("web", root, &fd, &err), 0);
	close(fd);
}

static void names_of_registers(void **state)
{
	(void)state;
	assert_string_equal(pfx_arch_reg_name("x86_64", 0), "AX");
	assert_string_equal(pfx_arch_reg_name("x86_64", 8), "IP");
	assert_string_equal(pfx_arch_reg_name("x86_64", 23), "R15");
	assert_string_equal(pfx_arch_reg_name("x86_64", 32), "XMM0");
	assert_string_equal(pfx_arch_reg_name("x86_64", 63), "XMM15");
	assert_null(pfx_arch_reg_name("x86_64", 24));
	assert_null(pfx_arch_reg_name("i686", 16));
	assert_string_equal(pfx_arch_reg_name("aarch64", 31), "sp");
	assert_string_equal(pfx_arch_reg_name("aarch64", 46), "vg");
	assert_string_equal(pfx_arch_reg_name("armv7l", 13), "sp");
	assert_string_equal(pfx_arch_reg_name("s390x", 33), "PC");
	assert_string_equal(pfx_arch_reg_name("riscv64", 2), "sp");
	assert_string_equal(pfx_arch_reg_name("ppc64le", 32), "nip");
	assert_null(pfx_arch_reg_name("vax", 0));
}

static void bad_ids(void **state)
{
	static const char *const words[] = {"",  "x",  "77,,77",      "12x",
					    "0", "-1", "99999999999", "77,x"};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct pfx_target target = {0};
		struct pfx_error err = {0};

		assert_int_equal(pfx_target_pids(&target, words[i], root, &err), -EINVAL);
		assert_non_null(strstr(err.text, "is not a list of process ids"));
		pfx_target_fini(&target);
	}
}

/* Patterns match anywhere in a path; each cgroup is listed once. */
static void patterns_of_cgroups(void **state)
{
	static const char *const dirs[] = {"web", "web/a1", "web/a2", "db", "db/a1"};
	static const struct {
		const char *words, *wanted;
	} rows[] = {
		{"web,db", "web db"},          {"a1$", "db/a1 web/a1"},
		{"^web", "web web/a1 web/a2"}, {"web,^web/", "web web/a1 web/a2"},
		{",none", "/ none"},           {"(web|db)/a[12],db", "db/a1 web/a1 web/a2 db"},
	};
	struct pfx_cgroup_names names;
	struct pfx_error err = {0};
	char path[256], text[512];
	struct tree t;
	size_t i, j;

	tree_init(&t);
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "/cg/%s/cgroup.procs", dirs[i]);
		tree_file(&t, path, "");
	}
	snprintf(text, sizeof(text), "c %s/cg cgroup2 rw 0 0\n", t.root);
	tree_file(&t, "/proc/mounts", text);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		names = (struct pfx_cgroup_names){0};
		assert_int_equal(pfx_cgroup_find(rows[i].words, t.root, &names, &err), 0);
		text[0] = '\0';
		for (j = 0; j < names.names.nr; j++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 j ? " " : "", names.names.at[j]);
		assert_string_equal(text, rows[i].wanted);
		pfx_cgroup_names_fini(&names);
	}
	names = (struct pfx_cgroup_names){0};
	assert_int_equal(pfx_cgroup_find("web[", t.root, &names, &err), -EINVAL);
	assert_int_equal(pfx_cgroup_find("x$", t.root, &names, &err), -ENOENT);
	assert_string_equal(err.text, "no cgroup matches 'x$'");
	pfx_cgroup_names_fini(&names);
	tree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permissions),
		cmocka_unit_test(ring_sizes),
		cmocka_unit_test(cpus_of_a_list),
		cmocka_unit_test(threads_of_a_process),
		cmocka_unit_test(threads_of_a_user),
		cmocka_unit_test(threads_created_while_attaching),
		cmocka_unit_test(one_ring_per_thread),
		cmocka_unit_test(directories_of_cgroups),
		cmocka_unit_test(patterns_of_cgroups),
		cmocka_unit_test(names_of_registers),
		cmocka_unit_test(bad_ids),
	};

	return cmocka_run_group_tests(tests, make_root, drop_root);
}
