/* SPDX-License-Identifier: MIT */
/* Error messages for inputs that are not perf.data files: what they are instead, and the remedy.
 * Sections 2.1 and 2.6 of Documentation/file-format.md. */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "reader_state_internal.h"

#define TEXT_LOOK 512 /* bytes that are checked to detect text files */

struct kind {
	const char *magic;
	unsigned len;
	const char *what;
	const char *hint;
};

static const struct kind kinds[] = {
	{"BZh", 3, "is compressed with bzip2", "unpack it first: bzip2 -dc FILE | pfx ... -i -"},
	{"PK\x03\x04", 4, "is a zip archive", "unpack the recording first"},
	{"\x7f"
	 "ELF",
	 4, "is a program or library", "record it first: pfx record -- FILE"},
};

static bool is_text(const uint8_t *data, size_t size)
{
	size_t i;

	if (size > TEXT_LOOK)
		size = TEXT_LOOK;
	for (i = 0; i < size; i++)
		if (data[i] < 0x20 ? !strchr("\t\n\r\f\v\b\x1b", data[i]) || !data[i]
				   : data[i] == 0x7f)
			return false;
	return size > 0;
}

/* Whether a recording is shorter than its header. */
static bool is_start_of_magic(const uint8_t *data, size_t size)
{
	size_t len = size < 8 ? size : 8;

	return len >= 4 && (!memcmp(data, "PERFILE2", len) || !memcmp(data, "2ELIFREP", len) ||
			    !memcmp(data, PFX_MAGIC_V1, len));
}

static int refuse(const struct pfx_reader *reader, const char *what, const char *hint,
		  struct pfx_error *err)
{
	char name[256];

	pfx_error_set(err, EBADMSG, "'%s' %s, not a recording",
		      pfx_reader_name(reader, name, sizeof(name)), what);
	pfx_error_hint(err, "%s", hint);
	pfx_error_known(err, "incompatible file format: '%s' %s", name, what);
	return -EBADMSG;
}

int pfx_reader_refuse_short(const struct pfx_reader *reader, const char *what,
			    struct pfx_error *err)
{
	char name[256];

	pfx_error_set(err, ENODATA, "'%s' is cut short inside %s",
		      pfx_reader_name(reader, name, sizeof(name)), what);
	pfx_error_hint(err, "copy it again, or record again; nothing can be saved of it");
	return -ENODATA;
}

int pfx_reader_refuse(const struct pfx_reader *reader, const uint8_t *data, size_t size,
		      struct pfx_error *err)
{
	char name[256];
	size_t i;

	if (!size) {
		pfx_error_set(err, ENODATA, "'%s' is empty",
			      pfx_reader_name(reader, name, sizeof(name)));
		pfx_error_hint(err, "the recorder ended before it wrote anything: record again");
		pfx_error_known(err, "zero-sized data (%s), nothing to do!", name);
		return -ENODATA;
	}
	if (is_start_of_magic(data, size))
		return pfx_reader_refuse_short(reader, "its header", err);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (size >= kinds[i].len && !memcmp(data, kinds[i].magic, kinds[i].len))
			return refuse(reader, kinds[i].what, kinds[i].hint, err);
	if (is_text(data, size))
		return refuse(reader, "is text",
			      "'pfx record' makes recordings; name one with -i FILE", err);
	return refuse(reader, "is something else", "'pfx record' makes recordings", err);
}
