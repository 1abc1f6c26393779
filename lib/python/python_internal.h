/* SPDX-License-Identifier: MIT */
/* What the files around the embedded Python interpreter share. */
#ifndef PFX_PYTHON_PYTHON_INTERNAL_H
#define PFX_PYTHON_PYTHON_INTERNAL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/alloc.h"
#include "python/engine_load.h"
#include "trace/format.h"

/* An event of the recording as scripts know it. */
struct pfx_python_event {
	bool is_ready;
	PyObject *name, *attr;
	PyObject *count_handler; /* of its counts; NULL: none */
	bool has_count_handler;  /* it was looked for */
	/* tracepoints only: */
	PyObject *full_name;        /* "sched__sched_switch" */
	PyObject *handler;          /* what is called, or NULL: the one for all others */
	Py_ssize_t nr_args;         /* that the handler takes */
	PyObject **fields;          /* names of the fields */
	struct pfx_trace_field *is; /* of each */
	size_t nr_fields;
	struct pfx_trace_value *values; /* room for one sample's */
};

/* What is told of a dso again and again. */
struct pfx_python_dso {
	PyObject *name, *build_id;
};

struct pfx_script_engine {
	const struct pfx_script_view *view;
	PyObject *globals; /* of the script's module */
	PyObject *context; /* what handlers are given to hand back to us */
	PyObject *process_event, *unhandled;
	Py_ssize_t unhandled_args;
	PyObject *throttle, *unthrottle, *context_switch, *auxtrace_error;
	struct pfx_trace *trace; /* NULL: not opened, or none in the recording */
	bool trace_tried;
	PFX_VEC(struct pfx_python_event) events; /* by idx */
	PFX_VEC(PyObject *) comms;               /* by comm id */
	PFX_VEC(struct pfx_python_dso) dsos;     /* by id */
	PFX_VEC(PyObject *) frames;              /* entries of call chains by place id */
	PyObject *empty_text, *empty_bytes, *no_values;
	uint64_t data_src; /* that data_src_text is of */
	PyObject *data_src_text;
	const struct pfx_script_sample *now; /* while a handler runs */
};

/* --- python_call: strings, dicts and functions of the script --- */

/* The one engine; functions that scripts call find it here. */
extern struct pfx_script_engine *pfx_python_engine;

/* Foreign text as a string; what is no UTF-8 is written as \xff. */
PyObject *pfx_python_text(const char *text, size_t len);
/* Put @value, whose reference is given away, under @key. */
void pfx_python_put(PyObject *dict, const char *key, PyObject *value);
/* A function of the script by name, borrowed; NULL without one. */
PyObject *pfx_python_function(const struct pfx_script_engine *engine, const char *name);
/* How many arguments it names. */
Py_ssize_t pfx_python_nr_args(PyObject *function);
/* Call it with @args, whose reference is given away: 0, or an error after Python told it. */
int pfx_python_call(struct pfx_script_engine *engine, PyObject *function, PyObject *args,
		    struct pfx_error *err);
/* Python printed an exception that was raised @where ("its statements"): -ECANCELED. */
int pfx_python_exception(const char *where, struct pfx_error *err);

/* --- what is told --- */

/* The name, attribute and handler of an event. */
struct pfx_python_event *pfx_python_event_of(struct pfx_script_engine *engine,
					     const struct pfx_event *event);
PyObject *pfx_python_comm(struct pfx_script_engine *engine, const struct pfx_thread *thread);
/* The dict of process_event() and of perf_sample_dict. New references, here and below. */
PyObject *pfx_python_sample(struct pfx_script_engine *engine, struct pfx_python_event *event,
			    PyObject *chain);
PyObject *pfx_python_chain(struct pfx_script_engine *engine);
/* Call the handler of a tracepoint's sample. */
int pfx_python_tracepoint(struct pfx_script_engine *engine, struct pfx_python_event *event,
			  struct pfx_error *err);
/* Tell of a count, and of the end of a round. */
int pfx_python_count(struct pfx_script_engine *engine, const struct pfx_script_count *row,
		     struct pfx_error *err);
int pfx_python_round(struct pfx_script_engine *engine, uint64_t time, struct pfx_error *err);
void pfx_python_event_fini(struct pfx_python_event *event);

/* Make the module perf_trace_context known; before the interpreter starts. */
int pfx_python_add_context(void);

#endif
