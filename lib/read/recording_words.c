/* SPDX-License-Identifier: MIT */
/* Arguments that may be the path of a recording, given without -i. */
#include <errno.h>
#include <sys/stat.h>

#include "base/str.h"
#include "file/pack/tar.h"
#include "file/reader/reader.h"
#include "read/recording_words.h"

/* Opening a FIFO would block, and a device may be endless. */
bool pfx_recording_is_at(const char *path)
{
	const struct pfx_reader_options options = {.force = true};
	struct pfx_reader *reader = NULL;
	struct stat st;
	bool opens;

	if (stat(path, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return false;
	opens = pfx_tar_is_archive(path) || pfx_reader_open(&reader, path, &options, NULL) >= 0;
	pfx_reader_free(reader);
	return opens;
}

int pfx_recording_refuse_as_word(const char *word, struct pfx_error *err)
{
	char shown[128];

	if (!pfx_recording_is_at(word))
		return 0;
	pfx_escape(shown, sizeof(shown), word);
	pfx_error_set(err, EINVAL, "'%s' is a recording", shown);
	pfx_error_hint(err, "read it with -i %s", shown);
	return -EINVAL;
}
