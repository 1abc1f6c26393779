/* SPDX-License-Identifier: MIT */
/* Any bytes as a stream that comes through a pipe. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/io.h"
#include "fuzz/reading.h"

/* More than a pipe holds would block without a second thread. */
#define PIPE_BYTES (1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pfx_recording_options options = {.reader.keep_meta_records = true};
	struct pfx_recording *recording;
	struct pfx_error err;
	char path[64];
	int fds[2], room;

	if (pipe(fds))
		return 0;
	room = fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES);
	if (room < 0 || size > (size_t)room || pfx_write_full(fds[1], data, size))
		size = 0;
	close(fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	if (!pfx_recording_open(&recording, path, &options, &err))
		read_everything(recording);
	close(fds[0]);
	return 0;
}
