/* SPDX-License-Identifier: MIT */
/*
 * Messages on standard error: one sentence of a command, or lines, escaped and folded at the width
 * of the terminal.
 */
#include "cmd/app/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/personality.h"
#include "cmd/app/perf/exit_codes.h"
#include "out/term/term.h"

#define NO_MEMORY_CODE 255
#define INDENT         2  /* indentation of continuation lines */
#define WIDTH_MIN      30 /* on narrower terminals lines are not folded */

/* The words of @text in lines of @width columns, starting at @column. */
static void add_folded(struct pfx_str *to, const char *text, size_t column, unsigned width)
{
	size_t len, columns;
	bool is_first;

	for (is_first = true; *text; is_first = false, text += len) {
		len = strspn(text, " ");
		len += strcspn(text + len, " ");
		columns = pfx_nr_chars(text, len);
		if (!is_first && column + columns > width) {
			pfx_str_addc(to, '\n');
			pfx_str_pad(to, ' ', INDENT);
			len -= strspn(text, " ");
			text += strspn(text, " ");
			columns = pfx_nr_chars(text, len);
			column = INDENT;
		}
		pfx_str_add_escaped(to, text, len);
		column += columns;
	}
}

/* One line of a message. On a terminal of @width columns each of its parts begins a line; with
 * @width 0 the parts are separated by blanks. */
static void add_line(struct pfx_str *to, const char *line, size_t line_len, unsigned width)
{
	struct pfx_str part = {0};
	size_t at, len, column = 0;

	for (at = 0; at <= line_len; at += len + 1) {
		for (len = 0; at + len < line_len && line[at + len] != *PFX_MESSAGE_BREAK;)
			len++;
		if (at) {
			pfx_str_add(to, width ? "\n" : " ");
			column = width ? INDENT : column;
			pfx_str_pad(to, ' ', column);
		}
		pfx_str_clear(&part);
		pfx_str_add_escaped(&part, line + at, len);
		if (width && line[0] != ' ')
			add_folded(to, pfx_str_get(&part), column, width);
		else
			pfx_str_add(to, pfx_str_get(&part));
	}
	pfx_str_addc(to, '\n');
	pfx_str_fini(&part);
}

/* A line with a pointer below it ("^~~" or "\___") must not be folded. */
static bool is_pointed_into(const char *next)
{
	return next[0] == '\n' && strchr("^\\", next[1 + strspn(next + 1, " ")]) &&
	       next[1 + strspn(next + 1, " ")];
}

/* What follows the lines with a caret, which perf's form of a sentence has, too. */
static const char *after_caret(const char *hint)
{
	const char *caret = strchr(hint, '\n'), *end;

	if (!caret || !is_pointed_into(caret))
		return hint;
	end = strchr(caret + 1, '\n');
	return end ? end + 1 : "";
}

/* Every message is printed here: control bytes are escaped. A line feed in the text ends a line. */
static void print_lines(const char *text)
{
	unsigned width = pfx_term_message_width();
	struct pfx_str named = {0}, out = {0};
	size_t len;

	pfx_add_named(&named, text);
	text = pfx_str_get(&named);
	width = width < WIDTH_MIN ? 0 : width;
	do {
		len = strcspn(text, "\n");
		add_line(&out, text, len, is_pointed_into(text + len) ? 0 : width);
		text += len + (text[len] == '\n');
	} while (*text);
	fflush(stdout);
	fwrite(out.at, 1, out.len, stderr);
	pfx_str_fini(&out);
	pfx_str_fini(&named);
}

/* One sentence: a line feed in it is from untrusted text and is escaped. */
static void print_sentence(const char *command, const char *text)
{
	bool of_program = !command || !*command || !strcmp(command, "pfx");
	struct pfx_str line = {0};
	size_t len;

	pfx_str_addf(&line, "%s%s%s: ", pfx_program_name(), of_program ? "" : " ",
		     of_program ? "" : command);
	for (;; text += len + 1) {
		len = strcspn(text, PFX_MESSAGE_BREAK);
		pfx_str_add_escaped(&line, text, len);
		if (!text[len])
			break;
		pfx_str_add(&line, PFX_MESSAGE_BREAK);
	}
	print_lines(line.at);
	pfx_str_fini(&line);
}

int pfx_print_error(const char *command, const struct pfx_error *err)
{
	const char *hint = err->hint;

	pfx_exit_code_note(command, err);
	if (err->known[0] && pfx_has_habit(PFX_HABIT_WORDS)) {
		print_lines(err->known);
		hint = after_caret(hint);
	} else {
		print_sentence(command, err->text);
	}
	if (*hint)
		print_lines(hint);
	return 255;
}

void pfx_print_note(const char *command, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		print_sentence(command, text);
	va_end(ap);
	free(text);
}

void pfx_print_no_memory(void *context)
{
	static const char words[] = "pfx: out of memory\n";

	(void)context;
	if (write(STDERR_FILENO, words, sizeof(words) - 1) < 0)
		_exit(NO_MEMORY_CODE);
	_exit(NO_MEMORY_CODE);
}

void pfx_print_line(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		print_lines(text);
	va_end(ap);
	free(text);
}
