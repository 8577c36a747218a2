/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - docs/counters.md: every counter, and where each NIC has it. */
#include "model/counters.h"
#include "base/text.h"
#include "cmd/help.h"
#include "rocetune/err.h"
#include "run/nics.h"

static const char intro[] =
	"<!-- SPDX-License-Identifier: BSD-2-Clause -->\n"
	"<!-- Made by `make docs` from src/model/counters.c and src/host/drivers. -->\n"
	"# Counters\n\n"
	"What rocetune counts on a port (`rocetune show DEV --all`), vendor-neutral "
	"first, "
	"then where each driver has it. Pauses have two directions that people "
	"confuse: "
	"*received* pause frames mean that the peer stops us (the network, or the "
	"other "
	"end, is slow); *sent* ones mean that we stop the peer (this NIC or host is "
	"slow).\n\n"
	"Traps that are taken care of, and what remains:\n\n"
	"- What cannot be read is unknown, never 0: no such name, a text instead of a "
	"number (`N/A (no PMA)`), all ones, a counter that has come to its end and "
	"stays "
	"there, a time that would not fit.\n"
	"- Names come and go while the driver runs (mlx5 has `rx_prio3_pause` only "
	"while "
	"PFC is on for priority 3), even between two reads with as many names as "
	"before: "
	"they are read anew each time and matched by name.\n"
	"- Between two readings, a counter that is missing in one, or came from "
	"another "
	"place, is unknown. So is one that went backwards, and with it everything from "
	"its source: a driver that was loaded anew has begun them all again. Counters "
	"of "
	"32 bits may start anew once.\n"
	"- Counters of traffic include what was sent again: they are throughput, not "
	"goodput. Kernel counters (`netdev_*`) do not see RDMA on a NIC that does it "
	"by "
	"itself.\n"
	"- `ce_rx` stays 0 on some NICs that do send CNPs; `cnp_tx` is paced, so it is "
	"below `ce_rx`; slow restart sends CNPs without a mark.\n"
	"- Only drivers that fill dcbnl's PFC counters are asked by it: with others "
	"they "
	"read as 0, or the wrong way round (ixgbe).\n"
	"- mlx5 reads `rx_global_pause` from the register of priority 0: frames of the "
	"whole link are taken from `rx_pause_ctrl_phy` instead.\n"
	"- Counters of queues (bnxt_en's `cosN`) are not those of priorities.\n"
	"- Of a bond all ports are added up; RDMA counters of a bonded device are.\n"
	"- A source that refuses is asked once, as each try may fill the kernel's log: "
	"by "
	"`show` at each call, by `top` and `exporter` until the port returns or they "
	"are "
	"started anew.\n"
	"- What a queueing discipline drops never comes to the device: `tx_discards` "
	"by "
	"*qdisc* is beside `netdev_tx_dropped`, not in it. Drops are those of the "
	"root, "
	"which counts again what those below it drop; marks are summed over all that "
	"tell of any (red, choke, gred, sfq, sfb, codel, fq_codel, fq, pie, fq_pie, "
	"cake). "
	"What netem marks it counts as dropped. Of `noqueue`, as a veth has by itself, "
	"there is nothing to count.\n"
	"- FECN and BECN of an InfiniBand port (PortRcvConCtrl) come by management "
	"datagram only: no file and no netlink message has them, and RoCE ports do not "
	"implement them, so they are not read; `xmit_wait` is.\n"
	"- By rdma netlink the kernel asks the NIC now; in sysfs numbers may be "
	"`lifespan` "
	"milliseconds old, and bnxt_en's of ethtool a second.\n";

static const char *scope_of(const struct rt_counter *counter)
{
	return counter->scope == RT_COUNTER_BOTH   ? "port, priority"
	       : counter->scope == RT_COUNTER_PRIO ? "priority"
						   : "port";
}

static void put_catalogue(FILE *to)
{
	fputs("\n## All counters\n\n| counter | of | unit | meaning "
	      "|\n|---|---|---|---|\n",
	      to);
	for (unsigned i = 0; i < RT_COUNTER_COUNT; i++) {
		const struct rt_counter *counter = &rt_counters[i];

		fprintf(to, "| `%s` | %s | %s | *%s*: %s |\n", counter->name,
			scope_of(counter),
			counter->unit == RT_UNIT_NS      ? "ns"
			: counter->unit == RT_UNIT_BYTES ? "bytes"
							 : "",
			counter->label, counter->help);
	}
}

static void put_rows(FILE *to, const struct rt_nic_counter *rows, size_t count)
{
	fputs("\n| counter | by | name | | source |\n|---|---|---|---|---|\n", to);
	for (size_t i = 0; i < count; i++)
		fprintf(to, "| `%s` | %s | `%s` | %s | %s |\n", rows[i].counter,
			rows[i].source, rows[i].vendor, rows[i].remark, rows[i].from);
}

int rt_help_counters(FILE *to, struct rt_err *err)
{
	struct rt_nics nics;
	int r = rt_run_nics(&nics, err);

	if (r < 0)
		return r;
	fputs(intro, to);
	put_catalogue(to);
	fputs("\n## By driver\n\n"
	      "Of several rows of one counter the first that can be read is taken. `%` "
	      "stands for the priority, `+` adds counters up. *ethtool* is `ethtool "
	      "-S`, "
	      "*hw_counters* `rdma statistic` or the files of that name, *device* "
	      "those "
	      "of "
	      "the RDMA device, *counters* the files of an InfiniBand port, *netdev* "
	      "/sys/class/net/*/statistics, *qdisc* the queueing disciplines (`tc -s "
	      "qdisc`).\n",
	      to);
	for (size_t i = 0; i < nics.count; i++) {
		if (!nics.items[i].counter_count)
			continue;
		fprintf(to, "\n### %s\n", nics.items[i].name);
		put_rows(to, nics.items[i].counters, nics.items[i].counter_count);
	}
	fputs("\n### Every port, after its driver's\n", to);
	put_rows(to, nics.common, nics.common_count);
	fputs("\n### Ports that no RDMA bypasses: network devices without, rxe, siw\n",
	      to);
	put_rows(to, nics.plain, nics.plain_count);
	rt_nics_free(&nics);
	return 0;
}
