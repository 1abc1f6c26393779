/* SPDX-License-Identifier: MIT */
/* Events that enable and disable others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/event_switch.h"

/* Which of the events a b c b a are accepted. */
static void takes(struct pfx_event_switch sw, const char *want)
{
	static const char *const names[] = {"a", "b", "c", "b", "a", "c"};
	struct pfx_event event = {0};
	char got[7] = "";
	size_t i;

	for (i = 0; i < 6; i++) {
		event.name = (char *)(uintptr_t)names[i];
		got[i] = pfx_event_switch_takes(&sw, &event) ? *names[i] : '-';
	}
	assert_string_equal(got, want);
}

static void switches(void **state)
{
	takes((struct pfx_event_switch){0}, "abcbac");
	takes((struct pfx_event_switch){.on = "b"}, "--cbac");
	takes((struct pfx_event_switch){.on = "b", .shows = true}, "-bcbac");
	takes((struct pfx_event_switch){.off = "b"}, "a-----");
	takes((struct pfx_event_switch){.on = "b", .off = "a"}, "--cb--");
	takes((struct pfx_event_switch){.on = "b", .off = "b"}, "--c---");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
