// Transactions on an I²C bus through i2c-dev, and through libi2c where the adapter speaks SMBus only. Every function
// returns a negative errno on failure.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// One message of a transaction: to write `bytes`, or to read into them.
typedef struct {
  uint8_t *bytes;
  uint16_t count;
  uint8_t is_read;
} i2c_message;

/// Opens the bus at `path` (/dev/i2c-1). Returns a descriptor.
int i2c_open(const char *path);
/// Performs the messages with repeated starts between them and one stop at the end. -ENXIO or -EREMOTEIO where no chip
/// acknowledges its address, -EBUSY where a driver of the kernel has the chip, -EOPNOTSUPP where the adapter cannot do it.
int i2c_transact(int descriptor, uint8_t address, i2c_message *messages, size_t count);
/// Whether a driver of the kernel has the chip at an address: 1 or 0.
int i2c_is_taken(int descriptor, uint8_t address);
/// Closes the bus.
void i2c_close(int descriptor);
