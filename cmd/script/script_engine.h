/* SPDX-License-Identifier: MIT */
/*
 * Programs that are run over a recording (`pfx script -s`): they are told of each sample. The
 * interpreter is in a library of its own (python_*.c), which script_engine_with_python.c loads when
 * there is a program to run; its counterpart refuses.
 */
#ifndef PFX_CMD_SCRIPT_ENGINE_H
#define PFX_CMD_SCRIPT_ENGINE_H

#include "base/error.h"
#include "event/sample.h"
#include "session/session.h"
#include "stat/stat.h"

struct pfx_script;
struct pfx_script_engine;

/* What is run. */
struct pfx_script_program {
	const char *path;
	char *const *args; /* behind the path in sys.argv */
	int nr_args;
	const char *const *folders; /* where scripts are; of our modules, too. NULL at the end */
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
	size_t script_size;  /* of struct pfx_script, which both must see alike */
	/* Begin: runs the file up to its end, then trace_begin(). With an error, too, there may be
	 * an engine to be freed. */
	int (*new)(struct pfx_script_engine **ret, struct pfx_script *script,
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

/* What the library of the interpreter is asked for. */
extern const struct pfx_script_engine_ops pfx_script_engine_python
	__attribute__((visibility("default")));

/* The interpreter for the script at @path, loaded at the first call; NULL with an error. */
const struct pfx_script_engine_ops *pfx_script_engine_load(const char *path, struct pfx_error *err);

#endif
