/* SPDX-License-Identifier: MIT */
/* An archive unpacked for one reader, which removes the directory when it is freed. */
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "read/archive.h"
#include "read/temp_dir.h"

struct pfx_unpacked {
	struct pfx_temp_dir *dir;
	char *cache, *recording;
	struct pfx_archive_counts counts;
};

static int make_dir(struct pfx_unpacked *u, struct pfx_error *err)
{
	int rc = pfx_temp_dir_new(&u->dir, "archive", err);

	if (rc)
		return rc;
	u->cache = pfx_strfmt("%s/cache", pfx_temp_dir_path(u->dir));
	u->recording = pfx_strfmt("%s/" PFX_ARCHIVE_RECORDING, pfx_temp_dir_path(u->dir));
	return 0;
}

static int fill(struct pfx_unpacked *u, const char *path, struct pfx_error *err)
{
	char shown[256];
	int rc = make_dir(u, err);

	if (!rc)
		rc = pfx_archive_unpack(path, u->cache, u->recording, &u->counts, err);
	if (rc || u->counts.has_recording)
		return rc;
	pfx_error_set(err, ENODATA, "there is no recording in '%s'",
		      pfx_escape(shown, sizeof(shown), path));
	pfx_error_hint(err, "unpack it with 'pfx archive --unpack' and read the recording itself");
	return -ENODATA;
}

int pfx_unpacked_open(struct pfx_unpacked **ret, const char *path, struct pfx_error *err)
{
	struct pfx_unpacked *u = pfx_calloc(1, sizeof(*u));
	int rc;

	rc = fill(u, path, err);
	if (rc) {
		pfx_unpacked_free(u);
		return rc;
	}
	*ret = u;
	return 0;
}

void pfx_unpacked_free(struct pfx_unpacked *u)
{
	if (!u)
		return;
	pfx_temp_dir_free(u->dir);
	free(u->cache);
	free(u->recording);
	free(u);
}

const char *pfx_unpacked_recording(const struct pfx_unpacked *u)
{
	return u->recording;
}

const char *pfx_unpacked_cache(const struct pfx_unpacked *u)
{
	return u->cache;
}

const struct pfx_archive_counts *pfx_unpacked_counts(const struct pfx_unpacked *u)
{
	return &u->counts;
}
