/* SPDX-License-Identifier: MIT */
/* Any text as the words of -e, on the machines of the unit tests. The first byte chooses one, and
 * whether samples are wanted. */
#include "unit/pmu/pmu_fixture.h"

#define WORDS_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_at_exit(void)
{
	remove_machines(NULL);
}

/* What callers rely on. */
static void check_list(const struct pfx_event_list *list)
{
	const struct pfx_event_spec *spec;
	size_t i;

	for (i = 0; i < list->specs.nr; i++) {
		spec = &list->specs.at[i];
		if (!spec->name || !spec->attr.size || spec->group > list->nr_groups)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"x86", "hyb", "arm", "none", "skx",
					    "zen", "srv", "ppc", "acr"};
	const size_t nr = sizeof(names) / sizeof(names[0]);
	struct fixture_roots at;
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	char words[WORDS_MAX];

	if (!size || size > sizeof(words))
		return 0;
	if (!machines.root[0]) {
		make_machines(NULL);
		atexit(remove_at_exit);
	}
	memcpy(words, data + 1, size - 1);
	words[size - 1] = '\0';
	fixture_roots(&machines, names[(data[0] & 15) % nr], &at);
	at.roots.counts_only = data[0] & 0x80;
	if (pfx_events_parse(&list, words, &at.roots, &err)) {
		if (list.specs.nr || !err.text[0])
			abort();
	} else {
		check_list(&list);
	}
	pfx_event_list_fini(&list);
	return 0;
}
