// Attacks on tubes and their listener of beanstalkd's protocol: sizes that lie, lines that never end, commands without a
// pause, jobs that are reserved and neither read nor ended, more tubes than there may be, random bytes. The honest client
// sends messages to another table meanwhile; after each attack a client of the protocol is served.
#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/hostile/attacks.h"
#include "tests/hostile/honest.h"
#include "tests/hostile/swarm.h"
#include "tests/support/line_client.h"

namespace fastjournal::hostile {
namespace beanstalk_attacks {

using namespace std::chrono_literals;

constexpr std::uint64_t kBodyBytes = 60'000;

std::string put(std::string_view tube, std::uint64_t ttr_s, std::string_view body) {
  return fmt::format("use {}\r\nput 1 0 {} {}\r\n{}\r\n", tube, ttr_s, body.size(), body);
}

// A job is put, reserved and deleted by a new connection, on a tube that the table's file names.
std::string unless_serves(Victim& victim) {
  test::LineClient client{victim.tubes()};
  // Of its own: the attackers take what is in others.
  for (char const* const line : {"use afterwards\r", "watch afterwards\r", "ignore default\r"})
    static_cast<void>(client.ask(line));
  std::string const inserted = client.ask("put 0 0 60 5\r\nafter\r");
  std::string const reserved = client.ask("reserve-with-timeout 20\r");
  std::string const body = client.read_line().value_or("");
  std::string const number = inserted.substr(std::min(inserted.size(), inserted.find(' ') + 1));
  std::string const deleted = client.ask("delete " + number);
  bool const is_served = inserted.starts_with("INSERTED ") && body == "after\r" && deleted == "DELETED\r";
  return unless(is_served, fmt::format("then put: {}, reserve: {} {}, delete: {}", inserted, reserved, body, deleted));
}

// A figure of `stats-tube`, or -1.
std::int64_t figure(Victim& victim, std::string_view tube, std::string_view name) {
  test::LineClient client{victim.tubes()};
  static_cast<void>(client.send(fmt::format("stats-tube {}\r\nquit\r\n", tube)));
  std::string const all = client.read_all().value_or("");
  std::string const word = fmt::format("\n{}: ", name);
  std::size_t const at = all.find(word);
  return at == std::string::npos ? -1 : std::stoll(all.substr(at + word.size()));
}

// Whoever heard anything heard answers.
std::string unless_answers(Swarm const& swarm) {
  static constexpr std::string_view kWords[] = {
      "INSERTED ", "RESERVED ",     "USING ",         "WATCHING ",    "OK ",        "FOUND ",
      "KICKED",    "TIMED_OUT",     "NOT_FOUND",      "JOB_TOO_BIG",  "BAD_FORMAT", "NOT_IGNORED",
      "DELETED",   "EXPECTED_CRLF", "OUT_OF_MEMORY",  "TOUCHED",      "BURIED",     "UNKNOWN_COMMAND",
      "RELEASED",  "PAUSED",        "INTERNAL_ERROR", "DEADLINE_SOON"};
  for (std::size_t i = 0; i < swarm.size(); ++i) {
    std::string const& heard = swarm.heard(i);
    bool const is_word = std::ranges::any_of(kWords, [&](auto word) { return heard.starts_with(word); });
    if (!heard.empty() && !is_word) return fmt::format("a connection heard {}", heard.substr(0, 40));
  }
  return {};
}

Outcome lying_sizes(Victim& victim, Scale scale) {
  std::vector<std::string> const heads{"put 1 0 60 4294967295\r\n",
                                       "put 1 0 60 18446744073709551615\r\n",
                                       "put 1 0 60 -1\r\n",
                                       "put 1 0 60 16000000\r\n",
                                       "put 1 0 60 3\r\n",
                                       "put 1 0 60 65535 and more\r\n",
                                       "put 4294967295 4294967295 4294967295 1\r\n",
                                       "use ",
                                       "watch \r",
                                       "\r",
                                       std::string{}};
  Swarm swarm{victim.tubes(), true};
  for (std::uint64_t i = scale.pick(5, 40); i > 0; --i)
    for (std::string const& one : heads) swarm.add({.head = one, .fill = 64 * kMiB});
  swarm.drive(kQuiet, UINT32_MAX);
  Swarm halves{victim.tubes(), true};
  for (std::uint64_t i = scale.pick(400, 4000); i > 0; --i)
    halves.add({.head = "put 1 0 60 65535\r\n", .fill = 65'535 + i % 2});
  halves.drive(kQuiet);
  return {
      fmt::format("sizes that lie and lines without an end, and 64 MiB behind them, by {} connections; {} bodies of "
                  "64 KiB that lack their end: {} MiB taken, {} ended",
                  swarm.size(), halves.size(), (swarm.sent_bytes() + halves.sent_bytes()) / kMiB, swarm.ended()),
      first_of(unless_answers(swarm), unless_serves(victim))};
}

Outcome commands_without_a_pause(Victim& victim, Scale scale) {
  std::string const all = put("a", 60, "x") +
                          "peek-ready\r\nreserve-with-timeout 0\r\nstats-tube a\r\nstats\r\nlist-tubes\r\ndelete "
                          "1\r\nkick 9\r\nwatch a\r\n";
  Swarm deaf{victim.tubes(), false};
  for (std::uint64_t i = scale.pick(10, 100); i > 0; --i) deaf.add({.head = all, .repeat = 30'000});
  deaf.drive(kQuiet);
  Swarm swarm{victim.tubes(), true};
  std::uint64_t const times = scale.pick(1000, 20'000);
  for (std::uint64_t i = scale.pick(4, 16); i > 0; --i) swarm.add({.head = all, .repeat = times});
  swarm.drive(20s, times * 10);
  return {fmt::format("{} commands without a pause by each of {} connections that never read, {} by each of {} that do",
                      30'000 * 10, deaf.size(), times * 10, swarm.size()),
          first_of(unless_answers(swarm), unless_serves(victim))};
}

// Those who have reserved jobs do not read them, and end without a word: all jobs are there again.
Outcome unread_jobs(Victim& victim, Scale scale) {
  std::uint64_t const jobs = scale.pick(600, 1500);
  Swarm producer{victim.tubes(), true};
  producer.add({.head = put("unread", 3600, std::string(kBodyBytes, 'j')), .repeat = jobs});
  producer.drive(20s, jobs * 2);
  std::size_t readers = 0;
  std::int64_t reserved = 0;
  {
    Swarm swarm{victim.tubes(), false};
    for (std::uint64_t i = scale.pick(30, 200); i > 0; --i)
      swarm.add({.head = "watch unread\r\nignore default\r\n" + put("unread", 60, "x"), .tail = "reserve\r\n"});
    swarm.drive(kQuiet);
    Swarm peekers{victim.tubes(), false};
    for (std::uint64_t i = scale.pick(30, 200); i > 0; --i)
      peekers.add({.head = "use unread\r\npeek-ready\r\n", .repeat = 10'000});
    peekers.drive(kQuiet);
    Swarm takers{victim.tubes(), false};
    for (std::uint64_t i = scale.pick(30, 200); i > 0; --i)
      takers.add({.head = "watch unread\r\nignore default\r\nreserve-with-timeout 0\r\n", .repeat = 1000});
    takers.drive(kQuiet);
    readers = swarm.size() + peekers.size() + takers.size();
    reserved = figure(victim, "unread", "current-jobs-reserved");
  }
  std::int64_t const all = static_cast<std::int64_t>(jobs + scale.pick(30, 200));
  std::int64_t ready = -1;
  for (int i = 0; i < 200 && ready != all; ++i) ready = figure(victim, "unread", "current-jobs-ready");
  return {
      fmt::format("{} connections that ask for jobs of {} bytes and never read: {} of {} reserved, {} ready when they "
                  "had ended",
                  readers, kBodyBytes, reserved, all, ready),
      first_of(unless(reserved > 0 && ready == all, fmt::format("{} jobs of {} are ready again", ready, all)),
               unless_serves(victim))};
}

// Connections that reserve and then say nothing: what they have is over with its ttr.
Outcome silent_workers(Victim& victim, Scale scale) {
  Swarm swarm{victim.tubes(), true};
  std::uint64_t const each = 50;
  std::string all = "watch silent\r\nignore default\r\n";
  for (std::uint64_t i = 0; i < each; ++i) all += put("silent", 2, "s") + "reserve-with-timeout 0\r\n";
  for (std::uint64_t i = scale.pick(30, 200); i > 0; --i) swarm.add({.head = all});
  swarm.drive(kQuiet, 2 + each * 4);
  test::LineClient client{victim.tubes()};
  static_cast<void>(client.ask("watch silent\r"));
  std::uint64_t taken = 0;
  std::uint64_t const jobs = swarm.size() * each;
  for (; taken < jobs; ++taken) {
    std::string const reserved = client.ask("reserve-with-timeout 20\r");
    if (!reserved.starts_with("RESERVED ") || !client.read_line()) break;
    std::string const number = reserved.substr(9, reserved.find(' ', 9) - 9);
    if (client.ask("delete " + number + "\r") != "DELETED\r") break;
  }
  return {
      fmt::format("{} connections that reserve {} jobs and say nothing more: {} were taken by another when their ttr "
                  "was over",
                  swarm.size(), jobs, taken),
      first_of(unless(taken == jobs, fmt::format("{} of {} jobs came back", taken, jobs)), unless_serves(victim))};
}

// Tubes by names that are used once: watched, used, put to, waited for.
Outcome invented_tubes(Victim& victim, Scale scale) {
  std::uint64_t const names = scale.pick(1000, 20'000);
  Swarm swarm{victim.tubes(), true};
  std::uint64_t const connections = scale.pick(40, 100);
  for (std::uint64_t i = 0; i < connections; ++i) {
    std::string all;
    for (std::uint64_t name = 0; name < names; ++name) {
      std::string const tube = fmt::format("{}.{}", i, name);
      all += i % 3 == 0 ? put(tube, 60, "t") : fmt::format("{} {}\r\n", i % 3 == 1 ? "watch" : "use", tube);
      if (i % 3 == 1 && name % 100 == 0) all += "reserve-with-timeout 0\r\n";
    }
    swarm.add({.head = all});
  }
  swarm.drive(5s, names);
  Swarm waiters{victim.tubes(), true};
  std::string watches;
  // The tube of the honest client is not theirs.
  for (int name = 0; name < 250; ++name) watches += fmt::format("watch w{}\r\n", name);
  for (std::uint64_t i = scale.pick(100, 400); i > 0; --i)
    waiters.add({.head = watches + "ignore default\r\nreserve\r\n"});
  waiters.drive(kQuiet);
  std::string const added = ask(victim.local(), "SEND table=tubes;queue=administrators;body=1");
  return {fmt::format("{} tubes invented by {} connections; {} that wait for 250 tubes each", names * connections,
                      swarm.size(), waiters.size()),
          first_of(first_of(unless_answers(swarm), unless(added.starts_with("SENT"), "an administrator: " + added)),
                   unless_serves(victim))};
}

Outcome random_bytes(Victim& victim, Scale scale) {
  std::mt19937_64 random{1};
  static constexpr std::string_view kPieces[] = {"put 1 0 60 3\r\nabc\r\n",
                                                 "put ",
                                                 "reserve",
                                                 "reserve-with-timeout ",
                                                 "delete ",
                                                 "release ",
                                                 "bury ",
                                                 "kick ",
                                                 "touch ",
                                                 "watch ",
                                                 "ignore ",
                                                 "use ",
                                                 "stats",
                                                 "stats-job ",
                                                 "stats-tube ",
                                                 "list-tubes\r\n",
                                                 "pause-tube a ",
                                                 "peek-ready\r\n",
                                                 " ",
                                                 "0",
                                                 "1",
                                                 "a",
                                                 "-1",
                                                 "4294967296",
                                                 "\r\n",
                                                 "\r",
                                                 "\n"};
  std::uint64_t const times = scale.pick(400, 20'000);
  std::string wrong;
  for (std::uint64_t i = 0; i < times && wrong.empty(); i += 100) {
    Swarm swarm{victim.tubes(), true};
    for (int one = 0; one < 100; ++one) {
      std::string bytes;
      for (std::uint64_t left = random() % 300; left > 0; --left) {
        if (random() % 8 == 0)
          bytes.push_back(static_cast<char>(random()));
        else
          bytes += kPieces[random() % std::size(kPieces)];
      }
      swarm.add({.head = bytes});
    }
    swarm.drive(200ms, UINT32_MAX);
    wrong = unless_answers(swarm);
  }
  return {fmt::format("words and random bytes by {} connections (seed 1)", times),
          first_of(wrong, unless_serves(victim))};
}

}  // namespace beanstalk_attacks

std::vector<Attack> attacks_on_beanstalkd() {
  using namespace beanstalk_attacks;
  auto const attack = [](char const* name, char const* what, std::function<Outcome(Victim&, Scale)> run) {
    return Attack{.name = name,
                  .what = what,
                  .configuration = "<limits memory-bytes=\"256MiB\"/>",
                  .prepare = [](Victim& victim) { victim.declare_tubes(); },
                  .run = std::move(run),
                  .peak_mib_max = kSmallPeakMiB};
  };
  return {attack("puts", "puts to beanstalkd with sizes that lie, and lines that never end", lying_sizes),
          attack("commands", "commands of beanstalkd without a pause", commands_without_a_pause),
          attack("jobs", "jobs that are asked for and never read", unread_jobs),
          attack("silent", "jobs that are reserved by those who say nothing more", silent_workers),
          attack("tubes", "more tubes than there may be", invented_tubes),
          attack("nonsense", "random bytes at a listener of beanstalkd", random_bytes)};
}

}  // namespace fastjournal::hostile
