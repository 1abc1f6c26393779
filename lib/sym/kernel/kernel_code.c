/* SPDX-License-Identifier: MIT */
/*
 * Reads kernel code from an ELF file whose segments have kernel addresses: a core (from a
 * recording, or /proc/kcore) or an image, of either byte order. Only the program headers are read
 * in advance; /proc/kcore cannot be mapped. Uses one symbol, to determine how far the kernel was
 * moved (KASLR).
 */
#include "sym/kernel/kernel_code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/io.h"
#include "base/str.h"
#include "sym/find/request.h"
#include "sym/kernel/kernel_internal.h"
#include "sym/table/symtab.h"

#define KCORE        "/proc/kcore"
#define SEGMENTS_MAX 4096 /* kcore has a segment for each range of memory */
#define PHDR_SIZE    56   /* of a 64-bit file; 32-bit kernels have no kcore of this kind */
#define EHDR_SIZE    64

struct segment {
	uint64_t addr, size, offset;
};

struct pfx_kernel_code {
	int fd;
	char *path;
	uint64_t shift; /* added to a recorded address */
	uint32_t nr;
	struct segment segments[];
};

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

static bool is_swapped(const uint8_t *ident)
{
	static const uint16_t one = 1;
	bool is_little = *(const uint8_t *)&one == 1;

	return (ident[EI_DATA] == ELFDATA2LSB) != is_little;
}

/* Reads the offset and the number of the program headers. */
static bool read_header(int fd, bool *ret_swap, uint64_t *ret_offset, uint16_t *ret_nr)
{
	uint8_t header[EHDR_SIZE];

	if (!read_at(fd, header, sizeof(header), 0) || memcmp(header, ELFMAG, SELFMAG) != 0 ||
	    header[EI_CLASS] != ELFCLASS64)
		return false;
	*ret_swap = is_swapped(header);
	*ret_offset = pfx_load64(header + offsetof(Elf64_Ehdr, e_phoff), *ret_swap);
	*ret_nr = pfx_load16(header + offsetof(Elf64_Ehdr, e_phnum), *ret_swap);
	return pfx_load16(header + offsetof(Elf64_Ehdr, e_phentsize), *ret_swap) == PHDR_SIZE &&
	       *ret_nr && *ret_nr <= SEGMENTS_MAX;
}

static void add_segment(struct pfx_kernel_code *code, const uint8_t *entry, bool swap)
{
	if (pfx_load32(entry + offsetof(Elf64_Phdr, p_type), swap) != PT_LOAD)
		return;
	code->segments[code->nr++] = (struct segment){
		.addr = pfx_load64(entry + offsetof(Elf64_Phdr, p_vaddr), swap),
		.size = pfx_load64(entry + offsetof(Elf64_Phdr, p_filesz), swap),
		.offset = pfx_load64(entry + offsetof(Elf64_Phdr, p_offset), swap),
	};
}

static struct pfx_kernel_code *open_file(const char *path, uint64_t shift)
{
	int fd = pfx_open_plain(path, 0, NULL);
	struct pfx_kernel_code *code = NULL;
	uint8_t *table = NULL;
	uint64_t offset;
	uint16_t nr, i;
	bool swap;

	if (fd >= 0 && read_header(fd, &swap, &offset, &nr)) {
		table = pfx_calloc(nr, PHDR_SIZE);
		if (read_at(fd, table, (size_t)nr * PHDR_SIZE, offset)) {
			code = pfx_calloc(1, sizeof(*code) + nr * sizeof(code->segments[0]));
			code->fd = fd;
			code->path = pfx_strdup(path);
			code->shift = shift;
			for (i = 0; i < nr; i++)
				add_segment(code, table + (size_t)i * PHDR_SIZE, swap);
		}
		free(table);
	}
	if (!code && fd >= 0)
		close(fd);
	return code;
}

/* The distance between the running kernel and the recorded one: KASLR moves it at each boot. */
static bool running_shift(const struct pfx_sym_request *request, uint64_t *ret)
{
	uint64_t running;

	*ret = 0;
	if (!request->kernel_ref_name || !request->kernel_ref_addr)
		return true;
	running = pfx_kallsyms_address("/proc/kallsyms", request->kernel_ref_name);
	if (!running)
		return false;
	*ret = running - request->kernel_ref_addr;
	return true;
}

/* kallsyms files contain no code. */
static bool is_image(const char *path)
{
	return path && strcmp(pfx_file_name(path), "kallsyms") != 0;
}

static int refuse_running(struct pfx_error *err)
{
	char *text;
	int rc = pfx_read_plain_file(KCORE, 1, &text, NULL, NULL);

	if (rc == -EACCES || rc == -EPERM) {
		pfx_error_set(err, EACCES, "'" KCORE "' must not be read by this user");
		pfx_error_hint(err, "run as root (CAP_SYS_RAWIO), or record with --kcore");
		return -EACCES;
	}
	if (!rc)
		free(text);
	pfx_error_set(err, ENOENT, "this kernel does not show its memory in '" KCORE "'");
	pfx_error_hint(err, "name its image with --vmlinux");
	return -ENOENT;
}

/* The memory of the running kernel, if it is the recorded one. */
static int open_running(struct pfx_kernel_code **ret, const struct pfx_sym_request *request,
			const struct pfx_sym_options *options, struct pfx_error *err)
{
	uint64_t shift;

	if (options->symfs || !pfx_kernel_is_running(request)) {
		pfx_error_set(err, ENOENT,
			      "there is neither a copy of the recorded kernel's memory nor its "
			      "image, and another kernel runs here");
		pfx_error_hint(err, "record with --kcore, or name the image with --vmlinux");
		return -ENOENT;
	}
	if (!running_shift(request, &shift)) {
		pfx_error_set(err, EACCES,
			      "where the running kernel is in '" KCORE "' is not shown to this "
			      "user in '/proc/kallsyms'");
		pfx_error_hint(err, "run as root or set kernel.kptr_restrict to 0");
		return -EACCES;
	}
	*ret = open_file(KCORE, shift);
	return *ret ? 0 : refuse_running(err);
}

int pfx_kernel_code_open(struct pfx_kernel_code **ret, const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, const struct pfx_symtab *tab,
			 struct pfx_error *err)
{
	const char *source = pfx_symtab_source(tab);
	int rc = -ENOENT;

	*ret = NULL;
	if (options->kcore)
		*ret = open_file(options->kcore, 0);
	if (!*ret)
		rc = open_running(ret, request, options, err);
	if (!*ret && is_image(source))
		*ret = open_file(source, 0 - pfx_symtab_moved(tab));
	return *ret ? 0 : rc;
}

const char *pfx_kernel_code_path(const struct pfx_kernel_code *code)
{
	return code->path;
}

size_t pfx_kernel_code_read(const struct pfx_kernel_code *code, uint64_t addr, void *to,
			    size_t size)
{
	const struct segment *segment;
	uint64_t at, offset;
	ssize_t got;
	uint32_t i;

	addr += code->shift;
	for (i = 0; i < code->nr; i++) {
		segment = &code->segments[i];
		at = addr - segment->addr;
		if (addr < segment->addr || at >= segment->size)
			continue;
		if (size > segment->size - at)
			size = (size_t)(segment->size - at);
		if (__builtin_add_overflow(segment->offset, at, &offset) || offset > INT64_MAX)
			return 0;
		got = pread(code->fd, to, size, (off_t)offset);
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

void pfx_kernel_code_free(struct pfx_kernel_code *code)
{
	if (!code)
		return;
	close(code->fd);
	free(code->path);
	free(code);
}
