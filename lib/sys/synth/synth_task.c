/* SPDX-License-Identifier: MIT */
/*
 * Existing processes and threads, as the records that the kernel sends when they start: FORK, COMM,
 * NAMESPACES, MMAP2. Input is /proc only. Tasks that end between two reads are skipped silently.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/ns.h"
#include "sys/host/clock_now.h"
#include "sys/synth/synth_internal.h"

#define COMM_SIZE     16
#define TIMEOUT_MS    500
#define NR_NAMESPACES 7
#define MMAP_MISC     PFX_MODE_USER

struct task {
	char comm[COMM_SIZE];
	uint32_t pid, tid, ppid, nr_threads;
};

static const char *root_of(const struct pfx_synth_options *options)
{
	return options->root ? options->root : "";
}

/* In `status`, a newline in a name is written as \n and a backslash as \\. */
static void copy_comm(char *to, const char *from)
{
	size_t n = 0;

	while (*from && n < COMM_SIZE - 1) {
		if (from[0] == '\\' && from[1] == 'n') {
			to[n++] = '\n';
			from += 2;
			continue;
		}
		if (from[0] == '\\' && from[1] == '\\')
			from++;
		to[n++] = *from++;
	}
	to[n] = '\0';
}

/* Parse a line of `status`; true if its key is used. */
static bool parse_status(const char *line, struct task *ret)
{
	const struct {
		const char *key;
		uint32_t *to;
	} numbers[] = {{"Tgid:\t", &ret->pid},
		       {"Pid:\t", &ret->tid},
		       {"PPid:\t", &ret->ppid},
		       {"Threads:\t", &ret->nr_threads}};
	size_t i, len;

	if (!strncmp(line, "Name:\t", 6)) {
		copy_comm(ret->comm, line + 6);
		return true;
	}
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		len = strlen(numbers[i].key);
		if (strncmp(line, numbers[i].key, len))
			continue;
		*numbers[i].to = (uint32_t)strtoul(line + len, NULL, 10);
		return true;
	}
	return false;
}

static bool read_task(const struct pfx_synth_options *options, uint32_t id, struct task *ret)
{
	char path[64], *line;
	struct pfx_proc_lines lines;
	int found = 0;

	*ret = (struct task){0};
	snprintf(path, sizeof(path), "/proc/%u/status", id);
	if (!pfx_proc_lines_open(&lines, options->root, path))
		while (found < 5 && (line = pfx_proc_lines_next(&lines)))
			found += parse_status(line, ret);
	pfx_proc_lines_close(&lines);
	return ret->pid && ret->tid;
}

static void put_fork(const struct pfx_synth_options *options, const struct task *task,
		     struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_FORK, .misc = PFX_MISC_FORK_EXEC};
	uint32_t parent = task->tid == task->pid ? task->ppid : task->pid;

	if (!options->forks)
		return;
	body.task = (struct pfx_task){.pid = task->pid, parent, task->tid, parent};
	pfx_synth_put(options, &body, to);
}

static void put_comm(const struct pfx_synth_options *options, const struct task *task,
		     struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_COMM};

	body.comm = (struct pfx_comm){task->pid, task->tid, task->comm};
	pfx_synth_put(options, &body, to);
}

static void put_namespaces(const struct pfx_synth_options *options, const struct task *task,
			   struct pfx_buffer *to)
{
	static const char *const names[NR_NAMESPACES] = {"net",  "uts", "ipc",   "pid",
							 "user", "mnt", "cgroup"};
	struct pfx_body body = {.type = PFX_RECORD_NAMESPACES};
	uint64_t links[2 * NR_NAMESPACES] = {0};
	char path[PFX_PROC_PATH_MAX];
	struct stat st;
	int i;

	if (!options->namespaces)
		return;
	for (i = 0; i < NR_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "%s/proc/%u/task/%u/ns/%s", root_of(options),
			 task->pid, task->tid, names[i]);
		if (stat(path, &st))
			continue;
		links[2 * i] = st.st_dev;
		links[2 * i + 1] = st.st_ino;
	}
	body.namespaces.pid = task->pid;
	body.namespaces.tid = task->tid;
	body.namespaces.links =
		(struct pfx_words){(const uint8_t *)links, 2 * NR_NAMESPACES, false};
	pfx_synth_put(options, &body, to);
}

static uint64_t take_number(char **at, int base, char behind)
{
	uint64_t v = strtoull(*at, at, base);

	if (**at == behind)
		(*at)++;
	return v;
}

/* One line of `maps`: "start-end rwxp offset major:minor inode   path". */
static bool parse_map(char *line, struct pfx_mmap *ret)
{
	char *at = line;

	ret->addr = take_number(&at, 16, '-');
	ret->len = take_number(&at, 16, ' ') - ret->addr;
	if (strnlen(at, 5) < 5 || at[4] != ' ')
		return false;
	ret->prot = (at[0] == 'r' ? PROT_READ : 0) | (at[1] == 'w' ? PROT_WRITE : 0) |
		    (at[2] == 'x' ? PROT_EXEC : 0);
	ret->flags = at[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	at += 5;
	ret->pgoff = take_number(&at, 16, ' ');
	ret->maj = (uint32_t)take_number(&at, 16, ':');
	ret->min = (uint32_t)take_number(&at, 16, ' ');
	ret->ino = take_number(&at, 10, ' ');
	at += strspn(at, " ");
	ret->filename = *at ? at : "//anon";
	return true;
}

static bool is_wanted(const struct pfx_synth_options *options, const struct pfx_mmap *map,
		      uint16_t *misc)
{
	*misc = MMAP_MISC;
	if (map->prot & PROT_EXEC)
		return true;
	*misc |= PFX_MISC_MMAP_DATA;
	return options->mmap_data && map->prot & PROT_READ;
}

static uint64_t deadline(const struct pfx_synth_options *options)
{
	uint64_t ms = options->timeout_ms ? options->timeout_ms : TIMEOUT_MS;

	return pfx_clock_monotonic() + ms * PFX_NS_PER_MS;
}

/* The maps of a process; after a timeout, the last one is marked. */
static void put_maps(const struct pfx_synth_options *options, uint32_t pid, struct pfx_buffer *to)
{
	struct pfx_body body = {.type = PFX_RECORD_MMAP2};
	struct pfx_proc_lines lines;
	size_t last = SIZE_MAX;
	uint16_t misc = 0;
	char path[64], *line;

	if (options->no_maps)
		return;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	if (pfx_proc_lines_open(&lines, options->root, path)) {
		pfx_proc_lines_close(&lines);
		return;
	}
	lines.deadline_ns = deadline(options);
	while ((line = pfx_proc_lines_next(&lines))) {
		body.mmap = (struct pfx_mmap){.pid = pid, .tid = pid};
		if (!parse_map(line, &body.mmap) || !is_wanted(options, &body.mmap, &body.misc))
			continue;
		last = to->len;
		pfx_synth_put(options, &body, to);
		misc = body.misc;
	}
	if (lines.late && last < to->len)
		pfx_buffer_patch16(to, last + 4, misc | PFX_MISC_PROC_MAP_TIMEOUT);
	pfx_proc_lines_close(&lines);
}

static void put_task(const struct pfx_synth_options *options, const struct task *task,
		     struct pfx_buffer *to)
{
	put_fork(options, task, to);
	put_comm(options, task, to);
	put_namespaces(options, task, to);
}

/* A name may contain newlines; the one at the end is not part of it. */
static bool read_comm(const char *path, char *ret)
{
	size_t size;
	char *text;

	if (pfx_read_file(path, 4096, &text, &size, NULL))
		return false;
	if (size && text[size - 1] == '\n')
		text[size - 1] = '\0';
	snprintf(ret, COMM_SIZE, "%s", text);
	free(text);
	return true;
}

/* All threads except the first. Only their name is read, since their status takes longer. */
static void put_threads(const struct pfx_synth_options *options, const struct task *process,
			struct pfx_buffer *to)
{
	char path[PFX_PROC_PATH_MAX];
	struct task task = *process;
	struct pfx_list tids;
	size_t i;

	snprintf(path, sizeof(path), "%s/proc/%u/task", root_of(options), process->pid);
	if (pfx_proc_numbers(path, &tids))
		return;
	for (i = 0; i < tids.nr; i++) {
		task.tid = (uint32_t)tids.at[i];
		if (task.tid == process->pid)
			continue;
		snprintf(path, sizeof(path), "%s/proc/%u/task/%u/comm", root_of(options),
			 process->pid, task.tid);
		if (read_comm(path, task.comm))
			put_task(options, &task, to);
	}
	pfx_list_fini(&tids);
}

static int no_such(struct pfx_error *err, const char *what, uint32_t id)
{
	return pfx_error_set(err, ESRCH, "there is no %s %u", what, id);
}

int pfx_synth_process(const struct pfx_synth_options *options, uint32_t pid, struct pfx_buffer *to,
		      struct pfx_error *err)
{
	struct task task;

	if (!read_task(options, pid, &task) || task.tid != task.pid)
		return no_such(err, "process", pid);
	put_task(options, &task, to);
	put_maps(options, pid, to);
	if (task.nr_threads != 1)
		put_threads(options, &task, to);
	return 0;
}
