// What `fastjournal top` shows, as text: pure, so that it can be tested. The
// loop that asks, waits and reads keys is in top.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/message.h"

namespace fastjournal::cli {

// The daemon's figures at one moment.
struct Snapshot {
  double seconds{0};            // of a clock that only counts
  Message daemon;               // STATS of the daemon itself; empty when one table was asked for
  std::vector<Message> tables;  // STATS of each
  std::vector<Message> alerts;  // ALERT of each
};

// Adds what happened per second since `before` to the tables of `now`, as parameters NAME_per_s.
void add_rates(Snapshot const& before, Snapshot& now);

// One JSON object and a LF: date, daemon, tables, alerts.
[[nodiscard]] std::string snapshot_json(Snapshot const& now, std::int64_t date_ms);

struct Window {
  std::size_t width{80};
  std::size_t height{24};
  std::size_t first{0};  // the table at the top of the list
};

// The daemon does not answer: the snapshot is of `since_ms`, `for_ms` ago.
struct Silence {
  std::int64_t since_ms{0};
  std::int64_t for_ms{0};
};

// `height` lines of at most `width` columns, each cleared to its end (ANSI), the cursor put home first. These few
// sequences every terminal has; ncurses would be one more package. The state of a table stands first; where not all
// figures fit, the lesser ones are left out.
[[nodiscard]] std::string render_screen(Snapshot const& now, std::string_view server, Window const& window,
                                        std::optional<Silence> const& silence = {});

}  // namespace fastjournal::cli
