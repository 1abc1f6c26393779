/* SPDX-License-Identifier: MIT */
/*
 * The least that any reader of a recording does: maps the file and goes from record to record.
 * tests/bench/run sets reports beside it. Prints how many samples there are.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_DATA 40 /* where the header says where the records are */
#define HEADER_MIN  64
#define SAMPLE      9

struct head {
	uint32_t type;
	uint16_t misc, size;
};

static int64_t count_samples(const uint8_t *file, uint64_t size)
{
	uint64_t at, len;
	struct head head;
	int64_t nr = 0;

	memcpy(&at, file + HEADER_DATA, sizeof(at));
	memcpy(&len, file + HEADER_DATA + sizeof(at), sizeof(len));
	if (at > size || len > size - at)
		return -1;
	for (; len >= sizeof(head); at += head.size, len -= head.size) {
		memcpy(&head, file + at, sizeof(head));
		if (head.size < sizeof(head) || head.size > len)
			return -1;
		nr += head.type == SAMPLE;
	}
	return nr;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct stat st;
	int64_t nr = -1;
	void *file;

	if (fd < 0 || fstat(fd, &st) || st.st_size < HEADER_MIN) {
		fprintf(stderr, "usage: walk RECORDING\n");
		return 2;
	}
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file != MAP_FAILED)
		nr = count_samples(file, (uint64_t)st.st_size);
	if (nr < 0) {
		fprintf(stderr, "walk: '%s' is not a recording in one piece\n", argv[1]);
		return 1;
	}
	printf("%" PRId64 "\n", nr);
	return 0;
}
