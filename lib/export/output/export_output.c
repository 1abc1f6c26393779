/* SPDX-License-Identifier: MIT */
/* Collects the text of a format and writes it to a file or to standard output. */
#include "export/output/export_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "export/output/pack_internal.h"

#define FLUSH_SIZE (256u << 10)

static void write_text(struct pfx_export_output *out, const struct pfx_str *text)
{
	int fd = out->path ? out->part.fd : STDOUT_FILENO;

	if (!out->failure && text->len)
		out->failure = pfx_write_full(fd, text->at, text->len);
}

static int write_all(struct pfx_export_output *out, bool is_last)
{
	struct pfx_str packed = {0};

	if (out->pack) {
		pfx_export_pack_add(out->pack, &out->text, is_last, &packed);
		write_text(out, &packed);
		pfx_str_fini(&packed);
	} else {
		write_text(out, &out->text);
	}
	pfx_str_clear(&out->text);
	return out->failure;
}

void pfx_export_gzip(struct pfx_export_output *out)
{
	out->pack = pfx_export_pack_new();
}

int pfx_export_open(struct pfx_export_output *ret, const char *path,
		    const struct pfx_open_wait *wait, struct pfx_error *err)
{
	*ret = (struct pfx_export_output){.path = strcmp(path, "-") ? path : NULL};
	return ret->path ? pfx_part_open(&ret->part, path, wait, err) : 0;
}

int pfx_export_flush(struct pfx_export_output *out)
{
	return out->text.len > FLUSH_SIZE ? write_all(out, false) : out->failure;
}

int pfx_export_file(const struct pfx_export_output *out)
{
	return out->path ? out->part.late.fd : -1;
}

void pfx_export_fail(struct pfx_export_output *out, int rc, const struct pfx_error *err)
{
	if (out->failure)
		return;
	out->failure = rc;
	out->error = *err;
}

static void set_error(const struct pfx_export_output *out, struct pfx_error *err)
{
	char shown[256];

	if (out->error.code)
		*err = out->error;
	else if (out->path)
		pfx_error_sys(err, -out->failure, "cannot write '%s'",
			      pfx_escape(shown, sizeof(shown), out->path));
	else
		pfx_error_sys(err, -out->failure, "cannot write to standard output");
}

int pfx_export_close(struct pfx_export_output *out, int rc, struct pfx_error *err)
{
	if (!rc && write_all(out, true)) {
		rc = out->failure;
		set_error(out, err);
	}
	pfx_str_fini(&out->text);
	pfx_export_pack_free(out->pack);
	out->pack = NULL;
	return out->path ? pfx_part_close(&out->part, rc, err) : rc;
}
