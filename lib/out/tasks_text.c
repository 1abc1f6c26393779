/* SPDX-License-Identifier: MIT */
/* Tasks and their mappings, as text and as JSON. */
#include "out/recording_text.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "out/json_parts.h"
#include "out/term/term.h"
#include "session/tasks.h"

#define FLUSH_SIZE      (64u << 10)
#define MAPPINGS_INDENT 30 /* indentation of a mapping, in addition to that of its task */

static void add_mappings(struct pfx_session *session, struct pfx_thread *thread, uint32_t level,
			 struct pfx_str *to)
{
	const struct pfx_map *map;
	uint32_t i;

	for (i = 0; (map = pfx_session_map_at(session, thread, i)); i++) {
		pfx_str_pad(to, ' ', MAPPINGS_INDENT + level);
		pfx_str_addf(to, "  %" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %" PRIu64 " ",
			     map->start, map->end, map->prot & PROT_READ ? 'r' : '-',
			     map->prot & PROT_WRITE ? 'w' : '-', map->prot & PROT_EXEC ? 'x' : '-',
			     map->flags & MAP_SHARED ? 's' : 'p', map->pgoff, map->ino);
		pfx_str_add_foreign(to, map->dso->name);
		pfx_str_addc(to, '\n');
	}
}

static void add_task(const struct pfx_thread *thread, uint32_t level, struct pfx_str *to)
{
	pfx_str_addf(to, "  %8d %8d %8d |", (int)thread->pid, (int)thread->tid,
		     (int)pfx_task_parent(thread));
	pfx_str_pad(to, ' ', level);
	pfx_str_add_foreign(to, thread->comm->text);
	pfx_str_addc(to, '\n');
}

int pfx_tasks_text(struct pfx_session *session, bool mmaps, struct pfx_str *to,
		   struct pfx_error *err)
{
	struct pfx_thread *thread;
	struct pfx_tasks tasks;
	uint32_t level;
	int rc = 0;

	pfx_str_addf(to, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	pfx_tasks_init(&tasks, session);
	while (!rc && (thread = pfx_tasks_next(&tasks, &level))) {
		add_task(thread, level, to);
		if (mmaps && thread->pid == thread->tid)
			add_mappings(session, thread, level, to);
		rc = pfx_out_write(to, FLUSH_SIZE, err);
	}
	pfx_tasks_fini(&tasks);
	return rc;
}

static void add_mappings_json(struct pfx_session *session, struct pfx_thread *thread,
			      struct pfx_str *to)
{
	const struct pfx_map *map;
	uint32_t i;

	pfx_str_add(to, ",\"mmaps\":[");
	for (i = 0; (map = pfx_session_map_at(session, thread, i)); i++) {
		pfx_json_add_comma(to, i);
		pfx_str_addf(to,
			     "{\"start\":\"0x%" PRIx64 "\",\"end\":\"0x%" PRIx64
			     "\",\"access\":\"%c%c%c%c\",\"offset\":\"0x%" PRIx64
			     "\",\"inode\":%" PRIu64,
			     map->start, map->end, map->prot & PROT_READ ? 'r' : '-',
			     map->prot & PROT_WRITE ? 'w' : '-', map->prot & PROT_EXEC ? 'x' : '-',
			     map->flags & MAP_SHARED ? 's' : 'p', map->pgoff, map->ino);
		pfx_json_add_text(to, "dso", map->dso->name);
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
}

void pfx_tasks_json(struct pfx_session *session, bool mmaps, struct pfx_str *to)
{
	struct pfx_thread *thread;
	struct pfx_tasks tasks;
	uint32_t i;

	pfx_tasks_init(&tasks, session);
	pfx_str_addc(to, '[');
	for (i = 0; i < tasks.nr; i++) {
		thread = tasks.at[i];
		pfx_json_add_comma(to, i);
		pfx_str_addc(to, '{');
		pfx_json_add_int(to, "pid", (int)thread->pid);
		pfx_json_add_int(to, "tid", (int)thread->tid);
		pfx_json_add_int(to, "ppid", pfx_task_parent(thread));
		pfx_json_add_text(to, "comm", thread->comm->text);
		if (mmaps && thread->pid == thread->tid)
			add_mappings_json(session, thread, to);
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
	pfx_tasks_fini(&tasks);
}
