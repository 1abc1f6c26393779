/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints: calls the function of the script with the fields as arguments. The function is
 * searched by its name, "system__event", at the first sample; then the names of flags and values
 * are also passed to the script if it has functions for them (as Core.py does).
 */
#include "base/ns.h"
#include "python/python_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NR_COMMON 8 /* arguments before the fields */

static struct pfx_trace *open_trace(struct pfx_script_engine *engine)
{
	const struct pfx_env_blob *blob = &engine->view->meta->env.tracing_data;

	if (!engine->trace_tried && blob->size) {
		engine->trace_tried = true;
		if (pfx_trace_open(&engine->trace, blob->at, blob->size, NULL) < 0)
			engine->trace = NULL;
	}
	return engine->trace;
}

/* "sched:sched_switch" as "sched__sched_switch". */
static PyObject *make_full_name(const char *name)
{
	const char *colon = strchr(name, ':');
	struct pfx_str text = {0};
	PyObject *ret;

	if (colon) {
		pfx_str_addn(&text, name, (size_t)(colon - name));
		pfx_str_add(&text, "__");
		name = colon + 1;
	}
	pfx_str_add(&text, name);
	ret = pfx_python_text(pfx_str_get(&text), text.len);
	pfx_str_fini(&text);
	return ret;
}

/* --- names of flags and values --- */

struct telling {
	struct pfx_script_engine *engine;
	PyObject *event;
	PyObject *told; /* fields whose kind was passed */
};

/* A function of the script, else of module Core, of which a script may have imported only a part.
 */
static PyObject *function_of(const struct pfx_script_engine *engine, const char *name)
{
	PyObject *found = pfx_python_function(engine, name);
	PyObject *core = found ? NULL : PyDict_GetItemString(PyImport_GetModuleDict(), "Core");

	return core ? PyDict_GetItemString(PyModule_GetDict(core), name) : found;
}

/* Call an optional function of the script; exceptions in it are ignored. */
static void tell(const struct telling *telling, const char *function, PyObject *args)
{
	PyObject *found = function_of(telling->engine, function), *result;

	if (found && args) {
		result = PyObject_CallObject(found, args);
		Py_XDECREF(result);
	}
	PyErr_Clear();
	Py_XDECREF(args);
}

static void tell_name(void *ctx, const struct pfx_trace_name *name)
{
	const struct telling *telling = ctx;
	PyObject *field = pfx_python_text(name->field, strlen(name->field));
	PyObject *text = pfx_python_text(name->text, strlen(name->text));

	if (!PySet_Contains(telling->told, field)) {
		PySet_Add(telling->told, field);
		if (name->is_flag)
			tell(telling, "define_flag_field",
			     Py_BuildValue("(OOs)", telling->event, field, name->separator));
		else
			tell(telling, "define_symbolic_field",
			     Py_BuildValue("(OO)", telling->event, field));
	}
	tell(telling, name->is_flag ? "define_flag_value" : "define_symbolic_value",
	     Py_BuildValue("(OOKO)", telling->event, field, (unsigned long long)name->value, text));
	Py_DECREF(field);
	Py_DECREF(text);
}

static void tell_names(struct pfx_script_engine *engine, uint64_t id, PyObject *full_name)
{
	struct telling telling = {engine, full_name, PySet_New(NULL)};

	pfx_trace_each_name(engine->trace, id, tell_name, &telling);
	Py_DECREF(telling.told);
}

/* --- events --- */

static void find_fields(struct pfx_script_engine *engine, struct pfx_python_event *entry,
			uint64_t id)
{
	size_t i, nr = pfx_trace_nr_fields(engine->trace, id);

	entry->nr_fields = nr;
	entry->fields = pfx_calloc(nr + 1, sizeof(*entry->fields));
	entry->is = pfx_calloc(nr + 1, sizeof(*entry->is));
	entry->values = pfx_calloc(nr + 1, sizeof(*entry->values));
	for (i = 0; i < nr; i++) {
		pfx_trace_field_at(engine->trace, id, i, &entry->is[i]);
		entry->fields[i] = pfx_python_text(entry->is[i].name, strlen(entry->is[i].name));
	}
}

static void find_handler(struct pfx_script_engine *engine, struct pfx_python_event *entry,
			 const struct pfx_event *event)
{
	struct pfx_trace *trace = open_trace(engine);
	uint64_t id = event->attr.config;
	const char *name = trace ? pfx_trace_event_name(trace, id) : NULL;

	entry->full_name = make_full_name(name ? name : event->name);
	entry->handler = PyDict_GetItem(engine->globals, entry->full_name);
	if (entry->handler && !PyCallable_Check(entry->handler))
		entry->handler = NULL;
	if (entry->handler)
		entry->nr_args = pfx_python_nr_args(entry->handler);
	if (!trace)
		return;
	find_fields(engine, entry, id);
	tell_names(engine, id, entry->full_name);
}

static PyObject *attr_bytes(const struct pfx_attr *attr)
{
	struct pfx_buffer bytes = {0};
	PyObject *ret;

	pfx_attr_encode(attr, &bytes);
	ret = PyBytes_FromStringAndSize((const char *)bytes.at, (Py_ssize_t)bytes.len);
	pfx_buffer_fini(&bytes);
	return ret;
}

struct pfx_python_event *pfx_python_event_of(struct pfx_script_engine *engine,
					     const struct pfx_event *event)
{
	struct pfx_python_event *entry;

	while (engine->events.nr <= event->idx)
		pfx_vec_push(&engine->events, ((struct pfx_python_event){0}));
	entry = &engine->events.at[event->idx];
	if (entry->is_ready)
		return entry;
	entry->is_ready = true;
	entry->name = pfx_python_text(event->name, strlen(event->name));
	entry->attr = attr_bytes(&event->attr);
	if (event->attr.type == PFX_TYPE_TRACEPOINT)
		find_handler(engine, entry, event);
	return entry;
}

void pfx_python_event_fini(struct pfx_python_event *event)
{
	size_t i;

	for (i = 0; i < event->nr_fields; i++)
		Py_XDECREF(event->fields[i]);
	free(event->fields);
	free(event->is);
	free(event->values);
	Py_XDECREF(event->name);
	Py_XDECREF(event->attr);
	Py_XDECREF(event->full_name);
}

/* --- samples --- */

/* NUL-terminated inside the field, and printable. */
static bool is_text(const struct pfx_trace_value *value)
{
	size_t i;

	if (!value->size || value->bytes[value->size - 1])
		return false;
	for (i = 0; value->bytes[i]; i++)
		if (!isprint(value->bytes[i]) && !isspace(value->bytes[i]))
			return false;
	return true;
}

static PyObject *value_of(const struct pfx_trace_field *is, const struct pfx_trace_value *value)
{
	const char *bytes = (const char *)value->bytes;

	if (!is->is_array)
		return is->is_signed ? PyLong_FromLongLong((long long)value->number)
				     : PyLong_FromUnsignedLongLong(value->number);
	if (is->is_text && is_text(value))
		return pfx_python_text(bytes, strlen(bytes));
	return PyByteArray_FromStringAndSize(bytes, (Py_ssize_t)value->size);
}

static void load_values(struct pfx_script_engine *engine, const struct pfx_python_event *event)
{
	const struct pfx_script_sample *now = engine->now;
	const struct pfx_trace_value raw = {.bytes = now->sample->raw.at,
					    .size = now->sample->raw.size};

	if (event->nr_fields)
		pfx_trace_values(engine->trace, now->event->attr.config, &raw, event->values);
}

/* The tracepoint's common_pid. */
static PyObject *common_pid(const struct pfx_script_engine *engine)
{
	const struct pfx_script_sample *now = engine->now;
	const struct pfx_trace_ask ask = {now->event->attr.config, "common_pid"};
	uint64_t pid = now->sample->tid;

	if (engine->trace)
		pfx_trace_number(engine->trace, &ask, now->sample->raw.at, now->sample->raw.size,
				 &pid);
	return PyLong_FromLong((int)pid);
}

/* event_name, context, cpu, seconds, nanoseconds, pid, comm, chain, then every field. */
static PyObject *handler_args(struct pfx_script_engine *engine,
			      const struct pfx_python_event *event, PyObject *chain, bool has_dict)
{
	const struct pfx_sample *sample = engine->now->sample;
	PyObject *args = PyTuple_New((Py_ssize_t)(NR_COMMON + event->nr_fields + has_dict));
	Py_ssize_t n = 0;
	size_t i;

	PyTuple_SET_ITEM(args, n++, Py_NewRef(event->full_name));
	PyTuple_SET_ITEM(args, n++, Py_NewRef(engine->context));
	PyTuple_SET_ITEM(args, n++, PyLong_FromLong((int)sample->cpu));
	PyTuple_SET_ITEM(args, n++, PyLong_FromUnsignedLongLong(sample->time / PFX_NS_PER_SECOND));
	PyTuple_SET_ITEM(args, n++, PyLong_FromUnsignedLongLong(sample->time % PFX_NS_PER_SECOND));
	PyTuple_SET_ITEM(args, n++, common_pid(engine));
	PyTuple_SET_ITEM(args, n++, pfx_python_comm(engine, engine->now->thread));
	PyTuple_SET_ITEM(args, n++, Py_NewRef(chain));
	for (i = 0; i < event->nr_fields; i++)
		PyTuple_SET_ITEM(args, n++, value_of(&event->is[i], &event->values[i]));
	return args;
}

static PyObject *fields_dict(struct pfx_script_engine *engine, const struct pfx_python_event *event,
			     PyObject *chain)
{
	const struct pfx_sample *sample = engine->now->sample;
	PyObject *dict = PyDict_New(), *value;
	size_t i;

	pfx_python_put(dict, "common_cpu", PyLong_FromLong((int)sample->cpu));
	pfx_python_put(dict, "common_s",
		       PyLong_FromUnsignedLongLong(sample->time / PFX_NS_PER_SECOND));
	pfx_python_put(dict, "common_ns",
		       PyLong_FromUnsignedLongLong(sample->time % PFX_NS_PER_SECOND));
	pfx_python_put(dict, "common_pid", common_pid(engine));
	pfx_python_put(dict, "common_comm", pfx_python_comm(engine, engine->now->thread));
	pfx_python_put(dict, "common_callchain", Py_NewRef(chain));
	for (i = 0; i < event->nr_fields; i++) {
		value = value_of(&event->is[i], &event->values[i]);
		PyDict_SetItem(dict, event->fields[i], value);
		Py_XDECREF(value);
	}
	return dict;
}

static int call_unhandled(struct pfx_script_engine *engine, struct pfx_python_event *event,
			  PyObject *chain, struct pfx_error *err)
{
	PyObject *dict = fields_dict(engine, event, chain), *args;

	if (engine->unhandled_args == 4)
		args = Py_BuildValue("(OONN)", event->full_name, engine->context, dict,
				     pfx_python_sample(engine, event, chain));
	else
		args = Py_BuildValue("(OON)", event->full_name, engine->context, dict);
	return pfx_python_call(engine, engine->unhandled, args, err);
}

int pfx_python_tracepoint(struct pfx_script_engine *engine, struct pfx_python_event *event,
			  struct pfx_error *err)
{
	bool has_dict = event->nr_args == (Py_ssize_t)(NR_COMMON + event->nr_fields + 1);
	PyObject *chain, *args;
	int rc;

	if (!event->handler && !engine->unhandled)
		return 0;
	load_values(engine, event);
	chain = pfx_python_chain(engine);
	if (event->handler) {
		args = handler_args(engine, event, chain, has_dict);
		if (has_dict)
			PyTuple_SET_ITEM(args, (Py_ssize_t)(NR_COMMON + event->nr_fields),
					 pfx_python_sample(engine, event, chain));
		rc = pfx_python_call(engine, event->handler, args, err);
	} else {
		rc = call_unhandled(engine, event, chain, err);
	}
	Py_DECREF(chain);
	return rc;
}
