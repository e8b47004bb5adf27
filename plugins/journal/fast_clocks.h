// Producers whose clocks are fast by more than max-clock-skew: their inserts are refused, and a forwarder sends such a row
// again without its date. Each of them raises the alert `producer-clock` once. Derived: not logged. A refusal has no record,
// so the alert is raised with the table's next one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fastjournal/table.h"
#include "model/shortened.h"

namespace fastjournal::journal {

class FastClocks {
 public:
  void saw(Command const& command, std::int64_t ahead_ms) {
    ++refused_;
    if (origins_.size() == kOriginsMax || std::ranges::find(origins_, command.origin) != origins_.end()) return;
    origins_.emplace_back(command.origin);
    ahead_ms_ = ahead_ms;
    client_ = model::shortened(command.message->text("client"), kClientShown);
    has_news_ = true;
  }

  [[nodiscard]] bool has_news() const { return has_news_; }
  void tell(std::string const& table, TableObserver& observer);
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  // Any client can have an alert raised: only so many may, until the next start.
  static constexpr std::size_t kOriginsMax = 64;
  static constexpr std::size_t kClientShown = 128;

  std::uint64_t refused_{0};
  std::vector<std::string> origins_;
  std::string client_;  // of the last one
  std::int64_t ahead_ms_{0};
  bool has_news_{false};
};

}  // namespace fastjournal::journal
