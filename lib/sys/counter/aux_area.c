/* SPDX-License-Identifier: MIT */
/*
 * Memory that a PMU fills with its trace. The kernel advances aux_head, pfx advances aux_tail. With
 * keeps_newest, the head is an offset in the area and there is no tail; non-zero bytes at the end
 * show that the PMU has wrapped. The trace is not decoded.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/counter/aux_area.h"

/* ioctl numbers of perf events; ABI. */
#define IOC_ENABLE  _IO('$', 0)
#define IOC_DISABLE _IO('$', 1)

/* Offsets in the control page (struct perf_event_mmap_page); ABI. */
#define PAGE_AUX_HEAD   1056
#define PAGE_AUX_TAIL   1064
#define PAGE_AUX_OFFSET 1072
#define PAGE_AUX_SIZE   1080

#define END_BYTES 4096 /* bytes at the end of the area, to detect that the PMU has wrapped */

static uint64_t *word_of(void *page, size_t at)
{
	return (uint64_t *)((char *)page + at);
}

void pfx_aux_area_init(struct pfx_aux_area *area, void *page, void *data, uint64_t size,
		       bool keeps_newest)
{
	memset(area, 0, sizeof(*area));
	area->page = page;
	area->data = data;
	area->size = size;
	area->keeps_newest = keeps_newest;
	area->tail = area->head = keeps_newest ? 0 : *word_of(page, PAGE_AUX_TAIL);
}

uint64_t pfx_aux_head(const struct pfx_aux_area *area)
{
	/* Pairs with the kernel's release of the head: bytes before it are complete. */
	return __atomic_load_n(word_of(area->page, PAGE_AUX_HEAD), __ATOMIC_ACQUIRE);
}

static bool end_is_written(const struct pfx_aux_area *area)
{
	uint64_t at = area->size > END_BYTES ? area->size - END_BYTES : 0;

	for (; at < area->size; at++)
		if (area->data[at])
			return true;
	return false;
}

/* The newest bytes: all of the area if the PMU has wrapped, otherwise the new bytes. */
static void find_newest(struct pfx_aux_area *area, uint64_t most)
{
	uint64_t head = pfx_aux_head(area) & (area->size - 1), old = area->tail & (area->size - 1);

	area->has_wrapped = area->has_wrapped || end_is_written(area);
	if (area->has_wrapped) {
		area->tail = head;
		area->head = head + area->size;
	} else {
		area->tail = old;
		area->head = head < old ? head + area->size : head;
	}
	if (most && area->head - area->tail > most)
		area->tail = area->head - most;
}

static int pieces(const struct pfx_aux_area *area, struct iovec iov[2])
{
	uint64_t size = area->head - area->tail, start = area->tail & (area->size - 1);
	uint64_t first = area->size - start;

	if (!size)
		return 0;
	iov[0] = (struct iovec){area->data + start, size < first ? size : first};
	iov[1] = (struct iovec){area->data, size - iov[0].iov_len};
	return iov[1].iov_len ? 2 : 1;
}

int pfx_aux_take(struct pfx_aux_area *area, uint64_t most, struct iovec iov[2],
		 uint64_t *ret_offset)
{
	if (area->keeps_newest)
		find_newest(area, most);
	else
		area->head = pfx_aux_head(area);
	/* Stay inside the area, even if the kernel's values are wrong. */
	if (area->head - area->tail > area->size)
		area->tail = area->head - area->size;
	*ret_offset = area->tail;
	return pieces(area, iov);
}

void pfx_aux_release(struct pfx_aux_area *area)
{
	area->tail = area->head;
	/* All reads must be complete before the PMU may overwrite the bytes. */
	if (!area->keeps_newest)
		__atomic_store_n(word_of(area->page, PAGE_AUX_TAIL), area->tail, __ATOMIC_RELEASE);
}

/* --- mapping --- */

/* Descriptor of a tracing counter of the ring buffer, -1: none. */
static int fd_for(const struct pfx_counters *counters, const struct pfx_ring *ring)
{
	size_t i, j;

	for (i = 0; i < counters->list.nr; i++) {
		const struct pfx_counter *counter = &counters->list.at[i];

		for (j = 0; counter->has_aux && j < counter->fds.nr; j++)
			if (pfx_ring_takes(ring, &counter->fds.at[j]))
				return counter->fds.at[j].fd;
	}
	return -1;
}

static int map_one(struct pfx_aux_areas *areas, const struct pfx_ring *ring, int fd, size_t size,
		   bool keeps_newest)
{
	uint64_t offset = (uint64_t)sysconf(_SC_PAGESIZE) + ring->size;
	int protection = keeps_newest ? PROT_READ : PROT_READ | PROT_WRITE;
	void *data;

	*word_of(ring->page, PAGE_AUX_OFFSET) = offset;
	*word_of(ring->page, PAGE_AUX_SIZE) = size;
	data = mmap(NULL, size, protection, MAP_SHARED, fd, (off_t)offset);
	if (data == MAP_FAILED)
		return -errno;
	pfx_aux_area_init(pfx_vec_add(&areas->list), ring->page, data, size, keeps_newest);
	return 0;
}

static int explain(int code, size_t size, struct pfx_error *err)
{
	if (code == EPERM) {
		pfx_error_set(err, code,
			      "AUX areas of %zu KiB per CPU exceed the limit of locked memory",
			      size >> 10);
		pfx_error_hint(err,
			       "ask for less with -m,PAGES, raise kernel.perf_event_mlock_kb or "
			       "'ulimit -l', or run with CAP_IPC_LOCK");
		return -code;
	}
	pfx_error_sys(err, code, "cannot map an AUX area of %zu KiB", size >> 10);
	pfx_error_hint(err, "ask for another size with -m,PAGES");
	return -code;
}

int pfx_aux_map(struct pfx_aux_areas *areas, const struct pfx_rings *rings,
		const struct pfx_counters *counters, size_t size, bool keeps_newest,
		struct pfx_error *err)
{
	size_t i;
	int fd, rc;

	for (i = 0; i < rings->list.nr; i++) {
		fd = fd_for(counters, &rings->list.at[i]);
		rc = fd < 0 ? 0 : map_one(areas, &rings->list.at[i], fd, size, keeps_newest);
		if (rc < 0) {
			pfx_aux_unmap(areas);
			return explain(-rc, size, err);
		}
		if (fd >= 0)
			areas->list.at[areas->list.nr - 1].ring = i;
	}
	return 0;
}

void pfx_aux_unmap(struct pfx_aux_areas *areas)
{
	size_t i;

	for (i = 0; i < areas->list.nr; i++)
		munmap(areas->list.at[i].data, areas->list.at[i].size);
	pfx_vec_free(&areas->list);
}

/* --- the PMUs --- */

static void switch_ring(const struct pfx_counters *counters, const struct pfx_ring *ring, bool on)
{
	size_t i, j;

	for (i = 0; i < counters->list.nr; i++) {
		const struct pfx_counter *counter = &counters->list.at[i];

		for (j = 0; counter->has_aux && j < counter->fds.nr; j++)
			if (!ring || pfx_ring_takes(ring, &counter->fds.at[j]))
				ioctl(counter->fds.at[j].fd, on ? IOC_ENABLE : IOC_DISABLE, 0);
	}
}

void pfx_aux_switch(const struct pfx_counters *counters, bool on)
{
	switch_ring(counters, NULL, on);
}

void pfx_aux_restart(const struct pfx_counters *counters, const struct pfx_ring *ring)
{
	switch_ring(counters, ring, true);
}
