/* SPDX-License-Identifier: MIT */
/* The tree of tasks: parents first, each task once, even if the records are inconsistent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/str.h"
#include "session/tasks.h"

static struct pfx_meta *meta;
static struct pfx_session *session;

static int begin(void **state)
{
	(void)state;
	meta = pfx_meta_new();
	session = pfx_session_new(meta);
	return 0;
}

static int end(void **state)
{
	(void)state;
	pfx_session_free(session);
	pfx_meta_free(meta);
	return 0;
}

static void fork_task(uint32_t pid, uint32_t tid, uint32_t ppid)
{
	struct pfx_body body = {.type = PFX_RECORD_FORK};
	struct pfx_buffer buffer = {0};
	struct pfx_record rec;

	body.task = (struct pfx_task){.pid = pid, .tid = tid, .ppid = ppid, .ptid = ppid};
	assert_true(pfx_record_encode(&body, NULL, &buffer));
	pfx_record_init(&rec, buffer.at, false, 0);
	pfx_session_apply(session, &rec);
	pfx_buffer_fini(&buffer);
}

/* "TID@LEVEL ..." in the order of the walk, without the idle task. */
static void check_walk(const char *wanted)
{
	struct pfx_thread *thread;
	struct pfx_str text = {0};
	struct pfx_tasks tasks;
	uint32_t level;

	pfx_tasks_init(&tasks, session);
	while ((thread = pfx_tasks_next(&tasks, &level)))
		if (thread->tid)
			pfx_str_addf(&text, "%s%d@%u", text.len ? " " : "", (int)thread->tid,
				     level);
	pfx_tasks_fini(&tasks);
	assert_string_equal(pfx_str_get(&text), wanted);
	pfx_str_fini(&text);
}

static void test_children_follow_their_parent(void **state)
{
	(void)state;
	fork_task(30, 30, 1);
	fork_task(10, 10, 1);
	fork_task(21, 21, 10);
	fork_task(20, 20, 10);
	fork_task(20, 22, 20);
	check_walk("1@0 10@1 20@2 22@3 21@2 30@1");
}

static void test_circle(void **state)
{
	(void)state;
	fork_task(10, 10, 11);
	fork_task(11, 11, 10);
	fork_task(12, 12, 12);
	check_walk("10@0 11@1 12@0");
}

static void test_depth_is_bounded(void **state)
{
	struct pfx_thread *thread;
	struct pfx_tasks tasks;
	uint32_t i, level, nr = 0, deepest = 0;

	(void)state;
	for (i = 1; i <= 1000; i++)
		fork_task(i + 1, i + 1, i);
	pfx_tasks_init(&tasks, session);
	while ((thread = pfx_tasks_next(&tasks, &level))) {
		nr += thread->tid > 1;
		deepest = level > deepest ? level : deepest;
	}
	pfx_tasks_fini(&tasks);
	assert_int_equal(nr, 1000);
	assert_int_equal(deepest, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_children_follow_their_parent, begin, end),
		cmocka_unit_test_setup_teardown(test_circle, begin, end),
		cmocka_unit_test_setup_teardown(test_depth_is_bounded, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
