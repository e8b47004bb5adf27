// What doors cost. TLS and HTTP: the same inserts into one daemon by each of its doors, in turn, so that all see the same disk
// and the same machine. Each is compared with text over TCP of the same round.
#include <fmt/format.h>

#include <algorithm>

#include "tests/bench/measure.h"
#include "tests/bench/works.h"

namespace fastjournal::bench {
namespace {

// The medians over the rounds of two figures beside those of another door.
std::string compare(Line const& line, Line const& plain, std::string_view plain_name) {
  std::vector<double> rates;
  std::vector<double> costs;
  std::size_t const rounds = std::min(line.samples.size(), plain.samples.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    Sample const& here = line.samples[round];
    Sample const& there = plain.samples[round];
    if (there.value > 0) rates.push_back(here.value / there.value);
    costs.push_back(here.processor_us - there.processor_us);
  }
  return fmt::format("{:.2f} of {}; {:.2f} us of the daemon's processors each, {:+.2f}", median(rates), plain_name,
                     line.median_of(&Sample::processor_us), median(costs));
}

}  // namespace

void Bench::run_doors(std::vector<std::unique_ptr<Peer>>& doors) {
  constexpr char kGroup[] = "doors";
  double const s = settings_.seconds;
  auto const plan = [s](std::uint32_t connections, std::uint32_t in_flight) {
    return Plan{.work = Work::insert, .connections = connections, .in_flight = in_flight, .seconds = s};
  };
  Named const works[] = {{kGroup, "1 connection, closed loop", plan(1, 1), "", true},
                         {kGroup, "64 connections, closed loop", plan(64, 1), "", true},
                         {kGroup, "64 connections x 32 in flight", plan(64, 32), ""}};
  Peer& plain = *doors.front();
  plain.start();
  Ledger ledger;
  for (std::uint32_t round = 0; round < settings_.rounds; ++round) {
    say(fmt::format("doors: round {} of {}", round + 1, settings_.rounds));
    for (Named const& named : works) {
      if (std::string_view{named.name}.find(settings_.only) == std::string_view::npos) continue;
      for (auto const& door : doors) {
        measure(*door, ledger, named);
        drain(plain, ledger);
      }
    }
  }
  plain.stop();
  for (Line& one : lines_) {
    if (one.group != kGroup) continue;
    Line& first = line(kGroup, one.work, plain.name(), "/s");
    if (&first == &one) continue;
    one.note = compare(one, first, "plain text") + (one.note.empty() ? "" : "; " + one.note);
  }
  for (Line& one : lines_)
    if (one.group == kGroup && one.peer == plain.name())
      one.note = fmt::format("{:.2f} us of the daemon's processors each", one.median_of(&Sample::processor_us));
}

void Bench::run_sqs(std::vector<std::unique_ptr<Peer>>& doors) {
  constexpr char kGroup[] = "sqs";
  double const s = settings_.seconds;
  Named const send{kGroup,
                   "send, 16 connections x 10",
                   {.work = Work::insert, .connections = 16, .in_flight = 10, .batch = 10, .seconds = s},
                   ">= 40 k/s"};
  Named const receive{kGroup,
                      "receive + delete, 16 connections x 10",
                      {.work = Work::lease_done, .connections = 16, .in_flight = 10, .seconds = s},
                      ">= 15 k/s"};
  doors.front()->start();
  Ledger ledger;
  for (std::uint32_t round = 0; round < settings_.rounds; ++round) {
    say(fmt::format("sqs: round {} of {}", round + 1, settings_.rounds));
    for (auto const& door : doors) {
      measure(*door, ledger, send);
      measure(*door, ledger, receive);
      drain(*door, ledger);
    }
  }
  doors.front()->stop();
  for (Line& one : lines_) {
    if (one.group != kGroup) continue;
    bool const is_sqs = one.peer == doors.front()->name();
    one.aim = is_sqs ? one.work.starts_with("send") ? send.aim : receive.aim : "";
    if (is_sqs) one.note = compare(one, line(kGroup, one.work, doors.back()->name(), "/s"), "HTTP");
  }
}

}  // namespace fastjournal::bench
