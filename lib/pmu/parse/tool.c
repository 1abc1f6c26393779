/* SPDX-License-Identifier: MIT */
/*
 * Events that are measured without a counter: times and facts about the machine. In the list they
 * are dummy events with the name; lib/stat measures them.
 */
#include <string.h>

#include "pmu/parse/parse_internal.h"

#define PREFIX "tool/"

const char *const pfx_tool_names[] = {
	"duration_time", "user_time", "system_time",  "num_cpus", "num_cpus_online",
	"num_cores",     "num_dies",  "num_packages", "smt_on",   "system_tsc_freq",
	"has_pmem",      "slots",     "core_wide",    NULL,
};

/* CPUs may have an event "slots": it has precedence. */
#define SLOTS "slots"

static int find(const char *at, size_t len)
{
	int i;

	for (i = 0; pfx_tool_names[i]; i++)
		if (strlen(pfx_tool_names[i]) == len && !memcmp(at, pfx_tool_names[i], len))
			return i;
	return -1;
}

bool pfx_tool_is_name(const char *word)
{
	return find(word, strlen(word)) >= 0;
}

int pfx_tool_find(const char *name, const struct pfx_attr *attr)
{
	if (attr->type != PFX_TYPE_SOFTWARE || attr->config != PFX_SW_DUMMY)
		return -1;
	if (!strncmp(name, PREFIX, strlen(PREFIX)))
		name += strlen(PREFIX);
	return find(name, strcspn(name, "/:"));
}

bool pfx_tool_add(struct pfx_parser *p, const char *word)
{
	return strcmp(word, SLOTS) != 0 && pfx_tool_add_last(p, word);
}

bool pfx_tool_add_last(struct pfx_parser *p, const char *word)
{
	if (!p->roots || !p->roots->counts_only || find(word, strlen(word)) < 0)
		return false;
	pfx_event_add(p, PFX_TYPE_SOFTWARE, PFX_SW_DUMMY);
	return true;
}

bool pfx_tool_is_pmu(const struct pfx_parser *p, const char *word)
{
	return p->roots && p->roots->counts_only && !strcmp(word, "tool");
}

int pfx_tool_parse(struct pfx_parser *p)
{
	struct pfx_terms terms = {0};
	char shown[PFX_SHOWN_SIZE];
	const struct pfx_token *name;
	int ret = pfx_terms_parse(p, &terms);

	if (!ret && (terms.terms.nr != 1 || terms.terms.at[0].value.kind != PFX_TOKEN_END))
		ret = pfx_parse_fail(p, &p->word, "'tool' takes one name between the slashes");
	name = ret ? NULL : &terms.terms.at[0].name;
	if (name && find(name->at, name->len) < 0) {
		struct pfx_name_list names = {0};
		size_t i;

		ret = pfx_parse_fail(p, name, "there is no tool '%s'", pfx_parse_show(shown, name));
		for (i = 0; pfx_tool_names[i]; i++)
			pfx_vec_push(&names.names, pfx_tool_names[i]);
		pfx_parse_list(p, "tools are", &names);
		pfx_vec_free(&names.names);
	}
	if (!ret)
		pfx_event_add(p, PFX_TYPE_SOFTWARE, PFX_SW_DUMMY);
	pfx_terms_fini(&terms);
	return ret;
}
