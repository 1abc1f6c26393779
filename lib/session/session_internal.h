/* SPDX-License-Identifier: MIT */
/* What the parts of the session share: sets of maps, the tables of dsos and threads. */
#ifndef PFX_SESSION_INTERNAL_H
#define PFX_SESSION_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "session/session.h"

/* --- sets of maps (maps.c) --- */

/* Numbers maps and changes: one per session. */
struct pfx_map_source {
	struct pfx_arena *arena;
	uint32_t next_id;
	uint64_t next_stamp;
};

/* A set of non-overlapping maps, ordered by address. Forked processes share a set until one of them
 * changes it; unchanged chunks of it stay shared even then. NULL is an empty set. */
struct pfx_map_set;

struct pfx_map_set *pfx_map_set_share(struct pfx_map_set *set);
void pfx_map_set_drop(struct pfx_map_set *set);
const struct pfx_map *pfx_map_set_find(struct pfx_map_set *set, uint64_t addr);
/* Insert @map; older maps are cut where they overlap it. *@set is replaced when it was shared. */
void pfx_map_set_insert(struct pfx_map_set **set, struct pfx_map *map, struct pfx_map_source *from);
/* The same, but older maps stay and @map gets only the free ranges. */
void pfx_map_set_fill(struct pfx_map_set **set, struct pfx_map *map, struct pfx_map_source *from);
/* Begin an empty set after an exec. The old maps are used where the new set has no map: samples
 * between the exec and the first new maps still have addresses of the old program. */
void pfx_map_set_renew(struct pfx_map_set **set, struct pfx_map_source *from);
/* Insert @map, but maps of jitdumps stay. Returns the number of overlapping maps, each of which may
 * have split @map. */
uint32_t pfx_map_set_insert_under_code(struct pfx_map_set **set, struct pfx_map *map,
				       struct pfx_map_source *from);
/* Remove the range from all maps. */
void pfx_map_set_cut(struct pfx_map_set **set, uint64_t start, uint64_t end,
		     struct pfx_map_source *from);
/* The @i-th map, NULL after the last. */
const struct pfx_map *pfx_map_set_at(struct pfx_map_set *set, uint32_t i);
/* The end of the highest map; 0 for an empty set. */
uint64_t pfx_map_set_end(const struct pfx_map_set *set);
/* A number that differs after each change; 0 for an empty set. */
uint64_t pfx_map_set_stamp(const struct pfx_map_set *set);

/* --- dsos (dsos.c) --- */

struct pfx_dso_entry {
	struct pfx_dso dso;
	uint32_t path_id;                /* id of dso.name */
	struct pfx_dso_entry *same_path; /* the next entry with the same name */
	bool has_inode;                  /* a record with an inode referred to it */
	bool is_told;                    /* build IDs by name were applied to it */
};

struct pfx_dso_table {
	struct pfx_arena *arena;
	PFX_VEC(struct pfx_dso_entry *) dsos;
	struct pfx_intern paths;   /* names of dsos, and the names of build IDs */
	struct pfx_intern shorts;  /* short names, for name_id */
	struct pfx_intern ids;     /* pairs of path and identity, as bytes */
	struct pfx_hash by_id;     /* id in ids -> struct pfx_dso_entry * */
	struct pfx_hash by_path;   /* id in paths -> first struct pfx_dso_entry * with that name */
	struct pfx_hash build_ids; /* id in paths -> index in env->build_ids plus 1 */
	uint32_t nr_env_build_ids; /* number of env's build IDs in build_ids */
	const char *images[2];     /* kernel images of host and guest, from the build IDs */
	uint32_t nr_images_sought; /* number of env's build IDs that were searched for images */
	bool is_64bit;
};

void pfx_dso_table_init(struct pfx_dso_table *table, struct pfx_arena *arena,
			const struct pfx_meta *meta);
void pfx_dso_table_fini(struct pfx_dso_table *table);
/* The dso of a user-space map. */
struct pfx_dso *pfx_dso_of_user_map(struct pfx_dso_table *table, const struct pfx_mmap *mmap,
				    const struct pfx_meta *meta);
/* The dso of a kernel map: the kernel image or a module. */
struct pfx_dso *pfx_dso_of_kernel_map(struct pfx_dso_table *table, const struct pfx_mmap *mmap,
				      const struct pfx_meta *meta);
/* The dso of a BPF program or other code from a KSYMBOL record. */
struct pfx_dso *pfx_dso_of_ksymbol(struct pfx_dso_table *table, const char *name);
/* Set a build ID that arrives after its dso. */
void pfx_dso_set_build_id(struct pfx_dso_table *table, const char *name, const uint8_t *id,
			  uint8_t size);
/* Apply the build IDs that were added to env since the last call. */
void pfx_dso_update_build_ids(struct pfx_dso_table *table, const struct pfx_meta *meta);

/* --- threads and processes (threads.c) --- */

struct pfx_process {
	uint32_t pid;
	struct pfx_map_set *maps;
	bool has_code; /* has maps of JIT code from a jitdump */
};

struct pfx_thread_entry {
	struct pfx_thread thread; /* first member: callers of the public API get pointers to it */
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
	PFX_VEC(struct pfx_comm_entry *) named; /* by the id of the name in names */
	struct pfx_intern names;
	struct pfx_hash by_tid, by_pid; /* -> struct pfx_thread_entry *, struct pfx_process * */
	struct pfx_thread_entry *last;  /* result of the last look-up */
};

void pfx_thread_table_init(struct pfx_thread_table *table, struct pfx_arena *arena);
void pfx_thread_table_fini(struct pfx_thread_table *table);
struct pfx_thread_entry *pfx_thread_get(struct pfx_thread_table *table, uint32_t pid, uint32_t tid);
struct pfx_thread_entry *pfx_thread_find(struct pfx_thread_table *table, uint32_t tid);
void pfx_thread_name(struct pfx_thread_table *table, struct pfx_thread_entry *thread,
		     const char *name, bool exec);
/* @copy_maps: the child inherits the parent's maps. */
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
	struct pfx_map_set *kernel; /* maps of the kernel image and modules */
	uint64_t kernel_stamp;      /* stamp of the last change of kernel maps, including guests' */
	const struct pfx_map *kernel_map; /* the kernel image's newest map */
	uint64_t nr_code_steps;           /* steps used to cut maps around JIT code */
	uint32_t nr_kernel_maps;          /* kernel image maps, including guests' */
	bool guest_code; /* guest addresses are looked up in the maps of the guest's process */
	struct pfx_hash guests;    /* pid -> struct pfx_map_set * of the guest's kernel */
	struct pfx_hash guest_ids; /* id of a guest's counter -> pid and virtual CPU */
	struct pfx_hash counts;    /* last values of counters in samples, by id */
	PFX_VEC(struct pfx_sample_part) parts; /* of the current sample */
	struct pfx_hash cgroups;               /* id -> const char * */
};

#endif
