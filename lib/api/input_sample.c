/* SPDX-License-Identifier: MIT */
/* The record and the sample that were read last, as numbers and names. */
#include <string.h>

#include "api/input_internal.h"

uint32_t pfx_input_type(const struct pfx_input *input)
{
	return input->item.rec.type;
}

const char *pfx_input_type_name(const struct pfx_input *input)
{
	const char *name = pfx_record_name(input->item.rec.type);

	return name ? name : "UNKNOWN";
}

const void *pfx_input_bytes(const struct pfx_input *input, size_t *ret_size)
{
	*ret_size = input->item.rec.size;
	return input->item.rec.bytes;
}

bool pfx_input_is_swapped(const struct pfx_input *input)
{
	return pfx_recording_meta(input->recording)->swap;
}

bool pfx_input_is_sample(const struct pfx_input *input)
{
	return input->item.sample != NULL;
}

uint64_t pfx_input_time(const struct pfx_input *input)
{
	return input->item.sample ? input->item.sample->time : input->item.rec.time;
}

uint32_t pfx_input_event(const struct pfx_input *input)
{
	return input->event ? input->event->idx : 0;
}

/* The fields of struct pfx_sample that need no more than a copy. */
#define NUMBER(type, name, field, none)                                  \
	type pfx_input_##name(const struct pfx_input *input)             \
	{                                                                \
		const struct pfx_sample *sample = pfx_input_last(input); \
                                                                         \
		return sample ? (type)sample->field : none;              \
	}

NUMBER(int32_t, pid, pid, -1)
NUMBER(int32_t, tid, tid, -1)
NUMBER(int32_t, cpu, cpu, -1)
NUMBER(uint64_t, ip, ip, 0)
NUMBER(uint64_t, addr, addr, 0)
NUMBER(uint64_t, weight, weight, 0)
NUMBER(uint64_t, data_src, data_src, 0)
NUMBER(uint64_t, phys_addr, phys_addr, 0)
NUMBER(uint64_t, cgroup_id, cgroup, 0)
NUMBER(uint64_t, transaction, transaction, 0)

uint64_t pfx_input_period(const struct pfx_input *input)
{
	return input->item.sample ? input->period : 0;
}

struct pfx_thread *pfx_input_thread_of(const struct pfx_input *input)
{
	return pfx_recording_thread(input->recording, input->item.sample);
}

const char *pfx_input_comm(const struct pfx_input *input)
{
	return input->item.sample ? pfx_input_thread_of(input)->comm->text : "";
}

char pfx_input_level(const struct pfx_input *input)
{
	if (!input->item.sample)
		return '?';
	switch (input->item.sample->cpumode) {
	case PFX_MODE_KERNEL:
		return 'k';
	case PFX_MODE_USER:
		return 'u';
	case PFX_MODE_HYPERVISOR:
		return 'h';
	case PFX_MODE_GUEST_KERNEL:
		return 'g';
	case PFX_MODE_GUEST_USER:
		return 'G';
	default:
		return '?';
	}
}

uint32_t pfx_input_nr_branches(const struct pfx_input *input)
{
	return input->item.sample ? (uint32_t)input->item.sample->branch.nr : 0;
}

void pfx_input_branch(const struct pfx_input *input, uint32_t i, struct pfx_branch_info *ret)
{
	const struct pfx_branch branch = pfx_branch_at(&input->item.sample->branch, i);
	const struct pfx_branch_info value = {
		.from = branch.from,
		.to = branch.to,
		.cycles = pfx_branch_cycles(&branch),
		.mispredicted = pfx_branch_mispred(&branch),
		.predicted = pfx_branch_predicted(&branch),
		.in_transaction = pfx_branch_in_tx(&branch),
		.aborts = pfx_branch_abort(&branch),
	};

	pfx_api_give(ret, &value, sizeof(value));
}

const void *pfx_input_raw(const struct pfx_input *input, size_t *ret_size)
{
	const struct pfx_sample *sample = pfx_input_last(input);

	*ret_size = sample ? sample->raw.size : 0;
	return *ret_size ? sample->raw.at : NULL;
}
