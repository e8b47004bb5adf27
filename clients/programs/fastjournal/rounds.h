// The rounds of WATCH as snapshots: what a round leaves out, as it did not change, is taken from the one before. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clients/programs/fastjournal/top_screen.h"
#include "fastjournal/message.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

class Rounds {
 public:
  // True: a round is whole, and now() shows it. Not ok: there will be no more.
  [[nodiscard]] Result<bool> take(Message push);
  // Alerts are asked for apart.
  [[nodiscard]] Snapshot& now() { return now_; }
  // The daemon's date of the round.
  [[nodiscard]] std::int64_t date() const { return date_; }
  // Alerts that are up.
  [[nodiscard]] std::int64_t alerts() const { return alerts_; }

 private:
  void finish(Message const& figures);

  Snapshot now_;
  std::int64_t date_{0};
  std::int64_t alerts_{0};
  // Of the round that comes.
  std::optional<Message> daemon_;
  std::vector<Message> tables_;
};

}  // namespace fastjournal::cli
