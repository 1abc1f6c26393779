/* SPDX-License-Identifier: MIT */
/*
 * Parses text in the format of /proc/kallsyms ("address type name [module]") into a table. The
 * table keeps the text: names point into it. Does not check which kernel it is from; symbols can be
 * relocated by a symbol with a known address.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/str.h"
#include "sym/kernel/kernel_internal.h"
#include "sym/table/symtab_internal.h"

#define TEXT_MAX (1u << 30)

/* Functions and data; other types are absolute or read-only values. */
static bool is_wanted(char type)
{
	switch (type | 0x20) {
	case 't':
	case 'w':
	case 'd':
	case 'b':
		return true;
	default:
		return false;
	}
}

static char binding_of(char type)
{
	if (type == 'w' || type == 'W')
		return 'w';
	return type >= 'A' && type <= 'Z' ? 'g' : 'l';
}

/* The values of hex digits, plus 1; 0: not a digit. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Parses sixteen hex digits, faster than strtoull: it runs two hundred thousand times. */
static uint64_t take_hex(const char **at)
{
	const uint8_t *p = (const uint8_t *)*at;
	uint64_t v = 0;

	for (; hex_digits[*p]; p++)
		v = v << 4 | (hex_digits[*p] - 1u);
	*at = (const char *)p;
	return v;
}

/* Parses one line that ends at @end. Lines of other modules (or of any module, without @module) are
 * skipped. */
static void add_line(struct pfx_symtab *tab, const char *line, char *end, const char *module)
{
	const char *at = line;
	uint64_t addr = take_hex(&at);
	char type, *tab_at;

	if (at == line || end - at < 4 || at[0] != ' ' || at[2] != ' ' || !is_wanted(at[1]))
		return;
	type = at[1];
	tab_at = memchr(at, '\t', (size_t)(end - at));
	*end = '\0';
	if (module ? !tab_at || strcmp(tab_at + 1, module) : tab_at != NULL)
		return;
	if (tab_at)
		*tab_at = '\0';
	pfx_symtab_add(tab, addr, 0, at + 3, binding_of(type),
		       type != 'd' && type != 'D' && type != 'b' && type != 'B');
}

int pfx_kallsyms_read(struct pfx_symtab *tab, const char *path, const char *module,
		      struct pfx_error *err)
{
	char *text, *line, *end, *stop, shown[256];
	bool is_hidden = true;
	size_t size, i;
	int rc = pfx_read_plain_file(path, TEXT_MAX, &text, &size, err);

	if (rc)
		return rc;
	pfx_symtab_own(tab, text);
	stop = text + size;
	for (line = text; line < stop; line = end + 1) {
		end = memchr(line, '\n', (size_t)(stop - line));
		end = end ? end : stop;
		add_line(tab, line, end, module);
	}
	for (i = 0; i < tab->syms.nr && is_hidden; i++)
		is_hidden = !tab->syms.at[i].start;
	if (!is_hidden)
		return 0;
	pfx_escape(shown, sizeof(shown), path);
	if (!tab->syms.nr)
		return pfx_error_set(err, ENOENT, "'%s' has no symbols of %s", shown,
				     module ? module : "the kernel");
	pfx_error_set(err, EACCES, "the addresses in '%s' are hidden from this user", shown);
	pfx_error_hint(err, "run as root or set kernel.kptr_restrict to 0");
	return -EACCES;
}

/* The address in a line if it is that of @name, else 0. */
static uint64_t address_in(const char *line, size_t size, const char *name, size_t len)
{
	const char *at = line;
	uint64_t value = take_hex(&at);

	size -= size && line[size - 1] == '\n';
	return (size_t)(line + size - at) == len + 3 && at[0] == ' ' && at[2] == ' ' &&
			       !memcmp(at + 3, name, len)
		       ? value
		       : 0;
}

/* The symbol is mostly one of the first, and the kernel takes long to write all. */
uint64_t pfx_kallsyms_address(const char *path, const char *name)
{
	int fd = pfx_open_plain(path, 0, NULL);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	size_t cap = 0, len = strlen(name);
	uint64_t addr = 0;
	char *line = NULL;
	ssize_t size;

	if (fd >= 0 && !file)
		close(fd);
	while (file && !addr && (size = getline(&line, &cap, file)) > 0)
		addr = address_in(line, (size_t)size, name, len);
	if (file)
		fclose(file);
	free(line);
	return addr;
}

/* Symbols at the bottom of the address space are offsets of per-CPU variables, not addresses. */
static void drop_low(struct pfx_symtab *tab)
{
	size_t i, kept = 0;

	for (i = 0; i < tab->syms.nr; i++)
		if (tab->syms.at[i].start >> 63)
			tab->syms.at[kept++] = tab->syms.at[i];
	tab->syms.nr = kept;
}

void pfx_kernel_shift(struct pfx_symtab *tab, uint64_t by)
{
	size_t i;

	for (i = 0; i < tab->syms.nr; i++) {
		tab->syms.at[i].start += by;
		tab->syms.at[i].end += by;
	}
	tab->moved += by;
}

void pfx_kernel_relocate(struct pfx_symtab *tab, const char *name, uint64_t addr)
{
	size_t i;

	if (!addr || !name)
		return;
	if (addr >> 63)
		drop_low(tab);
	for (i = 0; i < tab->syms.nr; i++)
		if (!strcmp(tab->syms.at[i].name, name)) {
			pfx_kernel_shift(tab, addr - tab->syms.at[i].start);
			return;
		}
}
