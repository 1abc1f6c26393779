/* SPDX-License-Identifier: MIT */
/* The messages about the recorder's state. */
#include <errno.h>
#include <string.h>

#include "cli/personality.h"
#include "cmd/app/commands.h"
#include "cmd/app/control_words.h"
#include "cmd/record/record_internal.h"
#include "event/meta.h"
#include "event/names.h"
#include "sym/cache/keep.h"
#include "sys/counter/counter.h"

#define NAME "record"
#define MIB  (1024.0 * 1024.0)

/* --- the list of events --- */

static void add_group(const struct pfx_meta *meta, uint32_t leader, struct pfx_str *to)
{
	bool is_group = meta->events[leader]->nr_members > 1;
	uint32_t i;

	if (is_group)
		pfx_str_addc(to, '{');
	for (i = leader; i < meta->nr_events; i++) {
		const char *name = meta->events[i]->name;

		if (meta->events[i]->leader != leader)
			continue;
		if (i != leader)
			pfx_str_addc(to, ',');
		pfx_str_add_foreign(to, name);
	}
	pfx_str_add(to, is_group ? "}\n" : "\n");
}

static void add_event(const struct pfx_event *event, char how, struct pfx_str *to)
{
	pfx_str_add_foreign(to, event->name);
	if (how == 'v') {
		pfx_str_add(to, ": ");
		pfx_attr_text(&event->attr, to);
	} else if (how == 'F') {
		pfx_str_addf(to, ": sample_%s=%llu",
			     event->attr.flags & PFX_ATTR_FREQ ? "freq" : "period",
			     (unsigned long long)event->attr.sample_period);
	}
	pfx_str_addc(to, '\n');
}

/* The events as evlist shows those of a file: names, or more with -v, -g or -F. */
static void list_events(const struct pfx_meta *meta, const char *how)
{
	struct pfx_str text = {0};
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		if (strcmp(how, "-g") == 0) {
			if (meta->events[i]->leader == i)
				add_group(meta, i, &text);
		} else {
			add_event(meta->events[i], *how ? how[1] : 0, &text);
		}
	}
	pfx_print_line("%s", pfx_str_get(&text));
	pfx_str_fini(&text);
}

/* --- copies of binaries --- */

/* Reports only the first failure, except with -v. A binary that was deleted meanwhile is not an
 * error. */
static void say_copy_failed(struct pfx_record_view *view, const struct pfx_error *err)
{
	const struct pfx_record_options *o = view->options;
	bool is_first = err->code != ENOENT && !view->said_no_copies && !o->quiet;

	if (is_first)
		pfx_print_note(NAME,
			       "%s; name another directory with --buildid-dir, or keep none "
			       "with -N",
			       err->text);
	else if (o->verbose)
		pfx_print_note(NAME, "%s", err->text);
	view->said_no_copies |= is_first;
}

static void say_no_copies(struct pfx_record_view *view)
{
	if (view->options->quiet || view->said_no_copies)
		return;
	pfx_print_note(NAME, "no copies of the binaries are kept: HOME is not an absolute "
			     "path; name a directory with --buildid-dir, or keep none with -N");
	view->said_no_copies = true;
}

/* --- all messages --- */

/* Only with -v. */
static bool print_details(const struct pfx_recorder_news *news, bool is_verbose)
{
	switch (news->tag) {
	case PFX_RECORDER_MEMORY:
		if (is_verbose)
			pfx_print_note(NAME, "up to %llu MiB may wait for the output",
				       (unsigned long long)news->number >> 20);
		return true;
	case PFX_RECORDER_JIT_FAILED:
		if (is_verbose)
			pfx_print_note(NAME, "%s", news->err->text);
		return true;
	default:
		return false;
	}
}

/* Also with -q. */
static bool print_always(struct pfx_record_view *view, const struct pfx_recorder_news *news)
{
	char shown[256];

	switch (news->tag) {
	case PFX_RECORDER_FAILED:
		pfx_print_error(NAME, news->err);
		return true;
	case PFX_RECORDER_NO_PRIORITY:
		pfx_print_note(NAME, "no real-time priority: %s", strerror(news->code));
		return true;
	case PFX_RECORDER_EVENT_UNKNOWN:
		pfx_print_note(NAME, "--control: there is no event '%s'",
			       pfx_escape(shown, 128, news->name));
		return true;
	case PFX_RECORDER_EVENTS_WANTED:
		list_events(news->meta, news->name);
		return true;
	case PFX_RECORDER_CONTROL_UNKNOWN:
		pfx_control_say(NAME, PFX_CONTROL_UNKNOWN, news->name);
		return true;
	case PFX_RECORDER_CONTROL_UNANSWERED:
		pfx_control_say(NAME, PFX_CONTROL_UNANSWERED, news->name);
		return true;
	case PFX_RECORDER_REST_DROPPED:
		pfx_print_note(NAME, "the reader of the stream takes nothing: the rest is dropped");
		return true;
	case PFX_RECORDER_RUNS_ON:
		pfx_print_note(
			NAME,
			"'%s' runs on and is not recorded: the kernel ends the events of an "
			"ordinary user at a set-user-ID or unreadable program; root can record it",
			pfx_escape(shown, 128, news->name));
		return true;
	case PFX_RECORDER_FILE_STAYS:
		pfx_print_note(NAME, "cannot remove '%s': %s",
			       pfx_escape(shown, sizeof(shown), news->name), strerror(news->code));
		return true;
	case PFX_RECORDER_COPY_FAILED:
		say_copy_failed(view, news->err);
		return true;
	case PFX_RECORDER_NO_COPIES:
		say_no_copies(view);
		return true;
	default:
		return false;
	}
}

static void print_after(const struct pfx_recorder_news *news)
{
	unsigned long long number = news->number;
	char shown[256];

	switch (news->tag) {
	case PFX_RECORDER_SWITCHED:
		pfx_print_line("%s", news->on ? "Events enabled" : "Events disabled");
		break;
	case PFX_RECORDER_EVENT_SWITCHED:
		pfx_print_line("Event %s %s", pfx_escape(shown, 128, news->name),
			       news->on ? "enabled" : "disabled");
		break;
	case PFX_RECORDER_FILE_ENDED:
		pfx_print_line("[ pfx record: dump data: Woken up %llu times ]", number);
		break;
	case PFX_RECORDER_SIZE_REACHED:
		pfx_print_line("[ pfx record: %s size limit reached (%llu KB), stopping session ]",
			       pfx_program_name(), number >> 10);
		break;
	case PFX_RECORDER_READER_GONE:
		pfx_print_note(NAME, "the reader of the pipe has gone: recording ends");
		break;
	case PFX_RECORDER_READER_SLOW:
		pfx_print_note(NAME, "waiting for the reader of the stream; a signal drops what it "
				     "did not take");
		break;
	case PFX_RECORDER_COPY_REPLACED:
		pfx_print_note(NAME, PFX_KEEP_REPLACED,
			       pfx_escape(shown, sizeof(shown), news->name));
		break;
	case PFX_RECORDER_AMBIGUOUS:
		pfx_print_note(NAME,
			       "%llu binaries were several files under one name, in containers or "
			       "one after another: names may be missing (--buildid-mmap keeps them "
			       "apart)",
			       number);
		break;
	case PFX_RECORDER_FILE_NAMED:
		pfx_print_line("[ pfx record: Dump %s ]", news->name);
		break;
	case PFX_RECORDER_STOPPED:
		pfx_print_line("[ pfx record: Woken up %llu times to write data ]", number);
		break;
	default:
		break;
	}
}

void pfx_record_print(void *context, const struct pfx_recorder_news *news)
{
	struct pfx_record_view *view = context;
	const struct pfx_record_options *o = view->options;

	if (print_details(news, o->verbose > 0) || print_always(view, news) || o->quiet)
		return;
	if (news->tag <= PFX_RECORDER_WAITS)
		pfx_record_print_before(NAME, o, news);
	else
		print_after(news);
}

/* --- after the end --- */

#define LONE_LEAST 100 /* call chains; a smaller recording may consist mostly of program start */
#define LONE_PART  10  /* a line is printed if at least 1 in this many chains has no caller */

/* "Captured and wrote", as perf prints it: size of the last file, samples of all files. */
static void say_captured(const struct pfx_record_options *o,
			 const struct pfx_recorder_result *result)
{
	struct pfx_str packed = {0}, samples = {0};
	double ratio = 0;

	if (result->packed)
		ratio = (double)result->original / (double)result->packed;
	if (result->is_packed)
		pfx_str_addf(&packed, ", compressed (original %.3f MB, ratio is %.3f)",
			     (double)result->original / MIB, ratio);
	if (result->nr_samples || !pfx_has_habit(PFX_HABIT_NO_ZERO))
		pfx_str_addf(&samples, " (%llu samples)", (unsigned long long)result->nr_samples);
	pfx_print_line("[ pfx record: Captured and wrote %.3f MB %s%s%s%s ]",
		       (double)result->bytes / MIB, result->path,
		       o->rec.out.timestamp_filename ? ".<timestamp>" : "", pfx_str_get(&samples),
		       pfx_str_get(&packed));
	pfx_str_fini(&samples);
	pfx_str_fini(&packed);
}

static void say_losses(const struct pfx_recorder_result *result, bool is_verbose)
{
	if (result->nr_lost)
		pfx_print_line("[ pfx record: Lost %llu samples (%.3f%%); larger rings (-m) or a "
			       "lower rate (-F) help ]",
			       (unsigned long long)result->nr_lost,
			       100.0 * (double)result->nr_lost /
				       (double)(result->nr_lost + result->nr_samples));
	if (result->nr_throttled && is_verbose)
		pfx_print_note(NAME, "the kernel throttled the events %llu times",
			       (unsigned long long)result->nr_throttled);
	if (is_verbose)
		pfx_print_note(NAME,
			       "up to %.1f MiB waited for the output, and all memory for it was "
			       "full %llu times",
			       (double)result->high / MIB, (unsigned long long)result->nr_full);
	if (result->nr_bad)
		pfx_print_note(NAME, "skipped %llu damaged places in the ring buffers",
			       (unsigned long long)result->nr_bad);
}

/* With frame pointers, almost every function has a caller; a chain without one means that the
 * kernel followed a register that is not a frame pointer. Finding the binaries requires symbols and
 * unwind information; pfx report does that. */
static void say_lone_chains(const struct pfx_recorder_result *result)
{
	if (result->nr_user_chains < LONE_LEAST ||
	    result->nr_lone_chains * LONE_PART < result->nr_user_chains)
		return;
	pfx_print_note(NAME,
		       "at least %llu of %llu call chains by frame pointers do not reach the start "
		       "of their thread: these have no caller at all",
		       (unsigned long long)result->nr_lone_chains,
		       (unsigned long long)result->nr_user_chains);
	pfx_print_line(
		"--call-graph dwarf finds all callers; 'pfx report' counts the others and names "
		"the binaries");
}

void pfx_record_summary(const struct pfx_record_options *o,
			const struct pfx_recorder_result *result)
{
	if (!result->has_file || o->quiet)
		return;
	if (!result->is_gone)
		say_captured(o, result);
	say_losses(result, o->verbose > 0);
	say_lone_chains(result);
}
