/* SPDX-License-Identifier: MIT */
/*
 * The shared memory between the kernel and the recorder. The kernel moves data_head, we move
 * data_tail; positions only grow and are reduced by the size of the ring, a power of two. Records
 * are not interpreted here.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/ring.h"

#define IOC_SET_OUTPUT _IO('$', 5)

/* Places in the control page (struct perf_event_mmap_page); ABI. */
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

	/* Pairs with the kernel's release of the head: what lies before it is complete. */
	ring->head = __atomic_load_n(head_of(ring), __ATOMIC_ACQUIRE);
	waiting = ring->head - ring->tail;
	if (waiting > ring->high)
		ring->high = waiting;
	return waiting;
}

int pfx_ring_pieces(const struct pfx_ring *ring, struct iovec iov[2])
{
	uint64_t waiting = ring->head - ring->tail;
	uint64_t start = ring->tail & (ring->size - 1);
	uint64_t first = ring->size - start;

	if (waiting == 0)
		return 0;
	iov[0].iov_base = ring->data + start;
	if (waiting <= first) {
		iov[0].iov_len = waiting;
		return 1;
	}
	iov[0].iov_len = first;
	iov[1].iov_base = ring->data;
	iov[1].iov_len = waiting - first;
	return 2;
}

void pfx_ring_release(struct pfx_ring *ring)
{
	ring->tail = ring->head;
	/* Our reads are done before the kernel may write there again. */
	__atomic_store_n(tail_of(ring), ring->tail, __ATOMIC_RELEASE);
}

static int map_one(struct pfx_rings *rings, const struct pfx_counter_fd *entry, size_t size)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct pfx_ring *ring;
	void *page;

	page = mmap(NULL, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, entry->fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	ring = pfx_vec_add(&rings->list);
	pfx_ring_init(ring, page, size);
	ring->cpu = entry->cpu;
	ring->tid = entry->tid;
	ring->fd = entry->fd;
	return 0;
}

bool pfx_ring_takes(const struct pfx_ring *ring, const struct pfx_counter_fd *counter)
{
	return ring->cpu == counter->cpu && (ring->cpu >= 0 || ring->tid == counter->tid);
}

/* The ring of a counter, NULL when there is none yet. The CPUs of a counter come in order, so the
 * search starts behind the last find. */
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
			      "rings of %zu KiB a CPU are more than we may lock in memory",
			      size >> 10);
		pfx_error_hint(err, "ask for less with -m, raise kernel.perf_event_mlock_kb or "
				    "'ulimit -l', or run with CAP_IPC_LOCK");
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

int pfx_rings_map(struct pfx_rings *rings, const struct pfx_counters *counters, size_t size,
		  struct pfx_error *err)
{
	size_t i;
	int rc;

	for (i = 0; i < counters->list.nr; i++) {
		rc = attach(rings, &counters->list.at[i], size);
		if (rc < 0) {
			pfx_rings_unmap(rings);
			return explain_map(-rc, size, err);
		}
	}
	return 0;
}

void pfx_rings_unmap(struct pfx_rings *rings)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	size_t i;

	for (i = 0; i < rings->list.nr; i++)
		munmap(rings->list.at[i].page, page_size + rings->list.at[i].size);
	pfx_vec_free(&rings->list);
}
