/* SPDX-License-Identifier: MIT */
/*
 * Files of SQLite by descriptor: SQLite opens by name, and an unfinished output has none. One
 * database, which nobody else has open: locks do nothing, and there is neither a journal nor a
 * temporary file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/output/sqlite_rows.h"
#include "export/sqlite_file_internal.h"

#define TEXT(number)    #number
#define TEXT_OF(number) TEXT(number)
#define PAGE_SIZE       TEXT_OF(PFX_SQLITE_PAGE)
#define VFS_NAME        "pfx-fd"

struct open_file {
	sqlite3_file base;
	int fd;
};

static int last_errno;

static int fd_of(sqlite3_file *file)
{
	return ((struct open_file *)file)->fd;
}

static int failed(int code)
{
	last_errno = errno;
	return errno == ENOSPC || errno == EFBIG || errno == EDQUOT ? SQLITE_FULL : code;
}

static int file_close(sqlite3_file *file)
{
	return SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *to, int size, sqlite3_int64 at)
{
	char *next = to;
	ssize_t got;

	while (size > 0) {
		got = pread(fd_of(file), next, (size_t)size, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return failed(SQLITE_IOERR_READ);
		if (got == 0) {
			memset(next, 0, (size_t)size);
			return SQLITE_IOERR_SHORT_READ;
		}
		next += got;
		at += got;
		size -= (int)got;
	}
	return SQLITE_OK;
}

static int file_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
	const char *next = data;
	ssize_t put;

	while (size > 0) {
		put = pwrite(fd_of(file), next, (size_t)size, at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return failed(SQLITE_IOERR_WRITE);
		next += put;
		at += put;
		size -= (int)put;
	}
	return SQLITE_OK;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	return ftruncate(fd_of(file), size) ? failed(SQLITE_IOERR_TRUNCATE) : SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *ret)
{
	struct stat st;

	if (fstat(fd_of(file), &st))
		return failed(SQLITE_IOERR_FSTAT);
	*ret = st.st_size;
	return SQLITE_OK;
}

static int do_nothing(sqlite3_file *file, int flags)
{
	return SQLITE_OK;
}

static int is_reserved(sqlite3_file *file, int *ret)
{
	*ret = 0;
	return SQLITE_OK;
}

static int control(sqlite3_file *file, int op, void *arg)
{
	return SQLITE_NOTFOUND;
}

static int zero(sqlite3_file *file)
{
	return 0;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = do_nothing,
	.xFileSize = file_size,
	.xLock = do_nothing,
	.xUnlock = do_nothing,
	.xCheckReservedLock = is_reserved,
	.xFileControl = control,
	.xSectorSize = zero,
	.xDeviceCharacteristics = zero,
};

/* The name of a database is the number of its descriptor; SQLite needs no other file. */
static int open_by_name(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
			int *ret_flags)
{
	struct open_file *own = (struct open_file *)file;

	own->base.pMethods = NULL;
	if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
		return SQLITE_CANTOPEN;
	own->fd = atoi(name);
	own->base.pMethods = &methods;
	if (ret_flags)
		*ret_flags = flags;
	return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *ret)
{
	snprintf(ret, (size_t)size, "%s", name);
	return SQLITE_OK;
}

static int exists(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
	*ret = 0;
	return SQLITE_OK;
}

static sqlite3_vfs *own_vfs(void)
{
	static sqlite3_vfs vfs;

	if (vfs.zName)
		return &vfs;
	vfs = *sqlite3_vfs_find(NULL);
	vfs.pNext = NULL;
	vfs.szOsFile = sizeof(struct open_file);
	vfs.zName = VFS_NAME;
	vfs.xOpen = open_by_name;
	vfs.xFullPathname = full_path;
	vfs.xAccess = exists;
	return sqlite3_vfs_register(&vfs, 0) ? NULL : &vfs;
}

int pfx_sqlite_open(sqlite3 **ret, int fd)
{
	char name[16];
	int rc;

	*ret = NULL;
	last_errno = 0;
	if (sqlite3_initialize() || !own_vfs())
		return SQLITE_NOMEM;
	snprintf(name, sizeof(name), "%d", fd);
	rc = sqlite3_open_v2(name, ret,
			     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			     VFS_NAME);
	if (!rc)
		rc = sqlite3_exec(*ret,
				  "PRAGMA page_size = " PAGE_SIZE "; PRAGMA cache_size = -16384;"
				  "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
				  "PRAGMA temp_store = MEMORY; PRAGMA locking_mode = EXCLUSIVE;",
				  NULL, NULL, NULL);
	return rc;
}

int pfx_sqlite_errno(void)
{
	return last_errno;
}
