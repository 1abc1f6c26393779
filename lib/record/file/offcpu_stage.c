/* SPDX-License-Identifier: MIT */
/* Sets up the stage of the sink that converts context switches to off-CPU time. */
#include <sys/utsname.h>

#include "arch/arch.h"
#include "base/ns.h"
#include "record/file/record_file.h"

/* The number of the program counter in the user registers of this architecture. */
static uint64_t user_pc(void)
{
	const struct pfx_unwind_arch *arch;
	struct utsname uts;

	if (uname(&uts) < 0)
		return UINT64_MAX;
	arch = pfx_unwind_arch_find(uts.machine, 2);
	return arch ? arch->sample_pc : UINT64_MAX;
}

void pfx_record_file_start_offcpu(struct pfx_record_file *file)
{
	const struct pfx_counter *counter = pfx_record_offcpu_counter(&file->source->counters);
	struct pfx_offcpu_setup setup = {
		.meta = file->meta,
		.thresh_ns = file->plan->options->out.thresh_ms * PFX_NS_PER_MS,
		.user_pc = user_pc(),
	};

	if (!counter)
		return;
	setup.event = (uint32_t)(counter - file->source->counters.list.at);
	setup.in = counter->attr;
	setup.is_apart = counter->is_apart;
	file->sink.offcpu = pfx_offcpu_new(&setup);
	if (counter->attr.flags & PFX_ATTR_EXCLUDE_KERNEL)
		PFX_RECORDER_NOTIFY(file->plan->observer, PFX_RECORDER_NO_SLEEP_CHAINS,
				    .code = file->plan->perm.paranoid);
}
