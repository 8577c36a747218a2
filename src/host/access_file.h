/* SPDX-License-Identifier: BSD-2-Clause */
/* access_file.h - what the two kinds of files (plain, configfs) share. */
#ifndef RT_HOST_ACCESS_FILE_H
#define RT_HOST_ACCESS_FILE_H

#include "host/access.h"

/*
 * A whole number as drivers write it: decimal, 0x, or Y and N; blanks around it.
 * Decimal also with leading zeros.  -EINVAL: anything else.
 */
int rt_file_number(const char *text, uint64_t *ret_number);

/* The first line of path, blanks at its ends cut off.  -EFBIG: longer. */
#define RT_FILE_LINE_BYTES 128
int rt_file_line(const struct rt_host_port *port, const char *path,
		 char buf[RT_FILE_LINE_BYTES]);

/* Read one number of a file for row; what is no number is said. */
void rt_file_read_number(const struct rt_host_port *port,
			 const struct rt_driver_row *row, const char *path,
			 struct rt_qos *qos);

/* Write a number as the row wants it. */
int rt_file_write_number(const struct rt_host_port *port,
			 const struct rt_driver_row *row, const char *path,
			 uint64_t raw, struct rt_err *err);

/* The row's word that a file's first line is; unknown, and why, when it is none. */
void rt_file_word(const struct rt_host_port *port, const struct rt_driver_row *row,
		  const char *path, struct rt_qos *qos);

#endif
