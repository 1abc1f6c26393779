/* SPDX-License-Identifier: MIT */
/*
 * The list of guarded mappings. The signal handler reads it without a lock while other threads
 * change it: a slot is valid while its end is not 0; the end is written last and cleared first.
 * Slots are reused, blocks of slots are never freed.
 */
#include "base/guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"

#define BLOCK_SLOTS 256

struct slot {
	uintptr_t start, end; /* [start, end); end 0: the slot is free */
	bool is_cut;
	char *path;
};

struct block {
	struct slot slots[BLOCK_SLOTS];
	struct block *next;
};

static struct block first_block;
static uintptr_t page_mask;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for add and remove */
static PFX_VEC(char *) cut_paths;

static struct slot *search(struct block *block, uintptr_t start, bool is_free)
{
	size_t i;

	for (i = 0; i < BLOCK_SLOTS; i++)
		if (is_free ? !block->slots[i].end
			    : block->slots[i].end && block->slots[i].start == start)
			return &block->slots[i];
	return NULL;
}

/* The slot of the mapping that begins at @start, or a free slot; NULL: none found. */
static struct slot *find_slot(uintptr_t start, bool is_free)
{
	struct block *block;
	struct slot *slot = NULL;

	for (block = &first_block; block && !slot; block = block->next)
		slot = search(block, start, is_free);
	return slot;
}

static struct slot *new_slot(void)
{
	struct slot *slot = find_slot(0, true);
	struct block *block = &first_block;

	if (slot)
		return slot;
	while (block->next)
		block = block->next;
	__atomic_store_n(&block->next, pfx_calloc(1, sizeof(*block)), __ATOMIC_RELEASE);
	return block->next->slots;
}

void pfx_guard_add(const void *data, size_t size, const char *path)
{
	uintptr_t start = (uintptr_t)data, mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	struct slot *slot;

	if (!size)
		return;
	pthread_mutex_lock(&lock);
	slot = new_slot();
	page_mask = mask;
	slot->path = path ? pfx_strdup(path) : NULL;
	__atomic_store_n(&slot->is_cut, false, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->start, start, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->end, (start + size + mask) & ~mask, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

static bool is_known(const char *path)
{
	size_t i;

	for (i = 0; i < cut_paths.nr; i++)
		if (!strcmp(cut_paths.at[i], path))
			return true;
	return false;
}

/* Takes ownership of the slot's path. */
static void note_cut(struct slot *slot)
{
	if (!slot->path)
		return;
	if (__atomic_load_n(&slot->is_cut, __ATOMIC_RELAXED) && !is_known(slot->path))
		pfx_vec_push(&cut_paths, slot->path);
	else
		free(slot->path);
	slot->path = NULL;
}

void pfx_guard_remove(const void *data)
{
	struct slot *slot;

	if (!data)
		return;
	pthread_mutex_lock(&lock);
	slot = find_slot((uintptr_t)data, false);
	if (slot) {
		__atomic_store_n(&slot->end, 0, __ATOMIC_RELEASE);
		note_cut(slot);
	}
	pthread_mutex_unlock(&lock);
}

bool pfx_guard_was_cut(const void *data)
{
	struct slot *slot;
	bool is_cut;

	pthread_mutex_lock(&lock);
	slot = data ? find_slot((uintptr_t)data, false) : NULL;
	is_cut = slot && __atomic_load_n(&slot->is_cut, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
	return is_cut;
}

/* Collects the paths of cut files that are still mapped. */
static void note_live(void)
{
	struct block *block;
	size_t i;

	for (block = &first_block; block; block = block->next)
		for (i = 0; i < BLOCK_SLOTS; i++)
			if (__atomic_load_n(&block->slots[i].is_cut, __ATOMIC_RELAXED))
				note_cut(&block->slots[i]);
}

const char *pfx_guard_next_cut(size_t i)
{
	const char *path;

	pthread_mutex_lock(&lock);
	if (!i)
		note_live();
	path = i < cut_paths.nr ? cut_paths.at[i] : NULL;
	pthread_mutex_unlock(&lock);
	return path;
}

void pfx_guard_hold(bool held)
{
	if (held)
		pthread_mutex_lock(&lock);
	else
		pthread_mutex_unlock(&lock);
}

/* --- called in the signal handler: no lock, no allocation --- */

/* Reads the end before and after the start: if it changed, the slot was reused for another
 * mapping. */
static struct slot *slot_around(struct block *block, uintptr_t addr, uintptr_t *ret_end)
{
	uintptr_t start, end;
	size_t i;

	for (i = 0; i < BLOCK_SLOTS; i++) {
		struct slot *slot = &block->slots[i];

		end = __atomic_load_n(&slot->end, __ATOMIC_ACQUIRE);
		start = __atomic_load_n(&slot->start, __ATOMIC_ACQUIRE);
		if (addr < start || addr >= end ||
		    __atomic_load_n(&slot->end, __ATOMIC_ACQUIRE) != end)
			continue;
		*ret_end = end;
		return slot;
	}
	return NULL;
}

bool pfx_guard_fault(void *addr)
{
	uintptr_t from = (uintptr_t)addr & ~page_mask, end = 0;
	struct slot *slot = NULL;
	struct block *block;
	int saved = errno;
	void *at;

	for (block = &first_block; block && !slot;
	     block = __atomic_load_n(&block->next, __ATOMIC_ACQUIRE))
		slot = slot_around(block, (uintptr_t)addr, &end);
	if (!slot)
		return false;
	__atomic_store_n(&slot->is_cut, true, __ATOMIC_RELAXED);
	/* Later pages are missing too: one call replaces all of them. */
	at = mmap((void *)from, end - from, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	errno = saved;
	return at != MAP_FAILED;
}

void pfx_guard_block_signals(sigset_t *ret_old)
{
	static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP};
	sigset_t set;
	size_t i;

	sigfillset(&set);
	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&set, own[i]);
	pthread_sigmask(SIG_SETMASK, &set, ret_old);
}

static struct sigaction bus_before;

static void on_bus_error(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code > 0 && pfx_guard_fault(info->si_addr))
		return;
	sigaction(SIGBUS, &bus_before, NULL);
	if (info->si_code <= 0)
		raise(sig); /* sent by a process: returning does not raise it again */
}

void pfx_guard_install(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &action, &bus_before);
}
