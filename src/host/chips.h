/* SPDX-License-Identifier: BSD-2-Clause */
/* chips.h - what the NICs are called, by their PCI identity. */
#ifndef RT_HOST_CHIPS_H
#define RT_HOST_CHIPS_H

#include <stdint.h>

/* "ConnectX-7", or NULL: not in the table. */
const char *rt_chip_name(uint16_t vendor, uint16_t device);

#endif
