/* SPDX-License-Identifier: MIT */
/* Chooses the output: a file, a directory, or a stream. Opens nothing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/writer/writer.h"
#include "record/plan/plan.h"

#define DEFAULT_OUTPUT "perf.data"

/* Devices and named pipes are also written as a stream. */
static bool is_stream(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Whether the path is another name of standard output (/dev/stdout); *@ret_stream: which is a pipe
 * or terminal. */
static bool is_our_stdout(const char *path, bool *ret_stream)
{
	struct stat st, out;

	if (stat(path, &st) < 0 || fstat(STDOUT_FILENO, &out) < 0 || st.st_dev != out.st_dev ||
	    st.st_ino != out.st_ino)
		return false;
	*ret_stream = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(STDOUT_FILENO);
	return *ret_stream || S_ISREG(st.st_mode);
}

/* Resolve symbolic links; another name of standard output becomes a stream on it. */
static int find_output(struct pfx_record_plan *plan, struct pfx_error *err)
{
	bool is_stdout_stream = false;

	if (strcmp(plan->place.path, "-")) {
		plan->place.shares_stdout = is_our_stdout(plan->place.path, &is_stdout_stream);
		if (is_stdout_stream)
			plan->place.path = "-";
	}
	plan->place.is_stdout = strcmp(plan->place.path, "-") == 0;
	if (plan->place.is_stdout)
		return 0;
	if (pfx_writer_follow(plan->place.path, &plan->place.followed, err) < 0)
		return -err->code;
	plan->place.path = plan->place.followed;
	return 0;
}

int pfx_record_plan_output(struct pfx_record_plan *plan, struct pfx_error *err)
{
	struct stat st;
	int rc;

	plan->place.path = plan->options->out.path;
	if (!plan->place.path)
		plan->place.path = fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode)
					   ? "-"
					   : DEFAULT_OUTPUT;
	rc = find_output(plan, err);
	if (rc < 0)
		return rc;
	plan->place.is_pipe = plan->place.is_stdout || is_stream(plan->place.path);
	if (plan->place.is_pipe && (plan->options->out.threads || plan->options->out.kcore))
		return pfx_error_set(err, EINVAL,
				     "%s writes a directory, not a stream: name one with -o",
				     plan->options->out.threads ? "--threads" : "--kcore");
	if (plan->place.is_pipe && plan->options->out.timestamp_filename)
		return pfx_error_set(
			err, EINVAL,
			"a stream cannot be named after the time: name a file with -o");
	if (!plan->place.is_stdout || !isatty(STDOUT_FILENO))
		return 0;
	pfx_error_set(err, EINVAL, "refusing to write binary data to a terminal");
	pfx_error_hint(err, "send it through a pipe or into a file, or leave '-o -' out");
	return -EINVAL;
}

void pfx_record_plan_fini(struct pfx_record_plan *plan)
{
	pfx_target_fini(&plan->target);
	free(plan->place.followed);
}
