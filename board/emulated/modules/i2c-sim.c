// SPDX-License-Identifier: GPL-2.0
/*
 * An I2C adapter with simulated register chips on it, for tests of drivers in user space.
 *
 *   modprobe i2c-sim addresses=0x36,0x40
 *
 * A write sets the register pointer with its first byte and fills registers with the others; a read takes registers from
 * the pointer on. The pointer counts up. That is how most register chips with 8-bit addresses behave. Beside it, in
 * debugfs, everything a test wants to know or to spoil:
 *
 *   i2c-sim/plugged        0: the adapter is pulled out, as one on USB: its node is gone at once, and who has it open gets
 *                          ENODEV. 1: it is plugged in again, EBUSY as long as somebody has the old one open
 *   i2c-sim/36/registers   256 bytes, may be read and written at any place
 *   i2c-sim/36/absent      Y: nothing acknowledges at this address
 *   i2c-sim/36/fails       so many transactions from now on end with a bus error
 *   i2c-sim/36/answers     a line "00 01 00 > 00 21 04": a write of 00 01 00 puts 21 04 into registers from 00 on
 *   i2c-sim/36/log         the last transactions: microseconds since boot, w or r, bytes
 */
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/hex.h>
#include <linux/i2c.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#define CHIPS 16
#define ANSWERS 8
#define LONGEST 16
#define ENTRIES 512

struct bytes {
	u8 data[LONGEST];
	u16 count; /* may be more than are kept */
};

struct entry {
	s64 microseconds;
	bool read;
	struct bytes bytes;
};

struct chip {
	struct mutex lock;
	u8 pointer;
	u8 registers[256];
	bool absent;
	u32 fails;
	struct {
		struct bytes wanted, given;
	} answers[ANSWERS];
	int answer_count;
	struct entry log[ENTRIES];
	u32 logged;
};

static unsigned short addresses[CHIPS];
static int chip_count;
module_param_array(addresses, ushort, &chip_count, 0444);
MODULE_PARM_DESC(addresses, "addresses of the chips");

static DEFINE_MUTEX(plug);
static bool plugged;
static struct chip *chips[CHIPS];
static struct dentry *folder;

static struct chip *chip_at(u16 address)
{
	for (int i = 0; i < chip_count; i++)
		if (addresses[i] == address)
			return chips[i];
	return NULL;
}

static void note(struct chip *chip, const struct i2c_msg *m)
{
	struct entry *entry = &chip->log[chip->logged++ % ENTRIES];

	entry->microseconds = ktime_to_us(ktime_get_boottime());
	entry->read = m->flags & I2C_M_RD;
	entry->bytes.count = m->len;
	memcpy(entry->bytes.data, m->buf, min_t(int, m->len, LONGEST));
}

static void answer(struct chip *chip, const struct i2c_msg *m)
{
	for (int i = 0; i < chip->answer_count; i++) {
		struct bytes *wanted = &chip->answers[i].wanted, *given = &chip->answers[i].given;

		if (wanted->count != m->len || memcmp(wanted->data, m->buf, m->len))
			continue;
		for (int k = 1; k < given->count; k++)
			chip->registers[(u8)(given->data[0] + k - 1)] = given->data[k];
	}
}

static int message(struct chip *chip, struct i2c_msg *m)
{
	if (chip->absent)
		return -ENXIO;
	if (chip->fails) {
		chip->fails--;
		return -EIO;
	}
	if (m->flags & I2C_M_RD) {
		for (int i = 0; i < m->len; i++)
			m->buf[i] = chip->registers[chip->pointer++];
	} else if (m->len) {
		chip->pointer = m->buf[0];
		for (int i = 1; i < m->len; i++)
			chip->registers[chip->pointer++] = m->buf[i];
		if (m->len > 1)
			answer(chip, m);
	}
	note(chip, m);
	return 0;
}

static int transfer(struct i2c_adapter *adapter, struct i2c_msg *messages, int count)
{
	if (!READ_ONCE(plugged))
		return -ENODEV;
	for (int i = 0; i < count; i++) {
		struct chip *chip = chip_at(messages[i].addr);
		int error = -ENXIO;

		if (chip) {
			mutex_lock(&chip->lock);
			error = message(chip, &messages[i]);
			mutex_unlock(&chip->lock);
		}
		if (error)
			return error;
	}
	return count;
}

static u32 functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm algorithm = { .master_xfer = transfer, .functionality = functionality };
static struct i2c_adapter adapter = { .owner = THIS_MODULE, .algo = &algorithm, .name = "i2c-sim" };

/* waits until nobody has the adapter open any more */
static void pull(struct work_struct *unused)
{
	i2c_del_adapter(&adapter);
}
static DECLARE_WORK(pulling, pull);

static int plug_in(void)
{
	int error;

	if (work_busy(&pulling))
		return -EBUSY;
	WRITE_ONCE(plugged, true);
	error = i2c_add_adapter(&adapter);
	if (error)
		WRITE_ONCE(plugged, false);
	return error;
}

/* ---- debugfs ---- */

static int plugged_get(void *unused, u64 *value)
{
	*value = plugged;
	return 0;
}

static int plugged_set(void *unused, u64 value)
{
	int error = 0;

	mutex_lock(&plug);
	if (value && !plugged) {
		error = plug_in();
	} else if (!value && plugged) {
		WRITE_ONCE(plugged, false);
		schedule_work(&pulling);
	}
	mutex_unlock(&plug);
	return error;
}
DEFINE_DEBUGFS_ATTRIBUTE(plugged_operations, plugged_get, plugged_set, "%llu\n");

static ssize_t registers_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	struct chip *chip = file->private_data;

	return simple_read_from_buffer(to, count, at, chip->registers, sizeof(chip->registers));
}

static ssize_t registers_write(struct file *file, const char __user *from, size_t count, loff_t *at)
{
	struct chip *chip = file->private_data;
	ssize_t done;

	mutex_lock(&chip->lock);
	done = simple_write_to_buffer(chip->registers, sizeof(chip->registers), at, from, count);
	mutex_unlock(&chip->lock);
	return done;
}

static const struct file_operations registers_operations = {
	.owner = THIS_MODULE, .open = simple_open, .read = registers_read, .write = registers_write, .llseek = default_llseek
};

/* hexadecimal bytes up to the end or a '>'; returns where it stopped, or NULL */
static const char *parse(const char *text, struct bytes *bytes)
{
	bytes->count = 0;
	for (;;) {
		text = skip_spaces(text);
		if (!*text || *text == '>')
			return bytes->count ? text : NULL;
		if (bytes->count == LONGEST || hex2bin(&bytes->data[bytes->count++], text, 1))
			return NULL;
		text += 2;
	}
}

static ssize_t answers_write(struct file *file, const char __user *from, size_t count, loff_t *at)
{
	struct chip *chip = file->private_data;
	char line[128];
	const char *rest;
	int error = -EINVAL;

	if (count >= sizeof(line))
		return -E2BIG;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = 0;
	mutex_lock(&chip->lock);
	if (chip->answer_count < ANSWERS) {
		rest = parse(line, &chip->answers[chip->answer_count].wanted);
		if (rest && *rest == '>' && parse(rest + 1, &chip->answers[chip->answer_count].given)) {
			chip->answer_count++;
			error = 0;
		}
	}
	mutex_unlock(&chip->lock);
	return error ? error : count;
}

static const struct file_operations answers_operations = {
	.owner = THIS_MODULE, .open = simple_open, .write = answers_write, .llseek = noop_llseek
};

static int log_show(struct seq_file *out, void *unused)
{
	struct chip *chip = out->private;

	mutex_lock(&chip->lock);
	for (u32 i = chip->logged > ENTRIES ? chip->logged - ENTRIES : 0; i < chip->logged; i++) {
		struct entry *entry = &chip->log[i % ENTRIES];

		seq_printf(out, "%lld %c %*ph\n", entry->microseconds, entry->read ? 'r' : 'w',
			   min_t(int, entry->bytes.count, LONGEST), entry->bytes.data);
	}
	mutex_unlock(&chip->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(log);

static void describe(struct chip *chip, unsigned short address)
{
	char name[8];
	struct dentry *place;

	snprintf(name, sizeof(name), "%02x", address);
	place = debugfs_create_dir(name, folder);
	debugfs_create_file("registers", 0600, place, chip, &registers_operations);
	debugfs_create_file("answers", 0200, place, chip, &answers_operations);
	debugfs_create_file("log", 0400, place, chip, &log_fops);
	debugfs_create_bool("absent", 0600, place, &chip->absent);
	debugfs_create_u32("fails", 0600, place, &chip->fails);
}

static void forget(void)
{
	debugfs_remove_recursive(folder);
	for (int i = 0; i < chip_count; i++)
		kvfree(chips[i]);
}

static int __init start(void)
{
	int error;

	folder = debugfs_create_dir("i2c-sim", NULL);
	debugfs_create_file_unsafe("plugged", 0600, folder, NULL, &plugged_operations);
	for (int i = 0; i < chip_count; i++) {
		chips[i] = kvzalloc(sizeof(*chips[i]), GFP_KERNEL);
		if (!chips[i]) {
			forget();
			return -ENOMEM;
		}
		mutex_init(&chips[i]->lock);
		describe(chips[i], addresses[i]);
	}
	mutex_lock(&plug);
	error = plug_in();
	mutex_unlock(&plug);
	if (error)
		forget();
	return error;
}

static void __exit end(void)
{
	mutex_lock(&plug);
	if (plugged)
		i2c_del_adapter(&adapter);
	mutex_unlock(&plug);
	flush_work(&pulling);
	forget();
}

module_init(start);
module_exit(end);
MODULE_DESCRIPTION("simulated I2C register chips");
MODULE_LICENSE("GPL");
