/* SPDX-License-Identifier: MIT */
/*
 * ESC ] 11;rgb:... ends with BEL or ESC \; ESC [ ? ... c is the kind of the terminal. A sequence
 * that has begun for certain never becomes keys, whatever follows: it is dropped when it does not
 * go on. Before that, ESC and the character after it may be keys.
 */
#include "screen/cells/reply.h"

#include <string.h>

#define ESC        27
#define BEL        7
#define CTRL_C     3
#define CAN        24 /* ends a sequence in all terminals */
#define SUB        26
#define ASKED_MS   5000 /* for so long after the question, an ESC alone may begin a slow reply */
#define ESC_MS     150  /* from it to the next character */
#define PAUSE_MS   300  /* within a sequence; then only what a reply has goes on with it */
#define STOPPED_MS 2000 /* a sequence that does not go on is dropped */

void pfx_reply_expect(struct pfx_reply *reply, int64_t now_ms)
{
	memset(reply, 0, sizeof(*reply));
	reply->was_asked = true;
	reply->asked = now_ms;
	reply->keys = "";
}

static void begin(struct pfx_reply *reply, int state)
{
	reply->state = state;
	reply->len = 0;
}

/* What was held back is keys. */
static void give(struct pfx_reply *reply)
{
	static const char second[] = {[PFX_REPLY_TEXT] = ']', [PFX_REPLY_KIND] = '['};
	size_t len = 0;

	if (reply->state != PFX_REPLY_NONE && !reply->len) {
		reply->given[len++] = ESC;
		if (reply->state != PFX_REPLY_ESC)
			reply->given[len++] = second[reply->state];
	}
	reply->given[len] = '\0';
	reply->keys = reply->given;
	begin(reply, PFX_REPLY_NONE);
}

static void keep(struct pfx_reply *reply, uint32_t ch)
{
	if (reply->len < PFX_REPLY_MAX - 1)
		reply->text[reply->len] = (char)(ch < 128 ? ch : '?');
	reply->len++;
}

static bool end_text(struct pfx_reply *reply)
{
	enum pfx_background found = PFX_BACKGROUND_UNKNOWN;

	if (reply->len < PFX_REPLY_MAX) {
		reply->text[reply->len] = '\0';
		found = pfx_background_of_answer(reply->text);
	}
	reply->is_new = found != PFX_BACKGROUND_UNKNOWN;
	if (reply->is_new)
		reply->background = found;
	begin(reply, PFX_REPLY_NONE);
	return false;
}

static bool is_digit(uint32_t ch)
{
	return ch >= '0' && ch <= '9';
}

/* What the text of a reply about a colour has. */
static bool is_of_colour(uint32_t ch)
{
	return ch < 128 && ch > ' ' && strchr("0123456789abcdefABCDEF;:/rgb\\", (int)ch);
}

/* Whether a character after a pause is a key again. */
static bool is_key_after_pause(const struct pfx_reply *reply, uint32_t ch, int64_t now_ms)
{
	return reply->state >= PFX_REPLY_TEXT && now_ms - reply->last > PAUSE_MS &&
	       !is_of_colour(ch) && ch != BEL && ch != ESC && ch != '?' && ch != 'c';
}

static bool take_esc(struct pfx_reply *reply, uint32_t ch)
{
	if (ch == ']' || ch == '[') {
		begin(reply, ch == ']' ? PFX_REPLY_TEXT : PFX_REPLY_KIND);
		return false;
	}
	give(reply);
	if (ch != ESC)
		return true;
	begin(reply, PFX_REPLY_ESC);
	return false;
}

static bool take_text(struct pfx_reply *reply, uint32_t ch)
{
	/* Alt-] is a key, too. */
	if (!reply->len && !is_digit(ch)) {
		give(reply);
		return true;
	}
	if (ch == CTRL_C || ch == CAN || ch == SUB) {
		begin(reply, PFX_REPLY_NONE);
		return ch == CTRL_C;
	}
	if (ch == BEL)
		return end_text(reply);
	if (ch == ESC)
		reply->state = PFX_REPLY_TEXT_ESC;
	else
		keep(reply, ch);
	return false;
}

static bool take_kind(struct pfx_reply *reply, uint32_t ch)
{
	if (!reply->len && ch != '?') {
		give(reply);
		return true;
	}
	if (ch == '?' || is_digit(ch) || ch == ';') {
		keep(reply, ch);
		return false;
	}
	reply->has_kind |= ch == 'c';
	begin(reply, PFX_REPLY_NONE);
	return ch == CTRL_C;
}

bool pfx_reply_take(struct pfx_reply *reply, uint32_t ch, int64_t now_ms)
{
	reply->keys = "";
	reply->is_new = false;
	if (!reply->was_asked)
		return true;
	if (is_key_after_pause(reply, ch, now_ms))
		give(reply);
	reply->last = now_ms;
	switch (reply->state) {
	case PFX_REPLY_ESC:
		return take_esc(reply, ch);
	case PFX_REPLY_TEXT:
		return take_text(reply, ch);
	case PFX_REPLY_TEXT_ESC:
		if (ch == '\\')
			return end_text(reply);
		/* Another sequence begins within this one. */
		begin(reply, PFX_REPLY_ESC);
		return take_esc(reply, ch);
	case PFX_REPLY_KIND:
		return take_kind(reply, ch);
	default:
		if (ch != ESC)
			return true;
		begin(reply, PFX_REPLY_ESC);
		return false;
	}
}

/* A lone ESC is a key at once, but where the reply may still come in pieces. */
static int64_t pause_of(const struct pfx_reply *reply)
{
	bool is_awaited = !reply->has_kind && reply->last - reply->asked < ASKED_MS;

	if (reply->state == PFX_REPLY_ESC)
		return is_awaited ? ESC_MS : 0;
	if (!reply->len)
		return is_awaited ? PAUSE_MS : 0;
	return STOPPED_MS;
}

int pfx_reply_wait(const struct pfx_reply *reply, int64_t now_ms)
{
	int64_t end = reply->last + pause_of(reply);

	if (reply->state == PFX_REPLY_NONE)
		return -1;
	return now_ms < end ? (int)(end - now_ms) : 0;
}

void pfx_reply_expire(struct pfx_reply *reply, int64_t now_ms)
{
	reply->keys = "";
	reply->is_new = false;
	if (reply->state != PFX_REPLY_NONE &&
	    (now_ms == INT64_MAX || !pfx_reply_wait(reply, now_ms)))
		give(reply);
}
