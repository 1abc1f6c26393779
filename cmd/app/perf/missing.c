/* SPDX-License-Identifier: MIT */
/*
 * Commands of perf that pfx lacks. By its own name pfx says what is the closest; as perf it starts
 * the perf that is installed beside it.
 */
#include "cmd/app/perf/missing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cli/personality.h"
#include "cmd/app/messages.h"

#define UNKNOWN_COMMAND_CODE 1 /* as perf's */
#define NOT_STARTED_CODE     127
#define HANDED_OVER          "PFX_HANDED_OVER" /* set in the environment of the other perf */

/* perf's commands that pfx lacks, and the closest command of pfx. */
static const struct {
	const char *name, *near;
} missing[] = {
	{"bench", NULL},
	{"c2c", "'pfx report --mem-mode' is the closest"},
	{"daemon", "'pfx record --switch-output' records without end"},
	{"ftrace", "'pfx record -e SYSTEM:EVENT' records tracepoints"},
	{"iostat", NULL},
	{"kallsyms", NULL},
	{"kmem", "'pfx record -e kmem:*' and 'pfx script' are the closest"},
	{"kvm", "'pfx record -e kvm:*' and 'pfx script' are the closest"},
	{"kwork", "'pfx record -e irq:*,workqueue:*' and 'pfx script' are the closest"},
	{"lock", "'pfx record -e lock:*' and 'pfx script' are the closest"},
	{"mem", "'pfx record -d' and 'pfx report --mem-mode' are the closest"},
	{"probe", "'pfx record -e uprobe:FILE:FUNCTION' needs no preparation"},
	{"sched", "'pfx record --off-cpu' and 'pfx record -e sched:*' are the closest"},
	{"test", NULL},
	{"timechart", NULL},
	{"trace", "'pfx record -e raw_syscalls:*' and 'pfx script' are the closest"},
};

bool pfx_program_is_missing(const char *word, struct pfx_error *err)
{
	size_t i;

	for (i = 0; i < sizeof(missing) / sizeof(*missing); i++) {
		if (strcmp(word, missing[i].name))
			continue;
		pfx_error_set(err, EINVAL, "pfx has no '%s' yet", word);
		pfx_error_hint(err, "%s",
			       missing[i].near ? missing[i].near
					       : "'pfx help' lists the commands that it has");
		return true;
	}
	return false;
}

static bool is_missing(const char *word)
{
	return pfx_program_is_missing(word, &(struct pfx_error){0});
}

/* Whether @path is a program, and not this one. */
static bool is_other_perf(const char *path)
{
	struct stat self, it;

	return !access(path, X_OK) && !stat(path, &it) && S_ISREG(it.st_mode) &&
	       (stat("/proc/self/exe", &self) < 0 || self.st_dev != it.st_dev ||
		self.st_ino != it.st_ino);
}

static char *in_search_path(void)
{
	const char *path = getenv("PATH");
	char *copy = pfx_strdup(path ? path : "/usr/local/bin:/usr/bin:/bin"), *rest = copy;
	char *dir, *found = NULL;

	while (!found && (dir = strsep(&rest, ":"))) {
		found = pfx_strfmt("%s/perf", *dir ? dir : ".");
		if (!is_other_perf(found)) {
			free(found);
			found = NULL;
		}
	}
	free(copy);
	return found;
}

/* The perf of the distribution: in $PATH, in /usr/bin under its version, or that of the running
 * kernel. */
static char *other_perf(void)
{
	char *found = in_search_path();
	struct utsname kernel;
	int major = 0, minor = 0;

	if (found || uname(&kernel) < 0)
		return found;
	found = pfx_strfmt("/usr/lib/linux-tools/%s/perf", kernel.release);
	if (is_other_perf(found))
		return found;
	free(found);
	if (sscanf(kernel.release, "%d.%d", &major, &minor) != 2)
		return NULL;
	found = pfx_strfmt("/usr/bin/perf_%d.%d", major, minor);
	if (is_other_perf(found))
		return found;
	free(found);
	return NULL;
}

/* The same words for the other perf; returns only if it cannot be started. */
static int start_other(const char *path, int argc, char **argv)
{
	char **words = pfx_calloc((size_t)argc + 2, sizeof(*words));
	struct pfx_error err = {0};

	words[0] = pfx_strdup(path);
	memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
	pfx_print_note(NULL, "'%s' is run by %s, because pfx lacks it", argv[0], path);
	setenv(HANDED_OVER, "1", 1);
	execv(path, words);
	pfx_error_set(&err, errno, "cannot start '%s': %s", path, strerror(errno));
	pfx_print_error(NULL, &err);
	free(words[0]);
	free(words);
	return NOT_STARTED_CODE;
}

int pfx_run_missing(const char *word, int argc, char **argv)
{
	struct pfx_error err = {0};
	char *other = NULL;
	int code = UNKNOWN_COMMAND_CODE;

	if (!is_missing(word))
		return -1;
	if (pfx_has_habit(PFX_HABIT_HAND_OVER) && !getenv(HANDED_OVER))
		other = other_perf();
	if (other) {
		code = start_other(other, argc, argv);
	} else {
		pfx_program_is_missing(word, &err);
		pfx_print_error(NULL, &err);
	}
	free(other);
	return code;
}

void pfx_list_handed_over(void)
{
	char *other =
		pfx_has_habit(PFX_HABIT_HAND_OVER) && !getenv(HANDED_OVER) ? other_perf() : NULL;
	size_t i;

	for (i = 0; other && i < sizeof(missing) / sizeof(*missing); i++)
		printf(" %s", missing[i].name);
	free(other);
}
