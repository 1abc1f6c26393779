/* SPDX-License-Identifier: MIT */
/* The functions of the module, and its exception. */
#include <stdlib.h>

#include "module_internal.h"

#define NR_OPEN 17 /* arguments of open() */

/* --- open and load --- */

static struct pfx_input *open_input(PyObject *args, PyObject *kwargs, uint32_t *ret_load)
{
	/* the last two are of load() only */
	const char *names[] = {"path",     "inlines",      "lines",   "symbols", "force",
			       "strict",   "max_stack",    "from_ns", "to_ns",   "comms",
			       "pids",     "tids",         "cpus",    "symfs",   "vmlinux",
			       "kallsyms", "build_id_dir", "times",   "chains",  NULL};
	struct pfx_input_options o = PFX_INIT(struct pfx_input_options);
	int inlines = 1, lines = 0, has_symbols = 1, force = 0, strict = 0, times = 0, chains = 1;
	unsigned long long from = 0, to = 0;
	struct pfx_input *input = NULL;
	struct pfx_error err = {0};
	PyObject *path = NULL;
	int rc;

	if (!ret_load)
		names[NR_OPEN] = NULL;
	if (!PyArg_ParseTupleAndKeywords(
		    args, kwargs, ret_load ? "O&|$pppppIKKzzzzzzzzpp" : "O&|$pppppIKKzzzzzzzz",
		    (char **)names, PyUnicode_FSConverter, &path, &inlines, &lines, &has_symbols,
		    &force, &strict, &o.max_stack, &from, &to, &o.comms, &o.pids, &o.tids, &o.cpus,
		    &o.symfs, &o.vmlinux, &o.kallsyms, &o.build_id_dir, &times, &chains))
		return NULL;
	o.from = from;
	o.to = to;
	o.flags = (inlines ? PFX_INPUT_INLINES : 0) | (lines ? PFX_INPUT_LINES : 0) |
		  (has_symbols ? 0 : PFX_INPUT_NO_SYMBOLS) | (force ? PFX_INPUT_FORCE : 0) |
		  (strict ? PFX_INPUT_STRICT : 0);
	if (ret_load)
		*ret_load = (times ? PFX_LOAD_TIMES : 0) | (lines ? PFX_LOAD_LINES : 0) |
			    (chains ? 0 : PFX_LOAD_NO_CHAINS);
	Py_BEGIN_ALLOW_THREADS rc = pfx_input_open(&input, PyBytes_AsString(path), &o, &err);
	Py_END_ALLOW_THREADS Py_DECREF(path);
	if (rc)
		pfx_module_raise(&err);
	return input;
}

static PyObject *open_recording(PyObject *module, PyObject *args, PyObject *kwargs)
{
	struct pfx_input *input = open_input(args, kwargs, NULL);

	(void)module;
	return input ? pfx_module_new_recording(input) : NULL;
}

static PyObject *load_profile(PyObject *module, PyObject *args, PyObject *kwargs)
{
	struct pfx_samples *samples = NULL;
	struct pfx_error err = {0};
	struct pfx_input *input;
	uint32_t flags;
	int rc;

	(void)module;
	input = open_input(args, kwargs, &flags);
	if (!input)
		return NULL;
	Py_BEGIN_ALLOW_THREADS rc = pfx_samples_load(&samples, input, flags, &err);
	pfx_input_close(input);
	Py_END_ALLOW_THREADS return rc ? pfx_module_raise(&err) : pfx_module_new_profile(samples);
}

/* --- record --- */

/* The words of a sequence, NULL-terminated; NULL with an exception. The caller frees the array and
 * gives up *@ret_owner, which keeps the texts. */
static char **words_of(PyObject *sequence, PyObject **ret_owner)
{
	Py_ssize_t nr = PySequence_Size(sequence), i;
	char **words = nr < 0 ? NULL : calloc((size_t)nr + 1, sizeof(*words));
	PyObject *item, *bytes = NULL;

	*ret_owner = PyList_New(0);
	for (i = 0; words && *ret_owner && i < nr; i++) {
		item = PySequence_GetItem(sequence, i);
		if (!item || !PyUnicode_FSConverter(item, &bytes) ||
		    PyList_Append(*ret_owner, bytes)) {
			free(words);
			words = NULL;
		} else {
			words[i] = PyBytes_AsString(bytes);
		}
		Py_CLEAR(bytes);
		Py_XDECREF(item);
	}
	return words;
}

static int run_capture(const struct pfx_capture_options *options, struct pfx_capture_result *ret,
		       struct pfx_error *err)
{
	struct pfx_capture *capture;
	int rc = pfx_capture_start(&capture, options, err);

	if (rc)
		return rc;
	rc = pfx_capture_wait(capture, ret, err);
	pfx_capture_free(capture);
	return rc;
}

static PyObject *record(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static const char *const names[] = {"command",    "output",     "events", "freq",
					    "period",     "call_graph", "cpus",   "all_cpus",
					    "no_inherit", NULL};
	struct pfx_capture_options o = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture_result result = PFX_INIT(struct pfx_capture_result);
	unsigned long long freq = 0, period = 0;
	PyObject *command, *owner = NULL;
	int all_cpus = 0, no_inherit = 0, rc;
	struct pfx_error err = {0};
	char **words;

	(void)module;
	o.output = "perf.data";
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$szKKzzpp", (char **)names, &command,
					 &o.output, &o.events, &freq, &period, &o.call_graph,
					 &o.cpus, &all_cpus, &no_inherit))
		return NULL;
	words = words_of(command, &owner);
	if (!words) {
		Py_XDECREF(owner);
		return NULL;
	}
	o.command = words;
	o.freq = freq;
	o.period = period;
	o.all_cpus = all_cpus;
	o.no_inherit = no_inherit;
	Py_BEGIN_ALLOW_THREADS rc = run_capture(&o, &result, &err);
	Py_END_ALLOW_THREADS free(words);
	Py_XDECREF(owner);
	if (rc)
		return pfx_module_raise(&err);
	return Py_BuildValue("{s:K,s:K,s:K,s:i}", "samples", (unsigned long long)result.nr_samples,
			     "lost", (unsigned long long)result.nr_lost, "bytes",
			     (unsigned long long)result.bytes, "status", result.status);
}

#define OPTIONS                                                                               \
	"inlines=True, lines=False, symbols=True, force=False, strict=False, max_stack=127, " \
	"from_ns=0, to_ns=0, comms=None, pids=None, tids=None, cpus=None, symfs=None, "       \
	"vmlinux=None, kallsyms=None, build_id_dir=None"

static PyMethodDef functions[] = {
	{"open", (PyCFunction)(void (*)(void))open_recording, METH_VARARGS | METH_KEYWORDS,
	 "open(path, *, " OPTIONS ")\n--\n\n"
	 "Open a recording for one pass over its records, in order of time."},
	{"load", (PyCFunction)(void (*)(void))load_profile, METH_VARARGS | METH_KEYWORDS,
	 "load(path, *, " OPTIONS ", times=False, chains=True)\n--\n\n"
	 "Read all samples of a recording into memory, as a profile."},
	{"record", (PyCFunction)(void (*)(void))record, METH_VARARGS | METH_KEYWORDS,
	 "record(command, *, output='perf.data', events=None, freq=0, period=0, call_graph=None, "
	 "cpus=None, all_cpus=False, no_inherit=False)\n--\n\n"
	 "Run a command, a sequence of words, and record it: dict of samples, lost, bytes and the "
	 "status of the command, as os.wait() has it."},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, .m_name = "pfx._pfx",   .m_doc = "Recordings of pfx and perf.",
	.m_size = -1,          .m_methods = functions,
};

PyMODINIT_FUNC PyInit__pfx(void);

PyMODINIT_FUNC PyInit__pfx(void)
{
	PyObject *module = PyModule_Create(&definition);

	if (!module)
		return NULL;
	pfx_use_environment(true); /* a program in Python is a program of its user */
	pfx_module.error = PyErr_NewExceptionWithDoc(
		"pfx.Error",
		"A recording cannot be read, or a question cannot be answered: `hint` "
		"says what to do, `code` is an errno.",
		PyExc_OSError, NULL);
	if (!pfx_module.error || PyModule_AddObjectRef(module, "Error", pfx_module.error) ||
	    PyModule_AddStringConstant(module, "__version__", pfx_version()) ||
	    pfx_module_add_recording(module) || pfx_module_add_profile(module)) {
		Py_DECREF(module);
		return NULL;
	}
	return module;
}
