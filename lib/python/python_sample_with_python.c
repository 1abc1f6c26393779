/* SPDX-License-Identifier: MIT */
/*
 * A sample as a dict for scripts. Strings of names, locations and dsos are cached; entries of call
 * chains are copied, since scripts may modify them.
 */
#include "python/python_internal.h"

#include <string.h>

#include "arch/arch.h"
#include "event/mem_text.h"

/* perf's value without a recorded data source. */
#define NO_DATA_SRC 0x5080021ull

/* A key of the dict of every sample: the string is cached. */
#define PUT(dict, key, value)                                    \
	do {                                                     \
		static PyObject *name_;                          \
		PyObject *value_ = (value);                      \
		if (!name_)                                      \
			name_ = PyUnicode_InternFromString(key); \
		PyDict_SetItem(dict, name_, value_);             \
		Py_DECREF(value_);                               \
	} while (0)

static PyObject *number(uint64_t v)
{
	return PyLong_FromUnsignedLongLong(v);
}

PyObject *pfx_python_comm(struct pfx_script_engine *engine, const struct pfx_thread *thread)
{
	PyObject **slot = pfx_vec_slot(&engine->comms, thread->comm->id);

	if (!*slot)
		*slot = pfx_python_text(thread->comm->text, strlen(thread->comm->text));
	return Py_NewRef(*slot);
}

static struct pfx_python_dso *dso_of(struct pfx_script_engine *engine, const struct pfx_dso *dso)
{
	struct pfx_python_dso *slot = pfx_vec_slot(&engine->dsos, dso->id);
	struct pfx_str id = {0};
	unsigned i;

	if (slot->name)
		return slot;
	for (i = 0; i < dso->build_id_size; i++)
		pfx_str_hex0(&id, dso->build_id[i], 2);
	slot->name = pfx_python_text(dso->script_name, strlen(dso->script_name));
	slot->build_id = pfx_python_text(pfx_str_get(&id), id.len);
	pfx_str_fini(&id);
	return slot;
}

/* --- call chains --- */

static long binding_of(const struct pfx_symbol *sym)
{
	return sym->binding == 'g' ? 1 : sym->binding == 'w' ? 2 : 0;
}

/* The source line of a frame, if inlined functions are shown, too: both need debug information. */
static void put_line(const struct pfx_script_view *view, PyObject *frame, struct pfx_place *place)
{
	struct pfx_source source;
	const char *line;

	if (!view->shows_lines || !pfx_place_source(view->resolver, place, &source))
		return;
	line = pfx_place_srcline(view->resolver, place);
	PUT(frame, "sym_srcline", pfx_python_text(line, strlen(line)));
}

static PyObject *make_frame(struct pfx_script_engine *engine, struct pfx_place *place)
{
	const struct pfx_symbol *sym = pfx_place_symbol(engine->view->resolver, place);
	PyObject *frame = PyDict_New(), *dict;

	PUT(frame, "ip", number(place->ip));
	if (sym) {
		dict = PyDict_New();
		PUT(dict, "start", number(sym->start));
		PUT(dict, "end", number(sym->end));
		PUT(dict, "binding", PyLong_FromLong(binding_of(sym)));
		PUT(dict, "name", pfx_python_text(sym->name, strlen(sym->name)));
		PUT(frame, "sym", dict);
		PUT(frame, "sym_off", number(place->addr - sym->start));
	}
	put_line(engine->view, frame, place);
	if (place->dso)
		PUT(frame, "dso", Py_NewRef(dso_of(engine, place->dso)->name));
	return frame;
}

PyObject *pfx_python_chain(struct pfx_script_engine *engine)
{
	const struct pfx_script_sample *now = engine->now;
	const struct pfx_script_view *view = engine->view;
	struct pfx_place **places;
	PyObject **slot, *list;
	uint32_t i, nr, chain;

	if (!(now->event->attr.sample_type & PFX_SAMPLE_CALLCHAIN) || !view->shows_chains)
		return PyList_New(0);
	chain = pfx_script_chain_of(view->script, now->event, now->thread, now->sample);
	nr = pfx_chain_frames(view->resolver, chain, &places);
	list = PyList_New(nr);
	for (i = 0; i < nr; i++) {
		slot = pfx_vec_slot(&engine->frames, places[i]->id);
		if (!*slot)
			*slot = make_frame(engine, places[i]);
		PyList_SET_ITEM(list, i, PyDict_Copy(*slot));
	}
	return list;
}

/* --- branches --- */

static struct pfx_place *branch_place(const struct pfx_script_engine *engine, uint64_t addr)
{
	return pfx_resolve(engine->view->resolver, engine->now->thread,
			   engine->now->sample->cpumode, addr);
}

static PyObject *branch_dso(struct pfx_script_engine *engine, uint64_t addr)
{
	struct pfx_place *place = branch_place(engine, addr);

	return place->dso ? Py_NewRef(dso_of(engine, place->dso)->name) : PyUnicode_FromString("");
}

static PyObject *branch_symbol(struct pfx_script_engine *engine, uint64_t addr)
{
	struct pfx_place *place = branch_place(engine, addr);
	const struct pfx_symbol *sym = pfx_place_symbol(engine->view->resolver, place);
	struct pfx_str text = {0};
	PyObject *ret;

	if (!sym)
		return PyUnicode_FromString("[unknown]");
	pfx_str_addf(&text, "%s+0x%llx", sym->name, (unsigned long long)(place->addr - sym->start));
	ret = pfx_python_text(text.at, text.len);
	pfx_str_fini(&text);
	return ret;
}

static PyObject *branch_entry(struct pfx_script_engine *engine, const struct pfx_branch *b)
{
	PyObject *dict = PyDict_New();

	PUT(dict, "from", number(b->from));
	PUT(dict, "to", number(b->to));
	PUT(dict, "mispred", PyBool_FromLong(pfx_branch_mispred(b)));
	PUT(dict, "predicted", PyBool_FromLong(pfx_branch_predicted(b)));
	PUT(dict, "in_tx", PyBool_FromLong(pfx_branch_in_tx(b)));
	PUT(dict, "abort", PyBool_FromLong(pfx_branch_abort(b)));
	PUT(dict, "cycles", number(pfx_branch_cycles(b)));
	PUT(dict, "from_dsoname", branch_dso(engine, b->from));
	PUT(dict, "to_dsoname", branch_dso(engine, b->to));
	return dict;
}

static PyObject *branch_words(struct pfx_script_engine *engine, const struct pfx_branch *b)
{
	PyObject *dict = PyDict_New();
	const char *pred = pfx_branch_mispred(b) ? "M" : pfx_branch_predicted(b) ? "P" : "-";

	PUT(dict, "from", branch_symbol(engine, b->from));
	PUT(dict, "to", branch_symbol(engine, b->to));
	PUT(dict, "pred", PyUnicode_FromString(pred));
	PUT(dict, "in_tx", PyUnicode_FromString(pfx_branch_in_tx(b) ? "X" : "-"));
	PUT(dict, "abort", PyUnicode_FromString(pfx_branch_abort(b) ? "A" : "-"));
	return dict;
}

/* Add brstack and brstacksym to the sample's dict. */
static void put_branches(struct pfx_script_engine *engine, PyObject *dict)
{
	const struct pfx_branch_stack *stack = &engine->now->sample->branch;
	PyObject *numbers = PyList_New((Py_ssize_t)stack->nr);
	PyObject *words = PyList_New((Py_ssize_t)stack->nr);
	struct pfx_branch b;
	uint64_t i;

	for (i = 0; i < stack->nr; i++) {
		b = pfx_branch_at(stack, i);
		PyList_SET_ITEM(numbers, (Py_ssize_t)i, branch_entry(engine, &b));
		PyList_SET_ITEM(words, (Py_ssize_t)i, branch_words(engine, &b));
	}
	PUT(dict, "brstack", numbers);
	PUT(dict, "brstacksym", words);
}

/* --- the rest of the sample --- */

/* "   AX:0x1 " for every recorded register. */
static PyObject *registers(const struct pfx_script_engine *engine, const struct pfx_regs *regs)
{
	const char *machine = engine->view->meta->env.arch, *name;
	struct pfx_str text = {0};
	PyObject *ret;
	uint64_t at = 0;
	unsigned bit;

	if (!regs->values.nr)
		return Py_NewRef(engine->empty_text);
	for (bit = 0; bit < 64 && at < regs->values.nr; bit++) {
		if (!(regs->mask >> bit & 1))
			continue;
		name = pfx_arch_reg_name(machine, bit);
		pfx_str_addf(&text, "%5s:0x%llx ", name ? name : "unknown",
			     (unsigned long long)pfx_word(&regs->values, at++));
	}
	ret = pfx_python_text(pfx_str_get(&text), text.len);
	pfx_str_fini(&text);
	return ret;
}

/* The counter values of the sample: (id, value, lost) each. */
static PyObject *read_values(const struct pfx_script_engine *engine)
{
	const struct pfx_script_sample *now = engine->now;
	struct pfx_read read;
	PyObject *list;
	uint64_t i, nr;

	if (!now->sample->read_bytes.size ||
	    !pfx_sample_read(now->sample, &now->event->attr, &read))
		return Py_BuildValue("[O]", engine->no_values);
	nr = read.nr < PFX_READ_MAX ? read.nr : PFX_READ_MAX;
	list = PyList_New((Py_ssize_t)nr);
	for (i = 0; i < nr; i++)
		PyList_SET_ITEM(list, (Py_ssize_t)i,
				Py_BuildValue("(KKK)", (unsigned long long)read.values[i].id,
					      (unsigned long long)read.values[i].value,
					      (unsigned long long)read.values[i].lost));
	return list;
}

static PyObject *data_src_text(struct pfx_script_engine *engine, uint64_t data_src)
{
	struct pfx_str text = {0};

	if (engine->data_src_text && engine->data_src == data_src)
		return Py_NewRef(engine->data_src_text);
	Py_XDECREF(engine->data_src_text);
	pfx_mem_text(data_src, &text);
	engine->data_src = data_src;
	engine->data_src_text = pfx_python_text(pfx_str_get(&text), text.len);
	pfx_str_fini(&text);
	return Py_NewRef(engine->data_src_text);
}

/* The kernel is shown with its map as recorded. */
static void put_map(struct pfx_script_engine *engine, PyObject *dict, const struct pfx_map *map,
		    const char *const keys[2])
{
	const struct pfx_map *kernel = pfx_session_kernel_map(engine->view->session);

	if (kernel && map->dso == kernel->dso)
		map = kernel;
	pfx_python_put(dict, keys[0], number(map->start));
	pfx_python_put(dict, keys[1], number(map->end));
}

/* The mapping of the sampled data address. */
static void put_addr(struct pfx_script_engine *engine, PyObject *dict)
{
	static const char *const map_keys[] = {"addr_dso_map_start", "addr_dso_map_end"};
	const struct pfx_script_sample *now = engine->now;
	const struct pfx_script_view *view = engine->view;
	const struct pfx_symbol *sym;
	struct pfx_location found;
	struct pfx_place *place;

	PUT(dict, "addr_correlates_sym", PyBool_FromLong(1));
	pfx_session_locate(view->session, now->thread, now->sample->cpumode, now->sample->addr,
			   &found);
	if (!found.map)
		return;
	place = pfx_resolve(view->resolver, now->thread, found.cpumode, now->sample->addr);
	PUT(dict, "addr_dso", Py_NewRef(dso_of(engine, found.map->dso)->name));
	PUT(dict, "addr_dso_bid", Py_NewRef(dso_of(engine, found.map->dso)->build_id));
	put_map(engine, dict, found.map, map_keys);
	sym = pfx_place_symbol(view->resolver, place);
	if (!sym)
		return;
	PUT(dict, "addr_symbol", pfx_python_text(sym->name, strlen(sym->name)));
	PUT(dict, "addr_symoff", number(place->addr - sym->start));
}

static PyObject *numbers_of(struct pfx_script_engine *engine)
{
	const struct pfx_script_sample *now = engine->now;
	const struct pfx_sample *sample = now->sample;
	uint64_t data_src = sample->type & PFX_SAMPLE_DATA_SRC ? sample->data_src : NO_DATA_SRC;
	PyObject *dict = PyDict_New();

	PUT(dict, "pid", number(sample->pid));
	PUT(dict, "tid", number(sample->tid));
	PUT(dict, "cpu", number(sample->cpu));
	PUT(dict, "ip", number(sample->ip));
	PUT(dict, "time", number(sample->time));
	PUT(dict, "period", number(sample->period));
	PUT(dict, "phys_addr", number(sample->phys_addr));
	PUT(dict, "addr", number(sample->addr));
	PUT(dict, "values", read_values(engine));
	PUT(dict, "weight", number(sample->weight));
	PUT(dict, "transaction", number(sample->transaction));
	PUT(dict, "datasrc", number(data_src));
	PUT(dict, "datasrc_decode", data_src_text(engine, data_src));
	PUT(dict, "cpumode", number(sample->cpumode));
	if ((sample->type & PFX_SAMPLE_ADDR) && pfx_script_addr_has_symbol(&now->event->attr))
		put_addr(engine, dict);
	return dict;
}

static void put_place(struct pfx_script_engine *engine, PyObject *dict)
{
	static const char *const map_keys[] = {"dso_map_start", "dso_map_end"};
	const struct pfx_script_sample *now = engine->now;
	const struct pfx_script_view *view = engine->view;
	struct pfx_location found;
	struct pfx_place *place;
	PyObject **slot, *sym;

	pfx_session_locate(view->session, now->thread, now->sample->cpumode, now->sample->ip,
			   &found);
	if (!found.map)
		return;
	place = pfx_resolve(view->resolver, now->thread, now->sample->cpumode, now->sample->ip);
	PUT(dict, "dso", Py_NewRef(dso_of(engine, found.map->dso)->name));
	PUT(dict, "dso_bid", Py_NewRef(dso_of(engine, found.map->dso)->build_id));
	put_map(engine, dict, found.map, map_keys);
	slot = pfx_vec_slot(&engine->frames, place->id);
	if (!*slot)
		*slot = make_frame(engine, place);
	sym = PyDict_GetItemString(*slot, "sym");
	if (!sym)
		return;
	PUT(dict, "symbol", Py_NewRef(PyDict_GetItemString(sym, "name")));
	PUT(dict, "symoff", number(place->addr - place->sym->start));
}

PyObject *pfx_python_sample(struct pfx_script_engine *engine, struct pfx_python_event *event,
			    PyObject *chain)
{
	const struct pfx_sample *sample = engine->now->sample;
	PyObject *dict = PyDict_New();

	PUT(dict, "ev_name", Py_NewRef(event->name));
	PUT(dict, "attr", Py_NewRef(event->attr));
	PUT(dict, "sample", numbers_of(engine));
	PUT(dict, "raw_buf",
	    sample->raw.size ? PyBytes_FromStringAndSize((const char *)sample->raw.at,
							 (Py_ssize_t)sample->raw.size)
			     : Py_NewRef(engine->empty_bytes));
	PUT(dict, "comm", pfx_python_comm(engine, engine->now->thread));
	put_place(engine, dict);
	PUT(dict, "callchain", Py_NewRef(chain));
	put_branches(engine, dict);
	PUT(dict, "iregs", registers(engine, &sample->regs_intr));
	PUT(dict, "uregs", registers(engine, &sample->regs_user));
	return dict;
}
