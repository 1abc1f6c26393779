/* SPDX-License-Identifier: MIT */
/* Queries about a set of columns, and the fields of tracepoints in it. */
#include <string.h>

#include "hist/sortkey.h"

const char *pfx_columns_usual(enum pfx_report_mode mode)
{
	switch (mode) {
	case PFX_REPORT_BRANCH:
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	case PFX_REPORT_MEM:
		return "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,"
		       "local_ins_lat,local_p_stage_cyc";
	default:
		return "comm,dso,symbol";
	}
}

void pfx_columns_sort_words(enum pfx_report_mode mode, const char *sort, struct pfx_str *to)
{
	if (!sort || *sort == '+')
		pfx_str_add(to, pfx_columns_usual(mode));
	if (sort && *sort == '+')
		pfx_str_addc(to, ',');
	if (sort)
		pfx_str_add(to, sort + (*sort == '+'));
	if (sort && strstr(sort, "symbol"))
		pfx_str_add(to, ",ipc_null");
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

enum pfx_key pfx_columns_add_field(struct pfx_columns *columns, const struct pfx_key_field *field)
{
	struct pfx_key_field copy = *field;
	const struct pfx_key_field *old;
	size_t i;

	for (i = 0; i < columns->fields.nr; i++) {
		old = &columns->fields.at[i];
		if (same_text(old->event, field->event) && same_text(old->name, field->name) &&
		    old->raw == field->raw)
			return PFX_KEY_FIELD + i;
	}
	if (columns->fields.nr == PFX_FIELDS_MAX)
		return PFX_KEY_NR;
	copy.name = pfx_arena_strdup(&columns->names, field->name);
	if (field->event)
		copy.event = pfx_arena_strdup(&columns->names, field->event);
	pfx_vec_push(&columns->fields, copy);
	return PFX_KEY_FIELD + columns->fields.nr - 1;
}

void pfx_columns_fini(struct pfx_columns *columns)
{
	pfx_vec_free(&columns->shown);
	pfx_vec_free(&columns->order);
	pfx_vec_free(&columns->levels);
	pfx_vec_free(&columns->fields);
	pfx_arena_clear(&columns->names);
}

bool pfx_columns_has(const struct pfx_columns *columns, enum pfx_key key)
{
	size_t i;

	for (i = 0; i < columns->order.nr; i++)
		if (columns->order.at[i] == key)
			return true;
	return false;
}

bool pfx_columns_shows(const struct pfx_columns *columns, enum pfx_key key)
{
	size_t i;

	for (i = 0; i < columns->shown.nr; i++)
		if (columns->shown.at[i].key == key)
			return true;
	return false;
}
