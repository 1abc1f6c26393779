/* SPDX-License-Identifier: MIT */
/*
 * Rows with several keys, such as comm,dso,sym: which keys, a column for each, and their trees,
 * which have the samples of the row's thread and CPU only.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hist/sortkey.h"
#include "screen/screen_internal.h"

#define LEAST_NAME   24 /* columns for the widest key, which the others give way to */
#define MOST_COLUMNS 40 /* for another key */
#define ROWS_LOOKED  2000

static const struct {
	enum pfx_key key;
	enum pfx_table_key own;
} key_names[] = {
	{PFX_KEY_COMM, PFX_TABLE_BY_COMM},    {PFX_KEY_PID, PFX_TABLE_BY_THREAD},
	{PFX_KEY_TID, PFX_TABLE_BY_THREAD},   {PFX_KEY_TGID, PFX_TABLE_BY_PROCESS},
	{PFX_KEY_CPU, PFX_TABLE_BY_CPU},      {PFX_KEY_SOCKET, PFX_TABLE_BY_SOCKET},
	{PFX_KEY_DSO, PFX_TABLE_BY_DSO},      {PFX_KEY_SYM, PFX_TABLE_BY_FUNCTION},
	{PFX_KEY_SRCLINE, PFX_TABLE_BY_LINE}, {PFX_KEY_SRCFILE, PFX_TABLE_BY_FILE},
};

#define NR_NAMES (sizeof(key_names) / sizeof(*key_names))

/* --- sort keys --- */

/* Values that the screen shows in any case. */
static bool is_shown(enum pfx_key key)
{
	return key == PFX_KEY_OVERHEAD || key == PFX_KEY_OVERHEAD_CHILDREN || key == PFX_KEY_SAMPLE;
}

static int take_key(struct pfx_table_keys *keys, enum pfx_key key, struct pfx_error *err)
{
	size_t i;

	if (is_shown(key))
		return 0;
	for (i = 0; i < NR_NAMES && key_names[i].key != key; i++)
		;
	if (i == NR_NAMES)
		return pfx_error_set(
			err, ENOTSUP, "the screen has no rows by %s: --stdio shows them",
			key < PFX_KEY_NR ? pfx_key_info(key)->name : "fields of tracepoints");
	if (!pfx_table_keys_find(keys, key_names[i].own, NULL))
		keys->at[keys->nr++] = key_names[i].own;
	return 0;
}

/* Rows of one kind are simpler: functions have their library beside them. */
static void simplify(struct pfx_screen_rows *rows)
{
	struct pfx_table_keys *keys = &rows->keys;
	bool has_function = pfx_table_keys_find(keys, PFX_TABLE_BY_FUNCTION, NULL);
	bool has_dso = pfx_table_keys_find(keys, PFX_TABLE_BY_DSO, NULL);
	enum pfx_view_by by = keys->nr ? pfx_table_key_by(keys->at[0]) : PFX_VIEW_FUNCTION;

	rows->by = has_function || by == PFX_VIEW_NR_BYS ? PFX_VIEW_FUNCTION : by;
	if (!keys->nr || (has_function && keys->nr == 1u + has_dso) ||
	    (keys->nr == 1 && by != PFX_VIEW_NR_BYS))
		*keys = (struct pfx_table_keys){0};
}

int pfx_screen_rows_of(const char *sort, struct pfx_screen_rows *ret, struct pfx_error *err)
{
	const struct pfx_columns_request request = {.sort = sort, .mode = PFX_REPORT_NORMAL};
	struct pfx_columns columns = {0};
	size_t i;
	int rc;

	*ret = (struct pfx_screen_rows){.by = PFX_VIEW_FUNCTION};
	if (!sort || !*sort)
		return 0;
	rc = pfx_columns_build(&columns, &request, err);
	for (i = 0; i < columns.shown.nr && !rc; i++)
		rc = take_key(&ret->keys, columns.shown.at[i].key, err);
	pfx_columns_fini(&columns);
	if (rc)
		ret->keys.nr = 0;
	simplify(ret);
	return rc;
}

void pfx_screen_add_sort(const struct pfx_screen *s, struct pfx_str *to)
{
	static const char *const of_one[PFX_VIEW_NR_BYS] = {
		[PFX_VIEW_FUNCTION] = "dso,sym", [PFX_VIEW_DSO] = "dso",
		[PFX_VIEW_LINE] = "srcline",     [PFX_VIEW_PROCESS] = "tgid",
		[PFX_VIEW_THREAD] = "pid",       [PFX_VIEW_COMM] = "comm",
		[PFX_VIEW_CPU] = "cpu",
	};
	const struct pfx_table_keys *keys = &s->place.keys;
	size_t i;
	unsigned k;

	if (!keys->nr)
		pfx_str_add(to, of_one[s->place.by] ? of_one[s->place.by] : "");
	for (k = 0; k < keys->nr; k++) {
		for (i = 0; key_names[i].own != keys->at[k]; i++)
			;
		pfx_str_addf(to, "%s%s", k ? "," : "", pfx_key_info(key_names[i].key)->name);
	}
}

bool pfx_screen_rows_have_lines(const struct pfx_screen_rows *rows)
{
	return rows->by == PFX_VIEW_LINE ||
	       pfx_table_keys_find(&rows->keys, PFX_TABLE_BY_LINE, NULL) ||
	       pfx_table_keys_find(&rows->keys, PFX_TABLE_BY_FILE, NULL);
}

bool pfx_screen_keys_have_code(const struct pfx_table_keys *keys)
{
	unsigned k;

	for (k = 0; k < keys->nr; k++)
		if (pfx_table_key_is_code(keys->at[k]))
			return true;
	return false;
}

bool pfx_screen_rows_are_code(const struct pfx_screen *s)
{
	return s->place.keys.nr ? pfx_screen_keys_have_code(&s->place.keys)
				: s->place.by <= PFX_VIEW_LINE;
}

/* --- names --- */

/* A key of a row, as it is shown. */
static void add_key(struct pfx_screen *s, enum pfx_table_key key, uint32_t id, struct pfx_str *to)
{
	const struct pfx_profile *profile = s->profile;
	struct pfx_str line = {0};

	if (id == PFX_NO_ID) {
		pfx_str_add(to, "[unknown]");
	} else if (key == PFX_TABLE_BY_SOCKET) {
		pfx_str_addf(to, "%u", id);
	} else if (key == PFX_TABLE_BY_DSO && s->verbose) {
		pfx_str_add(to, profile->dsos[id].name);
	} else if (key == PFX_TABLE_BY_FILE) {
		pfx_str_add(to, s->verbose ? profile->frames[id].file
					   : pfx_file_name(profile->frames[id].file));
	} else if (key == PFX_TABLE_BY_LINE && !s->verbose) {
		pfx_screen_add_id(s, PFX_VIEW_LINE, id, &line);
		pfx_str_add(to, profile->frames[id].file ? pfx_file_name(pfx_str_get(&line))
							 : pfx_str_get(&line));
		pfx_str_fini(&line);
	} else {
		pfx_screen_add_id(s, pfx_table_key_by(key), id, to);
	}
}

void pfx_screen_add_keys(struct pfx_screen *s, const struct pfx_screen_row *row, struct pfx_str *to)
{
	unsigned k;

	for (k = 0; k < s->place.keys.nr; k++) {
		pfx_str_add(to, k ? "  " : "");
		add_key(s, s->place.keys.at[k], row->ids[k], to);
	}
}

/* Of a sheet: the numbers of the recording as ids of the profile. */
static bool sheet_row_id(const struct pfx_screen *s, const struct pfx_screen_row *row,
			 enum pfx_view_by by, uint32_t *ret)
{
	const struct pfx_profile *profile = s->profile;
	uint32_t nr = pfx_view_nr_ids(profile, by), i;

	for (i = 0; i < nr; i++) {
		if ((by == PFX_VIEW_THREAD && row->tid != PFX_NO_ID &&
		     profile->threads[i].tid == row->tid) ||
		    (by == PFX_VIEW_PROCESS && row->pid != PFX_NO_ID &&
		     profile->processes[i].pid == row->pid) ||
		    (by == PFX_VIEW_CPU && row->cpu != PFX_NO_ID && profile->cpus[i] == row->cpu) ||
		    (by == PFX_VIEW_DSO && row->dso &&
		     !strcmp(profile->dsos[i].short_name, row->dso))) {
			*ret = i;
			return true;
		}
	}
	return false;
}

bool pfx_screen_row_id(const struct pfx_screen *s, const struct pfx_screen_row *row,
		       enum pfx_view_by by, uint32_t *ret)
{
	unsigned k;

	if (row && row->text)
		return sheet_row_id(s, row, by, ret);
	for (k = 0; row && row->ids && k < s->place.keys.nr; k++) {
		if (pfx_table_key_by(s->place.keys.at[k]) != by)
			continue;
		*ret = row->ids[k];
		return true;
	}
	if (!row || row->ids || row->kind != PFX_ROW_TABLE || row->by != by)
		return false;
	*ret = row->id;
	return true;
}

uint64_t pfx_screen_key_of_keys(struct pfx_screen *s, const struct pfx_screen_row *row)
{
	struct pfx_str name = {0};
	bool verbose = s->verbose;
	uint64_t key;

	s->verbose = false; /* the same key for both forms */
	pfx_screen_add_keys(s, row, &name);
	s->verbose = verbose;
	key = pfx_hash_bytes(pfx_str_get(&name), name.len);
	if (row->by == PFX_VIEW_FUNCTION)
		key = pfx_hash_u64(key ^ s->function_keys[row->id]);
	pfx_str_fini(&name);
	return key | 1;
}

/* --- columns --- */

static const char *title_of(enum pfx_table_key key)
{
	static const char *const titles[PFX_TABLE_NR_KEYS] = {
		[PFX_TABLE_BY_COMM] = "Command",      [PFX_TABLE_BY_THREAD] = "Thread",
		[PFX_TABLE_BY_PROCESS] = "Process",   [PFX_TABLE_BY_CPU] = "CPU",
		[PFX_TABLE_BY_SOCKET] = "Socket",     [PFX_TABLE_BY_DSO] = "Library",
		[PFX_TABLE_BY_FUNCTION] = "Function", [PFX_TABLE_BY_LINE] = "Line",
		[PFX_TABLE_BY_FILE] = "File",
	};

	return titles[key];
}

/* Called once for all rows. */
void pfx_screen_measure_keys(struct pfx_screen *s)
{
	struct pfx_str text = {0};
	unsigned k, width;
	uint32_t i;

	for (k = 0; k < s->place.keys.nr; k++) {
		s->key_width[k] = pfx_text_columns(title_of(s->place.keys.at[k]));
		for (i = 0; i < s->table.nr_rows && i < ROWS_LOOKED; i++) {
			pfx_str_clear(&text);
			add_key(s, s->place.keys.at[k],
				pfx_table_id(&s->table, s->table.rows[i].id, k), &text);
			width = pfx_text_columns(pfx_str_get(&text));
			if (width > s->key_width[k])
				s->key_width[k] = width;
		}
	}
	pfx_str_fini(&text);
}

/* The key that gets the columns that the others leave: names are long. */
static unsigned widest(const struct pfx_table_keys *keys)
{
	unsigned k = keys->nr - 1;

	if (!pfx_table_keys_find(keys, PFX_TABLE_BY_FUNCTION, &k) &&
	    !pfx_table_keys_find(keys, PFX_TABLE_BY_LINE, &k))
		pfx_table_keys_find(keys, PFX_TABLE_BY_FILE, &k);
	return k;
}

struct key_columns {
	unsigned x[PFX_TABLE_NR_KEYS], width[PFX_TABLE_NR_KEYS], wide;
};

static unsigned columns_of_others(const struct pfx_screen *s, unsigned wide, unsigned most)
{
	unsigned k, sum = 0;

	for (k = 0; k < s->place.keys.nr; k++)
		if (k != wide)
			sum += (s->key_width[k] < most ? s->key_width[k] : most) + 2;
	return sum;
}

static struct key_columns lay_out(const struct pfx_screen *s, unsigned x)
{
	struct key_columns c = {.wide = widest(&s->place.keys)};
	unsigned room = s->width > x ? s->width - x : 0, most = MOST_COLUMNS, k, others;

	while (most > 4 && columns_of_others(s, c.wide, most) + LEAST_NAME > room)
		most--;
	others = columns_of_others(s, c.wide, most);
	for (k = 0; k < s->place.keys.nr; k++) {
		c.x[k] = x;
		c.width[k] = k == c.wide              ? (room > others ? room - others : 1)
			     : s->key_width[k] < most ? s->key_width[k]
						      : most;
		x += c.width[k] + (k == c.wide && k + 1 < s->place.keys.nr ? 0 : 2);
	}
	return c;
}

static void put_wide(struct pfx_screen *s, struct pfx_grid *grid, const struct key_columns *c,
		     unsigned y, const struct pfx_screen_row *row)
{
	unsigned k = c->wide;
	struct pfx_str text = {0}, name = {0};

	if (s->place.keys.at[k] == PFX_TABLE_BY_FUNCTION) {
		pfx_screen_add_place(s, row->id, &text);
		add_key(s, s->place.keys.at[k], row->ids[k], &name);
		pfx_screen_add_function(s, row->id, pfx_str_get(&name),
					c->width[k] - (unsigned)text.len, &text);
	} else {
		add_key(s, s->place.keys.at[k], row->ids[k], &text);
	}
	pfx_grid_put_from(grid, c->x[k], y, pfx_str_get(&text), s->place.left);
	pfx_str_fini(&text);
	pfx_str_fini(&name);
}

void pfx_screen_put_keys(struct pfx_screen *s, struct pfx_grid *grid, unsigned x, unsigned y,
			 const struct pfx_screen_row *row)
{
	const struct key_columns c = lay_out(s, x + 2);
	struct pfx_str text = {0};
	unsigned k;

	pfx_screen_add_keys(s, row, &text);
	if (s->search && pfx_screen_has_text(pfx_str_get(&text), s->search))
		grid->pen.style = PFX_STYLE_MATCH;
	pfx_grid_put(grid, x, y, !row->has_kids ? " " : row->is_open ? "-" : "+", 1);
	put_wide(s, grid, &c, y, row);
	/* The columns after it cover the rest of the name. */
	if (c.wide + 1 < s->place.keys.nr)
		pfx_grid_fill(grid, c.x[c.wide + 1] - 2, y, ' ', grid->width);
	for (k = 0; k < s->place.keys.nr; k++) {
		if (k == c.wide)
			continue;
		pfx_str_clear(&text);
		add_key(s, s->place.keys.at[k], row->ids[k], &text);
		pfx_grid_put(grid, c.x[k], y, pfx_str_get(&text), c.width[k]);
	}
	grid->pen.style = PFX_STYLE_NORMAL;
	pfx_str_fini(&text);
}

void pfx_screen_put_key_titles(struct pfx_screen *s, struct pfx_grid *grid, unsigned x, unsigned y)
{
	const struct key_columns c = lay_out(s, x + 2);
	unsigned k;

	for (k = 0; k < s->place.keys.nr; k++) {
		grid->pen.style = s->order == PFX_TABLE_KEY + k ? PFX_STYLE_KEY : PFX_STYLE_HEADING;
		grid->pen.link = PFX_LINK_HEADING + PFX_TABLE_KEY + k;
		pfx_grid_put(grid, c.x[k], y, title_of(s->place.keys.at[k]), c.width[k]);
	}
	grid->pen = (struct pfx_pen){0};
}

/* --- trees --- */

bool pfx_screen_keys_have_trees(const struct pfx_screen *s)
{
	return pfx_table_keys_find(&s->place.keys, PFX_TABLE_BY_FUNCTION, NULL) ||
	       !pfx_screen_keys_have_code(&s->place.keys);
}
