// The leases: one entry for each row that is being processed, found by its row (through its header), by its connection,
// and by its end. The lease of a held row is over, and only found by the row: it says who had it under which epoch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include "base/hash.h"
#include "fastjournal/limits.h"
#include "fastjournal/types.h"
#include "plugins/rows/rows.h"

namespace fastjournal::rows {

inline constexpr std::uint32_t kNoLease = UINT32_MAX;
// Of a lease that belongs to no connection, as its worker speaks HTTP: only its date ends it.
inline constexpr std::uint64_t kNoConnection = UINT64_MAX;

struct Lease {
  LeaseEpoch epoch{};
  std::int64_t began{0};
  std::int64_t ends{0};
  std::uint64_t connection{0};  // 0: lost; the lease lasts until its end. Or kNoConnection
  std::uint32_t row{kNoRow};    // kNoRow: the entry is free
  std::uint32_t worker{0};
  std::uint32_t next{kNoLease};  // of the same connection
  std::uint32_t prev{kNoLease};
  std::uint32_t start{0};  // the daemon's start in which it was given, or last separated from a lost connection
  bool is_kept{false};     // by an open transaction: its end does not come
};

inline constexpr std::uint8_t kPercentMax = 100;

// How far the work under a lease is, as its worker said last. Few leases have one.
struct Progress {
  std::int64_t at{0};
  std::uint8_t percent{0};
  std::string note{};
};

class Leases {
 public:
  // The terms of a lease, as in its record.
  struct Terms {
    LeaseEpoch epoch{};
    std::int64_t began{0};
    std::int64_t ends{0};
    std::uint64_t connection{0};
    std::uint32_t start{0};
    std::string_view worker{};
  };

  explicit Leases(std::uint64_t hash_seed) : by_name_(0, NameHash{hash_seed}) {}

  std::uint32_t add(std::uint32_t row, Terms const& terms) {
    std::uint32_t number = free_;
    if (number == kNoLease) {
      number = end_;
      if (end_ == slabs_.size() * kSlabLeases) slabs_.push_back(std::make_unique<Lease[]>(kSlabLeases));
      ++end_;
    } else {
      free_ = at(number).next;
    }
    ++size_;
    Lease& lease = at(number);
    lease = Lease{};
    lease.epoch = terms.epoch;
    lease.began = terms.began;
    lease.row = row;
    fill(number, terms);
    return number;
  }

  // End, connection, worker and start become those of the terms.
  void change(std::uint32_t number, Terms const& terms) {
    empty(number);
    fill(number, terms);
  }

  // It is over, but its row is held: it has no end to come, and no connection.
  void hold(std::uint32_t number, std::int64_t date) {
    leave_connection(number);
    Lease& lease = at(number);
    ends_.erase({lease.ends, number});
    lease.ends = date;
    lease.connection = 0;
    lease.next = lease.prev = kNoLease;
  }

  // An open transaction holds its row: until then it does not end by itself.
  void keep(std::uint32_t number) {
    Lease& lease = at(number);
    lease.is_kept = true;
    ends_.erase({lease.ends, number});
  }
  void let(std::uint32_t number) {
    Lease& lease = at(number);
    lease.is_kept = false;
    ends_.emplace(lease.ends, number);
  }

  // Changes the dates only.
  void lower(std::uint32_t number, std::int64_t began, std::int64_t ends) {
    Lease& lease = at(number);
    if (ends_.erase({lease.ends, number}) == 1) ends_.emplace(ends, number);
    lease.began = began;
    lease.ends = ends;
  }

  void remove(std::uint32_t number) {
    empty(number);
    if (!progress_.empty()) [[unlikely]]
      forget_progress(number);
    Lease& lease = at(number);
    lease = Lease{};
    lease.next = free_;
    free_ = number;
    if (--size_ > 0 || end_ < kKeptWhenNone) return;
    slabs_.clear();
    end_ = 0;
    free_ = kNoLease;
    workers_.clear();
    by_name_ = decltype(by_name_){0, by_name_.hash_function()};
    by_connection_ = {};
    free_worker_ = kNoLease;
    name_bytes_ = 0;
  }

  void say_progress(std::uint32_t number, Progress progress) {
    forget_progress(number);
    progress_bytes_ += kProgressBytes + heap_bytes(progress.note);
    progress_.emplace(number, std::move(progress));
  }
  // Null: nothing was said.
  [[nodiscard]] Progress const* progress_of(std::uint32_t number) const {
    if (progress_.empty()) [[likely]]
      return nullptr;
    auto const found = progress_.find(number);
    return found == progress_.end() ? nullptr : &found->second;
  }
  // The clock was ahead: what was said later was said then.
  void lower_progress(std::int64_t to) {
    for (auto& [number, progress] : progress_) progress.at = std::min(progress.at, to);
  }
  [[nodiscard]] std::uint64_t progress_bytes() const { return progress_bytes_; }

  [[nodiscard]] Lease const& operator[](std::uint32_t number) const {
    return slabs_[number / kSlabLeases][number % kSlabLeases];
  }
  [[nodiscard]] std::string_view worker(Lease const& lease) const { return workers_[lease.worker].name; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Numbers below may be leases (their row says).
  [[nodiscard]] std::uint32_t end() const { return end_; }
  // kNoLease if the connection has none; Lease::next has the others.
  [[nodiscard]] std::uint32_t first_of(std::uint64_t connection) const {
    auto const found = by_connection_.find(connection);
    return found == by_connection_.end() ? kNoLease : found->second;
  }
  // (end, number), the first to end first.
  [[nodiscard]] absl::btree_set<std::pair<std::int64_t, std::uint32_t>> const& ends() const { return ends_; }

  [[nodiscard]] std::uint64_t memory_bytes() const {
    return slabs_.size() * (kSlabLeases * sizeof(Lease) + sizeof(void*)) + ends_.size() * 20 +
           by_connection_.capacity() * 17 + workers_.size() * sizeof(Worker) +
           by_name_.capacity() * (sizeof(std::string_view) + 9) + name_bytes_ + progress_bytes_;
  }

 private:
  static constexpr std::size_t kKeptWhenNone = 1024;
  static constexpr std::size_t kInnerBytes = 15;
  // Of an entry, half of which may be empty.
  static constexpr std::size_t kProgressBytes = 2 * (sizeof(Progress) + 16);
  static constexpr std::uint32_t kSlabLeases = 16;  // 1 KiB: small, for ten thousand tables with one lease each

  struct Worker {
    std::string name;
    std::uint32_t uses{0};
    std::uint32_t next_free{0};
  };

  void fill(std::uint32_t number, Terms const& terms) {
    Lease& lease = at(number);
    lease.ends = terms.ends;
    lease.connection = terms.connection;
    lease.start = terms.start;
    lease.worker = use_worker(terms.worker);
    if (!lease.is_kept) ends_.emplace(lease.ends, number);
    lease.next = lease.prev = kNoLease;
    if (lease.connection == 0) return;
    auto const [head, added] = by_connection_.try_emplace(lease.connection, number);
    if (added) return;
    lease.next = head->second;
    at(lease.next).prev = number;
    head->second = number;
  }

  void empty(std::uint32_t number) {
    Lease& lease = at(number);
    ends_.erase({lease.ends, number});
    leave_worker(lease.worker);
    leave_connection(number);
  }
  void forget_progress(std::uint32_t number) {
    auto const found = progress_.find(number);
    if (found == progress_.end()) return;
    progress_bytes_ -= kProgressBytes + heap_bytes(found->second.note);
    progress_.erase(found);
    if (progress_.empty()) progress_ = {};
  }
  void leave_connection(std::uint32_t number) {
    Lease& lease = at(number);
    if (lease.connection == 0) return;
    if (lease.next != kNoLease) at(lease.next).prev = lease.prev;
    if (lease.prev != kNoLease) {
      at(lease.prev).next = lease.next;
    } else if (lease.next == kNoLease) {
      by_connection_.erase(lease.connection);
    } else {
      by_connection_[lease.connection] = lease.next;
    }
  }

  // The heap memory of a text.
  [[nodiscard]] static std::size_t heap_bytes(std::string const& text) {
    return text.capacity() > kInnerBytes ? text.capacity() + 1 + sizeof(void*) : 0;
  }

  // A worker leases many rows, but its name is stored once.
  std::uint32_t use_worker(std::string_view name) {
    auto const found = by_name_.find(name);
    if (found != by_name_.end()) {
      ++workers_[found->second].uses;
      return found->second;
    }
    std::uint32_t number = free_worker_;
    if (number == kNoLease) {
      number = static_cast<std::uint32_t>(workers_.size());
      workers_.emplace_back();
    } else {
      free_worker_ = workers_[number].next_free;
    }
    name_bytes_ -= heap_bytes(workers_[number].name);
    workers_[number].name.assign(name);
    name_bytes_ += heap_bytes(workers_[number].name);
    workers_[number].uses = 1;
    by_name_.emplace(workers_[number].name, number);
    return number;
  }
  void leave_worker(std::uint32_t number) {
    if (--workers_[number].uses > 0) return;
    by_name_.erase(workers_[number].name);
    workers_[number].next_free = free_worker_;
    free_worker_ = number;
  }

  [[nodiscard]] Lease& at(std::uint32_t number) { return slabs_[number / kSlabLeases][number % kSlabLeases]; }

  std::vector<std::unique_ptr<Lease[]>> slabs_;
  std::uint32_t end_{0};
  std::uint32_t free_{kNoLease};
  std::uint32_t size_{0};
  absl::btree_set<std::pair<std::int64_t, std::uint32_t>> ends_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> by_connection_;
  std::deque<Worker> workers_;  // names must not move: by_name_ borrows them
  std::uint32_t free_worker_{kNoLease};
  std::uint64_t name_bytes_{0};
  absl::btree_map<std::uint32_t, Progress> progress_;  // by lease
  std::uint64_t progress_bytes_{0};
  absl::flat_hash_map<std::string_view, std::uint32_t, NameHash> by_name_;
};

}  // namespace fastjournal::rows
