// The log of tables with persistent="no", made when the first such table is, and the numbers that it gives: reserved in
// a log that is kept, long before they are used up.
#pragma once

#include <memory>

#include "engine/alerting.h"
#include "engine/tables.h"
#include "log/volatile_log.h"

namespace fastjournal::engine {

class VolatileTables {
 public:
  VolatileTables(Tables& tables, Alerting& alerting) : tables_(tables), alerting_(alerting) {}
  VolatileTables(VolatileTables const&) = delete;
  VolatileTables& operator=(VolatileTables const&) = delete;

  // Its log is there from here on, after all others, since records of no table are in the first log.
  [[nodiscard]] Status host(TimeMs now);
  // Without room in the log a later turn tries again.
  void end_turn(TimeMs now) {
    if (log_ != nullptr && log_->needs_numbers()) static_cast<void>(reserve_numbers(now));
  }

 private:
  [[nodiscard]] Status reserve_numbers(TimeMs now);

  Tables& tables_;
  Alerting& alerting_;
  std::unique_ptr<log::VolatileLog> log_;  // null: every table is persistent
};

}  // namespace fastjournal::engine
