/* SPDX-License-Identifier: MIT */
/* pfx-kit [--be|--le] [--pipe|--dir] DESCRIPTION OUT: builds a perf.data for a test. With --dir OUT
 * is a directory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "kit/kit.h"

#define DESCRIPTION_MAX (16 << 20)

static int save(const char *out, const struct pfx_buffer *buf, struct pfx_error *err)
{
	int fd = strcmp(out, "-") ? open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
				  : STDOUT_FILENO;
	int rc = fd < 0 ? -errno : pfx_write_full(fd, buf->at, buf->len);

	if (rc)
		pfx_error_set(err, EIO, "cannot write '%s'", out);
	if (fd > STDOUT_FILENO)
		close(fd);
	return rc;
}

static int build(const char *text, const char *out, const struct pfx_kit_options *options,
		 struct pfx_error *err)
{
	struct pfx_buffer buf = {0};
	int rc = pfx_kit_build(text, options, &buf, err);

	if (!rc)
		rc = save(out, &buf, err);
	pfx_buffer_fini(&buf);
	return rc;
}

/* OUT/data, then OUT/data.0 and so on. */
static int build_directory(const char *text, const char *out, struct pfx_kit_options *options,
			   struct pfx_error *err)
{
	char *path;
	int rc = 0;

	if (mkdir(out, 0700) < 0 && errno != EEXIST)
		return pfx_error_set(err, EIO, "cannot make '%s'", out);
	for (options->part = 0; !rc; options->part++) {
		path = options->part ? pfx_strfmt("%s/data.%zu", out, options->part - 1)
				     : pfx_strfmt("%s/data", out);
		rc = build(text, path, options, err);
		free(path);
	}
	return rc == -ENOENT ? 0 : rc;
}

int main(int argc, char **argv)
{
	struct pfx_kit_options options = {0};
	struct pfx_error err = {0};
	char *text = NULL;
	int i = 1, rc;

	for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--be"))
			options.big_endian = true;
		else if (!strcmp(argv[i], "--pipe"))
			options.pipe = true;
		else if (!strcmp(argv[i], "--dir"))
			options.directory = true;
		else if (strcmp(argv[i], "--le"))
			break;
	}
	if (argc - i != 2) {
		fprintf(stderr, "usage: pfx-kit [--be|--le] [--pipe|--dir] DESCRIPTION OUT\n");
		return 129;
	}
	rc = pfx_read_file(argv[i], DESCRIPTION_MAX, &text, NULL, &err);
	if (!rc && options.directory)
		rc = build_directory(text, argv[i + 1], &options, &err);
	else if (!rc)
		rc = build(text, argv[i + 1], &options, &err);
	free(text);
	if (!rc)
		return 0;
	fprintf(stderr, "pfx-kit: %s: %s\n", argv[i], err.text);
	return 1;
}
