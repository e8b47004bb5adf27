// A log without a disk, whose fate the test decides: slow, away, fenced, and back again. Like an engine on other
// computers it is not local: every sync is a job, and what is not durable may be lost.
//
// What can happen to it: a job ends when its owner lets it (World::hold_syncs); `stand` takes the log away or brings it
// back; lose() is the end of the process that used it, and only what is durable comes back by replay().
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/log_store.h"

namespace fastjournal::sim {

class SimLog final : public core::LogStore {
 public:
  explicit SimLog(std::string name, std::uint64_t store_id) : name_(std::move(name)), store_id_(store_id) {}

  // -- what the test does -----------------------------------------------------
  void stand(core::Standing standing, std::string why = {});
  // The process that used it is gone, and with it what was not durable. It serves again.
  void lose();
  struct Record {
    TableId table;
    std::uint8_t type;
    std::uint8_t version;
    Lsn lsn;
    ObjectId object;
    std::vector<std::byte> body;
    [[nodiscard]] RecordView view() const { return {table, type, version, lsn, object, body}; }
  };
  [[nodiscard]] std::deque<Record> const& records() const { return records_; }
  // A start that opens it: gives it the next number.
  void open() { ++start_; }

  // -- core::Log --------------------------------------------------------------
  [[nodiscard]] bool reserve(std::size_t, bool) override { return true; }
  [[nodiscard]] bool reserve_to_copy(std::size_t) override { return true; }
  void keep_for_copy(std::uint64_t) override {}
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) override;
  void end_group(Durability durability) override { promised_ = promised_ || durability == Durability::synced; }
  [[nodiscard]] Status commit() override;
  void want_sync() override { promised_ = true; }
  [[nodiscard]] Lsn end_lsn() const override { return Lsn{end_}; }
  [[nodiscard]] Lsn durable_lsn() const override { return Lsn{durable_}; }
  [[nodiscard]] Lsn needed_lsn() const override { return Lsn{needed_}; }
  [[nodiscard]] Lsn written_lsn() const override { return Lsn{written_}; }
  void set_base(Lsn base, Lsn) override { base_ = std::max(base_, base); }
  [[nodiscard]] Status reset() override { return {}; }
  [[nodiscard]] Lsn base_lsn() const override { return base_; }
  [[nodiscard]] bool is_local() const override { return false; }
  [[nodiscard]] std::uint32_t start() const override { return start_; }
  [[nodiscard]] std::uint64_t store_id() const override { return store_id_; }
  [[nodiscard]] core::LogUsage usage() const override;
  [[nodiscard]] Lsn damaged_end() const override { return {}; }

  // -- core::LogStore ---------------------------------------------------------
  [[nodiscard]] std::string const& name() const override { return name_; }
  [[nodiscard]] core::Standing standing() const override { return standing_; }
  [[nodiscard]] Status const& why() const override { return why_; }
  [[nodiscard]] bool end_turn(std::int64_t now_us) override;
  [[nodiscard]] std::int64_t next_us() const override { return INT64_MAX; }
  [[nodiscard]] bool is_full() const override { return false; }
  [[nodiscard]] std::unique_ptr<core::LogJob> take_job(core::Lane lane, std::int64_t now_us) override;
  void finish_job(core::Lane lane, std::unique_ptr<core::LogJob> job) override;
  void sync_soon() override { want_sync(); }
  [[nodiscard]] Status look() override { return why_; }
  [[nodiscard]] Result<core::LogSnapshot> pin() override;
  bool unpin() override { return true; }
  [[nodiscard]] Status seal() override {
    promised_ = true;
    return commit();
  }
  [[nodiscard]] std::vector<core::LogNews> take_news() override { return {}; }
  [[nodiscard]] core::LogDescription describe() const override;

 private:
  struct Sync;
  static constexpr Lsn kFirst{4096};

  std::string name_;
  std::uint64_t store_id_;
  std::uint32_t start_{0};
  core::Standing standing_{core::Standing::serving};
  Status why_;
  std::deque<Record> records_;
  bool promised_{false};
  bool out_{false};         // a sync
  std::uint64_t lives_{0};  // a job of an earlier one means nothing
  std::uint64_t end_{kFirst.value};
  std::uint64_t written_{kFirst.value};
  std::uint64_t needed_{kFirst.value};
  std::uint64_t durable_{kFirst.value};
  Lsn base_{kFirst};
};

}  // namespace fastjournal::sim
