/* SPDX-License-Identifier: MIT */
/* Options of a capture whose values are words, as those of `pfx record` are. */
#include <errno.h>
#include <stdlib.h>

#include "api/capture_internal.h"
#include "base/error.h"
#include "base/str.h"
#include "record/output/places.h"
#include "record/plan/delay_words.h"
#include "sym/cache/debuginfod.h"

static int wrong(const char *name, const char *words, const char *hint, struct pfx_error *err)
{
	char shown[128];

	pfx_error_set(err, EINVAL, "'%s' is not a valid '%s'",
		      pfx_escape(shown, sizeof(shown), words), name);
	pfx_error_hint(err, "%s", hint);
	return -EINVAL;
}

static int take_places(struct pfx_recorder_output_options *out, const struct pfx_capture_options *o,
		       struct pfx_error *err)
{
	out->threads = o->threads;
	if (o->threads && !o->output)
		return pfx_error_set(err, EINVAL,
				     "'threads' makes a directory, which needs a name: 'output' is "
				     "NULL");
	if (o->threads && o->affinity)
		return pfx_error_set(err, EINVAL, "'threads' and 'affinity' exclude each other");
	if (o->affinity && !pfx_places_of_affinity(o->affinity, &out->affinity))
		return wrong("affinity", o->affinity, "give cpu, node or sys", err);
	return o->threads ? pfx_places_check(o->threads, err) : 0;
}

/* --- debug files --- */

static void begin(const char *what)
{
	(void)what;
}

/* The recorder ends with SIGTERM also while it waits for a server. */
static bool go_on(uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	return true;
}

static void end(const char *error, bool is_odd)
{
	(void)error;
	(void)is_odd;
}

static int take_servers(struct pfx_recorder_options *options, const struct pfx_capture_options *o,
			struct pfx_error *err)
{
	static const struct pfx_fetch_watch watch = {PFX_FETCH_BYTES, PFX_FETCH_SECONDS, begin,
						     go_on, end};

	if (!o->debuginfod)
		return 0;
	if (!pfx_debuginfod_is_built_in())
		return pfx_error_set(err, ENOTSUP, "this libpfx cannot ask debuginfod servers");
	if (options->no_copies || options->no_buildid) {
		pfx_error_set(err, EINVAL,
			      "'debuginfod' puts debug files beside copies of binaries, "
			      "of which there are none");
		pfx_error_hint(err, "set 'keep_binaries', and record build IDs into one file");
		return -EINVAL;
	}
	/* the library of the servers reads them there; in this process, nobody else does */
	if (setenv("DEBUGINFOD_URLS", o->debuginfod, 1) < 0)
		return pfx_error_sys(err, errno, "cannot set DEBUGINFOD_URLS");
	options->fetch = &watch;
	return 0;
}

int pfx_capture_take_words(struct pfx_recorder_options *options,
			   const struct pfx_capture_options *o, struct pfx_error *err)
{
	struct pfx_recorder_output_options *out = &options->out;
	int rc = take_places(out, o, err);

	if (!rc && o->delay && !pfx_delay_parse(o->delay, out))
		rc = wrong("delay", o->delay,
			   "give milliseconds, or ascending ranges like 100-200,500-600", err);
	if (!rc)
		out->delayed |= o->is_disabled;
	return rc ? rc : take_servers(options, o, err);
}
