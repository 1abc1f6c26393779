/* SPDX-License-Identifier: MIT */
/* The functions of the module, and its exception. */
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
	struct pfx_module_count depth = {"max_stack", UINT32_MAX, 0};
	struct pfx_module_count from = {"from_ns", UINT64_MAX, 0}, to = {"to_ns", UINT64_MAX, 0};
	struct pfx_module_path paths[] = {
		{"path", true, NULL},      {"symfs", false, NULL},        {"vmlinux", false, NULL},
		{"kallsyms", false, NULL}, {"build_id_dir", false, NULL},
	};
	struct pfx_input *input = NULL;
	struct pfx_error err = {0};
	size_t i;
	int rc;

	if (!ret_load)
		names[NR_OPEN] = NULL;
	if (!pfx_module_parse(
		    args, kwargs,
		    ret_load ? "O&|$pppppO&O&O&zzzzO&O&O&O&pp" : "O&|$pppppO&O&O&zzzzO&O&O&O&",
		    names, pfx_module_to_path, &paths[0], &inlines, &lines, &has_symbols, &force,
		    &strict, pfx_module_to_count, &depth, pfx_module_to_count, &from,
		    pfx_module_to_count, &to, &o.comms, &o.pids, &o.tids, &o.cpus,
		    pfx_module_to_path, &paths[1], pfx_module_to_path, &paths[2],
		    pfx_module_to_path, &paths[3], pfx_module_to_path, &paths[4], &times, &chains))
		return NULL;
	o.symfs = pfx_module_path_text(&paths[1]);
	o.vmlinux = pfx_module_path_text(&paths[2]);
	o.kallsyms = pfx_module_path_text(&paths[3]);
	o.build_id_dir = pfx_module_path_text(&paths[4]);
	o.from = from.number;
	o.to = to.number;
	o.max_stack = (uint32_t)depth.number;
	o.flags = (inlines ? PFX_INPUT_INLINES : 0) | (lines ? PFX_INPUT_LINES : 0) |
		  (has_symbols ? 0 : PFX_INPUT_NO_SYMBOLS) | (force ? PFX_INPUT_FORCE : 0) |
		  (strict ? PFX_INPUT_STRICT : 0);
	if (ret_load)
		*ret_load = (times ? PFX_LOAD_TIMES : 0) | (lines ? PFX_LOAD_LINES : 0) |
			    (chains ? 0 : PFX_LOAD_NO_CHAINS);
	Py_BEGIN_ALLOW_THREADS rc =
		pfx_input_open(&input, pfx_module_path_text(&paths[0]), &o, &err);
	Py_END_ALLOW_THREADS for (i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		Py_XDECREF(paths[i].bytes);
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

/* --- the module --- */

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
	{"record", (PyCFunction)(void (*)(void))pfx_module_record, METH_VARARGS | METH_KEYWORDS,
	 "record(command=None, *, output='perf.data', **options)\n--\n\n"
	 "Run a command, a sequence of words, and record it; without a command, record what the "
	 "options say\nuntil that ends. Options are those of struct pfx_capture_options: see "
	 "pfx_capture(3), or help of the type hints.\nReturns a dict of samples, lost, bytes and "
	 "the status of the command, as os.wait() has it."},
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
