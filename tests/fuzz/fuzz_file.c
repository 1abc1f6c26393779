/* SPDX-License-Identifier: MIT */
/* Any bytes as a file, mapped. */
#include "fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_reader *reader = open_bytes(data, size);

	if (reader)
		read_everything(reader);
	return 0;
}
