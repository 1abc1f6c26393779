/* SPDX-License-Identifier: MIT */
/*
 * Build IDs from ELF notes and of the running kernel, and their text form. A note is: name size,
 * descriptor size, type (32 bits each), name, descriptor, both padded to 4 bytes.
 */
#include "sym/elf/buildid.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/io.h"
#include "base/str.h"

#define NOTES_MAX  (1u << 20)
#define MODULE_MAX 128

struct pfx_build_id pfx_build_id_make(const void *data, size_t size)
{
	struct pfx_build_id id = {0};

	if (data && size <= PFX_BUILD_ID_SIZE) {
		id.size = (uint8_t)size;
		memcpy(id.data, data, size);
	}
	return id;
}

bool pfx_build_id_same(const struct pfx_build_id *a, const struct pfx_build_id *b)
{
	return a->size && a->size == b->size && !memcmp(a->data, b->data, a->size);
}

int pfx_build_id_of_notes(const void *data, size_t size, struct pfx_build_id *ret)
{
	struct pfx_cursor c = pfx_cursor_make(data, size, false);
	uint32_t name_size, size_of_id, type;
	const uint8_t *name, *id;

	*ret = (struct pfx_build_id){0};
	while (pfx_cursor_left(&c) >= 12) {
		name_size = pfx_cursor_u32(&c);
		size_of_id = pfx_cursor_u32(&c);
		type = pfx_cursor_u32(&c);
		name = pfx_cursor_bytes(&c, ((size_t)name_size + 3) & ~(size_t)3);
		id = pfx_cursor_bytes(&c, size_of_id);
		if (!name || !id)
			return -ENOENT;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) &&
		    size_of_id) {
			ret->size = size_of_id < PFX_BUILD_ID_SIZE ? (uint8_t)size_of_id
								   : PFX_BUILD_ID_SIZE;
			memcpy(ret->data, id, ret->size);
			return 0;
		}
		if (pfx_cursor_left(&c) < (-size_of_id & 3))
			break;
		pfx_cursor_skip(&c, -size_of_id & 3);
	}
	return -ENOENT;
}

static int id_of_notes_file(const char *path, struct pfx_build_id *ret)
{
	size_t size;
	char *data;
	int rc = pfx_read_plain_file(path, NOTES_MAX, &data, &size, NULL);

	*ret = (struct pfx_build_id){0};
	if (rc)
		return rc;
	rc = pfx_build_id_of_notes(data, size, ret);
	free(data);
	return rc;
}

int pfx_build_id_of_kernel(struct pfx_build_id *ret)
{
	return id_of_notes_file("/sys/kernel/notes", ret);
}

int pfx_build_id_of_module(const char *name, struct pfx_build_id *ret)
{
	char path[MODULE_MAX + 64];

	*ret = (struct pfx_build_id){0};
	if (strlen(name) > MODULE_MAX || strchr(name, '/'))
		return -EINVAL;
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	return id_of_notes_file(path, ret);
}

char *pfx_build_id_text(const struct pfx_build_id *id, char *out)
{
	size_t i;

	out[0] = '\0';
	for (i = 0; i < id->size && i < PFX_BUILD_ID_SIZE; i++)
		snprintf(out + 2 * i, 3, "%02x", id->data[i]);
	return out;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool pfx_build_id_parse(const char *text, size_t len, struct pfx_build_id *ret)
{
	size_t i;

	*ret = (struct pfx_build_id){0};
	if (len % 2 || len < 4 || len > 2 * PFX_BUILD_ID_SIZE)
		return false;
	for (i = 0; i < len; i++) {
		int digit = hex_digit(text[i]);

		if (digit < 0)
			return false;
		ret->data[i / 2] = (uint8_t)(ret->data[i / 2] << 4 | digit);
	}
	ret->size = (uint8_t)(len / 2);
	return true;
}
