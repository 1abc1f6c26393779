/* SPDX-License-Identifier: MIT */
/* The forest of tasks, walked without recursion: its depth is untrusted input. */
#include "session/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"

#define LEVEL_MAX 100 /* deeper tasks get this level */

int32_t pfx_task_parent(const struct pfx_thread *thread)
{
	return (int32_t)(thread->tid == thread->pid ? thread->ppid : thread->pid);
}

static int by_tid(const void *x, const void *y)
{
	const struct pfx_thread *a = *(struct pfx_thread *const *)x;
	const struct pfx_thread *b = *(struct pfx_thread *const *)y;

	if (a->tid != b->tid)
		return (int32_t)a->tid > (int32_t)b->tid ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

static int by_parent(const void *x, const void *y)
{
	const struct pfx_thread *a = *(struct pfx_thread *const *)x;
	const struct pfx_thread *b = *(struct pfx_thread *const *)y;

	if (pfx_task_parent(a) != pfx_task_parent(b))
		return pfx_task_parent(a) > pfx_task_parent(b) ? 1 : -1;
	return by_tid(x, y);
}

static int32_t tid_of(const struct pfx_thread *thread)
{
	return (int32_t)thread->tid;
}

/* The first of @nr sorted elements whose number is not below @number. */
static uint32_t lower_bound(struct pfx_thread *const *at, uint32_t nr, int32_t number,
			    int32_t (*number_of)(const struct pfx_thread *thread))
{
	return (uint32_t)pfx_bisect(i, nr, number_of(at[i]) < number);
}

static bool has_parent(const struct pfx_tasks *tasks, const struct pfx_thread *thread)
{
	uint32_t at = lower_bound(tasks->at, tasks->nr, pfx_task_parent(thread), tid_of);

	return at < tasks->nr && tid_of(tasks->at[at]) == pfx_task_parent(thread);
}

static void push(struct pfx_tasks *tasks, struct pfx_thread *thread, uint32_t level)
{
	if (tasks->done[thread->id])
		return;
	tasks->done[thread->id] = true;
	pfx_vec_push(&tasks->todo, thread);
	pfx_vec_push(&tasks->levels, level);
}

static void push_kids(struct pfx_tasks *tasks, const struct pfx_thread *thread, uint32_t level)
{
	uint32_t first = lower_bound(tasks->kids, tasks->nr, tid_of(thread), pfx_task_parent), i;

	if (first == tasks->nr || pfx_task_parent(tasks->kids[first]) != tid_of(thread) ||
	    tasks->walked[first])
		return;
	tasks->walked[first] = true;
	for (i = first; i < tasks->nr && pfx_task_parent(tasks->kids[i]) == tid_of(thread); i++)
		;
	while (i-- > first)
		push(tasks, tasks->kids[i], level);
}

/* A fork may be recorded twice, by the recorder and by the kernel: later records belong to the last
 * thread of a tid. A reused tid has exited in between. */
static void choose(struct pfx_tasks *tasks, struct pfx_session *session)
{
	uint32_t i, nr_all = pfx_session_nr_threads(session);
	struct pfx_thread *thread;
	struct pfx_hash last = {0}; /* by tid */

	for (i = 0; i < nr_all; i++)
		*pfx_hash_add(&last, pfx_session_thread_at(session, i)->tid, NULL) = i;
	for (i = 0; i < nr_all; i++) {
		thread = pfx_session_thread_at(session, i);
		if (thread->exited || *pfx_hash_get(&last, thread->tid) == i)
			tasks->at[tasks->nr++] = thread;
	}
	pfx_hash_fini(&last);
}

void pfx_tasks_init(struct pfx_tasks *tasks, struct pfx_session *session)
{
	uint32_t nr = pfx_session_nr_threads(session);

	*tasks = (struct pfx_tasks){
		.at = pfx_calloc(nr + 1, sizeof(struct pfx_thread *)),
		.kids = pfx_calloc(nr + 1, sizeof(struct pfx_thread *)),
		.done = pfx_calloc(nr + 1, sizeof(*tasks->done)),
		.walked = pfx_calloc(nr + 1, sizeof(*tasks->walked)),
	};
	choose(tasks, session);
	memcpy(tasks->kids, tasks->at, tasks->nr * sizeof(struct pfx_thread *));
	qsort(tasks->at, tasks->nr, sizeof(*tasks->at), by_tid);
	qsort(tasks->kids, tasks->nr, sizeof(*tasks->kids), by_parent);
}

/* Tasks without a parent first; the others form cycles, which start anywhere. */
static bool push_root(struct pfx_tasks *tasks)
{
	struct pfx_thread *thread;
	bool in_circle;

	while (tasks->next_root < 2 * (uint64_t)tasks->nr) {
		in_circle = tasks->next_root >= tasks->nr;
		thread = tasks->at[tasks->next_root++ % tasks->nr];
		if (tasks->done[thread->id] || (!in_circle && has_parent(tasks, thread)))
			continue;
		push(tasks, thread, 0);
		return true;
	}
	return false;
}

struct pfx_thread *pfx_tasks_next(struct pfx_tasks *tasks, uint32_t *ret_level)
{
	struct pfx_thread *thread;
	uint32_t level;

	if (!tasks->todo.nr && !push_root(tasks))
		return NULL;
	thread = tasks->todo.at[--tasks->todo.nr];
	level = tasks->levels.at[--tasks->levels.nr];
	push_kids(tasks, thread, level < LEVEL_MAX ? level + 1 : level);
	*ret_level = level;
	return thread;
}

void pfx_tasks_fini(struct pfx_tasks *tasks)
{
	free(tasks->at);
	free(tasks->kids);
	free(tasks->done);
	free(tasks->walked);
	pfx_vec_free(&tasks->todo);
	pfx_vec_free(&tasks->levels);
}
