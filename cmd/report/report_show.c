/* SPDX-License-Identifier: MIT */
/* `pfx report`: what it shows instead of the table: record counts, tasks, mappings, the dump. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "cmd/report/report_internal.h"

#define LEVEL_MAX       100 /* of the indentation of tasks */
#define FLUSH_SIZE      (64u << 10)
#define MAPPINGS_INDENT 30 /* columns in front of a mapping, besides the level of its task */

static void add_count(struct pfx_str *to, const char *name, uint64_t nr, uint64_t all)
{
	pfx_str_addf(to, "%16s events: %10" PRIu64 "  (%4.1f%%)\n", name, nr,
		     all ? 100.0 * nr / all : 0);
}

/* Samples of an event that came, and those that were lost. */
static uint64_t nr_of_event(const struct pfx_report *report, uint32_t idx, uint64_t *ret_lost)
{
	*ret_lost = idx < report->nr_lost_by_event.nr ? report->nr_lost_by_event.at[idx] : 0;
	return idx < report->nr_by_event.nr ? report->nr_by_event.at[idx] : 0;
}

static void add_event_stats(struct pfx_report *report)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	uint64_t nr, nr_lost;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		nr = nr_of_event(report, i, &nr_lost);
		if (!nr && !nr_lost && !report->options->no_skip_empty)
			continue;
		pfx_str_add_foreign(&report->out, meta->events[i]->name);
		pfx_str_add(&report->out, " stats:\n");
		if (nr)
			pfx_str_addf(&report->out, "%16s events: %10" PRIu64 "\n", "SAMPLE", nr);
		if (nr_lost)
			pfx_str_addf(&report->out, "%16s events: %10" PRIu64 "\n", "LOST_SAMPLES",
				     nr_lost);
	}
}

/* The name of a type of records; NULL: none is known. */
static const char *type_name(uint32_t type)
{
	const char *name = pfx_record_name(type);

	return name && !strncmp(name, "HEADER_", 7) ? name + 7 : name;
}

static uint64_t nr_of_type(const struct pfx_report *report, uint32_t type)
{
	const struct pfx_session_stats *stats = pfx_session_stats(report->session);

	return type == PFX_RECORD_SAMPLE ? report->nr_samples : stats->nr_by_type[type];
}

void pfx_report_add_stats(struct pfx_report *report)
{
	uint64_t nr, all = 0;
	const char *name;
	uint32_t i;

	for (i = 0; i <= PFX_RECORD_USER_MAX; i++)
		all += nr_of_type(report, i);
	pfx_str_addf(&report->out, "\nAggregated stats:\n%16s events: %10" PRIu64 "\n", "TOTAL",
		     all);
	for (i = 0; i <= PFX_RECORD_USER_MAX; i++) {
		nr = nr_of_type(report, i);
		name = type_name(i);
		if (nr || (name && report->options->no_skip_empty))
			add_count(&report->out, name ? name : "UNKNOWN", nr, all);
	}
	add_event_stats(report);
}

static void add_json_text(struct pfx_str *to, const char *name, const char *text)
{
	pfx_str_addf(to, "\"%s\":\"", name);
	pfx_str_add_json(to, text, strlen(text));
	pfx_str_addc(to, '"');
}

void pfx_report_stats_json(const struct pfx_report *report, struct pfx_str *to)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	uint64_t nr, nr_lost, nr_unknown = 0;
	uint32_t i;

	pfx_str_add(to, "{\"types\":{");
	for (i = 0; i <= PFX_RECORD_USER_MAX; i++) {
		nr = nr_of_type(report, i);
		if (nr && type_name(i))
			pfx_str_addf(to, "\"%s\":%" PRIu64 ",", type_name(i), nr);
		else
			nr_unknown += nr;
	}
	pfx_str_addf(to, "\"UNKNOWN\":%" PRIu64 "},\"events\":[", nr_unknown);
	for (i = 0; i < meta->nr_events; i++) {
		pfx_str_add(to, i ? ",{" : "{");
		add_json_text(to, "name", meta->events[i]->name);
		nr = nr_of_event(report, i, &nr_lost);
		pfx_str_addf(to, ",\"samples\":%" PRIu64 ",\"lost_samples\":%" PRIu64 "}", nr,
			     nr_lost);
	}
	pfx_str_add(to, "]}");
}

/* The tasks as a forest. */
struct tasks {
	struct pfx_report *report;
	struct pfx_thread **at;   /* by tid */
	struct pfx_thread **kids; /* the same by parent, then by tid */
	uint32_t nr;
	bool *done;   /* by id */
	bool *walked; /* by place in kids: a number may be used many times, its kids come once */
	PFX_VEC(struct pfx_thread *) todo;
	PFX_VEC(uint32_t) levels; /* of those in todo */
};

/* Threads hang below the first thread of their process, processes below their parent. */
static int32_t parent_of(const struct pfx_thread *thread)
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

	if (parent_of(a) != parent_of(b))
		return parent_of(a) > parent_of(b) ? 1 : -1;
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

static bool has_parent(const struct tasks *tasks, const struct pfx_thread *thread)
{
	uint32_t at = lower_bound(tasks->at, tasks->nr, parent_of(thread), tid_of);

	return at < tasks->nr && tid_of(tasks->at[at]) == parent_of(thread);
}

static void add_mappings(struct tasks *tasks, struct pfx_thread *thread, uint32_t level)
{
	struct pfx_report *report = tasks->report;
	const struct pfx_map *map;
	uint32_t i;

	for (i = 0; (map = pfx_session_map_at(report->session, thread, i)); i++) {
		pfx_str_pad(&report->out, ' ', MAPPINGS_INDENT + level);
		pfx_str_addf(&report->out,
			     "  %" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %" PRIu64 " ",
			     map->start, map->end, map->prot & PROT_READ ? 'r' : '-',
			     map->prot & PROT_WRITE ? 'w' : '-', map->prot & PROT_EXEC ? 'x' : '-',
			     map->flags & MAP_SHARED ? 's' : 'p', map->pgoff, map->ino);
		pfx_str_add_foreign(&report->out, map->dso->name);
		pfx_str_addc(&report->out, '\n');
	}
}

static void add_task(struct tasks *tasks, struct pfx_thread *thread, uint32_t level)
{
	struct pfx_report *report = tasks->report;

	pfx_str_addf(&report->out, "  %8d %8d %8d |", (int)thread->pid, (int)thread->tid,
		     (int)parent_of(thread));
	pfx_str_pad(&report->out, ' ', level);
	pfx_str_add_foreign(&report->out, thread->comm->text);
	pfx_str_addc(&report->out, '\n');
	if (report->options->mmaps && thread->pid == thread->tid)
		add_mappings(tasks, thread, level);
}

static void push(struct tasks *tasks, struct pfx_thread *thread, uint32_t level)
{
	if (tasks->done[thread->id])
		return;
	tasks->done[thread->id] = true;
	pfx_vec_push(&tasks->todo, thread);
	pfx_vec_push(&tasks->levels, level);
}

static void push_kids(struct tasks *tasks, const struct pfx_thread *thread, uint32_t level)
{
	uint32_t first = lower_bound(tasks->kids, tasks->nr, tid_of(thread), parent_of), i;

	if (first == tasks->nr || parent_of(tasks->kids[first]) != tid_of(thread) ||
	    tasks->walked[first])
		return;
	tasks->walked[first] = true;
	for (i = first; i < tasks->nr && parent_of(tasks->kids[i]) == tid_of(thread); i++)
		;
	while (i-- > first)
		push(tasks, tasks->kids[i], level);
}

/* A task and all below it, without recursion: who wrote the file chose the depth. */
static int add_tree(struct tasks *tasks, struct pfx_thread *root, struct pfx_error *err)
{
	struct pfx_thread *thread;
	uint32_t level;
	int rc = 0;

	push(tasks, root, 0);
	while (tasks->todo.nr && !rc) {
		thread = tasks->todo.at[--tasks->todo.nr];
		level = tasks->levels.at[--tasks->levels.nr];
		add_task(tasks, thread, level);
		push_kids(tasks, thread, level < LEVEL_MAX ? level + 1 : level);
		rc = pfx_out_write(&tasks->report->out, FLUSH_SIZE, err);
	}
	return rc;
}

/* Roots first; what is left then hangs in a circle and starts anywhere. */
static int add_forest(struct tasks *tasks, struct pfx_error *err)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < tasks->nr && !rc; i++)
		if (!has_parent(tasks, tasks->at[i]))
			rc = add_tree(tasks, tasks->at[i], err);
	for (i = 0; i < tasks->nr && !rc; i++)
		if (!tasks->done[tasks->at[i]->id])
			rc = add_tree(tasks, tasks->at[i], err);
	return rc;
}

/* Of forks that are told twice, once by the recorder and once by the kernel, the last thread is
 * that which was met; a number that was used again has exited in between. */
static uint32_t choose_tasks(struct tasks *tasks)
{
	struct pfx_session *session = tasks->report->session;
	uint32_t i, nr = 0, nr_all = pfx_session_nr_threads(session);
	struct pfx_thread *thread;
	struct pfx_hash last = {0}; /* by tid */

	for (i = 0; i < nr_all; i++)
		*pfx_hash_add(&last, pfx_session_thread_at(session, i)->tid, NULL) = i;
	for (i = 0; i < nr_all; i++) {
		thread = pfx_session_thread_at(session, i);
		if (thread->exited || *pfx_hash_get(&last, thread->tid) == i)
			tasks->at[nr++] = thread;
	}
	pfx_hash_fini(&last);
	return nr;
}

static void add_mappings_json(struct pfx_report *report, struct pfx_thread *thread,
			      struct pfx_str *to)
{
	const struct pfx_map *map;
	uint32_t i;

	pfx_str_add(to, ",\"mmaps\":[");
	for (i = 0; (map = pfx_session_map_at(report->session, thread, i)); i++) {
		pfx_str_addf(to,
			     "%s{\"start\":\"0x%" PRIx64 "\",\"end\":\"0x%" PRIx64
			     "\",\"access\":\"%c%c%c%c\",\"offset\":\"0x%" PRIx64
			     "\",\"inode\":%" PRIu64 ",",
			     i ? "," : "", map->start, map->end, map->prot & PROT_READ ? 'r' : '-',
			     map->prot & PROT_WRITE ? 'w' : '-', map->prot & PROT_EXEC ? 'x' : '-',
			     map->flags & MAP_SHARED ? 's' : 'p', map->pgoff, map->ino);
		add_json_text(to, "dso", map->dso->name);
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
}

void pfx_report_tasks_json(struct pfx_report *report, struct pfx_str *to)
{
	struct tasks tasks = {.report = report};
	uint32_t i, nr = pfx_session_nr_threads(report->session);

	tasks.at = pfx_calloc(nr + 1, sizeof(struct pfx_thread *));
	tasks.nr = choose_tasks(&tasks);
	qsort(tasks.at, tasks.nr, sizeof(*tasks.at), by_tid);
	pfx_str_addc(to, '[');
	for (i = 0; i < tasks.nr; i++) {
		struct pfx_thread *thread = tasks.at[i];

		pfx_str_addf(to, "%s{\"pid\":%d,\"tid\":%d,\"ppid\":%d,", i ? "," : "",
			     (int)thread->pid, (int)thread->tid, (int)parent_of(thread));
		add_json_text(to, "comm", thread->comm->text);
		if (report->options->mmaps && thread->pid == thread->tid)
			add_mappings_json(report, thread, to);
		pfx_str_addc(to, '}');
	}
	pfx_str_addc(to, ']');
	free(tasks.at);
}

int pfx_report_add_tasks(struct pfx_report *report, struct pfx_error *err)
{
	struct tasks tasks = {.report = report};
	uint32_t nr = pfx_session_nr_threads(report->session);
	int rc;

	tasks.at = pfx_calloc(nr + 1, sizeof(struct pfx_thread *));
	tasks.kids = pfx_calloc(nr + 1, sizeof(struct pfx_thread *));
	tasks.done = pfx_calloc(nr + 1, sizeof(*tasks.done));
	tasks.walked = pfx_calloc(nr + 1, sizeof(*tasks.walked));
	tasks.nr = choose_tasks(&tasks);
	memcpy(tasks.kids, tasks.at, tasks.nr * sizeof(struct pfx_thread *));
	qsort(tasks.at, tasks.nr, sizeof(*tasks.at), by_tid);
	qsort(tasks.kids, tasks.nr, sizeof(*tasks.kids), by_parent);
	pfx_str_addf(&report->out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	rc = add_forest(&tasks, err);
	free(tasks.at);
	free(tasks.kids);
	free(tasks.done);
	free(tasks.walked);
	pfx_vec_free(&tasks.todo);
	pfx_vec_free(&tasks.levels);
	return rc;
}
