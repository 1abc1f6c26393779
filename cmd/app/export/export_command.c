/* SPDX-License-Identifier: MIT */
#include "cmd/app/export/export_command.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/app/commands.h"
#include "cmd/app/output_open.h"
#include "cmd/app/progress.h"
#include "cmd/app/recording_notes.h"

static int on_item(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	struct pfx_progress *progress = context;

	(void)err;
	pfx_progress_step(progress, &item->rec);
	return 0;
}

static void ask_for_frames(const char *command, const struct pfx_export_options *o,
			   const struct pfx_export *format, struct pfx_recording *recording)
{
	struct pfx_resolve_options resolving = pfx_export_resolving();

	resolving.sym = o->symbols.sym;
	resolving.unwind = o->unwind;
	resolving.max_stack = o->max_stack > UINT32_MAX ? 0 : (uint32_t)o->max_stack;
	resolving.inlines = o->inlines;
	resolving.sym.buildid_dir = pfx_globals.buildid_dir;
	resolving.sym.fetch = pfx_fetch_watch(command, o->quiet, o->verbose > 0);
	resolving.sym.force = o->force;
	resolving.sym.no_modules = !o->modules;
	resolving.sym.demangle_full = o->verbose > 0;
	resolving.sym.no_demangle |= (format->needs & PFX_EXPORT_LINKAGE) != 0;
	pfx_recording_resolve(recording, &resolving);
}

/* --- notes --- */

/* Options without an effect on this format. */
static void note_options(const char *command, const struct pfx_export_options *o,
			 const struct pfx_export *format)
{
	unsigned needs = format->needs;

	if (o->measure_given && !(needs & PFX_EXPORT_ONE_MEASURE))
		pfx_print_note(command, "--weight has no effect: %s has samples%s", format->name,
			       needs & PFX_EXPORT_BARE ? "" : " and periods");
	if (o->width && !(needs & PFX_EXPORT_PICTURE))
		pfx_print_note(command, "--width has no effect: %s is not a picture", format->name);
	if (o->title && !(needs & (PFX_EXPORT_PICTURE | PFX_EXPORT_CODE)))
		pfx_print_note(command, "--title has no effect: %s has no title", format->name);
	if (o->sources && !(needs & PFX_EXPORT_CODE))
		pfx_print_note(command, "--sources has no effect: %s has no code", format->name);
}

static void note_events(const char *command, const struct pfx_export *format)
{
	if (format->needs & PFX_EXPORT_ONE_MEASURE)
		pfx_print_note(
			command,
			"the output has several events, each by itself; --event chooses one");
	if (format->needs & PFX_EXPORT_BARE)
		pfx_print_note(command, "the output does not say which event a sample is of; "
					"--event chooses one");
}

static void say_empty(const char *command, const struct pfx_export_options *o,
		      const struct pfx_recording *recording)
{
	bool has_some = pfx_recording_stats(recording)->nr_samples > 0;

	if (!o->is_unnamed)
		pfx_recording_note_empty(command, pfx_recording_reader(recording), has_some);
	else if (has_some)
		pfx_print_note(command, "no sample matches the options: nothing is written");
	else
		pfx_print_note(command, "no samples, so nothing is written: what was recorded "
					"hardly ran in this time");
}

static void say_notes(const char *command, const struct pfx_export_options *o,
		      const struct pfx_export *format, struct pfx_recording *recording,
		      const struct pfx_export_result *result)
{
	const struct pfx_resolver *resolver = pfx_recording_resolver(recording);
	struct pfx_session *session = pfx_recording_session(recording);

	if (!result->nr_samples) {
		say_empty(command, o, recording);
		return;
	}
	if (result->lacks_chains)
		pfx_print_note(command,
			       "the samples have no call chains (record -g): the output has "
			       "the sampled functions only");
	if (result->nr_left_out)
		pfx_print_note(command, "%" PRIu64 " of %" PRIu64 " samples are %s",
			       result->nr_left_out, result->nr_samples, result->left_out_why);
	if (result->has_several)
		note_events(command, format);
	note_options(command, o, format);
	pfx_recording_note_unwinding(command, resolver);
	pfx_recording_note_pointers(command, session, resolver);
	pfx_recording_note_jit(command, resolver);
	pfx_recording_note_lines(command, session, resolver);
	if (o->verbose)
		pfx_recording_note_symbols(command, session, resolver);
}

/* --- a run --- */

static int open_resolved(const char *command, const struct pfx_export_options *o,
			 const struct pfx_export *format, const char *path,
			 struct pfx_recording **ret, struct pfx_error *err)
{
	const struct pfx_recording_options how = {
		.reader = {.force = o->force, .strict = o->strict},
		.guest_code = o->symbols.guest_code,
	};
	int rc = pfx_recording_open(ret, path, &how, err);

	if (!rc)
		ask_for_frames(command, o, format, *ret);
	return rc;
}

static int run_opened(const char *command, const struct pfx_export_options *o,
		      struct pfx_export_request *request, struct pfx_recording *recording,
		      struct pfx_export_result *ret, struct pfx_error *err)
{
	struct pfx_progress progress = {0};
	int rc;

	request->step_context = &progress;
	pfx_progress_begin(&progress, command, o->quiet, pfx_recording_reader(recording));
	rc = pfx_export_run(request, recording, ret, err);
	pfx_progress_end(&progress);
	return rc;
}

static struct pfx_export_request make_request(const char *command,
					      const struct pfx_export_options *o,
					      const struct pfx_export *format)
{
	struct pfx_export_request request = {
		.format = format,
		.output = o->output,
		.title = o->title,
		.old_path = o->old,
		.time = o->time,
		.events = o->events.at,
		.nr_events = o->events.nr,
		.filter = &o->filter,
		.event_switch = &o->event_switch,
		.measure = o->measure,
		.measure_given = o->measure_given,
		.skip_empty = o->skip_empty,
		.redact = o->redact,
		.sources = o->sources,
		.hide_unresolved = o->hide_unresolved,
		.guest = o->guest,
		.no_chains = o->no_chains,
		.width = (uint32_t)o->width,
		.fetch = pfx_fetch_watch(command, o->quiet, o->verbose > 0),
		.wait = pfx_output_wait(command),
		.step = on_item,
	};

	memcpy(request.patterns, o->patterns, sizeof(request.patterns));
	return request;
}

int pfx_export_command(const char *command, const struct pfx_export_options *o,
		       const struct pfx_export *format, uint64_t *ret_nr)
{
	struct pfx_export_request request = make_request(command, o, format);
	struct pfx_sym_options binaries = o->symbols.sym;
	struct pfx_recording *recording = NULL;
	struct pfx_export_result result = {0};
	struct pfx_error err = {0};
	int code, rc = pfx_symbol_options_check(&o->symbols, &err);

	binaries.buildid_dir = pfx_globals.buildid_dir;
	request.binaries = &binaries;
	if (!rc)
		rc = open_resolved(command, o, format, o->input, &recording, &err);
	if (!rc && o->old)
		rc = open_resolved(command, o, format, o->old, &request.old, &err);
	if (!rc)
		rc = run_opened(command, o, &request, recording, &result, &err);
	code = pfx_recording_exit_code(command, rc, &err);
	if (recording && !o->quiet)
		pfx_recording_note(command, recording);
	if (!rc && !o->quiet)
		say_notes(command, o, format, recording, &result);
	if (ret_nr)
		*ret_nr = result.nr_samples;
	pfx_recording_free(request.old);
	pfx_recording_free(recording);
	return code;
}

int pfx_export_check_old(const struct pfx_export_options *o, struct pfx_error *err)
{
	const struct pfx_recording_options how = {
		.reader = {.force = o->force, .strict = o->strict},
	};
	struct pfx_recording *recording = NULL;
	int rc;

	if (!o->old || !strcmp(o->old, "-"))
		return 0;
	rc = pfx_recording_open(&recording, o->old, &how, err);
	if (!rc)
		rc = pfx_export_check_recording(recording, err);
	pfx_recording_free(recording);
	return rc;
}

void pfx_export_say_done(const char *command, const char *output, uint64_t nr)
{
	struct stat st;
	char shown[256];

	if (!strcmp(output, "-") || stat(output, &st) || !S_ISREG(st.st_mode))
		return;
	pfx_print_line("[ pfx %s: wrote '%s' (%.1f MB, %" PRIu64 " samples) ]", command,
		       pfx_escape(shown, sizeof(shown), output), (double)st.st_size / (1 << 20),
		       nr);
}
