/* SPDX-License-Identifier: MIT */
/* pfx.Profile: all samples in memory, its rows, and its columns as buffers. */
#include "module_internal.h"

struct profile {
	PyObject_HEAD struct pfx_samples *samples;
};

struct column {
	PyObject_HEAD PyObject *profile; /* owns the numbers */
	struct pfx_column_data data;
	Py_ssize_t shape, stride;
};

struct row {
	PyObject_HEAD PyObject *name, *dso, *file, *old_name, *state;
	unsigned long long self, total, samples, x, old_self, old_samples;
	double self_share, total_share, old_share;
	unsigned line, parent, depth, first_child, nr_children;
	char is_inlined;
};

/* --- rows --- */

static void row_free(PyObject *self)
{
	struct row *row = (struct row *)self;

	Py_XDECREF(row->name);
	Py_XDECREF(row->dso);
	Py_XDECREF(row->file);
	Py_XDECREF(row->old_name);
	Py_XDECREF(row->state);
	pfx_module_free(self);
}

static PyObject *row_repr(PyObject *self)
{
	return PyUnicode_FromFormat("<pfx.Row %U>", ((struct row *)self)->name);
}

#define MEMBER(name, type, text)                                        \
	{                                                               \
#name, type, offsetof(struct row, name), READONLY, text \
	}

static PyMemberDef row_members[] = {
	MEMBER(name, T_OBJECT_EX, "function, or what the rows are of"),
	MEMBER(dso, T_OBJECT, "path of the binary, or None"),
	MEMBER(file, T_OBJECT, "source file, or None"),
	MEMBER(line, T_UINT, "source line, 0: unknown"),
	MEMBER(is_inlined, T_BOOL, "an inlined function"),
	MEMBER(self, T_ULONGLONG, "sum of the periods of samples in it"),
	MEMBER(total, T_ULONGLONG, "the same with callees"),
	MEMBER(samples, T_ULONGLONG, "number of samples in self"),
	MEMBER(self_share, T_DOUBLE, "of all, 0 to 1"),
	MEMBER(total_share, T_DOUBLE, "of all, 0 to 1"),
	MEMBER(parent, T_UINT, "trees: index of the parent"),
	MEMBER(depth, T_UINT, "trees: 0 is the whole"),
	MEMBER(first_child, T_UINT, "trees: index of the first child"),
	MEMBER(nr_children, T_UINT, "trees: number of children, which are neighbours"),
	MEMBER(x, T_ULONGLONG, "trees: left edge in a flame graph"),
	MEMBER(state, T_OBJECT, "differences: 'both', 'new', 'vanished' or 'renamed'"),
	MEMBER(old_name, T_OBJECT, "differences: name in the old recording, or None: the same"),
	MEMBER(old_self, T_ULONGLONG, "differences: self in the old recording"),
	MEMBER(old_samples, T_ULONGLONG, "differences: samples in the old recording"),
	MEMBER(old_share, T_DOUBLE, "differences: self_share in the old recording"),
	{NULL, 0, 0, 0, NULL},
};

static PyType_Slot row_slots[] = {
	{Py_tp_dealloc, row_free},
	{Py_tp_members, row_members},
	{Py_tp_repr, row_repr},
	{Py_tp_doc, (void *)"A row of a table, a node of a tree, or a difference."},
	{0, NULL},
};

static PyType_Spec row_spec = {
	.name = "pfx.Row",
	.basicsize = sizeof(struct row),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = row_slots,
};

static PyObject *make_row(const struct pfx_answer *answer, uint32_t i)
{
	static const char *const states[] = {"both", "new", "vanished", "renamed"};
	struct pfx_answer_row at = PFX_INIT(struct pfx_answer_row);
	struct row *row = (struct row *)pfx_module_new(pfx_module.row);

	if (!row)
		return NULL;
	pfx_answer_row_at(answer, i, &at);
	row->name = pfx_module_text(at.name);
	row->dso = pfx_module_text(at.dso);
	row->file = pfx_module_text(at.file);
	row->old_name = pfx_module_text(at.old_name);
	row->state = PyUnicode_InternFromString(states[at.state]);
	row->self = at.self;
	row->total = at.total;
	row->samples = at.samples;
	row->self_share = at.self_share;
	row->total_share = at.total_share;
	row->line = at.line;
	row->is_inlined = at.is_inlined;
	row->parent = at.parent;
	row->depth = at.depth;
	row->first_child = at.first_child;
	row->nr_children = at.nr_children;
	row->x = at.x;
	row->old_self = at.old_self;
	row->old_samples = at.old_samples;
	row->old_share = at.old_share;
	if (!row->name || !row->dso || !row->file || !row->old_name || !row->state)
		Py_CLEAR(row);
	return (PyObject *)row;
}

static PyObject *rows_of(struct pfx_answer *answer)
{
	uint32_t nr = pfx_answer_nr_rows(answer), i;
	PyObject *list = PyList_New(nr), *row;

	for (i = 0; list && i < nr; i++) {
		row = make_row(answer, i);
		if (!row || PyList_SetItem(list, i, row))
			Py_CLEAR(list);
	}
	pfx_answer_free(answer);
	return list;
}

/* --- questions --- */

static bool find_word(const char *word, const char *const *words, const char *what, unsigned *ret)
{
	for (*ret = 0; words[*ret]; (*ret)++)
		if (!strcmp(words[*ret], word))
			return true;
	PyErr_Format(PyExc_ValueError, "'%s' is not %s", word, what);
	return false;
}

static bool parse_query(PyObject *args, PyObject *kwargs, struct pfx_query *query)
{
	static const char *const kinds[] = {"function", "dso",  "line", "process",
					    "thread",   "comm", "cpu",  NULL};
	static const char *const orders[] = {"self", "total", "samples", "name", NULL};
	static const char *const names[] = {
		"by",      "order",     "event",     "comm",      "process",    "thread",
		"cpu",     "dso",       "function",  "focus",     "ignore",     "from_ns",
		"to_ns",   "hide",      "show",      "show_from", "named_only", "inverted",
		"by_name", "min_share", "max_depth", "root",      NULL};
	struct pfx_module_count from = {"from_ns", UINT64_MAX, 0}, to = {"to_ns", UINT64_MAX, 0};
	struct pfx_module_count depth = {"max_depth", UINT32_MAX, 0};
	int named = 0, inverted = 0, by_name = 0;
	const char *by = "function", *order = "self";
	unsigned kind, in_order;

	*query = PFX_INIT(struct pfx_query);
	if (!pfx_module_parse(args, kwargs, "|s$szzzzzzzzzO&O&zzzpppdO&z", names, &by, &order,
			      &query->event, &query->comm, &query->process, &query->thread,
			      &query->cpu, &query->dso, &query->function, &query->focus,
			      &query->ignore, pfx_module_to_count, &from, pfx_module_to_count, &to,
			      &query->hide, &query->show, &query->show_from, &named, &inverted,
			      &by_name, &query->min_share, pfx_module_to_count, &depth,
			      &query->root) ||
	    !find_word(by, kinds, "a kind of rows", &kind) ||
	    !find_word(order, orders, "an order of rows", &in_order))
		return false;
	query->by = kind;
	query->order = in_order;
	query->from = from.number;
	query->to = to.number;
	query->max_depth = (uint32_t)depth.number;
	query->named_only = named;
	query->inverted = inverted;
	query->by_name = by_name;
	return true;
}

typedef int (*ask_fn)(const struct pfx_samples *, const struct pfx_query *, struct pfx_answer **,
		      struct pfx_error *);

static PyObject *ask(PyObject *self, PyObject *args, PyObject *kwargs, ask_fn question)
{
	struct pfx_answer *answer = NULL;
	struct pfx_error err = {0};
	struct pfx_query query;

	if (!parse_query(args, kwargs, &query))
		return NULL;
	if (question(((struct profile *)self)->samples, &query, &answer, &err))
		return pfx_module_raise(&err);
	return rows_of(answer);
}

static PyObject *get_table(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return ask(self, args, kwargs, pfx_samples_table);
}

static PyObject *get_tree(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return ask(self, args, kwargs, pfx_samples_tree);
}

static int ask_flame(const struct pfx_samples *samples, const struct pfx_query *query,
		     struct pfx_answer **ret, struct pfx_error *err)
{
	struct pfx_query by_name = *query;

	by_name.by_name = true;
	return pfx_samples_tree(samples, &by_name, ret, err);
}

static PyObject *get_flame(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return ask(self, args, kwargs, ask_flame);
}

static PyObject *get_diff(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static const char *const names[] = {"old", "event", NULL};
	struct pfx_query query = PFX_INIT(struct pfx_query);
	struct pfx_answer *answer = NULL;
	struct pfx_error err = {0};
	PyObject *old;

	if (!pfx_module_parse(args, kwargs, "O!|$z", names, pfx_module.profile, &old, &query.event))
		return NULL;
	if (pfx_samples_diff(((struct profile *)self)->samples, ((struct profile *)old)->samples,
			     &query, &answer, &err))
		return pfx_module_raise(&err);
	return rows_of(answer);
}

/* The lanes, and in `cells` of each a list. */
static PyObject *cells_of(const struct pfx_answer *answer, uint32_t row)
{
	uint32_t nr = pfx_answer_nr_cells(answer, NULL, NULL), i;
	const uint64_t *cells = pfx_answer_cells(answer, row);
	PyObject *list = PyList_New(nr), *number;

	for (i = 0; list && i < nr; i++) {
		number = PyLong_FromUnsignedLongLong(cells[i]);
		if (!number || PyList_SetItem(list, i, number))
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *timeline_of(const struct pfx_answer *answer)
{
	struct pfx_answer_row row = PFX_INIT(struct pfx_answer_row);
	PyObject *lanes = PyDict_New();
	uint64_t start, length;
	uint32_t i;

	pfx_answer_nr_cells(answer, &start, &length);
	for (i = 0; lanes && i < pfx_answer_nr_rows(answer); i++) {
		pfx_answer_row_at(answer, i, &row);
		if (!pfx_module_set(lanes, row.name, cells_of(answer, i)))
			Py_CLEAR(lanes);
	}
	return lanes ? Py_BuildValue("(KKN)", (unsigned long long)start, (unsigned long long)length,
				     lanes)
		     : NULL;
}

/* A number that is a keyword of this method alone. */
static bool take_number(PyObject *keywords, const char *name, uint64_t *number)
{
	PyObject *value = PyDict_GetItemString(keywords, name);

	if (!value)
		return true;
	return pfx_module_number(value, name, UINT32_MAX, number) &&
	       !PyDict_DelItemString(keywords, name);
}

static PyObject *get_timeline(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *rest = kwargs ? PyDict_Copy(kwargs) : PyDict_New(), *timeline;
	uint64_t cells = 100;
	struct pfx_answer *answer;
	struct pfx_error err = {0};
	struct pfx_query query;
	bool is_good =
		rest && take_number(rest, "cells", &cells) && parse_query(args, rest, &query);

	Py_XDECREF(rest);
	if (!is_good)
		return NULL;
	if (pfx_samples_timeline(((struct profile *)self)->samples, &query, (uint32_t)cells,
				 &answer, &err))
		return pfx_module_raise(&err);
	timeline = timeline_of(answer);
	pfx_answer_free(answer);
	return timeline;
}

/* --- columns --- */

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
	struct column *column = (struct column *)self;
	const bool is_wide = column->data.width == sizeof(uint64_t);

	if (PyBuffer_FillInfo(view, self, (void *)column->data.data,
			      (Py_ssize_t)column->data.nr * column->data.width, 1, flags))
		return -1;
	view->itemsize = column->data.width;
	column->shape = (Py_ssize_t)column->data.nr;
	column->stride = view->itemsize;
	if (flags & PyBUF_FORMAT)
		view->format = (char *)(is_wide ? "Q" : column->data.is_signed ? "i" : "I");
	if (flags & PyBUF_ND)
		view->shape = &column->shape;
	if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES)
		view->strides = &column->stride;
	return 0;
}

static void column_free(PyObject *self)
{
	Py_XDECREF(((struct column *)self)->profile);
	pfx_module_free(self);
}

static Py_ssize_t column_length(PyObject *self)
{
	return (Py_ssize_t)((struct column *)self)->data.nr;
}

static PyObject *column_item(PyObject *self, Py_ssize_t i)
{
	const struct pfx_column_data *data = &((struct column *)self)->data;

	if (i < 0 || (size_t)i >= data->nr) {
		PyErr_SetString(PyExc_IndexError, "the column has no such row");
		return NULL;
	}
	if (data->width == sizeof(uint64_t))
		return PyLong_FromUnsignedLongLong(((const uint64_t *)data->data)[i]);
	return data->is_signed ? PyLong_FromLong(((const int32_t *)data->data)[i])
			       : PyLong_FromUnsignedLong(((const uint32_t *)data->data)[i]);
}

static PyType_Slot column_slots[] = {
	{Py_tp_dealloc, column_free},
	{Py_bf_getbuffer, get_buffer},
	{Py_sq_length, column_length},
	{Py_sq_item, column_item},
	{Py_tp_doc,
	 (void *)"Numbers, one for each row: a sequence and a buffer, which numpy and pandas take "
		 "without a copy."},
	{0, NULL},
};

static PyType_Spec column_spec = {
	.name = "pfx.Column",
	.basicsize = sizeof(struct column),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = column_slots,
};

static PyObject *make_column(PyObject *self, enum pfx_column_kind kind)
{
	struct column *column = (struct column *)pfx_module_new(pfx_module.column);
	struct pfx_error err = {0};

	if (!column)
		return NULL;
	column->data.size = sizeof(column->data);
	Py_INCREF(self);
	column->profile = self;
	if (!pfx_samples_column(((struct profile *)self)->samples, kind, &column->data, &err))
		return (PyObject *)column;
	Py_DECREF(column);
	return pfx_module_raise(&err);
}

static PyObject *get_column(PyObject *self, PyObject *word)
{
	static const char *const kinds[] = {[PFX_COLUMN_TIME] = "time",
					    [PFX_COLUMN_PERIOD] = "period",
					    [PFX_COLUMN_COUNT] = "count",
					    [PFX_COLUMN_EVENT] = "event",
					    [PFX_COLUMN_PID] = "pid",
					    [PFX_COLUMN_TID] = "tid",
					    [PFX_COLUMN_CPU] = "cpu",
					    [PFX_COLUMN_STACK] = "stack",
					    NULL};
	const char *name = PyUnicode_AsUTF8AndSize(word, NULL);
	unsigned kind;

	if (!name || !find_word(name, kinds, "a column", &kind))
		return NULL;
	return make_column(self, kind);
}

/* --- the profile --- */

static PyObject *get_stack(PyObject *self, PyObject *number)
{
	const struct pfx_samples *samples = ((struct profile *)self)->samples;
	uint32_t frames[1024], nr, i;
	PyObject *tuple, *name;
	const char *dso;
	uint64_t stack;

	if (!pfx_module_number(number, "number", UINT64_MAX, &stack))
		return NULL;
	if (stack >= pfx_samples_nr_stacks(samples)) {
		PyErr_Format(PyExc_IndexError, "the profile has no stack %llu",
			     (unsigned long long)stack);
		return NULL;
	}
	nr = pfx_samples_stack(samples, (uint32_t)stack, frames, 1024);
	nr = nr < 1024 ? nr : 1024;
	tuple = PyTuple_New(nr);
	for (i = 0; tuple && i < nr; i++) {
		name = pfx_module_text(pfx_samples_function(samples, frames[i], &dso));
		if (!name || PyTuple_SetItem(tuple, i, name))
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *get_events(PyObject *self, void *none)
{
	const struct pfx_samples *samples = ((struct profile *)self)->samples;
	uint32_t nr = pfx_samples_nr_events(samples), i;
	PyObject *list = PyList_New(nr), *name;

	(void)none;
	for (i = 0; list && i < nr; i++) {
		name = pfx_module_text(pfx_samples_event_name(samples, i));
		if (!name || PyList_SetItem(list, i, name))
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *get_nr_samples(PyObject *self, void *none)
{
	(void)none;
	return PyLong_FromUnsignedLongLong(pfx_samples_count(((struct profile *)self)->samples));
}

static void profile_free(PyObject *self)
{
	pfx_samples_free(((struct profile *)self)->samples);
	pfx_module_free(self);
}

#define WHICH                                                                                   \
	"event=None, comm=None, process=None, thread=None, cpu=None, dso=None, function=None, " \
	"focus=None, ignore=None, from_ns=0, to_ns=0, hide=None, show=None, show_from=None, "   \
	"named_only=False"
#define TREE          "inverted=False, by_name=False, min_share=0.0, max_depth=0, root=None"
#define WITH_KEYWORDS METH_VARARGS | METH_KEYWORDS

static PyMethodDef profile_methods[] = {
	{"table", (PyCFunction)(void (*)(void))get_table, WITH_KEYWORDS,
	 "table(by='function', *, order='self', " WHICH ")\n--\n\n"
	 "A row for each function, dso, line, process, thread, comm or cpu: list of Row."},
	{"tree", (PyCFunction)(void (*)(void))get_tree, WITH_KEYWORDS,
	 "tree(*, " WHICH ", " TREE ")\n--\n\nThe call tree: list of Row, parents first."},
	{"flame", (PyCFunction)(void (*)(void))get_flame, WITH_KEYWORDS,
	 "flame(*, " WHICH ", " TREE ")\n--\n\nThe same with children in order of their names."},
	{"timeline", (PyCFunction)(void (*)(void))get_timeline, WITH_KEYWORDS,
	 "timeline(by='function', *, cells=100, order='self', " WHICH ")\n--\n\n"
	 "The weight over time: (start, length of a cell, lanes), both in ns; lanes is a dict of a "
	 "list of sums of periods for each process, thread, comm or cpu, by default one, 'all', "
	 "the "
	 "heaviest first. Needs pfx.load(times=True)."},
	{"diff", (PyCFunction)(void (*)(void))get_diff, WITH_KEYWORDS,
	 "diff(old, *, event=None)\n--\n\nWhat changed from another profile: list of Row."},
	{"column", get_column, METH_O,
	 "column(name)\n--\n\nThe column time, period, count, event, pid, tid, cpu or stack. time "
	 "needs pfx.load(times=True), which keeps a row for each sample; otherwise equal samples "
	 "are one row, and count is their number."},
	{"stack", get_stack, METH_O,
	 "stack(number)\n--\n\nThe functions of a stack, innermost first: tuple of names."},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef profile_attributes[] = {
	{"events", get_events, NULL, "names of the events: list", NULL},
	{"nr_samples", get_nr_samples, NULL, "number of samples of all events", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot profile_slots[] = {
	{Py_tp_dealloc, profile_free},
	{Py_tp_methods, profile_methods},
	{Py_tp_getset, profile_attributes},
	{Py_tp_doc, (void *)"All samples of a recording."},
	{0, NULL},
};

static PyType_Spec profile_spec = {
	.name = "pfx.Profile",
	.basicsize = sizeof(struct profile),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.slots = profile_slots,
};

PyObject *pfx_module_new_profile(struct pfx_samples *samples)
{
	struct profile *self = (struct profile *)pfx_module_new(pfx_module.profile);

	if (self)
		self->samples = samples;
	else
		pfx_samples_free(samples);
	return (PyObject *)self;
}

int pfx_module_add_profile(PyObject *module)
{
	return pfx_module_add_type(module, &pfx_module.row, &row_spec) ||
			       pfx_module_add_type(module, &pfx_module.column, &column_spec) ||
			       pfx_module_add_type(module, &pfx_module.profile, &profile_spec)
		       ? -1
		       : 0;
}
