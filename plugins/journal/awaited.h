// Rows whose end clients wait for (WAIT), and how such rows ended a moment ago, also in a table that keeps nothing of them.
// Volatile and bounded: it is of clients that wait, not of the log. A table without any asks one question for each end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include "fastjournal/table.h"
#include "plugins/rows/ended.h"
#include "plugins/rows/row_table.h"

namespace fastjournal::journal {

class Awaited {
 public:
  struct Outcome {
    std::string body{};  // an EndedBody
    ObjectId into{};     // it was merged into this row
  };

  explicit Awaited(rows::RowTable const& rows) : rows_(rows) {}
  Awaited(Awaited const&) = delete;
  Awaited& operator=(Awaited const&) = delete;

  [[nodiscard]] bool is_any() const { return !awaited_.empty(); }
  // The topic of those who wait for this row. No domain is called so by chance.
  [[nodiscard]] static std::string topic_of(ObjectId row);
  [[nodiscard]] static bool is_topic(std::string_view topic) { return topic.starts_with(kTopic); }
  // Whether those of this topic are to be answered.
  [[nodiscard]] bool has_ended(std::string_view topic) const;
  // Null: not that is known here.
  [[nodiscard]] Outcome const* outcome_of(ObjectId row) const;
  [[nodiscard]] std::uint64_t memory_bytes() const {
    return awaited_.size() * 64 + outcome_bytes_ + outcomes_.size() * 80;
  }

  void await(ObjectId row);
  // Of the worker that ends the row with this step.
  void say_result(ObjectId row, std::string_view result);

  // -- effects --------------------------------------------------------------
  void ends(std::uint32_t row, rows::RemoveBody const& body, TimeMs now, TableObserver& observer);
  void is_merged(std::uint32_t row, std::uint32_t into, TableObserver& observer);
  // It was given up, and stays.
  void is_parked(std::uint32_t row, TableObserver& observer);

 private:
  static constexpr std::string_view kTopic{"\0row ", 5};
  // As many commands as may wait at a table, twice: some of those whose clients went away are still here.
  static constexpr std::size_t kAwaitedMax = 200'000;
  static constexpr std::size_t kOutcomesMax = 4'096;
  static constexpr std::uint64_t kOutcomeBytesMax = 4U << 20U;

  void know(ObjectId row, Outcome outcome, TableObserver& observer);

  rows::RowTable const& rows_;
  absl::flat_hash_map<std::uint64_t, std::string> awaited_;  // and the results
  std::deque<std::uint64_t> order_;                          // in which they came
  absl::flat_hash_map<std::uint64_t, Outcome> outcomes_;
  std::deque<std::uint64_t> outcome_order_;
  std::uint64_t outcome_bytes_{0};
};

}  // namespace fastjournal::journal
