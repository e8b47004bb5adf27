// Memory that is used whole: of large pages where the system has them. The first touch of a page takes up to some
// microseconds, whatever its size, so 4 MiB of small ones take longer than what is done with them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace fastjournal {

class LargeMemory {
 public:
  LargeMemory() = default;
  // Not filled.
  explicit LargeMemory(std::size_t bytes) : size_(bytes) {
    std::size_t const whole = bytes / kPageBytes * kPageBytes;
    void* memory = nullptr;
    if (::posix_memalign(&memory, whole > 0 ? kPageBytes : alignof(std::max_align_t), bytes) != 0)
      throw std::bad_alloc{};
    bytes_.reset(static_cast<std::byte*>(memory));
    // Best effort: with small pages it is only slower. The end of the last large page belongs to other memory.
    if (whole > 0) static_cast<void>(::madvise(memory, whole, MADV_HUGEPAGE));
  }

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kPageBytes = std::size_t{2} << 20U;
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };

  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_{0};
};

}  // namespace fastjournal
