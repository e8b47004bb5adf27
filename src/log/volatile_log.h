// The log of tables with persistent="no": it assigns LSNs and keeps nothing. To the engine it is a log like any other,
// so that such tables have no path of their own; everything counts as durable at once.
//
// LSNs must still never repeat: a worker with a row number from before a restart must not end another row. So each
// start uses numbers that the engine reserves for it in a log that is kept (Catalogue::append_numbers), some hundred
// million at a time. The number of the start, shifted by 40 bits, would allow for only 2,048 starts, as row ids have 48
// bits of LSN / 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "log/log_store.h"

namespace fastjournal::log {

class VolatileLog final : public LogStore {
 public:
  // Numbers from `first` on; `start` is that of a log that is kept.
  VolatileLog(std::uint32_t start, std::uint64_t store_id, Lsn first);

  // The end of the reserved numbers.
  void reserve_numbers(Lsn below) { numbers_below_ = below; }
  // Half of a reservation is used: time for the next, which is durable long before it is needed.
  [[nodiscard]] bool needs_numbers() const { return numbers_below_.value - next_ < kNumbersReserved / 2; }
  // Some hundred million records.
  static constexpr std::uint64_t kNumbersReserved = 1U << 30U;

  [[nodiscard]] bool reserve(std::size_t bytes, bool removing) override;
  [[nodiscard]] bool reserve_to_compact(std::size_t) override { return false; }
  void keep_for_compaction(std::uint64_t) override {}
  [[nodiscard]] bool hold(std::size_t, bool) override { return true; }
  void free(std::size_t) override {}
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) override;
  void end_group(Durability) override {}
  [[nodiscard]] Status commit() override { return {}; }
  [[nodiscard]] Lsn end_lsn() const override { return Lsn{next_}; }
  [[nodiscard]] Lsn durable_lsn() const override { return Lsn{next_}; }
  [[nodiscard]] Lsn needed_lsn() const override { return Lsn{next_}; }
  [[nodiscard]] Lsn written_lsn() const override { return Lsn{next_}; }
  [[nodiscard]] Lsn found_lsn() const override { return first_; }
  [[nodiscard]] Lsn sure_lsn() const override { return first_; }
  void set_base(Lsn, Lsn) override {}
  [[nodiscard]] bool skip_to(Lsn) override { return false; }
  // Every object of this start has a larger id.
  [[nodiscard]] Lsn base_lsn() const override { return first_; }
  [[nodiscard]] std::uint32_t start() const override { return start_; }
  [[nodiscard]] std::uint64_t store_id() const override { return store_id_; }
  [[nodiscard]] LogUsage usage() const override { return {}; }

  // -- LogStore: there is nothing to drive ------------------------------------
  [[nodiscard]] std::string const& name() const override { return name_; }
  [[nodiscard]] State state() const override { return State::serving; }
  [[nodiscard]] Status const& why() const override { return well_; }
  [[nodiscard]] bool end_turn(std::int64_t) override { return false; }
  [[nodiscard]] std::int64_t next_us() const override { return INT64_MAX; }
  [[nodiscard]] Result<LogSnapshot> pin() override {
    return Status{Code::not_supported, "what is in memory only cannot be copied"};
  }
  [[nodiscard]] Status shut_down() override { return {}; }
  [[nodiscard]] LogDescription describe() const override { return {.folder = {}, .durability = "in memory only"}; }

 private:
  std::string name_{"volatile"};
  Status well_;
  std::uint32_t start_;
  std::uint64_t store_id_;
  Lsn first_;
  Lsn numbers_below_;
  std::uint64_t next_;
  // Bodies of the step that is being decided.
  std::unique_ptr<std::byte[]> bodies_;
  std::size_t bodies_bytes_{0};
  std::size_t used_{0};
};

}  // namespace fastjournal::log
