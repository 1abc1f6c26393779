/* SPDX-License-Identifier: MIT */
/*
 * The tasks of a session as a forest: threads below the first thread of their process, processes
 * below their parent. Owns its lists, borrows the threads.
 *
 *	pfx_tasks_init(&tasks, session);
 *	while ((thread = pfx_tasks_next(&tasks, &level)))
 *		...
 *	pfx_tasks_fini(&tasks);
 */
#ifndef PFX_SESSION_TASKS_H
#define PFX_SESSION_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "session/session.h"

struct pfx_tasks {
	struct pfx_thread **at; /* by tid */
	uint32_t nr;
	/* the rest is private to the walk */
	struct pfx_thread **kids; /* the same by parent, then by tid */
	bool *done;               /* by id */
	bool *walked; /* by place in kids: a number may be used many times, its kids come once */
	uint64_t next_root;
	PFX_VEC(struct pfx_thread *) todo;
	PFX_VEC(uint32_t) levels; /* of those in todo */
};

/* All tasks that the session knows now, each once. */
void pfx_tasks_init(struct pfx_tasks *tasks, struct pfx_session *session);
/* The next task, parents first, siblings by tid, and how deep it is below its root; NULL after the
 * last. */
struct pfx_thread *pfx_tasks_next(struct pfx_tasks *tasks, uint32_t *ret_level);
/* Which tid a task is below: its process, or the parent of that. */
int32_t pfx_task_parent(const struct pfx_thread *thread);
void pfx_tasks_fini(struct pfx_tasks *tasks);

#endif
