// A log that keeps its records in memory, for tests of the engine: what it
// was given can be replayed into a second engine.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/log.h"

namespace fastjournal::core::test {

class MemoryLog final : public Log {
 public:
  struct Record {
    TableId table;
    std::uint8_t type;
    std::uint8_t version;
    Lsn lsn;
    ObjectId object;
    std::vector<std::byte> body;
    [[nodiscard]] RecordView view() const { return {table, type, version, lsn, object, body}; }
  };

  bool reserve(std::size_t, bool removing) override { return room || (removing && room_to_remove); }
  bool reserve_to_copy(std::size_t) override { return room || room_to_remove; }
  void keep_for_copy(std::uint64_t) override {}
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t size) override {
    Lsn const lsn{end_};
    end_ += (16 + size + kLsnAlign - 1) / kLsnAlign * kLsnAlign;
    records.push_back(
        {table, type, version, lsn, object.is_none() ? object_of(lsn) : object, std::vector<std::byte>(size)});
    return {lsn, records.back().body};
  }
  void end_group(Durability durability) override {
    ++groups;
    synced_promised = synced_promised || durability == Durability::synced;
  }
  Status commit() override {
    ++commits;
    written_ = end_;
    if (synced_promised) durable_ = end_;
    synced_promised = false;
    return {};
  }
  void want_sync() override { synced_promised = true; }
  Lsn end_lsn() const override { return Lsn{end_}; }
  Lsn durable_lsn() const override { return Lsn{durable_}; }
  Lsn needed_lsn() const override { return Lsn{durable_}; }
  Lsn written_lsn() const override { return Lsn{written_}; }
  void set_base(Lsn lsn, Lsn) override { base_ = lsn; }
  Lsn base_lsn() const override { return base_; }
  Status reset() override {
    ++fresh_begins;
    return {};
  }
  std::uint32_t start() const override { return start_number; }
  std::uint64_t store_id() const override { return 4711; }
  Lsn damaged_end() const override { return damaged; }
  LogUsage usage() const override {
    std::uint64_t const first = base_.value / container_bytes;
    auto const used = static_cast<std::uint32_t>(end_ / container_bytes - first + 1);
    LogUsage usage;
    usage.disk_bytes = container_bytes * (used + kSpares);
    usage.logical_bytes = end_ - base_.value;
    usage.containers = used + kSpares;
    usage.containers_free = usage.containers_free_most = kSpares;
    usage.left_bytes = container_bytes;
    usage.room_bytes = UINT64_MAX;
    usage.oldest_container_end = Lsn{(first + 1) * container_bytes};
    return usage;
  }

  std::deque<Record> records;
  Lsn damaged{};
  bool room{true};
  bool room_to_remove{true};
  bool synced_promised{false};
  std::uint64_t groups{0};
  std::uint64_t commits{0};
  std::uint64_t fresh_begins{0};
  std::uint32_t start_number{1};
  std::uint64_t container_bytes{1U << 20U};

 private:
  static constexpr std::uint32_t kSpares = 3;
  std::uint64_t end_{4096};
  std::uint64_t durable_{4096};
  std::uint64_t written_{4096};
  Lsn base_{4096};
};

}  // namespace fastjournal::core::test
