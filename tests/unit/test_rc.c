/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RC transport: InfiniBand Architecture Specification volume 1, sections 9.7.2 to
 * 9.7.5 (PSN, acknowledgement, NAK), 9.9.2 (retry).
 */
#include "unit.h"

#include "base/own.h"
#include "base/rng.h"
#include "cc/rc.h"

#define US RT_PS_PER_US

static const struct rt_rc_params params = {
	.ack_every = 4,
	.retry_limit = 3,
	.timeout_ps = 67 * US,
};

/* A sender with count packets posted, and the receiver it talks to. */
struct pair {
	struct rt_rc_sender sender;
	struct rt_rc_receiver receiver;
};

static void connect_pair(struct pair *pair, uint32_t first_psn, uint64_t packets)
{
	rt_rc_sender_init(&pair->sender, first_psn);
	rt_rc_receiver_init(&pair->receiver, first_psn);
	rt_rc_post(&pair->sender, packets);
}

/* Send the next packet and return its PSN. */
static uint32_t send_next(struct pair *pair, uint64_t now_ps)
{
	const uint64_t top = pair->sender.top;
	uint64_t sequence;
	bool resent;

	assert_true(rt_rc_can_send(&pair->sender, &params));
	sequence = rt_rc_send(&pair->sender, &params, now_ps, &resent);
	assert_int_equal(resent, sequence < top);
	return rt_rc_psn(&pair->sender, sequence);
}

static struct rt_rc_reply arrive(struct pair *pair, uint32_t psn, uint64_t now_ps)
{
	const uint64_t last = pair->sender.posted - 1;

	return rt_rc_on_data(&pair->receiver, &params, psn,
			     psn == rt_rc_psn(&pair->sender, last), now_ps);
}

#define assert_reply(reply, wanted_kind, wanted_psn)                \
	do {                                                        \
		const struct rt_rc_reply reply_ = (reply);          \
		assert_int_equal(reply_.kind, (wanted_kind));       \
		if (reply_.kind != RT_RC_SILENT)                    \
			assert_int_equal(reply_.psn, (wanted_psn)); \
	} while (0)

static void test_psn_arithmetic_wraps_at_24_bits(void **state)
{
	static const struct {
		uint32_t a, b;
		bool ahead;
	} cases[] = {
		{ 1, 0, true },
		{ 0, 0, false },
		{ 0, 1, false },
		{ 0, 0xffffff, true },
		{ 0xffffff, 0, false },
		{ 0x7fffff, 0, true },
		{ 0x800000, 0, false },
		{ 0x800000, 1, true },
		{ 0x000010, 0xfffff0, true },
		{ 0xfffff0, 0x000010, false },
	};

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(cases); i++)
		assert_int_equal(rt_psn_ahead(cases[i].a, cases[i].b), cases[i].ahead);
	assert_int_equal(rt_psn_distance(2, 0xfffffe), 4);
	/* Local ACK Timeout 14: 4.096 us * 16384 = 67.108864 ms. */
	assert_int_equal(rt_rc_timeout_ps(14), 67108864000);
	assert_int_equal(rt_rc_timeout_ps(0), 0);
}

/* Ten packets over the wrap: ACK after every fourth and at the end. */
static void test_rc_acknowledges_every_fourth_and_the_last(void **state)
{
	struct pair pair;

	(void)state;
	connect_pair(&pair, 0xfffffa, 10);
	for (unsigned n = 0; n < 10; n++) {
		const uint32_t psn = send_next(&pair, n * US);
		const struct rt_rc_reply reply = arrive(&pair, psn, n * US);

		assert_int_equal(psn, (0xfffffa + n) & RT_PSN_MASK);
		assert_true(reply.delivered);
		assert_int_equal(reply.kind,
				 n == 3 || n == 7 || n == 9 ? RT_RC_ACK : RT_RC_SILENT);
		if (n == 3 || n == 7)
			assert_int_equal(
				rt_rc_on_ack(&pair.sender, &params, reply.psn, n * US),
				RT_RC_PROGRESS);
		if (n == 9)
			assert_int_equal(
				rt_rc_on_ack(&pair.sender, &params, reply.psn, n * US),
				RT_RC_PROGRESS | RT_RC_IDLE);
	}
	assert_int_equal(pair.sender.acked, 10);
	assert_true(pair.sender.timeout_at_ps == RT_PS_NEVER);
	assert_false(rt_rc_can_send(&pair.sender, &params));
}

/*
 * Packet lost of 0 to 5 (six in flight): the one after it draws one NAK with the
 * missing PSN, the others silence; the sender starts over from it and all arrive.
 */
static void lose_one(uint32_t first_psn, unsigned lost)
{
	const uint32_t missing = (first_psn + lost) & RT_PSN_MASK;
	struct pair pair;
	unsigned events;

	connect_pair(&pair, first_psn, 6);
	for (unsigned n = 0; n < 6; n++) {
		const uint32_t psn = send_next(&pair, n * US);

		if (n < lost)
			assert_true(arrive(&pair, psn, n * US).delivered);
		else if (n == lost + 1)
			assert_reply(arrive(&pair, psn, n * US), RT_RC_NAK, missing);
		else if (n > lost)
			assert_reply(arrive(&pair, psn, n * US), RT_RC_SILENT, 0);
	}
	events = rt_rc_on_nak(&pair.sender, &params, missing, 0, 7 * US);
	assert_true(events & RT_RC_GO_BACK);
	assert_int_equal(!!(events & RT_RC_PROGRESS), lost > 0);
	assert_int_equal(pair.sender.acked, lost);
	assert_int_equal(pair.sender.next, lost);
	for (unsigned n = lost; n < 6; n++)
		assert_true(arrive(&pair, send_next(&pair, 8 * US), 8 * US).delivered);
	assert_int_equal(rt_rc_on_ack(&pair.sender, &params, first_psn + 5, 9 * US),
			 RT_RC_PROGRESS | RT_RC_IDLE);
}

static void test_rc_loss_of_first_or_middle_draws_one_nak(void **state)
{
	(void)state;
	for (unsigned lost = 0; lost < 5; lost++) {
		lose_one(100, lost);
		lose_one(0xfffffd, lost); /* over the wrap */
	}
}

/* Nothing follows the last packet, so only the time-out notices. */
static void test_rc_loss_of_last_is_found_by_the_timeout(void **state)
{
	struct pair pair;

	(void)state;
	connect_pair(&pair, 7, 3);
	send_next(&pair, 0);
	assert_int_equal(pair.sender.timeout_at_ps, 67 * US);
	assert_true(arrive(&pair, 7, US).delivered);
	assert_true(arrive(&pair, send_next(&pair, US), 2 * US).delivered);
	send_next(&pair, 2 * US); /* 9: lost; 7 and 8 wait for their ACK */
	assert_int_equal(rt_rc_on_timeout(&pair.sender, &params, 66 * US), RT_RC_TIMER);
	assert_int_equal(rt_rc_on_timeout(&pair.sender, &params, 67 * US),
			 RT_RC_GO_BACK | RT_RC_TIMER);
	assert_int_equal(pair.sender.timeout_at_ps, 134 * US);

	/* 7 and 8 come twice: each is acknowledged at once, up to 8. */
	for (unsigned n = 0; n < 2; n++) {
		struct rt_rc_reply reply = arrive(&pair, send_next(&pair, 68 * US),
						  69 * US);

		assert_true(reply.duplicate && !reply.delivered);
		assert_reply(reply, RT_RC_ACK, 8);
	}
	assert_int_equal(rt_rc_on_ack(&pair.sender, &params, 8, 70 * US),
			 RT_RC_PROGRESS);
	assert_int_equal(pair.sender.timeout_at_ps, 137 * US); /* moved, stays armed */
	assert_int_equal(rt_rc_on_timeout(&pair.sender, &params, 134 * US),
			 RT_RC_TIMER);
	assert_reply(arrive(&pair, send_next(&pair, 71 * US), 72 * US), RT_RC_ACK, 9);
	rt_rc_on_ack(&pair.sender, &params, 9, 73 * US);
	assert_int_equal(rt_rc_on_timeout(&pair.sender, &params, 137 * US),
			 RT_RC_NOTHING);
}

/*
 * An ACK for a duplicate covers all that came: of every four, three and a duplicate,
 * the next ACK is four packets later.
 */
static void test_rc_duplicate_ack_restarts_the_coalescing(void **state)
{
	struct rt_rc_receiver receiver;

	(void)state;
	rt_rc_receiver_init(&receiver, 0);
	for (uint32_t psn = 0; psn < 3; psn++)
		assert_reply(rt_rc_on_data(&receiver, &params, psn, false, 0),
			     RT_RC_SILENT, 0);
	assert_reply(rt_rc_on_data(&receiver, &params, 1, false, 0), RT_RC_ACK, 2);
	for (uint32_t psn = 3; psn < 6; psn++)
		assert_reply(rt_rc_on_data(&receiver, &params, psn, false, 0),
			     RT_RC_SILENT, 0);
	assert_reply(rt_rc_on_data(&receiver, &params, 6, false, 0), RT_RC_ACK, 6);
}

/* A NAK for what is acknowledged or was never sent is nobody's: it changes nothing. */
static void test_rc_stray_nak_is_ignored(void **state)
{
	struct pair pair;

	(void)state;
	connect_pair(&pair, 0, 8);
	for (unsigned n = 0; n < 4; n++)
		send_next(&pair, 0);
	rt_rc_on_ack(&pair.sender, &params, 1, 0);
	assert_int_equal(rt_rc_on_nak(&pair.sender, &params, 4, 0, 0), RT_RC_NOTHING);
	assert_int_equal(rt_rc_on_nak(&pair.sender, &params, 1, 0, 0), RT_RC_NOTHING);
	assert_int_equal(pair.sender.next, 4);
	assert_int_equal(pair.sender.acked, 2);
}

/* A lost ACK costs nothing when a later one comes: they are cumulative. */
static void test_rc_lost_ack_is_covered_by_the_next(void **state)
{
	struct pair pair;

	(void)state;
	connect_pair(&pair, 0, 8);
	for (unsigned n = 0; n < 8; n++)
		arrive(&pair, send_next(&pair, n * US), n * US);
	/* ACK 3 was lost; ACK 7 covers it; 3, late, is nothing. */
	assert_int_equal(rt_rc_on_ack(&pair.sender, &params, 7, 9 * US),
			 RT_RC_PROGRESS | RT_RC_IDLE);
	assert_int_equal(rt_rc_on_ack(&pair.sender, &params, 3, 10 * US),
			 RT_RC_NOTHING);
	assert_int_equal(rt_rc_on_ack(&pair.sender, &params, 8, 10 * US),
			 RT_RC_NOTHING); /* never sent */
}

/* The one NAK of an episode is lost: the time-out repairs, and a new loss after it
 * is a new episode with a NAK of its own. */
static void test_rc_lost_nak_is_repaired_by_the_timeout(void **state)
{
	struct pair pair;

	(void)state;
	connect_pair(&pair, 0, 4);
	for (unsigned n = 0; n < 4; n++)
		send_next(&pair, 0);
	assert_reply(arrive(&pair, 1, US), RT_RC_NAK, 0); /* 0 lost, the NAK too */
	assert_reply(arrive(&pair, 2, US), RT_RC_SILENT, 0);
	assert_reply(arrive(&pair, 3, US), RT_RC_SILENT, 0);
	assert_true(rt_rc_on_timeout(&pair.sender, &params, 67 * US) & RT_RC_GO_BACK);
	assert_true(arrive(&pair, send_next(&pair, 68 * US), 69 * US).delivered);
	send_next(&pair, 68 * US); /* 1, lost now */
	assert_reply(arrive(&pair, send_next(&pair, 68 * US), 69 * US), RT_RC_NAK, 1);
}

/* nak_repeat: the NAK is said again while the gap stays (hpcc's NACK interval). */
static void test_rc_nak_may_be_repeated(void **state)
{
	const struct rt_rc_params repeat = { .nak_repeat_ps = 10 * US };
	struct rt_rc_receiver receiver;

	(void)state;
	rt_rc_receiver_init(&receiver, 0);
	assert_reply(rt_rc_on_data(&receiver, &repeat, 1, false, US), RT_RC_NAK, 0);
	assert_reply(rt_rc_on_data(&receiver, &repeat, 2, false, 5 * US), RT_RC_SILENT,
		     0);
	assert_reply(rt_rc_on_data(&receiver, &repeat, 3, false, 11 * US), RT_RC_NAK,
		     0);
}

/* retry_limit 3: three go-backs without progress, the fourth is the end. */
static void test_rc_fails_after_its_retries(void **state)
{
	struct pair pair;

	(void)state;
	connect_pair(&pair, 0, 2);
	send_next(&pair, 0);
	for (unsigned n = 1; n <= 3; n++) {
		assert_int_equal(rt_rc_on_timeout(&pair.sender, &params, n * 67 * US),
				 RT_RC_GO_BACK | RT_RC_TIMER);
		send_next(&pair, n * 67 * US);
	}
	assert_int_equal(rt_rc_on_timeout(&pair.sender, &params, 268 * US),
			 RT_RC_FAILED);
	assert_true(pair.sender.failed);
	assert_false(rt_rc_can_send(&pair.sender, &params));
	assert_true(pair.sender.timeout_at_ps == RT_PS_NEVER);
	assert_int_equal(rt_rc_on_ack(&pair.sender, &params, 0, 269 * US),
			 RT_RC_NOTHING);
	/* Progress in between gives all retries back. */
	connect_pair(&pair, 0, 2);
	send_next(&pair, 0);
	send_next(&pair, 0);
	rt_rc_on_timeout(&pair.sender, &params, 67 * US);
	rt_rc_on_ack(&pair.sender, &params, 0, 68 * US);
	assert_int_equal(pair.sender.retries, 0);
}

static void test_rc_window_holds_the_sender(void **state)
{
	const struct rt_rc_params window = { .window_packets = 3, .retry_limit = 7 };
	struct pair pair;
	bool resent;

	(void)state;
	connect_pair(&pair, 0, 10);
	for (unsigned n = 0; n < 3; n++)
		rt_rc_send(&pair.sender, &window, 0, &resent);
	assert_false(rt_rc_can_send(&pair.sender, &window));
	rt_rc_on_ack(&pair.sender, &window, 1, 0);
	assert_true(rt_rc_can_send(&pair.sender, &window));
	/* The window counts from what is acknowledged, also after going back. */
	assert_int_equal(rt_rc_on_nak(&pair.sender, &window, 2, 0, 0), RT_RC_GO_BACK);
	for (unsigned n = 0; n < 3; n++)
		assert_int_equal(rt_rc_send(&pair.sender, &window, 0, &resent), 2 + n);
	assert_false(rt_rc_can_send(&pair.sender, &window));
}

/* A window of 3 under an ACK every 4: the packets that end a window or all ask. */
static void test_rc_asks_for_an_ack_when_it_can_send_no_more(void **state)
{
	const struct rt_rc_params window = { .window_packets = 3,
					     .ack_every = 4,
					     .retry_limit = 7 };
	struct pair pair;
	bool resent;

	(void)state;
	connect_pair(&pair, 0, 8);
	for (unsigned n = 0; n < 8; n++) {
		const uint32_t psn = (uint32_t)rt_rc_send(&pair.sender, &window, 0,
							  &resent);
		const bool asks = rt_rc_asks_ack(&pair.sender, &window);
		const struct rt_rc_reply reply = rt_rc_on_data(&pair.receiver, &window,
							       psn, asks, 0);

		assert_int_equal(asks, n == 2 || n == 5 || n == 7);
		assert_int_equal(reply.kind, asks ? RT_RC_ACK : RT_RC_SILENT);
		if (asks)
			rt_rc_on_ack(&pair.sender, &window, reply.psn, 0);
	}
	assert_int_equal(pair.sender.acked, 8);
}

/*
 * Property: whatever is lost (one in eight, both ways), every packet is delivered
 * once and in order, across the wrap of the PSN, and the accounts end even.
 */
static void test_rc_delivers_all_in_order_over_a_lossy_path(void **state)
{
	const struct rt_rc_params lossy = { .ack_every = 4,
					    .retry_limit = 1000,
					    .timeout_ps = 50 * US,
					    .window_packets = 32 };
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 31, 0);
	for (unsigned round = 0; round < 50; round++) {
		uint64_t now = 0, delivered = 0;
		struct pair pair;

		connect_pair(&pair, 0xffff00 + (uint32_t)rt_rng_below(&rng, 512), 2000);
		while (pair.sender.acked < 2000) {
			struct rt_rc_reply reply = { .kind = RT_RC_SILENT };
			bool resent;

			now += US;
			if (rt_rc_can_send(&pair.sender, &lossy)) {
				uint64_t n = rt_rc_send(&pair.sender, &lossy, now,
							&resent);

				if (rt_rng_below(&rng, 8))
					reply = rt_rc_on_data(
						&pair.receiver, &lossy,
						rt_rc_psn(&pair.sender, n), n == 1999,
						now);
				if (reply.delivered)
					assert_int_equal(n, delivered++);
			}
			if (reply.kind != RT_RC_SILENT && rt_rng_below(&rng, 8)) {
				if (reply.kind == RT_RC_ACK)
					rt_rc_on_ack(&pair.sender, &lossy, reply.psn,
						     now);
				else
					rt_rc_on_nak(&pair.sender, &lossy, reply.psn, 0,
						     now);
			}
			rt_rc_on_timeout(&pair.sender, &lossy, now);
			assert_true(pair.sender.acked <= delivered);
			assert_true(pair.sender.next - pair.sender.acked <= 32);
			assert_true(now < 10 * RT_PS_PER_MS * 100);
		}
		assert_int_equal(delivered, 2000);
		assert_true(pair.sender.timeout_at_ps == RT_PS_NEVER);
	}
}

/* --- selective repeat ----------------------------------------------------- */

#define WINDOW 32u

struct selective_pair {
	struct pair pair;
	struct rt_rc_selective own;
	uint64_t sacked[1], held[1];
};

static const struct rt_rc_params selective = { .recovery = RT_RC_SELECTIVE_REPEAT,
					       .ack_every = 1,
					       .retry_limit = 1000,
					       .timeout_ps = 320 * US,
					       .timeout_low_ps = 100 * US,
					       .timeout_low_packets = 3,
					       .window_packets = WINDOW };

static void connect_selective(struct selective_pair *both, uint32_t first_psn,
			      uint64_t packets)
{
	connect_pair(&both->pair, first_psn, packets);
	both->own = (struct rt_rc_selective){ .sacked = both->sacked, .mask = 63 };
	both->sacked[0] = both->held[0] = 0;
	both->pair.sender.selective = &both->own;
	both->pair.receiver.held = both->held;
	both->pair.receiver.held_mask = 63;
}

static uint64_t take_next(struct selective_pair *both, uint64_t now)
{
	bool resent;

	assert_true(rt_rc_can_send(&both->pair.sender, &selective));
	return rt_rc_send(&both->pair.sender, &selective, now, &resent);
}

static struct rt_rc_reply hear(struct selective_pair *both, uint64_t n, uint64_t now)
{
	return rt_rc_on_data(&both->pair.receiver, &selective,
			     rt_rc_psn(&both->pair.sender, n), false, now);
}

static unsigned tell(struct selective_pair *both, struct rt_rc_reply reply,
		     uint64_t now)
{
	if (reply.kind == RT_RC_ACK)
		return rt_rc_on_ack(&both->pair.sender, &selective, reply.psn, now);
	return rt_rc_on_nak(&both->pair.sender, &selective, reply.psn, reply.ahead,
			    now);
}

/*
 * 0 to 9 are sent, 2 and 5 are lost.  The NAK that tells of 3 sends 2 again and then 10,
 * as nothing else is known to be missing; that of 6 sends 5, once; when 2 comes, 2 to 4
 * are delivered, when 5 comes, all the rest.
 */
static void test_selective_resends_only_what_is_missing(void **state)
{
	struct selective_pair both;
	struct rt_rc_reply reply;

	(void)state;
	connect_selective(&both, 0xfffffd, 100);
	for (uint64_t n = 0; n < 10; n++)
		assert_int_equal(take_next(&both, 0), n);
	for (uint64_t n = 0; n < 2; n++)
		assert_int_equal(tell(&both, hear(&both, n, US), US) & RT_RC_GO_BACK,
				 0);
	reply = hear(&both, 3, US);
	assert_int_equal(reply.kind, RT_RC_NAK);
	assert_int_equal(reply.psn, 0xffffff);
	assert_int_equal(reply.ahead, 1);
	assert_int_equal(reply.delivered, 0);
	assert_true(tell(&both, reply, US) & RT_RC_GO_BACK);
	assert_int_equal(take_next(&both, US), 2);
	assert_int_equal(take_next(&both, US), 10);
	tell(&both, hear(&both, 4, US), US);
	assert_int_equal(take_next(&both, US), 11);
	tell(&both, hear(&both, 6, US), US);
	assert_int_equal(take_next(&both, US), 5);
	tell(&both, hear(&both, 7, US), US);
	assert_int_equal(take_next(&both, US), 12);
	/* The same again is a duplicate, and told. */
	reply = hear(&both, 7, US);
	assert_true(reply.duplicate && reply.kind == RT_RC_NAK);
	for (uint64_t n = 8; n < 10; n++)
		tell(&both, hear(&both, n, US), US);
	reply = hear(&both, 2, 2 * US);
	assert_int_equal(reply.kind, RT_RC_ACK);
	assert_int_equal(reply.psn, rt_rc_psn(&both.pair.sender, 4));
	assert_int_equal(reply.delivered, 3);
	tell(&both, reply, 2 * US);
	assert_true(both.own.recovering);
	reply = hear(&both, 5, 2 * US);
	assert_int_equal(reply.delivered, 5);
	tell(&both, reply, 2 * US);
	/* All that was sent before the first NAK is acknowledged. */
	assert_false(both.own.recovering);
	assert_int_equal(both.sacked[0], 0);
	assert_int_equal(both.held[0], 0);
	assert_int_equal(take_next(&both, 2 * US), 13);
}

/* A resend that is lost as well waits for the time-out, which sends it once more. */
static void test_selective_time_out_repairs_a_lost_resend(void **state)
{
	struct selective_pair both;

	(void)state;
	connect_selective(&both, 7, 100);
	for (uint64_t n = 0; n < 10; n++)
		take_next(&both, 0);
	for (uint64_t n = 1; n < 10; n++)
		tell(&both, hear(&both, n, US), US);
	assert_int_equal(take_next(&both, US), 0); /* lost */
	assert_int_equal(take_next(&both, US), 10);
	tell(&both, hear(&both, 10, 2 * US), 2 * US);
	assert_int_equal(take_next(&both, 2 * US), 11);
	assert_int_equal(rt_rc_on_timeout(&both.pair.sender, &selective, 100 * US),
			 RT_RC_TIMER);
	assert_true(both.pair.sender.timeout_at_ps == 320 * US);
	assert_int_equal(rt_rc_on_timeout(&both.pair.sender, &selective, 320 * US),
			 RT_RC_GO_BACK | RT_RC_TIMER);
	assert_int_equal(take_next(&both, 320 * US), 0);
	assert_int_equal(hear(&both, 0, 321 * US).delivered, 11);
}

/*
 * Of 0 to 9 the last five are lost but for 7, whose NAK sends 5 and 6 again, in vain.
 * Nothing tells of 8 and 9.  One time-out after the last news sends 5, 6, 8 and 9, then
 * goes on; no second one is waited for.
 */
static void test_selective_time_out_repairs_a_whole_tail(void **state)
{
	static const uint64_t again[] = { 5, 6, 8, 9 };
	struct selective_pair both;
	unsigned events = 0;

	(void)state;
	connect_selective(&both, 0xfffffd, 12);
	for (uint64_t n = 0; n < 10; n++)
		take_next(&both, 0);
	for (uint64_t n = 0; n < 5; n++)
		tell(&both, hear(&both, n, US), US);
	tell(&both, hear(&both, 7, US), US);
	assert_int_equal(take_next(&both, US), 5);
	assert_int_equal(take_next(&both, US), 6);
	assert_int_equal(rt_rc_on_timeout(&both.pair.sender, &selective, 321 * US),
			 RT_RC_GO_BACK | RT_RC_TIMER);
	for (size_t i = 0; i < 4; i++) {
		const uint64_t n = take_next(&both, 321 * US);

		assert_int_equal(n, again[i]);
		events = tell(&both, hear(&both, n, 322 * US), 322 * US);
	}
	assert_true(events & RT_RC_PROGRESS);
	assert_false(both.own.recovering);
	for (uint64_t n = 10; n < 12; n++) {
		assert_int_equal(take_next(&both, 322 * US), n);
		events = tell(&both, hear(&both, n, 323 * US), 323 * US);
	}
	assert_true(events & RT_RC_IDLE);
	assert_true(both.pair.sender.timeout_at_ps == RT_PS_NEVER);
	assert_int_equal(both.sacked[0], 0);
}

/* Two packets in flight: the short time-out; three: the long one. */
static void test_selective_time_out_is_short_for_few_packets(void **state)
{
	struct selective_pair both;

	(void)state;
	connect_selective(&both, 7, 3);
	for (uint64_t n = 0; n < 3; n++)
		take_next(&both, 10 * US);
	assert_int_equal(rt_rc_on_timeout(&both.pair.sender, &selective, 110 * US),
			 RT_RC_TIMER);
	assert_true(both.pair.sender.timeout_at_ps == 330 * US);
	assert_true(tell(&both, hear(&both, 0, 111 * US), 111 * US) & RT_RC_TIMER);
	assert_true(both.pair.sender.timeout_at_ps == 211 * US);
	assert_int_equal(rt_rc_on_timeout(&both.pair.sender, &selective, 211 * US),
			 RT_RC_GO_BACK | RT_RC_TIMER);
	assert_int_equal(take_next(&both, 211 * US), 1);
	assert_int_equal(take_next(&both, 211 * US), 2);
	assert_false(rt_rc_can_send(&both.pair.sender, &selective));
}

/* What no sender within its window sends is not kept. */
static void test_selective_receiver_is_bounded(void **state)
{
	struct selective_pair both;
	struct rt_rc_reply reply;

	(void)state;
	connect_selective(&both, 7, 100);
	reply = rt_rc_on_data(&both.pair.receiver, &selective, 7 + 64, false, 0);
	assert_int_equal(reply.kind, RT_RC_NAK);
	assert_int_equal(reply.ahead, 0);
	assert_int_equal(both.pair.receiver.held_count, 0);
	assert_int_equal(rt_rc_on_nak(&both.pair.sender, &selective, 7, 60, 0),
			 RT_RC_NOTHING);
	assert_int_equal(rt_rc_bitmap_bits(1), 64);
	assert_int_equal(rt_rc_bitmap_bits(65), 128);
	assert_int_equal(rt_rc_bitmap_bits(1u << 31), RT_RC_SELECTIVE_MAX);
}

/*
 * Property: over a path that loses one in eight both ways, across the wrap of the PSN,
 * every packet is delivered once and in order, bitmaps end empty, and less is resent
 * than under go-back-N.
 */
static void test_selective_delivers_all_over_a_lossy_path(void **state)
{
	struct rt_rng rng;

	(void)state;
	rt_rng_init(&rng, 32, 0);
	for (unsigned round = 0; round < 50; round++) {
		uint64_t now = 0, delivered = 0, sent = 0;
		struct selective_pair both;
		struct rt_rc_sender *sender = &both.pair.sender;

		connect_selective(&both, 0xffff00 + (uint32_t)rt_rng_below(&rng, 512),
				  2000);
		while (sender->acked < 2000) {
			struct rt_rc_reply reply = { .kind = RT_RC_SILENT };

			now += US;
			if (rt_rc_can_send(sender, &selective)) {
				const uint64_t n = take_next(&both, now);

				sent++;
				if (rt_rng_below(&rng, 8))
					reply = hear(&both, n, now);
				delivered += reply.delivered;
			}
			if (reply.kind != RT_RC_SILENT && rt_rng_below(&rng, 8))
				tell(&both, reply, now);
			rt_rc_on_timeout(sender, &selective, now);
			assert_true(sender->acked <= delivered);
			assert_true(sender->top - sender->acked <= WINDOW);
			assert_true(now < 10 * RT_PS_PER_MS * 100);
		}
		assert_int_equal(delivered, 2000);
		assert_int_equal(both.sacked[0], 0);
		assert_int_equal(both.held[0], 0);
		assert_true(sender->timeout_at_ps == RT_PS_NEVER);
		/* 2000 / (7/8) are 2286; lost ACKs and time-outs add some. */
		assert_in_range(sent, 2200, 2500);
	}
}

RT_UNIT_MAIN(cmocka_unit_test(test_psn_arithmetic_wraps_at_24_bits),
	     cmocka_unit_test(test_rc_acknowledges_every_fourth_and_the_last),
	     cmocka_unit_test(test_rc_loss_of_first_or_middle_draws_one_nak),
	     cmocka_unit_test(test_rc_loss_of_last_is_found_by_the_timeout),
	     cmocka_unit_test(test_rc_duplicate_ack_restarts_the_coalescing),
	     cmocka_unit_test(test_rc_stray_nak_is_ignored),
	     cmocka_unit_test(test_rc_lost_ack_is_covered_by_the_next),
	     cmocka_unit_test(test_rc_lost_nak_is_repaired_by_the_timeout),
	     cmocka_unit_test(test_rc_nak_may_be_repeated),
	     cmocka_unit_test(test_rc_fails_after_its_retries),
	     cmocka_unit_test(test_rc_window_holds_the_sender),
	     cmocka_unit_test(test_rc_asks_for_an_ack_when_it_can_send_no_more),
	     cmocka_unit_test(test_rc_delivers_all_in_order_over_a_lossy_path),
	     cmocka_unit_test(test_selective_resends_only_what_is_missing),
	     cmocka_unit_test(test_selective_time_out_repairs_a_lost_resend),
	     cmocka_unit_test(test_selective_time_out_repairs_a_whole_tail),
	     cmocka_unit_test(test_selective_time_out_is_short_for_few_packets),
	     cmocka_unit_test(test_selective_receiver_is_bounded),
	     cmocka_unit_test(test_selective_delivers_all_over_a_lossy_path))
