/* SPDX-License-Identifier: MIT */
/*
 * Calling functions of the script, with helpers for strings, dicts, and exceptions, which Python
 * prints as usual.
 */
#include "python/python_internal.h"

#include <errno.h>
#include <string.h>

struct pfx_script_engine *pfx_python_engine;

PyObject *pfx_python_text(const char *text, size_t len)
{
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)len, "backslashreplace");
}

void pfx_python_put(PyObject *dict, const char *key, PyObject *value)
{
	PyObject *name = PyUnicode_InternFromString(key);

	if (name && value)
		PyDict_SetItem(dict, name, value);
	Py_XDECREF(name);
	Py_XDECREF(value);
}

PyObject *pfx_python_function(const struct pfx_script_engine *engine, const char *name)
{
	PyObject *found = PyDict_GetItemString(engine->globals, name);

	return found && PyCallable_Check(found) ? found : NULL;
}

Py_ssize_t pfx_python_nr_args(PyObject *function)
{
	PyObject *code = PyObject_GetAttrString(function, "__code__");
	PyObject *count = code ? PyObject_GetAttrString(code, "co_argcount") : NULL;
	Py_ssize_t nr = count ? PyLong_AsSsize_t(count) : -1;

	Py_XDECREF(count);
	Py_XDECREF(code);
	PyErr_Clear();
	return nr;
}

/* Flush the script's output before Python prints an exception. */
static void flush_stdout(void)
{
	PyObject *type, *value, *trace, *out, *done;

	PyErr_Fetch(&type, &value, &trace);
	out = PySys_GetObject("stdout");
	done = out && out != Py_None ? PyObject_CallMethod(out, "flush", NULL) : NULL;
	Py_XDECREF(done);
	PyErr_Clear();
	PyErr_Restore(type, value, trace);
}

/* Write text with newlines and tabs; other control characters are escaped. */
static void write_escaped(PyObject *to, PyObject *text)
{
	PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
	const char *at = bytes ? PyBytes_AsString(bytes) : NULL;
	struct pfx_str shown = {0};
	size_t len;

	for (; at && *at; at += len) {
		len = strcspn(at, "\n\t");
		pfx_str_add_escaped(&shown, at, len);
		if (at[len])
			pfx_str_addc(&shown, at[len++]);
	}
	PyErr_Clear();
	if (PyFile_WriteString(pfx_str_get(&shown), to) < 0)
		PyErr_Clear();
	pfx_str_fini(&shown);
	Py_XDECREF(bytes);
}

/* A StringIO for output; NULL on failure. Keeps the current exception. */
static PyObject *new_text_file(void)
{
	PyObject *type, *value, *trace, *io, *file = NULL;

	PyErr_Fetch(&type, &value, &trace);
	io = PyImport_ImportModule("io");
	if (io)
		file = PyObject_CallMethod(io, "StringIO", NULL);
	Py_XDECREF(io);
	PyErr_Clear();
	PyErr_Restore(type, value, trace);
	return file;
}

/* SystemExit ends the program; its message, if any, is printed. */
static void exit_as_told(PyObject *out)
{
	PyObject *type, *value, *trace, *code;

	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	code = value ? PyObject_GetAttrString(value, "code") : NULL;
	PyErr_Clear();
	PyErr_Restore(type, value, trace);
	if (code && PyUnicode_Check(code) && out && out != Py_None) {
		write_escaped(out, code);
		PyFile_WriteString("\n", out);
		PyErr_SetObject(PyExc_SystemExit, PyLong_FromLong(1));
	}
	Py_XDECREF(code);
	PyErr_Print();
}

/* Exceptions may contain names from the recording: print to a string first, to escape it. */
static void print_exception(void)
{
	PyObject *out = PySys_GetObject("stderr"), *file, *text;

	if (PyErr_ExceptionMatches(PyExc_SystemExit))
		exit_as_told(out);
	file = out && out != Py_None ? new_text_file() : NULL;
	if (!file) {
		PyErr_Print();
		return;
	}
	Py_INCREF(out);
	PySys_SetObject("stderr", file);
	PyErr_Print();
	PySys_SetObject("stderr", out);
	text = PyObject_CallMethod(file, "getvalue", NULL);
	if (text && PyUnicode_Check(text))
		write_escaped(out, text);
	PyErr_Clear();
	Py_XDECREF(text);
	Py_DECREF(file);
	Py_DECREF(out);
}

/* Print the current exception's traceback to standard error. */
int pfx_python_exception(const char *where, struct pfx_error *err)
{
	flush_stdout();
	print_exception();
	return pfx_error_set(err, ECANCELED, "the script failed in %s", where);
}

int pfx_python_call(struct pfx_script_engine *engine, PyObject *function, PyObject *args,
		    struct pfx_error *err)
{
	PyObject *result, *name;
	int rc = 0;

	if (!args)
		return pfx_python_exception("its arguments", err);
	result = PyObject_CallObject(function, args);
	Py_DECREF(args);
	if (!result) {
		name = PyObject_GetAttrString(function, "__name__");
		if (!name) /* only report the exception of the call */
			name = Py_NewRef(engine->empty_text);
		rc = pfx_python_exception(PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : "", err);
		Py_DECREF(name);
	}
	Py_XDECREF(result);
	return rc;
}
