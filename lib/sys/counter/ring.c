/* SPDX-License-Identifier: MIT */
/*
 * The shared memory between the kernel and the recorder. The kernel advances data_head, pfx
 * advances data_tail; positions only grow and are taken modulo the size of the ring buffer, a power
 * of two. Records are not decoded here. In a backward ring buffer, data_head decreases from 0: the
 * newest record begins there, older ones follow upward, and the oldest may be truncated.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/counter/ring.h"

#define IOC_SET_OUTPUT   _IO('$', 5)
#define IOC_PAUSE_OUTPUT _IOW('$', 9, uint32_t)

#define RECORD_ALIGN 8

/* Offsets in the control page (struct perf_event_mmap_page); ABI. */
#define PAGE_DATA_HEAD 1024
#define PAGE_DATA_TAIL 1032

static uint64_t *head_of(const struct pfx_ring *ring)
{
	return (uint64_t *)((char *)ring->page + PAGE_DATA_HEAD);
}

static uint64_t *tail_of(const struct pfx_ring *ring)
{
	return (uint64_t *)((char *)ring->page + PAGE_DATA_TAIL);
}

void pfx_ring_init(struct pfx_ring *ring, void *page, uint64_t size)
{
	memset(ring, 0, sizeof(*ring));
	ring->page = page;
	ring->data = (uint8_t *)page + sysconf(_SC_PAGESIZE);
	ring->size = size;
	ring->tail = ring->head = *tail_of(ring);
	ring->fd = -1;
}

uint64_t pfx_ring_snapshot(struct pfx_ring *ring)
{
	uint64_t waiting;

	/* Pairs with the kernel's release of the head: bytes before it are complete. */
	ring->head = __atomic_load_n(head_of(ring), __ATOMIC_ACQUIRE);
	waiting = ring->head - ring->tail;
	if (waiting > ring->high)
		ring->high = waiting;
	return waiting;
}

uint64_t pfx_ring_catch_up(struct pfx_ring *ring)
{
	ring->tail = __atomic_load_n(tail_of(ring), __ATOMIC_ACQUIRE);
	if ((int64_t)(ring->copied - ring->tail) > 0)
		ring->tail = ring->copied;
	return pfx_ring_snapshot(ring);
}

void pfx_ring_release(struct pfx_ring *ring)
{
	ring->tail = ring->head;
	/* All reads must be complete before the kernel may overwrite the bytes. */
	__atomic_store_n(tail_of(ring), ring->tail, __ATOMIC_RELEASE);
}

void pfx_ring_copy(const struct pfx_ring *ring, uint64_t at, void *to, size_t size)
{
	uint64_t start = at & (ring->size - 1), first = ring->size - start;

	first = first < size ? first : size;
	memcpy(to, ring->data + start, first);
	memcpy((char *)to + first, ring->data, size - first);
}

uint8_t *pfx_ring_collect(struct pfx_ring *ring, uint8_t *to, size_t *ret_size)
{
	struct {
		uint32_t type;
		uint16_t misc, size;
	} header;
	uint64_t head = __atomic_load_n(head_of(ring), __ATOMIC_ACQUIRE), span = ring->tail - head;
	uint8_t *end = to + ring->size, *start = end;
	uint64_t at = 0;

	span = span < ring->size ? span : ring->size;
	for (; span - at >= sizeof(header); at += header.size) {
		pfx_ring_copy(ring, head + at, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size % RECORD_ALIGN ||
		    header.size > span - at)
			break;
		start -= header.size;
		pfx_ring_copy(ring, head + at, start, header.size);
	}
	ring->tail = ring->head = head;
	*ret_size = (size_t)(end - start);
	return start;
}

uint64_t pfx_ring_passed(const struct pfx_ring *ring)
{
	return ring->tail - __atomic_load_n(head_of(ring), __ATOMIC_ACQUIRE);
}

static int map_one(struct pfx_rings *rings, const struct pfx_counter_fd *entry, size_t size)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct pfx_ring *ring;
	void *page;

	/* A read-only mapping makes the kernel ignore the tail. */
	page = mmap(NULL, page_size + size, entry->backward ? PROT_READ : PROT_READ | PROT_WRITE,
		    MAP_SHARED, entry->fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	ring = pfx_vec_add(&rings->list);
	pfx_ring_init(ring, page, size);
	ring->cpu = entry->cpu;
	ring->tid = entry->tid;
	ring->fd = entry->fd;
	ring->backward = entry->backward;
	ring->is_apart = entry->is_apart;
	return 0;
}

bool pfx_ring_takes(const struct pfx_ring *ring, const struct pfx_counter_fd *counter)
{
	return ring->cpu == counter->cpu && (ring->cpu >= 0 || ring->tid == counter->tid) &&
	       ring->backward == counter->backward && ring->is_apart == counter->is_apart;
}

/* The ring of a counter, NULL if there is none yet. The CPUs of a counter are in order, so the
 * search starts after the last hit. */
static struct pfx_ring *ring_of(struct pfx_rings *rings, const struct pfx_counter_fd *entry,
				size_t *hint)
{
	size_t i, at;

	for (i = 0; i < rings->list.nr; i++) {
		at = (*hint + 1 + i) % rings->list.nr;
		if (pfx_ring_takes(&rings->list.at[at], entry)) {
			*hint = at;
			return &rings->list.at[at];
		}
	}
	return NULL;
}

static int explain_map(int code, size_t size, struct pfx_error *err)
{
	if (code == EPERM) {
		pfx_error_set(err, code,
			      "ring buffers of %zu KiB per CPU exceed the limit of locked memory",
			      size >> 10);
		pfx_error_hint(err, "ask for less with -m, raise kernel.perf_event_mlock_kb or "
				    "'ulimit -l', or run with CAP_IPC_LOCK");
		pfx_error_known(err, "Permission error mapping pages.\n"
				     "try again with a smaller value of -m/--mmap_pages.");
		return -code;
	}
	pfx_error_sys(err, code, "cannot map a ring of %zu KiB", size >> 10);
	pfx_error_hint(err, "ask for less with -m");
	return -code;
}

static int attach(struct pfx_rings *rings, const struct pfx_counter *counter, size_t size)
{
	const struct pfx_counter_fd *entry;
	struct pfx_ring *ring;
	size_t hint = 0, i;
	int rc;

	for (i = 0; i < counter->fds.nr; i++) {
		entry = &counter->fds.at[i];
		ring = ring_of(rings, entry, &hint);
		if (!ring) {
			rc = map_one(rings, entry, size);
			if (rc < 0)
				return rc;
		} else if (ioctl(entry->fd, IOC_SET_OUTPUT, ring->fd) < 0) {
			return -errno;
		}
	}
	return 0;
}

static int attach_all(struct pfx_rings *rings, const struct pfx_counters *counters, bool apart,
		      size_t size)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < counters->list.nr && rc >= 0; i++)
		if (counters->list.at[i].is_apart == apart)
			rc = attach(rings, &counters->list.at[i], size);
	return rc;
}

int pfx_rings_map(struct pfx_rings *rings, const struct pfx_counters *counters, size_t size,
		  struct pfx_error *err)
{
	int rc = attach_all(rings, counters, false, size);

	if (rc >= 0)
		rc = attach_all(rings, counters, true, size);
	if (rc >= 0)
		return 0;
	pfx_rings_unmap(rings);
	return explain_map(-rc, size, err);
}

void pfx_rings_pause(const struct pfx_rings *rings, bool paused)
{
	size_t i;

	for (i = 0; i < rings->list.nr; i++)
		if (rings->list.at[i].backward)
			ioctl(rings->list.at[i].fd, IOC_PAUSE_OUTPUT, paused);
}

bool pfx_rings_overwrite(const struct pfx_rings *rings)
{
	size_t i;

	for (i = 0; i < rings->list.nr; i++)
		if (rings->list.at[i].backward)
			return true;
	return false;
}

void pfx_rings_unmap(struct pfx_rings *rings)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	size_t i;

	for (i = 0; i < rings->list.nr; i++)
		munmap(rings->list.at[i].page, page_size + rings->list.at[i].size);
	pfx_vec_free(&rings->list);
}
