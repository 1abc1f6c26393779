/* SPDX-License-Identifier: MIT */
/*
 * A program and the package of its split debug information, both any bytes: four bytes that say how
 * long the program is, then both. Lines and inlined functions are read for addresses all over it.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/cursor.h"
#include "fuzz/ask_lines.h"
#include "sym/find/request.h"

#define SIZE_MAX_OF_BOTH (1u << 20)
#define STEPS            256 /* addresses that are asked for */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool write_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "w");
	bool ok = file && fwrite(data, 1, size, file) == size;

	return (!file || !fclose(file)) && ok;
}

static size_t read_program(const char *path, size_t size)
{
	static const struct pfx_sym_options options = {.buildid_dir = ""};
	struct pfx_sym_request request = {.kind = PFX_SYM_FILE, .path = path};

	return ask_lines(&request, &options, 0, size, STEPS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64], package[72];
	struct pfx_cursor c = pfx_cursor_make(data, size, false);
	uint32_t len = pfx_cursor_u32(&c);
	const uint8_t *program = pfx_cursor_bytes(&c, len);

	if (!program || size > SIZE_MAX_OF_BOTH)
		return 0;
	snprintf(path, sizeof(path), "/dev/shm/pfx-fuzz-split-%d", (int)getpid());
	snprintf(package, sizeof(package), "%s.dwp", path);
	if (write_file(path, program, len) && write_file(package, c.at, pfx_cursor_left(&c)) &&
	    read_program(path, len) == SIZE_MAX) /* so that all of the results are read */
		puts("much");
	unlink(path);
	unlink(package);
	return 0;
}
