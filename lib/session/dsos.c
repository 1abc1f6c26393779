/* SPDX-License-Identifier: MIT */
/*
 * The table of dsos. Determines from the name in an MMAP record which kind of dso it is and how the
 * dso is displayed, and whether two records refer to the same dso: by build ID, by device and
 * inode, else by name. Opens no files.
 */
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "session/session_internal.h"

#define PROT_EXECUTE   4
#define MAP_HUGE_PAGES 0x40000 /* MAP_HUGETLB on all but alpha, mips, parisc */
#define SHORT_MAX      256     /* of a module's name; longer names are truncated */

/* Used as identity instead of a build ID or an inode, whose keys have other lengths. */
#define BPF_KEY "code that the kernel made itself"

#define KERNEL_PREFIX "[kernel.kallsyms"
#define GUEST_PREFIX  "[guest.kernel.kallsyms"

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void pfx_dso_table_init(struct pfx_dso_table *table, struct pfx_arena *arena,
			const struct pfx_meta *meta)
{
	const struct pfx_arch *arch = pfx_arch_find(meta->env.arch);

	*table = (struct pfx_dso_table){.arena = arena};
	table->is_64bit = !arch || arch->word == 8;
}

void pfx_dso_table_fini(struct pfx_dso_table *table)
{
	pfx_vec_free(&table->dsos);
	pfx_intern_fini(&table->paths);
	pfx_intern_fini(&table->shorts);
	pfx_intern_fini(&table->ids);
	pfx_hash_fini(&table->by_id);
	pfx_hash_fini(&table->by_path);
	pfx_hash_fini(&table->build_ids);
}

static struct pfx_dso_entry *first_of_path(const struct pfx_dso_table *table, uint32_t path_id)
{
	uint64_t *at = pfx_hash_get(&table->by_path, path_id);

	return at ? (struct pfx_dso_entry *)(uintptr_t)*at : NULL;
}

static bool is_build_id(const uint8_t *id, uint8_t size)
{
	static const uint8_t none[PFX_BUILD_ID_MAX];

	return size && size <= PFX_BUILD_ID_MAX && memcmp(id, none, size) != 0;
}

static void give_build_id(struct pfx_dso *dso, const uint8_t *id, uint8_t size)
{
	if (dso->build_id_size || !is_build_id(id, size))
		return;
	memcpy(dso->build_id, id, size);
	dso->build_id_size = size;
}

static void set_short_name(struct pfx_dso_table *table, struct pfx_dso *dso, const char *name)
{
	dso->name_id = pfx_intern_str(&table->shorts, name);
	dso->short_name = pfx_intern_get(&table->shorts, dso->name_id);
}

/* A new dso. Its name must be in table->paths; the caller may change the other fields. */
static struct pfx_dso_entry *add_dso(struct pfx_dso_table *table, enum pfx_dso_kind kind,
				     uint32_t path_id, const char *short_name)
{
	struct pfx_dso_entry *entry = pfx_arena_new(table->arena, struct pfx_dso_entry);
	struct pfx_dso *dso = &entry->dso;
	uint64_t *first = pfx_hash_add(&table->by_path, path_id, NULL);

	entry->path_id = path_id;
	entry->same_path = (struct pfx_dso_entry *)(uintptr_t)*first;
	*first = (uintptr_t)entry;
	dso->id = table->dsos.nr;
	dso->kind = kind;
	dso->name = pfx_intern_get(&table->paths, path_id);
	dso->is_64bit = table->is_64bit;
	dso->anon_pid = -1;
	set_short_name(table, dso, short_name);
	dso->script_name = dso->short_name;
	pfx_vec_push(&table->dsos, entry);
	return entry;
}

/* --- the kind of a dso, from its name --- */

/* "/memfd:doublemapper" is where the .NET runtime writes JIT code: mapped twice, writable and
 * executable. */
static bool is_anonymous(const struct pfx_mmap *mmap)
{
	return !strcmp(mmap->filename, "//anon") || starts_with(mmap->filename, "/dev/zero") ||
	       starts_with(mmap->filename, "/anon_hugepage") ||
	       starts_with(mmap->filename, "/memfd:doublemapper") || (mmap->flags & MAP_HUGE_PAGES);
}

static bool is_nameless_memory(const char *name)
{
	return !name[0] || starts_with(name, "[stack") || !strcmp(name, "[heap]") ||
	       starts_with(name, "[anon:");
}

static bool is_vdso(const char *name)
{
	return !strcmp(name, "[vdso]") || !strcmp(name, "[vdso32]") || !strcmp(name, "[vdsox32]");
}

bool pfx_session_is_jitdump(const char *path)
{
	const char *name = base_name(path);
	size_t digits;

	if (*path != '/' || strncmp(name, "jit-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && !strcmp(name + 4 + digits, ".dump");
}

static enum pfx_dso_kind user_kind(const struct pfx_mmap *mmap)
{
	const char *name = mmap->filename;

	if (is_anonymous(mmap) || is_nameless_memory(name))
		return PFX_DSO_ANON;
	if (pfx_session_is_jitdump(name))
		return PFX_DSO_JITDUMP;
	if (is_vdso(name))
		return PFX_DSO_VDSO;
	if (name[0] == '[' || starts_with(name, "/SYSV") || starts_with(name, "/memfd:") ||
	    starts_with(name, "/dev/") || starts_with(name, "anon_inode:"))
		return PFX_DSO_OTHER;
	return PFX_DSO_FILE;
}

/* "[name]" of "/some/where/name.ko.xz"; false when the path is not that of a module. */
static bool module_name(const char *path, char *out, size_t size)
{
	static const char *const packed[] = {"", ".gz", ".xz", ".zst", ".lzma", ".bz2"};
	const char *name = base_name(path);
	size_t len = strlen(name), i, tail, at;

	for (i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		tail = strlen(packed[i]) + 3;
		if (len <= tail || strcmp(name + len - strlen(packed[i]), packed[i]))
			continue;
		if (!strncmp(name + len - tail, ".ko", 3))
			break;
	}
	if (i == sizeof(packed) / sizeof(*packed))
		return false;
	snprintf(out, size, "[%.*s]", (int)(len - tail), name);
	for (at = 0; out[at]; at++) {
		if (out[at] == '-')
			out[at] = '_';
	}
	return true;
}

/* True for [kernel.kallsyms] and [guest.kernel.kallsyms.PID], also with a suffix; the name of the
 * reference symbol, the suffix, is returned in *@ret_symbol. */
static bool is_kernel_name(const char *name, const char **ret_symbol)
{
	const char *end;

	if (!starts_with(name, KERNEL_PREFIX) && !starts_with(name, GUEST_PREFIX))
		return false;
	end = strchr(name, ']');
	if (!end)
		return false;
	end++;
	if (*end == '.')
		end++;
	*ret_symbol = end;
	return true;
}

/* --- the dso of a record --- */

static uint32_t id_key(struct pfx_dso_table *table, uint32_t path_id, const void *id, size_t size)
{
	uint8_t bytes[40];

	memcpy(bytes, &path_id, sizeof(path_id));
	memcpy(bytes + sizeof(path_id), id, size);
	return pfx_intern_add(&table->ids, bytes, sizeof(path_id) + size);
}

static bool has_build_id(const struct pfx_mmap *mmap)
{
	return mmap->build_id_size && mmap->build_id_size <= PFX_BUILD_ID_MAX;
}

/* The table slot of a file with this build ID or inode; NULL when the record has neither. */
static uint64_t *file_place(struct pfx_dso_table *table, uint32_t path_id,
			    const struct pfx_mmap *mmap)
{
	uint64_t inode[3] = {(uint64_t)mmap->maj << 32 | mmap->min, mmap->ino,
			     mmap->ino_generation};
	uint32_t key;

	if (has_build_id(mmap))
		key = id_key(table, path_id, mmap->build_id, mmap->build_id_size);
	else if (mmap->ino)
		key = id_key(table, path_id, inode, sizeof(inode));
	else
		return NULL;
	return pfx_hash_add(&table->by_id, key, NULL);
}

/* Whether the record can refer to this dso: the only one of its name, with no conflicting build ID
 * or inode. */
static bool may_be(const struct pfx_dso_entry *entry, const struct pfx_mmap *mmap)
{
	if (!entry || entry->same_path)
		return false;
	if (!has_build_id(mmap))
		return !entry->has_inode;
	if (!entry->dso.build_id_size)
		return true;
	return entry->dso.build_id_size == mmap->build_id_size &&
	       !memcmp(entry->dso.build_id, mmap->build_id, mmap->build_id_size);
}

static const struct pfx_env_build_id *env_build_id(const struct pfx_dso_table *table,
						   uint32_t path_id, const struct pfx_meta *meta)
{
	uint64_t *at = pfx_hash_get(&table->build_ids, path_id);

	return at ? &meta->env.build_ids[*at - 1] : NULL;
}

static void give_env_build_id(const struct pfx_dso_table *table, struct pfx_dso_entry *entry,
			      const struct pfx_meta *meta)
{
	const struct pfx_env_build_id *id = env_build_id(table, entry->path_id, meta);

	if (id)
		give_build_id(&entry->dso, id->id, id->size);
}

/* The dso of a file, or of another name that is the same dso in all processes. */
static struct pfx_dso_entry *named_dso(struct pfx_dso_table *table, enum pfx_dso_kind kind,
				       const struct pfx_mmap *mmap, const struct pfx_meta *meta)
{
	uint32_t path_id = pfx_intern_str(&table->paths, mmap->filename);
	uint64_t *place = file_place(table, path_id, mmap);
	struct pfx_dso_entry *entry = first_of_path(table, path_id);

	if (place && *place)
		return (struct pfx_dso_entry *)(uintptr_t)*place;
	if (place ? !may_be(entry, mmap) : !entry) {
		entry = add_dso(table, kind, path_id, base_name(mmap->filename));
		if (!has_build_id(mmap))
			give_env_build_id(table, entry, meta);
		if (kind == PFX_DSO_FILE || kind == PFX_DSO_OTHER || kind == PFX_DSO_ANON ||
		    kind == PFX_DSO_JITDUMP)
			entry->dso.script_name = entry->dso.name;
		if (kind == PFX_DSO_JITDUMP)
			entry->dso.anon_pid = (int32_t)mmap->pid;
		entry->dso.is_absolute = kind == PFX_DSO_ANON || kind == PFX_DSO_KERNEL ||
					 kind == PFX_DSO_MODULE ||
					 starts_with(mmap->filename, "/SYSV");
	}
	if (has_build_id(mmap))
		give_build_id(&entry->dso, mmap->build_id, mmap->build_id_size);
	else if (mmap->ino)
		entry->has_inode = true;
	if (place)
		*place = (uintptr_t)entry;
	return entry;
}

/* Removes a per-process dso from the look-up by name, so that no other process gets it. */
static void hide_name(struct pfx_dso_table *table, struct pfx_dso_entry *entry)
{
	*pfx_hash_add(&table->by_path, entry->path_id, NULL) = (uintptr_t)entry->same_path;
	entry->same_path = NULL;
}

/* Executable memory without a file: one dso per process, with symbols from the process's perf
 * map. */
static struct pfx_dso *jit_dso(struct pfx_dso_table *table, const struct pfx_mmap *mmap,
			       const struct pfx_meta *meta)
{
	const struct pfx_env_build_id *kept;
	uint32_t path_id = pfx_intern_str(&table->paths, mmap->filename);
	uint32_t key = id_key(table, path_id, &mmap->pid, sizeof(mmap->pid));
	uint64_t *place = pfx_hash_add(&table->by_id, key, NULL);
	struct pfx_dso_entry *entry;
	char text[64];

	if (*place)
		return &((struct pfx_dso_entry *)(uintptr_t)*place)->dso;
	entry = add_dso(table, PFX_DSO_ANON, path_id, mmap->filename);
	hide_name(table, entry);
	*place = (uintptr_t)entry;
	entry->dso.anon_pid = (int32_t)mmap->pid;
	entry->dso.is_absolute = true;
	if (is_anonymous(mmap)) {
		snprintf(text, sizeof(text), "[JIT] tid %d", (int)mmap->pid);
		set_short_name(table, &entry->dso, text);
	}
	snprintf(text, sizeof(text), "/tmp/perf-%d.map", (int)mmap->pid);
	if (is_anonymous(mmap))
		entry->dso.script_name = pfx_arena_strdup(table->arena, text);
	kept = env_build_id(table, pfx_intern_str(&table->paths, text), meta);
	if (kept)
		give_build_id(&entry->dso, kept->id, kept->size);
	return &entry->dso;
}

struct pfx_dso *pfx_dso_of_user_map(struct pfx_dso_table *table, const struct pfx_mmap *mmap,
				    const struct pfx_meta *meta)
{
	enum pfx_dso_kind kind = user_kind(mmap);

	if (kind == PFX_DSO_ANON && mmap->prot & PROT_EXECUTE)
		return jit_dso(table, mmap, meta);
	return &named_dso(table, kind, mmap, meta)->dso;
}

/* The path of the kernel image, if a build ID in env is that of a vmlinux. Continues after the
 * build IDs that were checked before. */
static const char *kernel_image(struct pfx_dso_table *table, const struct pfx_meta *meta,
				bool guest)
{
	const struct pfx_env_build_id *id;
	char module[SHORT_MAX];
	enum pfx_cpumode mode;
	bool of_guest;

	while (table->nr_images_sought < meta->env.nr_build_ids) {
		id = &meta->env.build_ids[table->nr_images_sought++];
		mode = (enum pfx_cpumode)(id->misc & PFX_MISC_CPUMODE_MASK);
		of_guest = mode == PFX_MODE_GUEST_KERNEL;
		if ((mode != PFX_MODE_KERNEL && !of_guest) || table->images[of_guest] ||
		    !id->filename || !strstr(id->filename, "vmlinux") ||
		    module_name(id->filename, module, sizeof(module)))
			continue;
		table->images[of_guest] =
			pfx_intern_get(&table->paths, pfx_intern_str(&table->paths, id->filename));
	}
	return table->images[guest];
}

static struct pfx_dso *kernel_dso(struct pfx_dso_table *table, const struct pfx_mmap *mmap,
				  const char *symbol, const struct pfx_meta *meta)
{
	bool guest = starts_with(mmap->filename, GUEST_PREFIX);
	const char *image = kernel_image(table, meta, guest), *end = strchr(mmap->filename, ']');
	char *name =
		pfx_arena_strndup(table->arena, mmap->filename, (size_t)(end + 1 - mmap->filename));
	struct pfx_mmap as = *mmap;
	struct pfx_dso *dso;

	as.filename = image ? image : name;
	as.ino = 0;
	dso = &named_dso(table, PFX_DSO_KERNEL, &as, meta)->dso;
	if (image)
		set_short_name(table, dso, guest ? "[guest.kernel.vmlinux]" : "[kernel.vmlinux]");
	dso->script_name = image ? dso->name : dso->short_name;
	if (symbol[0] && mmap->pgoff) {
		dso->kernel_ref_name = pfx_arena_strdup(table->arena, symbol);
		dso->kernel_ref_addr = mmap->pgoff;
	}
	return dso;
}

struct pfx_dso *pfx_dso_of_kernel_map(struct pfx_dso_table *table, const struct pfx_mmap *mmap,
				      const struct pfx_meta *meta)
{
	const char *symbol;
	char name[SHORT_MAX];
	struct pfx_dso *dso;
	uint32_t path_id;

	if (is_kernel_name(mmap->filename, &symbol))
		return kernel_dso(table, mmap, symbol, meta);
	dso = &named_dso(table, PFX_DSO_MODULE, mmap, meta)->dso;
	if (!dso->module_addr)
		dso->module_addr = mmap->addr;
	if (module_name(mmap->filename, name, sizeof(name))) {
		set_short_name(table, dso, name);
		path_id = pfx_intern_str(&table->paths, dso->name);
		dso->script_name = env_build_id(table, path_id, meta) ? dso->name : dso->short_name;
	}
	return dso;
}

struct pfx_dso *pfx_dso_of_ksymbol(struct pfx_dso_table *table, const char *name)
{
	uint32_t path_id = pfx_intern_str(&table->paths, name);
	uint32_t key = id_key(table, path_id, BPF_KEY, sizeof(BPF_KEY));
	uint64_t *place = pfx_hash_add(&table->by_id, key, NULL);
	struct pfx_dso_entry *entry = (struct pfx_dso_entry *)(uintptr_t)*place;

	if (!entry) {
		entry = add_dso(table, PFX_DSO_BPF, path_id, name);
		entry->dso.is_absolute = true;
		*place = (uintptr_t)entry;
	}
	return &entry->dso;
}

/* --- build IDs from header features and BUILD_ID records --- */

void pfx_dso_set_build_id(struct pfx_dso_table *table, const char *name, const uint8_t *id,
			  uint8_t size)
{
	struct pfx_dso_entry *entry = first_of_path(table, pfx_intern_str(&table->paths, name));

	if (!is_build_id(id, size))
		return;
	/* The entries after one with is_told were updated together with it. */
	for (; entry && !entry->is_told; entry = entry->same_path) {
		give_build_id(&entry->dso, id, size);
		entry->is_told = true;
	}
}

void pfx_dso_update_build_ids(struct pfx_dso_table *table, const struct pfx_meta *meta)
{
	const struct pfx_env_build_id *id;
	uint32_t i;

	for (i = table->nr_env_build_ids; i < meta->env.nr_build_ids; i++) {
		id = &meta->env.build_ids[i];
		if (!id->filename || !id->size)
			continue;
		*pfx_hash_add(&table->build_ids, pfx_intern_str(&table->paths, id->filename),
			      NULL) = i + 1;
		pfx_dso_set_build_id(table, id->filename, id->id, id->size);
	}
	table->nr_env_build_ids = meta->env.nr_build_ids;
}
