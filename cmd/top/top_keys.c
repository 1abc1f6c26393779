/* SPDX-License-Identifier: MIT */
/*
 * Keys of `pfx top` as text on a terminal: those of perf, and W of the screen. While a question is
 * open no table is printed. Its answer is edited here: a terminal that begins to edit lines takes
 * what was typed before for a whole one. A process in the background leaves the terminal as it is:
 * it would be stopped for changing it.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/words.h"
#include "cmd/top/top_internal.h"
#include "out/term/term.h"

#define LINE_AND_CLEAR "\r\033[K"
#define ESCAPE         0x1b /* begins what a cursor key sends */
#define ANSWER_MAX     32

struct pfx_top_keys {
	struct termios before; /* the settings that are given back */
	bool has_before, is_on;
	bool shows_list;          /* until the next key */
	const struct key *asking; /* NULL: no question is open */
	char answer[ANSWER_MAX + 1];
	size_t len; /* of the answer */
};

#define AT(member) offsetof(struct pfx_top_options, member)

static const struct key {
	char key;
	const char *help;
	const char *question; /* for a number; NULL: it asks nothing */
	size_t at;            /* the uint64_t in the options */
	uint64_t min, max;
} keys[] = {
	{'d', "change the seconds between refreshes", "seconds between refreshes", AT(delay), 1,
	 PFX_TOP_DELAY_MAX},
	{'e', "change the number of rows", "rows, or 0 for as many as fit", AT(entries), 0,
	 UINT32_MAX},
	{'f', "hide rows with few samples", "samples that a row must have", AT(count_filter), 0,
	 UINT32_MAX},
	{'K', PFX_TOP_HELP_KERNEL},
	{'U', PFX_TOP_HELP_USER},
	{'z', PFX_TOP_HELP_ZERO},
	{'W', PFX_TOP_HELP_WRITE},
	{'h', "show this list"},
	{'q', "end"},
};

/* --- what keys of the screen do, too --- */

static void hide(struct pfx_top *top, bool *which, const char *what, struct pfx_str *said)
{
	const struct pfx_top_options *o = top->options;

	*which = !*which;
	pfx_live_hide(top->live, o->hide_kernel, o->hide_user);
	pfx_str_addf(said, "samples of %s are %s", what, *which ? "dropped" : "taken");
}

bool pfx_top_press(struct pfx_top *top, uint32_t key, struct pfx_str *said)
{
	struct pfx_top_options *o = top->options;
	struct pfx_error err = {0};

	switch (key) {
	case 'K':
		hide(top, &o->hide_kernel, "the kernel", said);
		return true;
	case 'U':
		hide(top, &o->hide_user, "user space", said);
		return true;
	case 'z':
		o->zero = !o->zero;
		pfx_str_add(said, o->zero ? "samples are forgotten at each refresh"
					  : "samples count less with each refresh");
		return true;
	case 'W':
		if (pfx_top_snapshot(top, said, &err) < 0)
			pfx_str_add(said, err.text);
		return true;
	default:
		return false;
	}
}

/* --- the terminal --- */

static bool is_in_foreground(void)
{
	return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Each key comes at once. The keys that would stop or kill the process come, too: the terminal gets
 * its settings back first. */
static void take_terminal(const struct pfx_top_keys *k)
{
	struct termios now = k->before;

	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	now.c_cc[VMIN] = 0;
	now.c_cc[VTIME] = 0;
	now.c_cc[VSUSP] = _POSIX_VDISABLE;
	now.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

/* What the terminal would send for a key, with its own settings; 0: none. */
static int signal_of(const struct pfx_top_keys *k, cc_t code)
{
	if (code == _POSIX_VDISABLE || !(k->before.c_lflag & ISIG))
		return 0;
	return code == k->before.c_cc[VSUSP]   ? SIGTSTP
	       : code == k->before.c_cc[VQUIT] ? SIGQUIT
					       : 0;
}

static void give_back(const struct pfx_top_keys *k)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &k->before);
}

/* Without the terminal's settings, or if it cannot be waited for, there are no keys. */
static bool turn_on(struct pfx_top *top)
{
	struct pfx_top_keys *k = top->keys;
	struct pfx_error err;

	k->has_before = k->has_before || !tcgetattr(STDIN_FILENO, &k->before);
	if (!k->has_before || pfx_live_watch_terminal(top->live, STDIN_FILENO, &err) < 0)
		return false;
	take_terminal(k);
	return true;
}

void pfx_top_keys_settle(struct pfx_top *top)
{
	struct pfx_top_keys *k = top->keys;
	bool is_front = k && is_in_foreground();

	if (is_front && k->is_on)
		take_terminal(k); /* again: a shell resets it if the process is stopped */
	if (!k || is_front == k->is_on)
		return;
	if (!is_front)
		pfx_live_forget_terminal(top->live, STDIN_FILENO);
	k->is_on = is_front && turn_on(top);
	k->asking = NULL;
	k->shows_list = false;
}

/* --- questions and answers --- */

/* Below the table, until the next refresh. */
static void say(struct pfx_top *top, const char *text)
{
	pfx_str_add(&top->out, LINE_AND_CLEAR);
	pfx_str_add(&top->out, text);
	pfx_out_flush(&top->out);
	top->has_said = true;
}

static uint64_t *value_of(struct pfx_top *top, const struct key *key)
{
	return (uint64_t *)(void *)((char *)top->options + key->at);
}

static void say_question(struct pfx_top *top)
{
	const struct pfx_top_keys *k = top->keys;
	struct pfx_str text = {0};

	pfx_str_addf(&text, "%s (now %" PRIu64 "): ", k->asking->question,
		     *value_of(top, k->asking));
	pfx_str_add_foreign(&text, k->answer);
	say(top, text.at);
	pfx_str_fini(&text);
}

static void set_answer(struct pfx_top_keys *k, size_t len)
{
	k->len = len;
	k->answer[len] = '\0';
}

static void ask(struct pfx_top *top, const struct key *key)
{
	top->keys->asking = key;
	set_answer(top->keys, 0);
	say_question(top);
}

/* As the terminal does: to all processes of the job, such as sudo. */
static void raise_in_job(struct pfx_top *top, int signo)
{
	top->keys->shows_list = false;
	give_back(top->keys);
	kill(0, signo);
	pfx_top_keys_settle(top);
	if (top->keys->asking)
		say_question(top);
}

/* Of decimal digits. */
static bool parse_number(const char *word, uint64_t *ret)
{
	if (word[strspn(word, "0123456789")])
		return false;
	while (*word == '0' && word[1])
		word++;
	return pfx_parse_u64(word, ret);
}

/* False: it is not possible, and a message says so. */
static bool take_number(struct pfx_top *top, const struct key *key, const char *word)
{
	struct pfx_str text = {0};
	uint64_t value;

	if (!*word)
		return true;
	if (parse_number(word, &value) && value >= key->min && value <= key->max) {
		*value_of(top, key) = value;
		return true;
	}
	pfx_str_addc(&text, '\'');
	pfx_str_add_foreign(&text, word);
	pfx_str_addf(&text, "' is not a number from %" PRIu64 " to %" PRIu64, key->min, key->max);
	say(top, text.at);
	pfx_str_fini(&text);
	return false;
}

static enum pfx_top_answer take_answer(struct pfx_top *top)
{
	struct pfx_top_keys *k = top->keys;
	const struct key *key = k->asking;
	char *word = k->answer;

	while (k->len && isspace((unsigned char)word[k->len - 1]))
		set_answer(k, k->len - 1);
	while (isspace((unsigned char)*word))
		word++;
	k->asking = NULL;
	if (!take_number(top, key, word))
		return PFX_TOP_GO_ON;
	if (top->hists)
		pfx_live_hists_set_min_samples(top->hists, top->options->count_filter);
	return PFX_TOP_REFRESH;
}

/* The length without the last character. */
static size_t before_last(const struct pfx_top_keys *k)
{
	size_t len = k->len;

	while (len && (k->answer[len - 1] & 0xc0) == 0x80)
		len--;
	return len ? len - 1 : 0;
}

/* The length without the last word. */
static size_t before_last_word(const struct pfx_top_keys *k)
{
	size_t len = k->len;

	while (len && isspace((unsigned char)k->answer[len - 1]))
		len--;
	while (len && !isspace((unsigned char)k->answer[len - 1]))
		len--;
	return len;
}

/* The rest of what a cursor key sends: "[1;5D" or "OD", with Alt after another Escape. */
static void skip_sequence(void)
{
	char code = ESCAPE;

	while (code == ESCAPE)
		if (read(STDIN_FILENO, &code, 1) != 1)
			return;
	if (code != '[' && code != 'O')
		return;
	while (read(STDIN_FILENO, &code, 1) == 1 && (code < 0x40 || code == 0x7f))
		;
}

/* Whether the terminal has this editing key, which may be turned off. */
static bool is_key(const struct pfx_top_keys *k, char code, unsigned which)
{
	cc_t key = k->before.c_cc[which];

	return key != _POSIX_VDISABLE && key == (cc_t)code;
}

/* A key while a question is open: the editing keys are those of the terminal. */
static enum pfx_top_answer edit(struct pfx_top *top, char code)
{
	struct pfx_top_keys *k = top->keys;
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	if (code == '\n' || code == '\r' || is_key(k, code, VEOF))
		return take_answer(top);
	if (code == ESCAPE && poll(&input, 1, 0) <= 0) {
		k->asking = NULL;
		return PFX_TOP_REFRESH;
	}
	if (code == ESCAPE)
		skip_sequence();
	else if (code == '\b' || code == 0x7f || is_key(k, code, VERASE))
		set_answer(k, before_last(k));
	else if (is_key(k, code, VWERASE))
		set_answer(k, before_last_word(k));
	else if (is_key(k, code, VKILL))
		set_answer(k, 0);
	else if ((unsigned char)code >= ' ' && k->len < ANSWER_MAX) {
		k->answer[k->len] = code;
		set_answer(k, k->len + 1);
	}
	say_question(top);
	return PFX_TOP_GO_ON;
}

static void show_list(struct pfx_top *top)
{
	size_t i;

	pfx_str_add(&top->out, PFX_TOP_CLEAR "Keys:\n");
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		pfx_str_addf(&top->out, "  %c  %s\n", keys[i].key, keys[i].help);
	pfx_str_add(&top->out, "q ends, any other key goes back to the table.");
	pfx_out_flush(&top->out);
	top->has_said = top->keys->shows_list = true;
}

static void act(struct pfx_top *top, char code)
{
	struct pfx_str said = {0};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys) && keys[i].key != code; i++)
		;
	if (code == 'h' || code == '?')
		show_list(top);
	else if (i < sizeof(keys) / sizeof(*keys) && keys[i].question)
		ask(top, &keys[i]);
	else if (pfx_top_press(top, (unsigned char)code, &said))
		say(top, said.at);
	else
		say(top, "h lists the keys");
	pfx_str_fini(&said);
}

static enum pfx_top_answer press(struct pfx_top *top, char code)
{
	struct pfx_top_keys *k = top->keys;
	int signo = signal_of(k, (cc_t)code);

	if (signo) {
		raise_in_job(top, signo);
		return PFX_TOP_REFRESH;
	}
	if (k->asking)
		return edit(top, code);
	if (code == 'q' || code == 'Q')
		return PFX_TOP_END;
	if (code == ESCAPE)
		skip_sequence();
	if (k->shows_list) {
		k->shows_list = false;
		return PFX_TOP_REFRESH;
	}
	act(top, code);
	return PFX_TOP_GO_ON;
}

/* --- begin, take, end --- */

void pfx_top_keys_begin(struct pfx_top *top)
{
	if (top->options->json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return;
	top->keys = pfx_calloc(1, sizeof(*top->keys));
	pfx_top_keys_settle(top);
}

bool pfx_top_keys_hold(const struct pfx_top *top)
{
	return top->keys && (top->keys->asking || top->keys->shows_list);
}

enum pfx_top_answer pfx_top_keys_take(struct pfx_top *top)
{
	enum pfx_top_answer answer = PFX_TOP_GO_ON;
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	char code;

	pfx_top_keys_settle(top);
	while (answer == PFX_TOP_GO_ON && top->keys && top->keys->is_on && poll(&input, 1, 0) > 0) {
		if (!(input.revents & POLLIN))
			return PFX_TOP_END;
		if (read(STDIN_FILENO, &code, 1) == 1)
			answer = press(top, code);
		else
			return PFX_TOP_END;
	}
	return answer;
}

void pfx_top_keys_end(struct pfx_top *top)
{
	if (top->keys && top->keys->is_on && is_in_foreground())
		give_back(top->keys);
	if (top->has_said)
		pfx_str_addc(&top->out, '\n');
	pfx_out_flush(&top->out);
	free(top->keys);
	top->keys = NULL;
}
