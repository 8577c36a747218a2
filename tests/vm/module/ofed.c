// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The files of NVIDIA's own driver package, in place of those in debugfs (ofed=1):
 *
 *   /sys/class/net/IF/qos/trust
 *   /sys/class/net/IF/ecn/roce_{np,rp}/NAME and enable/PRIO
 *   /sys/class/infiniband/DEV/tc/1/traffic_class
 *
 * Names: MLNX_OFED en_sysfs.c and mlnx-tools.  The numbers are those of cc_params.
 */
#include <linux/kobject.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "rtnic.h"

/* A file: how it is read and written, and which of its kind it is. */
struct ofed_file {
	struct kobj_attribute attr;
	struct rtnic *nic;
	unsigned int which;
	int (*show)(struct rtnic *nic, unsigned int which, char *buf);
	int (*store)(struct rtnic *nic, unsigned int which, const char *text);
	char name[2]; /* of a priority's */
};

enum folder {
	QOS,
	ECN,
	NP,
	NP_ENABLE,
	RP,
	RP_ENABLE,
	TC,
	TC_PORT,
	FOLDERS
};

/* A folder comes after the one it is in; FOLDERS: in the netdev or the RDMA device. */
static const struct {
	const char *name;
	enum folder in;
} folders[FOLDERS] = {
	[QOS] = { "qos", FOLDERS }, [ECN] = { "ecn", FOLDERS },
	[NP] = { "roce_np", ECN },  [NP_ENABLE] = { "enable", NP },
	[RP] = { "roce_rp", ECN },  [RP_ENABLE] = { "enable", RP },
	[TC] = { "tc", FOLDERS },   [TC_PORT] = { "1", TC },
};

static const struct {
	enum folder in;
	const char *name, *knob;
} knobs[] = {
	{ NP, "min_time_between_cnps", "np_min_time_between_cnps" },
	{ NP, "cnp_dscp", "np_cnp_dscp" },
	{ NP, "cnp_802p_prio", "np_cnp_prio" },
	{ RP, "clamp_tgt_rate", "rp_clamp_tgt_rate" },
	{ RP, "clamp_tgt_rate_after_time_inc", "rp_clamp_tgt_rate_ati" },
	{ RP, "rpg_time_reset", "rp_time_reset" },
	{ RP, "rpg_byte_reset", "rp_byte_reset" },
	{ RP, "rpg_threshold", "rp_threshold" },
	{ RP, "rpg_max_rate", "rp_max_rate" },
	{ RP, "rpg_ai_rate", "rp_ai_rate" },
	{ RP, "rpg_hai_rate", "rp_hai_rate" },
	{ RP, "rpg_gd", "rp_gd" },
	{ RP, "rpg_min_dec_fac", "rp_min_dec_fac" },
	{ RP, "rpg_min_rate", "rp_min_rate" },
	{ RP, "rate_to_set_on_first_cnp", "rp_rate_to_set_on_first_cnp" },
	{ RP, "dce_tcp_g", "rp_dce_tcp_g" },
	{ RP, "dce_tcp_rtt", "rp_dce_tcp_rtt" },
	{ RP, "rate_reduce_monitor_period", "rp_rate_reduce_monitor_period" },
	{ RP, "initial_alpha_value", "rp_initial_alpha_value" },
};

#define FILES (ARRAY_SIZE(knobs) + 2 * RTNIC_PRIOS + 2)

struct rtnic_ofed {
	struct kobject *folder[FOLDERS];
	struct ofed_file file[FILES];
	unsigned int file_count;
	u8 enable[2]; /* of NP and RP, a bit a priority */
	int tclass;   /* below 0: none */
};

static int knob_show(struct rtnic *nic, unsigned int which, char *buf)
{
	return sysfs_emit(buf, "%u\n", nic->knob[which]);
}

static int knob_store(struct rtnic *nic, unsigned int which, const char *text)
{
	u32 value;
	int r = kstrtou32(text, 0, &value);

	return r ? r : rtnic_knob_set(nic, which, value);
}

/* which: priority, and 8 for the reaction point. */
static int enable_show(struct rtnic *nic, unsigned int which, char *buf)
{
	return sysfs_emit(buf, "%u\n", nic->ofed->enable[which / 8] >> which % 8 & 1);
}

static int enable_store(struct rtnic *nic, unsigned int which, const char *text)
{
	u8 *mask = &nic->ofed->enable[which / 8], want;
	int r = kstrtou8(text, 0, &want);

	if (r)
		return r;
	r = rtnic_write(nic, which / 8 ? "rp_enable" : "np_enable", &want, "%u %u",
			which % 8, want);
	if (!r && want > 1)
		r = -EINVAL;
	if (!r)
		*mask = (*mask & ~BIT(which % 8)) | want << which % 8;
	return rtnic_wrote(nic, r);
}

static int trust_show(struct rtnic *nic, unsigned int which, char *buf)
{
	return sysfs_emit(buf, "%s\n", nic->card.dscp_trust ? "dscp" : "pcp");
}

static int trust_store(struct rtnic *nic, unsigned int which, const char *text)
{
	u8 dscp = sysfs_streq(text, "dscp");
	int r = rtnic_write(nic, "trust", &dscp, "%.4s", text);

	if (!r && !dscp && !sysfs_streq(text, "pcp"))
		r = -EINVAL;
	if (!r)
		nic->card.dscp_trust = dscp;
	return rtnic_wrote(nic, r);
}

static int tclass_show(struct rtnic *nic, unsigned int which, char *buf)
{
	if (nic->ofed->tclass < 0)
		return 0;
	return sysfs_emit(buf, "Global tclass=%d\n", nic->ofed->tclass);
}

static int tclass_store(struct rtnic *nic, unsigned int which, const char *text)
{
	u8 want;
	int r = kstrtou8(text, 0, &want);

	if (r)
		return r;
	r = rtnic_write(nic, "traffic_class", &want, "%u", want);
	if (!r)
		nic->ofed->tclass = want;
	return rtnic_wrote(nic, r);
}

static ssize_t file_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	struct ofed_file *file = container_of(attr, struct ofed_file, attr);
	int r;

	rtnl_lock();
	r = file->show(file->nic, file->which, buf);
	rtnl_unlock();
	return r;
}

static ssize_t file_store(struct kobject *kobj, struct kobj_attribute *attr,
			  const char *text, size_t n)
{
	struct ofed_file *file = container_of(attr, struct ofed_file, attr);
	int r;

	rtnl_lock();
	r = file->store(file->nic, file->which, text);
	rtnl_unlock();
	return r < 0 ? r : n;
}

/* like: the functions and which. */
static int file_add(struct rtnic *nic, enum folder in, const char *name,
		    struct ofed_file like)
{
	struct ofed_file *file = &nic->ofed->file[nic->ofed->file_count++];

	*file = like;
	file->nic = nic;
	file->name[0] = '0' + like.which % 8;
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = name ? name : file->name;
	file->attr.attr.mode = 0644;
	file->attr.show = file_show;
	file->attr.store = file_store;
	return sysfs_create_file(nic->ofed->folder[in], &file->attr.attr);
}

static int folders_add(struct rtnic *nic)
{
	struct kobject **made = nic->ofed->folder, *in;
	unsigned int i;

	for (i = 0; i < FOLDERS; i++) {
		in = folders[i].in != FOLDERS ? made[folders[i].in]
		     : i == TC                ? rtnic_rdma_kobj(nic)
					      : &nic->dev->dev.kobj;
		made[i] = kobject_create_and_add(folders[i].name, in);
		if (!made[i])
			return -ENOMEM;
	}
	return 0;
}

static int files_add(struct rtnic *nic)
{
	struct ofed_file knob = { .show = knob_show, .store = knob_store };
	struct ofed_file enable = { .show = enable_show, .store = enable_store };
	const struct ofed_file trust = { .show = trust_show, .store = trust_store };
	const struct ofed_file tclass = { .show = tclass_show, .store = tclass_store };
	unsigned int i;
	int r = 0;

	for (i = 0; !r && i < ARRAY_SIZE(knobs); i++) {
		knob.which = rtnic_knob_find(nic, knobs[i].knob);
		r = file_add(nic, knobs[i].in, knobs[i].name, knob);
	}
	for (i = 0; !r && i < 2 * RTNIC_PRIOS; i++) {
		enable.which = i;
		r = file_add(nic, i < RTNIC_PRIOS ? NP_ENABLE : RP_ENABLE, NULL,
			     enable);
	}
	if (!r)
		r = file_add(nic, QOS, "trust", trust);
	if (!r)
		r = file_add(nic, TC_PORT, "traffic_class", tclass);
	return r;
}

int rtnic_ofed_add(struct rtnic *nic)
{
	int r;

	nic->ofed = kzalloc(sizeof(*nic->ofed), GFP_KERNEL);
	if (!nic->ofed)
		return -ENOMEM;
	nic->ofed->enable[0] = nic->ofed->enable[1] = 0xff;
	nic->ofed->tclass = -1;
	r = folders_add(nic);
	if (!r)
		r = files_add(nic);
	if (r)
		rtnic_ofed_remove(nic);
	return r;
}

void rtnic_ofed_state(const struct rtnic *nic, struct seq_file *s)
{
	seq_printf(s, "np_enable 0x%02x rp_enable 0x%02x traffic_class %d\n",
		   nic->ofed->enable[0], nic->ofed->enable[1], nic->ofed->tclass);
}

void rtnic_ofed_remove(struct rtnic *nic)
{
	unsigned int i = FOLDERS;

	if (!nic->ofed)
		return;
	while (i--)
		if (nic->ofed->folder[i]) {
			kobject_del(nic->ofed->folder[i]);
			kobject_put(nic->ofed->folder[i]);
		}
	kfree(nic->ofed);
	nic->ofed = NULL;
}
