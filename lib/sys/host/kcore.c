/* SPDX-License-Identifier: MIT */
/*
 * /proc/kcore is an ELF core file whose segments are the kernel's memory, most of it data. The copy
 * has the pages between _stext and _etext and those of the modules, each as a PT_LOAD segment at
 * its address. Only 64-bit kernels are supported.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/str.h"
#include "sys/host/kcore.h"
#include "sys/host/proc.h"

#define PAGE          4096u
#define SEGMENTS_MAX  4096         /* of kcore: machines have a few dozen */
#define RANGES_MAX    65536        /* modules */
#define RANGE_LONGEST (1ull << 30) /* maximum text size; protects from invalid symbols */
#define COPY_CHUNK    (1u << 20)

struct range {
	uint64_t start, end;
};

struct copy {
	const char *root;
	PFX_VEC(struct range) ranges; /* address ranges, page-aligned */
	Elf64_Ehdr head;
	PFX_VEC(Elf64_Phdr) segments; /* of kcore */
	PFX_VEC(Elf64_Phdr) pieces;   /* of the copy; p_paddr is the offset in kcore */
	int from, to;
};

static void add_range(struct copy *copy, uint64_t start, uint64_t end)
{
	start &= ~(uint64_t)(PAGE - 1);
	end = (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (start && start < end && end - start <= RANGE_LONGEST && copy->ranges.nr < RANGES_MAX)
		pfx_vec_push(&copy->ranges, ((struct range){start, end}));
}

/* "ffffffff81000000 T _stext": the kernel's own symbols are before those of modules. */
static int find_text(struct copy *copy, struct pfx_error *err)
{
	uint64_t start = 0, end = 0, address;
	struct pfx_proc_lines lines;
	char *line, *at;
	int rc = pfx_proc_lines_open(&lines, copy->root, "/proc/kallsyms");

	while (!rc && !(start && end) && (line = pfx_proc_lines_next(&lines))) {
		address = strtoull(line, &at, 16);
		if (strlen(at) < 4)
			continue;
		if (strcmp(at + 3, "_stext") == 0)
			start = address;
		else if (strcmp(at + 3, "_etext") == 0)
			end = address;
	}
	pfx_proc_lines_close(&lines);
	add_range(copy, start, end);
	if (copy->ranges.nr)
		return 0;
	pfx_error_set(err, EACCES, "the kernel does not tell where its text is");
	pfx_error_hint(err, "run as root, or with kernel.kptr_restrict=0");
	return -EACCES;
}

/* "name size refcount users state 0xaddress" */
static void find_modules(struct copy *copy)
{
	struct pfx_proc_lines lines;
	uint64_t size, address;
	char *line, *at;

	if (!pfx_proc_lines_open(&lines, copy->root, "/proc/modules"))
		while ((line = pfx_proc_lines_next(&lines))) {
			at = strchr(line, ' ');
			size = at ? strtoull(at, NULL, 10) : 0;
			at = strstr(line, " 0x");
			address = at ? strtoull(at, NULL, 16) : 0;
			if (address && size <= RANGE_LONGEST)
				add_range(copy, address, address + size);
		}
	pfx_proc_lines_close(&lines);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void join_ranges(struct copy *copy)
{
	struct range *at = copy->ranges.at;
	size_t i, kept = 0;

	qsort(at, copy->ranges.nr, sizeof(*at), compare_ranges);
	for (i = 1; i < copy->ranges.nr; i++) {
		if (at[i].start > at[kept].end)
			at[++kept] = at[i];
		else if (at[i].end > at[kept].end)
			at[kept].end = at[i].end;
	}
	copy->ranges.nr = kept + 1;
}

static int refuse(struct pfx_error *err)
{
	pfx_error_set(err, EBADMSG, "/proc/kcore is not what was expected");
	pfx_error_hint(err, "only those of 64-bit kernels are known");
	return -EBADMSG;
}

static int read_segments(struct copy *copy, struct pfx_error *err)
{
	Elf64_Phdr segment;
	unsigned i;

	if (pread(copy->from, &copy->head, sizeof(copy->head), 0) != sizeof(copy->head) ||
	    memcmp(copy->head.e_ident, ELFMAG, SELFMAG) ||
	    copy->head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    copy->head.e_phentsize != sizeof(segment) || copy->head.e_phnum > SEGMENTS_MAX)
		return refuse(err);
	for (i = 0; i < copy->head.e_phnum; i++) {
		if (pread(copy->from, &segment, sizeof(segment),
			  (off_t)(copy->head.e_phoff + i * sizeof(segment))) != sizeof(segment))
			return refuse(err);
		if (segment.p_type == PT_LOAD &&
		    segment.p_vaddr + segment.p_memsz >= segment.p_vaddr)
			pfx_vec_push(&copy->segments, segment);
	}
	return 0;
}

/* Lay out the parts of kcore's segments that are in the ranges, after the headers. */
static void lay_out(struct copy *copy)
{
	size_t i, j, nr;
	uint64_t place;

	for (i = 0; i < copy->ranges.nr; i++) {
		for (j = 0; j < copy->segments.nr; j++) {
			const Elf64_Phdr *from = &copy->segments.at[j];
			uint64_t start = copy->ranges.at[i].start, end = copy->ranges.at[i].end;
			Elf64_Phdr piece = {.p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X};

			start = start > from->p_vaddr ? start : from->p_vaddr;
			end = end < from->p_vaddr + from->p_memsz ? end
								  : from->p_vaddr + from->p_memsz;
			if (start >= end)
				continue;
			piece.p_vaddr = start;
			piece.p_paddr = from->p_offset + (start - from->p_vaddr);
			piece.p_filesz = piece.p_memsz = end - start;
			piece.p_align = PAGE;
			pfx_vec_push(&copy->pieces, piece);
		}
	}
	nr = copy->pieces.nr;
	place = (sizeof(copy->head) + nr * sizeof(Elf64_Phdr) + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	for (i = 0; i < nr; i++) {
		copy->pieces.at[i].p_offset = place;
		place += copy->pieces.at[i].p_filesz;
	}
}

static int write_heads(struct copy *copy)
{
	Elf64_Ehdr head = {
		.e_type = ET_CORE,
		.e_machine = copy->head.e_machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_flags = copy->head.e_flags,
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (Elf64_Half)copy->pieces.nr,
	};
	Elf64_Phdr segment;
	size_t i;
	int rc;

	memcpy(head.e_ident, copy->head.e_ident, sizeof(head.e_ident));
	rc = pfx_pwrite_full(copy->to, &head, sizeof(head), 0);
	for (i = 0; i < copy->pieces.nr && !rc; i++) {
		segment = copy->pieces.at[i];
		segment.p_paddr = 0;
		rc = pfx_pwrite_full(copy->to, &segment, sizeof(segment),
				     (off_t)(sizeof(head) + i * sizeof(segment)));
	}
	return rc;
}

static int copy_piece(struct copy *copy, const Elf64_Phdr *piece, uint8_t *chunk)
{
	uint64_t done = 0;
	ssize_t size;
	int rc = 0;

	while (done < piece->p_filesz && !rc) {
		size = (ssize_t)(piece->p_filesz - done < COPY_CHUNK ? piece->p_filesz - done
								     : COPY_CHUNK);
		size = pread(copy->from, chunk, (size_t)size, (off_t)(piece->p_paddr + done));
		if (size <= 0)
			return size < 0 ? -errno : -EIO;
		rc = pfx_pwrite_full(copy->to, chunk, (size_t)size,
				     (off_t)(piece->p_offset + done));
		done += (uint64_t)size;
	}
	return rc;
}

static int copy_text(struct copy *copy)
{
	uint8_t *chunk = pfx_malloc(COPY_CHUNK);
	int rc = write_heads(copy);
	size_t i;

	for (i = 0; i < copy->pieces.nr && !rc; i++)
		rc = copy_piece(copy, &copy->pieces.at[i], chunk);
	free(chunk);
	return rc;
}

/* Copies a file of /proc, whose size is unknown in advance. Without module support in the kernel,
 * the copy is empty. */
static int copy_file(const char *root, const char *name, const char *dir)
{
	char *from = pfx_strfmt("%s/proc/%s", root ? root : "", name), *chunk;
	char *to = pfx_strfmt("%s/%s", dir, name);
	int in = open(from, O_RDONLY | O_CLOEXEC), rc = in < 0 && errno != ENOENT ? -errno : 0;
	int out = rc ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ssize_t size = in < 0 ? 0 : 1;

	if (!rc && out < 0)
		rc = -errno;
	chunk = pfx_malloc(COPY_CHUNK);
	while (!rc && size > 0) {
		size = read(in, chunk, COPY_CHUNK);
		rc = size < 0 ? -errno : pfx_write_full(out, chunk, (size_t)size);
	}
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	free(chunk);
	free(from);
	free(to);
	return rc;
}

static int open_both(struct copy *copy, const char *dir, struct pfx_error *err)
{
	char *from = pfx_strfmt("%s/proc/kcore", copy->root ? copy->root : "");
	char *to = pfx_strfmt("%s/kcore", dir), shown[256];
	int rc = 0;

	copy->from = open(from, O_RDONLY | O_CLOEXEC);
	if (copy->from < 0) {
		rc = pfx_error_sys(err, errno, "cannot read the kernel's memory in '%s'",
				   pfx_escape(shown, sizeof(shown), from));
		pfx_error_hint(err, rc == -ENOENT ? "this kernel was built without it"
						  : "run as root: it needs CAP_SYS_RAWIO");
	}
	if (!rc)
		copy->to = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
	if (!rc && copy->to < 0)
		rc = pfx_error_sys(err, errno, "cannot write '%s'",
				   pfx_escape(shown, sizeof(shown), to));
	free(from);
	free(to);
	return rc;
}

static int copy_kernel(struct copy *copy, const char *dir, struct pfx_error *err)
{
	char shown[256];
	int rc = find_text(copy, err);

	if (rc >= 0)
		rc = open_both(copy, dir, err);
	if (rc >= 0)
		rc = read_segments(copy, err);
	if (rc < 0)
		return rc;
	find_modules(copy);
	join_ranges(copy);
	lay_out(copy);
	if (!copy->pieces.nr)
		return refuse(err);
	rc = copy_text(copy);
	if (!rc)
		rc = copy_file(copy->root, "kallsyms", dir);
	if (!rc)
		rc = copy_file(copy->root, "modules", dir);
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot copy the kernel into '%s'",
				      pfx_escape(shown, sizeof(shown), dir))
		      : 0;
}

void pfx_kcore_remove(const char *dir)
{
	static const char *const names[] = {"kcore", "kallsyms", "modules"};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = pfx_strfmt("%s/%s", dir, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
}

int pfx_kcore_copy(const char *root, const char *dir, struct pfx_error *err)
{
	struct copy copy = {.root = root, .from = -1, .to = -1};
	char shown[256];
	int rc;

	if (mkdir(dir, 0700) < 0)
		return pfx_error_sys(err, errno, "cannot make '%s'",
				     pfx_escape(shown, sizeof(shown), dir));
	rc = copy_kernel(&copy, dir, err);
	if (copy.from >= 0)
		close(copy.from);
	if (copy.to >= 0)
		close(copy.to);
	pfx_vec_free(&copy.ranges);
	pfx_vec_free(&copy.segments);
	pfx_vec_free(&copy.pieces);
	if (rc < 0)
		pfx_kcore_remove(dir);
	return rc;
}
