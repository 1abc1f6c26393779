/* SPDX-License-Identifier: MIT */
/*
 * Build ids from wherever they stand: notes of a file, of an image in memory, of the running
 * kernel. A note is: name size, descriptor size, type (32 bits each), name, descriptor, both padded
 * to 4.
 */
#include "sym/buildid.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/io.h"
#include "base/str.h"
#include "sym/elf_internal.h"

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

int pfx_build_id_of_file(const char *path, struct pfx_build_id *ret, struct pfx_error *err)
{
	struct pfx_elf elf;
	char shown[256];
	int rc = pfx_elf_open(path, &elf, err);

	*ret = (struct pfx_build_id){0};
	if (rc)
		return rc;
	*ret = elf.build_id;
	pfx_elf_close(&elf);
	if (!ret->size)
		return pfx_error_set(err, ENOENT, "'%s' has no build id",
				     pfx_escape(shown, sizeof(shown), path));
	return 0;
}

int pfx_build_id_of_image(const void *data, size_t size, struct pfx_build_id *ret)
{
	struct pfx_elf elf;
	int rc = pfx_elf_open_image(data, size, &elf, NULL);

	*ret = (struct pfx_build_id){0};
	if (rc)
		return rc;
	*ret = elf.build_id;
	pfx_elf_close(&elf);
	return ret->size ? 0 : -ENOENT;
}

static int id_of_notes_file(const char *path, struct pfx_build_id *ret)
{
	size_t size;
	char *data;
	int rc = pfx_read_file(path, NOTES_MAX, &data, &size, NULL);

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
