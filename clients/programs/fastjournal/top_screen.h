// The display of `fastjournal top` as text: pure, so that it can be tested. The loop that asks, waits and reads keys is
// in top.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/programs/fastjournal/render.h"
#include "fastjournal/message.h"

namespace fastjournal::cli {

// The daemon's figures at one moment.
struct Snapshot {
  double seconds{0};            // of a clock that never goes back
  Message daemon;               // STATS of the daemon itself; empty when a single table was requested
  std::vector<Message> tables;  // STATS of each table
  std::vector<Message> alerts;  // each ALERT
};

// Adds the rates since `before` to the tables of `now`, as parameters NAME_per_s.
void add_rates(Snapshot const& before, Snapshot& now);

// One JSON object and a LF: date, daemon, tables, alerts.
[[nodiscard]] std::string snapshot_json(Snapshot const& now, std::int64_t date_ms);

// The same for people without a terminal: the date and the daemon, then a line for each table and each alert.
[[nodiscard]] std::string render_plain(Snapshot const& now, std::string_view date, Look const& look);

struct Window {
  std::size_t width{80};
  std::size_t height{24};
  std::size_t first{0};  // the table at the top of the list
  Look look{};           // of dates
};

// The daemon does not answer: the snapshot was taken at `since_ms`, `for_ms` ago.
struct Silence {
  std::int64_t since_ms{0};
  std::int64_t for_ms{0};
};

// `height` lines of at most `width` columns, each cleared to its end (ANSI), after moving the cursor home. Every
// terminal has these few sequences; ncurses would be one more package. The state of a table is the first column; less
// important figures are left out where the width is not enough.
[[nodiscard]] std::string render_screen(Snapshot const& now, std::string_view server, Window const& window,
                                        std::optional<Silence> const& silence = {});

}  // namespace fastjournal::cli
