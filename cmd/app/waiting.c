/* SPDX-License-Identifier: MIT */
/* Reports in one line what a recorder does and that Ctrl-C ends it, since without a command it
 * would run silently. */
#include "cmd/app/waiting.h"

#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/app/commands.h"

/* "12,34" is a list of several. */
static void add_some(struct pfx_str *to, const char *one, const char *several, const char *words)
{
	pfx_str_addf(to, "%s%s ", to->len ? " and " : "", strpbrk(words, ",-") ? several : one);
	pfx_str_add_foreign(to, words);
}

void pfx_waiting_say(const char *command, const char *doing, const struct pfx_waiting *target)
{
	struct pfx_str what = {0};

	if (!isatty(STDERR_FILENO))
		return;
	if (target->pids)
		add_some(&what, "process", "processes", target->pids);
	if (target->tids)
		add_some(&what, "thread", "threads", target->tids);
	if (target->user && !what.len) {
		pfx_str_add(&what, "the processes of ");
		pfx_str_add_foreign(&what, target->user);
	}
	if (target->cpus && !what.len)
		add_some(&what, "CPU", "CPUs", target->cpus);
	if (!what.len)
		pfx_str_add(&what, "the whole system");
	pfx_print_note(command, "%s %s; Ctrl-C ends it", doing, what.at);
	pfx_str_fini(&what);
}
