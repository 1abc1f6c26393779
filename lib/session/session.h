/* SPDX-License-Identifier: MIT */
/*
 * The model of what ran: processes, threads, their names, what was mapped where. Records are
 * applied in order of time and change the state; an address is then looked up in the state of its
 * moment. Everything is owned by the session; threads, comms, maps and dsos live as long as it
 * does, so that aggregation can key by their small ids.
 */
#ifndef PFX_SESSION_SESSION_H
#define PFX_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "event/meta.h"
#include "event/sample.h"

enum pfx_dso_kind {
	PFX_DSO_FILE,    /* an ELF file by path */
	PFX_DSO_KERNEL,  /* [kernel.kallsyms], vmlinux, [guest.kernel.kallsyms] */
	PFX_DSO_MODULE,  /* a kernel module: /path/x.ko or [x] */
	PFX_DSO_VDSO,    /* [vdso] and its kin */
	PFX_DSO_ANON,    /* //anon, [heap], [stack], unnamed: symbols from a perf map if any */
	PFX_DSO_BPF,     /* bpf_prog_... made known by KSYMBOL */
	PFX_DSO_JITDUMP, /* jit-PID.dump: code that is in the file and, elsewhere, in memory */
	PFX_DSO_OTHER,   /* /dev/zero, /SYSV..., memfd: names, no symbols */
};

struct pfx_dso {
	uint32_t id;
	enum pfx_dso_kind kind;
	const char *name;        /* long: as the record has it (modules: the path) */
	const char *short_name;  /* basename, "[kernel.kallsyms]", "[module]": in reports */
	const char *script_name; /* in script lines: path, or name as in reports */
	uint32_t name_id;        /* equal for equal short names: a table by dso merges these */
	uint8_t build_id[PFX_BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: unknown */
	bool is_64bit;
	bool is_absolute;         /* its addresses are those of run time, not offsets in a file */
	bool hit;                 /* an address was located in it */
	int32_t anon_pid;         /* PFX_DSO_ANON, PFX_DSO_JITDUMP: whose; -1 otherwise */
	uint64_t kernel_ref_addr; /* KERNEL: address of the reference symbol at record time, 0
				     unknown */
	const char *kernel_ref_name; /* "_text", "_stext"; NULL unknown */
	uint64_t module_addr; /* MODULE: where it was loaded first when recorded; 0 unknown */
};

struct pfx_map {
	uint32_t id;         /* distinct for each mapping that ever was */
	uint64_t start, end; /* addresses, end exclusive */
	uint64_t pgoff;
	uint32_t prot, flags;
	struct pfx_dso *dso;
	bool is_kernel;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
};

/* A name of a thread and when it got it. */
struct pfx_comm_ref {
	uint32_t id; /* same text, same id, over the whole session; see pfx_session_comm_at() */
	const char *text;
	bool exec; /* set by an exec */
};

/* One namespace of a thread, in the kernel's order: net uts ipc pid user mnt cgroup. */
struct pfx_ns_link {
	uint64_t dev, ino;
};

/* A tid that is used again is another thread with another id: key tables by tid where they show
 * tids. */
struct pfx_thread {
	uint32_t id; /* small, in order of appearance */
	uint32_t pid, tid;
	uint32_t ppid;
	const struct pfx_comm_ref *comm; /* now; ":TID" text where never named */
	uint64_t start_time;             /* ns; 0 unknown */
	bool exited;
	uint32_t nr_ns; /* NAMESPACES: 0 unknown */
	const struct pfx_ns_link *ns;
};

/* Where an address lies. */
struct pfx_location {
	const struct pfx_map *map; /* NULL: nowhere */
	uint64_t addr; /* in the dso's own terms: file offset for user files, the ip for the kernel
			*/
	enum pfx_cpumode cpumode; /* the level at which it was found */
};

/* One event that a sample stands for, and what to count for it. */
struct pfx_sample_part {
	const struct pfx_event *event;
	uint64_t id, period;
};

struct pfx_session_stats {
	uint64_t nr_by_type[PFX_RECORD_USER_MAX +
			    1];   /* records applied; the last is unknown types */
	uint64_t nr_lost;         /* sum of LOST */
	uint64_t nr_lost_chunks;  /* LOST records */
	uint64_t nr_lost_samples; /* sum of LOST_SAMPLES */
	uint64_t nr_bad;          /* records that did not decode */
	uint64_t nr_unknown_ids;  /* counts in samples of groups whose id no event has */
};

struct pfx_session;

/* Borrows the meta. Build ids of meta->env are applied to dsos as they appear. */
struct pfx_session *pfx_session_new(struct pfx_meta *meta);
void pfx_session_free(struct pfx_session *session);
/* Apply a record. Unknown and undecodable ones are counted, a SAMPLE is only counted. */
void pfx_session_apply(struct pfx_session *session, const struct pfx_record *rec);
/* Take over what the meta learned behind the last record that was applied (build ids may come at
 * the very end of a stream). For who looks at dsos when all is read. */
void pfx_session_update(struct pfx_session *session);
/* What was applied and what was not, so far. */
const struct pfx_session_stats *pfx_session_stats(const struct pfx_session *session);

/* Code of a JIT compiler appeared: @mmap is the map of its jitdump, moved to where the code is,
 * with the code's place in the file as offset. Memory that the process maps without a file does not
 * hide it. */
void pfx_session_add_code(struct pfx_session *session, const struct pfx_mmap *mmap);
/* Whether a file of that name is a jitdump ("/tmp/jit-123.dump"). */
bool pfx_session_is_jitdump(const char *path);

/* The thread, made when it was not known. */
struct pfx_thread *pfx_session_thread(struct pfx_session *session, uint32_t pid, uint32_t tid);
/* Look @ip up at the level @cpumode. UNKNOWN tries user, then kernel. Always fills *ret. */
void pfx_session_locate(struct pfx_session *session, struct pfx_thread *thread,
			enum pfx_cpumode cpumode, uint64_t ip, struct pfx_location *ret);

/* The events that @sample of @event stands for. With SAMPLE_READ it is one of each counter whose
 * value it carries (all members of a group) and that counted since the last time, else @event
 * alone, with the sample's own period. Returns their number, which may be 0; valid until the next
 * call. Call it once for each sample, also for those that a filter drops, as the counts go from one
 * to the next. */
uint32_t pfx_session_split_sample(struct pfx_session *session, const struct pfx_event *event,
				  const struct pfx_sample *sample, struct pfx_sample_part **ret);

/* False: samples of @event never stand for others. */
static inline bool pfx_session_splits(const struct pfx_event *event)
{
	return event->attr.sample_type & PFX_SAMPLE_READ && event->attr.read_format & PFX_FORMAT_ID;
}

/* Changes whenever lookups in @thread may give something else than before; equal for threads that
 * see the same maps. For caches. */
uint64_t pfx_session_maps_stamp(const struct pfx_session *session, const struct pfx_thread *thread);
/* The path of a cgroup that a CGROUP record named, NULL unknown. */
const char *pfx_session_cgroup(const struct pfx_session *session, uint64_t id);
/* Code of guests lies in the process that runs them, which has no kernel inside. */
void pfx_session_guest_code(struct pfx_session *session);
/* The guest that the counter of this id ran in, as an index of ids told: the pid of its process on
 * the host, and the virtual CPU. False for the host's own. */
bool pfx_session_guest(const struct pfx_session *session, uint64_t id, uint32_t *ret_pid,
		       uint32_t *ret_vcpu);
/* The recording; borrowed. */
const struct pfx_meta *pfx_session_meta(const struct pfx_session *session);

/* All threads and dsos that ever were, by id. */
uint32_t pfx_session_nr_threads(const struct pfx_session *session);
struct pfx_thread *pfx_session_thread_at(const struct pfx_session *session, uint32_t id);
uint32_t pfx_session_nr_dsos(const struct pfx_session *session);
struct pfx_dso *pfx_session_dso_at(const struct pfx_session *session, uint32_t id);
/* The name with that id. The ":TID" of a thread without a name has an id of its own and gives the
 * first name that the thread got later: what ran before belongs to that. */
const struct pfx_comm_ref *pfx_session_comm_at(const struct pfx_session *session, uint32_t id);
/* The current maps of the thread's process in order of address: calls until NULL with i = 0, 1, ...
 */
const struct pfx_map *pfx_session_map_at(struct pfx_session *session, struct pfx_thread *thread,
					 uint32_t i);
/* Where the highest of them ends; 0: there are none. */
uint64_t pfx_session_maps_end(struct pfx_session *session, struct pfx_thread *thread);
/* The map of the kernel itself as it was recorded, its modules not cut out; NULL unknown. */
const struct pfx_map *pfx_session_kernel_map(const struct pfx_session *session);

#endif
