/* SPDX-License-Identifier: MIT */
/* Prints the samples of a recording with their frames.
 * cc print_samples.c $(pkg-config --cflags --libs pfx) && ./a.out perf.data */
#include <inttypes.h>
#include <pfx/pfx.h>
#include <stdio.h>

static void print_frames(struct pfx_input *input)
{
	uint32_t stack = pfx_input_stack(input), i;

	for (i = 0; i < pfx_input_nr_frames(input, stack); i++) {
		struct pfx_frame frame = PFX_INIT(struct pfx_frame);

		pfx_input_frame(input, stack, i, &frame);
		printf("\t%16" PRIx64 " %s (%s)\n", frame.ip,
		       frame.symbol ? frame.symbol : "[unknown]", frame.dso ? frame.dso : "?");
	}
}

int main(int argc, char **argv)
{
	struct pfx_error err = {0};
	struct pfx_input *input;
	int rc = pfx_input_open(&input, argc > 1 ? argv[1] : "perf.data", NULL, &err);

	while (rc >= 0 && (rc = pfx_input_next_sample(input, &err)) > 0) {
		printf("%s %d/%d %" PRIu64 "\n", pfx_input_comm(input), pfx_input_pid(input),
		       pfx_input_tid(input), pfx_input_time(input));
		print_frames(input);
	}
	if (rc < 0)
		fprintf(stderr, "%s\n%s\n", err.text, err.hint);
	pfx_input_close(input);
	return rc < 0;
}
