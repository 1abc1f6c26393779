/* SPDX-License-Identifier: MIT */
/*
 * Programs that are run over a recording (`pfx script -s`): what an interpreter is told, and what
 * it may ask. The interpreters are above this folder (lib/python).
 */
#ifndef PFX_SCRIPT_SCRIPT_ENGINE_H
#define PFX_SCRIPT_SCRIPT_ENGINE_H

#include "base/error.h"
#include "event/sample.h"
#include "script/script.h"
#include "session/session.h"
#include "stat/stat.h"
#include "unwind/resolve.h"

struct pfx_script_engine;

/* What is run, and by what. */
struct pfx_script_program {
	const struct pfx_script_engine_ops *ops;
	const char *path;
	char *const *args; /* those after the path in sys.argv */
	int nr_args;
	const char *const *folders; /* where scripts are; of our modules, too. NULL at the end */
};

/* What an engine sees of the script; borrowed. */
struct pfx_script_view {
	struct pfx_script *script; /* for the functions below */
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	const struct pfx_script_host *host;
	bool shows_chains, shows_lines;
};

/* One sample, as it is told. */
struct pfx_script_sample {
	const struct pfx_event *event;
	struct pfx_thread *thread;
	const struct pfx_sample *sample;
};

/* What was counted in a round of `stat record`. */
struct pfx_script_count {
	const struct pfx_event *event;
	int cpu, tid; /* -1: all of them */
	uint64_t time;
	struct pfx_count count;
};

/* What runs the programs of one language; one engine at a time. */
struct pfx_script_engine_ops {
	const char *version; /* of the pfx that it belongs to */
	size_t view_size;    /* of struct pfx_script_view, which both must see alike */
	/* Begin: runs the file up to its end, then trace_begin(). With an error, too, there may be
	 * an engine to be freed. */
	int (*new)(struct pfx_script_engine **ret, const struct pfx_script_view *view,
		   const struct pfx_script_program *program, struct pfx_error *err);
	/* trace_end(), when all that was read was told. */
	int (*finish)(struct pfx_script_engine *engine, struct pfx_error *err);
	/* What the program has printed is written now. A failure to write is an error. */
	int (*free)(struct pfx_script_engine *engine, struct pfx_error *err);
	int (*sample)(struct pfx_script_engine *engine, const struct pfx_script_sample *sample,
		      struct pfx_error *err);
	/* Records between the samples that programs are told of: context switches, throttling,
	 * errors of traces. */
	int (*record)(struct pfx_script_engine *engine, const struct pfx_record *rec,
		      struct pfx_error *err);
	int (*count)(struct pfx_script_engine *engine, const struct pfx_script_count *row,
		     struct pfx_error *err);
	/* A round is over: all its counts were told. */
	int (*round)(struct pfx_script_engine *engine, uint64_t time, struct pfx_error *err);
};

/* --- what an engine may ask --- */

/* The sample's call chain, by its id; how it ends is counted where a note will say it. */
uint32_t pfx_script_chain_of(struct pfx_script *script, const struct pfx_event *event,
			     struct pfx_thread *thread, const struct pfx_sample *sample);
/* The address that an event records belongs to the program's data or code. */
bool pfx_script_addr_is_data(const struct pfx_attr *attr);
/* Whether what ran on a CPU is shown (-C); -1 is unknown, and shown. */
bool pfx_script_takes_cpu(const struct pfx_script *script, uint32_t cpu);

#define PFX_SCRIPT_INSN_MAX 15 /* bytes of an instruction at most */

struct pfx_script_insn {
	uint8_t code[PFX_SCRIPT_INSN_MAX];
	unsigned len;
	struct pfx_str text; /* disassembled; the caller frees */
};

/* The sampled instruction; false where its code is not available. */
bool pfx_script_insn_at(struct pfx_script *script, struct pfx_thread *thread,
			const struct pfx_sample *sample, struct pfx_script_insn *ret);

#endif
