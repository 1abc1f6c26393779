/* SPDX-License-Identifier: MIT */
/* A profile as the text of a baseline. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "diff/baseline/baseline.h"

#define NAME_MAX_LENGTH 200

struct cell {
	uint32_t event, comm, stack, slice;
};

struct writing {
	const struct pfx_profile *profile;
	struct pfx_intern cells;
	PFX_VEC(uint64_t) samples;
	PFX_VEC(uint64_t) periods;
	struct pfx_str *to;
};

static void add_line(struct pfx_str *to, const char *kind, const char *text)
{
	pfx_str_add(to, kind);
	pfx_str_addc(to, ' ');
	pfx_str_add_foreign(to, text);
	pfx_str_addc(to, '\n');
}

void pfx_baseline_add_head(const char *machine, struct pfx_str *to)
{
	pfx_str_add(to, "pfx-baseline 1\n");
	if (machine)
		add_line(to, "m", machine);
}

static void add_function(const struct pfx_profile_function *function, struct pfx_str *to)
{
	pfx_str_addf(to, "f %d %c %s%s%s %" PRIu64 " ",
		     function->dso == PFX_NO_ID ? -1 : (int)function->dso,
		     function->level > ' ' ? function->level : '.', function->is_named ? "n" : "",
		     function->is_inlined ? "i" : "",
		     function->is_named || function->is_inlined ? "" : "-",
		     function->end > function->start ? function->end - function->start : 0);
	pfx_str_add_foreign(to, function->name);
	pfx_str_addc(to, '\n');
}

static void add_tables(const struct pfx_profile *profile, struct pfx_str *to)
{
	uint32_t i;

	for (i = 0; i < profile->nr_events; i++)
		add_line(to, "e", profile->events[i].name);
	for (i = 0; i < profile->nr_comms; i++)
		add_line(to, "c", profile->comms[i]);
	for (i = 0; i < profile->nr_dsos; i++)
		add_line(to, "d", profile->dsos[i].short_name);
	for (i = 0; i < profile->nr_functions; i++)
		add_function(&profile->functions[i], to);
	for (i = 1; i < profile->nodes.nr; i++)
		pfx_str_addf(to, "n %u %u\n", profile->nodes.parent[i],
			     pfx_profile_node_function(profile, i));
	for (i = 0; i < profile->nr_stacks; i++)
		pfx_str_addf(to, "s %u %u %c\n", profile->stack_node[i],
			     profile->frames[profile->stack_own[i]].function,
			     profile->stack_level[i] > ' ' ? profile->stack_level[i] : '.');
}

static void count_row(struct writing *writing, uint32_t row, uint64_t first, uint64_t width)
{
	const struct pfx_profile *profile = writing->profile;
	const struct cell cell = {
		.event = profile->row_event[row],
		.comm = profile->tasks[profile->row_task[row]].comm,
		.stack = profile->row_stack[row],
		.slice = profile->row_time ? (uint32_t)((profile->row_time[row] - first) / width)
					   : 0,
	};
	uint32_t id = pfx_intern_add(&writing->cells, &cell, sizeof(cell));

	*pfx_vec_slot(&writing->samples, id) += pfx_profile_count(profile, row);
	*pfx_vec_slot(&writing->periods, id) += profile->row_period[row];
}

void pfx_baseline_add_run(const struct pfx_profile *profile, struct pfx_str *to)
{
	uint64_t first = UINT64_MAX, last = 0, width;
	struct writing writing = {.profile = profile, .to = to};
	const struct cell *cell;
	uint32_t i;

	for (i = 0; i < profile->nr_rows && profile->row_time; i++) {
		first = profile->row_time[i] < first ? profile->row_time[i] : first;
		last = profile->row_time[i] > last ? profile->row_time[i] : last;
	}
	first = first > last ? last : first;
	width = (last - first) / PFX_BASELINE_SLICES + 1;
	pfx_str_addf(to, "r %" PRIu64 "\n", last - first);
	add_tables(profile, to);
	for (i = 0; i < profile->nr_rows; i++)
		count_row(&writing, i, first, width);
	for (i = 0; i < writing.cells.nr; i++) {
		cell = (const void *)pfx_intern_get(&writing.cells, i);
		pfx_str_addf(to, "x %u %u %u %u %" PRIu64 " %" PRIu64 "\n", cell->event, cell->comm,
			     cell->stack, cell->slice, writing.samples.at[i],
			     writing.periods.at[i]);
	}
	pfx_intern_fini(&writing.cells);
	pfx_vec_free(&writing.samples);
	pfx_vec_free(&writing.periods);
}

char *pfx_baseline_path(const char *dir, const char *name, struct pfx_error *err)
{
	char shown[128];

	if (name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) <= NAME_MAX_LENGTH)
		return pfx_strfmt("%s/%s.baseline", dir, name);
	pfx_error_set(err, EINVAL, "'%s' is not a name of a baseline",
		      pfx_escape(shown, sizeof(shown), name));
	pfx_error_hint(err, "a name has no slash and does not begin with a dot");
	return NULL;
}
