// What doors cost. TLS and HTTP: the same inserts into one daemon by each of its doors, in turn, so that all see the same disk
// and the same machine. Each is compared with text over TCP of the same round.
#include <fmt/format.h>

#include <algorithm>

#include "tests/bench/measure.h"
#include "tests/bench/works.h"

namespace fastjournal::bench {
namespace {

// The median over the rounds of what is made of both figures of one round.
double over_rounds(Line const& line, Line const& other, double (*of)(Sample const& here, Sample const& there)) {
  std::vector<double> out;
  std::size_t const rounds = std::min(line.samples.size(), other.samples.size());
  for (std::size_t round = 0; round < rounds; ++round) out.push_back(of(line.samples[round], other.samples[round]));
  return median(out);
}
double ratio(Line const& line, Line const& other) {
  return over_rounds(line, other,
                     [](Sample const& here, Sample const& there) { return here.value / std::max(there.value, 1.0); });
}

// Beside another door.
std::string compare(Line const& line, Line const& plain, std::string_view plain_name) {
  double const cost = over_rounds(
      line, plain, [](Sample const& here, Sample const& there) { return here.processor_us - there.processor_us; });
  return fmt::format("{:.2f} of {}; {:.2f} us of the daemon's processors each, {:+.2f}", ratio(line, plain), plain_name,
                     line.median_of(&Sample::processor_us), cost);
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

void Bench::run_tubes(std::vector<Contestant>& contestants) {
  constexpr char kGroup[] = "beanstalkd";
  double const s = settings_.seconds;
  auto const plan = [s](Work work, std::uint32_t connections, std::uint32_t in_flight) {
    return Plan{.work = work, .connections = connections, .in_flight = in_flight, .seconds = s};
  };
  Named const works[] = {
      {kGroup, "put, 64 connections, closed loop", plan(Work::insert, 64, 1), ">= 10 x -f0", true},
      {kGroup, "put, 64 connections x 32 in flight", plan(Work::insert, 64, 32), ">= 10 x -f0, >= memory"},
      {kGroup, "reserve + delete, 8 workers", plan(Work::lease_done, 8, 1), ">= 3 x -f0", true}};
  auto const is_wanted = [this](Named const& named) {
    return std::string_view{named.name}.find(settings_.only) != std::string_view::npos;
  };
  for (Contestant& contestant : contestants) contestant.peer->start();
  for (std::uint32_t round = 0; round < settings_.rounds; ++round) {
    say(fmt::format("beanstalkd: round {} of {}", round + 1, settings_.rounds));
    for (Named const& named : works)
      for (Contestant& contestant : contestants) {
        if (!is_wanted(named)) continue;
        if (named.plan.work == Work::lease_done) stock(contestant, static_cast<std::uint64_t>(s * 60'000));
        measure(*contestant.peer, contestant.ledger, named);
      }
    for (Contestant& contestant : contestants) drain(*contestant.peer, contestant.ledger);
  }
  for (Contestant& contestant : contestants) contestant.peer->stop();
  for (Named const& named : works)
    for (std::size_t other = 1; other < contestants.size() && is_wanted(named); ++other) {
      Line& ours = line(kGroup, named.name, contestants.front().peer->name(), "/s");
      Line const& theirs = line(kGroup, named.name, contestants[other].peer->name(), "/s");
      ours.aim = named.aim;
      ours.note += fmt::format("{}{:.2f} of {}", ours.note.empty() ? "" : ", ", ratio(ours, theirs), theirs.peer);
    }
}

}  // namespace fastjournal::bench
