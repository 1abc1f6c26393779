/* SPDX-License-Identifier: MIT */
/*
 * The embedded Python interpreter: starts it, runs the script's file, and calls its functions,
 * which have the same names as in perf. The other files make their arguments. A process has only
 * one interpreter, so there is one engine. These files are a separate library, which is loaded when
 * a script is run.
 */
#include "python/python_internal.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pfx_version.h"

#define SCRIPT_SIZE_MAX (16u << 20)

/* --- starting --- */

static int status_error(PyStatus status, struct pfx_error *err)
{
	return pfx_error_set(err, EINVAL, "cannot start Python: %s",
			     status.err_msg ? status.err_msg : "it gives no reason");
}

static int set_argv(PyConfig *config, const struct pfx_script_program *program,
		    struct pfx_error *err)
{
	PyStatus status;
	char **argv = pfx_calloc((size_t)program->nr_args + 1, sizeof(*argv));
	int i;

	argv[0] = (char *)program->path;
	for (i = 0; i < program->nr_args; i++)
		argv[i + 1] = program->args[i];
	config->parse_argv = 0;
	status = PyConfig_SetBytesArgv(config, program->nr_args + 1, argv);
	free(argv);
	return PyStatus_Exception(status) ? status_error(status, err) : 0;
}

static int start_python(const struct pfx_script_program *program, struct pfx_error *err)
{
	PyConfig config;
	PyStatus status;
	int rc;

	if (pfx_python_add_context() < 0)
		return pfx_error_set(err, ENOMEM, "cannot start Python: no memory");
	PyConfig_InitPythonConfig(&config);
	config.install_signal_handlers = 0; /* Ctrl-C stops reading, not the script */
	rc = set_argv(&config, program, err);
	if (!rc) {
		status = Py_InitializeFromConfig(&config);
		if (PyStatus_Exception(status))
			rc = status_error(status, err);
	}
	PyConfig_Clear(&config);
	return rc;
}

static void insert_path(PyObject *path, Py_ssize_t at, const char *folder)
{
	PyObject *text = PyUnicode_DecodeFSDefault(folder);

	if (text)
		PyList_Insert(path, at, text);
	Py_XDECREF(text);
	PyErr_Clear();
}

/* pfx's modules are searched first, then those in the script's directory. */
static void set_path(const struct pfx_script_program *program)
{
	PyObject *path = PySys_GetObject("path");
	char *real = realpath(program->path, NULL), *modules;
	Py_ssize_t at = 0;
	size_t i;

	for (i = 0; path && program->folders[i]; i++) {
		if (asprintf(&modules, "%s/python/lib", program->folders[i]) < 0)
			break;
		if (access(modules, R_OK) == 0)
			insert_path(path, at++, modules);
		free(modules);
	}
	if (path && real)
		insert_path(path, at, dirname(real));
	free(real);
}

static int read_file(const char *path, char **ret, struct pfx_error *err)
{
	struct pfx_str text = {0};
	char chunk[4096];
	size_t nr;
	FILE *file = fopen(path, "re");

	*ret = NULL;
	if (!file)
		return pfx_error_sys(err, errno, "cannot read script '%s'", path);
	while ((nr = fread(chunk, 1, sizeof(chunk), file)) && text.len < SCRIPT_SIZE_MAX)
		pfx_str_addn(&text, chunk, nr);
	nr = ferror(file) ? 1 : 0;
	fclose(file);
	if (nr || text.len >= SCRIPT_SIZE_MAX || (text.len && memchr(text.at, 0, text.len))) {
		pfx_str_fini(&text);
		return pfx_error_set(err, EINVAL, "'%s' is not a Python script", path);
	}
	*ret = text.at ? text.at : pfx_strdup("");
	return 0;
}

/* Run the statements of the file in the module __main__. */
static int run_file(struct pfx_script_engine *engine, const char *path, struct pfx_error *err)
{
	PyObject *code, *result = NULL;
	char *text;
	int rc;

	rc = read_file(path, &text, err);
	if (rc < 0)
		return rc;
	pfx_python_put(engine->globals, "__file__", PyUnicode_DecodeFSDefault(path));
	code = Py_CompileString(text, path, Py_file_input);
	free(text);
	if (code)
		result = PyEval_EvalCode(code, engine->globals, engine->globals);
	Py_XDECREF(code);
	if (!result)
		return pfx_python_exception("its statements", err);
	Py_DECREF(result);
	return 0;
}

static int call_plain(struct pfx_script_engine *engine, const char *name, struct pfx_error *err)
{
	PyObject *function = pfx_python_function(engine, name);

	return function ? pfx_python_call(engine, function, PyTuple_New(0), err) : 0;
}

static void find_functions(struct pfx_script_engine *engine)
{
	engine->process_event = pfx_python_function(engine, "process_event");
	engine->unhandled = pfx_python_function(engine, "trace_unhandled");
	engine->throttle = pfx_python_function(engine, "throttle");
	engine->unthrottle = pfx_python_function(engine, "unthrottle");
	engine->context_switch = pfx_python_function(engine, "context_switch");
	engine->auxtrace_error = pfx_python_function(engine, "auxtrace_error");
	if (engine->unhandled)
		engine->unhandled_args = pfx_python_nr_args(engine->unhandled);
}

static void make_objects(struct pfx_script_engine *engine)
{
	PyObject *main = PyImport_AddModule("__main__");

	engine->globals = PyModule_GetDict(main);
	engine->context = PyCapsule_New(engine, NULL, NULL);
	/* for functions that do not get it as an argument */
	pfx_python_put(engine->globals, "perf_script_context", Py_NewRef(engine->context));
	engine->empty_text = PyUnicode_FromString("");
	engine->empty_bytes = PyBytes_FromString("");
	engine->no_values = Py_BuildValue("(iii)", 0, 0, 0);
}

static int engine_new(struct pfx_script_engine **ret, const struct pfx_script_view *view,
		      const struct pfx_script_program *program, struct pfx_error *err)
{
	struct pfx_script_engine *engine;
	int rc;

	*ret = NULL;
	rc = start_python(program, err);
	if (rc < 0)
		return rc;
	engine = pfx_python_engine = *ret = pfx_calloc(1, sizeof(*engine));
	engine->view = view;
	make_objects(engine);
	set_path(program);
	rc = run_file(engine, program->path, err);
	if (rc < 0)
		return rc;
	find_functions(engine);
	return call_plain(engine, "trace_begin", err);
}

static int engine_finish(struct pfx_script_engine *engine, struct pfx_error *err)
{
	return call_plain(engine, "trace_end", err);
}

static void drop_objects(struct pfx_script_engine *engine)
{
	size_t i;

	for (i = 0; i < engine->events.nr; i++)
		pfx_python_event_fini(&engine->events.at[i]);
	for (i = 0; i < engine->comms.nr; i++)
		Py_XDECREF(engine->comms.at[i]);
	for (i = 0; i < engine->frames.nr; i++)
		Py_XDECREF(engine->frames.at[i]);
	for (i = 0; i < engine->dsos.nr; i++) {
		Py_XDECREF(engine->dsos.at[i].name);
		Py_XDECREF(engine->dsos.at[i].build_id);
	}
	Py_XDECREF(engine->data_src_text);
	Py_XDECREF(engine->context);
	Py_XDECREF(engine->empty_text);
	Py_XDECREF(engine->empty_bytes);
	Py_XDECREF(engine->no_values);
}

static int engine_free(struct pfx_script_engine *engine, struct pfx_error *err)
{
	int rc = 0;

	if (!engine)
		return 0;
	drop_objects(engine);
	if (Py_FinalizeEx() < 0)
		rc = pfx_error_set(err, EIO, "what the script printed could not be written");
	pfx_trace_free(engine->trace);
	pfx_vec_free(&engine->events);
	pfx_vec_free(&engine->comms);
	pfx_vec_free(&engine->frames);
	pfx_vec_free(&engine->dsos);
	free(engine);
	pfx_python_engine = NULL;
	return rc;
}

/* --- calling handlers --- */

static int engine_sample(struct pfx_script_engine *engine, const struct pfx_script_sample *sample,
			 struct pfx_error *err)
{
	struct pfx_python_event *event = pfx_python_event_of(engine, sample->event);
	PyObject *chain, *dict;
	int rc = 0;

	engine->now = sample;
	if (sample->event->attr.type == PFX_TYPE_TRACEPOINT) {
		rc = pfx_python_tracepoint(engine, event, err);
	} else if (engine->process_event) {
		chain = pfx_python_chain(engine);
		dict = chain ? pfx_python_sample(engine, event, chain) : NULL;
		rc = pfx_python_call(engine, engine->process_event,
				     dict ? Py_BuildValue("(N)", dict) : NULL, err);
		Py_XDECREF(chain);
	}
	engine->now = NULL;
	return rc;
}

/* The trailer of a record; missing fields are -1. */
struct told_id {
	int cpu, pid, tid;
};

static struct told_id told_id(const struct pfx_sample_id *id)
{
	bool has_task = id->has & PFX_SAMPLE_TID;

	return (struct told_id){
		.cpu = id->has & PFX_SAMPLE_CPU ? (int)id->cpu : -1,
		.pid = has_task ? (int)id->pid : -1,
		.tid = has_task ? (int)id->tid : -1,
	};
}

static int tell_throttle(struct pfx_script_engine *engine, PyObject *function,
			 const struct pfx_body *body, struct pfx_error *err)
{
	const struct pfx_throttle *t = &body->throttle;
	struct told_id id = told_id(&body->id);

	return pfx_python_call(
		engine, function,
		Py_BuildValue("(KKKiii)", (unsigned long long)t->time, (unsigned long long)t->id,
			      (unsigned long long)t->stream_id, id.cpu, id.pid, id.tid),
		err);
}

static int tell_switch(struct pfx_script_engine *engine, const struct pfx_record *rec,
		       const struct pfx_body *body, struct pfx_error *err)
{
	struct told_id id = told_id(&body->id);
	bool wide = rec->type == PFX_RECORD_SWITCH_CPU_WIDE;
	bool out = rec->misc & PFX_MISC_SWITCH_OUT;
	bool preempt = out && (rec->misc & PFX_MISC_SWITCH_OUT_PREEMPT);

	if (!pfx_script_takes_cpu(engine->view->script, (uint32_t)id.cpu))
		return 0;
	return pfx_python_call(engine, engine->context_switch,
			       Py_BuildValue("(KiiiiiiNNii)", (unsigned long long)body->id.time,
					     id.cpu, id.pid, id.tid,
					     wide ? (int)body->next_prev.pid : -1,
					     wide ? (int)body->next_prev.tid : -1, -1,
					     PyBool_FromLong(out), PyBool_FromLong(preempt), 0, -1),
			       err);
}

static int tell_aux_error(struct pfx_script_engine *engine, const struct pfx_body *body,
			  struct pfx_error *err)
{
	const struct pfx_auxtrace_error *e = &body->auxtrace_error;
	uint64_t time = e->time == PFX_NO_TIME ? 0 : e->time;

	return pfx_python_call(engine, engine->auxtrace_error,
			       Py_BuildValue("(IIiiiKKNiii)", e->type, e->code, (int)e->cpu,
					     (int)e->pid, (int)e->tid, (unsigned long long)e->ip,
					     (unsigned long long)time,
					     pfx_python_text(e->msg, strlen(e->msg)), 0,
					     (int)e->machine_pid, (int)e->vcpu),
			       err);
}

static PyObject *function_for(const struct pfx_script_engine *engine, uint32_t type)
{
	switch (type) {
	case PFX_RECORD_THROTTLE:
		return engine->throttle;
	case PFX_RECORD_UNTHROTTLE:
		return engine->unthrottle;
	case PFX_RECORD_SWITCH:
	case PFX_RECORD_SWITCH_CPU_WIDE:
		return engine->context_switch;
	case PFX_RECORD_AUXTRACE_ERROR:
		return engine->auxtrace_error;
	default:
		return NULL;
	}
}

static int engine_record(struct pfx_script_engine *engine, const struct pfx_record *rec,
			 struct pfx_error *err)
{
	PyObject *function = function_for(engine, rec->type);
	struct pfx_body body;

	if (!function || pfx_record_decode(rec, rec->event ? &rec->event->attr : NULL, &body, NULL))
		return 0;
	if (function == engine->context_switch)
		return tell_switch(engine, rec, &body, err);
	if (function == engine->auxtrace_error)
		return tell_aux_error(engine, &body, err);
	return tell_throttle(engine, function, &body, err);
}

const struct pfx_script_engine_ops pfx_script_engine_python = {
	.version = PFX_VERSION,
	.view_size = sizeof(struct pfx_script_view),
	.new = engine_new,
	.finish = engine_finish,
	.free = engine_free,
	.sample = engine_sample,
	.record = engine_record,
	.count = pfx_python_count,
	.round = pfx_python_round,
};
