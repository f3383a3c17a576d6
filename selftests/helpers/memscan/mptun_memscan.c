// SPDX-License-Identifier: GPL-2.0
/*
 * Searches all memory for secrets, to prove that none was left behind.
 *
 * Copyright (C) 2026 The mptun authors
 *
 * Write lines "NAME HEX" to the debugfs file mptun_memscan: the 32 bytes of a
 * secret, inverted, so that the search itself leaves no copy of it.  A read
 * searches for them and prints how often any of the four 8-byte pieces of
 * each secret was found: in slab memory, in user memory and the page cache,
 * in free pages, and elsewhere (stacks, vmalloc, the image of the kernel).
 * Pieces, because a freed object keeps its contents except for some words.
 *
 * The command "scrub" fills all free pages with zeros, "forget" drops all
 * secrets, and "dump" has the kernel log describe the objects in which a
 * piece is found.
 *
 * For User-Mode Linux, whose memory is contiguous.
 */
#include <linux/bitmap.h>
#include <linux/debugfs.h>
#include <linux/hex.h>
#include <linux/kasan.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <linux/workqueue.h>

#define MPTUN_MEMSCAN_MAX	32	/* secrets */
#define MPTUN_MEMSCAN_LEN	32	/* bytes of each */
#define MPTUN_MEMSCAN_PIECE	8	/* found at once */
#define MPTUN_MEMSCAN_PIECES	(MPTUN_MEMSCAN_LEN / MPTUN_MEMSCAN_PIECE)
#define MPTUN_MEMSCAN_HEADS	BIT(16)
#define MPTUN_MEMSCAN_DUMPS	8	/* objects for each secret */

enum mptun_memscan_where {
	MPTUN_MEMSCAN_SLAB,
	MPTUN_MEMSCAN_OTHER,
	MPTUN_MEMSCAN_FREE,
	MPTUN_MEMSCAN_USER,
	MPTUN_MEMSCAN_WHERES,
};

static const char *const mptun_memscan_words[] = {
	[MPTUN_MEMSCAN_SLAB] = "slab",
	[MPTUN_MEMSCAN_OTHER] = "other",
	[MPTUN_MEMSCAN_FREE] = "free",
	[MPTUN_MEMSCAN_USER] = "user",
};

/**
 * struct mptun_memscan_secret - what is looked for
 * @name: what to call it
 * @inverted: its pieces, inverted
 * @found: how often one of them was found
 */
struct mptun_memscan_secret {
	char name[24];
	u64 inverted[MPTUN_MEMSCAN_PIECES];
	unsigned int found[MPTUN_MEMSCAN_WHERES];
};

static DEFINE_MUTEX(mptun_memscan_lock);
static struct mptun_memscan_secret mptun_memscan_secrets[MPTUN_MEMSCAN_MAX];
static unsigned int mptun_memscan_n;
static bool mptun_memscan_dump;
/* The first two bytes of all pieces, to skip most places quickly. */
static DECLARE_BITMAP(mptun_memscan_heads, MPTUN_MEMSCAN_HEADS);
static struct dentry *mptun_memscan_file;

/* Only the first page of an allocation without a folio has a count. */
static enum mptun_memscan_where mptun_memscan_where(struct page *page,
						    bool free)
{
	struct folio *folio = page_folio(page);

	if (free)
		return MPTUN_MEMSCAN_FREE;
	if (folio_test_slab(folio))
		return MPTUN_MEMSCAN_SLAB;
	if (folio_test_anon(folio) || folio_test_lru(folio) ||
	    READ_ONCE(folio->mapping))
		return MPTUN_MEMSCAN_USER;
	return MPTUN_MEMSCAN_OTHER;
}

static void mptun_memscan_found(struct mptun_memscan_secret *secret,
				unsigned int piece, u8 *at,
				enum mptun_memscan_where where)
{
	if (secret->found[where]++ >= MPTUN_MEMSCAN_DUMPS ||
	    !mptun_memscan_dump || where == MPTUN_MEMSCAN_USER)
		return;
	pr_info("mptun_memscan: %s.%u, %s:\n", secret->name, piece,
		mptun_memscan_words[where]);
	mem_dump_obj(at);
}

/* Keep the compiler from inverting the pieces instead, into plain secrets. */
static void mptun_memscan_compare(u8 *at, enum mptun_memscan_where where)
{
	u64 inverted = ~get_unaligned((u64 *)at);
	struct mptun_memscan_secret *secret;
	unsigned int i, piece;

	OPTIMIZER_HIDE_VAR(inverted);
	for (i = 0; i < mptun_memscan_n; i++) {
		secret = &mptun_memscan_secrets[i];
		for (piece = 0; piece < MPTUN_MEMSCAN_PIECES; piece++)
			if (secret->inverted[piece] == inverted)
				mptun_memscan_found(secret, piece, at, where);
	}
}

/* A piece may cross the end of a page. */
static void mptun_memscan_page(u8 *at, bool last,
			       enum mptun_memscan_where where)
{
	u8 *end = at + PAGE_SIZE - (last ? MPTUN_MEMSCAN_PIECE - 1 : 0);
	u64 *word = (u64 *)at, any = 0;
	unsigned int i;

	for (i = 0; i < PAGE_SIZE / sizeof(u64); i++)
		any |= word[i];
	if (!any)
		return;
	for (; at < end; at++)
		if (test_bit(get_unaligned((u16 *)at), mptun_memscan_heads))
			mptun_memscan_compare(at, where);
}

/* The image of the kernel has unmapped gaps between its sections. */
static void mptun_memscan_image(void *at)
{
	static u8 copy[PAGE_SIZE];
	long err;

	/* KASAN objects to reads between variables */
	kasan_disable_current();
	err = copy_from_kernel_nofault(copy, at, PAGE_SIZE);
	kasan_enable_current();
	if (!err)
		mptun_memscan_page(copy, true, MPTUN_MEMSCAN_OTHER);
	memzero_explicit(copy, PAGE_SIZE);
}

static void mptun_memscan_run(void)
{
	unsigned long pfn, begin = PFN_DOWN(__pa(uml_physmem));
	unsigned long free = 0;
	struct page *page;

	for (pfn = begin; pfn < max_mapnr; pfn++) {
		page = pfn_to_page(pfn);
		cond_resched();
		if (PageReserved(page)) {
			mptun_memscan_image(page_address(page));
			continue;
		}
		if (PageBuddy(page))
			free = pfn + (1UL << page_private(page));
		mptun_memscan_page(page_address(page), pfn + 1 == max_mapnr,
				   mptun_memscan_where(page, pfn < free));
	}
}

static int mptun_memscan_show(struct seq_file *seq, void *unused)
{
	struct mptun_memscan_secret *secret;
	unsigned int i, where;

	mutex_lock(&mptun_memscan_lock);
	for (i = 0; i < mptun_memscan_n; i++)
		memset(mptun_memscan_secrets[i].found, 0,
		       sizeof(mptun_memscan_secrets[i].found));
	mptun_memscan_run();
	for (i = 0; i < mptun_memscan_n; i++) {
		secret = &mptun_memscan_secrets[i];
		seq_puts(seq, secret->name);
		for (where = 0; where < MPTUN_MEMSCAN_WHERES; where++)
			seq_printf(seq, " %s %u", mptun_memscan_words[where],
				   secret->found[where]);
		seq_putc(seq, '\n');
	}
	mutex_unlock(&mptun_memscan_lock);
	return 0;
}

/* memset() would ask whether that may be written to. */
static void mptun_memscan_zero(u64 *word, size_t bytes)
{
	u64 *end = word + bytes / sizeof(*word);

	while (word < end)
		WRITE_ONCE(*word++, 0);
}

/* Nobody takes a free page while its zone is locked. */
static void mptun_memscan_scrub_rest(void)
{
	unsigned long pfn, flags;
	struct zone *zone;
	struct page *page;

	for (pfn = PFN_DOWN(__pa(uml_physmem)); pfn < max_mapnr; pfn++) {
		page = pfn_to_page(pfn);
		if (!PageBuddy(page))
			continue;
		zone = page_zone(page);
		spin_lock_irqsave(&zone->lock, flags);
		if (PageBuddy(page))
			mptun_memscan_zero(page_address(page),
					   PAGE_SIZE << page_private(page));
		spin_unlock_irqrestore(&zone->lock, flags);
		cond_resched();
	}
}

/* All that there is of one order and kind, so that those that this processor
 * keeps aside are among them.
 */
static void mptun_memscan_take(struct list_head *pages, unsigned int order,
			       gfp_t kind)
{
	gfp_t gfp = GFP_ATOMIC | __GFP_ZERO | __GFP_NOWARN | kind;
	struct page *page;

	while ((page = alloc_pages(gfp, order)))
		list_add(&page->lru, pages);
}

static void mptun_memscan_give(struct list_head *pages, unsigned int order)
{
	struct page *page, *tmp;

	list_for_each_entry_safe(page, tmp, pages, lru) {
		list_del(&page->lru);
		__free_pages(page, order);
	}
}

/* What is kept aside is kept apart, by order and by whether it can be moved or
 * reclaimed: a program's pages can be moved, the kernel's cannot.
 */
static void mptun_memscan_scrub_cpu(struct work_struct *unused)
{
	static const gfp_t kinds[] = { 0, __GFP_MOVABLE, __GFP_RECLAIMABLE };
	struct list_head pages[PAGE_ALLOC_COSTLY_ORDER + 1];
	int order;
	u32 kind;

	for (order = PAGE_ALLOC_COSTLY_ORDER; order >= 0; order--) {
		INIT_LIST_HEAD(&pages[order]);
		for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
			mptun_memscan_take(&pages[order], order, kinds[kind]);
	}
	for (order = PAGE_ALLOC_COSTLY_ORDER; order >= 0; order--)
		mptun_memscan_give(&pages[order], order);
}

/* Each processor has pages that no other gets.  The rest is what the kernel
 * does not give away lightly.
 */
static void mptun_memscan_scrub(void)
{
	struct work_struct work;
	int cpu;

	INIT_WORK_ONSTACK(&work, mptun_memscan_scrub_cpu);
	for_each_online_cpu(cpu) {
		schedule_work_on(cpu, &work);
		flush_work(&work);
	}
	destroy_work_on_stack(&work);
	mptun_memscan_scrub_rest();
}

static int mptun_memscan_add(const char *name, const char *hex)
{
	struct mptun_memscan_secret *secret;
	unsigned int i;
	u64 inverted;

	if (mptun_memscan_n == MPTUN_MEMSCAN_MAX ||
	    strlen(hex) != 2 * MPTUN_MEMSCAN_LEN)
		return -EINVAL;
	secret = &mptun_memscan_secrets[mptun_memscan_n];
	if (strscpy(secret->name, name) < 0 ||
	    hex2bin((u8 *)secret->inverted, hex, MPTUN_MEMSCAN_LEN))
		return -EINVAL;
	for (i = 0; i < MPTUN_MEMSCAN_PIECES; i++) {
		inverted = secret->inverted[i];
		set_bit((u16)~inverted, mptun_memscan_heads);
	}
	mptun_memscan_n++;
	return 0;
}

static int mptun_memscan_line(char *line)
{
	char *name = strsep(&line, " ");

	if (!strcmp(name, "scrub")) {
		mptun_memscan_scrub();
	} else if (!strcmp(name, "dump")) {
		mptun_memscan_dump = true;
	} else if (!strcmp(name, "forget")) {
		mptun_memscan_n = 0;
		bitmap_zero(mptun_memscan_heads, MPTUN_MEMSCAN_HEADS);
	} else {
		return line ? mptun_memscan_add(name, line) : -EINVAL;
	}
	return 0;
}

static ssize_t mptun_memscan_write(struct file *file, const char __user *buf,
				   size_t len, loff_t *pos)
{
	char *text, *line, *rest;
	int err = 0;

	text = memdup_user_nul(buf, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rest = text;
	mutex_lock(&mptun_memscan_lock);
	while (!err && (line = strsep(&rest, "\n")))
		if (*line)
			err = mptun_memscan_line(line);
	mutex_unlock(&mptun_memscan_lock);
	kfree(text);
	return err ?: len;
}

static int mptun_memscan_open(struct inode *inode, struct file *file)
{
	return single_open(file, mptun_memscan_show, NULL);
}

static const struct file_operations mptun_memscan_fops = {
	.owner = THIS_MODULE,
	.open = mptun_memscan_open,
	.read = seq_read,
	.write = mptun_memscan_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init mptun_memscan_init(void)
{
	mptun_memscan_file = debugfs_create_file("mptun_memscan", 0600, NULL,
						 NULL, &mptun_memscan_fops);
	return PTR_ERR_OR_ZERO(mptun_memscan_file);
}

static void __exit mptun_memscan_exit(void)
{
	debugfs_remove(mptun_memscan_file);
}

module_init(mptun_memscan_init);
module_exit(mptun_memscan_exit);
MODULE_DESCRIPTION("Looks for secrets in memory, for the tests of mptun");
MODULE_LICENSE("GPL");
