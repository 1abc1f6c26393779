/* SPDX-License-Identifier: MIT */
/* Records a command and counts its samples as they come.
 * cc count_records.c $(pkg-config --cflags --libs pfx) && ./a.out /bin/ls -R / */
#include <pfx/pfx.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct pfx_capture_options options = PFX_INIT(struct pfx_capture_options);
	struct pfx_capture_result result = PFX_INIT(struct pfx_capture_result);
	struct pfx_capture *capture = NULL;
	struct pfx_error err = {0};
	struct pfx_input *input;
	unsigned long nr = 0;
	int rc;

	if (argc < 2)
		return fprintf(stderr, "usage: count_records COMMAND [ARGUMENT...]\n"), 2;
	options.command = argv + 1;
	options.events = "cpu-clock";
	options.freq = 999;
	rc = pfx_capture_start(&capture, &options, &err);
	if (!rc)
		rc = pfx_capture_input(capture, NULL, &input, &err);
	while (rc >= 0 && (rc = pfx_input_next_sample(input, &err)) > 0)
		nr++;
	if (!rc)
		rc = pfx_capture_wait(capture, &result, &err);
	if (rc)
		fprintf(stderr, "%s\n%s\n", err.text, err.hint);
	else
		fprintf(stderr, "%lu samples, %lu lost\n", nr, (unsigned long)result.nr_lost);
	pfx_capture_free(capture);
	return rc < 0;
}
