/* SPDX-License-Identifier: MIT */
/* Any bytes as a file, mapped. */
#include "fuzz/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pfx_recording *recording = open_recording(data, size);

	if (recording)
		read_everything(recording);
	return 0;
}
