/* SPDX-License-Identifier: MIT */
/*
 * pfx.Recording, its samples and frames. A sample is a copy, so that it can be kept; its frames are
 * made once for each distinct call chain, its name once for each distinct text.
 */
#include <stdlib.h>

#include "module_internal.h"

struct frame {
	PyObject_HEAD PyObject *symbol, *dso, *file;
	unsigned long long ip, address, offset;
	unsigned line;
	char is_inlined, is_kernel;
};

struct sample {
	PyObject_HEAD PyObject *comm, *event, *frames, *level;
	PyObject *fields, *raw, *branches; /* NULL: none */
	unsigned long long time, ip, addr, period, weight, data_src, phys_addr, cgroup;
	unsigned stack;
	int pid, tid, cpu;
};

struct recording {
	PyObject_HEAD struct pfx_input *input; /* NULL: closed */
	PyObject *names;                       /* dict: texts, by address as a number */
	PyObject *events;                      /* list of names */
	PyObject *levels;                      /* dict */
	PyObject **stacks;                     /* by id: tuple of frames, or NULL */
	PyObject **frames;                     /* by id */
	size_t nr_stacks, nr_frames;
};

struct iterator {
	PyObject_HEAD struct recording *recording;
};

static PyTypeObject *iterator_type;

/* --- frames --- */

static void frame_free(PyObject *self)
{
	struct frame *frame = (struct frame *)self;

	Py_XDECREF(frame->symbol);
	Py_XDECREF(frame->dso);
	Py_XDECREF(frame->file);
	pfx_module_free(self);
}

static PyObject *frame_repr(PyObject *self)
{
	const struct frame *frame = (const struct frame *)self;

	return PyUnicode_FromFormat("<pfx.Frame %V in %V>",
				    frame->symbol == Py_None ? NULL : frame->symbol, "[unknown]",
				    frame->dso == Py_None ? NULL : frame->dso, "[unknown]");
}

static PyMemberDef frame_members[] = {
	{"symbol", T_OBJECT, offsetof(struct frame, symbol), READONLY, "demangled name, or None"},
	{"dso", T_OBJECT, offsetof(struct frame, dso), READONLY, "path of the binary, or None"},
	{"file", T_OBJECT, offsetof(struct frame, file), READONLY,
	 "source file, or None (pfx.open(lines=True))"},
	{"line", T_UINT, offsetof(struct frame, line), READONLY, "source line, 0: unknown"},
	{"ip", T_ULONGLONG, offsetof(struct frame, ip), READONLY, "address as sampled"},
	{"address", T_ULONGLONG, offsetof(struct frame, address), READONLY,
	 "virtual address in the binary"},
	{"offset", T_ULONGLONG, offsetof(struct frame, offset), READONLY,
	 "from the start of the symbol"},
	{"is_inlined", T_BOOL, offsetof(struct frame, is_inlined), READONLY,
	 "inlined in the next frame"},
	{"is_kernel", T_BOOL, offsetof(struct frame, is_kernel), READONLY, "code of the kernel"},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot frame_slots[] = {
	{Py_tp_dealloc, frame_free},
	{Py_tp_members, frame_members},
	{Py_tp_repr, frame_repr},
	{Py_tp_doc, (void *)"A function on a call chain."},
	{0, NULL},
};

static PyType_Spec frame_spec = {
	.name = "pfx.Frame",
	.basicsize = sizeof(struct frame),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = frame_slots,
};

/* A text of the library, which gives equal texts the same address: one object for each. */
static PyObject *name_of(struct recording *self, const char *text)
{
	PyObject *key, *name;

	if (!text)
		Py_RETURN_NONE;
	key = PyLong_FromVoidPtr((void *)text);
	name = key ? PyDict_GetItemWithError(self->names, key) : NULL;
	Py_XINCREF(name);
	if (!name && !PyErr_Occurred()) {
		name = pfx_module_text(text);
		if (name && PyDict_SetItem(self->names, key, name))
			Py_CLEAR(name);
	}
	Py_XDECREF(key);
	return name;
}

static PyObject *make_frame(struct recording *self, uint32_t stack, uint32_t i)
{
	struct pfx_frame info = PFX_INIT(struct pfx_frame);
	struct frame *frame = (struct frame *)pfx_module_new(pfx_module.frame);

	if (!frame)
		return NULL;
	pfx_input_frame(self->input, stack, i, &info);
	frame->symbol = name_of(self, info.symbol);
	frame->dso = name_of(self, info.dso);
	frame->file = name_of(self, info.file);
	frame->ip = info.ip;
	frame->address = info.address;
	frame->offset = info.offset;
	frame->line = info.line;
	frame->is_inlined = info.is_inlined;
	frame->is_kernel = info.is_kernel;
	if (!frame->symbol || !frame->dso || !frame->file)
		Py_CLEAR(frame);
	return (PyObject *)frame;
}

/* Make room for @id in an array of objects; false with an exception. */
static bool extend(PyObject ***at, size_t *nr, uint32_t id)
{
	size_t want = id < *nr ? *nr : id + id / 2 + 64;
	PyObject **larger = want > *nr ? realloc(*at, want * sizeof(**at)) : *at;

	if (!larger) {
		PyErr_NoMemory();
		return false;
	}
	for (*at = larger; *nr < want; (*nr)++)
		(*at)[*nr] = NULL;
	return true;
}

static PyObject *frame_of(struct recording *self, uint32_t stack, uint32_t i)
{
	uint32_t id = pfx_input_frame_id(self->input, stack, i);

	if (!extend(&self->frames, &self->nr_frames, id))
		return NULL;
	if (!self->frames[id])
		self->frames[id] = make_frame(self, stack, i);
	Py_XINCREF(self->frames[id]);
	return self->frames[id];
}

/* The frames of a stack as a tuple, made once: a new reference. */
static PyObject *frames_of(struct recording *self, uint32_t stack)
{
	uint32_t nr, i;
	PyObject *tuple, *frame;

	if (!extend(&self->stacks, &self->nr_stacks, stack))
		return NULL;
	if (!self->stacks[stack]) {
		nr = pfx_input_nr_frames(self->input, stack);
		tuple = PyTuple_New(nr);
		for (i = 0; tuple && i < nr; i++) {
			frame = frame_of(self, stack, i);
			if (!frame || PyTuple_SetItem(tuple, i, frame))
				Py_CLEAR(tuple);
		}
		self->stacks[stack] = tuple;
	}
	Py_XINCREF(self->stacks[stack]);
	return self->stacks[stack];
}

/* --- samples --- */

static void sample_free(PyObject *self)
{
	struct sample *sample = (struct sample *)self;

	Py_XDECREF(sample->comm);
	Py_XDECREF(sample->event);
	Py_XDECREF(sample->frames);
	Py_XDECREF(sample->level);
	Py_XDECREF(sample->fields);
	Py_XDECREF(sample->raw);
	Py_XDECREF(sample->branches);
	pfx_module_free(self);
}

/* Fields of tracepoints are attributes. */
static PyObject *sample_attribute(PyObject *self, PyObject *name)
{
	struct sample *sample = (struct sample *)self;
	PyObject *value = PyObject_GenericGetAttr(self, name);

	if (value || !sample->fields || !PyErr_ExceptionMatches(PyExc_AttributeError))
		return value;
	value = PyDict_GetItemWithError(sample->fields, name);
	if (value) {
		PyErr_Clear();
		Py_INCREF(value);
	}
	return value;
}

static PyMemberDef sample_members[] = {
	{"comm", T_OBJECT_EX, offsetof(struct sample, comm), READONLY, "name of the thread"},
	{"event", T_OBJECT_EX, offsetof(struct sample, event), READONLY, "name of the event"},
	{"frames", T_OBJECT_EX, offsetof(struct sample, frames), READONLY,
	 "call chain, innermost first: tuple of Frame"},
	{"stack", T_UINT, offsetof(struct sample, stack), READONLY,
	 "number of the call chain: equal for equal chains"},
	{"level", T_OBJECT_EX, offsetof(struct sample, level), READONLY,
	 "'k' kernel, 'u' user space, 'g' guest kernel, 'G' guest user space, 'h' hypervisor"},
	{"time", T_ULONGLONG, offsetof(struct sample, time), READONLY, "ns"},
	{"pid", T_INT, offsetof(struct sample, pid), READONLY, "process"},
	{"tid", T_INT, offsetof(struct sample, tid), READONLY, "thread"},
	{"cpu", T_INT, offsetof(struct sample, cpu), READONLY, "CPU, -1: not recorded"},
	{"ip", T_ULONGLONG, offsetof(struct sample, ip), READONLY, "address of the instruction"},
	{"addr", T_ULONGLONG, offsetof(struct sample, addr), READONLY, "address of the data"},
	{"period", T_ULONGLONG, offsetof(struct sample, period), READONLY,
	 "events that it stands for"},
	{"weight", T_ULONGLONG, offsetof(struct sample, weight), READONLY, "latency"},
	{"data_src", T_ULONGLONG, offsetof(struct sample, data_src), READONLY,
	 "source of the data, as in the kernel's ABI"},
	{"phys_addr", T_ULONGLONG, offsetof(struct sample, phys_addr), READONLY,
	 "physical address of the data"},
	{"cgroup", T_ULONGLONG, offsetof(struct sample, cgroup), READONLY, "id of the cgroup"},
	{"fields", T_OBJECT, offsetof(struct sample, fields), READONLY,
	 "fields of a tracepoint: dict, or None; also attributes of the sample"},
	{"raw", T_OBJECT, offsetof(struct sample, raw), READONLY, "raw bytes, or None"},
	{"branches", T_OBJECT, offsetof(struct sample, branches), READONLY,
	 "branch stack, newest first: list of (from, to, cycles, mispredicted), or None"},
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot sample_slots[] = {
	{Py_tp_dealloc, sample_free},
	{Py_tp_members, sample_members},
	{Py_tp_getattro, sample_attribute},
	{Py_tp_doc, (void *)"A sample. It is a copy and can be kept."},
	{0, NULL},
};

static PyType_Spec sample_spec = {
	.name = "pfx.Sample",
	.basicsize = sizeof(struct sample),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = sample_slots,
};

static PyObject *field_value(const struct pfx_raw_field *field)
{
	switch (field->kind) {
	case PFX_RAW_TEXT:
		return PyUnicode_DecodeUTF8(field->bytes, (Py_ssize_t)field->nr_bytes,
					    "surrogateescape");
	case PFX_RAW_BYTES:
		return PyBytes_FromStringAndSize(field->bytes, (Py_ssize_t)field->nr_bytes);
	default:
		return field->is_signed ? PyLong_FromLongLong((long long)field->number)
					: PyLong_FromUnsignedLongLong(field->number);
	}
}

static PyObject *fields_of(struct pfx_input *input, uint32_t nr)
{
	struct pfx_raw_field field = PFX_INIT(struct pfx_raw_field);
	PyObject *fields = PyDict_New();
	uint32_t i;

	for (i = 0; fields && i < nr; i++) {
		pfx_input_field(input, i, &field);
		if (!pfx_module_set(fields, field.name, field_value(&field)))
			Py_CLEAR(fields);
	}
	return fields;
}

static PyObject *branches_of(struct pfx_input *input, uint32_t nr)
{
	struct pfx_branch_info branch = PFX_INIT(struct pfx_branch_info);
	PyObject *list = PyList_New(nr), *item;
	uint32_t i;

	for (i = 0; list && i < nr; i++) {
		pfx_input_branch(input, i, &branch);
		item = Py_BuildValue("(KKIO)", (unsigned long long)branch.from,
				     (unsigned long long)branch.to, branch.cycles,
				     branch.mispredicted ? Py_True : Py_False);
		if (!item || PyList_SetItem(list, i, item))
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *level_of(struct recording *self, char level)
{
	char key[2] = {level, '\0'};
	PyObject *value = PyDict_GetItemString(self->levels, key);

	if (value) {
		Py_INCREF(value);
		return value;
	}
	value = PyUnicode_FromString(key);
	if (value)
		PyDict_SetItem(self->levels, value, value);
	return value;
}

static PyObject *event_of(struct recording *self)
{
	struct pfx_event_info info = PFX_INIT(struct pfx_event_info);
	Py_ssize_t i = pfx_input_event(self->input);
	PyObject *name;

	while (PyList_Size(self->events) <= i) { /* streams add events */
		pfx_input_event_info(self->input, (uint32_t)PyList_Size(self->events), &info);
		name = pfx_module_text(info.name);
		if (!name || PyList_Append(self->events, name)) {
			Py_XDECREF(name);
			return NULL;
		}
		Py_DECREF(name);
	}
	name = PyList_GetItem(self->events, i);
	Py_XINCREF(name);
	return name;
}

static void fill_numbers(struct sample *sample, const struct pfx_input *input)
{
	sample->time = pfx_input_time(input);
	sample->ip = pfx_input_ip(input);
	sample->addr = pfx_input_addr(input);
	sample->period = pfx_input_period(input);
	sample->weight = pfx_input_weight(input);
	sample->data_src = pfx_input_data_src(input);
	sample->phys_addr = pfx_input_phys_addr(input);
	sample->cgroup = pfx_input_cgroup_id(input);
	sample->pid = pfx_input_pid(input);
	sample->tid = pfx_input_tid(input);
	sample->cpu = pfx_input_cpu(input);
}

static bool fill_extras(struct sample *sample, struct pfx_input *input)
{
	uint32_t nr_fields = pfx_input_nr_fields(input), nr_branches = pfx_input_nr_branches(input);
	size_t size;
	const void *raw = pfx_input_raw(input, &size);

	if (nr_fields)
		sample->fields = fields_of(input, nr_fields);
	if (raw)
		sample->raw = PyBytes_FromStringAndSize(raw, (Py_ssize_t)size);
	if (nr_branches)
		sample->branches = branches_of(input, nr_branches);
	return !(nr_fields && !sample->fields) && !(raw && !sample->raw) &&
	       !(nr_branches && !sample->branches);
}

static PyObject *make_sample(struct recording *self)
{
	struct sample *sample = (struct sample *)pfx_module_new(pfx_module.sample);

	if (!sample)
		return NULL;
	fill_numbers(sample, self->input);
	sample->stack = pfx_input_stack(self->input);
	sample->comm = name_of(self, pfx_input_comm(self->input));
	sample->event = event_of(self);
	sample->frames = frames_of(self, sample->stack);
	sample->level = level_of(self, pfx_input_level(self->input));
	if (!sample->comm || !sample->event || !sample->frames || !sample->level ||
	    !fill_extras(sample, self->input))
		Py_CLEAR(sample);
	return (PyObject *)sample;
}

/* --- the recording --- */

static struct pfx_input *input_of(struct recording *self)
{
	if (!self->input)
		PyErr_SetString(PyExc_ValueError, "the recording is closed");
	return self->input;
}

static PyObject *next_sample(PyObject *self)
{
	struct recording *recording = ((struct iterator *)self)->recording;
	struct pfx_error err = {0};
	int rc;

	if (!input_of(recording))
		return NULL;
	rc = pfx_input_next_sample(recording->input, &err);
	if (rc < 0)
		return pfx_module_raise(&err);
	return rc ? make_sample(recording) : NULL;
}

static void iterator_free(PyObject *self)
{
	Py_XDECREF((PyObject *)((struct iterator *)self)->recording);
	pfx_module_free(self);
}

static PyType_Slot iterator_slots[] = {
	{Py_tp_dealloc, iterator_free},
	{Py_tp_iter, PyObject_SelfIter},
	{Py_tp_iternext, next_sample},
	{0, NULL},
};

static PyType_Spec iterator_spec = {
	.name = "pfx.SampleIterator",
	.basicsize = sizeof(struct iterator),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = iterator_slots,
};

static PyObject *get_samples(PyObject *self, PyObject *none)
{
	struct iterator *iterator;

	(void)none;
	if (!input_of((struct recording *)self))
		return NULL;
	iterator = (struct iterator *)pfx_module_new(iterator_type);
	if (iterator) {
		Py_INCREF(self);
		iterator->recording = (struct recording *)self;
	}
	return (PyObject *)iterator;
}

static PyObject *get_header(PyObject *self, void *none)
{
	struct pfx_input *input = input_of((struct recording *)self);
	PyObject *header = input ? PyDict_New() : NULL;
	const char *name, *value;
	uint32_t i;

	(void)none;
	for (i = 0; header && pfx_input_header(input, i, &name, &value); i++)
		if (!pfx_module_set(header, name, pfx_module_text(value)))
			Py_CLEAR(header);
	return header;
}

static PyObject *get_events(PyObject *self, void *none)
{
	struct pfx_event_info info = PFX_INIT(struct pfx_event_info);
	struct pfx_input *input = input_of((struct recording *)self);
	PyObject *list = input ? PyList_New(0) : NULL, *item;
	uint32_t i;

	(void)none;
	for (i = 0; list && i < pfx_input_nr_events(input); i++) {
		pfx_input_event_info(input, i, &info);
		item = Py_BuildValue("{s:N,s:I,s:K,s:K,s:O,s:I}", "name",
				     pfx_module_text(info.name), "type", info.type, "config",
				     (unsigned long long)info.config,
				     info.is_freq ? "frequency" : "period",
				     (unsigned long long)info.period_or_freq, "is_leader",
				     info.leader == i ? Py_True : Py_False, "leader", info.leader);
		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *get_threads(PyObject *self, void *none)
{
	struct pfx_thread_info info = PFX_INIT(struct pfx_thread_info);
	struct pfx_input *input = input_of((struct recording *)self);
	PyObject *list = input ? PyList_New(0) : NULL, *item;
	uint32_t i;

	(void)none;
	for (i = 0; list && i < pfx_input_nr_threads(input); i++) {
		pfx_input_thread_info(input, i, &info);
		item = Py_BuildValue("{s:i,s:i,s:i,s:N,s:K,s:O}", "pid", info.pid, "tid", info.tid,
				     "ppid", info.ppid, "comm", pfx_module_text(info.comm), "start",
				     (unsigned long long)info.start, "has_exited",
				     info.has_exited ? Py_True : Py_False);
		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *get_losses(PyObject *self, void *none)
{
	struct pfx_losses l = PFX_INIT(struct pfx_losses);
	struct pfx_input *input = input_of((struct recording *)self);

	(void)none;
	if (!input)
		return NULL;
	pfx_input_losses(input, &l);
	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:O,s:O,s:K,s:K}", "records",
			     (unsigned long long)l.nr_records, "samples",
			     (unsigned long long)l.nr_samples, "bad_samples",
			     (unsigned long long)l.nr_bad_samples, "bad_records",
			     (unsigned long long)l.nr_bad_records, "lost_records",
			     (unsigned long long)l.lost_records, "lost_samples",
			     (unsigned long long)l.lost_samples, "damaged_places",
			     (unsigned long long)l.damaged_places, "bytes_skipped",
			     (unsigned long long)l.bytes_skipped, "unknown_records",
			     (unsigned long long)l.nr_unknown, "is_cut_short",
			     l.is_cut_short ? Py_True : Py_False, "recorder_was_killed",
			     l.recorder_was_killed ? Py_True : Py_False, "unwound_chains",
			     (unsigned long long)l.nr_chains, "incomplete_chains",
			     (unsigned long long)l.incomplete_chains);
}

static void release(PyObject **at, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		Py_XDECREF(at[i]);
	free(at);
}

static PyObject *close_recording(PyObject *self, PyObject *none)
{
	struct recording *recording = (struct recording *)self;

	(void)none;
	pfx_input_close(recording->input);
	recording->input = NULL;
	release(recording->stacks, recording->nr_stacks);
	release(recording->frames, recording->nr_frames);
	recording->stacks = recording->frames = NULL;
	recording->nr_stacks = recording->nr_frames = 0;
	Py_RETURN_NONE;
}

static void recording_free(PyObject *self)
{
	struct recording *recording = (struct recording *)self;

	Py_XDECREF(close_recording(self, NULL));
	Py_XDECREF(recording->names);
	Py_XDECREF(recording->events);
	Py_XDECREF(recording->levels);
	pfx_module_free(self);
}

static PyObject *enter(PyObject *self, PyObject *none)
{
	(void)none;
	Py_INCREF(self);
	return self;
}

/* The build ID as text; None if it is unknown. */
static PyObject *text_of_id(const struct pfx_binary_info *info)
{
	PyObject *bytes, *text;

	if (!info->build_id)
		Py_RETURN_NONE;
	bytes = PyBytes_FromStringAndSize((const char *)info->build_id, info->id_bytes);
	text = bytes ? PyObject_CallMethod(bytes, "hex", NULL) : NULL;
	Py_XDECREF(bytes);
	return text;
}

static PyObject *get_binaries(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static const char *const names[] = {"with_samples", NULL};
	struct pfx_input *input = input_of((struct recording *)self);
	struct pfx_error err = {0};
	PyObject *list, *item;
	int rc, is_with = 0;
	uint32_t i;

	if (!input || !pfx_module_parse(args, kwargs, "|$p", names, &is_with))
		return NULL;
	Py_BEGIN_ALLOW_THREADS rc =
		pfx_input_find_binaries(input, is_with ? PFX_BINARIES_WITH_SAMPLES : 0, NULL, &err);
	Py_END_ALLOW_THREADS if (rc) return pfx_module_raise(&err);
	list = PyList_New(0);
	for (i = 0; list && i < pfx_input_nr_binaries(input); i++) {
		struct pfx_binary_info info = PFX_INIT(struct pfx_binary_info);

		pfx_input_binary(input, i, &info);
		item = Py_BuildValue("(NN)", pfx_module_text(info.path), text_of_id(&info));
		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyMethodDef recording_methods[] = {
	{"samples", get_samples, METH_NOARGS,
	 "samples()\n--\n\nThe samples in order of time, each once: an iterator."},
	{"binaries", (PyCFunction)(void (*)(void))get_binaries, METH_VARARGS | METH_KEYWORDS,
	 "binaries(*, with_samples=False)\n--\n\nThe binaries and their build IDs: list of (path, "
	 "text or None). Reads the rest of the records\nif the recording has no table of them, or "
	 "only those with samples are wanted."},
	{"close", close_recording, METH_NOARGS,
	 "close()\n--\n\nFree everything. Samples that were kept stay valid."},
	{"__enter__", enter, METH_NOARGS, NULL},
	{"__exit__", close_recording, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyObject *iterate(PyObject *self)
{
	return get_samples(self, NULL);
}

static PyGetSetDef recording_attributes[] = {
	{"header", get_header, NULL, "what the header says: dict of texts", NULL},
	{"events", get_events, NULL, "list of dicts: name, type, config, frequency or period",
	 NULL},
	{"threads", get_threads, NULL, "the threads that are known so far: list of dicts", NULL},
	{"losses", get_losses, NULL, "what is missing; complete after the last sample: dict", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot recording_slots[] = {
	{Py_tp_dealloc, recording_free},
	{Py_tp_methods, recording_methods},
	{Py_tp_getset, recording_attributes},
	{Py_tp_iter, iterate},
	{Py_tp_doc, (void *)"An open recording: iterate over it, or over samples()."},
	{0, NULL},
};

static PyType_Spec recording_spec = {
	.name = "pfx.Recording",
	.basicsize = sizeof(struct recording),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = recording_slots,
};

PyObject *pfx_module_new_recording(struct pfx_input *input)
{
	struct recording *self = (struct recording *)pfx_module_new(pfx_module.recording);

	if (!self) {
		pfx_input_close(input);
		return NULL;
	}
	self->input = input;
	self->names = PyDict_New();
	self->events = PyList_New(0);
	self->levels = PyDict_New();
	if (!self->names || !self->events || !self->levels)
		Py_CLEAR(self);
	return (PyObject *)self;
}

int pfx_module_add_recording(PyObject *module)
{
	iterator_type = (PyTypeObject *)PyType_FromSpec(&iterator_spec);
	return !iterator_type || pfx_module_add_type(module, &pfx_module.frame, &frame_spec) ||
			       pfx_module_add_type(module, &pfx_module.sample, &sample_spec) ||
			       pfx_module_add_type(module, &pfx_module.recording, &recording_spec)
		       ? -1
		       : 0;
}
