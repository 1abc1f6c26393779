/* SPDX-License-Identifier: MIT */
/*
 * What the state of a screen asks for: the code of the recording, files. Ctrl-C while the recording
 * is read shows what was read so far.
 */
#include "cmd/app/screen/screen_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/app/commands.h"
#include "cmd/app/progress.h"
#include "cmd/app/screen/screen_files.h"
#include "cmd/app/screen/screen_loop.h"
#include "cmd/app/screen/screen_scripts.h"
#include "code/find_inlined.h"
#include "code/read_costs.h"
#include "file/reader/header_text.h"
#include "screen/curses/terminal.h"
#include "sys/host/bpf_programs.h"
#include "view/read_profile.h"

struct run {
	const struct pfx_screen_task *task;
	struct pfx_profile *profile;
	struct pfx_screen *screen;
	struct pfx_grid grid;
	struct pfx_progress progress;
	struct pfx_screen_files files;
	struct pfx_screen_scripts scripts;
	/* For code: the recording is read a second time. */
	struct pfx_recording *recording;
	struct pfx_costs *costs;
	struct pfx_sources *sources;
	bool is_partial; /* reading was interrupted */
};

/* --- whether there is a screen --- */

static int refuse(struct pfx_error *err, const char *why)
{
	return pfx_error_set(err, EINVAL, "--tui: %s", why);
}

int pfx_screen_wanted(const struct pfx_screen_wish *wish, struct pfx_error *err)
{
	const char *obstacle = pfx_terminal_obstacle(), *term = getenv("TERM");
	bool configured = true;
	char key[64];

	if (wish->input && !strcmp(wish->input, "-")) {
		if (wish->tui)
			return refuse(err, "the keys are read from standard input, which is the "
					   "recording here");
		return 0;
	}
	if (wish->tui && obstacle)
		return refuse(err, obstacle);
	if (wish->text)
		return wish->tui ? refuse(err, wish->text) : 0;
	if (wish->tui)
		return 1;
	snprintf(key, sizeof(key), "tui.%s", wish->command);
	pfx_config_get_bool(key, &configured);
	if (!configured || !pfx_terminal_is_built())
		return 0;
	if (obstacle && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !wish->quiet && term)
		pfx_print_note(wish->command, "%s: printing text", obstacle);
	return !obstacle;
}

const char *pfx_screen_cannot_show(const struct pfx_reader *reader)
{
	const struct pfx_file_info *info = pfx_reader_info(reader);
	struct stat st;

	return info->form == PFX_READER_PIPE && (stat(info->path, &st) < 0 || !S_ISREG(st.st_mode))
		       ? "the recording is a stream"
		       : NULL;
}

bool pfx_screen_can_read_again(const struct pfx_reader *reader)
{
	struct stat st;

	return !stat(pfx_reader_info(reader)->path, &st) &&
	       (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* --- reading --- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signo)
{
	interrupted = 1;
}

bool pfx_screen_interrupted(void)
{
	return interrupted;
}

/* Ctrl-C ends reading; once more, pfx. */
static void catch_interrupt(struct sigaction *ret_old)
{
	const struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND};

	interrupted = 0;
	sigaction(SIGINT, &action, ret_old);
}

static void end_interrupt(struct run *run, const struct sigaction *old)
{
	sigaction(SIGINT, old, NULL);
	run->is_partial |= interrupted;
}

static int read_sheet(struct run *run, struct pfx_error *err)
{
	const struct pfx_screen_task *task = run->task;
	struct sigaction old;
	int rc;

	if (!task->read_sheet)
		return 0;
	catch_interrupt(&old);
	rc = task->read_sheet(task->sheet_context, err);
	end_interrupt(run, &old);
	return rc;
}

static int on_item(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	struct run *run = context;

	pfx_progress_step(&run->progress, &item->rec);
	return interrupted;
}

static int read_profile(struct run *run, struct pfx_error *err)
{
	const struct pfx_screen_task *task = run->task;
	struct sigaction old;
	const struct pfx_profile_reading reading = {
		.recording = task->recording,
		.filter = task->filter,
		.times = task->times,
		.event_switch = task->event_switch,
		.counts = task->counts,
		.frames_by = task->frames_by,
		.keep_times = true,
		.step = on_item,
		.step_context = run,
	};
	int rc;

	catch_interrupt(&old);
	pfx_progress_begin(&run->progress, task->command, task->quiet,
			   pfx_recording_reader(task->recording));
	rc = pfx_profile_read(&reading, &run->profile, err);
	pfx_progress_end(&run->progress);
	end_interrupt(run, &old);
	return rc;
}

static const char *path_of(const struct run *run)
{
	return pfx_reader_info(pfx_recording_reader(run->task->recording))->path;
}

static void say_now(struct run *run, const char *text)
{
	pfx_screen_say(run->screen, text);
	pfx_screen_draw(run->screen, &run->grid);
	pfx_terminal_draw(&run->grid);
}

/* The same samples with frames of another kind. */
static int read_frames(void *context, enum pfx_profile_frames by, struct pfx_error *err)
{
	struct run *run = context;
	const struct pfx_screen_task *task = run->task;
	struct pfx_profile_reading reading = {
		.filter = task->filter,
		.times = task->times,
		.frames_by = by,
		.keep_times = true,
	};
	struct pfx_profile *profile;
	int rc;

	if (task->event_switch && (task->event_switch->on || task->event_switch->off))
		return pfx_error_set(err, ENOTSUP,
				     "not with --switch-on and --switch-off: use -s srcline");
	say_now(run, "reading the recording again ...");
	rc = pfx_recording_open(&reading.recording, path_of(run), task->how, err);
	if (rc < 0)
		return rc;
	pfx_recording_resolve(reading.recording, task->resolving);
	rc = pfx_profile_read(&reading, &profile, err);
	pfx_recording_free(reading.recording);
	if (rc < 0)
		return rc;
	pfx_screen_show(run->screen, profile);
	pfx_profile_free(run->profile);
	run->profile = profile;
	pfx_screen_say(run->screen, "");
	return 0;
}

/* --- code --- */

static void free_code(struct run *run)
{
	pfx_costs_free(run->costs);
	pfx_recording_free(run->recording);
	run->costs = NULL;
	run->recording = NULL;
}

static int read_code(void *context, struct pfx_screen_code *ret, struct pfx_error *err)
{
	struct run *run = context;
	const struct pfx_screen_task *task = run->task;
	struct pfx_resolve_options resolving = *task->resolving;
	int rc;

	say_now(run, "reading what the instructions cost ...");
	free_code(run);
	rc = pfx_recording_open(&run->recording, path_of(run), task->how, err);
	if (rc < 0)
		return rc;
	resolving.inlines = true;
	resolving.read_bpf = pfx_bpf_programs_read;
	pfx_recording_resolve(run->recording, &resolving);
	run->costs = pfx_costs_new(pfx_recording_resolver(run->recording));
	rc = pfx_costs_read(
		run->costs,
		&(struct pfx_costs_reading){.recording = run->recording, .filter = task->filter},
		err);
	if (rc < 0)
		return rc;
	*ret = (struct pfx_screen_code){
		.resolver = pfx_recording_resolver(run->recording),
		.costs = run->costs,
		.options = task->code,
	};
	if (!ret->options.sources)
		ret->options.sources = run->sources;
	pfx_sources_archived(ret->options.sources, pfx_recording_sources(run->recording));
	pfx_sources_fetch(ret->options.sources, pfx_resolver_fetch(ret->resolver));
	ret->nr_functions = pfx_costs_functions(
		run->costs, pfx_recording_meta(run->recording)->nr_events, &ret->functions);
	pfx_screen_say(run->screen, "");
	return 0;
}

/* --- what the screen asks for --- */

static int background(enum pfx_background *ret, struct pfx_error *err)
{
	const char *value = pfx_config_get("tui.background");
	char shown[64];

	*ret = PFX_BACKGROUND_UNKNOWN;
	if (!value || !strcmp(value, "auto"))
		*ret = pfx_background_of_colours(getenv("COLORFGBG"));
	else if (!strcmp(value, "dark"))
		*ret = PFX_BACKGROUND_DARK;
	else if (!strcmp(value, "light"))
		*ret = PFX_BACKGROUND_LIGHT;
	else
		return pfx_config_check("tui.background",
					pfx_error_set(err, EINVAL,
						      "'%s' is neither auto, dark nor light",
						      pfx_escape(shown, sizeof(shown), value)),
					err);
	return 0;
}

int pfx_screen_open(bool no_colours, struct pfx_error *err)
{
	struct pfx_terminal_options terminal = {.no_colours = no_colours};
	int rc = background(&terminal.background, err);

	return rc ? rc : pfx_terminal_open(&terminal, err);
}

static void use_mouse(void *context, bool on)
{
	pfx_terminal_mouse(on);
}

static void make_sheet(void *context, const struct pfx_screen_sheet_wish *wish,
		       struct pfx_screen_sheet *ret)
{
	const struct pfx_screen_task *task = ((struct run *)context)->task;

	task->sheet(task->sheet_context, wish, ret);
}

static const char *nth_recording(void *context, uint32_t n)
{
	return pfx_screen_files_recording(&((struct run *)context)->files, n);
}

static int save(void *context, const struct pfx_str *text, struct pfx_str *ret_name,
		struct pfx_error *err)
{
	return pfx_screen_files_save(&((struct run *)context)->files, text, ret_name, err);
}

static int save_code(void *context, const char *function, const struct pfx_str *text,
		     struct pfx_str *ret_name, struct pfx_error *err)
{
	return pfx_screen_files_save_code(&((struct run *)context)->files, function, text, ret_name,
					  err);
}

static const char *nth_script(void *context, uint32_t n)
{
	return pfx_screen_scripts_line(&((struct run *)context)->scripts, n);
}

static int run_script(void *context, uint32_t n, struct pfx_error *err)
{
	struct run *run = context;

	pfx_terminal_leave();
	return pfx_screen_scripts_run(&run->scripts, n, path_of(run), err);
}

static int export_format(void *context, const struct pfx_selection *selection, const char *format,
			 struct pfx_str *ret_name, struct pfx_error *err)
{
	return pfx_screen_files_export(&((struct run *)context)->files, selection, format, ret_name,
				       err);
}

/* The function with the most samples that the one asked for is inlined in; the caller frees its
 * name. NULL: none. Nothing was read for code yet, and the screen will have it read again. */
static char *outer_function(struct run *run, const char *symbol)
{
	struct pfx_screen_code code;
	struct pfx_error err = {0};
	struct pfx_inlined_at at;

	if (run->costs || read_code(run, &code, &err) ||
	    !pfx_costs_find_inlined(run->costs, code.resolver, run->task->filter, symbol, &at))
		return NULL;
	return pfx_strdup(at.outer->symbol->name);
}

static void go_to_symbol(struct run *run, const char *symbol)
{
	char shown[128], in[128], text[512], *outer;

	if (pfx_screen_go(run->screen, symbol, true))
		return;
	outer = outer_function(run, symbol);
	pfx_escape(shown, sizeof(shown), symbol);
	if (outer && pfx_screen_go(run->screen, outer, true))
		snprintf(text, sizeof(text), "'%s' is inlined in '%s'", shown,
			 pfx_escape(in, sizeof(in), outer));
	else
		snprintf(text, sizeof(text), "'%s' has no samples, or no code to show", shown);
	pfx_screen_say(run->screen, text);
	free(outer);
}

/* The first picture is of the code, if it was asked for. */
static void go_to_code(struct run *run)
{
	const struct pfx_screen_task *task = run->task;

	if (!task->symbol && !task->hottest)
		return;
	pfx_screen_loop_draw(run->screen, &run->grid);
	if (task->symbol)
		go_to_symbol(run, task->symbol);
	else
		pfx_screen_go(run->screen, NULL, true);
}

static enum pfx_screen_answer show(struct run *run, const struct pfx_screen_options *options,
				   char **ret_opened)
{
	enum pfx_screen_answer answer;

	run->screen = pfx_screen_new(options);
	pfx_screen_show(run->screen, run->profile);
	if (run->is_partial)
		pfx_screen_say(run->screen, "reading was interrupted: this is what was read");
	go_to_code(run);
	answer = pfx_screen_loop(run->screen, &run->grid);
	if (answer == PFX_SCREEN_OPEN)
		*ret_opened = pfx_strdup(pfx_screen_opened(run->screen));
	pfx_screen_free(run->screen);
	return answer;
}

static int run_screen(struct run *run, const char *header, char **ret_opened, struct pfx_error *err)
{
	const struct pfx_screen_task *task = run->task;
	struct pfx_screen_options options = task->options;
	int rc = pfx_screen_open(task->no_colours, err);

	if (rc < 0)
		return rc;
	options.title = path_of(run);
	options.header = header;
	options.meta = pfx_recording_meta(task->recording);
	options.ascii = !pfx_terminal_has_utf8();
	options.host = (struct pfx_screen_host){
		.context = run,
		.code = read_code,
		.export = export_format,
		.save = save,
		.recording = nth_recording,
		.mouse = use_mouse,
		.save_code = save_code,
		.script = nth_script,
		.frames = read_frames,
		.run_script = run_script,
		.sheet = task->sheet ? make_sheet : NULL,
	};
	show(run, &options, ret_opened);
	pfx_terminal_close();
	return 0;
}

int pfx_screen_run(const struct pfx_screen_task *task, char **ret_opened, struct pfx_error *err)
{
	struct run run = {.task = task, .sources = pfx_sources_new()};
	struct pfx_str header = {0};
	int rc;

	*ret_opened = NULL;
	run.files =
		(struct pfx_screen_files){.command = task->command, .recording = task->recording};
	rc = read_sheet(&run, err);
	if (!rc)
		rc = read_profile(&run, err);
	if (!rc) {
		pfx_header_text(pfx_recording_reader(task->recording), true, &header);
		rc = run_screen(&run, pfx_str_get(&header), ret_opened, err);
	}
	free_code(&run);
	pfx_grid_fini(&run.grid);
	pfx_screen_files_fini(&run.files);
	pfx_screen_scripts_fini(&run.scripts);
	pfx_sources_free(run.sources);
	pfx_profile_free(run.profile);
	pfx_str_fini(&header);
	return rc;
}
