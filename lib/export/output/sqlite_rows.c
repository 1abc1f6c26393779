/* SPDX-License-Identifier: MIT */
/* Keys ascend, so that each page is full before the next one begins, at every level of the tree. */
#include "export/output/sqlite_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"

#define LEAF          0x0d
#define INTERIOR      0x05
#define LEAF_HEAD     8
#define INTERIOR_HEAD 12
#define VARINT_MAX    9
#define LOCK_BYTE     0x40000000u /* the page with this byte is never used */
#define SIZE_AT       28          /* in the header of the file: the number of pages */
#define DROP_PAGES    256
#define ROW_MAX       (2 * VARINT_MAX + 1 + 9 * (PFX_SQLITE_COLUMNS_MAX + 1))

/* A page of the level below: its number in the file, and its last key. */
struct child {
	uint32_t page;
	uint64_t last;
};

struct tree {
	int fd;
	uint32_t next; /* the next number of a page, from 1 */
	int failure;
};

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value);
}

/* Numbers below 2^56: seven bits in each byte, the highest first. */
static unsigned put_varint(uint8_t *at, uint64_t value)
{
	unsigned nr = 1, i;

	while (value >> (7 * nr))
		nr++;
	for (i = 0; i < nr; i++)
		at[i] = (uint8_t)((value >> (7 * (nr - 1 - i)) & 0x7f) | (i + 1 < nr ? 0x80 : 0));
	return nr;
}

/* --- leaves --- */

/* The type of a number, and its bytes. */
static uint8_t type_of(int64_t value, unsigned *ret_size)
{
	uint64_t magnitude = (uint64_t)(value < 0 ? ~value : value);

	*ret_size = 0;
	if (value == 0 || value == 1)
		return (uint8_t)(8 + value);
	if (magnitude < 1ull << 31) {
		*ret_size = magnitude < 1u << 7    ? 1
			    : magnitude < 1u << 15 ? 2
			    : magnitude < 1u << 23 ? 3
						   : 4;
		return (uint8_t)*ret_size;
	}
	*ret_size = magnitude < 1ull << 47 ? 6 : 8;
	return *ret_size == 6 ? 5 : 6;
}

/* The record of a row: types, then numbers. The key is in the cell, and NULL (type 0) here. */
static unsigned make_record(uint8_t *to, const int64_t *values, unsigned nr)
{
	uint8_t *at = to + nr + 2;
	unsigned size, i;

	to[0] = (uint8_t)(nr + 2);
	to[1] = 0;
	for (i = 0; i < nr; i++) {
		to[2 + i] = type_of(values[i], &size);
		while (size--)
			*at++ = (uint8_t)((uint64_t)values[i] >> (8 * size));
	}
	return (unsigned)(at - to);
}

static uint8_t *page_at(const struct pfx_sqlite_rows *rows, uint64_t page)
{
	return (uint8_t *)rows->pages.at + page * PFX_SQLITE_PAGE;
}

static void begin_page(struct pfx_sqlite_rows *rows)
{
	size_t need = (rows->nr_pages + 1) * PFX_SQLITE_PAGE;

	if (need > rows->pages.size)
		pfx_paged_grow(&rows->pages, need + need / 2);
	if (rows->nr_pages % DROP_PAGES == 0)
		pfx_paged_drop(&rows->pages);
	memset(page_at(rows, rows->nr_pages), 0, PFX_SQLITE_PAGE);
	page_at(rows, rows->nr_pages)[0] = LEAF;
	rows->nr_pages++;
	pfx_vec_push(&rows->last, 0);
	rows->nr_cells = 0;
	rows->free_end = PFX_SQLITE_PAGE;
}

static void put_cell(struct pfx_sqlite_rows *rows, const uint8_t *cell, unsigned size)
{
	uint8_t *page;

	if (!rows->nr_pages || LEAF_HEAD + 2 * (rows->nr_cells + 1) + size > rows->free_end)
		begin_page(rows);
	page = page_at(rows, rows->nr_pages - 1);
	rows->free_end -= size;
	memcpy(page + rows->free_end, cell, size);
	put16(page + LEAF_HEAD + 2 * rows->nr_cells++, rows->free_end);
	put16(page + 3, rows->nr_cells);
	put16(page + 5, rows->free_end);
	rows->last.at[rows->nr_pages - 1] = rows->nr_rows;
}

void pfx_sqlite_rows_add(struct pfx_sqlite_rows *rows, const int64_t *values, unsigned nr)
{
	uint8_t record[ROW_MAX], cell[ROW_MAX];
	unsigned size = make_record(record, values, nr), at;

	at = put_varint(cell, size);
	at += put_varint(cell + at, rows->nr_rows);
	memcpy(cell + at, record, size);
	put_cell(rows, cell, at + size);
	rows->nr_rows++;
}

/* --- the tree --- */

static void write_page(struct tree *tree, uint32_t page, const uint8_t *bytes)
{
	off_t at = (off_t)(page - 1) * PFX_SQLITE_PAGE;

	if (!tree->failure)
		tree->failure = pfx_pwrite_full(tree->fd, bytes, PFX_SQLITE_PAGE, at);
}

static uint32_t new_number(struct tree *tree)
{
	if (tree->next == LOCK_BYTE / PFX_SQLITE_PAGE + 1)
		tree->next++;
	if (tree->next >= UINT32_MAX - 1 && !tree->failure)
		tree->failure = -EFBIG;
	return tree->next++;
}

/* As many children as fit: their number. The last one of a page has no cell. */
static size_t make_interior(uint8_t *page, const struct child *children, size_t nr)
{
	uint32_t end = PFX_SQLITE_PAGE, cells = 0, size;
	uint8_t cell[4 + VARINT_MAX];
	size_t i;

	memset(page, 0, PFX_SQLITE_PAGE);
	page[0] = INTERIOR;
	for (i = 0; i + 1 < nr; i++) {
		put32(cell, children[i].page);
		size = 4 + put_varint(cell + 4, children[i].last);
		if (INTERIOR_HEAD + 2 * (cells + 1) + size > end)
			break;
		end -= size;
		memcpy(page + end, cell, size);
		put16(page + INTERIOR_HEAD + 2 * cells++, end);
	}
	put16(page + 3, cells);
	put16(page + 5, end);
	put32(page + 8, children[i].page);
	return i + 1;
}

/* Writes the level above @nr children, which are replaced by its pages: their number. */
static size_t write_level(struct tree *tree, struct child *children, size_t nr, uint32_t root)
{
	uint8_t page[PFX_SQLITE_PAGE];
	size_t at = 0, made = 0, taken;

	while (at < nr) {
		taken = make_interior(page, children + at, nr - at);
		children[made].last = children[at + taken - 1].last;
		children[made].page = !at && taken == nr ? root : new_number(tree);
		write_page(tree, children[made++].page, page);
		at += taken;
	}
	return made;
}

/* A single leaf is the root itself. */
static struct child *write_leaves(struct tree *tree, const struct pfx_sqlite_rows *rows,
				  uint32_t root)
{
	struct child *children = pfx_malloc((rows->nr_pages + 1) * sizeof(*children));
	uint64_t i;

	for (i = 0; i < rows->nr_pages && !tree->failure; i++) {
		children[i].page = rows->nr_pages == 1 ? root : new_number(tree);
		children[i].last = rows->last.at[i];
		write_page(tree, children[i].page, page_at(rows, i));
		if (i % DROP_PAGES == 0)
			pfx_paged_drop(&rows->pages);
	}
	return children;
}

static void write_size(struct tree *tree)
{
	uint8_t size[4];

	put32(size, tree->next - 1);
	if (!tree->failure)
		tree->failure = pfx_pwrite_full(tree->fd, size, sizeof(size), SIZE_AT);
}

int pfx_sqlite_rows_write(struct pfx_sqlite_rows *rows, int fd, uint32_t root)
{
	struct tree tree = {.fd = fd};
	off_t size = lseek(fd, 0, SEEK_END);
	struct child *children;
	size_t nr = rows->nr_pages;

	if (size < 0)
		return -errno;
	if (!nr)
		return 0;
	tree.next = (uint32_t)(size / PFX_SQLITE_PAGE) + 1;
	children = write_leaves(&tree, rows, root);
	while (nr > 1 && !tree.failure)
		nr = write_level(&tree, children, nr, root);
	write_size(&tree);
	free(children);
	return tree.failure;
}

void pfx_sqlite_rows_fini(struct pfx_sqlite_rows *rows)
{
	pfx_paged_free(&rows->pages);
	pfx_vec_free(&rows->last);
}
