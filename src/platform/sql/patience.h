// How long an export waits for a database: until a date, or until the daemon stops. Every wait of the two databases goes
// through here, so that a stop never hangs on one.
#pragma once

#include <cstdint>
#include <string>

#include "base/stop.h"
#include "fastjournal/status.h"

namespace fastjournal::sql {

// Of one export.
class Patience {
 public:
  Patience(Stop const& stop, std::int64_t limit_ms);

  // Until the socket is ready for `events` (of poll). Not ok: it was in vain; `what`: for people.
  [[nodiscard]] Status wait(int socket, short events, std::string_view what) const;
  // True: it is over before, and there is nothing to wait for any more.
  [[nodiscard]] bool pause(std::int64_t ms) const;
  [[nodiscard]] bool is_over() const;

 private:
  [[nodiscard]] std::int64_t left_ms() const;

  Stop const& stop_;
  std::int64_t limit_ms_;
  std::int64_t until_ms_;
};

}  // namespace fastjournal::sql
