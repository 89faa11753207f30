#include "CI2C.h"
#include <errno.h>
#include <fcntl.h>
#include <i2c/smbus.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int i2c_open(const char *path) {
  const int descriptor = open(path, O_RDWR | O_CLOEXEC);
  return descriptor < 0 ? -errno : descriptor;
}

void i2c_close(int descriptor) { close(descriptor); }

int i2c_is_taken(int descriptor, uint8_t address) {
  if (ioctl(descriptor, I2C_SLAVE, (unsigned long)address) == 0) return 0;
  return errno == EBUSY ? 1 : -errno;
}

static int combined(int descriptor, uint8_t address, i2c_message *messages, size_t count) {
  struct i2c_msg kernel[I2C_RDWR_IOCTL_MAX_MSGS];
  for (size_t i = 0; i < count; i++) {
    kernel[i] = (struct i2c_msg){
        .addr = address,
        .flags = messages[i].is_read ? I2C_M_RD : 0,
        .len = messages[i].count,
        .buf = messages[i].bytes};
  }
  struct i2c_rdwr_ioctl_data all = {.msgs = kernel, .nmsgs = (uint32_t)count};
  const int done = ioctl(descriptor, I2C_RDWR, &all);
  if (done < 0) return -errno;
  return done == (int)count ? 0 : -EIO;
}

// What SMBus has a name for: a register's number, with bytes written after it or read back.
static int register_only(int descriptor, i2c_message *messages, size_t count) {
  if (count == 0 || messages[0].is_read || messages[0].count == 0) return -EOPNOTSUPP;
  const uint8_t command = messages[0].bytes[0];
  const uint8_t *values = messages[0].bytes + 1;
  const int written = messages[0].count - 1;
  int result = -EOPNOTSUPP;
  if (count == 1 && written <= I2C_SMBUS_BLOCK_MAX) {
    result = written == 0   ? i2c_smbus_write_byte(descriptor, command)
             : written == 1 ? i2c_smbus_write_byte_data(descriptor, command, values[0])
             : written == 2 ? i2c_smbus_write_word_data(descriptor, command, (uint16_t)(values[0] | values[1] << 8))
                            : i2c_smbus_write_i2c_block_data(descriptor, command, (uint8_t)written, values);
    return result < 0 ? -errno : 0;
  }
  if (count != 2 || written != 0 || !messages[1].is_read || messages[1].count > I2C_SMBUS_BLOCK_MAX) return result;
  uint8_t *to = messages[1].bytes;
  const int wanted = messages[1].count;
  if (wanted == 1 || wanted == 2) {
    result = wanted == 1 ? i2c_smbus_read_byte_data(descriptor, command) : i2c_smbus_read_word_data(descriptor, command);
    if (result < 0) return -errno;
    for (int i = 0; i < wanted; i++) to[i] = (uint8_t)(result >> 8 * i);
    return 0;
  }
  uint8_t block[I2C_SMBUS_BLOCK_MAX];
  result = i2c_smbus_read_i2c_block_data(descriptor, command, (uint8_t)wanted, block);
  if (result < 0) return -errno;
  if (result != wanted) return -EIO;
  memcpy(to, block, (size_t)wanted);
  return 0;
}

int i2c_transact(int descriptor, uint8_t address, i2c_message *messages, size_t count) {
  if (count == 0 || count > I2C_RDWR_IOCTL_MAX_MSGS) return -EINVAL;
  // a driver of the kernel that has the chip must not be disturbed; I2C_RDWR would not ask
  if (ioctl(descriptor, I2C_SLAVE, (unsigned long)address) < 0) return -errno;
  unsigned long can = 0;
  if (ioctl(descriptor, I2C_FUNCS, &can) < 0) return -errno;
  return can & I2C_FUNC_I2C ? combined(descriptor, address, messages, count)
                            : register_only(descriptor, messages, count);
}
