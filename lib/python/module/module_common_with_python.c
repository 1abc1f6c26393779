/* SPDX-License-Identifier: MIT */
/* What the classes of the module share: texts, objects, types, errors. */
#include "module_internal.h"

struct pfx_module pfx_module;

/* What a hint says in C, as a Python program writes it. */
static PyObject *hint_of(const char *text)
{
	static const char *const words[][2] = {
		{"PFX_INPUT_FORCE", "force=True"},
		{"PFX_LOAD_TIMES", "times=True"},
		{"PFX_LOAD_LINES", "lines=True"},
		{"pfx_capture_start()", "pfx.record()"},
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
