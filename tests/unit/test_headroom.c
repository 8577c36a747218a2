/* SPDX-License-Identifier: BSD-2-Clause */
/* test_headroom.c - every published value that the models must reproduce. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/own.h"
#include "model/headroom.h"
#include "rocetune/err.h"
#include "rocetune/headroom.h"

#define GBPS 1000000000ull

static struct rt_headroom compute(const char *id, uint64_t gbps, uint64_t metres,
				  uint64_t mtu)
{
	const struct rt_headroom_link link = { gbps * GBPS, metres * 1000, mtu };
	const struct rt_headroom_model *model = rt_headroom_model(id);
	struct rt_headroom headroom;
	struct rt_err err = { 0 };

	assert_non_null(model);
	assert_int_equal(rt_headroom_compute(model, &link, &headroom, &err), 0);
	return headroom;
}

/* xoff at 5, 40 and 300 m; sonic-buildimage, pg_profile_lookup.ini. */
struct sonic_row {
	uint64_t gbps, xoff[3];
};

static const struct sonic_row msn2700[] = {
	{ 10, { 29696, 29696, 36864 } },   { 25, { 29696, 31744, 48128 } },
	{ 40, { 29696, 32768, 59392 } },   { 50, { 29696, 33792, 66560 } },
	{ 100, { 30720, 38912, 104448 } },
};

static const struct sonic_row msn3700[] = {
	{ 10, { 32768, 33792, 40960 } },   { 25, { 32768, 35840, 54272 } },
	{ 40, { 33792, 37888, 66560 } },   { 50, { 33792, 38912, 75776 } },
	{ 100, { 33792, 44032, 117760 } }, { 200, { 35840, 55296, 203776 } },
};

static const struct sonic_row msn4700_400[] = { { 400, { 38912, 77824, 373760 } } };

static const struct sonic_row sn5600[] = {
	{ 10, { 45056, 46080, 56320 } },     { 25, { 48128, 52224, 76800 } },
	{ 40, { 57344, 62464, 101376 } },    { 50, { 63488, 69632, 118784 } },
	{ 100, { 113664, 126976, 225280 } }, { 200, { 131072, 157696, 355328 } },
	{ 400, { 231424, 283648, 677888 } }, { 800, { 257024, 362496, 1150976 } },
};

static const uint64_t lengths[3] = { 5, 40, 300 };

static unsigned check_rows(const char *id, const struct sonic_row *rows, size_t count,
			   uint64_t xon, uint64_t extra)
{
	unsigned checked = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < 3; j++) {
			const struct rt_headroom h = compute(id, rows[i].gbps,
							     lengths[j], 0);

			print_message("# %s %uG %um\n", id, (unsigned)rows[i].gbps,
				      (unsigned)lengths[j]);
			assert_true(h.headroom_bytes.known);
			assert_int_equal(h.headroom_bytes.value, rows[i].xoff[j]);
			assert_int_equal(h.xon_bytes.value, xon);
			assert_int_equal(h.size_bytes.value,
					 rows[i].xoff[j] + xon + extra);
			checked++;
		}
	return checked;
}

static void test_sonic_tables_come_out_to_the_byte(void **state)
{
	unsigned checked = 0;

	(void)state;
	checked += check_rows("sonic-spectrum1", msn2700, RT_ARRAY_SIZE(msn2700), 19456,
			      0);
	checked += check_rows("sonic-spectrum2", msn3700, RT_ARRAY_SIZE(msn3700), 19456,
			      0);
	checked += check_rows("sonic-spectrum3", msn3700, RT_ARRAY_SIZE(msn3700), 19456,
			      0);
	checked += check_rows("sonic-spectrum3", msn4700_400, 1, 37888, 9216);
	/* 800G is the 8-lane port: its xon and size follow a rule of their own. */
	checked += check_rows("sonic-spectrum4", sn5600, 7, 19456, 0);
	checked += check_rows("sonic-spectrum4", sn5600 + 7, 1, 38912, 9216);
	assert_int_equal(checked, 78);
}

/*
 * The published file itself.  Its size column is 1 KiB below its own rule in
 * three rows (40G 5 m, 800G 5 m, 800G 300 m); they are counted, not excused one
 * by one, so that a change of the file is noticed.
 */
static void test_sn5600_file_agrees(void **state)
{
	RT_AUTO(rt_auto_fclose) FILE *file = NULL;
	char path[512], line[256];
	unsigned rows = 0, off_by_a_kib = 0;

	(void)state;
	snprintf(path, sizeof(path),
		 "%s/switch-configs/sonic-sn5600-pg_profile_lookup.ini",
		 rt_test_shared());
	RT_NEED_SHARED(path);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		unsigned mbps, metres, size, xon, xoff;
		struct rt_headroom h;

		if (sscanf(line, "%u %um %u %u %u", &mbps, &metres, &size, &xon,
			   &xoff) != 5)
			continue;
		h = compute("sonic-spectrum4", mbps / 1000, metres, 0);
		assert_int_equal(h.headroom_bytes.value, xoff);
		assert_int_equal(h.xon_bytes.value, xon);
		rows++;
		if (h.size_bytes.value == size + 1024)
			off_by_a_kib++;
		else
			assert_int_equal(h.size_bytes.value, size);
	}
	assert_int_equal(rows, 24);
	assert_int_equal(off_by_a_kib, 3);
}

struct vector {
	const char *id;
	uint64_t gbps, metres, mtu, bytes;
};

static const struct vector vectors[] = {
	/* Linux mlx5, port_buffer.c */
	{ "mlx5", 100, 7, 1500, 35680 },
	{ "mlx5", 100, 5, 1500, 35180 },
	{ "mlx5", 100, 5, 4200, 42524 },
	{ "mlx5", 100, 5, 9000, 55580 },
	{ "mlx5", 100, 40, 9000, 63180 },
	{ "mlx5", 100, 300, 9000, 119380 },
	{ "mlx5", 200, 5, 9000, 86680 },
	{ "mlx5", 400, 5, 9000, 148880 },
	{ "mlx5", 400, 40, 9000, 179280 },
	{ "mlx5", 400, 300, 9000, 404080 },
	{ "mlx5", 40, 5, 9000, 36920 },
	{ "mlx5", 25, 5, 9000, 36920 },
	{ "mlx5", 10, 5, 9000, 36920 },
	/* the sum of IEEE 802.1Qbb */
	{ "ieee", 100, 5, 9216, 59757 },
	{ "ieee", 10, 5, 9216, 23483 },
	{ "ieee", 25, 5, 9216, 24601 },
	{ "ieee", 40, 5, 9216, 29430 },
	{ "ieee", 100, 40, 9216, 64132 },
	{ "ieee", 100, 300, 9216, 96632 },
	{ "cisco-short", 100, 5, 9216, 22922 },
	/* Linux ixgbe, IXGBE_DV: 15, 22, 41 and 48 KiB */
	{ "ixgbe-82599", 10, 100, 1518, 15 * 1024 },
	{ "ixgbe-x540", 10, 100, 1518, 22 * 1024 },
	{ "ixgbe-82599", 10, 100, 9216, 41 * 1024 },
	{ "ixgbe-x540", 10, 100, 9216, 48 * 1024 },
};

static void test_other_models_reproduce_published_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(vectors); i++) {
		const struct vector *v = &vectors[i];
		const struct rt_headroom h = compute(v->id, v->gbps, v->metres, v->mtu);

		print_message("# %s %uG %um %u: %u\n", v->id, (unsigned)v->gbps,
			      (unsigned)v->metres, (unsigned)v->mtu,
			      (unsigned)h.headroom_bytes.value);
		assert_true(h.headroom_bytes.known);
		assert_int_equal(h.headroom_bytes.value, v->bytes);
	}
}

static const struct rt_headroom_term *term(const struct rt_headroom *h,
					   const char *name)
{
	for (size_t i = 0; i < h->term_count; i++)
		if (strcmp(h->terms[i].name, name) == 0)
			return &h->terms[i];
	return NULL;
}

/* 100 Gb/s, 5 m, 9216 bytes: the worked example, term by term. */
static void test_ieee_terms_are_those_of_the_example(void **state)
{
	const struct rt_headroom h = compute("ieee", 100, 5, 9216);

	(void)state;
	assert_int_equal(term(&h, "own frame")->bits.value, 73888);
	assert_int_equal(term(&h, "PFC frame")->bits.value, 672);
	assert_int_equal(term(&h, "interface delay")->bits.value, 122880);
	assert_int_equal(term(&h, "cable, both ways")->bits.value, 5000);
	assert_int_equal(term(&h, "peer's reaction")->bits.value, 201728);
	assert_int_equal(term(&h, "peer's frame")->bits.value, 73888);
}

/* The driver takes whole metres: what is begun counts. */
static void test_mlx5_counts_a_begun_metre(void **state)
{
	const struct rt_headroom_link link = { .speed_bps = 100000000000,
					       .length_mm = 2001,
					       .mtu_bytes = 1500 };
	struct rt_headroom h;

	(void)state;
	assert_int_equal(
		rt_headroom_compute(rt_headroom_model("mlx5"), &link, &h, NULL), 0);
	/* (301 + 216 * 3 / 100) * 100 + 272 * 1500 / 100 */
	assert_int_equal(h.headroom_bytes.value, 34780);
}

static void test_terms_add_up_to_the_result(void **state)
{
	static const uint64_t speeds[] = { 10, 25, 40, 100, 200, 400, 800 };

	(void)state;
	for (size_t m = 0; m < rt_headroom_model_count; m++)
		for (size_t s = 0; s < RT_ARRAY_SIZE(speeds); s++)
			for (uint64_t metres = 1; metres < 400; metres += 37) {
				const struct rt_headroom h = compute(
					rt_headroom_models[m].id, speeds[s], metres, 0);
				uint64_t sum = 0;

				if (!h.headroom_bytes.known) {
					assert_true(*h.note != '\0');
					continue;
				}
				assert_true(h.term_count <= RT_HEADROOM_TERM_MAX);
				for (size_t i = 0; i < h.term_count; i++)
					sum += h.terms[i].bits.value;
				assert_true(sum == h.headroom_bytes.value * 8);
			}
}

/* What no source gives must not be made up. */
static void test_unpublished_is_unknown(void **state)
{
	const struct rt_headroom ieee = compute("ieee", 400, 40, 0);
	const struct rt_headroom old = compute("sonic-spectrum1", 400, 40, 0);
	const struct rt_headroom ixgbe = compute("ixgbe-x540", 100, 5, 0);
	const struct rt_headroom odd = compute("sonic-spectrum4", 56, 5, 0);

	(void)state;
	assert_false(ieee.headroom_bytes.known);
	assert_false(term(&ieee, "interface delay")->bits.known);
	assert_int_equal(term(&ieee, "peer's reaction")->bits.value, 905 * 512);
	assert_false(old.headroom_bytes.known);
	assert_false(ixgbe.headroom_bytes.known);
	assert_false(odd.headroom_bytes.known);
}

static void test_absurd_links_are_refused(void **state)
{
	static const struct rt_headroom_link links[] = {
		{ 0, 5000, 0 },
		{ 20000 * GBPS, 5000, 0 },
		{ 100 * GBPS, 100000001, 0 },
		{ 100 * GBPS, 5000, 63 },
		{ 100 * GBPS, 5000, 65536 },
	};
	struct rt_headroom h;

	(void)state;
	for (size_t i = 0; i < RT_ARRAY_SIZE(links); i++) {
		struct rt_err err = { 0 };

		assert_int_equal(rt_headroom_compute(&rt_headroom_models[0], &links[i],
						     &h, &err),
				 -ERANGE);
		assert_int_equal(err.code, -ERANGE);
	}
}

static void test_names_are_those_of_the_models(void **state)
{
	(void)state;
	for (size_t i = 0; i < rt_headroom_model_count; i++) {
		assert_string_equal(rt_headroom_model_names[i].name,
				    rt_headroom_models[i].id);
		assert_int_equal(rt_headroom_model_names[i].value, i);
	}
	assert_null(rt_headroom_model_names[rt_headroom_model_count].name);
	assert_null(rt_headroom_model("none"));
}

RT_UNIT_MAIN(cmocka_unit_test(test_sonic_tables_come_out_to_the_byte),
	     cmocka_unit_test(test_sn5600_file_agrees),
	     cmocka_unit_test(test_other_models_reproduce_published_values),
	     cmocka_unit_test(test_mlx5_counts_a_begun_metre),
	     cmocka_unit_test(test_ieee_terms_are_those_of_the_example),
	     cmocka_unit_test(test_terms_add_up_to_the_result),
	     cmocka_unit_test(test_unpublished_is_unknown),
	     cmocka_unit_test(test_absurd_links_are_refused),
	     cmocka_unit_test(test_names_are_those_of_the_models))
