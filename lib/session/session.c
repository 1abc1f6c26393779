/* SPDX-License-Identifier: MIT */
/*
 * The session: applies decoded records to the model and looks up addresses in it. Reads no files
 * and does not query the running machine.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "session/session_internal.h"

#define NAMESPACES_MAX     7 /* number of namespace types in the kernel */
#define KSYMBOL_UNREGISTER 1
#define PROT_OF_CODE       5 /* MMAP records contain no protection: assume read and execute */
#define PROT_OF_DATA       1
#define KERNEL_MAPS_MAX    256         /* that are cut around modules, which takes time */
#define CODE_STEPS_MAX     (16u << 20) /* of cutting maps around JIT code: limits time and memory */
#define DEFAULT_GUEST      0
#define MAP_ENTRY_SIZE     24 /* a THREAD_MAP entry: u64 pid, char comm[16] */
#define MAP_ENTRY_COMM     16
/* Bytes of names that may be printed for each sample: a small file must not become terabytes of
 * text. The kernel writes less. */
#define PATH_MOST   4096
#define SYMBOL_MOST 1024

struct pfx_session *pfx_session_new(struct pfx_meta *meta)
{
	struct pfx_session *session = pfx_calloc(1, sizeof(*session));

	session->meta = meta;
	session->source.arena = &session->arena;
	pfx_dso_table_init(&session->dsos, &session->arena, meta);
	pfx_thread_table_init(&session->threads, &session->arena);
	pfx_dso_update_build_ids(&session->dsos, meta);
	return session;
}

static void drop_guests(struct pfx_hash *guests)
{
	size_t i;

	for (i = 0; i < guests->cap; i++) {
		if (guests->used[i])
			pfx_map_set_drop((struct pfx_map_set *)(uintptr_t)guests->slots[i].value);
	}
	pfx_hash_fini(guests);
}

void pfx_session_free(struct pfx_session *session)
{
	if (!session)
		return;
	pfx_map_set_drop(session->kernel);
	drop_guests(&session->guests);
	pfx_hash_fini(&session->cgroups);
	pfx_hash_fini(&session->counts);
	pfx_hash_fini(&session->guest_ids);
	pfx_vec_free(&session->parts);
	pfx_thread_table_fini(&session->threads);
	pfx_dso_table_fini(&session->dsos);
	pfx_arena_clear(&session->arena);
	free(session);
}

/* --- maps --- */

static struct pfx_map *make_map(struct pfx_session *session, const struct pfx_mmap *mmap,
				struct pfx_dso *dso)
{
	struct pfx_map *map = pfx_arena_new(&session->arena, struct pfx_map);

	map->id = session->source.next_id++;
	map->start = mmap->addr;
	map->end = mmap->addr + mmap->len;
	if (map->end < map->start)
		map->end = UINT64_MAX;
	map->pgoff = mmap->pgoff;
	map->prot = mmap->prot;
	map->flags = mmap->flags;
	map->maj = mmap->maj;
	map->min = mmap->min;
	map->ino = mmap->ino;
	map->ino_generation = mmap->ino_generation;
	map->dso = dso;
	return map;
}

/* Memory that a JIT compiler may use for code. */
static bool is_own_memory(const struct pfx_dso *dso)
{
	return dso->kind == PFX_DSO_ANON || !strncmp(dso->name, "/memfd:", 7);
}

static void apply_user_mmap(struct pfx_session *session, const struct pfx_mmap *mmap)
{
	struct pfx_thread_entry *thread;
	struct pfx_map *map;

	if (!mmap->len)
		return;
	thread = pfx_thread_get(&session->threads, mmap->pid, mmap->tid);
	map = make_map(session, mmap, pfx_dso_of_user_map(&session->dsos, mmap, session->meta));
	if (map->dso->kind == PFX_DSO_VDSO)
		map->pgoff = 0;
	if (thread->process->has_code && is_own_memory(map->dso) &&
	    session->nr_code_steps < CODE_STEPS_MAX)
		session->nr_code_steps += pfx_map_set_insert_under_code(&thread->process->maps, map,
									&session->source);
	else
		pfx_map_set_insert(&thread->process->maps, map, &session->source);
}

void pfx_session_add_code(struct pfx_session *session, const struct pfx_mmap *mmap)
{
	apply_user_mmap(session, mmap);
	pfx_thread_get(&session->threads, mmap->pid, mmap->tid)->process->has_code = true;
}

/* Key of a guest's kernel maps: the pid of the guest's process on the host. */
static uint32_t guest_key(uint32_t pid)
{
	return pid == (uint32_t)-1 ? DEFAULT_GUEST : pid;
}

static struct pfx_map_set *find_guest(const struct pfx_session *session, uint32_t pid)
{
	uint64_t *at = pfx_hash_get(&session->guests, guest_key(pid));

	if (!at)
		at = pfx_hash_get(&session->guests, DEFAULT_GUEST);
	return at ? (struct pfx_map_set *)(uintptr_t)*at : NULL;
}

/* The map of the kernel image gets only the ranges that no module occupies. Any other map replaces
 * older maps. */
static void put_kernel_map(struct pfx_session *session, struct pfx_map_set **set,
			   struct pfx_map *map)
{
	if (map->dso->kind == PFX_DSO_KERNEL && session->nr_kernel_maps++ < KERNEL_MAPS_MAX)
		pfx_map_set_fill(set, map, &session->source);
	else
		pfx_map_set_insert(set, map, &session->source);
	session->kernel_stamp = session->source.next_stamp;
}

static void apply_kernel_mmap(struct pfx_session *session, const struct pfx_mmap *mmap,
			      enum pfx_cpumode mode)
{
	struct pfx_dso *dso = pfx_dso_of_kernel_map(&session->dsos, mmap, session->meta);
	struct pfx_map *map = make_map(session, mmap, dso);
	struct pfx_map_set *guest;
	uint64_t *at;

	map->is_kernel = true;
	if (dso->kind == PFX_DSO_MODULE)
		map->pgoff = 0;
	else if (!mmap->addr && !mmap->len)
		map->end = UINT64_MAX;
	if (mode != PFX_MODE_GUEST_KERNEL) {
		if (dso->kind == PFX_DSO_KERNEL)
			session->kernel_map = map;
		put_kernel_map(session, &session->kernel, map);
		return;
	}
	at = pfx_hash_add(&session->guests, guest_key(mmap->pid), NULL);
	guest = (struct pfx_map_set *)(uintptr_t)*at;
	put_kernel_map(session, &guest, map);
	*at = (uintptr_t)guest;
}

/* @name, or the beginning of a longer one. */
static const char *name_within(struct pfx_session *session, const char *name, size_t most)
{
	size_t len = pfx_length_within(name, most);

	return name[len] ? pfx_arena_strndup(&session->arena, name, len) : name;
}

static void apply_mmap(struct pfx_session *session, const struct pfx_body *body)
{
	enum pfx_cpumode mode = (enum pfx_cpumode)(body->misc & PFX_MISC_CPUMODE_MASK);
	struct pfx_mmap mmap = body->mmap;

	mmap.filename = name_within(session, mmap.filename, PATH_MOST);
	if (body->type == PFX_RECORD_MMAP)
		mmap.prot = body->misc & PFX_MISC_MMAP_DATA ? PROT_OF_DATA : PROT_OF_CODE;
	if (mode == PFX_MODE_KERNEL || mode == PFX_MODE_GUEST_KERNEL)
		apply_kernel_mmap(session, &mmap, mode);
	else if (mode != PFX_MODE_GUEST_USER)
		apply_user_mmap(session, &mmap);
}

static void apply_ksymbol(struct pfx_session *session, const struct pfx_ksymbol *ksymbol)
{
	struct pfx_mmap mmap = {.addr = ksymbol->addr, .len = ksymbol->len, .prot = PROT_OF_CODE};
	const struct pfx_map *old;
	struct pfx_map *map;
	const char *name;

	if (!(ksymbol->flags & KSYMBOL_UNREGISTER)) {
		name = name_within(session, ksymbol->name, SYMBOL_MOST);
		map = make_map(session, &mmap, pfx_dso_of_ksymbol(&session->dsos, name));
		map->is_kernel = true;
		put_kernel_map(session, &session->kernel, map);
		return;
	}
	old = pfx_map_set_find(session->kernel, ksymbol->addr);
	if (old && old->dso->kind == PFX_DSO_BPF)
		pfx_map_set_cut(&session->kernel, old->start, old->end, &session->source);
	session->kernel_stamp = session->source.next_stamp;
}

/* --- threads --- */

static void apply_comm(struct pfx_session *session, const struct pfx_comm *comm, uint16_t misc)
{
	struct pfx_thread_entry *thread = pfx_thread_get(&session->threads, comm->pid, comm->tid);
	bool exec = misc & PFX_MISC_COMM_EXEC;

	pfx_thread_name(&session->threads, thread, comm->comm, exec);
	if (exec)
		pfx_map_set_renew(&thread->process->maps, &session->source);
}

static void apply_fork(struct pfx_session *session, const struct pfx_task *task, uint16_t misc)
{
	/* Recorders set this flag on synthesized FORK records of running processes; MMAP records
	 * follow, so no maps are copied. */
	bool made_up = misc & PFX_MISC_FORK_EXEC;

	pfx_thread_fork(&session->threads, task, task->time, !made_up);
}

static void apply_exit(struct pfx_session *session, const struct pfx_task *task)
{
	struct pfx_thread_entry *thread = pfx_thread_find(&session->threads, task->tid);

	if (thread)
		thread->thread.exited = true;
}

static void apply_namespaces(struct pfx_session *session, const struct pfx_namespaces *ns)
{
	struct pfx_thread_entry *thread = pfx_thread_get(&session->threads, ns->pid, ns->tid);
	uint64_t nr = ns->links.nr / 2, i;
	struct pfx_ns_link *links;

	if (nr > NAMESPACES_MAX)
		nr = NAMESPACES_MAX;
	links = pfx_arena_array(&session->arena, struct pfx_ns_link, nr + 1);
	for (i = 0; i < nr; i++) {
		links[i].dev = pfx_word(&ns->links, 2 * i);
		links[i].ino = pfx_word(&ns->links, 2 * i + 1);
	}
	thread->thread.ns = links;
	thread->thread.nr_ns = (uint32_t)nr;
}

/* Names of threads that ran before the recording began; a name from a COMM record takes
 * precedence. */
static void apply_thread_map(struct pfx_session *session, const struct pfx_thread_map *map,
			     bool swap)
{
	struct pfx_cursor c = pfx_cursor_make(map->entries.at, map->entries.size, swap);
	struct pfx_thread_entry *thread;
	const uint8_t *text;
	char name[MAP_ENTRY_COMM + 1];
	uint32_t tid;

	while (pfx_cursor_left(&c) >= MAP_ENTRY_SIZE) {
		tid = (uint32_t)pfx_cursor_u64(&c);
		text = pfx_cursor_bytes(&c, MAP_ENTRY_COMM);
		if (!text)
			return;
		memcpy(name, text, MAP_ENTRY_COMM);
		name[MAP_ENTRY_COMM] = '\0';
		if (tid == (uint32_t)-1 || !name[0])
			continue;
		thread = pfx_thread_get(&session->threads, (uint32_t)-1, tid);
		if (!thread->named)
			pfx_thread_name(&session->threads, thread, name, false);
	}
}

static void apply_cgroup(struct pfx_session *session, const struct pfx_cgroup *cgroup)
{
	*pfx_hash_add(&session->cgroups, cgroup->id, NULL) = (uintptr_t)pfx_arena_strndup(
		&session->arena, cgroup->path, pfx_length_within(cgroup->path, PATH_MOST));
}

static void apply_lost(struct pfx_session *session, const struct pfx_lost *lost)
{
	session->stats.nr_lost += lost->lost;
	session->stats.nr_lost_chunks++;
}

/* Records which event ids belong to guests. */
static void apply_id_index(struct pfx_session *session, const struct pfx_id_index *index)
{
	uint64_t i, pid;

	for (i = 0; i < index->nr && 2 * i + 1 < index->machines.nr; i++) {
		pid = pfx_word(&index->machines, 2 * i);
		if (!pid)
			continue;
		*pfx_hash_add(&session->guest_ids, pfx_word(&index->entries, 4 * i), NULL) =
			pid << 32 | (uint32_t)pfx_word(&index->machines, 2 * i + 1);
	}
}

static void apply_body(struct pfx_session *session, const struct pfx_body *body)
{
	const struct pfx_header_build_id *id;

	switch (body->type) {
	case PFX_RECORD_MMAP:
	case PFX_RECORD_MMAP2:
		apply_mmap(session, body);
		break;
	case PFX_RECORD_COMM:
		apply_comm(session, &body->comm, body->misc);
		break;
	case PFX_RECORD_FORK:
		apply_fork(session, &body->task, body->misc);
		break;
	case PFX_RECORD_EXIT:
		apply_exit(session, &body->task);
		break;
	case PFX_RECORD_LOST:
		apply_lost(session, &body->lost);
		break;
	case PFX_RECORD_LOST_SAMPLES:
		session->stats.nr_lost_samples += body->lost_samples;
		break;
	case PFX_RECORD_NAMESPACES:
		apply_namespaces(session, &body->namespaces);
		break;
	case PFX_RECORD_KSYMBOL:
		apply_ksymbol(session, &body->ksymbol);
		break;
	case PFX_RECORD_CGROUP:
		apply_cgroup(session, &body->cgroup);
		break;
	case PFX_RECORD_HEADER_BUILD_ID:
		id = &body->header_build_id;
		pfx_dso_set_build_id(&session->dsos, id->filename, id->build_id, id->build_id_size);
		break;
	case PFX_RECORD_ID_INDEX:
		apply_id_index(session, &body->id_index);
		break;
	case PFX_RECORD_THREAD_MAP:
		apply_thread_map(session, &body->thread_map, body->swap);
		break;
	default: /* other records do not change the session */
		break;
	}
}

static bool is_known_type(uint32_t type)
{
	return type < PFX_RECORD_USER_MAX && pfx_record_name(type);
}

void pfx_session_apply(struct pfx_session *session, const struct pfx_record *rec)
{
	struct pfx_session_stats *stats = &session->stats;
	const struct pfx_attr *attr = NULL;
	struct pfx_body body;

	stats->nr_by_type[is_known_type(rec->type) ? rec->type : PFX_RECORD_USER_MAX]++;
	if (rec->type == PFX_RECORD_SAMPLE || !is_known_type(rec->type))
		return;
	if (rec->event)
		attr = &rec->event->attr;
	else if (session->meta->nr_events)
		attr = &session->meta->events[0]->attr;
	if (pfx_record_decode(rec, attr, &body, NULL)) {
		stats->nr_bad++;
		return;
	}
	pfx_session_update(session);
	apply_body(session, &body);
}

void pfx_session_update(struct pfx_session *session)
{
	if (session->meta->env.nr_build_ids != session->dsos.nr_env_build_ids)
		pfx_dso_update_build_ids(&session->dsos, session->meta);
}

/* --- look-ups --- */

static bool find_in(struct pfx_map_set *set, uint64_t ip, enum pfx_cpumode mode,
		    struct pfx_location *ret)
{
	const struct pfx_map *map = pfx_map_set_find(set, ip);

	ret->cpumode = mode;
	if (!map)
		return false;
	ret->map = map;
	if (!map->dso->is_absolute)
		ret->addr = ip - map->start + map->pgoff;
	map->dso->hit = true;
	return true;
}

static void locate_in_guest(struct pfx_session *session, struct pfx_thread *thread,
			    enum pfx_cpumode mode, uint64_t ip, struct pfx_location *ret)
{
	struct pfx_map_set *user = pfx_thread_entry(thread)->process->maps;

	/* recordings have no maps of user space in guests */
	if (mode == PFX_MODE_GUEST_KERNEL &&
	    find_in(find_guest(session, thread->pid), ip, mode, ret))
		return;
	if (session->guest_code)
		find_in(user, ip, mode, ret);
}

void pfx_session_locate(struct pfx_session *session, struct pfx_thread *thread,
			enum pfx_cpumode cpumode, uint64_t ip, struct pfx_location *ret)
{
	struct pfx_map_set *user = pfx_thread_entry(thread)->process->maps;

	*ret = (struct pfx_location){.addr = ip, .cpumode = cpumode};
	switch (cpumode) {
	case PFX_MODE_USER:
		find_in(user, ip, PFX_MODE_USER, ret);
		break;
	case PFX_MODE_KERNEL:
		find_in(session->kernel, ip, PFX_MODE_KERNEL, ret);
		break;
	case PFX_MODE_GUEST_KERNEL:
	case PFX_MODE_GUEST_USER:
		locate_in_guest(session, thread, cpumode, ip, ret);
		break;
	case PFX_MODE_UNKNOWN:
		if (!find_in(user, ip, PFX_MODE_USER, ret) &&
		    !find_in(session->kernel, ip, PFX_MODE_KERNEL, ret))
			ret->cpumode = PFX_MODE_UNKNOWN;
		break;
	default: /* recordings have no maps of hypervisors */
		break;
	}
}

uint64_t pfx_session_maps_stamp(const struct pfx_session *session, const struct pfx_thread *thread)
{
	const struct pfx_thread_entry *entry = (const struct pfx_thread_entry *)thread;
	/* Both stamps count changes of maps, at most one per record: 32 bits are enough. */
	uint64_t stamp = pfx_map_set_stamp(entry->process->maps) << 32 | session->kernel_stamp;

	return session->guests.nr ? pfx_hash_u64(stamp) ^ thread->pid : stamp;
}

const struct pfx_session_stats *pfx_session_stats(const struct pfx_session *session)
{
	return &session->stats;
}

const struct pfx_meta *pfx_session_meta(const struct pfx_session *session)
{
	return session->meta;
}

struct pfx_thread *pfx_session_thread(struct pfx_session *session, uint32_t pid, uint32_t tid)
{
	return &pfx_thread_get(&session->threads, pid, tid)->thread;
}

void pfx_session_guest_code(struct pfx_session *session)
{
	session->guest_code = true;
}

bool pfx_session_guest(const struct pfx_session *session, uint64_t id, uint32_t *ret_pid,
		       uint32_t *ret_vcpu)
{
	const uint64_t *at = session->guest_ids.nr ? pfx_hash_get(&session->guest_ids, id) : NULL;

	if (!at)
		return false;
	*ret_pid = (uint32_t)(*at >> 32);
	*ret_vcpu = (uint32_t)*at;
	return true;
}

const char *pfx_session_cgroup(const struct pfx_session *session, uint64_t id)
{
	uint64_t *at = pfx_hash_get(&session->cgroups, id);

	return at ? (const char *)(uintptr_t)*at : NULL;
}

uint32_t pfx_session_nr_threads(const struct pfx_session *session)
{
	return (uint32_t)session->threads.threads.nr;
}

struct pfx_thread *pfx_session_thread_at(const struct pfx_session *session, uint32_t id)
{
	return &session->threads.threads.at[id]->thread;
}

uint32_t pfx_session_nr_dsos(const struct pfx_session *session)
{
	return (uint32_t)session->dsos.dsos.nr;
}

struct pfx_dso *pfx_session_dso_at(const struct pfx_session *session, uint32_t id)
{
	return &session->dsos.dsos.at[id]->dso;
}

const struct pfx_comm_ref *pfx_session_comm_at(const struct pfx_session *session, uint32_t id)
{
	return session->threads.comms.at[id]->final;
}

const struct pfx_map *pfx_session_map_at(struct pfx_session *session, struct pfx_thread *thread,
					 uint32_t i)
{
	return pfx_map_set_at(pfx_thread_entry(thread)->process->maps, i);
}

uint64_t pfx_session_maps_end(struct pfx_session *session, struct pfx_thread *thread)
{
	return pfx_map_set_end(pfx_thread_entry(thread)->process->maps);
}

const struct pfx_map *pfx_session_kernel_map(const struct pfx_session *session)
{
	return session->kernel_map;
}
