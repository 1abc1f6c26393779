/* SPDX-License-Identifier: MIT */
/*
 * What a terminal replies to PFX_BACKGROUND_QUESTION, found among the keys that come the same way:
 * late, in pieces, without an end, or longer than any reply. A state machine that takes characters
 * one by one and gives back those that were keys. It reads nothing and knows no clock.
 *
 *	if (pfx_reply_take(&reply, character, now)) ... it is a key, after those in reply.keys
 *	... nothing came for pfx_reply_wait(&reply, now) ms: pfx_reply_expire(&reply, now)
 */
#ifndef PFX_SCREEN_REPLY_H
#define PFX_SCREEN_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "screen/cells/background.h"

#define PFX_REPLY_MAX 64 /* characters of a reply that are kept; what is longer is none of ours */

struct pfx_reply {
	enum {
		PFX_REPLY_NONE,
		PFX_REPLY_ESC,      /* after ESC, which may be a key */
		PFX_REPLY_TEXT,     /* after ESC ] */
		PFX_REPLY_TEXT_ESC, /* an ESC in it, which begins its end */
		PFX_REPLY_KIND,     /* after ESC [ */
	} state;
	int64_t asked, last; /* ms: of the question, of the last character */
	bool was_asked;
	bool has_kind; /* the reply after that of the background has come: no other is expected */
	char text[PFX_REPLY_MAX];
	size_t len;       /* of the whole, also beyond what is kept */
	const char *keys; /* that were given back by the last call: "" or a few characters */
	char given[8];    /* where they are */
	bool is_new;      /* the background below is from the last call */
	enum pfx_background background; /* of the last reply that had one */
};

/* The question was asked: from now on replies are looked for. */
void pfx_reply_expect(struct pfx_reply *reply, int64_t now_ms);
/* A character: true if it is a key, false if it belongs to what may be a reply. */
bool pfx_reply_take(struct pfx_reply *reply, uint32_t ch, int64_t now_ms);
/* The ms after which what is held back is no longer waited for; -1: nothing is. */
int pfx_reply_wait(const struct pfx_reply *reply, int64_t now_ms);
/* End what was waited for too long, or if @now_ms is INT64_MAX, at once. */
void pfx_reply_expire(struct pfx_reply *reply, int64_t now_ms);

#endif
