/* SPDX-License-Identifier: MIT */
/* The record and the sample that were read last, as numbers and names. */
#include <string.h>

#include "api/input_internal.h"

uint32_t pfx_input_type(const struct pfx_input *input)
{
	return input ? input->item.rec.type : 0;
}

const char *pfx_input_type_name(const struct pfx_input *input)
{
	const char *name = input ? pfx_record_name(input->item.rec.type) : NULL;

	return name ? name : "UNKNOWN";
}

const void *pfx_input_bytes(const struct pfx_input *input, size_t *ret_size)
{
	if (ret_size)
		*ret_size = input ? input->item.rec.size : 0;
	return input ? input->item.rec.bytes : NULL;
}

bool pfx_input_is_swapped(const struct pfx_input *input)
{
	return input && pfx_recording_meta(input->recording)->swap;
}

bool pfx_input_is_sample(const struct pfx_input *input)
{
	return pfx_input_last(input) != NULL;
}

uint64_t pfx_input_time(const struct pfx_input *input)
{
	const struct pfx_sample *sample = pfx_input_last(input);

	if (!input || !input->item.rec.bytes)
		return UINT64_MAX;
	return sample ? sample->time : input->item.rec.time;
}

uint32_t pfx_input_event(const struct pfx_input *input)
{
	return input && input->event ? input->event->idx : 0;
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
	return pfx_input_last(input) ? input->period : 0;
}

struct pfx_thread *pfx_input_thread_of(const struct pfx_input *input)
{
	return pfx_recording_thread(input->recording, input->item.sample);
}

const char *pfx_input_comm(const struct pfx_input *input)
{
	return pfx_input_last(input) ? pfx_input_thread_of(input)->comm->text : "";
}

char pfx_input_level(const struct pfx_input *input)
{
	const struct pfx_sample *sample = pfx_input_last(input);

	if (!sample)
		return '?';
	switch (sample->cpumode) {
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
	const struct pfx_sample *sample = pfx_input_last(input);

	return sample ? (uint32_t)sample->branch.nr : 0;
}

void pfx_input_branch(const struct pfx_input *input, uint32_t i, struct pfx_branch_info *ret)
{
	const struct pfx_sample *sample = pfx_input_last(input);
	struct pfx_branch_info value = {0};
	struct pfx_branch branch;

	if (!sample)
		return;
	branch = pfx_branch_at(&sample->branch, i);
	value.from = branch.from;
	value.to = branch.to;
	value.cycles = pfx_branch_cycles(&branch);
	value.mispredicted = pfx_branch_mispred(&branch);
	value.predicted = pfx_branch_predicted(&branch);
	value.in_transaction = pfx_branch_in_tx(&branch);
	value.aborts = pfx_branch_abort(&branch);
	pfx_api_give(ret, &value, sizeof(value));
}

const void *pfx_input_raw(const struct pfx_input *input, size_t *ret_size)
{
	const struct pfx_sample *sample = pfx_input_last(input);
	size_t size = sample ? sample->raw.size : 0;

	if (ret_size)
		*ret_size = size;
	return size ? sample->raw.at : NULL;
}
