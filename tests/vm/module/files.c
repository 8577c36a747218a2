// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * debugfs rtnic/<netdev>/: the hands and eyes of a test.
 *
 *   fault    in: README.md's words
 *   writes   how many writes have reached the driver; writing anything sets it to 0
 *   log      one line for each of them
 *   flaps    how often the driver took the link down; writing anything sets it to 0
 *   state    all that the card holds, that too which no interface shows
 *   qps      how many QPs exist; writing a number makes them so
 *   count    in: NAME NUMBER adds to a counter of ethtool or of the RDMA device
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>

#include "rtnic.h"

/* One word or line that a test wrote. */
struct line {
	char text[64];
};

static int line_take(struct line *line, const char __user *from, size_t n)
{
	if (n >= sizeof(line->text))
		return -EINVAL;
	if (copy_from_user(line->text, from, n))
		return -EFAULT;
	line->text[n] = '\0';
	return 0;
}

static int fault_in(struct rtnic *nic, char *text)
{
	int r;

	rtnl_lock();
	r = rtnic_fault_set(nic, text);
	rtnl_unlock();
	return r;
}

static int writes_in(struct rtnic *nic, char *text)
{
	rtnl_lock();
	nic->writes = 0;
	rtnl_unlock();
	return 0;
}

static int flaps_in(struct rtnic *nic, char *text)
{
	rtnl_lock();
	nic->flaps = 0;
	rtnl_unlock();
	return 0;
}

static int qps_in(struct rtnic *nic, char *text)
{
	unsigned int count;
	int r = kstrtouint(strim(text), 0, &count);

	return r ? r : rtnic_rdma_qps(nic, count);
}

static int count_in(struct rtnic *nic, char *text)
{
	char name[40];
	u64 more;
	int r;

	if (sscanf(text, "%39s %llu", name, &more) != 2)
		return -EINVAL;
	rtnl_lock();
	r = rtnic_count(nic, name, more);
	rtnl_unlock();
	return r;
}

static void writes_out(struct rtnic *nic, struct seq_file *s)
{
	seq_printf(s, "%u\n", nic->writes);
}

static void flaps_out(struct rtnic *nic, struct seq_file *s)
{
	seq_printf(s, "%u\n", nic->flaps);
}

static void qps_out(struct rtnic *nic, struct seq_file *s)
{
	seq_printf(s, "%u\n", rtnic_rdma_qp_count(nic));
}

static void log_out(struct rtnic *nic, struct seq_file *s)
{
	unsigned int i = nic->writes - min_t(unsigned int, nic->writes, RTNIC_LOG_MAX);

	for (; i < nic->writes; i++)
		seq_printf(s, "%s\n", nic->log[i % RTNIC_LOG_MAX].text);
}

static void state_dcb(const struct rtnic_card *card, struct seq_file *s)
{
	unsigned int i;

	seq_printf(s, "ets prio_tc %8ph tsa %8ph bw %8ph\n", card->ets.prio_tc,
		   card->ets.tc_tsa, card->ets.tc_tx_bw);
	seq_printf(s, "ets willing %u\n", card->ets.willing);
	for (i = 0; i < RTNIC_PRIOS; i++)
		seq_printf(s, "class %u kbit %llu buffer %u bytes %u\n", i,
			   card->maxrate.tc_maxrate[i], card->buffer.prio2buffer[i],
			   card->buffer.buffer_size[i]);
	for (i = 0; i < RTNIC_DSCPS; i++)
		if (card->dscp_mapped & BIT_ULL(i))
			seq_printf(s, "dscp %u prio %u\n", i, card->dscp_prio[i]);
}

/* All that can be set: two of these that are equal are the same card. */
static void state_out(struct rtnic *nic, struct seq_file *s)
{
	const struct rtnic_card *card = &nic->card;
	const struct rtnic_knob *knob = nic->kind->knobs;
	unsigned int i;

	seq_printf(s, "trust %s\n", card->dscp_trust ? "dscp" : "pcp");
	seq_printf(s, "buffers %s\n", card->buffer_manual ? "manual" : "auto");
	seq_printf(s, "dscp_mapped %lu\n", hweight64(card->dscp_mapped));
	seq_printf(s, "cable_m %u\n", card->cable_m);
	seq_printf(s, "pfc 0x%02x\n", card->pfc_en);
	seq_printf(s, "dcbx 0x%02x\n", card->dcbx);
	seq_printf(s, "pause rx %u tx %u\n", card->rx_pause, card->tx_pause);
	seq_printf(s, "storm_ms %u\n", card->storm_ms);
	state_dcb(card, s);
	for (i = 0; knob && knob[i].name; i++)
		seq_printf(s, "%s %u\n", knob[i].name, nic->knob[i]);
	if (nic->ofed)
		rtnic_ofed_state(nic, s);
}

static const struct file_row {
	const char *name;
	int (*in)(struct rtnic *nic, char *text);
	void (*out)(struct rtnic *nic, struct seq_file *s);
} rows[] = {
	{ "fault", fault_in, NULL },  { "writes", writes_in, writes_out },
	{ "log", NULL, log_out },     { "flaps", flaps_in, flaps_out },
	{ "state", NULL, state_out }, { "qps", qps_in, qps_out },
	{ "count", count_in, NULL },
};

/* A file's name is its row, its private data the NIC. */
static const struct file_row *row_of(const struct file *file)
{
	const char *name = (const char *)file->f_path.dentry->d_name.name;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static int show(struct seq_file *s, void *unused)
{
	const struct file_row *row = row_of(s->file);

	if (!row || !row->out)
		return -EINVAL;
	rtnl_lock();
	row->out(s->private, s);
	rtnl_unlock();
	return 0;
}

static int open(struct inode *inode, struct file *file)
{
	return single_open(file, show, inode->i_private);
}

static ssize_t write(struct file *file, const char __user *from, size_t n, loff_t *pos)
{
	const struct file_row *row = row_of(file);
	struct line line;
	int r;

	if (!row || !row->in)
		return -EINVAL;
	r = line_take(&line, from, n);
	if (!r)
		r = row->in(file_inode(file)->i_private, line.text);
	return r ? r : n;
}

static const struct file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = open,
	.read = seq_read,
	.write = write,
	.llseek = seq_lseek,
	.release = single_release,
};

void rtnic_files_add(struct rtnic *nic)
{
	unsigned int i;

	nic->files = debugfs_create_dir(netdev_name(nic->dev), rtnic_files);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		debugfs_create_file(rows[i].name, 0600, nic->files, nic, &file_ops);
}
