/* SPDX-License-Identifier: MIT */
/* What the classes of the module share: texts, objects, types, errors. */
#include <stdarg.h>
#include <stdlib.h>

#include "module_internal.h"

struct pfx_module pfx_module;

/* What a hint says in C, as a Python program writes it. */
static PyObject *hint_of(const char *text)
{
	static const char *const words[][2] = {
		{"PFX_INPUT_FORCE", "force=True"},
		{"PFX_LOAD_TIMES", "times=True"},
		{"PFX_LOAD_LINES", "lines=True"},
		{"a capture into a file makes one", "pfx.record() makes one"},
		{"a capture runs it", "pfx.record() runs it"},
		{"pfx_input_event_info()", "Recording.events"},
	};
	PyObject *hint = pfx_module_text(text), *next;
	size_t i;

	for (i = 0; hint && i < sizeof(words) / sizeof(*words); i++) {
		next = PyObject_CallMethod(hint, "replace", "ss", words[i][0], words[i][1]);
		Py_DECREF(hint);
		hint = next;
	}
	return hint;
}

PyObject *pfx_module_raise(const struct pfx_error *err)
{
	PyObject *text = pfx_module_text(err->text);
	PyObject *made = text ? PyObject_CallFunctionObjArgs(pfx_module.error, text, NULL) : NULL;
	PyObject *hint = hint_of(err->hint), *code = PyLong_FromLong(err->code), *noted;

	if (made && hint && code) {
		PyObject_SetAttrString(made, "hint", hint);
		PyObject_SetAttrString(made, "code", code);
		noted = *err->hint ? PyObject_CallMethod(made, "add_note", "O", hint) : NULL;
		Py_XDECREF(noted);
		PyErr_SetObject(pfx_module.error, made);
	}
	Py_XDECREF(made);
	Py_XDECREF(text);
	Py_XDECREF(hint);
	Py_XDECREF(code);
	return NULL;
}

/* --- arguments --- */

/* "argument 16 must be str or None, not int" becomes "'kallsyms' must be str or None, not int". */
static void name_argument(const char *const *names)
{
	PyObject *type, *value, *traceback, *text;
	const char *words, *rest;
	unsigned long number;
	char *end;

	PyErr_Fetch(&type, &value, &traceback);
	text = value ? PyObject_Str(value) : NULL;
	words = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
	rest = words ? strstr(words, "argument ") : NULL;
	number = rest ? strtoul(rest + strlen("argument "), &end, 10) : 0;
	if (number && !strncmp(end, " must be ", strlen(" must be "))) {
		PyErr_Format(PyExc_TypeError, "'%s'%s", names[number - 1], end);
		Py_XDECREF(type);
		Py_XDECREF(value);
		Py_XDECREF(traceback);
	} else {
		PyErr_Clear();
		PyErr_Restore(type, value, traceback);
	}
	Py_XDECREF(text);
}

bool pfx_module_parse(PyObject *args, PyObject *kwargs, const char *format,
		      const char *const *names, ...)
{
	va_list values;
	int is_good;

	va_start(values, names);
	is_good = PyArg_VaParseTupleAndKeywords(args, kwargs, format, (char **)(uintptr_t)names,
						values);
	va_end(values);
	if (!is_good)
		name_argument(names);
	return is_good;
}

bool pfx_module_wrong_type(const char *name, const char *wanted, PyObject *value)
{
	PyObject *type = PyType_GetName(Py_TYPE(value));

	PyErr_Format(PyExc_TypeError, "'%s' must be %s, not %U", name, wanted, type);
	Py_XDECREF(type);
	return false;
}

bool pfx_module_number(PyObject *object, const char *name, uint64_t max, uint64_t *ret)
{
	PyObject *index = PyIndex_Check(object) ? PyNumber_Index(object) : NULL;

	if (!index)
		return PyErr_Occurred() ? false : pfx_module_wrong_type(name, "int", object);
	*ret = PyLong_AsUnsignedLongLong(index);
	Py_DECREF(index);
	if (!PyErr_Occurred() && *ret <= max)
		return true;
	PyErr_Clear();
	PyErr_Format(PyExc_OverflowError, "'%s' must be from 0 to %llu", name,
		     (unsigned long long)max);
	return false;
}

int pfx_module_to_count(PyObject *object, void *context)
{
	struct pfx_module_count *count = context;

	return pfx_module_number(object, count->name, count->max, &count->number);
}

int pfx_module_to_path(PyObject *object, void *context)
{
	struct pfx_module_path *path = context;
	PyObject *kind;

	if (!object) { /* another argument is wrong */
		Py_CLEAR(path->bytes);
		return 1;
	}
	if (object == Py_None && !path->is_needed)
		return Py_CLEANUP_SUPPORTED;
	if (PyUnicode_FSConverter(object, &path->bytes))
		return Py_CLEANUP_SUPPORTED;
	if (PyErr_ExceptionMatches(PyExc_TypeError)) {
		PyErr_Clear();
		kind = PyType_GetName(Py_TYPE(object));
		PyErr_Format(PyExc_TypeError, "'%s' must be str, bytes%s, not %U", path->name,
			     path->is_needed ? " or os.PathLike" : ", os.PathLike or None", kind);
		Py_XDECREF(kind);
	}
	return 0;
}

const char *pfx_module_path_text(const struct pfx_module_path *path)
{
	return path->bytes ? PyBytes_AsString(path->bytes) : NULL;
}

/* --- texts and objects --- */

PyObject *pfx_module_text(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

int pfx_module_add_type(PyObject *module, PyTypeObject **ret, PyType_Spec *spec)
{
	*ret = (PyTypeObject *)PyType_FromSpec(spec);
	return *ret ? PyModule_AddType(module, *ret) : -1;
}

PyObject *pfx_module_new(PyTypeObject *type)
{
	return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}

void pfx_module_free(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	release(self);
	Py_DECREF(type);
}

bool pfx_module_set(PyObject *dict, const char *name, PyObject *value)
{
	PyObject *key =
		value ? pfx_module_text(name) : NULL; /* names of fields are untrusted, too */
	int rc = key ? PyDict_SetItem(dict, key, value) : -1;

	Py_XDECREF(key);
	Py_XDECREF(value);
	return !rc;
}
