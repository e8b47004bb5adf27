#include "tests/hostile/scrapes.h"

#include <charconv>

#include <fmt/format.h>

#include "tests/hostile/honest.h"

namespace fastjournal::hostile {
namespace {

constexpr std::uint64_t kScrapes = 50;

double number_after(std::string const& text, std::string const& name) {
  std::size_t const at = text.find(";" + name + "=");
  double out = 0;
  if (at != std::string::npos) std::from_chars(text.data() + at + name.size() + 2, text.data() + text.size(), out);
  return out;
}

}  // namespace

ScrapeFigure measure_scrapes(Programs const& programs, std::uint64_t tables) {
  ScrapeFigure out{.tables = tables, .scrapes = kScrapes};
  Victim victim{programs, std::uint64_t{4} << 30U, {}};
  for (std::uint64_t table = 0; table < tables; ++table) victim.declare(fmt::format("t{}", table));
  static_cast<void>(victim.start());
  // Rows, so that no figure is zero everywhere.
  test::LineClient client{victim.tcp()};
  for (std::uint64_t table = 0; table < tables; ++table)
    if (!client.ask(fmt::format("INSERT table=t{};name=a", table)).starts_with("INSERTED "))
      out.wrong = "an insert failed";
  double const before = victim.loop_seconds();
  for (std::uint64_t scrape = 0; scrape < kScrapes; ++scrape) {
    test::LineClient monitor{victim.http()};
    std::optional<std::string> const answer =
        monitor.send("GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n") ? monitor.read_all() : std::nullopt;
    if (!answer || !answer->starts_with("HTTP/1.1 200 ")) {
      out.wrong = "a scrape was answered " + answer.value_or("(nothing)").substr(0, 60);
      break;
    }
    out.bytes = static_cast<double>(answer->size());
  }
  out.loop_ms = (victim.loop_seconds() - before) * 1000 / static_cast<double>(kScrapes);
  out.longest_turn_ms = number_after(ask(victim.local(), "STATS"), "turn_us_max") / 1000;
  return out;
}

std::string as_text(ScrapeFigure const& figure) {
  return fmt::format("{} tables, {} scrapes of {:.0f} KiB: {:.2f} ms of the loop each; the longest turn {:.1f} ms\n{}",
                     figure.tables, figure.scrapes, figure.bytes / 1024, figure.loop_ms, figure.longest_turn_ms,
                     figure.wrong.empty() ? "" : "WRONG: " + figure.wrong + "\n");
}

}  // namespace fastjournal::hostile
