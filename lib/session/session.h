/* SPDX-License-Identifier: MIT */
/*
 * The model of the recorded system: processes, threads, their names and their maps. Records are
 * applied in time order and change the state; an address is looked up in the current state. The
 * session owns everything; threads, comms, maps and dsos live as long as the session, so that
 * aggregation can use their small ids as keys.
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
	PFX_DSO_VDSO,    /* [vdso], [vdso32], [vdsox32] */
	PFX_DSO_ANON,    /* //anon, [heap], [stack], unnamed: symbols only from a perf map */
	PFX_DSO_BPF,     /* BPF programs (bpf_prog_...), from KSYMBOL records */
	PFX_DSO_JITDUMP, /* jit-PID.dump: the file has copies of code that ran at another address */
	PFX_DSO_OTHER,   /* /dev/zero, /SYSV..., memfd: no symbols */
};

struct pfx_dso {
	uint32_t id;
	enum pfx_dso_kind kind;
	const char *name;        /* long name as in the record (modules: the path) */
	const char *short_name;  /* basename, "[kernel.kallsyms]", "[module]": shown in reports */
	const char *script_name; /* shown by pfx script: the path, or the short name */
	uint32_t name_id;        /* equal for equal short names: reports by dso merge these */
	uint8_t build_id[PFX_BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: unknown */
	bool is_64bit;
	bool is_absolute; /* symbols use run-time addresses, not file offsets */
	bool hit;         /* an address was resolved to it */
	int32_t anon_pid; /* PFX_DSO_ANON, PFX_DSO_JITDUMP: pid of the process; -1 otherwise */
	uint64_t kernel_ref_addr;    /* KERNEL: address of the reference symbol at record time, 0
					unknown */
	const char *kernel_ref_name; /* "_text", "_stext"; NULL unknown */
	uint64_t module_addr;        /* MODULE: first load address in the recording; 0 unknown */
};

struct pfx_map {
	uint32_t id;         /* unique in the session */
	uint64_t start, end; /* addresses, end exclusive */
	uint64_t pgoff;
	uint32_t prot, flags;
	struct pfx_dso *dso;
	bool is_kernel;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
};

/* A name of a thread. */
struct pfx_comm_ref {
	uint32_t id; /* one id per name in the session; see pfx_session_comm_at() */
	const char *text;
	bool exec; /* set by an exec */
};

/* One namespace of a thread, in the kernel's order: net uts ipc pid user mnt cgroup. */
struct pfx_ns_link {
	uint64_t dev, ino;
};

/* When a tid is reused, the new thread gets another id. Use tids as keys only where tids are
 * displayed. */
struct pfx_thread {
	uint32_t id; /* small, in order of first use */
	uint32_t pid, tid;
	uint32_t ppid;
	const struct pfx_comm_ref *comm; /* current; ":TID" before the first COMM */
	uint64_t start_time;             /* ns; 0 unknown */
	bool exited;
	bool replaced;  /* its tid is another thread's now */
	uint32_t nr_ns; /* from NAMESPACES; 0 unknown */
	const struct pfx_ns_link *ns;
};

/* The result of an address look-up. */
struct pfx_location {
	const struct pfx_map *map; /* NULL: not mapped */
	uint64_t addr; /* address in the dso: file offset for user files, the ip for the kernel */
	enum pfx_cpumode cpumode; /* cpumode of the maps where the address was found */
};

/* One event that a sample counts for, and its period. */
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
	uint64_t nr_bad;          /* records that could not be decoded */
	uint64_t nr_unknown_ids;  /* group members in samples whose id belongs to no event */
};

struct pfx_session;

/* Borrows @meta. Build IDs of meta->env are applied to dsos as they appear. */
struct pfx_session *pfx_session_new(struct pfx_meta *meta);
void pfx_session_free(struct pfx_session *session);
/* Apply a record. Unknown and undecodable records are counted; a SAMPLE is only counted. */
void pfx_session_apply(struct pfx_session *session, const struct pfx_record *rec);
/* Apply build IDs that were added to the meta after the last applied record (a stream may end with
 * them). Call it after the last record, before using dsos. */
void pfx_session_update(struct pfx_session *session);
/* Statistics of applied and failed records so far. */
const struct pfx_session_stats *pfx_session_stats(const struct pfx_session *session);

/* Add JIT code: @mmap is the MMAP record of its jitdump, with the address of the code and the
 * code's offset in the file. Later maps of anonymous memory do not hide it. */
void pfx_session_add_code(struct pfx_session *session, const struct pfx_mmap *mmap);
/* Whether @path has the name of a jitdump ("/tmp/jit-123.dump"). */
bool pfx_session_is_jitdump(const char *path);

/* The thread; an unknown thread is added. */
struct pfx_thread *pfx_session_thread(struct pfx_session *session, uint32_t pid, uint32_t tid);
/* Look up @ip in the maps of @cpumode. UNKNOWN tries user, then kernel. Always fills *ret. */
void pfx_session_locate(struct pfx_session *session, struct pfx_thread *thread,
			enum pfx_cpumode cpumode, uint64_t ip, struct pfx_location *ret);

/* The events that @sample of @event counts for. With SAMPLE_READ: each counter with a value in the
 * sample (all members of a group) that has increased since the previous sample; otherwise only
 * @event, with the sample's own period. Returns their number, which may be 0; valid until the next
 * call. Call it once per sample, including samples that a filter drops: the increase is computed
 * from one sample to the next. */
uint32_t pfx_session_split_sample(struct pfx_session *session, const struct pfx_event *event,
				  const struct pfx_sample *sample, struct pfx_sample_part **ret);

/* False: samples of @event never count for other events. */
static inline bool pfx_session_splits(const struct pfx_event *event)
{
	return event->attr.sample_type & PFX_SAMPLE_READ && event->attr.read_format & PFX_FORMAT_ID;
}

/* A number that changes when look-ups in @thread may have other results; equal for threads with the
 * same maps. For caches. */
uint64_t pfx_session_maps_stamp(const struct pfx_session *session, const struct pfx_thread *thread);
/* The path of a cgroup from its CGROUP record; NULL unknown. */
const char *pfx_session_cgroup(const struct pfx_session *session, uint64_t id);
/* Look up guest addresses in the maps of the guest's process (guests without a kernel). */
void pfx_session_guest_code(struct pfx_session *session);
/* The guest of the counter with this id, from ID_INDEX records: the pid of its process on the host,
 * and the virtual CPU. False for counters of the host. */
bool pfx_session_guest(const struct pfx_session *session, uint64_t id, uint32_t *ret_pid,
		       uint32_t *ret_vcpu);
/* The recording's meta; borrowed. */
const struct pfx_meta *pfx_session_meta(const struct pfx_session *session);

/* All threads and dsos of the session, by id. */
uint32_t pfx_session_nr_threads(const struct pfx_session *session);
struct pfx_thread *pfx_session_thread_at(const struct pfx_session *session, uint32_t id);
uint32_t pfx_session_nr_dsos(const struct pfx_session *session);
struct pfx_dso *pfx_session_dso_at(const struct pfx_session *session, uint32_t id);
/* The name with this id. The ":TID" of a thread without a name has an id of its own, and returns
 * the first name that the thread gets later: earlier samples belong to that name. */
const struct pfx_comm_ref *pfx_session_comm_at(const struct pfx_session *session, uint32_t id);
/* The current maps of the thread's process in address order: call it with i = 0, 1, ... until
 * NULL. */
const struct pfx_map *pfx_session_map_at(struct pfx_session *session, struct pfx_thread *thread,
					 uint32_t i);
/* The end of the highest map of the thread's process; 0: no maps. */
uint64_t pfx_session_maps_end(struct pfx_session *session, struct pfx_thread *thread);
/* The recorded map of the kernel image, before modules are cut out; NULL unknown. */
const struct pfx_map *pfx_session_kernel_map(const struct pfx_session *session);

#endif
