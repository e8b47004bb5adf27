#include "clients/cli/top_screen.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "clients/cli/render.h"
#include "model/date.h"

namespace fastjournal::cli {
namespace {

struct Rate {
  std::string_view counter;
  std::string_view name;
};
constexpr std::array<Rate, 7> kRates{{{"inserted", "inserted_per_s"},
                                      {"merged", "merged_per_s"},
                                      {"leased", "leased_per_s"},
                                      {"done", "done_per_s"},
                                      {"released", "released_per_s"},
                                      {"timed_out", "timed_out_per_s"},
                                      {"failed", "failed_per_s"}}};
constexpr std::size_t kAlertLinesMax = 5;

std::int64_t number(Message const& message, std::string_view name) { return message.integer(name).value_or(0); }

double real(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  return value == nullptr ? 0 : value->as_real().value_or(0);
}

// At most five characters: 950, 12.3k, 4.5M.
std::string shortly(double value) {
  constexpr std::array<char, 4> kUnits{'k', 'M', 'G', 'T'};
  if (value < 9.95 && value > 0 && value != static_cast<double>(static_cast<std::int64_t>(value)))
    return fmt::format("{:.1f}", value);
  if (value < 9999.5) return fmt::format("{:.0f}", value);
  std::size_t unit = 0;
  double scaled = value / 1000;
  while (scaled >= 999.5 && unit + 1 < kUnits.size()) {
    scaled /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", scaled, scaled < 99.95 ? 1 : 0, kUnits[unit]);
}
std::string shortly(std::int64_t value) { return shortly(static_cast<double>(value)); }

// At most six characters: 250ms, 12.3s, 45min, 8.1h, 12d.
std::string span(std::int64_t ms) {
  auto const seconds = static_cast<double>(ms) / 1000;
  if (ms < 1000) return fmt::format("{}ms", ms);
  if (seconds < 99.95) return fmt::format("{:.1f}s", seconds);
  if (seconds < 5999) return fmt::format("{:.0f}min", seconds / 60);
  if (seconds < 172'800) return fmt::format("{:.1f}h", seconds / 3600);
  return fmt::format("{:.0f}d", seconds / 86'400);
}

std::string state_of(Message const& table) {
  if (number(table, "paused") != 0) return "PAUSED";
  return number(table, "draining") != 0 ? "DRAINING" : "";
}

constexpr std::string_view kHead =
    "TABLE               ROWS    DUE   WAIT BEHIND   WORK PARKED   IN/s LEASE/s DONE/s FAIL/s   LATE99   WORK99 LISTEN "
    "STATE";

std::string table_line(Message const& table) {
  std::string name{table.text("table")};
  if (name.size() > 16) name = name.substr(0, 15) + "~";
  return fmt::format("{:<16} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>6} {:>6} {:>8} {:>8} {:>6} {}", name,
                     shortly(number(table, "rows")), shortly(number(table, "rows_due")),
                     shortly(number(table, "rows_future")), shortly(number(table, "rows_behind")),
                     shortly(number(table, "rows_processing")), shortly(number(table, "rows_parked")),
                     shortly(real(table, "inserted_per_s") + real(table, "merged_per_s")),
                     shortly(real(table, "leased_per_s")), shortly(real(table, "done_per_s")),
                     shortly(real(table, "failed_per_s")), span(number(table, "lateness_ms_p99")),
                     span(number(table, "processing_ms_p99")), shortly(number(table, "listeners")), state_of(table));
}

std::string daemon_line(Message const& daemon) {
  if (daemon.params().empty()) return {};
  return fmt::format(
      "connections {}  messages {}  commits {}, p99 {:.1f} ms  log {:.1f} MiB  notices late p99 {:.1f} ms",
      number(daemon, "connections"), shortly(number(daemon, "messages")), shortly(number(daemon, "commits")),
      static_cast<double>(number(daemon, "sync_us_p99")) / 1000,
      static_cast<double>(number(daemon, "log_disk_bytes")) / (1U << 20U),
      static_cast<double>(number(daemon, "lateness_us_p99")) / 1000);
}

// Cut to the width; nothing that came from outside may steer the terminal.
std::string fitting(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t characters = 0;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80 && ++characters > width) break;
    out += byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  return out;
}

class Screen {
 public:
  explicit Screen(Window const& window) : window_(window) {}

  void line(std::string_view text, bool bold = false) {
    if (used_ == window_.height) return;
    out_ += used_++ == 0 ? "\x1b[H" : "\r\n";
    if (bold) out_ += "\x1b[1m";
    out_ += fitting(text, window_.width);
    out_ += bold ? "\x1b[0m\x1b[K" : "\x1b[K";
  }
  [[nodiscard]] std::size_t left() const { return window_.height - used_; }
  std::string finish() { return std::move(out_) + "\x1b[J"; }

 private:
  Window const& window_;
  std::size_t used_{0};
  std::string out_;
};

std::string array_of(std::vector<Message> const& messages) {
  std::string out;
  for (Message const& message : messages) {
    std::string one = render_json(message);
    one.pop_back();
    out.append(out.empty() ? "" : ",").append(one);
  }
  return "[" + out + "]";
}

}  // namespace

void add_rates(Snapshot const& before, Snapshot& now) {
  double const passed = now.seconds - before.seconds;
  if (passed <= 0) return;
  for (Message& table : now.tables) {
    auto const old = std::find_if(before.tables.begin(), before.tables.end(),
                                  [&](Message const& one) { return one.text("table") == table.text("table"); });
    if (old == before.tables.end()) continue;
    for (Rate const& rate : kRates) {
      // After a restart of the daemon it counts from 0 again.
      std::int64_t const more = number(table, rate.counter) - number(*old, rate.counter);
      table.set(rate.name, Value::of_real(static_cast<double>(more < 0 ? number(table, rate.counter) : more) / passed));
    }
  }
}

std::string snapshot_json(Snapshot const& now, std::int64_t date_ms) {
  std::string out = fmt::format("{{\"date\":{}", date_ms);
  if (!now.daemon.params().empty()) {
    std::string daemon = render_json(now.daemon);
    daemon.pop_back();
    out += ",\"daemon\":" + daemon;
  }
  return out + ",\"tables\":" + array_of(now.tables) + ",\"alerts\":" + array_of(now.alerts) + "}\n";
}

std::string render_screen(Snapshot const& now, std::string_view server, Window const& window) {
  Screen screen{window};
  screen.line(fmt::format("fastjournal {}   tables {}   alerts {}   q ends, arrows scroll", server, now.tables.size(),
                          now.alerts.size()),
              true);
  screen.line(daemon_line(now.daemon));
  std::size_t const alert_lines = std::min({now.alerts.size(), kAlertLinesMax, screen.left() / 3});
  for (std::size_t i = 0; i < alert_lines; ++i) {
    Message const& alert = now.alerts[i];
    screen.line(fmt::format("! {} {} (priority {}, {} times, last {}): {}", alert.text("table"), alert.text("name"),
                            number(alert, "priority"), number(alert, "count"),
                            model::format_date(number(alert, "last")), alert.text("message")));
  }
  screen.line("");
  screen.line(kHead, true);
  std::size_t const first = std::min(window.first, now.tables.size());
  for (std::size_t i = first; i < now.tables.size() && screen.left() > 0; ++i) screen.line(table_line(now.tables[i]));
  return screen.finish();
}

}  // namespace fastjournal::cli
