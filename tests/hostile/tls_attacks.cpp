// Attacks on a listener with TLS: handshakes that stop, and the parts of TLS that cost the server more than the client:
// renegotiation, new keys, tiny records.
#include <openssl/ssl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "tests/hostile/attacks.h"
#include "tests/hostile/honest.h"
#include "tests/hostile/swarm.h"
#include "tests/support/tls_client.h"

namespace fastjournal::hostile {
namespace tls_attacks {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using test::TlsClient;
using test::TlsClientOptions;

constexpr char kAttacker[] = "127.0.2.1";

std::string talk(TlsClient& client, std::string const& line) {
  if (!client.send(line + "\n")) return "(not sent)";
  return client.read_line().value_or("(no answer: " + client.error() + ")");
}

// An honest client that comes while the attack goes on: how long it waits for its first answer.
struct Visit {
  Seconds took{0};
  std::string wrong;
};
Visit visit(Victim const& victim) {
  auto const begin = Clock::now();
  Visit out;
  try {
    TlsClient client{victim.tls(), {.ca = victim.authority()}};
    std::string const answer = client.handshake() ? talk(client, "ALIVE") : "handshake: " + client.error();
    if (!answer.starts_with("ABSOLUTELY")) out.wrong = "a new client heard: " + answer;
  } catch (std::system_error const& error) {
    out.wrong = std::string{"a new client could not connect: "} + error.what();
  }
  out.took = Clock::now() - begin;
  return out;
}

Outcome half_handshakes(Victim& victim, Scale scale) {
  std::string const hello = TlsClient{victim.tls(), {}}.greeting();
  Swarm swarm{victim.tls(), false};
  swarm.come_from(kAttacker);
  Seconds longest{0};
  std::string wrong;
  std::uint64_t const waves = scale.pick(4, 20);
  std::uint64_t connected = 0;
  for (std::uint64_t wave = 0; wave < waves && wrong.empty(); ++wave) {
    for (int i = 0; i < 100; ++i) {
      if (swarm.add({})) ++connected;                                       // silent
      if (swarm.add({.head = hello.substr(0, 20)})) ++connected;            // begins, and stops
      if (swarm.add({.head = hello})) ++connected;                          // does not go on
      if (swarm.add({.head = hello + std::string(100, 'x')})) ++connected;  // goes on with nonsense
    }
    swarm.drive(50ms);
    Visit const one = visit(victim);
    longest = std::max(longest, one.took);
    wrong = one.wrong;
  }
  return {
      fmt::format(
          "{} handshakes that never end, of one address; a new client waited {:.2f} s at the most for its first answer",
          connected, longest.count()),
      wrong};
}

Outcome new_keys(Victim& victim, Scale scale) {
  TlsClientOptions older{.ca = victim.authority()};
  older.version_max = TLS1_2_VERSION;
  std::uint64_t const times = scale.pick(100, 2000);
  std::uint64_t again = 0;
  for (std::uint64_t i = 0; i < times; ++i) {
    TlsClient client{victim.tls(), older};
    if (!client.handshake()) return {"", "handshake: " + client.error()};
    if (client.shake_again()) ++again;
  }
  // Of TLS 1.3. The daemon must make some of its own for each, which this client does not read before it has asked for
  // all.
  std::uint64_t const wanted = scale.pick(100'000, 2'000'000);
  TlsClient newer{victim.tls(), {.ca = victim.authority()}};
  if (!newer.handshake()) return {"", "handshake: " + newer.error()};
  std::uint64_t keys = 0;
  while (keys < wanted && newer.ask_new_keys()) ++keys;
  Visit const last = visit(victim);
  std::string const wrong = unless(again == 0, fmt::format("{} clients made the daemon shake hands again", again));
  return {
      fmt::format("{} connections that ask for another handshake, one that asks {} times for new keys", times, keys),
      wrong.empty() ? last.wrong : wrong};
}

Outcome tiny_records(Victim& victim, Scale scale) {
  std::uint64_t const lines = scale.pick(2000, 20'000);
  std::string const line = "INSERT table=jobs;name=tiny\n";
  TlsClient client{victim.tls(), {.ca = victim.authority()}};
  if (!client.handshake()) return {"", "handshake: " + client.error()};
  std::uint64_t answered = 0;
  for (std::uint64_t i = 0; i < lines; i += 100) {
    std::string many;
    for (int one = 0; one < 100; ++one) many += line;
    if (!client.send_in_records(many, 1)) break;
    for (int one = 0; one < 100; ++one)
      if (std::optional<std::string> const answer = client.read_line(); answer && answer->starts_with("INSERTED "))
        ++answered;
  }
  return {fmt::format("{} inserts with a record for each byte: {} records of 23 bytes", lines, lines * line.size()),
          unless(answered == lines, fmt::format("{} of {} were answered", answered, lines))};
}

// After the handshake it is a connection like any other: what it does not read is bounded, also where encrypting it would
// need a copy.
Outcome unread_answers(Victim& victim, Scale scale) {
  {
    test::LineClient client{victim.tcp()};
    std::string const data(16U << 10U, 'p');
    for (int row = 0; row < 1000; ++row) {
      std::string const answer = client.send(fmt::format("INSERT table=jobs;name=k{};payload={}\n", row, data))
                                     ? client.read_line(kAnswerPatience).value_or("(no answer)")
                                     : "(not sent)";
      if (!answer.starts_with("INSERTED ")) return {"", "a row was refused: " + answer};
    }
  }
  std::vector<std::unique_ptr<TlsClient>> clients;
  std::string asked;
  for (int i = 0; i < 1000; ++i) asked += "LIST table=jobs;count=1000\n";
  for (std::uint64_t i = scale.pick(10, 100); i > 0; --i) {
    clients.push_back(std::make_unique<TlsClient>(victim.tls(), TlsClientOptions{.ca = victim.authority()}));
    if (!clients.back()->handshake() || !clients.back()->send(asked)) return {"", "TLS: " + clients.back()->error()};
  }
  Visit const last = visit(victim);
  return {fmt::format("{} clients that ask for 16 MiB 1000 times and never read", clients.size()), last.wrong};
}

}  // namespace tls_attacks

std::vector<Attack> attacks_on_tls() {
  using namespace tls_attacks;
  std::string const small = "<limits memory-bytes=\"256MiB\"/>";
  auto const attack = [&](char const* name, char const* what, std::function<Outcome(Victim&, Scale)> run) {
    return Attack{.name = name,
                  .what = what,
                  .configuration = small,
                  .prepare = jobs,
                  .run = std::move(run),
                  .peak_mib_max = kSmallPeakMiB,
                  .witness = Speaks::tls};
  };
  return {attack("handshakes", "TLS handshakes that never end", half_handshakes),
          attack("rekeys", "TLS renegotiation and new keys", new_keys),
          attack("records", "TLS records of a byte", tiny_records),
          attack("unread", "TLS clients that never read", unread_answers)};
}

}  // namespace fastjournal::hostile
