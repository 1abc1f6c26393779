/* SPDX-License-Identifier: MIT */
/* Prints the ten most expensive functions of a recording as JSON (names with quotes need escapes).
 * cc top_functions.c $(pkg-config --cflags --libs pfx) && ./a.out perf.data */
#include <pfx/pfx.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct pfx_samples *samples = NULL;
	struct pfx_answer *answer = NULL;
	struct pfx_error err = {0};
	struct pfx_input *input;
	uint32_t i;
	int rc = pfx_input_open(&input, argc > 1 ? argv[1] : "perf.data", NULL, &err);

	if (!rc)
		rc = pfx_samples_load(&samples, input, 0, &err);
	if (!rc)
		rc = pfx_samples_table(samples, NULL, &answer, &err);
	if (rc)
		fprintf(stderr, "%s\n%s\n", err.text, err.hint);
	else
		printf("[");
	for (i = 0; !rc && i < 10 && i < pfx_answer_nr_rows(answer); i++) {
		struct pfx_answer_row row = PFX_INIT(struct pfx_answer_row);

		pfx_answer_row_at(answer, i, &row);
		printf("%s\n {\"function\": \"%s\", \"share\": %.4f}", i ? "," : "", row.name,
		       row.self_share);
	}
	if (!rc)
		printf("\n]\n");
	pfx_answer_free(answer);
	pfx_samples_free(samples);
	pfx_input_close(input);
	return rc < 0;
}
