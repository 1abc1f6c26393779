/* SPDX-License-Identifier: MIT */
/*
 * The terminal, by ncurses: cells become characters with attributes and colours of whatever the
 * terminal has, from none to 16 million; keys and the mouse become codes. It knows nothing of what
 * is shown. Input comes from the terminal alone.
 */
#include "screen/curses/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "screen/cells/reply.h"

#define NCURSES_WIDECHAR 1
#include <ncursesw/curses.h>
#include <ncursesw/term.h>
/* Capabilities, in term.h. */
#undef tone
#undef buttons

/* Pairs 1 to PFX_NR_STYLES are styles, those after them tones. */
#define TONE_PAIR(tone) (PFX_NR_STYLES + (tone))
#define CHOSEN_PAIR     TONE_PAIR(PFX_NR_TONES) /* a block with the cursor */
#define RESTORE_MAX     512
#define ANSWER_WAIT     100 /* ms that are waited for the background, before the first picture */

static struct {
	SCREEN *screen;
	bool colours, utf8, many; /* many: at least 256 colours */
	struct termios before;
	sigset_t outside; /* the signal mask before, which is used while waiting for keys */
	char restore[RESTORE_MAX]; /* written when a signal ends the process */
	size_t restore_len;
	enum pfx_background background;
	struct pfx_reply reply; /* to the question for it */
	/* What was read but not taken yet, from next on. */
	PFX_VEC(struct pfx_press) typed;
	size_t next;
} terminal;

bool pfx_terminal_is_built(void)
{
	return true;
}

/* Leaves the terminal that ncurses uses as it is. @type: NULL is TERM. */
static bool knows_type(const char *type)
{
	TERMINAL *used = cur_term;
	int rc;

	if (setupterm(type, STDOUT_FILENO, &rc) != OK)
		return false;
	del_curterm(set_curterm(used));
	return true;
}

const char *pfx_terminal_obstacle(void)
{
	const char *term = getenv("TERM");

	if (!isatty(STDIN_FILENO))
		return "standard input is not a terminal";
	if (!isatty(STDOUT_FILENO))
		return "standard output is not a terminal";
	if (!term || !*term)
		return "TERM is not set";
	if (!strcmp(term, "dumb"))
		return "a terminal of type 'dumb' cannot move its cursor";
	if (!knows_type(NULL))
		return "the type of the terminal in TERM is unknown";
	return NULL;
}

/* --- signals --- */

static void on_end(int signo)
{
	/* Only what is safe in a handler; the result does not matter any more. */
	if (write(STDOUT_FILENO, terminal.restore, terminal.restore_len) < 0)
		terminal.restore_len = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
	signal(signo, SIG_DFL);
	raise(signo);
}

static void catch_signals(void)
{
	static const int list[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGSEGV,
				   SIGABRT, SIGBUS,  SIGFPE, SIGILL};
	struct sigaction action = {.sa_handler = on_end}, old;
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (!sigaction(list[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(list[i], &action, NULL);
}

/* What a terminal needs to be usable again: no mouse, a cursor, the former contents. */
static void prepare_restore(void)
{
	static const char *const names[] = {"sgr0", "rmkx", "cnorm", "rmcup"};
	int len = snprintf(terminal.restore, RESTORE_MAX, "\033[?1002l\033[?1000l\033[?1006l");
	const char *text;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		text = tigetstr((char *)names[i]);
		if (text && text != (char *)-1 && len + strlen(text) < RESTORE_MAX)
			len += snprintf(terminal.restore + len, RESTORE_MAX - (size_t)len, "%s",
					text);
	}
	terminal.restore_len = (size_t)len;
}

/* --- colours --- */

/* The colour of the usual 256 that is closest to 0xRRGGBB. */
static int colour_of_256(uint32_t rgb)
{
	static const int levels[] = {0, 95, 135, 175, 215, 255};
	int shift, k, best = 0, index = 0;

	for (shift = 16; shift >= 0; shift -= 8) {
		for (best = k = 0; k < 6; k++)
			if (abs(levels[k] - (int)(rgb >> shift & 255)) <
			    abs(levels[best] - (int)(rgb >> shift & 255)))
				best = k;
		index = 6 * index + best;
	}
	return 16 + index;
}

static int colour_of_8(unsigned tone)
{
	static const short of_group[] = {COLOR_YELLOW, COLOR_CYAN, COLOR_GREEN};
	unsigned shade = (tone - 1) % PFX_TONES_PER_GROUP;

	if (tone == PFX_TONE_FOUND)
		return COLOR_MAGENTA;
	if (tone >= PFX_TONE_MORE)
		return tone == PFX_TONE_SAME  ? COLOR_WHITE
		       : tone < PFX_TONE_LESS ? COLOR_RED
					      : COLOR_CYAN;
	if (tone < PFX_TONE_HEAT)
		return of_group[(tone - 1) / PFX_TONES_PER_GROUP];
	return shade < 3 ? COLOR_GREEN : shade < 6 ? COLOR_YELLOW : COLOR_RED;
}

static int colour_of(unsigned tone)
{
	uint32_t rgb = pfx_tone_rgb(tone);

	if (COLORS > 256)
		return (int)rgb;
	return terminal.many ? colour_of_256(rgb) : colour_of_8(tone);
}

static int shade(int few, int of_256, uint32_t rgb)
{
	return COLORS > 256 ? (int)rgb : terminal.many ? of_256 : few;
}

/* A colour on a dark or on a light background: of 8, of 256, of all. */
struct hue {
	int few, of_256;
	uint32_t rgb;
};

static void choose_styles(bool light)
{
	static const struct {
		enum pfx_style style;
		struct hue on[2]; /* dark, light */
	} hues[] = {
		{PFX_STYLE_HEADING, {{COLOR_CYAN, 80, 0x5fd7d7}, {COLOR_BLUE, 24, 0x005f87}}},
		{PFX_STYLE_HOT, {{COLOR_RED, 203, 0xff5f5f}, {COLOR_RED, 160, 0xd70000}}},
		{PFX_STYLE_WARM, {{COLOR_GREEN, 113, 0x87d75f}, {COLOR_GREEN, 28, 0x008700}}},
		{PFX_STYLE_DIM, {{-1, 244, 0x808080}, {-1, 242, 0x6c6c6c}}},
		{PFX_STYLE_KEY, {{COLOR_YELLOW, 221, 0xffd75f}, {COLOR_MAGENTA, 94, 0x875f00}}},
		{PFX_STYLE_NOTE, {{COLOR_YELLOW, 215, 0xffaf5f}, {COLOR_MAGENTA, 130, 0xaf5f00}}},
		{PFX_STYLE_SOURCE, {{COLOR_CYAN, 110, 0x87afd7}, {COLOR_BLUE, 25, 0x005faf}}},
	};
	const struct hue *hue;
	size_t i;

	for (i = 0; i < sizeof(hues) / sizeof(*hues); i++) {
		hue = &hues[i].on[light];
		init_extended_pair(hues[i].style + 1, shade(hue->few, hue->of_256, hue->rgb), -1);
	}
}

static void choose_colours(void)
{
	int black = shade(COLOR_BLACK, 16, 0), white = shade(COLOR_WHITE, 231, 0xffffff);
	bool light = terminal.background == PFX_BACKGROUND_LIGHT;
	unsigned tone;

	choose_styles(light);
	init_extended_pair(PFX_STYLE_TITLE + 1, white, shade(COLOR_BLUE, 24, 0x005f87));
	init_extended_pair(PFX_STYLE_MATCH + 1, black, shade(COLOR_YELLOW, 226, 0xffff00));
	for (tone = 1; tone < PFX_NR_TONES; tone++)
		init_extended_pair((int)TONE_PAIR(tone),
				   tone == PFX_TONE_HEAT + PFX_TONES_PER_GROUP - 1 ? white : black,
				   colour_of(tone));
	init_extended_pair((int)CHOSEN_PAIR, light ? white : black, light ? black : white);
}

static void start_colours(void)
{
	if (start_color() == ERR || COLORS < 8)
		return;
	use_default_colors();
	terminal.colours = true;
	terminal.many = COLORS >= 256;
	choose_colours();
}

/* Inverse colours of a block look like a gap; cells of a heat strip still show their heat. */
static bool is_block(const struct pfx_pen *pen)
{
	return pen->tone && (pen->tone < PFX_TONE_HEAT || pen->tone >= PFX_TONE_MORE);
}

static attr_t attributes_of(const struct pfx_pen *pen, int *ret_pair)
{
	static const attr_t plain[PFX_NR_STYLES] = {
		[PFX_STYLE_TITLE] = A_REVERSE, [PFX_STYLE_HEADING] = A_BOLD,
		[PFX_STYLE_HOT] = A_BOLD,      [PFX_STYLE_KEY] = A_BOLD,
		[PFX_STYLE_NOTE] = A_BOLD,     [PFX_STYLE_MATCH] = A_UNDERLINE | A_BOLD,
	};
	attr_t attributes = 0;

	*ret_pair = 0;
	if (terminal.colours && pen->selected && is_block(pen)) {
		*ret_pair = CHOSEN_PAIR;
		return A_BOLD;
	}
	if (terminal.colours) {
		if (pen->tone)
			*ret_pair = (int)TONE_PAIR(pen->tone);
		else if (pen->style)
			*ret_pair = pen->style + 1;
		if (pen->style == PFX_STYLE_HEADING || pen->style == PFX_STYLE_HOT ||
		    pen->style == PFX_STYLE_MATCH)
			attributes |= A_BOLD;
	} else {
		attributes = plain[pen->style];
		if (pen->tone == PFX_TONE_FOUND)
			attributes |= A_BOLD | A_UNDERLINE;
	}
	return pen->selected ? attributes ^ A_REVERSE : attributes;
}

/* --- keys --- */

static uint32_t code_of_mouse(mmask_t buttons)
{
	if (buttons & BUTTON4_PRESSED)
		return PFX_PRESS_WHEEL_UP;
	if (buttons & BUTTON5_PRESSED)
		return PFX_PRESS_WHEEL_DOWN;
	if (buttons & BUTTON3_PRESSED)
		return PFX_PRESS_MENU;
	if (buttons & BUTTON1_DOUBLE_CLICKED)
		return PFX_PRESS_DOUBLE;
	if (buttons & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		return PFX_PRESS_CLICK;
	return buttons & BUTTON1_RELEASED ? PFX_PRESS_RELEASE : PFX_PRESS_NONE;
}

static uint32_t code_of_key(wint_t key)
{
	static const struct {
		wint_t key;
		uint32_t code;
	} codes[] = {
		{KEY_UP, PFX_PRESS_UP},         {KEY_DOWN, PFX_PRESS_DOWN},
		{KEY_LEFT, PFX_PRESS_LEFT},     {KEY_RIGHT, PFX_PRESS_RIGHT},
		{KEY_PPAGE, PFX_PRESS_PAGE_UP}, {KEY_NPAGE, PFX_PRESS_PAGE_DOWN},
		{KEY_HOME, PFX_PRESS_HOME},     {KEY_END, PFX_PRESS_END},
		{KEY_BTAB, PFX_PRESS_BACK_TAB}, {KEY_BACKSPACE, PFX_PRESS_BACKSPACE},
		{KEY_DC, PFX_PRESS_DELETE},     {KEY_ENTER, PFX_PRESS_ENTER},
		{KEY_F(1), PFX_PRESS_F1},       {KEY_RESIZE, PFX_PRESS_RESIZE},
	};
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].key == key)
			return codes[i].code;
	return PFX_PRESS_NONE;
}

static struct pfx_press press_of(int rc, wint_t key)
{
	struct pfx_press press = {0};
	MEVENT mouse;

	if (rc == OK) {
		press.code = key == 127 || key == 8 ? PFX_PRESS_BACKSPACE
			     : key == '\n'          ? PFX_PRESS_ENTER
						    : (uint32_t)key;
	} else if (key == KEY_MOUSE && getmouse(&mouse) == OK) {
		press.code = code_of_mouse(mouse.bstate);
		press.x = mouse.x < 0 ? 0 : (unsigned)mouse.x;
		press.y = mouse.y < 0 ? 0 : (unsigned)mouse.y;
	} else {
		press.code = code_of_key(key);
	}
	return press;
}

/* --- the background --- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void keep_keys(const char *keys)
{
	for (; *keys; keys++)
		pfx_vec_push(&terminal.typed, press_of(OK, (wint_t)(unsigned char)*keys));
}

/* The terminal said what its background is: other colours, and all is drawn again. */
static void take_background(void)
{
	enum pfx_background found = terminal.reply.background;

	if (!terminal.reply.is_new || !terminal.colours || found == terminal.background)
		return;
	terminal.background = found;
	choose_colours();
	clearok(curscr, true);
	pfx_vec_push(&terminal.typed, ((struct pfx_press){.code = PFX_PRESS_RESIZE}));
}

/* Append what is in the queue of ncurses to the keys that were typed: false if it is empty. */
static bool take_key(void)
{
	struct pfx_press press;
	bool is_key;
	wint_t key;
	int rc;

	timeout(0);
	rc = get_wch(&key);
	if (rc == ERR)
		return false;
	is_key = rc != OK;
	if (is_key) /* arrows and others, which ncurses knows */
		pfx_reply_expire(&terminal.reply, INT64_MAX);
	else
		is_key = pfx_reply_take(&terminal.reply, key, now_ms());
	keep_keys(terminal.reply.keys);
	take_background();
	if (!is_key)
		return true;
	press = press_of(rc, key);
	/* Nobody knows what the terminal shows after a change of its size. */
	if (press.code == PFX_PRESS_RESIZE || press.code == PFX_PRESS_CTRL('L'))
		clearok(curscr, true);
	pfx_vec_push(&terminal.typed, press);
	return true;
}

/* Keys that are pressed meanwhile are kept. */
static void ask_for_background(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	static const char question[] = PFX_BACKGROUND_QUESTION;
	int64_t start = now_ms(), left = ANSWER_WAIT;

	if (write(STDOUT_FILENO, question, sizeof(question) - 1) < 0)
		return;
	pfx_reply_expect(&terminal.reply, start);
	while (!terminal.reply.has_kind && left > 0 && poll(&input, 1, (int)left) > 0 &&
	       !(input.revents & (POLLHUP | POLLERR))) {
		for (left = 1; left > 0 && take_key();)
			left = start + ANSWER_WAIT - now_ms();
		left = start + ANSWER_WAIT - now_ms();
	}
}

/* --- open and close --- */

/* A terminal with 16 million colours says so in COLORTERM; ncurses knows it by another name. */
static const char *type_of_terminal(void)
{
	const char *term = getenv("TERM"), *colours = getenv("COLORTERM");

	if (!term || strncmp(term, "xterm", 5) || !colours ||
	    (strcmp(colours, "truecolor") && strcmp(colours, "24bit")))
		return NULL;
	return knows_type("xterm-direct") ? "xterm-direct" : NULL;
}

static void block_resize(void)
{
	sigset_t resize;

	sigemptyset(&resize);
	sigaddset(&resize, SIGWINCH);
	sigprocmask(SIG_BLOCK, &resize, &terminal.outside);
}

int pfx_terminal_open(const struct pfx_terminal_options *options, struct pfx_error *err)
{
	const char *obstacle = pfx_terminal_obstacle();
	const char *type = obstacle || options->no_colours ? NULL : type_of_terminal();

	if (obstacle)
		return pfx_error_set(err, ENOTTY, "no screen: %s", obstacle);
	setlocale(LC_CTYPE, "");
	terminal.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	terminal.colours = terminal.many = false;
	tcgetattr(STDIN_FILENO, &terminal.before);
	terminal.screen = newterm(type, stdout, stdin);
	if (!terminal.screen)
		return pfx_error_set(err, ENOTTY, "no screen: ncurses cannot use the terminal");
	prepare_restore();
	catch_signals();
	block_resize();
	raw();
	noecho();
	nonl();
	keypad(stdscr, true);
	set_escdelay(25);
	curs_set(0);
	mouseinterval(0);
	pfx_terminal_mouse(!options->no_mouse);
	terminal.background = options->background;
	terminal.reply = (struct pfx_reply){.keys = ""};
	if (options->no_colours)
		return 0;
	start_colours();
	if (terminal.colours && !options->background && pfx_background_can_ask(getenv("TERM")))
		ask_for_background();
	return 0;
}

void pfx_terminal_close(void)
{
	static const int list[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGSEGV,
				   SIGABRT, SIGBUS,  SIGFPE, SIGILL};
	size_t i;

	if (!terminal.screen)
		return;
	pfx_terminal_mouse(false);
	/* Terminals without a second screen keep the picture: what is written next gets a line. */
	move(LINES - 1, 0);
	clrtoeol();
	refresh();
	endwin();
	delscreen(terminal.screen);
	terminal.screen = NULL;
	terminal.next = 0;
	pfx_vec_free(&terminal.typed);
	sigprocmask(SIG_SETMASK, &terminal.outside, NULL);
	for (i = 0; i < sizeof(list) / sizeof(*list); i++)
		signal(list[i], SIG_DFL);
}

bool pfx_terminal_has_utf8(void)
{
	return terminal.utf8;
}

void pfx_terminal_size(unsigned *ret_width, unsigned *ret_height)
{
	int height, width;

	getmaxyx(stdscr, height, width);
	*ret_width = (unsigned)width;
	*ret_height = (unsigned)height;
}

void pfx_terminal_mouse(bool on)
{
	mousemask(on ? ALL_MOUSE_EVENTS | REPORT_MOUSE_POSITION : 0, NULL);
}

void pfx_terminal_suspend(void)
{
	/* The handler of ncurses gives the terminal back, and takes it again. */
	raise(SIGTSTP);
}

void pfx_terminal_leave(void)
{
	def_prog_mode();
	endwin();
	/* All is drawn again after it. */
	clearok(curscr, true);
}

/* --- drawing --- */

static void draw_cell(int x, int y, const struct pfx_cell *cell)
{
	wchar_t text[2] = {(wchar_t)cell->ch, 0};
	cchar_t shown;
	attr_t attributes;
	int pair;

	attributes = attributes_of(&cell->pen, &pair);
	if (!terminal.utf8 && cell->ch > 126)
		text[0] = '?';
	setcchar(&shown, text, attributes, 0, &pair);
	mvadd_wch(y, x, &shown);
}

void pfx_terminal_draw(const struct pfx_grid *grid)
{
	unsigned x, y, width, height;

	pfx_terminal_size(&width, &height);
	erase();
	for (y = 0; y < grid->height && y < height; y++)
		for (x = 0; x < grid->width && x < width; x++)
			if (pfx_grid_at(grid, x, y)->ch)
				draw_cell((int)x, (int)y, pfx_grid_at(grid, x, y));
	refresh();
}

/* Input that can be read, but has no bytes: the terminal was closed. */
static bool is_closed(const struct pollfd *input)
{
	int nr = 0;

	return input->revents && (ioctl(STDIN_FILENO, FIONREAD, &nr) < 0 || !nr);
}

static bool take_typed(struct pfx_press *ret)
{
	while (terminal.next < terminal.typed.nr) {
		*ret = terminal.typed.at[terminal.next++];
		if (ret->code)
			return true;
	}
	terminal.next = terminal.typed.nr = 0;
	return false;
}

/* Wait for input, at most @ms: as ppoll(). */
static int wait_input(int ms)
{
	const struct timespec timeout_of = {ms / 1000, ms % 1000 * 1000000l};
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	/* A signal interrupts it when the size changes, and comes at no other time. */
	int rc = ppoll(&input, 1, ms < 0 ? NULL : &timeout_of, &terminal.outside);

	return rc > 0 && is_closed(&input) ? -EIO : rc;
}

/* The next key of the queues of this file and of ncurses. */
static bool take_queued(struct pfx_press *ret)
{
	do
		if (take_typed(ret))
			return true;
	while (take_key());
	return false;
}

int pfx_terminal_read(int timeout_ms, struct pfx_press *ret)
{
	int64_t end = now_ms() + timeout_ms, left;
	int wait, rc;

	for (;;) {
		if (take_queued(ret))
			return 1;
		left = timeout_ms < 0 ? INT_MAX : end - now_ms();
		/* What may be a reply is a key if nothing follows it. */
		wait = pfx_reply_wait(&terminal.reply, now_ms());
		if (wait >= 0 && wait < left)
			left = wait;
		rc = wait_input(left == INT_MAX ? -1 : left < 0 ? 0 : (int)left);
		if (rc == -EIO)
			return rc;
		if (rc)
			continue;
		pfx_reply_expire(&terminal.reply, now_ms());
		keep_keys(terminal.reply.keys);
		if (timeout_ms >= 0 && end <= now_ms())
			return take_typed(ret);
	}
}
