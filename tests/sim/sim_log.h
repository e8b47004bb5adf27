// A log without a disk, controlled by the test: slow, unavailable, fenced, and serving again. Like an engine on other
// computers it is not local: every sync is a job, and records that are not durable may be lost.
//
// Its controls: a job ends when its owner lets it (World::hold_syncs); set_state() is what its name says; lose() is the
// end of the process that used it, after which replay() returns only durable records.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "log/log_store.h"
#include "tests/support/kept_records.h"

namespace fastjournal::sim {

class SimLog final : public log::LogStore {
 public:
  explicit SimLog(std::string name, std::uint64_t store_id) : name_(std::move(name)), store_id_(store_id) {}

  // -- the test's controls -----------------------------------------------------
  void set_state(log::State state, std::string why = {});
  // The process that used it is gone, with all records that were not durable. The log serves again.
  void lose();
  [[nodiscard]] std::deque<test::KeptRecord> const& records() const { return kept_.all(); }
  // A start opens the log and gets the next number.
  void open() { ++start_; }

  // -- log::Log --------------------------------------------------------------
  [[nodiscard]] bool reserve(std::size_t, bool) override { return true; }
  [[nodiscard]] bool reserve_to_compact(std::size_t) override { return true; }
  void keep_for_compaction(std::uint64_t) override {}
  [[nodiscard]] bool hold(std::size_t, bool) override { return true; }
  void free(std::size_t) override {}
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) override {
    return kept_.append(table, type, version, object, body_bytes);
  }
  void end_group(Durability durability) override { promised_ = promised_ || durability == Durability::synced; }
  [[nodiscard]] Status commit() override;
  void want_sync() override { promised_ = true; }
  [[nodiscard]] Lsn end_lsn() const override { return Lsn{kept_.end()}; }
  [[nodiscard]] Lsn durable_lsn() const override { return Lsn{durable_}; }
  [[nodiscard]] Lsn needed_lsn() const override { return Lsn{needed_}; }
  [[nodiscard]] Lsn written_lsn() const override { return Lsn{written_}; }
  [[nodiscard]] Lsn found_lsn() const override { return Lsn{found_}; }
  [[nodiscard]] Lsn sure_lsn() const override { return Lsn{durable_}; }
  void set_base(Lsn base, Lsn) override { base_ = std::max(base_, base); }
  [[nodiscard]] bool skip_to(Lsn at) override;
  [[nodiscard]] Lsn base_lsn() const override { return base_; }
  [[nodiscard]] bool is_local() const override { return false; }
  [[nodiscard]] std::uint32_t start() const override { return start_; }
  [[nodiscard]] std::uint64_t store_id() const override { return store_id_; }
  [[nodiscard]] log::LogUsage usage() const override;

  // -- log::LogStore ---------------------------------------------------------
  [[nodiscard]] std::string const& name() const override { return name_; }
  [[nodiscard]] log::State state() const override { return state_; }
  [[nodiscard]] Status const& why() const override { return why_; }
  [[nodiscard]] bool end_turn(std::int64_t now_us) override;
  [[nodiscard]] std::int64_t next_us() const override { return INT64_MAX; }
  [[nodiscard]] std::unique_ptr<log::LogJob> take_job(log::Lane lane, std::int64_t now_us) override;
  void finish_job(log::Lane lane, std::unique_ptr<log::LogJob> job) override;
  void sync_soon() override { want_sync(); }
  [[nodiscard]] Status look() override { return why_; }
  [[nodiscard]] Result<log::LogSnapshot> pin() override;
  [[nodiscard]] Status shut_down() override {
    promised_ = true;
    return commit();
  }
  [[nodiscard]] log::LogDescription describe() const override;

 private:
  struct Sync;
  static constexpr Lsn kFirst = test::KeptRecords::kFirst;

  std::string name_;
  std::uint64_t store_id_;
  std::uint32_t start_{0};
  log::State state_{log::State::serving};
  Status why_;
  test::KeptRecords kept_;
  bool promised_{false};
  bool out_{false};         // a sync is under way
  std::uint64_t lives_{0};  // number of lose(); jobs from before have no effect
  std::uint64_t written_{kFirst.value};
  std::uint64_t needed_{kFirst.value};
  std::uint64_t durable_{kFirst.value};
  std::uint64_t found_{kFirst.value};
  Lsn base_{kFirst};
};

}  // namespace fastjournal::sim
