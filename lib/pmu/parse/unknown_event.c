/* SPDX-License-Identifier: MIT */
/*
 * The message for an unknown event: why it is not available on this machine, or which name of any
 * kind was probably meant.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/parse/parse_internal.h"
#include "pmu/vendor/vendor.h"

/* "r0x1a8" and "R1a8". */
static bool looks_raw(const char *word)
{
	uint64_t code;

	if ((word[0] | 0x20) != 'r')
		return false;
	word += strncmp(word + 1, "0x", 2) ? 1 : 3;
	return pfx_token_hex(word, strlen(word), &code);
}

/* The names that the PMUs of this machine define. */
static void add_pmu_events(struct pfx_name_list *to, struct pfx_parser *p)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	size_t i;

	for (i = 0; i < set->pmus.nr; i++)
		pfx_pmu_event_names(to, set, &set->pmus.at[i]);
}

static const struct pfx_pmu *find_pmu(struct pfx_parser *p, const char *word)
{
	struct pfx_pmu_set *set = pfx_pmu_set_get(&p->pmus, p->sysfs);
	size_t i;

	for (i = 0; i < set->pmus.nr; i++)
		if (pfx_pmu_matches(&set->pmus.at[i], word))
			return &set->pmus.at[i];
	return NULL;
}

int pfx_parse_unknown_event(struct pfx_parser *p, const struct pfx_token *tok)
{
	char shown[PFX_SHOWN_SIZE], *word = pfx_strndup(tok->at, tok->len);
	struct pfx_name_list names = {0};
	struct pfx_arena arena = {0};
	const char *tracepoint;
	size_t i;

	pfx_parse_fail(p, tok, "unknown event '%s'", pfx_parse_show(shown, tok));
	pfx_parse_reason(p, tok, "parser error: unknown event '%s'", shown);
	tracepoint = pfx_tracepoint_find(p, word);
	if (p->pmus.vendor && pfx_vendor_find_event(p->pmus.vendor, word) >= 0) {
		pfx_parse_advise(p, "this CPU has the event, but the machine shows no PMU that "
				    "counts it, as is usual in a virtual machine");
	} else if (pfx_tool_is_name(word)) {
		pfx_parse_advise(p, "pfx stat tells it: there is nothing to sample");
	} else if (tracepoint) {
		pfx_parse_advise(p, "did you mean '%s'?", tracepoint);
	} else if (find_pmu(p, word)) {
		pfx_parse_advise(p, "'%s' is a PMU: write '%s/.../' with an event or terms", shown,
				 shown);
	} else if (looks_raw(word)) {
		pfx_parse_advise(p, "a raw code is a small 'r' and hexadecimal digits, as in r1a8");
	} else {
		pfx_symbol_names(&names, &arena);
		for (i = 0; p->roots && p->roots->counts_only && pfx_tool_names[i]; i++)
			pfx_vec_push(&names.names, pfx_tool_names[i]);
		add_pmu_events(&names, p);
		pfx_parse_near(p, word, &names);
	}
	pfx_vec_free(&names.names);
	pfx_arena_clear(&arena);
	free(word);
	return -EINVAL;
}
