/* SPDX-License-Identifier: BSD-2-Clause */
/* exchange.c - texts by way of the launcher. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/own.h"
#include "rocetune/err.h"
#include "traffic/pmix/parts.h"

/*
 * The store of libpmix 4.2 aborts the launcher's daemon on a value above one of its
 * segments, 4 MiB by default (src/mca/common/dstore).
 */
#define PIECE_BYTES    ((size_t)1 << 20)
#define KEY_BYTES      64u
#define HEAD_BYTES     24u /* the length before the first piece, as "%020zu:" */
#define LENGTH_DIGITS  20u
#define LONGEST_WAIT_S 3600

static int pmix_error(struct rt_err *err, pmix_status_t status, const char *what)
{
	const int code = status == PMIX_ERR_TIMEOUT ? -ETIMEDOUT
			 : status == PMIX_ERR_LOST_CONNECTION ||
					 status == PMIX_ERR_UNREACH
				 ? -ECONNRESET
				 : -EIO;

	return rt_err_set(err, code, "PMIx: %s: %s", what, PMIx_Error_string(status));
}

static void key_of(const char *name, size_t piece, char key[KEY_BYTES])
{
	snprintf(key, KEY_BYTES, "rocetune.%.15s.%zu", name, piece);
}

static int put_piece(const char *name, size_t piece, char *text, struct rt_err *err)
{
	pmix_value_t value = { .type = PMIX_STRING, .data.string = text };
	char key[KEY_BYTES];
	pmix_status_t status;

	key_of(name, piece, key);
	status = PMIx_Put(PMIX_GLOBAL, key, &value); /* which copies it */
	return status == PMIX_SUCCESS ? 0 : pmix_error(err, status, "put");
}

int pmix_publish(struct pmix_meeting *meeting, const char *name, const char *text,
		 struct rt_err *err)
{
	const size_t bytes = strlen(text);
	RT_AUTO(rt_auto_free) char *piece = malloc(HEAD_BYTES + PIECE_BYTES);
	size_t at = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
	int r;

	(void)meeting;
	if (bytes > RT_RENDEZVOUS_TEXT_BYTES)
		return rt_err_set(err, -E2BIG, "a text of %zu bytes is above %u", bytes,
				  RT_RENDEZVOUS_TEXT_BYTES);
	if (!piece)
		return rt_err_sys(err, -ENOMEM, "cannot send a text");
	snprintf(piece, HEAD_BYTES + PIECE_BYTES, "%020zu:%.*s", bytes, (int)at, text);
	r = put_piece(name, 0, piece, err);
	for (size_t i = 1; r == 0 && at < bytes; i++) {
		const size_t step = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;

		memcpy(piece, text + at, step);
		piece[step] = '\0';
		r = put_piece(name, i, piece, err);
		at += step;
	}
	return r;
}

int pmix_fence(struct pmix_meeting *meeting, int64_t deadline_ns, struct rt_err *err)
{
	const int64_t left_ns = deadline_ns - rt_monotonic_ns();
	const bool collect = true;
	int wait_s = left_ns > 0 ? (int)(left_ns / 1000000000) + 1 : 1;
	pmix_info_t info[2];
	pmix_status_t status = PMIx_Commit();

	if (status != PMIX_SUCCESS)
		return pmix_error(err, status, "commit");
	if (wait_s > LONGEST_WAIT_S)
		wait_s = LONGEST_WAIT_S;
	PMIX_INFO_LOAD(&info[0], PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
	PMIX_INFO_LOAD(&info[1], PMIX_TIMEOUT, &wait_s, PMIX_INT);
	status = PMIx_Fence(NULL, 0, info, RT_ARRAY_SIZE(info));
	PMIX_INFO_DESTRUCT(&info[0]);
	PMIX_INFO_DESTRUCT(&info[1]);
	if (status != PMIX_SUCCESS)
		return pmix_error(err, status, "not all ranks came to the fence");
	/* All were here just now, whatever the side channel has heard. */
	if (meeting->side)
		rt_tcp_heard(meeting->side);
	return 0;
}

/* One piece as text, the caller's. */
static int get_piece(struct pmix_meeting *meeting, uint32_t rank, const char *key,
		     char **ret_text, struct rt_err *err)
{
	pmix_value_t *value = NULL;
	pmix_status_t status;
	pmix_proc_t proc;
	int r = 0;

	PMIX_LOAD_PROCID(&proc, meeting->me.nspace, rank);
	status = PMIx_Get(&proc, key, NULL, 0, &value);
	if (status == PMIX_ERR_NOT_FOUND)
		return rt_err_set(err, -ENOENT, "rank %u has published no %s", rank,
				  key);
	if (status != PMIX_SUCCESS)
		return pmix_error(err, status, key);
	if (value->type != PMIX_STRING || !value->data.string)
		r = rt_err_set(err, -EPROTO, "rank %u: %s is no text", rank, key);
	else
		*ret_text = rt_steal(&value->data.string);
	PMIX_VALUE_RELEASE(value);
	return r;
}

/* The length that stands before a first piece. */
static int length_of(const char *piece, uint32_t rank, size_t *ret_bytes,
		     struct rt_err *err)
{
	size_t bytes = 0;

	if (strspn(piece, "0123456789") != LENGTH_DIGITS || piece[LENGTH_DIGITS] != ':')
		return rt_err_set(err, -EPROTO, "rank %u: a text without length", rank);
	for (unsigned i = 0; i < LENGTH_DIGITS && bytes <= RT_RENDEZVOUS_TEXT_BYTES;
	     i++)
		bytes = bytes * 10 + (size_t)(piece[i] - '0');
	if (bytes > RT_RENDEZVOUS_TEXT_BYTES)
		return rt_err_set(err, -EPROTO, "rank %u: a text above %u bytes", rank,
				  RT_RENDEZVOUS_TEXT_BYTES);
	*ret_bytes = bytes;
	return 0;
}

static int append(const char *piece, char *text, size_t bytes, size_t *at)
{
	const size_t length = strlen(piece);

	if (!length || length > bytes - *at)
		return -EPROTO;
	memcpy(text + *at, piece, length);
	*at += length;
	return 0;
}

int pmix_look(struct pmix_meeting *meeting, uint32_t rank, const char *name,
	      char **ret_text, struct rt_err *err)
{
	RT_AUTO(rt_auto_free) char *text = NULL;
	RT_AUTO(rt_auto_free) char *first = NULL;
	size_t bytes = 0, at = 0;
	char key[KEY_BYTES];
	int r;

	key_of(name, 0, key);
	r = get_piece(meeting, rank, key, &first, err);
	if (r == 0)
		r = length_of(first, rank, &bytes, err);
	if (r < 0)
		return r;
	text = calloc(1, bytes + 1);
	if (!text)
		return rt_err_sys(err, -ENOMEM, "cannot hold a text of rank %u", rank);
	if (bytes && append(first + LENGTH_DIGITS + 1, text, bytes, &at) < 0)
		return rt_err_set(err, -EPROTO, "rank %u: %s does not fit", rank, key);
	for (size_t i = 1; at < bytes; i++) {
		RT_AUTO(rt_auto_free) char *piece = NULL;

		key_of(name, i, key);
		r = get_piece(meeting, rank, key, &piece, err);
		if (r < 0)
			return r;
		if (append(piece, text, bytes, &at) < 0)
			return rt_err_set(err, -EPROTO, "rank %u: %s does not fit",
					  rank, key);
	}
	*ret_text = rt_steal(&text);
	return 0;
}

/* Called by PMIx's own thread. */
static void on_event(size_t handler, pmix_status_t status, const pmix_proc_t *source,
		     pmix_info_t info[], size_t info_count, pmix_info_t results[],
		     size_t result_count, pmix_event_notification_cbfunc_fn_t done,
		     void *done_object)
{
	(void)handler, (void)status, (void)source, (void)results, (void)result_count;
	for (size_t i = 0; i < info_count; i++)
		if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_RETURN_OBJECT)) {
			struct pmix_meeting *meeting = info[i].value.data.ptr;

			atomic_store(&meeting->lost, true);
		}
	if (done)
		done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, done_object);
}

/* Without it libpmix would do as it likes when its daemon is gone. */
static void watch_daemon(struct pmix_meeting *meeting)
{
	pmix_status_t code = PMIX_ERR_LOST_CONNECTION, status;
	pmix_info_t info;

	PMIX_INFO_LOAD(&info, PMIX_EVENT_RETURN_OBJECT, meeting, PMIX_POINTER);
	status = PMIx_Register_event_handler(&code, 1, &info, 1, on_event, NULL, NULL);
	meeting->handled = status >= 0;
	meeting->handler = meeting->handled ? (size_t)status : 0;
}

int pmix_begin(struct pmix_meeting *meeting, struct rt_err *err)
{
	pmix_value_t *value = NULL;
	pmix_status_t status = PMIx_Init(&meeting->me, NULL, 0);
	pmix_proc_t all;

	if (status != PMIX_SUCCESS)
		return rt_err_set(err, -ECONNREFUSED,
				  "PMIX_RANK is set, but no launcher answers: %s",
				  PMIx_Error_string(status));
	PMIX_LOAD_PROCID(&all, meeting->me.nspace, PMIX_RANK_WILDCARD);
	status = PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &value);
	if (status != PMIX_SUCCESS) {
		(void)PMIx_Finalize(NULL, 0);
		return pmix_error(err, status, "how many ranks there are");
	}
	meeting->base.size = value->type == PMIX_UINT32 ? value->data.uint32 : 0;
	meeting->base.rank = meeting->me.rank;
	meeting->base.root = meeting->me.rank == 0;
	PMIX_VALUE_RELEASE(value);
	if (!meeting->base.size || meeting->base.size > RT_RENDEZVOUS_MAX_RANKS ||
	    meeting->base.rank >= meeting->base.size) {
		(void)PMIx_Finalize(NULL, 0);
		return rt_err_set(err, -EINVAL, "rank %u of %u: 1 to %u can meet",
				  meeting->base.rank, meeting->base.size,
				  RT_RENDEZVOUS_MAX_RANKS);
	}
	watch_daemon(meeting);
	return 0;
}

void pmix_end(struct pmix_meeting *meeting)
{
	if (meeting->handled)
		(void)PMIx_Deregister_event_handler(meeting->handler, NULL, NULL);
	(void)PMIx_Finalize(NULL, 0);
}
