// Row headers: 32 bytes each, in slabs that never move, addressed by a u32. They have the fields that every operation
// needs; the rest of a row (its facts, key and data) is one allocation of the payload store.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fastjournal/types.h"

namespace fastjournal::rows {

inline constexpr std::uint32_t kNoRow = UINT32_MAX;
inline constexpr std::uint32_t kPlainPriorityMax = UINT8_MAX;

// The place of a row. Waiting rows have one of five.
enum class Place : std::uint8_t {
  free,        // no row
  future,      // waiting: in the wheel until its process date
  listed,      // waiting and due: in a list of the order
  treed,       // waiting and due: in the tree of the order, as it came out of turn
  behind,      // waiting for the row of its key that is being processed, or for one of its group (groups.h)
  blocked,     // waiting for rows or groups that it names (waits.h)
  processing,  // leased; `next` is the number of its lease
  parked,      // given up, for an operator
  held,        // its lease ended without an answer, and an operator has to decide; `next` is the number of that lease
};
[[nodiscard]] constexpr bool is_waiting(Place place) { return place >= Place::future && place <= Place::blocked; }
[[nodiscard]] constexpr bool is_due(Place place) { return place == Place::listed || place == Place::treed; }
[[nodiscard]] constexpr bool has_lease(Place place) { return place == Place::processing || place == Place::held; }

// Up to the maximum.
[[nodiscard]] constexpr std::uint8_t one_more(std::uint64_t count) {
  return count >= UINT8_MAX ? UINT8_MAX : static_cast<std::uint8_t>(count + 1);
}

// The failed attempts of a row, by their end.
struct Counters {
  std::uint8_t timeouts{0};  // time-outs, since the last merge or KICK
  std::uint8_t failures{0};  // workers that reported an error, likewise
  std::uint8_t lifetime{0};  // both, in the row's life

  bool operator==(Counters const&) const = default;
  [[nodiscard]] unsigned attempts() const { return 0U + timeouts + failures; }
  [[nodiscard]] Counters after_timeout() const { return {one_more(timeouts), failures, one_more(lifetime)}; }
  [[nodiscard]] Counters after_failure() const { return {timeouts, one_more(failures), one_more(lifetime)}; }
};

// What is counted in the life of a row that asks for it, each up to the maximum.
enum class Count : std::uint8_t { leases, returns, parkings, kicks, timeouts };
inline constexpr std::size_t kCounts = 5;

// What few rows have, beside their headers: only tables that ask for it have any.
struct Detail {
  std::int64_t lease{0};      // how long its leases last, in ms, unless a worker says otherwise; 0: as the table says
  std::uint32_t priority{0};  // beyond kPlainPriorityMax; 0: that of the header
  std::array<std::uint8_t, kCounts> counts{};
  bool is_counted{false};
  // In memory, and in no record: the handle of its extras in the payload store, or none.
  std::uint32_t extras{kNoExtras};
  static constexpr std::uint32_t kNoExtras = UINT32_MAX;

  [[nodiscard]] std::uint8_t count(Count what) const { return counts[static_cast<std::size_t>(what)]; }
  // As a record has it.
  [[nodiscard]] bool is_empty() const { return lease == 0 && priority == 0 && !is_counted; }
};
static_assert(sizeof(Detail) == 24);

class Row {
 public:
  // Ids are LSNs, multiples of kLsnAlign: 48 bits of id / 8 reach 2 PiB of log.
  [[nodiscard]] ObjectId id() const { return ObjectId{(a_ & kMask48) * kLsnAlign}; }
  // Its class; kPlainPriorityMax: that, or a larger one, which is in its Detail.
  [[nodiscard]] std::uint8_t priority() const { return static_cast<std::uint8_t>(a_ >> 48U); }
  [[nodiscard]] Place place() const { return static_cast<Place>(a_ >> 56U & 0x0FU); }
  // Whether other rows have the same key.
  [[nodiscard]] bool has_siblings() const { return (a_ >> 60U & 1U) != 0; }
  // Whether it has an expiration date.
  [[nodiscard]] bool expires() const { return (a_ >> 61U & 1U) != 0; }
  // Whether it has a Detail.
  [[nodiscard]] bool has_detail() const { return (a_ >> 62U & 1U) != 0; }
  // Whether it has a group.
  [[nodiscard]] bool is_grouped() const { return (a_ >> 63U & 1U) != 0; }
  [[nodiscard]] std::int64_t date() const { return static_cast<std::int64_t>(b_ & kMask48); }
  // Counters; failures, which few rows have, are in the payload.
  [[nodiscard]] std::uint8_t timeouts() const { return static_cast<std::uint8_t>(b_ >> 48U); }
  [[nodiscard]] std::uint8_t lifetime() const { return static_cast<std::uint8_t>(b_ >> 56U); }

  void set_id(ObjectId id) { a_ = (a_ & ~kMask48) | id.value / kLsnAlign; }
  void set_priority(std::uint8_t v) { a_ = (a_ & ~(0xFFULL << 48U)) | std::uint64_t{v} << 48U; }
  void set_place(Place v) { a_ = (a_ & ~(0x0FULL << 56U)) | static_cast<std::uint64_t>(v) << 56U; }
  void set_siblings(bool v) { a_ = (a_ & ~(1ULL << 60U)) | static_cast<std::uint64_t>(v) << 60U; }
  void set_expires(bool v) { a_ = (a_ & ~(1ULL << 61U)) | static_cast<std::uint64_t>(v) << 61U; }
  void set_grouped(bool v) { a_ = (a_ & ~(1ULL << 63U)) | static_cast<std::uint64_t>(v) << 63U; }
  void set_detail(bool v) { a_ = (a_ & ~(1ULL << 62U)) | static_cast<std::uint64_t>(v) << 62U; }
  void set_date(std::int64_t v) { b_ = (b_ & ~kMask48) | (static_cast<std::uint64_t>(v) & kMask48); }
  void set_timeouts(std::uint8_t v) { b_ = (b_ & ~(0xFFULL << 48U)) | std::uint64_t{v} << 48U; }
  void set_lifetime(std::uint8_t v) { b_ = (b_ & ~(0xFFULL << 56U)) | std::uint64_t{v} << 56U; }

  std::uint32_t next{0};  // links of the structure of its place
  std::uint32_t prev{0};
  std::uint32_t payload{0};  // handle of the payload store
  std::uint32_t region{0};   // of the row's latest whole record (regions.h)

 private:
  static constexpr std::uint64_t kMask48 = (1ULL << 48U) - 1;
  std::uint64_t a_{0};
  std::uint64_t b_{0};
};
static_assert(sizeof(Row) == 32);

// (date, id): the order of rows of one priority.
[[nodiscard]] inline bool comes_before(Row const& a, Row const& b) {
  return a.date() != b.date() ? a.date() < b.date() : a.id() < b.id();
}

class Rows {
 public:
  [[nodiscard]] Row& operator[](std::uint32_t index) { return slabs_[index / kSlabRows][index % kSlabRows]; }
  [[nodiscard]] Row const& operator[](std::uint32_t index) const {
    return slabs_[index / kSlabRows][index % kSlabRows];
  }

  // A header of zeros.
  std::uint32_t add() {
    ++size_;
    if (free_ != kNoRow) {
      std::uint32_t const index = free_;
      Row& row = (*this)[index];
      free_ = row.next;
      row = Row{};
      return index;
    }
    if (end_ == slabs_.size() * kSlabRows) slabs_.push_back(std::make_unique<Row[]>(kSlabRows));
    (*this)[end_] = Row{};
    return end_++;
  }
  void remove(std::uint32_t index) {
    Row& row = (*this)[index];
    row = Row{};
    row.next = free_;
    free_ = index;
    if (--size_ > 0) return;
    // All rows are gone: new ones begin at the front again, and half of the slabs are freed (all would take long, and a
    // table that often becomes empty needs them again).
    end_ = 0;
    free_ = kNoRow;
    slabs_.resize((slabs_.size() + 1) / 2);
    details_.clear();
  }

  [[nodiscard]] bool has_details() const { return !details_.empty(); }
  // One question for the order of rows: no priorities in details, and no other order than that by dates, since these rows began.
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  void order_otherwise() { is_plain_ = false; }
  // Zeros, of a row without one.
  [[nodiscard]] Detail detail(std::uint32_t index) const {
    return (*this)[index].has_detail() ? details_[index / kSlabRows][index % kSlabRows] : Detail{};
  }
  void set_detail(std::uint32_t index, Detail const& detail) {
    Row& row = (*this)[index];
    if (detail.is_empty() && detail.extras == Detail::kNoExtras) return row.set_detail(false);
    row.set_detail(true);
    if (detail.priority != 0) is_plain_ = false;
    if (details_.size() <= index / kSlabRows) details_.resize(index / kSlabRows + 1);
    std::unique_ptr<Detail[]>& slab = details_[index / kSlabRows];
    if (slab == nullptr) slab = std::make_unique<Detail[]>(kSlabRows);
    slab[index % kSlabRows] = detail;
  }
  // One more, if the row is counted.
  void count(std::uint32_t index, Count what) {
    if (!(*this)[index].has_detail()) return;
    Detail& detail = details_[index / kSlabRows][index % kSlabRows];
    std::uint8_t& count = detail.counts[static_cast<std::size_t>(what)];
    if (detail.is_counted) count = one_more(count);
  }
  [[nodiscard]] std::uint32_t priority(std::uint32_t index) const {
    Row const& row = (*this)[index];
    if (row.priority() < kPlainPriorityMax || !row.has_detail()) return row.priority();
    return std::max(kPlainPriorityMax, details_[index / kSlabRows][index % kSlabRows].priority);
  }
  void set_priority(std::uint32_t index, std::uint32_t priority) {
    Row& row = (*this)[index];
    row.set_priority(static_cast<std::uint8_t>(std::min(priority, kPlainPriorityMax)));
    std::uint32_t const beyond = priority > kPlainPriorityMax ? priority : 0;
    if (beyond == 0 && !row.has_detail()) return;
    Detail detail = this->detail(index);
    detail.priority = beyond;
    set_detail(index, detail);
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Indexes below may be rows (their place says), none from it on.
  [[nodiscard]] std::uint32_t end() const { return end_; }
  // Slabs of details that no row needed yet are counted too.
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return slabs_.size() * (kSlabRows * sizeof(Row) + sizeof(void*)) +
           details_.size() * (kSlabRows * sizeof(Detail) + sizeof(void*));
  }

 private:
  static constexpr std::uint32_t kSlabRows = 256;  // 8 KiB: small, for ten thousand small tables

  std::vector<std::unique_ptr<Row[]>> slabs_;
  std::vector<std::unique_ptr<Detail[]>> details_;  // by row; null: none of its rows has one
  std::uint32_t end_{0};
  std::uint32_t free_{kNoRow};
  std::uint32_t size_{0};
  bool is_plain_{true};
};

}  // namespace fastjournal::rows
