/* SPDX-License-Identifier: BSD-2-Clause */
/* kern.c - what all back ends share: closing, and the small reads. */
#include "kern/kern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rocetune/err.h"

bool rt_kern_holds(struct rt_kern *kern, const char *ibdev, unsigned port)
{
	return !kern->ops->holds || kern->ops->holds(kern, ibdev, port);
}

int rt_kern_file_open(struct rt_kern *kern, const char *path, struct rt_err *err)
{
	if (!kern->ops->file_open)
		return rt_err_set(err, -EOPNOTSUPP, "%s: cannot be held open", path);
	return kern->ops->file_open(kern, path, err);
}

int rt_kern_rdma_homes(struct rt_kern *kern, struct rt_rdma_homes *ret_homes,
		       struct rt_err *err)
{
	if (!kern->ops->rdma_homes)
		return rt_err_set(err, -EOPNOTSUPP,
				  "only a running host has network namespaces");
	return kern->ops->rdma_homes(kern, ret_homes, err);
}

void rt_rdma_homes_free(struct rt_rdma_homes *homes)
{
	free(homes->items);
	*homes = (struct rt_rdma_homes){ 0 };
}

void rt_kern_close(struct rt_kern *kern)
{
	if (kern)
		kern->ops->close(kern);
}

void rt_auto_kern_close(struct rt_kern **kern)
{
	rt_kern_close(*kern);
}

int rt_kern_line(struct rt_kern *kern, const char *path, char *buf, size_t capacity,
		 struct rt_err *err)
{
	char text[4097]; /* a page, as sysfs gives */
	size_t bytes, line;
	int r = kern->ops->file_read(kern, path, text, sizeof(text), &bytes, err);

	if (r < 0)
		return r;
	line = strcspn(text, "\n");
	if (line >= capacity)
		return rt_err_sys(err, -EFBIG, "%s", path);
	memcpy(buf, text, line);
	buf[line] = '\0';
	return 0;
}

int rt_kern_number(struct rt_kern *kern, const char *path, uint64_t *ret_number,
		   struct rt_err *err)
{
	unsigned long long number;
	char text[64], *end;
	int r = rt_kern_line(kern, path, text, sizeof(text), err), base;

	if (r < 0)
		return r;
	base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	errno = 0;
	number = strtoull(text, &end, base);
	/* strtoull() itself takes blanks and signs. */
	if (errno || *end || text[0] < '0' || text[0] > '9')
		return rt_err_set(err, -EPROTO, "%s: '%.40s' is not a number", path,
				  text);
	*ret_number = number;
	return 0;
}
