/* SPDX-License-Identifier: MIT */
/* record(): its keywords are the members of struct pfx_capture_options, one row for each. */
#include <stddef.h>
#include <stdlib.h>

#include "module_internal.h"

enum kind { TEXT, PATH, NUMBER, BOOL, INT, CLOCK };

#define ROW(kind, name)                                                 \
	{                                                               \
#name, kind, offsetof(struct pfx_capture_options, name) \
	}

static const struct row {
	const char *name;
	enum kind kind;
	size_t at;
} rows[] = {
	ROW(PATH, output),
	ROW(TEXT, events),
	ROW(NUMBER, freq),
	ROW(NUMBER, period),
	ROW(TEXT, call_graph),
	ROW(TEXT, pids),
	ROW(TEXT, tids),
	ROW(TEXT, user),
	ROW(TEXT, cpus),
	ROW(BOOL, all_cpus),
	ROW(BOOL, no_inherit),
	ROW(BOOL, branches),
	ROW(TEXT, branch_filter),
	ROW(BOOL, data_addresses),
	ROW(INT, compression),
	ROW(NUMBER, max_size),
	ROW(TEXT, filter),
	ROW(TEXT, cgroup),
	ROW(CLOCK, clock),
	ROW(NUMBER, buffer_bytes),
	ROW(BOOL, one_group),
	ROW(BOOL, all_user),
	ROW(BOOL, all_kernel),
	ROW(BOOL, physical_addresses),
	ROW(BOOL, weights),
	ROW(BOOL, transactions),
	ROW(BOOL, switches),
	ROW(BOOL, namespaces),
	ROW(BOOL, cgroups),
	ROW(BOOL, overwrite),
	ROW(NUMBER, trace_bytes),
	ROW(TEXT, user_regs),
	ROW(TEXT, intr_regs),
	ROW(BOOL, user_callers),
	ROW(BOOL, kernel_callers),
	ROW(BOOL, data_mappings),
	ROW(BOOL, page_sizes),
	ROW(BOOL, thread_counts),
	ROW(BOOL, off_cpu),
	ROW(NUMBER, off_cpu_ms),
	ROW(BOOL, per_thread),
	ROW(BOOL, strict_freq),
	ROW(BOOL, all_build_ids),
	ROW(BOOL, keep_binaries),
	ROW(BOOL, kcore),
	ROW(NUMBER, switch_bytes),
	ROW(NUMBER, switch_ms),
	ROW(TEXT, switch_events),
	ROW(NUMBER, switch_max_files),
	ROW(BOOL, no_samples),
	ROW(BOOL, raw),
	ROW(BOOL, data_sources),
	ROW(BOOL, running_times),
	ROW(BOOL, no_bpf),
	ROW(BOOL, no_running_tasks),
	ROW(BOOL, no_running_maps),
	ROW(BOOL, no_build_ids),
	ROW(BOOL, build_ids_in_mappings),
	ROW(BOOL, stop_when_full),
	ROW(NUMBER, flush_bytes),
	ROW(NUMBER, priority),
	ROW(NUMBER, trace_in_sample),
	ROW(NUMBER, trace_snapshot),
	ROW(BOOL, trace_snapshots),
	ROW(BOOL, trace_at_end),
	ROW(TEXT, pfm_events),
	ROW(BOOL, exclude_recorder),
	ROW(BOOL, sample_identifiers),
	ROW(BOOL, sample_cpus),
	ROW(BOOL, sample_periods),
	ROW(BOOL, no_periods),
	ROW(BOOL, no_times),
	ROW(BOOL, max_freq),
	ROW(BOOL, latency),
	ROW(TEXT, delay),
	ROW(TEXT, threads),
	ROW(TEXT, affinity),
	ROW(NUMBER, write_shares),
	ROW(BOOL, no_buffering),
	ROW(BOOL, running_tasks_last),
	ROW(NUMBER, running_threads),
	ROW(NUMBER, running_map_ms),
	ROW(BOOL, no_running_cgroups),
	ROW(TEXT, debuginfod),
};

#define NR_ROWS (sizeof(rows) / sizeof(*rows))

/* A call: what it records, and the objects whose texts the options borrow. */
struct call {
	struct pfx_capture_options o;
	char **words;    /* of the command */
	PyObject *owned; /* a list */
};

/* Keeps @text (a new reference) for as long as the call; its bytes, or NULL with an exception. */
static const char *keep(struct call *call, PyObject *text)
{
	const char *bytes = NULL;

	if (text && !PyList_Append(call->owned, text))
		bytes = PyBytes_AsString(text);
	Py_XDECREF(text);
	return bytes;
}

static bool take_text(struct call *call, const struct row *row, PyObject *value)
{
	struct pfx_module_path path = {row->name, true, NULL};
	const char **to = (const char **)((char *)&call->o + row->at);

	if (row->kind == TEXT && value == Py_None)
		return true;
	if (row->kind == TEXT && !PyUnicode_Check(value))
		return pfx_module_wrong_type(row->name, "str or None", value);
	if (!pfx_module_to_path(value, &path))
		return false;
	*to = keep(call, path.bytes);
	return *to;
}

static bool take_number(struct call *call, const struct row *row, PyObject *value)
{
	void *to = (char *)&call->o + row->at;
	uint64_t number;

	if (row->kind == NUMBER)
		return pfx_module_number(value, row->name, UINT64_MAX, to);
	if (!pfx_module_number(value, row->name, INT32_MAX, &number))
		return false;
	*(int32_t *)to = (int32_t)number;
	call->o.has_clock |= row->kind == CLOCK;
	return true;
}

static bool take_option(struct call *call, const struct row *row, PyObject *value)
{
	int is_true;

	switch (row->kind) {
	case TEXT:
	case PATH:
		return take_text(call, row, value);
	case BOOL:
		is_true = PyObject_IsTrue(value);
		*((bool *)&call->o + row->at) = is_true > 0;
		return is_true >= 0;
	default:
		return row->kind == CLOCK && value == Py_None ? true
							      : take_number(call, row, value);
	}
}

static bool take_options(struct call *call, PyObject *kwargs)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;
	const char *name;
	size_t i;

	while (kwargs && PyDict_Next(kwargs, &at, &key, &value)) {
		name = PyUnicode_AsUTF8AndSize(key, NULL);
		if (name && !strcmp(name, "command"))
			continue;
		for (i = 0; name && i < NR_ROWS && strcmp(rows[i].name, name);)
			i++;
		if (name && i == NR_ROWS)
			PyErr_Format(PyExc_TypeError, "'%U' is not an option of record()", key);
		if (!name || i == NR_ROWS || !take_option(call, &rows[i], value))
			return false;
	}
	return true;
}

static bool take_command(struct call *call, PyObject *command)
{
	Py_ssize_t nr, i;
	PyObject *item;

	if (command == Py_None)
		return true;
	if (PyUnicode_Check(command) || PyBytes_Check(command))
		return pfx_module_wrong_type("command", "a sequence of words", command);
	nr = PySequence_Size(command);
	call->words = nr < 0 ? NULL : calloc((size_t)nr + 1, sizeof(*call->words));
	for (i = 0; call->words && i < nr; i++) {
		struct pfx_module_path path = {"command", true, NULL};

		item = PySequence_GetItem(command, i);
		if (item && pfx_module_to_path(item, &path))
			call->words[i] = (char *)(uintptr_t)keep(call, path.bytes);
		Py_XDECREF(item);
		if (!call->words[i])
			return false;
	}
	call->o.command = call->words;
	return call->words;
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

static PyObject *run(const struct call *call)
{
	struct pfx_capture_result result = PFX_INIT(struct pfx_capture_result);
	struct pfx_error err = {0};
	int rc;

	Py_BEGIN_ALLOW_THREADS rc = run_capture(&call->o, &result, &err);
	Py_END_ALLOW_THREADS if (rc) return pfx_module_raise(&err);
	return Py_BuildValue("{s:K,s:K,s:K,s:i}", "samples", (unsigned long long)result.nr_samples,
			     "lost", (unsigned long long)result.nr_lost, "bytes",
			     (unsigned long long)result.bytes, "status", result.status);
}

PyObject *pfx_module_record(PyObject *module, PyObject *args, PyObject *kwargs)
{
	struct call call = {.o = PFX_INIT(struct pfx_capture_options)};
	PyObject *command = Py_None, *result = NULL;

	(void)module;
	call.o.output = "perf.data";
	if (kwargs && PyDict_GetItemString(kwargs, "command"))
		command = PyDict_GetItemString(kwargs, "command");
	if (!PyArg_ParseTuple(args, command == Py_None ? "|O" : "", &command))
		return NULL;
	call.owned = PyList_New(0);
	if (call.owned && take_command(&call, command) && take_options(&call, kwargs))
		result = run(&call);
	free(call.words);
	Py_XDECREF(call.owned);
	return result;
}
