/* SPDX-License-Identifier: MIT */
/* Words of perf_to_profile as those of `export pprof`. */
#include "cmd/app/perf/to_profile.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cmd/app/output_open.h"

/* `go tool pprof` reads the output file by the descriptor that it opened before: write into that
 * file, not a new one of its name. On errors `export` itself opens it, and reports them. */
static char *as_standard_output(char *path)
{
	int fd = pfx_output_open_file(path, PFX_OUTPUT_REPLACE, NULL, NULL);

	if (fd < 0)
		return path;
	dup2(fd, STDOUT_FILENO);
	close(fd);
	return (char *)"-";
}

void pfx_to_profile_words(int *argc, char ***argv)
{
	static char *const lead[] = {(char *)"pfx", (char *)"export", (char *)"pprof",
				     (char *)"-q"};
	const int nr_lead = sizeof(lead) / sizeof(*lead);
	char **words;
	int i, nr = nr_lead;

	if (!*argc || strcmp(pfx_file_name(**argv), "perf_to_profile") != 0)
		return;
	words = pfx_calloc((size_t)(*argc + nr_lead), sizeof(*words));
	memcpy(words, lead, sizeof(lead));
	for (i = 1; i < *argc; i++)
		if (i > 1 && !strcmp((*argv)[i - 1], "-o"))
			words[nr++] = as_standard_output((*argv)[i]);
		else if (strcmp((*argv)[i], "-f") != 0) /* overwrite the output: always so */
			words[nr++] = (*argv)[i];
	*argc = nr;
	*argv = words;
}
