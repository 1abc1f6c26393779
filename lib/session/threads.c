/* SPDX-License-Identifier: MIT */
/*
 * Threads, processes and their names. A thread is found by its tid; threads of one process share
 * its maps; a forked process starts with its parent's maps. Does not use addresses and dsos.
 */
#include <stdio.h>

#include "base/str.h"
#include "session/session_internal.h"

#define COMM_MOST 256 /* bytes; the kernel writes at most 15 */

static struct pfx_comm_entry *add_comm(struct pfx_thread_table *table, const char *text)
{
	struct pfx_comm_entry *comm = pfx_arena_new(table->arena, struct pfx_comm_entry);
	uint32_t id = (uint32_t)table->comms.nr;

	comm->plain = (struct pfx_comm_ref){id, text, false};
	comm->exec = (struct pfx_comm_ref){id, text, true};
	comm->final = &comm->plain;
	pfx_vec_push(&table->comms, comm);
	return comm;
}

static struct pfx_comm_entry *comm_of(struct pfx_thread_table *table, const char *name)
{
	uint32_t i = pfx_intern_add(&table->names, name, pfx_length_within(name, COMM_MOST));

	if (i == table->named.nr)
		pfx_vec_push(&table->named, add_comm(table, pfx_intern_get(&table->names, i)));
	return table->named.at[i];
}

/* The name of a thread before its first COMM record: ":TID", with a comm id of its own. */
static const struct pfx_comm_ref *placeholder(struct pfx_thread_table *table, uint32_t tid)
{
	char text[16];

	snprintf(text, sizeof(text), ":%d", (int)tid);
	return &add_comm(table, pfx_arena_strdup(table->arena, text))->plain;
}

static struct pfx_process *add_process(struct pfx_thread_table *table, uint32_t pid)
{
	struct pfx_process *process = pfx_arena_new(table->arena, struct pfx_process);

	process->pid = pid;
	*pfx_hash_add(&table->by_pid, pid, NULL) = (uintptr_t)process;
	pfx_vec_push(&table->processes, process);
	return process;
}

static struct pfx_process *get_process(struct pfx_thread_table *table, uint32_t pid)
{
	uint64_t *at = pfx_hash_get(&table->by_pid, pid);

	return at ? (struct pfx_process *)(uintptr_t)*at : add_process(table, pid);
}

/* @comm: NULL for a thread without a name. */
static struct pfx_thread_entry *add_thread(struct pfx_thread_table *table, uint32_t pid,
					   uint32_t tid, const struct pfx_comm_ref *comm)
{
	struct pfx_thread_entry *entry = pfx_arena_new(table->arena, struct pfx_thread_entry);
	uint64_t *at = pfx_hash_add(&table->by_tid, tid, NULL);

	if (*at)
		((struct pfx_thread_entry *)(uintptr_t)*at)->thread.replaced = true;
	*at = (uintptr_t)entry;
	entry->thread.id = table->threads.nr;
	entry->thread.pid = pid;
	entry->thread.tid = tid;
	entry->thread.ppid = (uint32_t)-1;
	entry->thread.comm = comm ? comm : placeholder(table, tid);
	entry->named = comm != NULL;
	entry->process = get_process(table, pid);
	pfx_vec_push(&table->threads, entry);
	table->last = entry;
	return entry;
}

void pfx_thread_table_init(struct pfx_thread_table *table, struct pfx_arena *arena)
{
	*table = (struct pfx_thread_table){.arena = arena};
	add_thread(table, 0, 0, &comm_of(table, "swapper")->plain);
}

void pfx_thread_table_fini(struct pfx_thread_table *table)
{
	size_t i;

	for (i = 0; i < table->processes.nr; i++)
		pfx_map_set_drop(table->processes.at[i]->maps);
	pfx_vec_free(&table->threads);
	pfx_vec_free(&table->processes);
	pfx_vec_free(&table->comms);
	pfx_vec_free(&table->named);
	pfx_intern_fini(&table->names);
	pfx_hash_fini(&table->by_tid);
	pfx_hash_fini(&table->by_pid);
}

struct pfx_thread_entry *pfx_thread_find(struct pfx_thread_table *table, uint32_t tid)
{
	uint64_t *at;

	if (table->last && table->last->thread.tid == tid)
		return table->last;
	at = pfx_hash_get(&table->by_tid, tid);
	return at ? table->last = (struct pfx_thread_entry *)(uintptr_t)*at : NULL;
}

/* A tid refers to the same thread until a FORK record reuses it: records of exiting threads, or of
 * threads in other pid namespaces, may contain a pid that is not the thread's. */
struct pfx_thread_entry *pfx_thread_get(struct pfx_thread_table *table, uint32_t pid, uint32_t tid)
{
	struct pfx_thread_entry *entry = pfx_thread_find(table, tid);

	if (!entry)
		return add_thread(table, pid, tid, NULL);
	if (entry->thread.pid == (uint32_t)-1 && pid != (uint32_t)-1) {
		entry->thread.pid = pid;
		entry->process = get_process(table, pid);
	}
	return entry;
}

void pfx_thread_name(struct pfx_thread_table *table, struct pfx_thread_entry *entry,
		     const char *name, bool exec)
{
	struct pfx_comm_entry *comm = comm_of(table, name);

	if (!entry->named)
		table->comms.at[entry->thread.comm->id]->final = &comm->plain;
	entry->thread.comm = exec ? &comm->exec : &comm->plain;
	entry->named = true;
}

void pfx_thread_fork(struct pfx_thread_table *table, const struct pfx_task *task, uint64_t time,
		     bool copy_maps)
{
	struct pfx_thread_entry *parent = pfx_thread_get(table, task->ppid, task->ptid), *child;
	const struct pfx_comm_ref *comm = NULL;
	struct pfx_process *process = NULL;

	if (task->pid != task->ppid || task->pid == task->tid)
		process = add_process(table, task->pid);
	if (copy_maps && task->pid != task->ppid)
		process->maps = pfx_map_set_share(parent->process->maps);
	if (parent->named)
		comm = &table->comms.at[parent->thread.comm->id]->plain;
	child = add_thread(table, task->pid, task->tid, comm);
	child->thread.ppid = task->ppid;
	child->thread.start_time = time;
}
