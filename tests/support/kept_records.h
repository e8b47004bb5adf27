// Records that a test's log keeps in memory, each with an LSN as a log in files would give it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "fastjournal/record.h"

namespace fastjournal::test {

struct KeptRecord {
  TableId table;
  std::uint8_t type;
  std::uint8_t version;
  Lsn lsn;
  ObjectId object;
  std::vector<std::byte> body;
  [[nodiscard]] RecordView view() const { return {table, type, version, lsn, object, body}; }
};

class KeptRecords {
 public:
  static constexpr Lsn kFirst{4096};

  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) {
    constexpr std::size_t kHeaderBytes = 16;
    Lsn const lsn{end_};
    end_ += (kHeaderBytes + body_bytes + kLsnAlign - 1) / kLsnAlign * kLsnAlign;
    all_.push_back(
        {table, type, version, lsn, object.is_none() ? object_of(lsn) : object, std::vector<std::byte>(body_bytes)});
    return {lsn, all_.back().body};
  }
  // Drops the records from this LSN on. Their LSNs are not given again.
  void lose_from(Lsn at) {
    while (!all_.empty() && all_.back().lsn >= at) all_.pop_back();
    end_ += kLsnAlign;
  }
  // The next record has this LSN, or a higher one.
  void skip_to(Lsn at) { end_ = std::max(end_, (at.value + kLsnAlign - 1) / kLsnAlign * kLsnAlign); }
  [[nodiscard]] std::deque<KeptRecord> const& all() const { return all_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  std::deque<KeptRecord> all_;
  std::uint64_t end_{kFirst.value};
};

}  // namespace fastjournal::test
