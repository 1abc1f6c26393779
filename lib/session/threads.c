/* SPDX-License-Identifier: MIT */
/*
 * Threads, processes and their names. A thread is found by its tid; threads of one process share
 * its maps, a forked process starts with its parent's. Knows no addresses and no dsos.
 */
#include <stdio.h>

#include "session/session_internal.h"

static const struct pfx_comm_ref *comm_of(struct pfx_thread_table *table, const char *name,
					  bool exec)
{
	uint32_t id = pfx_intern_str(&table->names, name);
	struct pfx_comm_entry *comm;

	if (id == table->comms.nr) {
		comm = pfx_arena_new(table->arena, struct pfx_comm_entry);
		comm->plain = (struct pfx_comm_ref){id, pfx_intern_get(&table->names, id), false};
		comm->exec = (struct pfx_comm_ref){id, comm->plain.text, true};
		pfx_vec_push(&table->comms, comm);
	}
	comm = table->comms.at[id];
	return exec ? &comm->exec : &comm->plain;
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

static struct pfx_thread_entry *add_thread(struct pfx_thread_table *table, uint32_t pid,
					   uint32_t tid)
{
	struct pfx_thread_entry *entry = pfx_arena_new(table->arena, struct pfx_thread_entry);
	char name[16];

	snprintf(name, sizeof(name), ":%d", (int)tid);
	entry->thread.id = table->threads.nr;
	entry->thread.pid = pid;
	entry->thread.tid = tid;
	entry->thread.ppid = (uint32_t)-1;
	entry->thread.comm = comm_of(table, name, false);
	entry->process = get_process(table, pid);
	*pfx_hash_add(&table->by_tid, tid, NULL) = (uintptr_t)entry;
	pfx_vec_push(&table->threads, entry);
	table->last = entry;
	return entry;
}

void pfx_thread_table_init(struct pfx_thread_table *table, struct pfx_arena *arena)
{
	*table = (struct pfx_thread_table){.arena = arena};
	pfx_thread_name(table, add_thread(table, 0, 0), "swapper", false);
}

void pfx_thread_table_fini(struct pfx_thread_table *table)
{
	size_t i;

	for (i = 0; i < table->processes.nr; i++)
		pfx_map_set_drop(table->processes.at[i]->maps);
	pfx_vec_free(&table->threads);
	pfx_vec_free(&table->processes);
	pfx_vec_free(&table->comms);
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

/* A tid belongs to one thread until a fork says otherwise: what exits, or lives in another pid
 * namespace, is recorded with a pid that is not its own. */
struct pfx_thread_entry *pfx_thread_get(struct pfx_thread_table *table, uint32_t pid, uint32_t tid)
{
	struct pfx_thread_entry *entry = pfx_thread_find(table, tid);

	if (!entry)
		return add_thread(table, pid, tid);
	if (entry->thread.pid == (uint32_t)-1 && pid != (uint32_t)-1) {
		entry->thread.pid = pid;
		entry->process = get_process(table, pid);
	}
	return entry;
}

void pfx_thread_name(struct pfx_thread_table *table, struct pfx_thread_entry *entry,
		     const char *name, bool exec)
{
	entry->thread.comm = comm_of(table, name, exec);
	entry->named = true;
}

void pfx_thread_fork(struct pfx_thread_table *table, const struct pfx_task *task, uint64_t time,
		     bool copy_maps)
{
	struct pfx_thread_entry *parent = pfx_thread_get(table, task->ppid, task->ptid), *child;
	struct pfx_process *process = NULL;

	if (task->pid != task->ppid || task->pid == task->tid)
		process = add_process(table, task->pid);
	if (copy_maps && task->pid != task->ppid)
		process->maps = pfx_map_set_share(parent->process->maps);
	child = add_thread(table, task->pid, task->tid);
	child->thread.ppid = task->ppid;
	child->thread.start_time = time;
	if (!parent->named)
		return;
	child->thread.comm = comm_of(table, parent->thread.comm->text, false);
	child->named = true;
}
