/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Public outputs of real NICs as sources: each port is there with what it has, what it
 * has not is unknown, also where it is drawn, and verdicts do not contradict what the
 * fault turned out to be.
 *
 * The outputs are totals.  The first sample has zeros in their place, and the second one
 * comes after the time that a case says.
 */
#include "dump_drawn.h"
#include "dump_host.h"
#include "hand_source.h"

#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "run/host.h"
#include "run/watch.h"
#include "run/watch_host.h"

#define PORT_ITSELF RT_COUNTER_NO_PRIO
#define MLX5        "mlx5_core"
/* Counters of 32 bits are not known over longer ones. */
#define A_MINUTE    60

struct dumped {
	const char
		*host; /* rows of one host follow each other; an extract of the index */
	struct dump_nic nic;
	struct dump_part parts[2];
	int lossless;      /* mask; -1: not known */
	int64_t seconds;   /* that the totals are taken to be of */
	const char *known; /* counters that are there; of a priority: "name/3" */
	const char *unknown;
	const char *verdict; /* NULL: nothing is known that it should be */
	const char *never;   /* would contradict */
};

#define NIC(ibdev_, netdev_, kernel_, bus_)                       \
	{                                                         \
		ibdev_, netdev_, kernel_, "0000:" bus_ ":00.0", 1 \
	}
#define FILE_ETHTOOL(file_)                     \
	{                                       \
		file_, NULL, NULL, DUMP_ETHTOOL \
	}
#define FILE_RDMA(file_, where_)               \
	{                                      \
		file_, NULL, where_, DUMP_RDMA \
	}
#define BY_HAND(into_, text_)                   \
	{                                       \
		NULL, text_, NULL, DUMP_##into_ \
	}

static const struct dumped dumped[] = {
	{ "ConnectX-4 Lx, PFC off, no RDMA",
	  NIC("mlx5_0", "eth0", MLX5, "af"),
	  { FILE_ETHTOOL("mlx5-cx4lx-ethtool-S-full.txt") },
	  0,
	  A_MINUTE,
	  "rx_bytes/3 rx_bytes rdma_rx_bytes rx_discards symbol_errors pause_rx_frames",
	  "pfc_rx_frames/3 pfc_rx_ns/3 pfc_tx_ns/3 cnp_tx ce_rx out_of_sequence",
	  NULL,
	  "storm network class silent loss" },
	{ "NetXtreme-E, PFC never used",
	  NIC("bnxt_re0", "eth0", "bnxt_en", "3b"),
	  { FILE_ETHTOOL("bnxt_en-ethtool-S-full.txt") },
	  -1,
	  A_MINUTE,
	  "pfc_rx_frames/3 pfc_rx_ns/3 pfc_tx_ns/7 rx_discards buffer_passed",
	  "cnp_tx ce_rx out_of_sequence rdma_rx_bytes",
	  NULL,
	  "storm network class silent loss reorder" },
	{ "Pollara 400, all its PFC counters 0",
	  NIC("ionic_0", "eth0", "ionic", "44"),
	  { FILE_ETHTOOL("ionic-pollara-ethtool-S-pf-full.txt") },
	  -1,
	  A_MINUTE,
	  "pfc_rx_ns/3 pfc_tx_ns/3 rx_bytes rx_frames/0",
	  "pfc_rx_frames/3 cnp_tx ce_rx",
	  NULL,
	  "storm host network loss" },
	{ "Pollara 400, of nicctl",
	  NIC("ionic_0", "eth0", "ionic", "44"),
	  { { "ionic-nicctl-show-port-statistics.json", NULL,
	      "42424650-4c32-3030-3030-303031000000", DUMP_ETHTOOL } },
	  -1,
	  A_MINUTE,
	  "rx_bytes crc_errors",
	  "pfc_rx_frames/3 cnp_tx",
	  NULL,
	  "storm host network loss" },
	{ "Pollara 400, rdma statistic",
	  NIC("rocep68s0", "eth0", "ionic", "44"),
	  { FILE_RDMA("ionic-pollara-rdma-statistic.json", "rocep68s0/1") },
	  -1,
	  A_MINUTE,
	  "rdma_tx_bytes ce_rx cnp_rx out_of_sequence",
	  "pfc_rx_ns/3 rx_bytes",
	  "ok",
	  NULL },
	{ "Pollara 400, rdma statistic",
	  NIC("rocep132s0", "eth1", "ionic", "84"),
	  { FILE_RDMA("ionic-pollara-rdma-statistic.json", "rocep132s0/1") },
	  -1,
	  A_MINUTE,
	  "rdma_tx_bytes",
	  "pfc_rx_ns/3",
	  "ok",
	  NULL },
	{ "Pollara 400, rdma statistic",
	  NIC("ionic_1", "eth2", "ionic", "85"),
	  { FILE_RDMA("ionic-pollara-rdma-statistic.json", "ionic_1/1") },
	  -1,
	  A_MINUTE,
	  "rdma_tx_bytes rdma_rx_bytes",
	  "pfc_rx_ns/3 ack_timeouts",
	  NULL,
	  "storm host network loss silent" },
	{ "four ConnectX, out_of_buffer 135 at the first",
	  NIC("mlx5_0", "eth0", MLX5, "01"),
	  { FILE_RDMA("mlx5-rdma-statistic-show-4dev.txt", "mlx5_0/1") },
	  -1,
	  A_MINUTE,
	  "out_of_buffer cnp_tx ce_rx seq_naks_rx",
	  "rdma_tx_bytes pfc_rx_frames/3",
	  "host",
	  NULL },
	{ "four ConnectX, out_of_buffer 135 at the first",
	  NIC("mlx5_1", "eth1", MLX5, "02"),
	  { FILE_RDMA("mlx5-rdma-statistic-show-4dev.txt", "mlx5_1/1") },
	  -1,
	  A_MINUTE,
	  "out_of_buffer",
	  "rdma_tx_bytes",
	  "unknown",
	  NULL },
	{ "four ConnectX, out_of_buffer 135 at the first",
	  NIC("mlx5_2", "eth2", MLX5, "03"),
	  { FILE_RDMA("mlx5-rdma-statistic-show-4dev.txt", "mlx5_2/1") },
	  -1,
	  A_MINUTE,
	  "out_of_buffer",
	  "rdma_tx_bytes",
	  "unknown",
	  NULL },
	{ "four ConnectX, out_of_buffer 135 at the first",
	  NIC("mlx5_3", "eth3", MLX5, "04"),
	  { FILE_RDMA("mlx5-rdma-statistic-show-4dev.txt", "mlx5_3/1") },
	  -1,
	  A_MINUTE,
	  "out_of_buffer icrc_errors",
	  "rdma_tx_bytes",
	  "unknown",
	  NULL },
	{ "a receiver under heavy ECN, 20 marks a CNP",
	  NIC("mlx5_bond_0", "eth0", MLX5, "17"),
	  { FILE_RDMA("mlx5-bond-show_counters-ecn.txt", NULL) },
	  -1,
	  A_MINUTE,
	  "ce_rx cnp_tx cnp_handled out_of_sequence duplicates",
	  "rdma_rx_bytes",
	  "network",
	  NULL },
	{ "2:1 without PFC, time-outs, marks not counted",
	  NIC("mlx5_0", "eth0", MLX5, "b2"),
	  { { "mlx5-byteps179-ethtool-prio-hw_counters-fragment.txt", NULL, "",
	      DUMP_ETHTOOL },
	    { "mlx5-byteps179-ethtool-prio-hw_counters-fragment.txt", NULL, "mlx5_0/1",
	      DUMP_SYSFS } },
	  0,
	  A_MINUTE,
	  "rx_bytes/0 tx_bytes/7 ack_timeouts cnp_tx ce_rx duplicates",
	  "pfc_rx_frames/0 pfc_rx_ns/0 cnp_handled out_of_buffer rx_discards",
	  NULL,
	  "ok loss storm host link class reorder" },
	{ "EFA, the client: its packets went nowhere",
	  NIC("rdmap0s6", "eth0", "efa", "06"),
	  { { "efa-hw_counters-client.txt", NULL, NULL, DUMP_SYSFS } },
	  -1,
	  10,
	  "rdma_tx_bytes rdma_rx_frames rdma_rx_discards",
	  "pfc_rx_frames/3 ce_rx cnp_tx seq_naks_rx",
	  "ok",
	  NULL },
	{ "EFA, the server: nothing came",
	  NIC("rdmap0s6", "eth0", "efa", "06"),
	  { { "efa-hw_counters-server.txt", NULL, NULL, DUMP_SYSFS } },
	  -1,
	  10,
	  "rdma_rx_bytes",
	  "pfc_rx_frames/3",
	  "ok",
	  NULL },
	{ "MANA, time-outs until retries ran out",
	  NIC("mana_0", "eth0", "mana", "78"),
	  { FILE_RDMA("mana-rdma-statistic-p.txt", "mana_0/1") },
	  -1,
	  A_MINUTE,
	  "ack_timeouts retry_exceeded cnp_rx out_of_sequence",
	  "pfc_rx_frames/3 ce_rx rdma_rx_bytes",
	  "silent",
	  NULL },
	{ "E810 that pauses its peer, as its guide shows it",
	  NIC("rocep4s0", "eth0", "irdma", "04"),
	  { FILE_ETHTOOL("ice-e810-ethtool-prio-xoff-tx-only.txt") },
	  -1,
	  10,
	  "pfc_tx_frames/2 pfc_rx_frames/2",
	  "pfc_tx_ns/2 pfc_rx_ns/2 rx_bytes",
	  "unknown",
	  NULL },
	{ "slow reads because CPUs slept, the network was well",
	  NIC("mlx5_0", "eth0", MLX5, "e6"),
	  { { "mlx5-cx7-ethtool-i-and-ip-s-link.txt", NULL, "ens4np0", DUMP_NETDEV } },
	  1 << 5,
	  A_MINUTE,
	  "netdev_rx_bytes netdev_tx_packets",
	  "rx_bytes pfc_rx_frames/5",
	  NULL,
	  "storm network loss class silent link host" },
	/* nccl issue 2383 gives the figures: 3.4 TB on priority 0, PFC on 5 alone. */
	{ "queue pairs without a traffic class, by hand",
	  NIC("mlx5_0", "eth0", MLX5, "0c"),
	  { BY_HAND(ETHTOOL,
		    "rx_prio0_bytes: 0\nrx_prio1_bytes: 0\nrx_prio2_bytes: 0\n"
		    "rx_prio3_bytes: 0\nrx_prio4_bytes: 0\nrx_prio5_bytes: 0\n"
		    "rx_prio6_bytes: 0\nrx_prio7_bytes: 0\n"
		    "tx_prio0_bytes: 3400000000000\ntx_prio1_bytes: 0\n"
		    "tx_prio2_bytes: 0\ntx_prio3_bytes: 0\ntx_prio4_bytes: 0\n"
		    "tx_prio5_bytes: 0\ntx_prio6_bytes: 0\ntx_prio7_bytes: 0\n"
		    "tx_vport_rdma_unicast_bytes: 3390000000000\n"
		    "tx_vport_rdma_multicast_bytes: 0\nrx_prio0_discards: 0\n") },
	  1 << 5,
	  A_MINUTE,
	  "tx_bytes/0 tx_bytes/5 rdma_tx_bytes",
	  "pfc_rx_frames/5",
	  "class",
	  NULL },
	/* Trees made by hand: there is no public output of these. */
	{ "irdma, by hand",
	  NIC("rocep4s0", "eth0", "irdma", "04"),
	  { BY_HAND(ETHTOOL, "rx_priority_3_xoff.nic: 0\nrx_priority_3_xon.nic: 0\n"
			     "rx_bytes.nic: 9000\nrx_dropped.nic: 0\n"),
	    BY_HAND(SYSFS, "cnpHandled: 90000\ncnpIgnored: 0\ncnpSent: 0\n"
			   "RxECNMrkd: 0\nTxUDP: 1000000\nRxUDP: 1000\n") },
	  1 << 3,
	  10,
	  "pfc_rx_frames/3 cnp_handled cnp_tx ce_rx rdma_tx_frames",
	  "pfc_tx_frames/3 pfc_rx_ns/3 seq_naks_rx out_of_sequence",
	  "network",
	  NULL },
	{ "hns, by hand",
	  NIC("hns_0", "eth0", "hns3", "bd"),
	  { BY_HAND(ETHTOOL, "mac_tx_pfc_pri3_pkt_num: 90000\n"
			     "mac_rx_pfc_pri3_pkt_num: 0\nmac_rx_fcs_err_pkt_num: 0\n"),
	    BY_HAND(SYSFS, "rx_cnp_pkt: 0\ntx_cnp_pkt: 0\n") },
	  1 << 3,
	  10,
	  "pfc_tx_frames/3 cnp_rx cnp_tx crc_errors",
	  "pfc_tx_ns/3 ce_rx out_of_sequence",
	  "unknown",
	  NULL },
	{ "qedr, by hand",
	  NIC("qedr0", "eth0", "qede", "05"),
	  { BY_HAND(ETHTOOL, "rx_pfc_frames: 90000\ntx_pfc_frames: 0\n"
			     "rx_crc_errors: 0\n") },
	  1 << 3,
	  10,
	  "pfc_rx_frames pfc_tx_frames crc_errors",
	  "pfc_rx_frames/3 cnp_rx ce_rx rx_bytes",
	  "unknown",
	  NULL },
	{ "cxgb4, by hand",
	  NIC("cxgb4_0", "eth0", "cxgb4", "0b"),
	  { BY_HAND(ETHTOOL, "rx_ppp3_frames: 0\ntx_ppp3_frames: 0\n"
			     "rx_symbol_errors: 44\nrx_fcs_errors: 3\n"
			     "tx_octets_ok: 1000000\n") },
	  1 << 3,
	  10,
	  "pfc_rx_frames/3 symbol_errors crc_errors tx_bytes",
	  "pfc_rx_frames/2 cnp_rx rx_bytes",
	  "link",
	  NULL },
	{ "mlx4 with two ports, by hand",
	  NIC("mlx4_0", "eth0", "mlx4_core", "08"),
	  { BY_HAND(SYSFS, "rq_num_oos: 90\nsq_num_oos: 0\nsq_num_to: 0\n"
			   "rq_num_dup: 80\nrq_num_rnr: 0\nsq_num_rnr: 0\n") },
	  1 << 3,
	  10,
	  "out_of_sequence seq_naks_rx duplicates",
	  "pfc_rx_frames/3 cnp_rx",
	  "reorder",
	  NULL },
	{ "mlx4 with two ports, by hand",
	  { "mlx4_0", "eth1", "mlx4_core", "0000:08:00.0", 2 },
	  { BY_HAND(SYSFS, "rq_num_oos: 0\nsq_num_oos: 70\nsq_num_to: 2\n"
			   "rq_num_dup: 0\nrq_num_rnr: 0\nsq_num_rnr: 0\n") },
	  1 << 3,
	  10,
	  "seq_naks_rx ack_timeouts",
	  "pfc_rx_frames/3",
	  "silent",
	  NULL },
	{ "erdma, by hand",
	  NIC("erdma_0", "eth0", "erdma", "0d"),
	  { BY_HAND(SYSFS, "rx_bytes_cnt: 5000000000\ntx_bytes_cnt: 5000000000\n") },
	  -1,
	  10,
	  "rdma_rx_bytes rdma_tx_bytes",
	  "pfc_rx_frames/3 cnp_rx out_of_sequence",
	  "unknown",
	  NULL },
	{ "rxe, by hand",
	  NIC("rxe0", "eth0", "rdma_rxe", "0e"),
	  { BY_HAND(SYSFS, "sent_pkts: 100000\nrcvd_pkts: 0\nsend_rnr_err: 0\n"
			   "rcvd_rnr_err: 700\nrcvd_seq_err: 0\n") },
	  -1,
	  10,
	  "rdma_tx_frames rnr_naks_rx",
	  "pfc_rx_frames/3 cnp_rx",
	  "host",
	  NULL },
};

/* --- a host ------------------------------------------------------------------------------ */

static bool is_same_host(size_t a, size_t b)
{
	return b < RT_ARRAY_SIZE(dumped) && strcmp(dumped[a].host, dumped[b].host) == 0;
}

/* False: a file is not there. */
static bool fill_host(const char *folder, size_t first, bool zero)
{
	for (size_t i = first; is_same_host(first, i); i++) {
		for (size_t j = 0; j < 2; j++) {
			const struct dump_part *part = &dumped[i].parts[j];
			struct rt_dump dump;

			if (!part->file && !part->text)
				continue;
			if (!dump_read_part(part, &dump))
				return false;
			dump_fill(folder, &dumped[i].nic, part, &dump, zero);
			rt_dump_free(&dump);
		}
	}
	return true;
}

/* Sampled until every source was read anew: each has its own pace. */
static void take_anew(struct rt_watch_source *source, struct rt_watch_sample *sample)
{
	const int64_t from_ns = rt_monotonic_ns(), most_ns = 10000000000;
	bool old;

	do {
		struct rt_err err = { 0 };

		if (source->ops->sample(source, sample, &err) < 0)
			fail_msg("%s", err.msg);
		old = false;
		for (size_t i = 0; i < sample->count; i++)
			for (unsigned j = 0; j < RT_SOURCE_COUNT; j++)
				old |= sample->items[i].set.looks[j].state ==
					       RT_LOOK_READ &&
				       sample->items[i].set.paces[j].read_ns < from_ns;
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	} while (old && rt_monotonic_ns() < from_ns + most_ns);
	assert_false(old);
}

/* What the host said, as a sample of a source whose clock is ours. */
static void hand_over(struct hand *hand, const struct rt_watch_sample *sample,
		      size_t first)
{
	for (size_t i = 0; i < sample->count; i++) {
		struct rt_watch_input *input = i < hand->next.count
						       ? &hand->next.items[i]
						       : hand_port(hand, "");

		input->port = sample->items[i].port;
		hand_copy_set(&input->set, &sample->items[i].set, false);
		for (size_t j = first; is_same_host(first, j); j++)
			if (strncmp(input->port.name, dumped[j].nic.ibdev,
				    strlen(dumped[j].nic.ibdev)) == 0)
				input->port.lossless = (struct rt_opt_u64){
					(uint64_t)dumped[j].lossless,
					dumped[j].lossless >= 0
				};
		for (unsigned j = 0; j < RT_SOURCE_COUNT; j++)
			input->set.paces[j].read_ns = hand->next.time_ns;
		input->set.time_ns = hand->next.time_ns;
	}
}

/* --- what is said of it ------------------------------------------------------------------ */

static bool has_counter(const struct rt_watch_view *view, char *word)
{
	char *slash = strchr(word, '/');
	const struct rt_name *name;
	unsigned prio = RT_COUNTER_NO_PRIO;

	if (slash) {
		prio = (unsigned)(slash[1] - '0');
		*slash = '\0';
	}
	name = rt_name_find(rt_counter_names, word);
	if (!name)
		fail_msg("no counter %s", word);
	if (slash)
		*slash = '/';
	return rt_counter_find(view->set, name->value, prio) != NULL;
}

static unsigned check_counters(const struct rt_watch_view *view, const char *words,
			       bool wanted)
{
	char copy[300], *save, *word;
	unsigned failed = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (has_counter(view, word) != wanted) {
			print_message("%s: %s is %s\n", view->port->name, word,
				      wanted ? "unknown" : "there");
			failed++;
		}
	return failed;
}

static unsigned check_port(const struct rt_watch_view *view, const struct dumped *about)
{
	const char *verdict = rt_name_of(rt_verdict_names, view->verdict);
	const char *evidence = view->findings.count ? view->findings.items[0].evidence
						    : "";
	unsigned failed = check_counters(view, about->known, true) +
			  check_counters(view, about->unknown, false);

	print_message("# %s: %s: %s: %s\n", about->host, view->port->name, verdict,
		      evidence);
	if ((about->verdict && strcmp(about->verdict, verdict) != 0) ||
	    (about->never && rt_text_lists(about->never, verdict))) {
		print_message("%s: %s: verdict %s: %s\n", about->host, view->port->name,
			      verdict, evidence);
		failed++;
	}
	/* Unknown is never 0: what a set has not, no figure has. */
	for (unsigned prio = 0; prio < 8; prio++)
		if (!rt_counter_find(view->set, RT_COUNTER_PFC_RX_NS, prio) &&
		    view->figures.prios[prio].paused_pct.known)
			failed++;
	return failed;
}

/* --- hosts ------------------------------------------------------------------------------- */

static unsigned check_host(const struct rt_watch_snapshot *snapshot, size_t first)
{
	unsigned failed = 0, ports = 0;

	for (size_t i = first; is_same_host(first, i); i++, ports++) {
		char name[80];
		size_t at = 0;

		snprintf(name, sizeof(name), "%s/%u", dumped[i].nic.ibdev,
			 dumped[i].nic.port);
		while (at < snapshot->count &&
		       strcmp(snapshot->views[at].port->name, name) != 0)
			at++;
		if (at == snapshot->count)
			fail_msg("%s: no port %s", dumped[i].host, name);
		failed += check_port(&snapshot->views[at], &dumped[i]);
	}
	assert_int_equal(snapshot->count, ports);
	return failed;
}

static unsigned watch_host(const char *folder, size_t first)
{
	/* As the kernel of a host that counts, and no picture of one. */
	const struct rt_watch_request request = { 0 };
	struct rt_watch_sample sample = { 0 };
	struct rt_watch_source *source = NULL;
	struct hand hand = { .next.time_ns = HAND_SEC };
	struct rt_kern *kern = NULL;
	struct rt_watch *watch;
	struct rt_err err = { 0 };
	unsigned failed, drawn;

	if (rt_run_open_host(folder, &kern, &err) < 0 ||
	    rt_watch_host_open(kern, &request, &source, &err) < 0)
		fail_msg("%s: %s", dumped[first].host, err.msg);
	take_anew(source, &sample);
	watch = hand_open(&hand, HAND_SEC);
	hand_over(&hand, &sample, first);
	hand_tick(watch, 0);
	assert_true(fill_host(folder, first, false));
	take_anew(source, &sample);
	hand.next.time_ns += dumped[first].seconds * HAND_SEC;
	hand_over(&hand, &sample, first);
	hand_tick(watch, 0);
	failed = check_host(rt_watch_look(watch), first);
	drawn = dump_check_drawn(watch);
	if (drawn)
		print_message("%s: %u faults of its pictures\n", dumped[first].host,
			      drawn);
	hand_end(&hand, watch);
	rt_watch_sample_free(&sample);
	source->ops->close(source);
	return failed + drawn;
}

static void test_dumps_as_sources(void **state)
{
	unsigned failed = 0;

	(void)state;
	RT_NEED_OPENAT2();
	for (size_t i = 0; i < RT_ARRAY_SIZE(dumped); i++) {
		char folder[] = "/tmp/rt-dumps-XXXXXX", command[64];

		if (i && is_same_host(i - 1, i))
			continue;
		assert_non_null(mkdtemp(folder));
		for (size_t j = i; is_same_host(i, j); j++)
			dump_add_nic(folder, &dumped[j].nic);
		if (fill_host(folder, i, true))
			failed += watch_host(folder, i);
		snprintf(command, sizeof(command), "rm -rf %s", folder);
		assert_int_equal(system(command), 0);
	}
	assert_int_equal(failed, 0);
}

/* --- switches ---------------------------------------------------------------------------- */

/* What of SONiC's tables is a counter of the catalogue. */
static const struct {
	const char *name; /* % is the priority; of queues, all of a port are added up */
	enum rt_counter_id id;
} sonic[] = {
	{ "Rx PFC%", RT_COUNTER_PFC_RX_FRAMES },
	{ "Tx PFC%", RT_COUNTER_PFC_TX_FRAMES },
	{ "Counter/bytes", RT_COUNTER_TX_BYTES },
	{ "Counter/pkts", RT_COUNTER_TX_FRAMES },
	{ "EcnMarked/pkts", RT_COUNTER_SWITCH_MARKED },
	{ "Drop/pkts", RT_COUNTER_TX_DISCARDS },
};

static bool is_of(const struct rt_dump_value *value, const char *port, const char *name)
{
	const size_t length = strlen(port);

	return strncmp(value->where, port, length) == 0 &&
	       (value->where[length] == '\0' || value->where[length] == ':') &&
	       strcmp(value->name, name) == 0;
}

/* The sum over a port's queues; unknown when one of them is ("N/A"), or there is none. */
static struct rt_opt_u64 sum_of(const struct rt_dump *dump, const char *port,
				const char *name)
{
	struct rt_opt_u64 sum = { 0 };

	for (size_t i = 0; i < dump->count; i++) {
		if (!is_of(&dump->values[i], port, name))
			continue;
		if (!dump->values[i].number.known)
			return (struct rt_opt_u64){ 0 };
		sum = RT_KNOWN_U64(sum.value + dump->values[i].number.value);
	}
	return sum;
}

static void add_sonic(struct rt_watch_input *input, const struct rt_dump *dump,
		      size_t row, bool zero)
{
	const char *at = strchr(sonic[row].name, '%');

	for (unsigned prio = 0; prio < (at ? 8 : 1); prio++) {
		struct rt_opt_u64 value;
		char name[32];

		snprintf(name, sizeof(name), "%.*s%c",
			 at ? (int)(at - sonic[row].name) : 31, sonic[row].name,
			 at ? (char)('0' + prio) : '\0');
		value = sum_of(dump, input->port.name, name);
		if (value.known)
			hand_add(input, sonic[row].id, at ? prio : PORT_ITSELF,
				 RT_SOURCE_SWITCH, 64, zero ? 0 : value.value);
	}
}

static void fill_switch(struct rt_watch_input *input, const struct rt_dump *dump,
			bool zero)
{
	input->set.count = 0;
	input->port.role = RT_WATCH_SWITCH;
	for (size_t i = 0; i < RT_ARRAY_SIZE(sonic); i++)
		add_sonic(input, dump, i, zero);
}

static const struct {
	struct dump_part part;
	const char *port, *known, *unknown, *verdict;
} switches[] = {
	{ { "sonic-doc-show-pfc-counters.txt", NULL, NULL, DUMP_ETHTOOL },
	  "Ethernet12",
	  "pfc_rx_frames/3 pfc_tx_frames/7",
	  "pfc_rx_ns/3 tx_bytes switch_marked",
	  "unknown" },
	{ { "sonic-doc-show-queue-counters.txt", NULL, NULL, DUMP_ETHTOOL },
	  "Ethernet4",
	  "tx_bytes tx_frames tx_discards",
	  "switch_marked pfc_rx_frames/3",
	  "unknown" },
	{ { "sonic-s5232-pfcwd-queue-counters-fragment.txt", NULL, NULL, DUMP_ETHTOOL },
	  "Ethernet4",
	  "tx_bytes",
	  "switch_marked pfc_tx_frames/0",
	  "unknown" },
	/* Its drops are "N/A", its marks are not. */
	{ { "sonic-wredcounters-na-fragment.txt", NULL, NULL, DUMP_ETHTOOL },
	  "Ethernet48",
	  "switch_marked",
	  "tx_discards pfc_rx_frames/3",
	  "network" },
	{ { "sonic-wredcounters-na-fragment.txt", NULL, NULL, DUMP_ETHTOOL },
	  "Ethernet40",
	  "switch_marked",
	  "tx_discards",
	  "unknown" },
};

static void test_dumps_of_switches(void **state)
{
	unsigned failed = 0;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(switches); i++) {
		const struct dumped about = { .host = switches[i].part.file,
					      .known = switches[i].known,
					      .unknown = switches[i].unknown,
					      .verdict = switches[i].verdict };
		struct hand hand = { .next.time_ns = HAND_SEC };
		struct rt_watch_input *input;
		struct rt_watch *watch;
		struct rt_dump dump;

		if (!dump_read_part(&switches[i].part, &dump))
			skip();
		input = hand_port(&hand, switches[i].port);
		watch = hand_open(&hand, HAND_SEC);
		fill_switch(input, &dump, true);
		hand_wait(&hand, 0);
		hand_tick(watch, 0);
		fill_switch(input, &dump, false);
		hand_wait(&hand, A_MINUTE * HAND_SEC);
		failed += check_port(hand_tick(watch, 0), &about);
		failed += dump_check_drawn(watch);
		hand_end(&hand, watch);
		rt_dump_free(&dump);
	}
	assert_int_equal(failed, 0);
}

RT_UNIT_MAIN(cmocka_unit_test(test_dumps_as_sources),
	     cmocka_unit_test(test_dumps_of_switches))
