/* SPDX-License-Identifier: MIT */
/* Decides about colours and width. Standard output is not a terminal here. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "out/term/term.h"

static int begin(void **state)
{
	unsetenv("NO_COLOR");
	unsetenv("CLICOLOR_FORCE");
	unsetenv("COLUMNS");
	pfx_term_set_colours(PFX_COLOUR_AUTO);
	return 0;
}

static void test_words_outrank_all(void **state)
{
	setenv("NO_COLOR", "1", 1);
	assert_true(pfx_term_colours(PFX_COLOUR_ALWAYS));
	setenv("CLICOLOR_FORCE", "1", 1);
	assert_false(pfx_term_colours(PFX_COLOUR_NEVER));
}

static void test_configuration_outranks_environment(void **state)
{
	setenv("NO_COLOR", "1", 1);
	pfx_term_set_colours(PFX_COLOUR_ALWAYS);
	assert_true(pfx_term_colours(PFX_COLOUR_AUTO));
	assert_false(pfx_term_colours(PFX_COLOUR_NEVER));
	pfx_term_set_colours(PFX_COLOUR_NEVER);
	assert_false(pfx_term_colours(PFX_COLOUR_AUTO));
}

static void test_environment(void **state)
{
	setenv("CLICOLOR_FORCE", "1", 1);
	assert_true(pfx_term_colours(PFX_COLOUR_AUTO));
	setenv("CLICOLOR_FORCE", "0", 1);
	setenv("TERM", "dumb", 1);
	assert_false(pfx_term_colours(PFX_COLOUR_AUTO));
	setenv("CLICOLOR_FORCE", "1", 1);
	setenv("NO_COLOR", "1", 1);
	assert_false(pfx_term_colours(PFX_COLOUR_AUTO));
	setenv("NO_COLOR", "", 1);
	assert_true(pfx_term_colours(PFX_COLOUR_AUTO));
}

static void test_width(void **state)
{
	setenv("COLUMNS", "123", 1);
	assert_int_equal(pfx_term_width(), 123);
	setenv("COLUMNS", "wide", 1);
	assert_int_not_equal(pfx_term_width(), 0);
	setenv("COLUMNS", "0", 1);
	assert_int_not_equal(pfx_term_width(), 0);
	setenv("COLUMNS", "99999999", 1);
	assert_true(pfx_term_width() <= 4096);
}

/* Redirect standard output for one flush. */
static int flush_to(const char *path, struct pfx_str *text)
{
	int saved = dup(STDOUT_FILENO), fd = open(path, O_WRONLY), rc;

	assert_true(saved >= 0 && fd >= 0);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	rc = pfx_out_flush(text);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	return rc;
}

static void test_flush(void **state)
{
	struct pfx_str text = {0};

	pfx_str_add(&text, "lost");
	assert_int_equal(flush_to("/dev/null", &text), 0);
	assert_int_equal(text.len, 0);
	pfx_str_add(&text, "lost");
	if (!access("/dev/full", W_OK))
		assert_int_equal(flush_to("/dev/full", &text), -ENOSPC);
	assert_int_equal(text.len, 0);
	pfx_str_fini(&text);
}

static void test_flush_into_closed_pipe(void **state)
{
	struct pfx_str text = {0};
	int fds[2], saved = dup(STDOUT_FILENO), rc;

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	fflush(stdout);
	dup2(fds[1], STDOUT_FILENO);
	close(fds[0]);
	close(fds[1]);
	pfx_str_add(&text, "lost");
	rc = pfx_out_flush(&text);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(rc, -EPIPE);
	pfx_str_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_words_outrank_all, begin),
		cmocka_unit_test_setup(test_configuration_outranks_environment, begin),
		cmocka_unit_test_setup(test_environment, begin),
		cmocka_unit_test_setup(test_width, begin),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_flush_into_closed_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
