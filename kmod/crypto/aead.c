// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The mptun authors
 *
 * Cipher aes-gcm: AES-256-GCM of the crypto API.
 *
 * The fastest implementation may be asynchronous: on x86 before v6.15 those
 * with AES-NI use a kernel thread while the vector registers are taken, and
 * accelerators always are.  Data packets can wait for that; control packets are
 * few and use a synchronous implementation.  If the fastest one is synchronous
 * it is used for both.
 */
#include <crypto/aead.h>
#include <linux/bottom_half.h>
#include <linux/scatterlist.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "crypto/cipher.h"

#define MPTUN_CIPHER_GCM	"gcm(aes)"
#define MPTUN_CIPHER_GCM_IV	12

/**
 * struct mptun_cipher_job - a packet in the crypto API
 * @skb: the packet, if the request may be asynchronous
 * @done: completion callback
 * @trim: bytes of tag to remove
 * @iv: nonce
 * @sg: memory of the packet
 * @req: the request, of variable length
 */
struct mptun_cipher_job {
	struct sk_buff *skb;
	mptun_cipher_done_t done;
	unsigned int trim;
	u8 iv[MPTUN_CIPHER_GCM_IV];
	struct scatterlist sg;
	struct aead_request req;
};

static struct crypto_aead *mptun_cipher_aead_new(const u8 *raw, u32 mask)
{
	struct crypto_aead *aead;
	int err;

	aead = crypto_alloc_aead(MPTUN_CIPHER_GCM, 0, mask);
	if (IS_ERR(aead))
		return aead;
	err = crypto_aead_setkey(aead, raw, MPTUN_CIPHER_KEY_LEN);
	if (!err)
		err = crypto_aead_setauthsize(aead, MPTUN_TAG_LEN);
	if (!err)
		return aead;
	crypto_free_aead(aead);
	return ERR_PTR(err);
}

static int mptun_cipher_aead_init(struct mptun_cipher_key *key, const u8 *raw)
{
	struct crypto_aead *aead, *sync;

	aead = mptun_cipher_aead_new(raw, 0);
	if (IS_ERR(aead))
		return PTR_ERR(aead);
	sync = aead;
	if (aead->base.__crt_alg->cra_flags & CRYPTO_ALG_ASYNC)
		sync = mptun_cipher_aead_new(raw, CRYPTO_ALG_ASYNC);
	if (IS_ERR(sync)) {
		crypto_free_aead(aead);
		return PTR_ERR(sync);
	}
	key->aead = aead;
	key->sync = sync;
	key->async = sync != aead;
	return 0;
}

static void mptun_cipher_aead_destroy(struct mptun_cipher_key *key)
{
	if (key->sync != key->aead)
		crypto_free_aead(key->sync);
	crypto_free_aead(key->aead);
}

/* Frees a job; the packet belongs to the caller again. */
static int mptun_cipher_job_end(struct mptun_cipher_job *job, int err)
{
	if (!err && job->trim)
		err = pskb_trim(job->skb, job->skb->len - job->trim);
	kfree_sensitive(job);
	return err;
}

static void mptun_cipher_job_done(void *data, int err)
{
	struct mptun_cipher_job *job = data;
	mptun_cipher_done_t done = job->done;
	struct sk_buff *skb = job->skb;

	if (err == -EINPROGRESS)
		return; /* was queued, is in progress now */
	local_bh_disable();
	done(skb, mptun_cipher_job_end(job, err));
	local_bh_enable();
}

MPTUN_CRYPTO_COMPLETION(mptun_cipher_job_done)

/* Allocates a job for a packet in memory, whose length includes the tag. */
static struct mptun_cipher_job *
mptun_cipher_job_new(struct crypto_aead *aead, u8 *packet, unsigned int len)
{
	const struct mptun_outer *outer = (const void *)packet;
	struct mptun_cipher_job *job;

	job = kzalloc(sizeof(*job) + crypto_aead_reqsize(aead), GFP_ATOMIC);
	if (!job)
		return NULL;
	memcpy(job->iv + sizeof(__be32), &outer->number,
	       sizeof(outer->number));
	sg_init_one(&job->sg, packet, len);
	aead_request_set_tfm(&job->req, aead);
	aead_request_set_ad(&job->req, sizeof(*outer));
	return job;
}

static void mptun_cipher_job_async(struct mptun_cipher_job *job,
				   struct sk_buff *skb,
				   mptun_cipher_done_t done)
{
	job->skb = skb;
	job->done = done;
	aead_request_set_callback(&job->req, 0,
				  MPTUN_CRYPTO_DONE(mptun_cipher_job_done),
				  job);
}

static int mptun_cipher_job_seal(struct mptun_cipher_job *job,
				 unsigned int len)
{
	unsigned int text = len - sizeof(struct mptun_outer);

	aead_request_set_crypt(&job->req, &job->sg, &job->sg, text, job->iv);
	return crypto_aead_encrypt(&job->req);
}

static int mptun_cipher_job_open(struct mptun_cipher_job *job,
				 unsigned int len)
{
	unsigned int text = len - sizeof(struct mptun_outer);

	aead_request_set_crypt(&job->req, &job->sg, &job->sg, text, job->iv);
	return crypto_aead_decrypt(&job->req);
}

static int mptun_cipher_aead_seal(const struct mptun_cipher_key *key,
				  u8 *packet, unsigned int len)
{
	struct mptun_cipher_job *job;

	job = mptun_cipher_job_new(key->sync, packet, len + MPTUN_TAG_LEN);
	if (!job)
		return -ENOMEM;
	return mptun_cipher_job_end(job, mptun_cipher_job_seal(job, len));
}

static int mptun_cipher_aead_open(const struct mptun_cipher_key *key,
				  u8 *packet, unsigned int len)
{
	struct mptun_cipher_job *job;

	job = mptun_cipher_job_new(key->sync, packet, len);
	if (!job)
		return -ENOMEM;
	return mptun_cipher_job_end(job, mptun_cipher_job_open(job, len));
}

static int mptun_cipher_aead_seal_async(const struct mptun_cipher_key *key,
					struct sk_buff *skb,
					mptun_cipher_done_t done)
{
	unsigned int len = skb->len;
	struct mptun_cipher_job *job;
	int err;

	skb_put(skb, MPTUN_TAG_LEN);
	job = mptun_cipher_job_new(key->aead, skb->data, skb->len);
	if (!job)
		return -ENOMEM;
	mptun_cipher_job_async(job, skb, done);
	err = mptun_cipher_job_seal(job, len);
	return err == -EINPROGRESS ? err : mptun_cipher_job_end(job, err);
}

static int mptun_cipher_aead_open_async(const struct mptun_cipher_key *key,
					struct sk_buff *skb,
					mptun_cipher_done_t done)
{
	struct mptun_cipher_job *job;
	int err;

	job = mptun_cipher_job_new(key->aead, skb->data, skb->len);
	if (!job)
		return -ENOMEM;
	mptun_cipher_job_async(job, skb, done);
	job->trim = MPTUN_TAG_LEN;
	err = mptun_cipher_job_open(job, skb->len);
	return err == -EINPROGRESS ? err : mptun_cipher_job_end(job, err);
}

const struct mptun_cipher_ops mptun_cipher_aes_gcm = {
	.tag = MPTUN_TAG_LEN,
	.init = mptun_cipher_aead_init,
	.destroy = mptun_cipher_aead_destroy,
	.seal = mptun_cipher_aead_seal,
	.open = mptun_cipher_aead_open,
	.seal_async = mptun_cipher_aead_seal_async,
	.open_async = mptun_cipher_aead_open_async,
};

/**
 * mptun_cipher_aes_gcm_available() - check whether this kernel has AES-GCM
 *
 * May sleep and load modules.
 *
 * Return: true if it does.
 */
bool mptun_cipher_aes_gcm_available(void)
{
	return crypto_has_alg(MPTUN_CIPHER_GCM, CRYPTO_ALG_TYPE_AEAD,
			      CRYPTO_ALG_TYPE_MASK);
}
