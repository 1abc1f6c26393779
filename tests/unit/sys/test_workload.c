/* SPDX-License-Identifier: MIT */
/* Releasing a command that is held before exec. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sys/target/workload.h"

/* The byte that releases it cannot be written: the command does not run, which is an error. */
static void no_byte(void **state)
{
	const struct pfx_workload_setup setup = {0};
	char name[] = "true", *argv[] = {name, NULL};
	struct pfx_workload workload;
	struct pfx_error err = {0};

	assert_int_equal(pfx_workload_fork(&workload, "/bin/true", argv, &setup, &err), 0);
	close(workload.go_fd);
	workload.go_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(pfx_workload_go(&workload, "/bin/true", &err), -EBADF);
	assert_non_null(strstr(err.text, "cannot start '/bin/true'"));
	assert_true(workload.is_reaped);
	pfx_workload_fini(&workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
