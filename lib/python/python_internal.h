/* SPDX-License-Identifier: MIT */
/* Shared by the files of the embedded Python interpreter. */
#ifndef PFX_PYTHON_PYTHON_INTERNAL_H
#define PFX_PYTHON_PYTHON_INTERNAL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/alloc.h"
#include "python/engine_load.h"
#include "trace/format.h"

/* An event of the recording, for scripts. */
struct pfx_python_event {
	bool is_ready;
	PyObject *name, *attr;
	PyObject *count_handler; /* function for its counts; NULL: none */
	bool has_count_handler;  /* the function was searched */
	/* tracepoints only: */
	PyObject *full_name;        /* "sched__sched_switch" */
	PyObject *handler;          /* the function to call; NULL: the default one */
	Py_ssize_t nr_args;         /* its number of arguments */
	PyObject **fields;          /* names of the fields */
	struct pfx_trace_field *is; /* the fields */
	size_t nr_fields;
	struct pfx_trace_value *values; /* values of one sample */
};

/* Cached strings of a dso. */
struct pfx_python_dso {
	PyObject *name, *build_id;
};

struct pfx_script_engine {
	const struct pfx_script_view *view;
	PyObject *globals; /* of the script's module */
	PyObject *context; /* passed to handlers, which pass it back */
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
	uint64_t data_src; /* value of data_src_text */
	PyObject *data_src_text;
	const struct pfx_script_sample *now; /* while a handler runs */
};

/* --- python_call: strings, dicts and functions of the script --- */

/* The one engine; functions that scripts call find it here. */
extern struct pfx_script_engine *pfx_python_engine;

/* Untrusted text as a string; invalid UTF-8 is written as \xff. */
PyObject *pfx_python_text(const char *text, size_t len);
/* Put @value under @key; takes over the reference. */
void pfx_python_put(PyObject *dict, const char *key, PyObject *value);
/* A function of the script by name, borrowed; NULL if missing. */
PyObject *pfx_python_function(const struct pfx_script_engine *engine, const char *name);
/* The number of its arguments. */
Py_ssize_t pfx_python_nr_args(PyObject *function);
/* Call it with @args, whose reference is taken over: 0, or an error after Python printed the
 * exception. */
int pfx_python_call(struct pfx_script_engine *engine, PyObject *function, PyObject *args,
		    struct pfx_error *err);
/* Python printed an exception from @where ("its statements"): -ECANCELED. */
int pfx_python_exception(const char *where, struct pfx_error *err);

/* --- arguments of handlers --- */

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
/* Pass a count, and the end of a round. */
int pfx_python_count(struct pfx_script_engine *engine, const struct pfx_script_count *row,
		     struct pfx_error *err);
int pfx_python_round(struct pfx_script_engine *engine, uint64_t time, struct pfx_error *err);
void pfx_python_event_fini(struct pfx_python_event *event);

/* Register the module perf_trace_context; before the interpreter starts. */
int pfx_python_add_context(void);

#endif
