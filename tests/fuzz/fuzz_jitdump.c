/* SPDX-License-Identifier: MIT */
/* Any bytes as a jitdump: every record, every line, and every byte that a record points to. */
#include "sym/jit/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sum;

static void touch(const void *data, uint64_t size)
{
	const uint8_t *at = data;
	uint64_t i;

	for (i = 0; i < size; i++)
		sum += at[i];
}

static void take(struct pfx_jit_record *record)
{
	struct pfx_jit_line line;

	switch (record->type) {
	case PFX_JIT_LOAD:
		touch(record->load.name, strlen(record->load.name));
		touch(record->load.code, record->load.size);
		break;
	case PFX_JIT_DEBUG_INFO:
		while (pfx_jit_debug_next(&record->debug, &line))
			touch(line.file, strlen(line.file));
		break;
	case PFX_JIT_UNWINDING:
		touch(record->unwinding.data, record->unwinding.size);
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_jit_record record;
	struct pfx_jitdump dump;

	if (pfx_jitdump_init(&dump, data, size, NULL) < 0)
		return 0;
	while (pfx_jitdump_next(&dump, &record))
		take(&record);
	return 0;
}
