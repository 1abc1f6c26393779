/* SPDX-License-Identifier: MIT */
/*
 * Programs that are run over a recording (`pfx script -s`): the interface of interpreters, which
 * are in lib/python.
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

/* A program and its interpreter. */
struct pfx_script_program {
	const struct pfx_script_engine_ops *ops;
	const char *path;
	char *const *args; /* those after the path in sys.argv */
	int nr_args;
	const char *const
		*folders; /* directories of scripts, also of pfx's modules. Ends with NULL */
};

/* The engine's view of the script; borrowed. */
struct pfx_script_view {
	struct pfx_script *script; /* for the functions below */
	const struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	const struct pfx_script_host *host;
	bool shows_chains, shows_lines;
};

/* One sample, as passed to programs. */
struct pfx_script_sample {
	const struct pfx_event *event;
	struct pfx_thread *thread;
	const struct pfx_sample *sample;
};

/* The count of one round of `stat record`. */
struct pfx_script_count {
	const struct pfx_event *event;
	int cpu, tid; /* -1: all of them */
	uint64_t time;
	struct pfx_count count;
};

/* The interpreter of one language; one engine at a time. */
struct pfx_script_engine_ops {
	const char *version; /* version of its pfx */
	size_t view_size; /* size of struct pfx_script_view, which must be the same on both sides */
	/* Begin: run the file to its end, then trace_begin(). May return an engine to free even
	 * with an error. */
	int (*new)(struct pfx_script_engine **ret, const struct pfx_script_view *view,
		   const struct pfx_script_program *program, struct pfx_error *err);
	/* trace_end(), after all records were passed. */
	int (*finish)(struct pfx_script_engine *engine, struct pfx_error *err);
	/* Writes the program's output. A failed write is an error; a positive number is the exit
	 * code that the program chose. */
	int (*free)(struct pfx_script_engine *engine, struct pfx_error *err);
	int (*sample)(struct pfx_script_engine *engine, const struct pfx_script_sample *sample,
		      struct pfx_error *err);
	/* Records between the samples that are passed to programs: context switches, throttling,
	 * trace errors. */
	int (*record)(struct pfx_script_engine *engine, const struct pfx_record *rec,
		      struct pfx_error *err);
	int (*count)(struct pfx_script_engine *engine, const struct pfx_script_count *row,
		     struct pfx_error *err);
	/* The end of a round: all its counts were passed. */
	int (*round)(struct pfx_script_engine *engine, uint64_t time, struct pfx_error *err);
};

/* --- functions for engines --- */

/* The sample's call chain, by its id; counts how it ends if a note will report it. */
uint32_t pfx_script_chain_of(struct pfx_script *script, const struct pfx_event *event,
			     struct pfx_thread *thread, const struct pfx_sample *sample);
/* Whether the event's addresses are in the program's data or code. */
bool pfx_script_addr_has_symbol(const struct pfx_attr *attr);
/* Whether samples of a CPU are shown (-C); -1 means unknown and is shown. */
bool pfx_script_takes_cpu(const struct pfx_script *script, uint32_t cpu);

#define PFX_SCRIPT_INSN_MAX 15 /* maximum bytes of an instruction */

struct pfx_script_insn {
	uint8_t code[PFX_SCRIPT_INSN_MAX];
	unsigned len;
	struct pfx_str text; /* disassembled; the caller frees */
};

/* The sampled instruction; false if its code is not available. */
bool pfx_script_insn_at(struct pfx_script *script, struct pfx_thread *thread,
			const struct pfx_sample *sample, struct pfx_script_insn *ret);

#endif
