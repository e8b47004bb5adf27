// A log that keeps its records in memory, for tests of the engine. They can be replayed into a second engine.
#pragma once

#include <deque>

#include "log/log.h"
#include "tests/support/kept_records.h"

namespace fastjournal::engine::test {

class MemoryLog final : public log::Log {
 public:
  [[nodiscard]] std::deque<fastjournal::test::KeptRecord> const& records() const { return kept_.all(); }

  bool reserve(std::size_t, bool removing) override { return room || (removing && room_to_remove); }
  bool reserve_to_compact(std::size_t) override { return room || room_to_remove; }
  void keep_for_compaction(std::uint64_t) override {}
  bool hold(std::size_t bytes, bool removing) override {
    if (!reserve(bytes, removing)) return false;
    held += bytes;
    return true;
  }
  void free(std::size_t bytes) override { held -= bytes; }
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t size) override {
    return kept_.append(table, type, version, object, size);
  }
  void end_group(Durability durability) override {
    ++groups;
    synced_promised = synced_promised || durability == Durability::synced;
  }
  Status commit() override {
    ++commits;
    written_ = kept_.end();
    if (synced_promised) durable_ = kept_.end();
    synced_promised = false;
    return {};
  }
  void want_sync() override { synced_promised = true; }
  Lsn end_lsn() const override { return Lsn{kept_.end()}; }
  Lsn durable_lsn() const override { return Lsn{durable_}; }
  Lsn needed_lsn() const override { return Lsn{durable_}; }
  Lsn written_lsn() const override { return Lsn{written_}; }
  Lsn found_lsn() const override { return found; }
  Lsn sure_lsn() const override { return Lsn{durable_}; }
  void set_base(Lsn lsn, Lsn) override { base_ = lsn; }
  Lsn base_lsn() const override { return base_; }
  Status reset() override {
    ++fresh_begins;
    return {};
  }
  bool skip_to(Lsn at) override {
    if (durable_ != kept_.end()) return false;
    kept_.skip_to(at);
    written_ = durable_ = kept_.end();
    return true;
  }
  std::uint32_t start() const override { return start_number; }
  std::uint64_t store_id() const override { return store; }
  Lsn damaged_end() const override { return damaged; }
  log::LogUsage usage() const override {
    std::uint64_t const first = base_.value / segment_bytes;
    auto const used = static_cast<std::uint32_t>(kept_.end() / segment_bytes - first + 1);
    log::LogUsage usage;
    usage.disk_bytes = segment_bytes * (used + kSpares);
    usage.logical_bytes = kept_.end() - base_.value;
    usage.segments = used + kSpares;
    usage.segments_free = usage.segments_free_most = kSpares;
    usage.left_bytes = segment_bytes;
    usage.room_bytes = UINT64_MAX;
    usage.oldest_segment_end = Lsn{(first + 1) * segment_bytes};
    return usage;
  }

  // The power is cut: what was not synced is gone, and a start opens what is left.
  void lose() {
    kept_.lose_from(Lsn{durable_});
    found = Lsn{durable_};
    written_ = durable_ = kept_.end();
    synced_promised = false;
    held = 0;
    ++start_number;
  }

  Lsn damaged{};
  bool room{true};
  bool room_to_remove{true};
  bool synced_promised{false};
  Lsn found{fastjournal::test::KeptRecords::kFirst};
  std::uint64_t store{4711};
  std::uint64_t held{0};
  std::uint64_t groups{0};
  std::uint64_t commits{0};
  std::uint64_t fresh_begins{0};
  std::uint32_t start_number{1};
  std::uint64_t segment_bytes{1U << 20U};

 private:
  static constexpr std::uint32_t kSpares = 3;
  fastjournal::test::KeptRecords kept_;
  std::uint64_t durable_{fastjournal::test::KeptRecords::kFirst.value};
  std::uint64_t written_{fastjournal::test::KeptRecords::kFirst.value};
  Lsn base_{fastjournal::test::KeptRecords::kFirst};
};

}  // namespace fastjournal::engine::test
