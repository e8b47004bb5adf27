// Attacks on queues and their listener of STOMP: sizes that lie, frames that never end, transactions that are kept and
// never end, subscribers that never read, random bytes, patterns that fit in very many ways. The honest client sends messages to another table meanwhile.
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/hostile/attacks.h"
#include "tests/hostile/honest.h"
#include "tests/hostile/swarm.h"

namespace fastjournal::hostile {
namespace stomp_attacks {

using namespace std::chrono_literals;

std::string frame(std::string_view text) { return std::string{text} + '\0'; }

std::string const kConnect = frame("CONNECT\naccept-version:1.2\n\n");

// The table still takes a message and hands it out.
std::string unless_serves(Victim& victim) {
  std::string const sent = ask(victim.local(), "SEND table=letters;queue=afterwards;body=1");
  std::string const taken = ask(victim.local(), "ACQUIRE table=letters;queue=afterwards;accept=1");
  if (sent.starts_with("SENT") && taken.starts_with("MESSAGE")) return {};
  return "then SEND: " + sent + ", ACQUIRE: " + taken;
}

// Whoever heard anything heard frames.
std::string unless_frames(Swarm const& swarm) {
  for (std::size_t i = 0; i < swarm.size(); ++i) {
    std::string const& heard = swarm.heard(i);
    if (!heard.empty() && !heard.starts_with("CONNECTED\n") && !heard.starts_with("ERROR\n"))
      return fmt::format("a connection heard {}", heard.substr(0, 40));
  }
  return {};
}

Outcome lying_sizes(Victim& victim, Scale scale) {
  std::string many = "SEND\n";
  for (int i = 0; i < 60; ++i) many += fmt::format("h{}:{}\n", i, std::string(8'000, 'v'));
  std::string const to = "SEND\ndestination:/queue/a\n";
  std::vector<std::string> const frames{kConnect + to + "content-length:18446744073709551615\n\n",
                                        kConnect + to + "content-length:4294967296\n\n",
                                        kConnect + to + "content-length:1048000\n\n",
                                        kConnect + to + "\n",
                                        kConnect + to + "header-without-an-end:",
                                        kConnect + many,
                                        "CONNECT\npasscode:",
                                        std::string{}};
  Swarm swarm{victim.stomp(), true};
  for (std::uint64_t i = scale.pick(8, 60); i > 0; --i)
    for (std::string const& one : frames) swarm.add({.head = one, .fill = 64 * kMiB});
  swarm.drive(kQuiet, UINT32_MAX);
  Swarm halves{victim.stomp(), true};
  for (std::uint64_t i = scale.pick(40, 400); i > 0; --i)
    halves.add({.head = kConnect + to + "\n", .fill = kMiB - 4096});
  halves.drive(kQuiet);
  return {fmt::format("frames with sizes that lie or without an end, and 64 MiB behind them, by {} connections; {} of "
                      "1 MiB that lack their end: {} MiB taken, {} ended",
                      swarm.size(), halves.size(), (swarm.sent_bytes() + halves.sent_bytes()) / kMiB, swarm.ended()),
          first_of(unless_frames(swarm), unless_serves(victim))};
}

Outcome kept_transactions(Victim& victim, Scale scale) {
  Swarm swarm{victim.stomp(), true};
  std::string const begin = kConnect + frame("BEGIN\ntransaction:t\n\n");
  std::string const send =
      frame("SEND\ndestination:/queue/a\ntransaction:t\ncontent-length:500000\n\n" + std::string(500'000, 'b'));
  std::string all = begin;
  for (int i = 0; i < 30; ++i) all += send;
  for (std::uint64_t i = scale.pick(30, 200); i > 0; --i) swarm.add({.head = all});
  swarm.drive(kQuiet);
  return {fmt::format("transactions of 15 MB that are never committed by {} connections: {} MiB taken, {} ended",
                      swarm.size(), swarm.sent_bytes() / kMiB, swarm.ended()),
          first_of(unless_frames(swarm), unless_serves(victim))};
}

Outcome unread_messages(Victim& victim, Scale scale) {
  Swarm swarm{victim.stomp(), false};
  std::string const subscribe = kConnect + frame("SUBSCRIBE\nid:1\ndestination:/topic/#\nprefetch-count:1024\n\n");
  for (std::uint64_t i = scale.pick(20, 100); i > 0; --i) swarm.add({.head = subscribe});
  swarm.drive(kQuiet);
  Swarm sender{victim.stomp(), true};
  std::string const send = frame("SEND\ndestination:/topic/a\ncontent-length:20000\n\n" + std::string(20'000, 'b'));
  std::string all = kConnect;
  for (int i = 0; i < 100; ++i) all += send;
  sender.add({.head = all});
  sender.drive(kQuiet);
  return {fmt::format("{} subscribers that never read, to each of whom 100 messages of 20 kB are sent", swarm.size()),
          first_of(unless_frames(sender), unless_serves(victim))};
}

Outcome random_bytes(Victim& victim, Scale scale) {
  std::mt19937_64 random{1};
  static constexpr std::string_view kWords[] = {"SEND",
                                                "SUBSCRIBE",
                                                "ACK",
                                                "BEGIN",
                                                "COMMIT",
                                                "\n",
                                                "\n\n",
                                                ":",
                                                "\\c",
                                                "id",
                                                "/queue",
                                                "/topic/",
                                                "transaction",
                                                "receipt:",
                                                "ack:client",
                                                "\r\n",
                                                "destination:/queue/a\n"};
  std::uint64_t const times = scale.pick(400, 20'000);
  std::string wrong;
  for (std::uint64_t i = 0; i < times && wrong.empty(); i += 100) {
    Swarm swarm{victim.stomp(), true};
    for (int one = 0; one < 100; ++one) {
      std::string bytes = one % 2 == 0 ? kConnect : std::string{};
      for (std::uint64_t left = random() % 300; left > 0; --left) {
        if (random() % 4 == 0)
          bytes.push_back(static_cast<char>(random()));
        else
          bytes += kWords[random() % std::size(kWords)];
        if (random() % 16 == 0) bytes += '\0';
      }
      swarm.add({.head = bytes});
    }
    swarm.drive(200ms, UINT32_MAX);
    wrong = unless_frames(swarm);
  }
  return {fmt::format("words and random bytes by {} connections, half of them behind CONNECT (seed 1)", times),
          first_of(wrong, unless_serves(victim))};
}

// Patterns that a key of 128 words fits in very many ways up to their last word, which it lacks.
Outcome crafted_patterns(Victim& victim, Scale scale) {
  auto const times = [](std::string_view word, std::uint64_t count) {
    std::string out;
    for (; count > 0; --count) out += word;
    return out;
  };
  Swarm binder{victim.local(), true};
  std::string bindings = "DECLARE table=letters;exchange=news;kind=topic\nDECLARE table=letters;queue=q\n";
  std::uint64_t const count = scale.pick(300, 800);
  for (std::uint64_t i = 0; i < count; ++i)
    bindings += fmt::format("BIND table=letters;exchange=news;queue=q;routing_key={}{}{}z{}\n",
                            times("*.#.a.#.", i % 20), times("a.#.", 8), times("*.#.", i % 7), i);
  binder.add({.head = bindings});
  binder.drive(kQuiet, static_cast<std::uint64_t>(count + 2));
  std::uint64_t const sends = scale.pick(50, 400);
  Swarm senders{victim.local(), true};
  std::string const send = "SEND table=letters;exchange=news;body=1;routing_key=" + times("a.", 127) + "a\n";
  for (std::uint64_t i = scale.pick(4, 16); i > 0; --i) senders.add({.head = send, .repeat = sends});
  senders.drive(kQuiet, sends);
  std::string wrong;
  for (std::size_t i = 0; i < senders.size() && wrong.empty(); ++i)
    if (!senders.heard(i).starts_with("SENT ")) wrong = "a sender heard " + senders.heard(i).substr(0, 80);
  std::string const listed = ask(victim.local(), "EXCHANGES table=letters");
  if (listed.find(fmt::format("bindings={}", count)) == std::string::npos) wrong = "EXCHANGES: " + listed;
  return {fmt::format("{} crafted patterns, and {} messages with a key of 128 words by each of {} connections", count,
                      sends, senders.size()),
          first_of(wrong, unless_serves(victim))};
}

}  // namespace stomp_attacks

std::vector<Attack> attacks_on_stomp() {
  using namespace stomp_attacks;
  auto const attack = [](char const* name, char const* what, std::function<Outcome(Victim&, Scale)> run) {
    return Attack{.name = name,
                  .what = what,
                  .configuration = "<limits memory-bytes=\"256MiB\"/>",
                  .prepare = [](Victim& victim) { victim.declare_letters(); },
                  .run = std::move(run),
                  .peak_mib_max = kSmallPeakMiB};
  };
  return {attack("letters", "STOMP frames with sizes that lie, or without an end", lying_sizes),
          attack("kept", "STOMP transactions that never end", kept_transactions),
          attack("subscribers", "STOMP subscribers that never read", unread_messages),
          attack("words", "random bytes at a STOMP listener", random_bytes),
          attack("topics", "patterns that fit in very many ways", crafted_patterns)};
}

}  // namespace fastjournal::hostile
