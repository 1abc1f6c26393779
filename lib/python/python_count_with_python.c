/* SPDX-License-Identifier: MIT */
/*
 * Counts of `stat record`: a script's functions stat__EVENT(cpu, thread, time, value, enabled,
 * running) and stat__interval(time). Colons in the event's name are replaced by '_', as in perf;
 * for names with other characters that are not valid in functions ("task-clock"), these are also
 * replaced.
 */
#include "python/python_internal.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

static PyObject *find_handler(const struct pfx_script_engine *engine, const char *event)
{
	struct pfx_str name = {0};
	PyObject *found;
	size_t i;

	pfx_str_addf(&name, "stat__%s", event);
	for (i = 0; i < name.len; i++)
		if (name.at[i] == ':')
			name.at[i] = '_';
	found = pfx_python_function(engine, name.at);
	for (i = 0; i < name.len; i++)
		if (!is_word(name.at[i]))
			name.at[i] = '_';
	if (!found)
		found = pfx_python_function(engine, name.at);
	PyErr_Clear(); /* the name is not valid UTF-8 */
	pfx_str_fini(&name);
	return found;
}

int pfx_python_count(struct pfx_script_engine *engine, const struct pfx_script_count *row,
		     struct pfx_error *err)
{
	struct pfx_python_event *entry = pfx_python_event_of(engine, row->event);

	if (!entry->has_count_handler)
		entry->count_handler = find_handler(engine, row->event->name);
	entry->has_count_handler = true;
	if (!entry->count_handler)
		return 0;
	return pfx_python_call(engine, entry->count_handler,
			       Py_BuildValue("(iiKKKK)", row->cpu, row->tid,
					     (unsigned long long)row->time,
					     (unsigned long long)row->count.value,
					     (unsigned long long)row->count.enabled,
					     (unsigned long long)row->count.running),
			       err);
}

int pfx_python_round(struct pfx_script_engine *engine, uint64_t time, struct pfx_error *err)
{
	PyObject *function = pfx_python_function(engine, "stat__interval");

	if (!function)
		return 0;
	return pfx_python_call(engine, function, Py_BuildValue("(K)", (unsigned long long)time),
			       err);
}
