// Attacks on a listener of the FJ protocol: sizes that lie, frames that never end, floods, answers that are never read,
// pages without an end, patterns, random bytes. The honest client sends messages to another table meanwhile.
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/hostile/attacks.h"
#include "tests/hostile/honest.h"
#include "tests/hostile/swarm.h"
#include "wire/fj/frame.h"

namespace fastjournal::hostile {
namespace fj_attacks {

using namespace std::chrono_literals;

std::string bytes_of(fj::Request const& request) {
  std::string out;
  fj::write(request, out);
  return out;
}

fj::Request request(fj::Function function, std::string_view key, std::uint16_t flags = 0) {
  return {.function = static_cast<std::uint16_t>(function), .identifier = 7, .flags = flags, .key = key};
}

std::string set(std::string_view key, std::string_view value) {
  fj::Request out = request(fj::Function::set, key, fj::flag::kOverwrite);
  out.value = fj::TypedValue{static_cast<std::uint8_t>(fj::Type::buffer), value};
  return bytes_of(out);
}

std::string get(fj::Query query, std::string_view key, std::uint16_t count) {
  fj::Request out = request(fj::Function::get, key, fj::flag::kData);
  out.set_query(query);
  out.count = count;
  return bytes_of(out);
}

// A head with these flags, whatever follows.
std::string head(fj::Function function, std::uint16_t flags) {
  std::string out = bytes_of(request(function, "k"));
  out.resize(fj::kRequestHeadBytes);
  out[8] = static_cast<char>(flags >> 8U);
  out[9] = static_cast<char>(flags & 0xFFU);
  return out;
}

// The table still stores a value and shows it.
std::string unless_serves(Victim& victim) {
  std::string const stored = ask(victim.local(), "SET table=values;key=afterwards;value=1");
  std::string const shown = ask(victim.local(), "GET table=values;key=afterwards");
  return unless(stored.starts_with("STORED") && shown.starts_with("PAIR"), "then SET: " + stored + ", GET: " + shown);
}

// `swarm` heard nothing but replies, or nothing.
std::string unless_replies(Swarm const& swarm) {
  for (std::size_t i = 0; i < swarm.size(); ++i)
    if (std::string const& heard = swarm.heard(i); !heard.empty() && !heard.starts_with("JR"))
      return fmt::format("a connection heard {}", heard.substr(0, 40));
  return {};
}

void fill(Victim& victim, std::uint64_t pairs, std::uint64_t bytes) {
  Swarm one{victim.fj(), true};
  std::string const value(bytes, 'v');
  std::string all;
  for (std::uint64_t i = 0; i < pairs; ++i) all += set(fmt::format("key{}", i), value);
  one.add({.head = all});
  one.drive(kQuiet, UINT32_MAX);
}

// Each connection of `swarm` heard replies.
std::string unless_answered(Swarm const& swarm) {
  for (std::size_t i = 0; i < swarm.size(); ++i)
    if (!swarm.heard(i).starts_with("JR"))
      return fmt::format("connection {} of {} heard \"{}\"", i, swarm.size(), swarm.heard(i).substr(0, 40));
  return {};
}

Outcome lying_sizes(Victim& victim, Scale scale) {
  std::string const wide(2, '\xFF');
  std::string const widest(4, '\xFF');
  std::vector<std::string> const frames{
      head(fj::Function::set, 0x0006) + "\x01k" + widest,                        // a value of 4 GiB
      head(fj::Function::set, 0x0007) + wide,                                    // a key of 64 KiB
      head(fj::Function::set, 0x0006) + "\x01k" + std::string{"\x7F\0\0\0", 4},  // of 2 GiB
      head(fj::Function::rename, 0x0001) + std::string{"\0\x01k", 3} + wide,     // another key
      head(fj::Function::get, 0xC000),                                           // flags that are none
      std::string{"FJ\xFF\xFF", 4},                                              // a version that is none
  };
  Swarm swarm{victim.fj(), true};
  for (std::uint64_t i = scale.pick(10, 80); i > 0; --i)
    for (std::string const& frame : frames) swarm.add({.head = frame, .fill = 64 * kMiB});
  swarm.drive(kQuiet, UINT32_MAX);
  return {fmt::format("frames with sizes that lie and 64 MiB behind them, by {} connections: {} KiB taken, {} ended",
                      swarm.size(), swarm.sent_bytes() / 1024, swarm.ended()),
          first_of(unless_replies(swarm), unless_serves(victim))};
}

Outcome half_frames(Victim& victim, Scale scale) {
  std::string const whole = set("key", std::string(kMiB, 'v'));
  Swarm swarm{victim.fj(), true};
  for (std::uint64_t i = scale.pick(40, 400); i > 0; --i) swarm.add({.head = whole.substr(0, whole.size() - 1)});
  swarm.drive(kQuiet);
  Swarm heads{victim.fj(), true};
  for (std::uint64_t i = scale.pick(20, 50); i > 0; --i) heads.add({.head = whole.substr(0, i % 18)});
  heads.drive(kQuiet);
  return {fmt::format("{} connections with a frame of 1 MiB that lacks its last byte, {} with a part of a head: {} MiB "
                      "taken, {} ended",
                      swarm.size(), heads.size(), swarm.sent_bytes() / kMiB, swarm.ended()),
          unless_serves(victim)};
}

Outcome floods(Victim& victim, Scale scale) {
  std::string const three = set("k", "1") + get(fj::Query::key, "k", 0) + bytes_of(request(fj::Function::nop, ""));
  std::uint64_t const repeat = scale.pick(10'000, 100'000);
  Swarm unread{victim.fj(), false};
  for (std::uint64_t i = scale.pick(10, 100); i > 0; --i) unread.add({.head = three, .repeat = repeat});
  unread.drive(kQuiet);
  Swarm read{victim.fj(), true};
  for (std::uint64_t i = scale.pick(4, 16); i > 0; --i) read.add({.head = three, .repeat = repeat});
  read.drive(kQuiet, UINT32_MAX);
  return {fmt::format("{} frames without a pause by each of {} connections that never read and {} that do", 3 * repeat,
                      unread.size(), read.size()),
          first_of(unless_answered(read), unless_serves(victim))};
}

Outcome unread_pairs(Victim& victim, Scale scale) {
  fill(victim, 1000, 16U << 10U);
  Swarm swarm{victim.fj(), false};
  std::string const all = get(fj::Query::range, "", 1000);
  for (std::uint64_t i = scale.pick(20, 100); i > 0; --i) swarm.add({.head = all, .repeat = 1000});
  swarm.drive(kQuiet);
  return {fmt::format("{} connections that ask for 16 MiB of pairs 1000 times and never read", swarm.size()),
          unless_serves(victim)};
}

Outcome many_cursors(Victim& victim, Scale scale) {
  fill(victim, 5000, 10);
  Swarm swarm{victim.fj(), true};
  std::string const page = get(fj::Query::range, "", 1);
  for (std::uint64_t i = scale.pick(4, 16); i > 0; --i) swarm.add({.head = page, .repeat = scale.pick(1000, 10'000)});
  // Invented ones, of any bytes.
  for (std::uint64_t i = scale.pick(4, 16); i > 0; --i)
    swarm.add({.head = get(fj::Query::cursor, std::string(200, '\xFF'), 1), .repeat = 1000});
  swarm.drive(kQuiet, UINT32_MAX);
  return {fmt::format("{} connections that begin a page of one pair a thousand times or more, or go on from invented "
                      "cursors",
                      swarm.size()),
          first_of(unless_answered(swarm), unless_serves(victim))};
}

Outcome patterns(Victim& victim, Scale scale) {
  Swarm writer{victim.fj(), true};
  std::string all;
  for (int i = 0; i < 2000; ++i) all += set(std::string(200, 'a') + std::to_string(i), "1");
  writer.add({.head = all});
  writer.drive(kQuiet, UINT32_MAX);
  Swarm swarm{victim.fj(), true};
  for (std::string_view const pattern :
       {"(a+)+$", "(a|aa)+$", "(a*)*b", "(.*a){20}b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a?){50}a{50}b",
        "((a{1,100}){1,100}){1,100}", "(?:(?:(?:a{0,99}){0,99}){0,99}", "\\C*\\pN", "[[:word:]]*[^a]*(x+x+)+y"})
    for (std::uint64_t i = scale.pick(2, 8); i > 0; --i)
      swarm.add({.head = get(fj::Query::regex, pattern, 0), .repeat = scale.pick(50, 1000)});
  swarm.drive(kQuiet, UINT32_MAX);
  return {fmt::format("patterns that explode elsewhere over 2000 keys of 200 letters, by {} connections", swarm.size()),
          first_of(unless_answered(swarm), unless_serves(victim))};
}

Outcome random_bytes(Victim& victim, Scale scale) {
  std::mt19937_64 random{1};
  std::uint64_t const times = scale.pick(400, 20'000);
  std::string wrong;
  for (std::uint64_t i = 0; i < times && wrong.empty(); i += 100) {
    Swarm swarm{victim.fj(), true};
    for (int one = 0; one < 100; ++one) {
      std::string bytes = one % 2 == 0 ? std::string{"FJ\0\x01", 4} : std::string{};
      for (std::uint64_t left = random() % 2000; left > 0; --left) bytes.push_back(static_cast<char>(random()));
      swarm.add({.head = bytes});
    }
    swarm.drive(200ms, UINT32_MAX);
    wrong = unless_replies(swarm);
  }
  return {fmt::format("random bytes by {} connections, half of them behind a good beginning (seed 1)", times),
          first_of(wrong, unless_serves(victim))};
}

}  // namespace fj_attacks

std::vector<Attack> attacks_on_fj() {
  using namespace fj_attacks;
  auto const attack = [](char const* name, char const* what, std::function<Outcome(Victim&, Scale)> run) {
    return Attack{.name = name,
                  .what = what,
                  .configuration = "<limits memory-bytes=\"256MiB\"/>",
                  .prepare = [](Victim& victim) { victim.declare_values(); },
                  .run = std::move(run),
                  .peak_mib_max = kSmallPeakMiB};
  };
  return {attack("sizes", "FJ frames with sizes that lie", lying_sizes),
          attack("halves", "FJ frames that never end", half_frames),
          attack("floods", "FJ frames without a pause", floods),
          attack("pairs", "FJ clients that never read", unread_pairs),
          attack("cursors", "FJ pages that nobody reads on", many_cursors),
          attack("patterns", "patterns that explode elsewhere", patterns),
          attack("noise", "random bytes at an FJ listener", random_bytes)};
}

}  // namespace fastjournal::hostile
