/* SPDX-License-Identifier: MIT */
/*
 * `pfx stat --smi-cost`: the cost of system management interrupts. With freeze_on_smi, core
 * counters stop during them, but aperf does not: the difference is the cost.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"
#include "stat/counting_internal.h"

static const char switch_path[] = "/sys/bus/event_source/devices/cpu/freeze_on_smi";
static const char events[] = "{msr/aperf/,msr/smi/,cycles}";

static int write_switch(char value)
{
	int fd = open(switch_path, O_WRONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = pfx_write_full(fd, &value, 1);
	if (close(fd) < 0 && rc >= 0)
		rc = -errno;
	return rc;
}

int pfx_stat_smi_events(struct pfx_stat_runner *run, struct pfx_error *err)
{
	uint64_t is_on;

	if (pfx_read_u64(switch_path, &is_on) < 0)
		return pfx_error_set(err, ENOTSUP,
				     "this machine cannot tell what the firmware takes: its PMU "
				     "has no 'freeze_on_smi'");
	return pfx_stat_parse_events(run->events, events, run->options->roots, err);
}

int pfx_stat_smi_begin(struct pfx_stat_runner *run, struct pfx_error *err)
{
	uint64_t is_on;
	int rc;

	if (!run->options->smi_cost || pfx_read_u64(switch_path, &is_on) < 0 || is_on)
		return 0;
	rc = write_switch('1');
	if (rc < 0)
		return pfx_error_sys(err, -rc, "cannot switch on '%s'", switch_path);
	run->froze = true;
	return 0;
}

void pfx_stat_smi_end(struct pfx_stat_runner *run)
{
	if (run->froze && write_switch('0') < 0)
		pfx_counting_note(run, "cannot switch off '%s' again", switch_path);
	run->froze = false;
}
