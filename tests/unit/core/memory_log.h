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
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t size) override {
    Lsn const lsn{end_};
    end_ += (16 + size + kLsnAlign - 1) / kLsnAlign * kLsnAlign;
    records.push_back(
        {table, type, version, lsn, object.is_none() ? object_of(lsn) : object, std::vector<std::byte>(size)});
    return {lsn, records.back().body};
  }
  void end_group(Promise promise) override {
    ++groups;
    synced_promised = synced_promised || promise == Promise::synced;
  }
  Status commit() override {
    ++commits;
    written_ = end_;
    if (synced_promised) durable_ = end_;
    synced_promised = false;
    return {};
  }
  Lsn end_lsn() const override { return Lsn{end_}; }
  Lsn durable_lsn() const override { return Lsn{durable_}; }
  Lsn written_lsn() const override { return Lsn{written_}; }
  void set_base(Lsn lsn) override { base_ = lsn; }
  Lsn base_lsn() const override { return base_; }
  std::uint32_t start() const override { return start_number; }
  LogUsage usage() const override {
    return {container_bytes * containers, end_ - base_.value, containers, 0, Lsn{base_.value + container_bytes}};
  }

  std::deque<Record> records;
  bool room{true};
  bool room_to_remove{true};
  bool synced_promised{false};
  std::uint64_t groups{0};
  std::uint64_t commits{0};
  std::uint32_t start_number{1};
  std::uint64_t container_bytes{1U << 20U};
  std::uint32_t containers{2};

 private:
  std::uint64_t end_{4096};
  std::uint64_t durable_{4096};
  std::uint64_t written_{4096};
  Lsn base_{4096};
};

}  // namespace fastjournal::core::test
