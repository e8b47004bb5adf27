// A log in memory, for tests and benchmarks of a table alone; and the value of a table's digest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "fastjournal/record.h"

namespace fastjournal::test {

// Keeps all records in memory; LSNs grow as in a real log.
class MemoryLog final : public Records {
 public:
  struct Stored {
    std::uint8_t type;
    std::uint8_t version;
    ObjectId object;
    Lsn lsn;
    std::unique_ptr<std::byte[]> body;
    std::size_t size;
    [[nodiscard]] RecordView view() const { return {TableId{1}, type, version, lsn, object, {body.get(), size}}; }
  };

  Place append(std::uint8_t type, std::uint8_t version, ObjectId object, std::size_t body_bytes) override {
    Lsn const lsn{end_};
    end_ += (body_bytes + 24 + 7) / 8 * 8;
    step_bytes_ += body_bytes + 24;
    stored_.push_back({type, version, object.is_none() ? object_of(lsn) : object, lsn,
                       std::make_unique<std::byte[]>(body_bytes), body_bytes});
    return {lsn, {stored_.back().body.get(), body_bytes}};
  }

  void begin_step() {
    applied_ = stored_.size();
    step_bytes_ = 0;
  }
  [[nodiscard]] std::size_t step_bytes() const { return step_bytes_; }
  [[nodiscard]] std::size_t applied() const { return applied_; }
  [[nodiscard]] std::vector<Stored> const& stored() const { return stored_; }
  [[nodiscard]] Lsn end() const { return Lsn{end_}; }
  // Drops all records, for benchmarks.
  void forget() { stored_.clear(); }
  // Leaves a gap in the LSNs, as records of other tables would.
  void skip(std::uint64_t bytes) { end_ += bytes / 8 * 8; }
  // A power cut: only the first records are left.
  void cut(std::size_t records) {
    stored_.erase(stored_.begin() + static_cast<std::ptrdiff_t>(std::min(records, stored_.size())), stored_.end());
    applied_ = stored_.size();
  }
  // The base moves: records below it are dropped.
  void drop_below(Lsn base) {
    auto const keeps = [&](Stored const& record) { return record.lsn >= base; };
    std::vector<Stored> kept;
    for (Stored& record : stored_)
      if (keeps(record)) kept.push_back(std::move(record));
    stored_ = std::move(kept);
  }

 private:
  std::vector<Stored> stored_;
  std::uint64_t end_{4096};
  std::size_t step_bytes_{0};
  std::size_t applied_{0};
};

class DigestSum final : public DigestSink {
 public:
  void object(std::span<std::byte const> canonical) override {
    sum += hash64(as_text(canonical), 7);
    ++objects;
  }
  std::uint64_t sum{0};
  std::uint64_t objects{0};
};

}  // namespace fastjournal::test
