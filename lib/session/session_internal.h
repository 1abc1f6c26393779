/* SPDX-License-Identifier: MIT */
/* What the parts of the session share: sets of maps, the tables of dsos and threads. */
#ifndef PFX_SESSION_INTERNAL_H
#define PFX_SESSION_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "session/session.h"

/* --- sets of maps (maps.c) --- */

/* Where maps and stamps come from: one per session. */
struct pfx_map_source {
	struct pfx_arena *arena;
	uint32_t next_id;
	uint64_t next_stamp;
};

/* A set of maps that do not overlap, ordered by address. Sets are shared by forked processes until
 * one of them changes; the pieces of a set are shared even then. NULL is an empty set. */
struct pfx_map_set;

struct pfx_map_set *pfx_map_set_share(struct pfx_map_set *set);
void pfx_map_set_drop(struct pfx_map_set *set);
const struct pfx_map *pfx_map_set_find(struct pfx_map_set *set, uint64_t addr);
/* Put @map in; what older maps have in its range is cut off. *@set is replaced when it was shared.
 */
void pfx_map_set_insert(struct pfx_map_set **set, struct pfx_map *map, struct pfx_map_source *from);
/* The same, but older maps keep their place and @map gets what is free. */
void pfx_map_set_fill(struct pfx_map_set **set, struct pfx_map *map, struct pfx_map_source *from);
/* Begin anew after an exec. The old maps are only asked where the new ones know nothing: until the
 * new program runs, samples still have the address from which the old one called exec. */
void pfx_map_set_renew(struct pfx_map_set **set, struct pfx_map_source *from);
/* The same as an insertion, but maps of jitdumps keep their place. Returns how many maps it had to
 * look at: each of those may cut the new one to pieces. */
uint32_t pfx_map_set_insert_under_code(struct pfx_map_set **set, struct pfx_map *map,
				       struct pfx_map_source *from);
/* Cut the range out of all maps. */
void pfx_map_set_cut(struct pfx_map_set **set, uint64_t start, uint64_t end,
		     struct pfx_map_source *from);
/* The @i-th map, NULL behind the last. */
const struct pfx_map *pfx_map_set_at(struct pfx_map_set *set, uint32_t i);
/* Where the highest map ends; 0 for an empty set. */
uint64_t pfx_map_set_end(const struct pfx_map_set *set);
/* Another number after each change; 0 for an empty set. */
uint64_t pfx_map_set_stamp(const struct pfx_map_set *set);

/* --- dsos (dsos.c) --- */

struct pfx_dso_entry {
	struct pfx_dso dso;
	uint32_t path_id;                /* of dso.name */
	struct pfx_dso_entry *same_path; /* the next one of this name */
	bool has_inode;                  /* a record with an inode meant it */
	bool is_told;                    /* a build id of this name came when it was there */
};

struct pfx_dso_table {
	struct pfx_arena *arena;
	PFX_VEC(struct pfx_dso_entry *) dsos;
	struct pfx_intern paths;   /* names of dsos and build ids */
	struct pfx_intern shorts;  /* short names, for name_id */
	struct pfx_intern ids;     /* path and identity, as bytes */
	struct pfx_hash by_id;     /* of ids -> struct pfx_dso_entry * */
	struct pfx_hash by_path;   /* of paths -> first struct pfx_dso_entry * of that name */
	struct pfx_hash build_ids; /* of paths -> index in env->build_ids plus 1 */
	uint32_t nr_env_build_ids; /* how many of env's are in there */
	const char *images[2];     /* of the kernel and of guests: the first that env's name */
	uint32_t nr_images_sought; /* build ids of env that were looked at for them */
	bool is_64bit;
};

void pfx_dso_table_init(struct pfx_dso_table *table, struct pfx_arena *arena,
			const struct pfx_meta *meta);
void pfx_dso_table_fini(struct pfx_dso_table *table);
/* The dso of a map in a process. */
struct pfx_dso *pfx_dso_of_user_map(struct pfx_dso_table *table, const struct pfx_mmap *mmap,
				    const struct pfx_meta *meta);
/* The dso of a map in the kernel: the kernel itself, a module. */
struct pfx_dso *pfx_dso_of_kernel_map(struct pfx_dso_table *table, const struct pfx_mmap *mmap,
				      const struct pfx_meta *meta);
/* The dso of a BPF program or another piece of code that a KSYMBOL record names. */
struct pfx_dso *pfx_dso_of_ksymbol(struct pfx_dso_table *table, const char *name);
/* A build id that became known after its dso. */
void pfx_dso_set_build_id(struct pfx_dso_table *table, const char *name, const uint8_t *id,
			  uint8_t size);
/* Take in the build ids that env got since the last call. */
void pfx_dso_update_build_ids(struct pfx_dso_table *table, const struct pfx_meta *meta);

/* --- threads and processes (threads.c) --- */

struct pfx_process {
	uint32_t pid;
	struct pfx_map_set *maps;
	bool has_code; /* maps of a jitdump's code are among them */
};

struct pfx_thread_entry {
	struct pfx_thread thread; /* first: the door hands out pointers to it */
	struct pfx_process *process;
	bool named;
};

struct pfx_comm_entry {
	struct pfx_comm_ref plain, exec;
	const struct pfx_comm_ref *final; /* the first name after a placeholder, else itself */
};

struct pfx_thread_table {
	struct pfx_arena *arena;
	PFX_VEC(struct pfx_thread_entry *) threads;
	PFX_VEC(struct pfx_process *) processes;
	PFX_VEC(struct pfx_comm_entry *) comms; /* by id */
	PFX_VEC(struct pfx_comm_entry *) named; /* by the name's number in names */
	struct pfx_intern names;
	struct pfx_hash by_tid, by_pid; /* -> struct pfx_thread_entry *, struct pfx_process * */
	struct pfx_thread_entry *last;  /* the last one asked for */
};

void pfx_thread_table_init(struct pfx_thread_table *table, struct pfx_arena *arena);
void pfx_thread_table_fini(struct pfx_thread_table *table);
struct pfx_thread_entry *pfx_thread_get(struct pfx_thread_table *table, uint32_t pid, uint32_t tid);
struct pfx_thread_entry *pfx_thread_find(struct pfx_thread_table *table, uint32_t tid);
void pfx_thread_name(struct pfx_thread_table *table, struct pfx_thread_entry *thread,
		     const char *name, bool exec);
/* @copy_maps: the child starts with the parent's maps. */
void pfx_thread_fork(struct pfx_thread_table *table, const struct pfx_task *task, uint64_t time,
		     bool copy_maps);

static inline struct pfx_thread_entry *pfx_thread_entry(struct pfx_thread *thread)
{
	return (struct pfx_thread_entry *)thread;
}

/* --- the session --- */

struct pfx_session {
	struct pfx_meta *meta;
	struct pfx_arena arena;
	struct pfx_session_stats stats;
	struct pfx_map_source source;
	struct pfx_dso_table dsos;
	struct pfx_thread_table threads;
	struct pfx_map_set *kernel;       /* maps of the kernel and its modules */
	uint64_t kernel_stamp;            /* of the last change in kernels' maps, guests' too */
	const struct pfx_map *kernel_map; /* of the kernel itself, the newest */
	uint64_t nr_code_steps;           /* taken by maps that go around code */
	uint32_t nr_kernel_maps;          /* records of kernels, guests' too */
	bool guest_code;                  /* what guests run is in the maps of their process */
	struct pfx_hash guests;           /* pid -> struct pfx_map_set * of the guest's kernel */
	struct pfx_hash guest_ids;        /* id of a counter in a guest -> its place */
	struct pfx_hash counts;           /* of counters in samples, by id: their last values */
	PFX_VEC(struct pfx_sample_part) parts; /* of the sample at hand */
	struct pfx_hash cgroups;               /* id -> const char * */
};

#endif
