// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The congestion-control files in debugfs: mlx5/<PCI address>/cc_params/ as
 * drivers/infiniband/hw/mlx5/cong.c makes them, bnxt_re/<PCI address>/cc_config/ as
 * drivers/infiniband/hw/bnxt_re/debugfs.c does.
 *
 * The card refuses what is out of range.  bnxt's driver does not look at the answer: a
 * refused write reports success there.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>

#include "rtnic.h"

int rtnic_knob_find(const struct rtnic *nic, const char *name)
{
	const struct rtnic_knob *row = nic->kind->knobs;
	int i;

	for (i = 0; row[i].name; i++)
		if (!strcmp(row[i].name, name))
			return i;
	return -ENOENT;
}

static int knob_take(struct rtnic *nic, int i, u32 value)
{
	const struct rtnic_knob *row = &nic->kind->knobs[i];
	int other;

	if (value < row->min || value > row->max)
		return nic->kind->knobs_lie ? 0 : -EINVAL;
	nic->knob[i] = value;
	other = row->forces ? rtnic_knob_find(nic, row->forces) : -ENOENT;
	if (other >= 0)
		nic->knob[other] = row->forced;
	return 0;
}

int rtnic_knob_set(struct rtnic *nic, unsigned int knob, u32 value)
{
	const struct rtnic_knob *row = &nic->kind->knobs[knob];
	int r;

	if (row->max < row->min)
		return -EOPNOTSUPP; /* bnxt's tx_queue */
	r = rtnic_write(nic, row->name, (u8 *)&value, "%u", value);
	return rtnic_wrote(nic, r ? r : knob_take(nic, knob, value));
}

static int knob_index(const struct rtnic *nic, const struct file *file)
{
	return rtnic_knob_find(nic, (const char *)file->f_path.dentry->d_name.name);
}

static ssize_t knob_read(struct file *file, char __user *to, size_t n, loff_t *pos)
{
	struct rtnic *nic = file_inode(file)->i_private;
	int i = knob_index(nic, file), length;
	char text[16];

	if (i < 0 || nic->kind->knobs[i].max < nic->kind->knobs[i].min)
		return -EINVAL;
	length = scnprintf(text, sizeof(text), "%u\n", nic->knob[i]);
	return simple_read_from_buffer(to, n, pos, text, length);
}

static ssize_t knob_write(struct file *file, const char __user *from, size_t n,
			  loff_t *pos)
{
	struct rtnic *nic = file_inode(file)->i_private;
	int i = knob_index(nic, file), r;
	u32 value;

	r = kstrtou32_from_user(from, n, 0, &value);
	if (r || i < 0)
		return r ? r : -ENOENT;
	rtnl_lock();
	r = rtnic_knob_set(nic, i, value);
	rtnl_unlock();
	return r ? r : n;
}

static const struct file_operations knob_ops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = knob_read,
	.write = knob_write,
};

void rtnic_knobs_reset(struct rtnic *nic)
{
	const struct rtnic_knob *row = nic->kind->knobs;
	unsigned int i;

	for (i = 0; row && row[i].name; i++)
		nic->knob[i] = row[i].start;
}

void rtnic_knobs_add(struct rtnic *nic)
{
	const struct rtnic_knob *row = nic->kind->knobs;
	struct dentry *root, *folder;
	unsigned int i;

	if (!row)
		return;
	/* The first NIC of a kind makes the root; rtnic_knobs_end() takes it away. */
	root = debugfs_lookup(nic->kind->knob_root, NULL);
	if (!root)
		root = dget(debugfs_create_dir(nic->kind->knob_root, NULL));
	nic->knob_files = debugfs_create_dir(pci_name(nic->pdev), root);
	dput(root);
	folder = debugfs_create_dir(nic->kind->knob_folder, nic->knob_files);
	for (i = 0; row[i].name; i++)
		debugfs_create_file(row[i].name, nic->kind->knobs_lie ? 0400 : 0600,
				    folder, nic, &knob_ops);
}

void rtnic_knobs_end(void)
{
	struct dentry *root;
	unsigned int i;

	for (i = 0; i < rtnic_kind_count; i++) {
		if (!rtnic_kinds[i].knob_root)
			continue;
		root = debugfs_lookup(rtnic_kinds[i].knob_root, NULL);
		debugfs_remove(root);
		dput(root);
	}
}
