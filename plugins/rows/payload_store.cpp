#include "plugins/rows/payload_store.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "base/check.h"

namespace fastjournal::rows {
namespace {

constexpr std::size_t kKeptPageBytesMax = 4096;

}  // namespace

PayloadStore::PayloadStore() : open_(kClasses, kNone), slots_of_(kClasses, 0) {}

std::size_t PayloadStore::class_of(std::size_t size) {
  if (size <= kFineBytesMax) return (std::max<std::size_t>(size, 16) + 7) / 8;
  if (size > kSlotBytesMax) return kLargeClass;
  // Eight classes for each doubling: 1152, 1280, ... 2048, 2304, ...
  std::size_t const last = size - 1;
  unsigned const doubling = static_cast<unsigned>(std::bit_width(last)) - 11U;  // 1024 to 2047: 0
  return kFineClasses + 1 + doubling * 8 + ((last >> (doubling + 7U)) & 7U);
}

std::size_t PayloadStore::bytes_of_class(std::size_t size_class) {
  if (size_class <= kFineClasses) return size_class * 8;
  std::size_t const above = size_class - kFineClasses - 1;
  return (std::size_t{1024} << (above / 8)) + ((above % 8 + 1) << (above / 8 + 7));
}

std::uint32_t PayloadStore::take(std::size_t size) {
  std::size_t const size_class = class_of(size);
  if (size_class == kLargeClass) return take_large(size);
  std::uint32_t number = open_[size_class];
  if (number == kNone) number = add_page(size_class);
  Page& page = pages_[number];
  std::uint16_t slot = page.free;
  if (slot != 0xFFFF) {
    page.free = load_little<std::uint16_t>(page.bytes.get() + std::size_t{slot} * page.slot_bytes);
  } else {
    slot = page.touched++;
  }
  if (++page.used == page.slots) unlink(size_class, number);
  return number << kSlotBits | slot;
}

std::uint32_t PayloadStore::take_to_grow(std::size_t size) {
  return class_of(size) == kLargeClass ? take_large(size + size / 4) : take(size);
}

std::uint32_t PayloadStore::take_large(std::size_t room) {
  if (large_free_.empty()) {
    large_free_.push_back(static_cast<std::uint32_t>(large_.size()));
    large_.emplace_back();
  }
  std::uint32_t const slot = large_free_.back();
  large_free_.pop_back();
  large_[slot] = {std::make_unique_for_overwrite<char[]>(room), room};
  bytes_ += room + 16;
  return slot | kLarge;
}

void PayloadStore::release(std::uint32_t handle, std::size_t size) {
  if ((handle & kLarge) != 0) {
    Large& large = large_[handle & ~kLarge];
    bytes_ -= large.room + 16;
    large = {};
    large_free_.push_back(handle & ~kLarge);
    return;
  }
  std::size_t const size_class = class_of(size);
  std::uint32_t const number = handle >> kSlotBits;
  Page& page = pages_[number];
  FJ_CHECK(bytes_of_class(size_class) == page.slot_bytes, "a payload is released with another size");
  if (page.used == page.slots) link(size_class, number);
  store_little(page.bytes.get() + std::size_t{handle & kSlotMask} * page.slot_bytes, page.free);
  page.free = static_cast<std::uint16_t>(handle & kSlotMask);
  if (--page.used > 0) return;
  // The last page with room is kept: a single row that is inserted and removed must not allocate and free a page each
  // time. But large ones of many classes would fill a small table without a row.
  std::size_t const bytes = std::size_t{page.slots} * page.slot_bytes;
  if (open_[size_class] == number && page.next == kNone && bytes <= kKeptPageBytesMax) return;
  unlink(size_class, number);
  bytes_ -= bytes;
  slots_of_[size_class] -= page.slots;
  page = Page{};
  page.next = free_page_;
  free_page_ = number;
  --pages_used_;
}

std::uint32_t PayloadStore::add_page(std::size_t size_class) {
  std::size_t const slot_bytes = bytes_of_class(size_class);
  // Pages grow with the memory of the class, by a tenth, so that little of it is unused.
  auto const slots_max = static_cast<std::uint32_t>(std::min<std::size_t>(kPageBytesMax / slot_bytes, kSlotMask + 1));
  std::uint32_t const slots = std::clamp(slots_of_[size_class] / 8, std::min(kSlotsFirst, slots_max), slots_max);
  std::uint32_t number = free_page_;
  if (number == kNone) {
    number = static_cast<std::uint32_t>(pages_.size());
    FJ_CHECK(number < kPagesMax, "the payload store is full");
    pages_.emplace_back();
  } else {
    free_page_ = pages_[number].next;
  }
  Page& page = pages_[number];
  page.bytes = std::make_unique_for_overwrite<char[]>(slot_bytes * slots);
  page.slot_bytes = static_cast<std::uint16_t>(slot_bytes);
  page.slots = static_cast<std::uint16_t>(slots);
  slots_of_[size_class] += slots;
  bytes_ += slot_bytes * slots;
  ++pages_used_;
  link(size_class, number);
  return number;
}

void PayloadStore::link(std::size_t size_class, std::uint32_t number) {
  Page& page = pages_[number];
  page.prev = kNone;
  page.next = open_[size_class];
  if (page.next != kNone) pages_[page.next].prev = number;
  open_[size_class] = number;
}

void PayloadStore::unlink(std::size_t size_class, std::uint32_t number) {
  Page& page = pages_[number];
  if (page.prev == kNone) {
    open_[size_class] = page.next;
  } else {
    pages_[page.prev].next = page.next;
  }
  if (page.next != kNone) pages_[page.next].prev = page.prev;
  page.next = page.prev = kNone;
}

}  // namespace fastjournal::rows
