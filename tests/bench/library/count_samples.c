/* SPDX-License-Identifier: MIT */
/* Counts samples and their frames with libpfx. */
#include <inttypes.h>
#include <pfx/pfx.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	uint64_t samples = 0, frames = 0, last = 0;
	struct pfx_input *input;
	int rc;

	if (argc < 2 || pfx_input_open(&input, argv[1], NULL, NULL))
		return 1;
	while ((rc = pfx_input_next_sample(input, NULL)) > 0) {
		samples++;
		frames += pfx_input_nr_frames(input, pfx_input_stack(input));
		last = pfx_input_time(input);
	}
	pfx_input_close(input);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", samples, frames, last);
	return rc < 0;
}
