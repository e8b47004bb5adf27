// Memory for the facts, keys and data of rows: byte strings of any size up to some 16 MiB, addressed by a u32. Sizes
// are rounded up to classes (8 bytes apart up to 1 KiB, then an eighth apart). Each class divides pages into slots, and
// empty pages are freed. A malloc for each row would cost 15 to 27 bytes more; this costs 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fastjournal::rows {

class PayloadStore {
 public:
  // Handles reach 2^19 pages; nothing may be added to a store that is nearly full.
  static constexpr std::size_t kPagesMax = std::size_t{1} << 19U;

  PayloadStore();

  // Uninitialised; does not move until it is released.
  std::uint32_t take(std::size_t size);
  // The same; a large one, with a block of its own, may grow by a quarter in place.
  std::uint32_t take_to_grow(std::size_t size);
  // The size to which it may grow in place; 0: it has no block of its own.
  [[nodiscard]] std::size_t room_at(std::uint32_t handle) const {
    return (handle & kLarge) != 0 ? large_[handle & ~kLarge].room : 0;
  }
  // `size` as it was allocated.
  void release(std::uint32_t handle, std::size_t size);
  [[nodiscard]] char* at(std::uint32_t handle) {
    return const_cast<char*>(static_cast<PayloadStore const*>(this)->at(handle));  // the store itself is not const
  }
  [[nodiscard]] char const* at(std::uint32_t handle) const {
    if ((handle & kLarge) != 0) return large_[handle & ~kLarge].bytes.get();
    Page const& page = pages_[handle >> kSlotBits];
    return page.bytes.get() + std::size_t{handle & kSlotMask} * page.slot_bytes;
  }
  // Both sizes have the same class, so that a slot of one can hold the other.
  [[nodiscard]] static bool same_class(std::size_t a, std::size_t b) {
    return class_of(a) == class_of(b) && class_of(a) != kLargeClass;
  }

  [[nodiscard]] bool is_nearly_full() const { return pages_used_ + 1024 >= kPagesMax; }
  // Memory from the system: pages, large blocks, and their administration.
  [[nodiscard]] std::uint64_t memory_bytes() const { return bytes_ + pages_.capacity() * sizeof(Page); }

 private:
  static constexpr std::uint32_t kLarge = 1U << 31U;
  static constexpr unsigned kSlotBits = 12;
  static constexpr std::uint32_t kSlotMask = (1U << kSlotBits) - 1;
  static constexpr std::size_t kPageBytesMax = 64U << 10U;
  static constexpr std::uint32_t kSlotsFirst = 8;  // small, for small tables
  static constexpr std::size_t kSlotBytesMax = 8192;
  static constexpr std::size_t kFineBytesMax = 1024;
  static constexpr std::size_t kFineClasses = kFineBytesMax / 8;
  static constexpr std::size_t kClasses = kFineClasses + 1 + 8 * 3;
  static constexpr std::size_t kLargeClass = kClasses;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Page {
    std::unique_ptr<char[]> bytes;
    std::uint16_t slot_bytes{0};
    std::uint16_t slots{0};
    std::uint16_t used{0};
    std::uint16_t touched{0};    // slots from here on were never given
    std::uint16_t free{0xFFFF};  // first of the released ones, linked inside the slots
    std::uint32_t next{kNone};   // pages of the class that have room; or pages without bytes
    std::uint32_t prev{kNone};
  };

  struct Large {
    std::unique_ptr<char[]> bytes;
    std::size_t room{0};
  };

  [[nodiscard]] std::uint32_t take_large(std::size_t room);
  [[nodiscard]] static std::size_t class_of(std::size_t size);
  [[nodiscard]] static std::size_t bytes_of_class(std::size_t size_class);
  std::uint32_t add_page(std::size_t size_class);
  void link(std::size_t size_class, std::uint32_t page);
  void unlink(std::size_t size_class, std::uint32_t page);

  std::vector<Page> pages_;
  std::uint32_t free_page_{kNone};
  std::size_t pages_used_{0};
  std::vector<Large> large_;
  std::vector<std::uint32_t> large_free_;
  std::vector<std::uint32_t> open_;      // by class: first page that has room
  std::vector<std::uint32_t> slots_of_;  // by class: slots in all its pages
  std::uint64_t bytes_{0};
};

}  // namespace fastjournal::rows
