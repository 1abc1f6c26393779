/* SPDX-License-Identifier: MIT */
/* pfx-kit [--be|--le] [--pipe] DESCRIPTION OUT: builds a perf.data for a test. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "kit/kit.h"

#define DESCRIPTION_MAX (16 << 20)

static int build(const char *in, const char *out, const struct pfx_kit_options *options,
		 struct pfx_error *err)
{
	struct pfx_buffer buf = {0};
	char *text = NULL;
	int fd, rc = pfx_read_file(in, DESCRIPTION_MAX, &text, NULL, err);

	if (!rc)
		rc = pfx_kit_build(text, options, &buf, err);
	free(text);
	if (!rc) {
		fd = strcmp(out, "-") ? open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)
				      : STDOUT_FILENO;
		rc = fd < 0 ? fd : pfx_write_full(fd, buf.at, buf.len);
		if (rc)
			pfx_error_set(err, EIO, "cannot write '%s'", out);
		if (fd > STDOUT_FILENO)
			close(fd);
	}
	pfx_buffer_fini(&buf);
	return rc;
}

int main(int argc, char **argv)
{
	struct pfx_kit_options options = {0};
	struct pfx_error err = {0};
	int i = 1;

	for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--be"))
			options.big_endian = true;
		else if (!strcmp(argv[i], "--pipe"))
			options.pipe = true;
		else if (strcmp(argv[i], "--le"))
			break;
	}
	if (argc - i != 2) {
		fprintf(stderr, "usage: pfx-kit [--be|--le] [--pipe] DESCRIPTION OUT\n");
		return 129;
	}
	if (!build(argv[i], argv[i + 1], &options, &err))
		return 0;
	fprintf(stderr, "pfx-kit: %s: %s\n", argv[i], err.text);
	return 1;
}
