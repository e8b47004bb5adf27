// Alerts on their way into a log: raised and lowered since the last group was closed. Apart from the book of a log, as
// these belong to tables of all logs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "log/alert_book.h"

namespace fastjournal::engine {

struct HostedTable;

// Alerts raised and lowered since the last group was closed: one entry for each table and name.
class PendingAlerts {
 public:
  struct Change {
    HostedTable const* table{nullptr};  // null: the daemon itself
    log::Alert alert;                   // if `raised`
    std::uint64_t raised{0};
    bool lowered{false};  // before that
  };
  static constexpr std::size_t kMax = 64;

  // Texts beyond the limits above are cut.
  void raise(HostedTable const* table, std::string_view name, std::uint8_t priority, std::string_view message,
             std::string_view tags);
  void lower(HostedTable const* table, std::string_view name);

  [[nodiscard]] bool has(HostedTable const* table, std::string_view name) const;
  [[nodiscard]] bool empty() const { return changes_.empty(); }
  [[nodiscard]] std::vector<Change>& changes() { return changes_; }
  [[nodiscard]] std::vector<Change> const& changes() const { return changes_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  Change* entry(HostedTable const* table, std::string_view name);

  std::vector<Change> changes_;
  std::uint64_t dropped_{0};
};

}  // namespace fastjournal::engine
