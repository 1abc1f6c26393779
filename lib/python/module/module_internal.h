/* SPDX-License-Identifier: MIT */
/*
 * The Python module `pfx` on the public doors of libpfx, in Python's stable ABI: one file for every
 * Python from 3.11 on. What each class does is written in its docstrings and in __init__.pyi.
 */
#ifndef PFX_PYTHON_MODULE_INTERNAL_H
#define PFX_PYTHON_MODULE_INTERNAL_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <stdbool.h>
#include <string.h>
#include <structmember.h>

#include <pfx/pfx.h>

/* The types, which live as long as the module. */
struct pfx_module {
	PyObject *error;
	PyTypeObject *recording, *sample, *frame, *row, *profile, *column;
};
extern struct pfx_module pfx_module;

/* Raise pfx.Error from @err; returns NULL. */
PyObject *pfx_module_raise(const struct pfx_error *err);
/* Like PyArg_ParseTupleAndKeywords(); a value of a wrong type is named, not numbered. */
bool pfx_module_parse(PyObject *args, PyObject *kwargs, const char *format,
		      const char *const *names, ...);
/* A converter for "O&" of that: a path, or None unless it @is_needed. */
struct pfx_module_path {
	const char *name;
	bool is_needed;
	PyObject *bytes; /* the caller gives it up; NULL: None */
};
int pfx_module_to_path(PyObject *object, void *path);
/* Its text; NULL for None. */
const char *pfx_module_path_text(const struct pfx_module_path *path);
/* An int from 0 to @max, or an exception with the name of the argument. */
bool pfx_module_number(PyObject *object, const char *name, uint64_t max, uint64_t *ret);
/* The same as a converter for "O&". */
struct pfx_module_count {
	const char *name;
	uint64_t max, number;
};
int pfx_module_to_count(PyObject *object, void *count);
/* TypeError: 'name' must be @wanted, not the type of @value. Returns false. */
bool pfx_module_wrong_type(const char *name, const char *wanted, PyObject *value);
/* Text of a recording: bytes that are not UTF-8 become surrogates; NULL is None. */
PyObject *pfx_module_text(const char *text);
/* Make a type, and add it to the module unless it is only made by others: 0, or -1. */
int pfx_module_add_type(PyObject *module, PyTypeObject **ret, PyType_Spec *spec);
/* An object of a type of this module, zeroed; and its end, after its members. */
PyObject *pfx_module_new(PyTypeObject *type);
void pfx_module_free(PyObject *self);
/* Set an item of a dict and give up the value; false after an error. */
bool pfx_module_set(PyObject *dict, const char *name, PyObject *value);

/* The function record() of the module. */
PyObject *pfx_module_record(PyObject *module, PyObject *args, PyObject *kwargs);
int pfx_module_add_recording(PyObject *module);
int pfx_module_add_profile(PyObject *module);
PyObject *pfx_module_new_recording(struct pfx_input *input);
PyObject *pfx_module_new_profile(struct pfx_samples *samples);

#endif
