/* SPDX-License-Identifier: BSD-2-Clause */
/* The host in memory: drivers' quirks, planned faults, and what outlives a process. */
#include "unit.h"

#include <errno.h>
#include <linux/dcbnl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/own.h"
#include "kern/kern.h"
#include "kern/kern_fake.h"
#include "rocetune/err.h"

/* --- small words for the tests --------------------------------------------------------- */

static struct rt_fake *host(const char *personality)
{
	struct rt_fake *fake = NULL;

	assert_int_equal(rt_fake_new(&fake, NULL), 0);
	assert_non_null(rt_fake_add_port(fake, personality));
	return fake;
}

static struct rt_dcb state_of(struct rt_fake *fake)
{
	struct rt_dcb dcb;

	assert_int_equal(fake->kern.ops->dcb_get(&fake->kern, "eth0", &dcb, NULL), 0);
	return dcb;
}

static int set_pfc(struct rt_fake *fake, uint8_t mask)
{
	struct rt_dcb_set set = { .has = RT_DCB_PFC };

	set.pfc = state_of(fake).pfc;
	set.pfc.mask = mask;
	return fake->kern.ops->dcb_set(&fake->kern, "eth0", &set, NULL);
}

/* Two ETS classes of these shares. */
static int set_ets(struct rt_fake *fake, uint8_t one, uint8_t two)
{
	struct rt_dcb_set set = { .has = RT_DCB_ETS };

	set.ets.bw[0] = one;
	set.ets.bw[1] = two;
	set.ets.tsa[0] = set.ets.tsa[1] = IEEE_8021QAZ_TSA_ETS;
	set.ets.prio_tc[3] = 1;
	return fake->kern.ops->dcb_set(&fake->kern, "eth0", &set, NULL);
}

static int app(struct rt_fake *fake, bool add, uint8_t selector, uint16_t protocol,
	       uint8_t priority)
{
	const struct rt_dcb_app entry = { selector, priority, protocol };

	return add ? fake->kern.ops->dcb_app_add(&fake->kern, "eth0", &entry, NULL)
		   : fake->kern.ops->dcb_app_delete(&fake->kern, "eth0", &entry, NULL);
}

static int set_pause(struct rt_fake *fake, bool on)
{
	const struct rt_link_pause pause = { .rx = on, .tx = on };

	return fake->kern.ops->pause_set(&fake->kern, "eth0", &pause, NULL);
}

static int set_dcbx(struct rt_fake *fake, uint8_t mode)
{
	return fake->kern.ops->dcbx_set(&fake->kern, "eth0", mode, NULL);
}

static int write_file(struct rt_fake *fake, const char *path, const char *text)
{
	return fake->kern.ops->file_write(&fake->kern, path, text, NULL);
}

static uint64_t number(struct rt_fake *fake, const char *path)
{
	uint64_t value = 12345678;

	rt_kern_number(&fake->kern, path, &value, NULL);
	return value;
}

#define WITH(fake, personality)                   \
	struct rt_fake *fake = host(personality); \
	struct rt_fake_port *port = &(fake)->ports[0]

/* --- mlx5 -------------------------------------------------------------------------------- */

static void test_mlx5_flaps_when_the_mask_changes(void **state)
{
	WITH(fake, "mlx5");
	const uint32_t before = port->link.carrier_changes;

	(void)state;
	assert_int_equal(set_pfc(fake, 0x08), 0);
	assert_int_equal(fake->flaps, 1);
	assert_int_equal(port->link.carrier_changes, before + 2);
	assert_int_equal(set_pfc(fake, 0x08), 0);
	assert_int_equal(fake->flaps, 1);
	assert_int_equal(fake->writes, 2);
	assert_int_equal(fake->effective, 1);
	assert_string_equal(fake->log[0], "eth0 PFC");
	rt_kern_close(&fake->kern);
}

static void test_mlx5_buffers_follow_until_set_by_hand(void **state)
{
	WITH(fake, "mlx5");
	struct rt_dcb_set set = { .has = RT_DCB_BUFFER };

	(void)state;
	assert_int_equal(set_pfc(fake, 0x08), 0);
	assert_int_equal(state_of(fake).buffer.prio_buffer[3], 1);
	set.buffer = state_of(fake).buffer;
	set.buffer.prio_buffer[3] = 2;
	assert_int_equal(fake->kern.ops->dcb_set(&fake->kern, "eth0", &set, NULL), 0);
	assert_true(port->buffer_manual);
	assert_int_equal(set_pfc(fake, 0x10), 0);
	assert_int_equal(state_of(fake).buffer.prio_buffer[3], 2);
	assert_int_equal(state_of(fake).buffer.prio_buffer[4], 0);
	rt_kern_close(&fake->kern);
}

static void test_mlx5_dcbx_of_the_firmware_is_no_mode_to_set(void **state)
{
	WITH(fake, "mlx5");

	(void)state;
	(void)port;
	assert_int_equal(set_dcbx(fake, 0), 0);
	assert_int_equal(state_of(fake).dcbx, 0x0c);
	assert_int_equal(set_dcbx(fake, 0x0c), -ECANCELED);
	assert_int_equal(set_dcbx(fake, RT_DCBX_MODE_LLD | RT_DCBX_MODE_HOST),
			 -ECANCELED);
	/* Nor does it do what it is told then. */
	assert_int_equal(set_pfc(fake, 0x08), 0);
	assert_int_equal(state_of(fake).pfc.mask, 0);
	assert_int_equal(fake->flaps, 0);
	assert_int_equal(set_dcbx(fake, 0x09), 0);
	assert_int_equal(state_of(fake).dcbx, 0x09);
	rt_kern_close(&fake->kern);
}

static void test_mlx5_a_dscp_has_one_entry(void **state)
{
	WITH(fake, "mlx5");

	(void)state;
	(void)port;
	assert_int_equal(app(fake, true, RT_APP_DGRAM, 4791, 3), -EINVAL);
	assert_int_equal(app(fake, true, RT_APP_DSCP, 26, 3), 0);
	assert_int_equal(app(fake, true, RT_APP_DSCP, 26, 4), 0);
	assert_int_equal(state_of(fake).app.count, 1);
	assert_int_equal(state_of(fake).app.items[0].priority, 4);
	assert_int_equal(app(fake, false, RT_APP_DSCP, 26, 3), -ENOENT);
	assert_int_equal(app(fake, false, RT_APP_DSCP, 26, 4), 0);
	assert_int_equal(state_of(fake).app.count, 0);
	rt_kern_close(&fake->kern);
}

static void test_mlx5_ranges(void **state)
{
	WITH(fake, "mlx5");
	struct rt_dcb_set set = { .has = RT_DCB_MAXRATE };

	(void)state;
	assert_int_equal(set_ets(fake, 50, 49), -EINVAL);
	assert_int_equal(set_ets(fake, 50, 50), 0);
	assert_int_equal(state_of(fake).ets.bw[1], 50);
	assert_int_equal(state_of(fake).ets.bw[2], 100); /* strict */
	set.maxrate_bps[1] = 1;
	set.maxrate_bps[2] = 25600000000;
	assert_int_equal(fake->kern.ops->dcb_set(&fake->kern, "eth0", &set, NULL), 0);
	assert_true(port->dcb.maxrate_bps[0] == 0);
	assert_true(port->dcb.maxrate_bps[1] == 100000000);
	assert_true(port->dcb.maxrate_bps[2] == 26000000000);
	set.maxrate_bps[1] = 256000000000;
	assert_int_equal(fake->kern.ops->dcb_set(&fake->kern, "eth0", &set, NULL),
			 -EINVAL);
	set.has = RT_DCB_PFC;
	set.pfc = port->dcb.pfc;
	set.pfc.delay = 0;
	assert_int_equal(fake->kern.ops->dcb_set(&fake->kern, "eth0", &set, NULL), 0);
	assert_int_equal(port->dcb.pfc.delay, 7);
	rt_kern_close(&fake->kern);
}

#define CC "/sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/"

static void test_mlx5_cc_params(void **state)
{
	WITH(fake, "mlx5");

	(void)state;
	(void)port;
	assert_true(number(fake, CC "rp_ai_rate") == 5);
	assert_int_equal(write_file(fake, CC "rp_ai_rate", "0x10"), 0);
	assert_true(number(fake, CC "rp_ai_rate") == 16);
	assert_int_equal(write_file(fake, CC "rp_gd", "12"), -EINVAL);
	assert_int_equal(write_file(fake, CC "rp_gd", "fast"), -EINVAL);
	assert_true(number(fake, CC "np_cnp_prio_mode") == 1);
	assert_int_equal(write_file(fake, CC "np_cnp_prio", "6\n"), 0);
	assert_true(number(fake, CC "np_cnp_prio_mode") == 0);
	assert_int_equal(write_file(fake, CC "no_such", "1"), -ENOENT);
	rt_kern_close(&fake->kern);
}

/* --- the others ---------------------------------------------------------------------------- */

static void test_mlx4_pause_and_pfc_end_each_other(void **state)
{
	WITH(fake, "mlx4");

	(void)state;
	assert_true(port->pause.rx);
	assert_int_equal(set_pfc(fake, 0x08), 0);
	assert_false(port->pause.rx || port->pause.tx);
	assert_int_equal(set_pause(fake, true), 0);
	assert_int_equal(port->dcb.pfc.mask, 0);
	/* APP goes to the core's list, where a DSCP may have two priorities. */
	assert_int_equal(app(fake, true, RT_APP_DSCP, 26, 3), 0);
	assert_int_equal(app(fake, true, RT_APP_DSCP, 26, 3), -EEXIST);
	assert_int_equal(app(fake, true, RT_APP_DSCP, 26, 4), 0);
	rt_kern_close(&fake->kern);
}

static void test_bnxt_wants_ets_before_pfc(void **state)
{
	WITH(fake, "bnxt");
	struct rt_dcb_set both = { .has = RT_DCB_ETS | RT_DCB_PFC };

	(void)state;
	port->dcb.pfc.mask = 0x08; /* which it does not show */
	assert_int_equal(state_of(fake).pfc.mask, 0);
	assert_int_equal(state_of(fake).ets.cap, 8);
	assert_int_equal(set_pfc(fake, 0x08), -EINVAL);
	both.ets.prio_tc[3] = 1;
	both.ets.prio_tc[4] = 2;
	both.ets.prio_tc[5] = 3;
	both.pfc.mask = 0x18;
	assert_int_equal(fake->kern.ops->dcb_set(&fake->kern, "eth0", &both, NULL), 0);
	assert_int_equal(state_of(fake).pfc.mask, 0x18);
	assert_int_equal(fake->blips, 1);
	assert_int_equal(set_pfc(fake, 0x38), -EINVAL); /* three lossless classes */
	assert_int_equal(set_dcbx(fake, 0x05), -ECANCELED);
	port->dcb.dcbx = RT_DCBX_MODE_IEEE | RT_DCBX_MODE_LLD;
	assert_int_equal(set_pfc(fake, 0x08), -EINVAL);
	assert_int_equal(set_dcbx(fake, 0x09), -ECANCELED);
	rt_kern_close(&fake->kern);
}

/* A set that fails in the middle keeps what came before. */
static void test_a_refused_set_stays_half_done(void **state)
{
	WITH(fake, "bnxt");
	struct rt_dcb_set both = { .has = RT_DCB_ETS | RT_DCB_PFC };

	(void)state;
	(void)port;
	for (uint8_t i = 0; i < 8; i++)
		both.ets.prio_tc[i] = i;
	both.pfc.mask = 0xff;
	assert_int_equal(fake->kern.ops->dcb_set(&fake->kern, "eth0", &both, NULL),
			 -EINVAL);
	assert_int_equal(state_of(fake).ets.prio_tc[7], 7);
	assert_int_equal(state_of(fake).pfc.mask, 0);
	rt_kern_close(&fake->kern);
}

static void test_ice_first_dscp_entry_resets_ets(void **state)
{
	WITH(fake, "ice");

	(void)state;
	assert_int_equal(set_ets(fake, 50, 50), 0);
	assert_int_equal(set_pfc(fake, 0x08), 0);
	assert_int_equal(app(fake, true, RT_APP_DSCP, 26, 3), 0);
	assert_int_equal(state_of(fake).pfc.mask, 0x08);
	assert_int_equal(state_of(fake).ets.bw[0], 100);
	assert_int_equal(state_of(fake).ets.bw[1], 0);
	/* Now priorities have fixed classes, and codes leak. */
	assert_int_equal(set_ets(fake, 50, 50), 0);
	assert_int_equal(state_of(fake).ets.prio_tc[3], 3);
	assert_int_equal(state_of(fake).ets.bw[1], 50);
	assert_int_equal(app(fake, true, RT_APP_DSCP, 48, 2), 1);
	assert_int_equal(app(fake, true, RT_APP_DSCP, 26, 2), -EINVAL);
	assert_int_equal(app(fake, true, RT_APP_DSCP, 27, 4), -EINVAL);
	assert_int_equal(set_dcbx(fake, 0x05), -ECANCELED);
	assert_int_equal(fake->kern.ops->priv_flag_set(&fake->kern, "eth0",
						       "fw-lldp-agent", true, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(app(fake, false, RT_APP_DSCP, 48, 2), 2);
	assert_int_equal(app(fake, false, RT_APP_DSCP, 26, 3), 0);
	assert_int_equal(port->dcb.app.count, 0);
	assert_int_equal(state_of(fake).pfc.mask, 0);
	assert_int_equal(state_of(fake).ets.willing, 1);
	assert_int_equal(state_of(fake).ets.prio_tc[3], 0);
	rt_kern_close(&fake->kern);
}

static void test_ice_is_locked_by_its_agent_and_by_bonds(void **state)
{
	WITH(fake, "ice");
	const struct rt_kern_ops *ops = fake->kern.ops;

	(void)state;
	assert_int_equal(
		ops->priv_flag_set(&fake->kern, "eth0", "fw-lldp-agent", true, NULL),
		0);
	assert_true(port->dcb.dcbx & RT_DCBX_MODE_LLD);
	assert_int_equal(set_ets(fake, 50, 50), -EINVAL);
	assert_int_equal(set_pfc(fake, 0x08), -EINVAL);
	assert_int_equal(app(fake, true, RT_APP_DSCP, 26, 3), -EINVAL);
	assert_int_equal(
		ops->priv_flag_set(&fake->kern, "eth0", "fw-lldp-agent", false, NULL),
		0);
	assert_int_equal(set_pfc(fake, 0x08), 0);
	assert_int_equal(set_pause(fake, true), -EOPNOTSUPP);
	port->bonded = true;
	assert_int_equal(set_pfc(fake, 0x00), -EINVAL);
	assert_int_equal(ops->priv_flag_set(&fake->kern, "eth0", "none", true, NULL),
			 -EINVAL);
	rt_kern_close(&fake->kern);
}

static void test_hns3_pfc_ends_pause(void **state)
{
	WITH(fake, "hns3");

	(void)state;
	assert_int_equal(set_pfc(fake, 0x08), 0);
	assert_false(port->pause.rx || port->pause.tx);
	assert_int_equal(set_pause(fake, true), -EOPNOTSUPP);
	assert_int_equal(set_dcbx(fake, RT_DCBX_MODE_CEE | RT_DCBX_MODE_HOST),
			 -ECANCELED);
	rt_kern_close(&fake->kern);
}

static void test_setters_that_are_absent_say_done(void **state)
{
	WITH(fake, "cxgb4");

	(void)state;
	assert_int_equal(set_pfc(fake, 0x08), 0);
	assert_int_equal(port->dcb.pfc.mask, 0);
	assert_int_equal(fake->writes, 1);
	assert_int_equal(fake->effective, 0);
	rt_kern_close(&fake->kern);
}

static void test_what_is_absent_is_not_supported(void **state)
{
	WITH(fake, "ionic");
	struct rt_dcb dcb;
	struct rt_link_pause pause;
	uint16_t ms;

	(void)state;
	(void)port;
	assert_int_equal(fake->kern.ops->dcb_get(&fake->kern, "eth0", &dcb, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(fake->kern.ops->storm_get(&fake->kern, "eth0", &ms, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(fake->kern.ops->pause_get(&fake->kern, "eth0", &pause, NULL),
			 0);
	assert_int_equal(fake->kern.ops->pause_get(&fake->kern, "eth9", &pause, NULL),
			 -ENODEV);
	assert_null(rt_fake_add_port(fake, "mlx6"));
	rt_kern_close(&fake->kern);
}

/* --- files ------------------------------------------------------------------------------ */

static void test_files_of_each_kind(void **state)
{
	WITH(fake, "mlx5");
	char text[64];
	size_t bytes;

	(void)state;
	(void)port;
	rt_fake_add_file(fake, "/x/hex", RT_FAKE_HEX, "0\n");
	rt_fake_add_file(fake, "/x/staged", RT_FAKE_STAGED, "1\n");
	rt_fake_add_file(fake, "/x/apply", RT_FAKE_APPLY, "");
	rt_fake_add_file(fake, "/x/deaf", RT_FAKE_DEAF, "1\n");
	rt_fake_add_file(fake, "/x/fixed", RT_FAKE_TEXT, "1\n")->read_only = true;
	assert_int_equal(write_file(fake, "/x/hex", "26"), 0);
	assert_true(number(fake, "/x/hex") == 38);
	assert_int_equal(write_file(fake, "/x/staged", "7"), 0);
	assert_true(number(fake, "/x/staged") == 1);
	assert_int_equal(write_file(fake, "/x/apply", "1"), 0);
	assert_true(number(fake, "/x/staged") == 7);
	assert_int_equal(write_file(fake, "/x/deaf", "7"), 0);
	assert_true(number(fake, "/x/deaf") == 1);
	assert_int_equal(write_file(fake, "/x/fixed", "7"), -EACCES);
	assert_int_equal(fake->kern.ops->access(&fake->kern, "/x/fixed", true),
			 -EACCES);
	assert_int_equal(fake->kern.ops->access(&fake->kern, "/x/deaf", true), 0);
	assert_int_equal(write_file(fake,
				    "/sys/class/infiniband/mlx5_0/tc/1/traffic_class",
				    "106"),
			 0);
	assert_int_equal(fake->kern.ops->file_read(
				 &fake->kern,
				 "/sys/class/infiniband/mlx5_0/tc/1/traffic_class",
				 text, sizeof(text), &bytes, NULL),
			 0);
	assert_string_equal(text, "Global tclass=106\n");
	assert_null(rt_fake_add_file(fake, "/x/deaf", RT_FAKE_TEXT, ""));
	rt_kern_close(&fake->kern);
}

#define CMA "/sys/kernel/config/rdma_cm/mlx5_0"

static void test_configfs_shows_what_is_made(void **state)
{
	WITH(fake, "mlx5");
	const struct rt_kern_ops *ops = fake->kern.ops;
	struct rt_names names = { 0 };

	(void)state;
	(void)port;
	assert_int_equal(ops->access(&fake->kern, CMA, false), -ENOENT);
	assert_int_equal(write_file(fake, CMA "/ports/1/default_roce_tos", "106"),
			 -ENOENT);
	assert_int_equal(
		ops->folder_make(&fake->kern, "/sys/kernel/config/rdma_cm/no", NULL),
		-ENODEV);
	assert_int_equal(ops->folder_read(&fake->kern, "/sys/kernel/config/rdma_cm",
					  &names, NULL),
			 0);
	assert_int_equal(names.count, 0);
	rt_names_free(&names);
	assert_int_equal(ops->folder_make(&fake->kern, CMA, NULL), 0);
	assert_int_equal(ops->folder_make(&fake->kern, CMA, NULL), -EEXIST);
	assert_int_equal(write_file(fake, CMA "/ports/1/default_roce_tos", "106"), 0);
	assert_int_equal(ops->folder_remove(&fake->kern, CMA, NULL), 0);
	assert_int_equal(ops->access(&fake->kern, CMA, false), -ENOENT);
	/* The value stays in the device. */
	assert_int_equal(ops->folder_make(&fake->kern, CMA, NULL), 0);
	assert_true(number(fake, CMA "/ports/1/default_roce_tos") == 106);
	rt_kern_close(&fake->kern);
}

static void test_the_tree_has_links(void **state)
{
	WITH(fake, "mlx5");
	char text[128];

	(void)state;
	(void)port;
	assert_int_equal(fake->kern.ops->symlink_read(
				 &fake->kern, "/sys/class/net/eth0/device/driver", text,
				 sizeof(text), NULL),
			 0);
	assert_string_equal(text, "../../../bus/pci/drivers/mlx5_core");
	assert_int_equal(rt_kern_line(&fake->kern,
				      "/sys/class/infiniband/mlx5_0/ports/1/gids/1",
				      text, sizeof(text), NULL),
			 0);
	assert_string_equal(text, "fe80:0000:0000:0000:0000:00ff:fe00:0001");
	rt_kern_close(&fake->kern);
}

/* --- faults -------------------------------------------------------------------------------- */

static void test_faults_come_at_their_write(void **state)
{
	WITH(fake, "mlx5");

	(void)state;
	fake->faults[0] =
		(struct rt_fake_fault){ .at = 2, .kind = RT_FAKE_FAIL, .code = -EIO };
	fake->faults[1] = (struct rt_fake_fault){ .at = 3, .kind = RT_FAKE_IGNORE };
	fake->faults[2] = (struct rt_fake_fault){ .at = 4, .kind = RT_FAKE_BEND };
	assert_int_equal(set_pfc(fake, 0x01), 0);
	assert_int_equal(set_pfc(fake, 0x02), -EIO);
	assert_int_equal(port->dcb.pfc.mask, 0x01);
	assert_int_equal(set_pfc(fake, 0x02), 0);
	assert_int_equal(port->dcb.pfc.mask, 0x01);
	assert_int_equal(set_pfc(fake, 0x02), 0);
	assert_int_equal(port->dcb.pfc.mask, 0x82);
	assert_int_equal(fake->writes, 4);
	assert_int_equal(fake->effective, 2);
	rt_kern_close(&fake->kern);
}

#define WRITE_KINDS 9 /* the last wants an ice */

static int write_kind(struct rt_fake *fake, int kind)
{
	const struct rt_kern_ops *ops = fake->kern.ops;
	const struct rt_dcb_set set = { .has = RT_DCB_MAXRATE,
					.maxrate_bps = { 1000000000 } };

	switch (kind) {
	case 0: return set_pfc(fake, 0x08);
	case 1: return set_ets(fake, 40, 60);
	case 2: return ops->dcb_set(&fake->kern, "eth0", &set, NULL);
	case 3: return app(fake, true, RT_APP_DSCP, 26, 3);
	case 4: return set_dcbx(fake, 0x19);
	case 5: return set_pause(fake, true);
	case 6: return ops->storm_set(&fake->kern, "eth0", 100, NULL);
	case 7: return write_file(fake, CC "rp_ai_rate", "77");
	}
	return ops->priv_flag_set(&fake->kern, "eth0", "link-down-on-close", true,
				  NULL);
}

/* Every kind of write obeys every kind of fault. */
static void check_fault(int kind, enum rt_fake_fault_kind fault)
{
	WITH(fake, kind == WRITE_KINDS - 1 ? "ice" : "mlx5");
	const struct rt_fake_port before = *port;
	struct rt_fake_port wanted;
	struct rt_fake_file *file = rt_fake_file_of(fake, CC "rp_ai_rate");

	assert_int_equal(write_kind(fake, kind), 0);
	wanted = *port;
	*port = before;
	if (file)
		strcpy(file->text, "5\n");
	fake->faults[0] =
		(struct rt_fake_fault){ .at = 2, .kind = fault, .code = -EBUSY };
	assert_int_equal(write_kind(fake, kind), fault == RT_FAKE_FAIL ? -EBUSY : 0);
	if (kind == 7)
		assert_true(number(fake, CC "rp_ai_rate") ==
			    (fault == RT_FAKE_BEND ? 78 : 5));
	else
		assert_memory_not_equal(port, &wanted, sizeof(wanted));
	if (fault != RT_FAKE_BEND)
		assert_memory_equal(port, &before, sizeof(before));
	rt_kern_close(&fake->kern);
}

static void test_every_write_can_fail_be_bent_or_ignored(void **state)
{
	(void)state;
	for (int kind = 0; kind < WRITE_KINDS; kind++) {
		check_fault(kind, RT_FAKE_FAIL);
		check_fault(kind, RT_FAKE_IGNORE);
		check_fault(kind, RT_FAKE_BEND);
	}
}

static void test_what_is_written_outlives_the_writer(void **state)
{
	static const struct {
		enum rt_fake_fault_kind kind;
		uint8_t mask;
		unsigned effective;
	} cases[] = { { RT_FAKE_KILL_BEFORE, 0x01, 1 },
		      { RT_FAKE_KILL_AFTER, 0x02, 2 } };

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++) {
		WITH(fake, "mlx5");
		int status = 0;
		pid_t child;

		fake->faults[0] = (struct rt_fake_fault){ .at = 2,
							  .kind = cases[i].kind };
		child = fork();
		if (child == 0) {
			set_pfc(fake, 0x01);
			set_pfc(fake, 0x02);
			_exit(0); /* must not be reached */
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		assert_int_equal(fake->writes, 2);
		assert_int_equal(fake->effective, cases[i].effective);
		assert_int_equal(port->dcb.pfc.mask, cases[i].mask);
		assert_string_equal(fake->log[1], "eth0 PFC");
		rt_kern_close(&fake->kern);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_mlx5_flaps_when_the_mask_changes),
	     cmocka_unit_test(test_mlx5_buffers_follow_until_set_by_hand),
	     cmocka_unit_test(test_mlx5_dcbx_of_the_firmware_is_no_mode_to_set),
	     cmocka_unit_test(test_mlx5_a_dscp_has_one_entry),
	     cmocka_unit_test(test_mlx5_ranges), cmocka_unit_test(test_mlx5_cc_params),
	     cmocka_unit_test(test_mlx4_pause_and_pfc_end_each_other),
	     cmocka_unit_test(test_bnxt_wants_ets_before_pfc),
	     cmocka_unit_test(test_a_refused_set_stays_half_done),
	     cmocka_unit_test(test_ice_first_dscp_entry_resets_ets),
	     cmocka_unit_test(test_ice_is_locked_by_its_agent_and_by_bonds),
	     cmocka_unit_test(test_hns3_pfc_ends_pause),
	     cmocka_unit_test(test_setters_that_are_absent_say_done),
	     cmocka_unit_test(test_what_is_absent_is_not_supported),
	     cmocka_unit_test(test_files_of_each_kind),
	     cmocka_unit_test(test_configfs_shows_what_is_made),
	     cmocka_unit_test(test_the_tree_has_links),
	     cmocka_unit_test(test_faults_come_at_their_write),
	     cmocka_unit_test(test_every_write_can_fail_be_bent_or_ignored),
	     cmocka_unit_test(test_what_is_written_outlives_the_writer))
