/* SPDX-License-Identifier: MIT */
/*
 * The module perf_trace_context: functions that return data about the current sample, for the
 * context that was passed to the handler, or for the one in the module. Outside of handlers they
 * raise an exception.
 */
#include "python/python_internal.h"

#include <string.h>

/* Offsets of the common fields of tracepoints, and the flags without a sample. */
#define FLAGS_AT 2
#define COUNT_AT 3

/* The engine while a sample is processed; otherwise sets an exception and returns NULL. */
static struct pfx_script_engine *engine_of(PyObject *context)
{
	struct pfx_script_engine *engine = pfx_python_engine;

	if (!PyCapsule_CheckExact(context) || !engine ||
	    PyCapsule_GetPointer(context, NULL) != engine) {
		PyErr_SetString(PyExc_TypeError, "this is not the context of an event");
		return NULL;
	}
	if (!engine->now) {
		PyErr_SetString(PyExc_RuntimeError, "there is no current event");
		return NULL;
	}
	return engine;
}

/* A byte of the common fields of tracepoints. */
static PyObject *common_byte(PyObject *context, size_t at)
{
	struct pfx_script_engine *engine = engine_of(context);
	const struct pfx_bytes *raw;

	if (!engine)
		return NULL;
	raw = &engine->now->sample->raw;
	return PyLong_FromLong(at < raw->size ? raw->at[at] : 0);
}

static PyObject *common_pc(PyObject *self, PyObject *context)
{
	return common_byte(context, COUNT_AT);
}

static PyObject *common_flags(PyObject *self, PyObject *context)
{
	return common_byte(context, FLAGS_AT);
}

/* A field of kernels with real-time patches only. */
static PyObject *common_lock_depth(PyObject *self, PyObject *context)
{
	struct pfx_script_engine *engine = engine_of(context);
	const struct pfx_script_sample *now;
	struct pfx_trace_ask ask = {.field = "common_lock_depth"};
	uint64_t value = 0;

	if (!engine)
		return NULL;
	now = engine->now;
	ask.event = now->event->attr.config;
	if (engine->trace)
		pfx_trace_number(engine->trace, &ask, now->sample->raw.at, now->sample->raw.size,
				 &value);
	return PyLong_FromLong((int)value);
}

/* As with --itrace: traces are not decoded; scripts get the other events, and the user gets a
 * note. */
static PyObject *set_itrace_options(PyObject *self, PyObject *args)
{
	const struct pfx_script_view *view = pfx_python_engine->view;
	PyObject *context;
	const char *options;

	if (!PyArg_ParseTuple(args, "Os", &context, &options))
		return NULL;
	if (pfx_env_has(&view->meta->env, PFX_FEAT_AUXTRACE))
		view->host->note(view->host->ctx, "AUX area data is not decoded");
	return PyLong_FromLong(0);
}

/* The location of the sample; NULL after an exception was set. */
static struct pfx_place *asked_place(PyObject *context)
{
	struct pfx_script_engine *engine = engine_of(context);
	const struct pfx_script_sample *now;
	struct pfx_place *place;

	if (!engine)
		return NULL;
	now = engine->now;
	place = pfx_resolve(engine->view->resolver, now->thread, now->sample->cpumode,
			    now->sample->ip);
	pfx_place_symbol(engine->view->resolver, place);
	return place;
}

/* The result for a location without a source line. */
static PyObject *no_file(const struct pfx_place *place)
{
	if (pfx_place_srcline(pfx_python_engine->view->resolver, place))
		return PyUnicode_FromString("??");
	return Py_NewRef(Py_None);
}

/* (file, line), or ("??", 0), or (None, 0). */
static PyObject *sample_srcline(PyObject *self, PyObject *context)
{
	struct pfx_place *place = asked_place(context);
	struct pfx_source source;

	if (!place)
		return NULL;
	if (!pfx_place_source(pfx_python_engine->view->resolver, place, &source))
		return Py_BuildValue("(Ni)", no_file(place), 0);
	return Py_BuildValue("(NI)", pfx_python_text(source.file, strlen(source.file)),
			     source.line);
}

/* The text of a source line without newline, None if the file is missing; uses Python's
 * linecache. */
static PyObject *line_text(const struct pfx_source *source)
{
	PyObject *cache = PyImport_ImportModule("linecache"), *line = NULL, *ret = NULL;

	if (cache)
		line = PyObject_CallMethod(cache, "getline", "sI", source->file, source->line);
	if (line && PyObject_IsTrue(line) > 0)
		ret = PyObject_CallMethod(line, "rstrip", "s", "\n");
	Py_XDECREF(line);
	Py_XDECREF(cache);
	PyErr_Clear();
	return ret ? ret : Py_NewRef(Py_None);
}

/* The same, and the text of the line or None. */
static PyObject *sample_srccode(PyObject *self, PyObject *context)
{
	struct pfx_place *place = asked_place(context);
	struct pfx_source source;

	if (!place)
		return NULL;
	if (!pfx_place_source(pfx_python_engine->view->resolver, place, &source))
		return Py_BuildValue("(NiO)", no_file(place), 0, Py_None);
	return Py_BuildValue("(NIN)", pfx_python_text(source.file, strlen(source.file)),
			     source.line, line_text(&source));
}

/* The bytes of the instruction; None if its code is not available. */
static PyObject *sample_insn(PyObject *self, PyObject *context)
{
	struct pfx_script_engine *engine = engine_of(context);
	struct pfx_script_insn insn;

	if (!engine)
		return NULL;
	if (!pfx_script_insn_at(engine->view->script, engine->now->thread, engine->now->sample,
				&insn))
		return Py_NewRef(Py_None);
	pfx_str_fini(&insn.text);
	return PyBytes_FromStringAndSize((const char *)insn.code, insn.len);
}

static PyObject *config_get(PyObject *self, PyObject *name)
{
	const char *key = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
	const struct pfx_script_host *host = pfx_python_engine->view->host;
	const char *value;

	if (!key)
		return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a name is wanted");
	value = host->config(host->ctx, key);
	return value ? pfx_python_text(value, strlen(value)) : Py_NewRef(Py_None);
}

/* Open the output @name, with the same rules as for commands. */
static PyObject *open_output(PyObject *self, PyObject *name)
{
	const struct pfx_script_host *host = pfx_python_engine->view->host;
	struct pfx_error err = {0};
	PyObject *path;
	int fd;

	if (!PyUnicode_FSConverter(name, &path))
		return NULL;
	fd = host->open_output(host->ctx, PyBytes_AS_STRING(path), &err);
	Py_DECREF(path);
	if (fd >= 0)
		return PyLong_FromLong(fd);
	return PyErr_Format(PyExc_OSError, err.hint[0] ? "%s\n%s" : "%s", err.text, err.hint);
}

static PyMethodDef functions[] = {
	{"common_pc", common_pc, METH_O, "Get the preemption count of a tracepoint's sample."},
	{"common_flags", common_flags, METH_O, "Get the flags of a tracepoint's sample."},
	{"common_lock_depth", common_lock_depth, METH_O, "Get the lock depth of the sample."},
	{"perf_sample_insn", sample_insn, METH_O, "Get the bytes of the sampled instruction."},
	{"perf_set_itrace_options", set_itrace_options, METH_VARARGS, "Tell how to decode traces."},
	{"perf_sample_srcline", sample_srcline, METH_O, "Get file and line of the sample."},
	{"perf_sample_srccode", sample_srccode, METH_O, "Get file, line and its text."},
	{"perf_config_get", config_get, METH_O, "Get a value of the configuration."},
	{"pfx_open_output", open_output, METH_O,
	 "Open an output that the user named, for writing."},
	{NULL, NULL, 0, NULL},
};

static PyObject *make_module(void)
{
	static struct PyModuleDef module = {
		PyModuleDef_HEAD_INIT,
		.m_name = "perf_trace_context",
		.m_doc = "Functions for the current sample.",
		.m_size = -1,
		.m_methods = functions,
	};
	PyObject *made = PyModule_Create(&module);

	/* process_event() does not get a context and uses this one */
	if (made && pfx_python_engine)
		PyModule_AddObject(made, "perf_script_context",
				   Py_NewRef(pfx_python_engine->context));
	return made;
}

int pfx_python_add_context(void)
{
	return PyImport_AppendInittab("perf_trace_context", make_module);
}
