/* SPDX-License-Identifier: BSD-2-Clause */
/* ext.c - extension headers of the BTH: layouts of IBTA 9.3.2 to 9.3.5 and A14. */
#include "wire/ext.h"

static void get_rdeth(struct rt_bth *bth, const uint8_t *at)
{
	bth->xrc_srq = rt_get_be24_low(at);
}

static void put_rdeth(const struct rt_bth *bth, uint8_t *at)
{
	rt_put_be32(at, bth->xrc_srq & 0xFFFFFF);
}

static void get_deth(struct rt_bth *bth, const uint8_t *at)
{
	bth->qkey = rt_get_be32(at);
	bth->src_qp = rt_get_be24_low(at + 4);
}

static void put_deth(const struct rt_bth *bth, uint8_t *at)
{
	rt_put_be32(at, bth->qkey);
	rt_put_be32(at + 4, bth->src_qp & 0xFFFFFF);
}

static void get_feth(struct rt_bth *bth, const uint8_t *at)
{
	bth->flush = rt_get_be32(at);
}

static void put_feth(const struct rt_bth *bth, uint8_t *at)
{
	rt_put_be32(at, bth->flush);
}

static void put_reth(const struct rt_bth *bth, uint8_t *at)
{
	rt_put_be64(at, bth->va);
	rt_put_be32(at + 8, bth->rkey);
	rt_put_be32(at + 12, bth->dma_bytes);
}

static void get_atomiceth(struct rt_bth *bth, const uint8_t *at)
{
	bth->va = rt_get_be64(at);
	bth->rkey = rt_get_be32(at + 8);
	bth->swap_add = rt_get_be64(at + 12);
	bth->compare = rt_get_be64(at + 20);
}

static void put_atomiceth(const struct rt_bth *bth, uint8_t *at)
{
	rt_put_be64(at, bth->va);
	rt_put_be32(at + 8, bth->rkey);
	rt_put_be64(at + 12, bth->swap_add);
	rt_put_be64(at + 20, bth->compare);
}

static void put_aeth(const struct rt_bth *bth, uint8_t *at)
{
	rt_put_be32(at, (uint32_t)bth->syndrome << 24 | (bth->msn & 0xFFFFFF));
}

static void get_atomicacketh(struct rt_bth *bth, const uint8_t *at)
{
	bth->swap_add = rt_get_be64(at);
}

static void put_atomicacketh(const struct rt_bth *bth, uint8_t *at)
{
	rt_put_be64(at, bth->swap_add);
}

static void get_immdt(struct rt_bth *bth, const uint8_t *at)
{
	bth->immediate = rt_get_be32(at);
}

static void put_immdt(const struct rt_bth *bth, uint8_t *at)
{
	rt_put_be32(at, bth->immediate);
}

static void get_ieth(struct rt_bth *bth, const uint8_t *at)
{
	bth->rkey = rt_get_be32(at);
}

static void put_ieth(const struct rt_bth *bth, uint8_t *at)
{
	rt_put_be32(at, bth->rkey);
}

static void get_cnp(struct rt_bth *bth, const uint8_t *at)
{
	(void)bth;
	(void)at;
}

static void put_cnp(const struct rt_bth *bth, uint8_t *at)
{
	(void)bth;
	memset(at, 0, 16);
}

const struct rt_ext rt_exts[RT_EXT_COUNT] = {
	{ "RDETH", 4, get_rdeth, put_rdeth },
	{ "DETH", 8, get_deth, put_deth },
	{ "XRCETH", 4, get_rdeth, put_rdeth }, /* same layout, other meaning */
	{ "FETH", 4, get_feth, put_feth },
	{ "RETH", 16, rt_ext_get_reth, put_reth },
	{ "AtomicETH", 28, get_atomiceth, put_atomiceth },
	{ "AETH", 4, rt_ext_get_aeth, put_aeth },
	{ "AtomicAckETH", 8, get_atomicacketh, put_atomicacketh },
	{ "ImmDt", 4, get_immdt, put_immdt },
	{ "IETH", 4, get_ieth, put_ieth },
	{ "CNP", 16, get_cnp, put_cnp },
};
