#include "clients/programs/fastjournal/top_screen.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "clients/programs/fastjournal/dates.h"
#include "clients/programs/fastjournal/figures.h"
#include "clients/programs/fastjournal/render.h"
#include "clients/programs/fastjournal/utf8.h"

namespace fastjournal::cli {
namespace {

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

// At most six characters: 950, 12.3Ki, 4.5Gi.
std::string bytes(double value) {
  constexpr std::array<std::string_view, 5> kUnits{"", "Ki", "Mi", "Gi", "Ti"};
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.{}f}{}", value, unit > 0 && value < 99.95 ? 1 : 0, kUnits[unit]);
}

std::string state_of(Message const& table) {
  if (number(table, "paused") != 0) return "PAUSED";
  if (number(table, "draining") != 0) return "DRAINS";
  return number(table, "failing") != 0 ? "FAILS" : "open";
}

std::string text_of(Message const& table, Figure const& figure) {
  // Of the last minute, in which there was none.
  if (figure.show == Figure::Show::span && !table.has(figure.name)) return "-";
  double value = figure.sum.empty() ? real(table, figure.name) : 0;
  for (std::string const& part : figure.sum) value += real(table, part);
  if (figure.show == Figure::Show::bytes) return bytes(value);
  return figure.show == Figure::Show::span ? span(static_cast<std::int64_t>(value)) : shortly(value);
}

constexpr std::size_t kStateWidth = 6;
constexpr std::size_t kNameWidthMin = 16;
constexpr std::size_t kNameWidthMax = 48;

// The figures that fit, and the width for the names of tables.
struct Layout {
  std::vector<Figure> const& figures;
  std::vector<bool> shown{};  // by figure
  std::size_t name_width{kNameWidthMin};
};

Layout layout_of(std::vector<Figure> const& all, Snapshot const& now, std::size_t width) {
  Layout out{.figures = all, .shown = std::vector<bool>(all.size())};
  std::size_t used = kStateWidth + 1 + kNameWidthMin;
  for (std::size_t worth = 0; worth < all.size(); ++worth) {
    auto const figure = std::ranges::find(all, worth, &Figure::worth);
    if (figure == all.end() || used + 1 + figure->width > width) break;
    used += 1 + figure->width;
    out.shown[static_cast<std::size_t>(figure - all.begin())] = true;
  }
  std::size_t longest = kNameWidthMin;
  for (Message const& table : now.tables) longest = std::max(longest, display_width(printable(table.text("table"))));
  if (width > used) out.name_width = std::min({kNameWidthMin + width - used, longest, kNameWidthMax});
  return out;
}

std::string padded(std::string text, std::size_t width) {
  if (display_width(text) > width) text = std::string(cut_to_width(text, width - 1)) + "~";
  return text + std::string(width - display_width(text), ' ');
}

std::string head_line(Layout const& layout) {
  std::string out = fmt::format("{:<{}} {:<{}}", "STATE", kStateWidth, "TABLE", layout.name_width);
  for (std::size_t i = 0; i < layout.shown.size(); ++i)
    if (Figure const& figure = layout.figures[i]; layout.shown[i])
      out += fmt::format(" {:>{}}", figure.head, figure.width);
  return out;
}

std::string table_line(Message const& table, Layout const& layout) {
  std::string out =
      fmt::format("{:<{}} {}", state_of(table), kStateWidth, padded(printable(table.text("table")), layout.name_width));
  for (std::size_t i = 0; i < layout.shown.size(); ++i)
    if (Figure const& figure = layout.figures[i]; layout.shown[i])
      out += fmt::format(" {:>{}}", text_of(table, figure), figure.width);
  return out;
}

// What a table of this kind has, its STATS tell.
std::vector<Figure> const& figures_of(Message const& table) {
  if (table.has("value_bytes")) return figures().pairs;
  if (table.has("exchanges")) return figures().queues;
  if (table.has("documents_open")) return figures().documents;
  return table.has("blob_bytes") ? figures().blobs : figures().table;
}

struct Line {
  std::string text;
  bool is_head{false};
};

// Tables with rows from the one `first` on, and then those of other kinds, which have other figures.
std::vector<Line> table_lines(Snapshot const& now, std::size_t width, std::size_t first) {
  std::vector<Line> out;
  std::size_t passed = 0;
  for (std::vector<Figure> const* const kind :
       {&figures().table, &figures().pairs, &figures().blobs, &figures().queues, &figures().documents}) {
    Layout const layout = layout_of(*kind, now, width);
    bool has_head = false;
    for (Message const& table : now.tables) {
      if (&figures_of(table) != kind || passed++ < first) continue;
      if (!has_head && !out.empty()) out.push_back({""});
      if (!std::exchange(has_head, true)) out.push_back({head_line(layout), true});
      out.push_back({table_line(table, layout)});
    }
  }
  if (out.empty()) out.push_back({head_line(layout_of(figures().table, now, width)), true});
  return out;
}

// Complete figures only, as many as fit.
std::string daemon_line(Message const& daemon, std::size_t width) {
  if (daemon.params().empty()) return {};
  std::array<std::string, 5> const parts{
      fmt::format("connections {}", number(daemon, "connections")),
      fmt::format("messages {}", shortly(number(daemon, "messages"))),
      fmt::format("log {:.1f} MiB", static_cast<double>(number(daemon, "log_disk_bytes")) / (1U << 20U)),
      fmt::format("commits {}, p99 {:.1f} ms", shortly(number(daemon, "commits")),
                  static_cast<double>(number(daemon, "sync_us_p99")) / 1000),
      fmt::format("notices late p99 {:.1f} ms", static_cast<double>(number(daemon, "lateness_us_p99")) / 1000)};
  std::string out;
  for (std::string const& part : parts) {
    if (out.size() + 2 + part.size() > width) break;
    out.append(out.empty() ? "" : "  ").append(part);
  }
  return out;
}

std::string alert_line(Message const& alert, Look const& look) {
  std::string_view const table = alert.text("table");
  return printable(fmt::format("! {}{}{}: {} (priority {}, {} times, last {})", table, table.empty() ? "" : " ",
                               alert.text("name"), alert.text("message"), number(alert, "priority"),
                               number(alert, "count"), date_text(number(alert, "last"), look)));
}

std::string silence_line(Silence const& silence, std::string_view server, Look const& look) {
  std::string since = date_text(silence.since_ms, look);
  constexpr std::size_t kToSecond = std::string_view{"2026-11-22T06:33:12"}.size();
  since.erase(kToSecond, std::string_view{".250"}.size());
  return fmt::format("no answer since {} ({} s)   {}   q ends", since, silence.for_ms / 1000, server);
}

class Screen {
 public:
  explicit Screen(Window const& window) : window_(window) {}

  // External text must not control the terminal. `style`: "1" is bold.
  void line(std::string_view text, std::string_view style = {}) {
    if (used_ == window_.height) return;
    out_ += used_++ == 0 ? "\x1b[H" : "\r\n";
    if (!style.empty()) out_.append("\x1b[").append(style).append("m");
    out_ += cut_to_width(printable(text), window_.width);
    out_ += style.empty() ? "\x1b[K" : "\x1b[0m\x1b[K";
  }
  [[nodiscard]] std::size_t left() const { return window_.height - used_; }
  std::string finish() { return std::move(out_) + "\x1b[J"; }

 private:
  Window const& window_;
  std::size_t used_{0};
  std::string out_;
};

// The figures whole, and of the address and the keys what there is room for.
std::string title_line(std::string_view server, std::string const& figures, std::size_t width) {
  constexpr std::string_view kProgram = "fastjournal ";
  constexpr std::size_t kServerMin = 8;
  std::string address = printable(server);
  std::size_t const room =
      std::max(width, kProgram.size() + figures.size() + kServerMin) - kProgram.size() - figures.size();
  if (display_width(address) > room) address = std::string(cut_to_width(address, room - 1)) + "~";
  std::string out = std::string{kProgram} + address + figures;
  for (std::string_view const keys : {"   q ends, arrows scroll", "   q ends"})
    if (display_width(out) + keys.size() <= width) return out.append(keys);
  return out;
}

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
    for (Rate const& rate : figures().rates) {
      if (!table.has(rate.counter)) continue;
      // After a restart of the daemon the counter begins at 0 again.
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

std::string render_plain(Snapshot const& now, std::string_view date, Look const& look) {
  std::string out{date};
  if (std::string const daemon = daemon_line(now.daemon, look.width); !daemon.empty()) out += "  " + daemon;
  out += '\n';
  for (Line const& line : table_lines(now, look.width, 0)) out += line.text + '\n';
  for (Message const& alert : now.alerts) out += alert_line(alert, look) + '\n';
  return out;
}

std::string render_screen(Snapshot const& now, std::string_view server, Window const& window,
                          std::optional<Silence> const& silence) {
  constexpr std::string_view kBold = "1";
  constexpr std::string_view kReverse = "7";
  constexpr std::string_view kDim = "2";
  Screen screen{window};
  if (silence) {
    screen.line(silence_line(*silence, server, window.look), kReverse);
    screen.line("what stands below is from then");
  } else {
    screen.line(
        title_line(server, fmt::format("   tables {}   alerts {}", now.tables.size(), now.alerts.size()), window.width),
        kBold);
    screen.line(daemon_line(now.daemon, window.width));
  }
  std::string_view const style = silence ? kDim : std::string_view{};
  if (std::string_view const nodes = now.daemon.text("nodes"); !nodes.empty())
    screen.line("shared: " + printable(nodes), style);
  std::size_t const alert_lines = std::min({now.alerts.size(), kAlertLinesMax, screen.left() / 3});
  for (std::size_t i = 0; i < alert_lines; ++i) {
    screen.line(alert_line(now.alerts[i], window.look), style);
  }
  screen.line("");
  for (Line const& line : table_lines(now, window.width, std::min(window.first, now.tables.size())))
    if (screen.left() > 0) screen.line(line.text, line.is_head && !silence ? kBold : style);
  return screen.finish();
}

}  // namespace fastjournal::cli
