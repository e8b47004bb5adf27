// The log of tables that are not kept (persistent="no"): it gives their records
// places, and keeps nothing. Like any log to the engine, so that such a table is
// decided and applied like every other; everything counts as durable at once, because nothing ever is.
//
// Numbers must not come back all the same: whoever holds a row number of before a restart must not end another row with
// it. So each start has numbers that the engine reserved for it in a log that is kept (Catalogue::append_numbers). They
// are taken some hundred million at a time: the number of the start, shifted by 40 bits, would leave 2,048 starts, as
// row ids have 48 bits of LSN / 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/log.h"

namespace fastjournal::core {

class VolatileLog final : public Log {
 public:
  // Numbers from `first` on; `start` is that of a log that is kept.
  VolatileLog(std::uint32_t start, std::uint64_t store_id, Lsn first);

  // What may be given ends here.
  void reserve_numbers(Lsn below) { numbers_below_ = below; }
  // Half of what a reservation brings is left: time for the next, which is durable long before it is used.
  [[nodiscard]] bool needs_numbers() const { return numbers_below_.value - next_ < kNumbersReserved / 2; }
  // Some hundred million records.
  static constexpr std::uint64_t kNumbersReserved = 1U << 30U;

  [[nodiscard]] bool reserve(std::size_t bytes, bool removing) override;
  [[nodiscard]] bool reserve_to_copy(std::size_t) override { return false; }
  void keep_for_copy(std::uint64_t) override {}
  Records::Place append(TableId table, std::uint8_t type, std::uint8_t version, ObjectId object,
                        std::size_t body_bytes) override;
  void end_group(Durability) override {}
  [[nodiscard]] Status commit() override { return {}; }
  void want_sync() override {}
  [[nodiscard]] Lsn end_lsn() const override { return Lsn{next_}; }
  [[nodiscard]] Lsn durable_lsn() const override { return Lsn{next_}; }
  [[nodiscard]] Lsn written_lsn() const override { return Lsn{next_}; }
  void set_base(Lsn, Lsn) override {}
  [[nodiscard]] Status reset() override { return {}; }
  // Every object of this start is above.
  [[nodiscard]] Lsn base_lsn() const override { return first_; }
  [[nodiscard]] std::uint32_t start() const override { return start_; }
  [[nodiscard]] std::uint64_t store_id() const override { return store_id_; }
  [[nodiscard]] LogUsage usage() const override { return {}; }
  [[nodiscard]] Lsn damaged_end() const override { return kNoLsn; }

 private:
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

}  // namespace fastjournal::core
