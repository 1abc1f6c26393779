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
#include "cmd/app/screen/screen_loop.h"
#include "cmd/app/screen/screen_scripts.h"
#include "file/reader/header_text.h"
#include "screen/curses/terminal.h"

struct run {
	struct pfx_browse browse; /* first: the context of the screen's host */
	const struct pfx_screen_task *task;
	struct pfx_screen *screen;
	struct pfx_grid grid;
	struct pfx_progress progress;
	struct pfx_screen_scripts scripts;
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
	struct stat st;

	return stat(pfx_reader_info(reader)->path, &st) < 0 ||
			       (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		       ? "the recording can be read only once"
		       : NULL;
}

/* --- reading --- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signo)
{
	interrupted = 1;
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

static int on_item(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	struct run *run = context;

	pfx_progress_step(&run->progress, &item->rec);
	return interrupted;
}

static void draw(void *context)
{
	struct run *run = context;

	pfx_screen_draw(run->screen, &run->grid);
	pfx_terminal_draw(&run->grid);
}

static int read_profile(struct run *run, struct pfx_browse_task *browse, struct pfx_error *err)
{
	const struct pfx_screen_task *task = run->task;
	struct sigaction old;
	int rc;

	*browse = task->browse;
	browse->step = on_item;
	browse->draw = draw;
	browse->context = run;
	catch_interrupt(&old);
	pfx_progress_begin(&run->progress, task->command, task->quiet,
			   pfx_recording_reader(browse->recording));
	rc = pfx_browse_read(&run->browse, browse, err);
	pfx_progress_end(&run->progress);
	end_interrupt(run, &old);
	return rc;
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

static const char *nth_script(void *context, uint32_t n)
{
	return pfx_screen_scripts_line(&((struct run *)context)->scripts, n);
}

static int run_script(void *context, uint32_t n, struct pfx_error *err)
{
	struct run *run = context;

	pfx_terminal_leave();
	return pfx_screen_scripts_run(&run->scripts, n, pfx_browse_path(&run->browse), err);
}

/* The first picture is of the code, if it was asked for. */
static void go_to_code(struct run *run)
{
	const struct pfx_screen_task *task = run->task;

	if (!task->symbol && !task->hottest)
		return;
	pfx_screen_loop_draw(run->screen, &run->grid);
	pfx_browse_go(&run->browse, task->symbol);
}

static enum pfx_screen_answer show(struct run *run, const struct pfx_screen_options *options,
				   char **ret_opened)
{
	enum pfx_screen_answer answer;

	run->screen = pfx_screen_new(options);
	pfx_browse_show(&run->browse, run->screen);
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
	options.title = pfx_browse_path(&run->browse);
	options.header = header;
	options.meta = pfx_recording_meta(task->browse.recording);
	options.ascii = !pfx_terminal_has_utf8();
	options.host = (struct pfx_screen_host){
		.mouse = use_mouse,
		.script = nth_script,
		.run_script = run_script,
	};
	pfx_browse_host(&run->browse, &options.host);
	show(run, &options, ret_opened);
	pfx_terminal_close();
	return 0;
}

int pfx_screen_run(const struct pfx_screen_task *task, char **ret_opened, struct pfx_error *err)
{
	struct run run = {.task = task};
	struct pfx_browse_task browse;
	struct pfx_str header = {0};
	int rc;

	*ret_opened = NULL;
	rc = read_profile(&run, &browse, err);
	if (!rc) {
		pfx_header_text(pfx_recording_reader(browse.recording), true, &header);
		rc = run_screen(&run, pfx_str_get(&header), ret_opened, err);
	}
	pfx_browse_fini(&run.browse);
	pfx_grid_fini(&run.grid);
	pfx_screen_scripts_fini(&run.scripts);
	pfx_str_fini(&header);
	return rc;
}
