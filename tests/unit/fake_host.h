/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_host.h - one port on the fake back end, for tests of drivers and plans. */
#ifndef RT_TESTS_FAKE_HOST_H
#define RT_TESTS_FAKE_HOST_H

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "host/driver.h"
#include "kern/kern_fake.h"
#include "rocetune/err.h"

struct fake_host {
	struct rt_fake *fake;
	struct rt_fake_port *state; /* what the NIC holds */
	struct rt_device device;
	struct rt_host_port port;
};

static inline void fake_host_open(const char *personality, struct fake_host *host)
{
	*host = (struct fake_host){ 0 };
	assert_int_equal(rt_fake_new(&host->fake, NULL), 0);
	host->state = rt_fake_add_port(host->fake, personality);
	assert_non_null(host->state);
	host->device = (struct rt_device){ .port = 1, .link_layer = RT_LAYER_ETHERNET };
	snprintf(host->device.ibdev, sizeof(host->device.ibdev), "%s",
		 host->state->rdma.ibdev);
	snprintf(host->device.netdev, sizeof(host->device.netdev), "%s",
		 host->state->link.name);
	snprintf(host->device.pci, sizeof(host->device.pci), "%s", host->state->pci);
	snprintf(host->device.kernel_driver, sizeof(host->device.kernel_driver), "%s",
		 host->state->info.driver);
	host->port = (struct rt_host_port){
		.kern = &host->fake->kern,
		.device = &host->device,
		.driver = rt_driver_find(host->state->info.driver),
	};
	assert_non_null(host->port.driver);
}

static inline void fake_host_close(struct fake_host *host)
{
	rt_kern_close(&host->fake->kern);
}

static inline void fake_host_read(const struct fake_host *host, struct rt_qos *ret_qos)
{
	const unsigned before = host->fake->writes;
	struct rt_err err = { 0 };

	if (rt_host_read(&host->port, ret_qos, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(host->fake->writes, before); /* reading writes nothing */
}

#endif
