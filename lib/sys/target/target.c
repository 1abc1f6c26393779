/* SPDX-License-Identifier: MIT */
/*
 * Converts the user's options to CPUs and threads, from /proc and /sys only.
 */
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "sys/host/host.h"
#include "sys/host/proc.h"
#include "sys/target/target.h"

/* More threads than any kernel can run: 4 million is the largest pid_max. */
#define PID_LIMIT (1 << 22)
#define WORD_MAX  32

static int check_online(const struct pfx_list *wanted, const struct pfx_list *online,
			struct pfx_error *err)
{
	char text[256];
	size_t i;

	for (i = 0; i < wanted->nr; i++) {
		if (pfx_list_has(online, wanted->at[i]))
			continue;
		pfx_list_format(online, text, sizeof(text));
		pfx_error_set(err, ENODEV, "CPU %d is not online", wanted->at[i]);
		pfx_error_hint(err, "the CPUs of this machine are '%s'", text);
		return -ENODEV;
	}
	return 0;
}

int pfx_target_cpus(struct pfx_target *target, const char *words, const char *root,
		    struct pfx_error *err)
{
	struct pfx_list online = {0}, wanted = {0};
	char shown[256];
	int rc = pfx_host_online_cpus(root, &online);

	if (rc < 0)
		return pfx_error_sys(err, -rc, "cannot tell which CPUs are online");
	pfx_list_fini(&target->cpus);
	if (!words) {
		target->cpus = online;
		return 0;
	}
	if (!pfx_list_parse(words, &wanted) || wanted.nr == 0) {
		rc = pfx_error_set(err, EINVAL, "'%s' is not a list of CPUs",
				   pfx_escape(shown, sizeof(shown), words));
		pfx_error_hint(err, "write it like 0,2-4");
	} else {
		rc = check_online(&wanted, &online, err);
	}
	pfx_list_fini(&online);
	if (rc < 0) {
		pfx_list_fini(&wanted);
		return rc;
	}
	target->cpus = wanted;
	target->cpus_given = true;
	return 0;
}

void pfx_target_add(struct pfx_target *target, pid_t pid, pid_t tid, const char *comm)
{
	struct pfx_target_thread *thread = pfx_vec_add(&target->threads);

	memset(thread, 0, sizeof(*thread));
	thread->pid = pid;
	thread->tid = tid;
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm ? comm : "");
}

/* Among the first @nr threads. */
static bool has_thread(const struct pfx_target *target, size_t nr, pid_t tid)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (target->threads.at[i].tid == tid)
			return true;
	return false;
}

static void add_named(struct pfx_target *target, const char *root, pid_t pid, pid_t tid)
{
	char path[256], comm[64] = "";

	snprintf(path, sizeof(path), "%s/proc/%d/comm", root, tid);
	if (pfx_read_line(path, comm, sizeof(comm)) < 0)
		comm[0] = '\0';
	pfx_target_add(target, pid, tid, comm);
}

static int no_such(struct pfx_error *err, const char *what, pid_t id)
{
	pfx_error_set(err, ESRCH, "there is no %s %d", what, id);
	pfx_error_hint(err, "it may have ended already; 'ps -eL' shows what runs");
	pfx_error_known(err, "Couldn't create thread/CPU maps: No such process");
	return -ESRCH;
}

static int add_process(struct pfx_target *target, const char *root, pid_t pid,
		       struct pfx_error *err)
{
	size_t before = target->threads.nr;
	char path[256];
	struct dirent *entry;
	uint64_t tid;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc/%d/task", root, pid);
	dir = opendir(path);
	if (!dir)
		return no_such(err, "process", pid);
	while ((entry = readdir(dir)))
		if (pfx_parse_u64(entry->d_name, &tid) && tid < PID_LIMIT &&
		    !has_thread(target, before, (pid_t)tid))
			add_named(target, root, pid, (pid_t)tid);
	closedir(dir);
	return target->threads.nr > before ? 0 : no_such(err, "process", pid);
}

/* The process of a thread, 0 if it has ended. */
static pid_t process_of(const char *root, pid_t tid)
{
	char path[256];
	char *text = NULL, *at;
	pid_t pid = 0;

	snprintf(path, sizeof(path), "%s/proc/%d/status", root, tid);
	if (pfx_read_file(path, 64 << 10, &text, NULL, NULL) < 0)
		return 0;
	at = strstr(text, "\nTgid:");
	if (at)
		pid = (pid_t)strtol(at + 6, NULL, 10);
	free(text);
	return pid;
}

static int add_thread(struct pfx_target *target, const char *root, pid_t tid, struct pfx_error *err)
{
	pid_t pid = process_of(root, tid);

	if (!pid)
		return no_such(err, "thread", tid);
	if (!has_thread(target, target->threads.nr, tid))
		add_named(target, root, pid, tid);
	return 0;
}

static bool is_known_process(const struct pfx_target *target, pid_t pid)
{
	size_t i;

	for (i = 0; i < target->threads.nr; i++)
		if (target->threads.at[i].pid == pid)
			return true;
	return false;
}

/* Parse the next number of a comma-separated list. False if it is not a number. */
static bool next_id(const char **words, pid_t *ret)
{
	char word[WORD_MAX];
	size_t len = strcspn(*words, ",");
	uint64_t id;

	if (len >= sizeof(word))
		return false;
	memcpy(word, *words, len);
	word[len] = '\0';
	*words += len + ((*words)[len] == ',');
	if (!pfx_parse_u64(word, &id) || id == 0 || id > INT32_MAX)
		return false;
	*ret = (pid_t)id;
	return true;
}

static int bad_ids(struct pfx_error *err, const char *what, const char *words)
{
	char shown[256];

	pfx_error_set(err, EINVAL, "'%s' is not a list of %s ids",
		      pfx_escape(shown, sizeof(shown), words), what);
	pfx_error_hint(err, "write numbers with commas between them, like 1234,1240");
	return -EINVAL;
}

int pfx_target_pids(struct pfx_target *target, const char *words, const char *root,
		    struct pfx_error *err)
{
	const char *at = words;
	pid_t pid;
	int rc;

	root = root ? root : "";
	target->is_attached = true;
	do {
		if (!next_id(&at, &pid))
			return bad_ids(err, "process", words);
		if (is_known_process(target, pid))
			continue;
		rc = add_process(target, root, pid, err);
		if (rc < 0)
			return rc;
		pfx_vec_push(&target->processes, pid);
	} while (*at);
	return 0;
}

int pfx_target_tids(struct pfx_target *target, const char *words, const char *root,
		    struct pfx_error *err)
{
	const char *at = words;
	pid_t tid;
	int rc;

	root = root ? root : "";
	target->is_attached = true;
	do {
		if (!next_id(&at, &tid))
			return bad_ids(err, "thread", words);
		rc = add_thread(target, root, tid, err);
		if (rc < 0)
			return rc;
	} while (*at);
	return 0;
}

static int find_user(const char *word, uid_t *ret, struct pfx_error *err)
{
	const struct passwd *entry;
	char shown[128];
	uint64_t number;

	if (pfx_parse_u64(word, &number) && number < UINT32_MAX) {
		*ret = (uid_t)number;
		return 0;
	}
	entry = getpwnam(word);
	if (entry) {
		*ret = entry->pw_uid;
		return 0;
	}
	pfx_error_set(err, EINVAL, "there is no user '%s'", pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "'getent passwd' lists the users; a number works too");
	return -EINVAL;
}

static bool belongs_to(const char *root, int pid, uid_t uid)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/%d", root, pid);
	return stat(path, &st) == 0 && st.st_uid == uid;
}

/* Processes that end meanwhile are skipped. */
static int add_processes_of_user(struct pfx_target *target, const char *root, struct pfx_error *err)
{
	struct pfx_list pids = {0};
	size_t i;
	int rc = pfx_proc_pids(root, &pids, err);

	for (i = 0; i < pids.nr; i++)
		if (pids.at[i] != getpid() && belongs_to(root, pids.at[i], target->user))
			add_process(target, root, pids.at[i], NULL);
	pfx_list_fini(&pids);
	return rc;
}

int pfx_target_user(struct pfx_target *target, const char *word, const char *root,
		    struct pfx_error *err)
{
	char shown[128];
	int rc = find_user(word, &target->user, err);

	target->is_attached = true;
	target->has_user = rc >= 0;
	if (rc >= 0)
		rc = add_processes_of_user(target, root ? root : "", err);
	if (rc < 0 || target->threads.nr)
		return rc;
	pfx_error_set(err, ESRCH, "user '%s' has no processes",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "'ps -eo user,pid' shows whose processes run");
	return -ESRCH;
}

bool pfx_target_look_again(struct pfx_target *target, const char *root)
{
	size_t before = target->threads.nr, i;

	root = root ? root : "";
	for (i = 0; i < target->processes.nr; i++)
		add_process(target, root, target->processes.at[i], NULL);
	if (target->has_user)
		add_processes_of_user(target, root, NULL);
	return target->threads.nr > before;
}

void pfx_target_per_thread(struct pfx_target *target)
{
	target->per_thread = true;
	target->cpus.nr = 1;
	target->cpus.at[0] = -1;
}

size_t pfx_target_rings(const struct pfx_target *target)
{
	return target->per_thread ? target->threads.nr : target->cpus.nr;
}

void pfx_target_fini(struct pfx_target *target)
{
	pfx_list_fini(&target->cpus);
	pfx_vec_free(&target->threads);
	pfx_vec_free(&target->processes);
}
