// Attacks by messages, on their limits, tables and files; what a web page sends to their port.
#include "tests/hostile/attacks.h"

#include <csignal>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tests/hostile/collisions.h"
#include "tests/hostile/swarm.h"
#include "wire/msgpack.h"

namespace fastjournal::hostile {
namespace message_attacks {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kToggleBytesMax = 2048;

std::string frame(std::string_view command, std::vector<Param> const& params) {
  std::string out;
  protocol::append_frame({.command = command, .params = params}, out);
  return out;
}

// The header of a frame with a body of this many bytes.
std::string frame_header(std::uint32_t bytes) {
  std::string out = "FJM\x01";
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(bytes >> shift & 0xFFU));
  return out;
}

// Inserts rows into the table "jobs", each with a payload of this many bytes.
void fill(Victim& victim, std::uint64_t rows, std::uint64_t payload) {
  test::LineClient client{victim.tcp()};
  std::string const data(payload, 'p');
  std::uint64_t const together = std::max<std::uint64_t>(1, std::min<std::uint64_t>(1000, kMiB / (payload + 64)));
  for (std::uint64_t row = 0; row < rows;) {
    std::string out;
    std::uint64_t const end = std::min(rows, row + together);
    std::uint64_t const asked = end - row;
    for (; row < end; ++row) out += fmt::format("INSERT table=jobs;name=k{};payload={}\n", row, data);
    if (!client.send(out)) throw std::runtime_error("the rows could not be sent");
    for (std::uint64_t i = 0; i < asked; ++i)
      if (auto const line = client.read_line(); !line || !line->starts_with("INSERTED "))
        throw std::runtime_error("a row was refused: " + line.value_or("(no answer)"));
  }
}

// ---------------------------------------------------------------------------
// Memory

Outcome long_request(Victim& victim, Scale scale) {
  fill(victim, 1000, 10);
  Swarm lines{victim.tcp(), true};
  for (std::uint64_t i = scale.pick(1, 4); i > 0; --i)
    lines.add({.head = "LIST table=jobs;count=1000;request=", .fill = kMiB - 100, .tail = "\n"});
  lines.drive(kQuiet, 1);
  Swarm frames{victim.tcp(), true};
  frames.add({.head = frame("LIST", {{"table", Value::of_text("jobs")},
                                     {"count", Value::of_integer(1000)},
                                     {"request", Value::of_text(std::string(8 * kMiB, 'r'))}})});
  frames.drive(kQuiet);
  return {
      fmt::format("LIST of 1000 rows with a request of 1 MiB by {} connections, and of 8 MiB in a frame", lines.size()),
      {}};
}

Outcome unfinished_frames(Victim& victim, Scale scale) {
  std::uint32_t const bytes = 31 * kMiB;
  Swarm swarm{victim.tcp(), true};
  for (std::uint64_t i = scale.pick(40, 200); i > 0; --i) swarm.add({.head = frame_header(bytes), .fill = bytes - 1});
  swarm.drive(kQuiet);
  return {fmt::format("{} connections with a frame of 31 MiB that never ends: {} MiB taken, {} connections ended",
                      swarm.size(), swarm.sent_bytes() / kMiB, swarm.ended()),
          {}};
}

Outcome waiting_commands(Victim& victim, Scale scale) {
  std::string const one = frame("NEXT", {{"table", Value::of_text("jobs")},
                                         {"wait", Value::of_integer(3'600'000)},
                                         {"request", Value::of_text("1")},
                                         {"worker", Value::of_text(std::string(16 * kMiB, 'w'))}});
  Swarm swarm{victim.tcp(), true};
  for (std::uint64_t i = scale.pick(40, 200); i > 0; --i) swarm.add({.head = one});
  swarm.drive(kQuiet);
  Swarm many{victim.tcp(), true};
  for (std::uint64_t i = scale.pick(10, 100); i > 0; --i)
    many.add({.head = "NEXT table=jobs;wait=3600000;request=1;worker=", .fill = 100, .tail = "\n", .repeat = 10'000});
  many.drive(kQuiet);
  return {fmt::format("NEXT wait with a worker's name of 16 MiB by {} connections, 10,000 with 100 bytes by {}",
                      swarm.size(), many.size()),
          {}};
}

Outcome never_reading(Victim& victim, Scale scale) {
  fill(victim, 2000, 16U << 10U);
  Swarm swarm{victim.tcp(), false};
  for (std::uint64_t i = scale.pick(20, 100); i > 0; --i)
    swarm.add({.head = "LIST table=jobs;count=1000\n", .repeat = 1000});
  swarm.drive(kQuiet);
  return {fmt::format("{} connections that ask for rows 1000 times and never read", swarm.size()), {}};
}

Outcome long_names(Victim& victim, Scale scale) {
  std::uint64_t const leases = scale.pick(1000, 10'000);
  fill(victim, leases, 10);
  Swarm swarm{victim.tcp(), true};
  swarm.add({.head = "NEXT table=jobs;worker=", .fill = kMiB - 200, .tail = "\n", .repeat = leases});
  swarm.drive(kQuiet, leases);
  return {fmt::format("{} leases by workers with names of 1 MiB", leases), {}};
}

// Transactions and branches that keep what they were sent, and never end; and branches of one origin, prepared and left.
Outcome open_transactions(Victim& victim, Scale scale) {
  std::string const insert = "INSERT table=jobs;name=t;payload=" + std::string(kMiB - 100, 'x') + "\n";
  std::vector<test::LineClient> begun;
  std::uint64_t promised = 0;
  for (std::uint64_t i = scale.pick(8, 60); i > 0; --i) {
    test::LineClient& client = begun.emplace_back(victim.tcp());
    bool is_open = client.send("BEGIN\n", 1s) && client.read_line(1s);
    for (int op = 0; op < 20 && is_open; ++op) {
      std::optional<std::string> const line = client.send(insert, 1s) ? client.read_line(1s) : std::nullopt;
      is_open = line && line->starts_with("PROMISED ");
      if (is_open) ++promised;
    }
  }
  std::uint64_t const branches = scale.pick(11'000, 20'000);
  test::LineClient manager{victim.tcp()};
  for (int large = 1; large <= 8; ++large) {
    std::string const xid = fmt::format("xid=2:{:02x}:\n", large);
    static_cast<void>(manager.send("XA_START " + xid) && manager.read_line());
    for (int op = 0; op < 60; ++op) {
      if (!manager.send(insert)) return {"", "the connection ended"};
      if (auto const line = manager.read_line(); !line || !line->starts_with("PROMISED ")) break;
    }
    static_cast<void>(manager.send("XA_END " + xid) && manager.read_line());
  }
  std::uint64_t prepared = 0;
  for (std::uint64_t at = 0; at < branches; at += 100) {
    std::string out;
    for (std::uint64_t i = at; i < at + 100; ++i)
      out += fmt::format("XA_START xid=1:{0:08x}:\nXA_END xid=1:{0:08x}:\nXA_PREPARE xid=1:{0:08x}:\n", i);
    if (!manager.send(out)) return {"", "the connection ended"};
    for (int i = 0; i < 300; ++i)
      if (auto const line = manager.read_line(); line && line->starts_with("PREPARED ")) ++prepared;
  }
  std::string const honest = ask(victim.local(), "XA_START xid=1:ff:ff");
  return {
      fmt::format("{} transactions that never end, with inserts of 1 MiB, {} promised; {} branches of one origin, {} "
                  "prepared and left",
                  begun.size(), promised, branches, prepared),
      unless(honest.starts_with("STARTED "), "an honest manager: " + honest)};
}

// ---------------------------------------------------------------------------
// Names

Outcome invented_clients(Victim& victim, Scale scale) {
  std::string const honest = ask(victim.local(), "INSERT table=jobs;name=h1;client=honest;sequence=1");
  test::LineClient thief{victim.tcp()};
  static_cast<void>(thief.send("INSERT table=jobs;name=t;client=honest;sequence=18446744073709551615\n"));
  std::string const stolen = thief.read_line().value_or("(no answer)");
  std::uint64_t const names = scale.pick(101'000, 101'000);
  test::LineClient client{victim.tcp()};
  std::uint64_t refused = 0;
  for (std::uint64_t name = 0; name < names;) {
    std::string out;
    for (std::uint64_t i = 0; i < 1000; ++i, ++name)
      out += fmt::format("INSERT table=jobs;name=same;client=invented{};sequence=1\n", name);
    if (!client.send(out)) break;
    for (int i = 0; i < 1000; ++i)
      if (auto const line = client.read_line(); !line || !line->starts_with("INSERTED ")) ++refused;
  }
  std::string const again = ask(victim.local(), "INSERT table=jobs;name=h2;client=honest;sequence=2");
  std::string const fresh = ask(victim.local(), "INSERT table=jobs;name=h3;client=newcomer;sequence=1");
  std::string const neighbour = ask(victim.tcp(), "INSERT table=jobs;name=h4;client=neighbour;sequence=1");
  std::string wrong = unless(honest.starts_with("INSERTED"), "the honest producer at first: " + honest);
  if (!again.starts_with("INSERTED") || again.find("result=duplicate") != std::string::npos)
    wrong += "; the honest producer afterwards: " + again;
  if (!fresh.starts_with("INSERTED")) wrong += "; a new producer: " + fresh;
  if (!neighbour.starts_with("INSERTED")) wrong += "; a new producer of that address: " + neighbour;
  return {fmt::format("{} invented names of producers ({} refused); an insert under another's name: {}", names, refused,
                      stolen.substr(0, stolen.find(' '))),
          wrong};
}

// ---------------------------------------------------------------------------
// Time

Outcome many_lists(Victim& victim, Scale scale) {
  std::uint64_t const rows = scale.pick(60'000, 300'000);
  fill(victim, rows, 10);
  Swarm swarm{victim.tcp(), true};
  for (std::uint64_t i = scale.pick(4, 16); i > 0; --i)
    swarm.add({.head = "LIST table=jobs;status=parked\n", .repeat = 4000});
  swarm.drive(20s, 4000);
  return {fmt::format("4000 LIST status=parked over {} rows by each of {} clients", rows, swarm.size()), {}};
}

Outcome appended_bytes(Victim& victim, Scale scale) {
  Swarm first{victim.tcp(), true};
  first.add({.head = frame("INSERT", {{"table", Value::of_text("texts")},
                                      {"name", Value::of_text("one")},
                                      {"payload", Value::of_text(std::string(15 * kMiB, 'b'))}})});
  first.drive(kQuiet);
  std::uint64_t const appends = scale.pick(300, 4000);
  Swarm swarm{victim.tcp(), true};
  swarm.add({.head = "INSERT table=texts;name=one;payload=", .fill = 64, .tail = "\n", .repeat = appends});
  auto const begin = Clock::now();
  swarm.drive(60s, appends);
  Seconds const took = Clock::now() - begin;
  return {fmt::format("{} appends of 64 bytes to a value of 15 MiB: {:.1f} s", appends, took.count()), {}};
}

Outcome colliding_keys(Victim& victim, Scale scale) {
  std::uint64_t const keys = scale.pick(10'000, 40'000);
  test::LineClient client{victim.tcp()};
  Seconds took[2];
  for (int crafted = 0; crafted < 2; ++crafted) {
    auto const begin = Clock::now();
    for (std::uint64_t key = 0; key < keys;) {
      std::string out;
      for (std::uint64_t i = 0; i < 500; ++i, ++key)
        out += fmt::format("INSERT table=numbers;number={}\n",
                           crafted == 1 ? key_of_hash(0x5EED000000000000U | key) : key);
      if (!client.send(out)) return {"", "the connection ended"};
      for (int i = 0; i < 500; ++i)
        if (auto const line = client.read_line(60s); !line || !line->starts_with("INSERTED "))
          return {"", "an insert was refused: " + line.value_or("(no answer)")};
    }
    took[crafted] = Clock::now() - begin;
  }
  return {fmt::format("{} keys of one hash: {:.0f} inserts a second, others {:.0f}", keys,
                      static_cast<double>(keys) / took[1].count(), static_cast<double>(keys) / took[0].count()),
          {}};
}

// A reload by a signal reports its end only in the log; an answer to this RELOAD comes after it.
void reload(Victim& victim) {
  std::string const answer = ask(victim.local(), "RELOAD");
  static_cast<void>(answer);
}

Outcome unknown_elements(Victim& victim, Scale scale) {
  std::uint64_t const elements = scale.pick(600'000, 600'000);
  std::string text = "<table name=\"bomb\" model=\"journal\" row-key=\"name\">\n";
  for (std::uint64_t i = 0; i < elements; ++i) text += "<x/>\n";
  victim.write("tables/bomb.xml", text + "</table>\n");
  victim.signal(SIGHUP);
  reload(victim);
  victim.undeclare("bomb");
  return {fmt::format("a reload of a table's file with {} unknown elements", elements), {}};
}

Outcome toggled_tables(Victim& victim, Scale scale) {
  reload(victim);
  std::uint64_t const before = victim.resident_bytes();
  std::uint64_t const times = scale.pick(500, 20'000);
  for (std::uint64_t i = 0; i < times && victim.runs(); ++i) {
    std::string const name = fmt::format("t{}", i % 7);
    victim.declare(name);
    reload(victim);
    victim.undeclare(name);
    reload(victim);
  }
  std::int64_t const grown = static_cast<std::int64_t>(victim.resident_bytes()) - static_cast<std::int64_t>(before);
  std::string const did =
      fmt::format("{} tables declared and taken back: {} KiB more than before", times, grown / 1024);
  // A table that exists takes about 6 KiB.
  return {did, unless(grown < static_cast<std::int64_t>(times * kToggleBytesMax), did)};
}

// ---------------------------------------------------------------------------
// Lock-out

Outcome idle_connections(Victim& victim, Scale) {
  Swarm swarm{victim.tcp(), true};
  for (int i = 0; i < 600; ++i) swarm.add({});
  std::string const other = ask(victim.tcp(), "ALIVE");
  std::string const answer = ask(victim.local(), "STATS");
  return {fmt::format("600 idle connections where 500 are allowed; one more hears: {}", other.substr(0, 24)),
          unless(answer.starts_with("STATS "), "the administrator: " + answer)};
}

Outcome web_page(Victim& victim, Scale) {
  Swarm swarm{victim.tcp(), true};
  swarm.add({.head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 17\r\n\r\n"
                     "PAUSE table=jobs\n"});
  swarm.drive(500ms, 100);
  std::string const insert = ask(victim.local(), "INSERT table=jobs;name=a");
  std::string const next = ask(victim.local(), "NEXT table=jobs");
  return {"a browser's POST with PAUSE in its body, heard: " + swarm.heard(0).substr(0, swarm.heard(0).find('\n')),
          unless(insert.starts_with("INSERTED") && next.starts_with("ROW"), "then NEXT: " + next)};
}

}  // namespace message_attacks

std::vector<Attack> attacks_on_messages() {
  using namespace message_attacks;
  std::string const small = "<limits memory-bytes=\"256MiB\"/>";
  auto const texts = [](Victim& victim) {
    victim.declare_with("texts", "name",
                        "<column name=\"name\" type=\"string\" required=\"true\"/>\n"
                        "<column name=\"payload\" type=\"string\" merge=\"append\"/>");
  };
  auto const numbers = [](Victim& victim) {
    victim.declare_with("numbers", "number", "<column name=\"number\" type=\"uint64\" required=\"true\"/>");
  };
  return {
      {"requests", "a request of 1 MiB is echoed in each row", small, jobs, long_request, kSmallPeakMiB},
      {"frames", "frames that never end", small, jobs, unfinished_frames, kSmallPeakMiB},
      {"waits", "waiting commands", small, jobs, waiting_commands, kSmallPeakMiB},
      {"readers", "clients that never read", small, jobs, never_reading, kSmallPeakMiB},
      {"workers", "long names in leases", small, jobs, long_names, kSmallPeakMiB},
      {"transactions", "transactions that never end", small, jobs, open_transactions, kSmallPeakMiB},
      {"producers", "invented and stolen names of producers", {}, jobs, invented_clients},
      {"lists", "commands that look at many rows", {}, jobs, many_lists},
      {"appends", "a long value that grows by little", {}, texts, appended_bytes},
      {"keys", "keys that collide", {}, numbers, colliding_keys},
      {"elements", "a file of unknown elements", {}, jobs, unknown_elements},
      {"reloads", "tables that come and go", {}, jobs, toggled_tables},
      {"idle", "idle connections", "<limits connections=\"500\"/>", jobs, idle_connections, 0, Speaks::local},
      {"browser", "a web page's POST", {}, jobs, web_page},
  };
}

}  // namespace fastjournal::hostile
