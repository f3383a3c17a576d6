// SPDX-License-Identifier: GPL-2.0
/*
 * Misbehaves on request, to prove that the runners of the lab detect it.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Write one of the words of mptun_crash_deeds to the debugfs file mptun_crash.
 */

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

static DEFINE_SPINLOCK(mptun_crash_lock);
static DEFINE_MUTEX(mptun_crash_a);
static DEFINE_MUTEX(mptun_crash_b);
static struct dentry *mptun_crash_file;
static void *volatile mptun_crash_ptr;

static void mptun_crash_warn(void)
{
	WARN(1, "asked to warn\n");
}

static void mptun_crash_panic(void)
{
	panic("asked to panic");
}

static void mptun_crash_null(void)
{
	WRITE_ONCE(*(volatile int *)mptun_crash_ptr, 1);
}

/* Reads a byte behind an object: KASAN's business */
static void mptun_crash_oob(void)
{
	volatile char *p = kmalloc(13, GFP_KERNEL);
	size_t at = 13;

	if (!p)
		return;
	OPTIMIZER_HIDE_VAR(at);
	pr_info("mptun_crash: read %d\n", p[at]);
	kfree((void *)p);
}

/*
 * Forgets objects: kmemleak's business. Many, because a stale word on some
 * stack may still look like a pointer to one of them.
 */
static void mptun_crash_leak(void)
{
	int i;

	for (i = 0; i < 32; i++)
		mptun_crash_ptr = kmalloc(77, GFP_KERNEL);
	mptun_crash_ptr = NULL;
}

/* Sleeps under a spinlock */
static void mptun_crash_sleep(void)
{
	spin_lock(&mptun_crash_lock);
	msleep(20);
	spin_unlock(&mptun_crash_lock);
}

/* Takes two locks in both orders: harmless here, lockdep knows better */
static void mptun_crash_abba(void)
{
	mutex_lock(&mptun_crash_a);
	mutex_lock(&mptun_crash_b);
	mutex_unlock(&mptun_crash_b);
	mutex_unlock(&mptun_crash_a);
	mutex_lock(&mptun_crash_b);
	mutex_lock(&mptun_crash_a);
	mutex_unlock(&mptun_crash_a);
	mutex_unlock(&mptun_crash_b);
}

static const struct {
	const char *word;
	void (*act)(void);
} mptun_crash_deeds[] = {
	{ "warn", mptun_crash_warn },
	{ "panic", mptun_crash_panic },
	{ "null", mptun_crash_null },
	{ "oob", mptun_crash_oob },
	{ "leak", mptun_crash_leak },
	{ "sleep", mptun_crash_sleep },
	{ "abba", mptun_crash_abba },
};

static ssize_t mptun_crash_write(struct file *file, const char __user *buf,
				 size_t len, loff_t *pos)
{
	char word[16] = {};
	int i;

	if (len >= sizeof(word) || copy_from_user(word, buf, len))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(mptun_crash_deeds); i++) {
		if (sysfs_streq(word, mptun_crash_deeds[i].word)) {
			mptun_crash_deeds[i].act();
			return len;
		}
	}
	return -EINVAL;
}

static const struct file_operations mptun_crash_fops = {
	.owner = THIS_MODULE,
	.write = mptun_crash_write,
};

static int __init mptun_crash_init(void)
{
	mptun_crash_file = debugfs_create_file("mptun_crash", 0200, NULL, NULL,
					       &mptun_crash_fops);
	return PTR_ERR_OR_ZERO(mptun_crash_file);
}

static void __exit mptun_crash_exit(void)
{
	debugfs_remove(mptun_crash_file);
}

module_init(mptun_crash_init);
module_exit(mptun_crash_exit);
MODULE_DESCRIPTION("Misbehaves on request, for the self-test of the lab");
MODULE_LICENSE("GPL");
