#include <errno.h>
#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <system_error>

#include "internal.hpp"

Mapping::Mapping(const libcamera::FrameBuffer &buffer) {
  // planes mostly lie in one piece of memory
  for (const auto &plane : buffer.planes()) {
    const int descriptor = plane.fd.get();
    const size_t offset = plane.offset == libcamera::FrameBuffer::Plane::kInvalidOffset ? 0 : plane.offset;
    size_t index = 0;
    while (index < blocks.size() && blocks[index].descriptor != descriptor) ++index;
    if (index == blocks.size()) blocks.push_back({descriptor, nullptr, 0});
    blocks[index].length = std::max(blocks[index].length, offset + plane.length);
    planes.push_back({index, offset, plane.length});
  }
  for (Block &block : blocks) {
    void *address = mmap(nullptr, block.length, PROT_READ, MAP_SHARED, block.descriptor, 0);
    if (address == MAP_FAILED) {
      const int code = errno;
      unmap();
      throw std::system_error(code, std::generic_category(), "a camera's buffer cannot be mapped");
    }
    block.address = address;
  }
}

Mapping::~Mapping() { unmap(); }

void Mapping::unmap() {
  for (const Block &block : blocks)
    if (block.address) munmap(block.address, block.length);
  blocks.clear();
}

void Mapping::sync(uint64_t flags) const {
  for (const Block &block : blocks) {
    dma_buf_sync request = {flags};
    // what is no dma-buf needs no such care
    while (ioctl(block.descriptor, DMA_BUF_IOCTL_SYNC, &request) < 0 && (errno == EINTR || errno == EAGAIN)) {}
  }
}

int Mapping::copy(const std::vector<size_t> &sizes, uint8_t *bytes) const {
  if (planes.empty()) return -EIO;
  sync(DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
  // drivers that know one plane only have the others behind it
  const bool is_joined = planes.size() < sizes.size();
  size_t behind = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Plane &plane = planes[is_joined ? 0 : i];
    const size_t skipped = is_joined ? behind : 0;
    const size_t there = skipped < plane.length ? std::min(sizes[i], plane.length - skipped) : 0;
    const auto *start = static_cast<const uint8_t *>(blocks[plane.block].address) + plane.offset + skipped;
    std::memcpy(bytes, start, there);
    std::memset(bytes + there, 0, sizes[i] - there);
    bytes += sizes[i];
    behind += sizes[i];
  }
  sync(DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
  return 0;
}
