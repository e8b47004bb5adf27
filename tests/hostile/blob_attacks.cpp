// Attacks on the ports of a blob table: lengths that are announced and not sent, puts that are held open, bytes now and
// then, half frames, answers that are never read, random bytes, datagrams, puts that end early, wrong hashes. The
// honest client sends messages to another table meanwhile; afterwards a blob must be stored and read, and what the attack left
// must not take the disk.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "tests/hostile/attacks.h"
#include "tests/hostile/honest.h"
#include "tests/hostile/swarm.h"
#include "wire/bcdb/packet.h"

namespace fastjournal::hostile {
namespace blob_attacks {

using namespace std::chrono_literals;
using bcdb::Op;

// More than the write-timeout of the table.
constexpr std::chrono::milliseconds kUntilEnded = 15s;
// Of the table: no blob is larger.
constexpr std::uint64_t kBlobMiB = 16;
// Space that is asked for ahead, and blocks at the ends of what was given back.
constexpr std::uint64_t kAheadMiB = 32;

std::string hello() {
  std::string out;
  bcdb::write(bcdb::Hello{}, out);
  return out;
}

std::string frame(Op op, std::string_view name, std::uint64_t length = 0, Hash128 hash = {}) {
  std::string out;
  bcdb::write({.op = op, .echo = 7, .key = bcdb::make_key(name), .length = length, .hash = hash}, out);
  return out;
}

std::string put(std::string_view name, std::string_view bytes) {
  return frame(Op::put, name, bytes.size(), hash128(bytes)) + std::string{bytes};
}

std::string fetch(std::string_view name) { return frame(Op::fetch, name, bcdb::kToItsEnd); }

// A query, or the head of a write, of version 1.
std::string ask_for(std::string_view name) {
  std::string out;
  bcdb::write(bcdb::Ask{.echo = 7, .key = bcdb::make_key(name)}, out);
  return out;
}

// The replies of version 2 to these bytes, which bring no contents.
std::vector<bcdb::Reply> replies_of(test::LineClient& client, std::size_t count) {
  std::vector<bcdb::Reply> out;
  std::string text;
  while (out.size() < count) {
    auto const head = client.read_bytes(bcdb::kReplyBytes, kAnswerPatience);
    if (!head) break;
    text = *head;
    bcdb::Reply reply;
    for (bcdb::Cut cut = bcdb::read(text, reply); cut.kind == bcdb::Cut::Kind::need_more;
         cut = bcdb::read(text, reply)) {
      auto const more = client.read_bytes(cut.bytes - text.size(), kAnswerPatience);
      if (!more) return out;
      text += *more;
    }
    out.push_back(reply);
  }
  return out;
}

// The table still stores a small blob and a large one, and has them.
std::string unless_serves(Victim& victim) {
  test::LineClient client{victim.blob_write()};
  std::string const large(kMiB, 'l');
  if (!client.send(hello() + put("afterwards", "small") + put("large", large), kAnswerPatience))
    return "no put is taken";
  if (!client.read_bytes(bcdb::kHelloBytes, kAnswerPatience)) return "then no hello came";
  std::vector<bcdb::Reply> const stored = replies_of(client, 2);
  for (bcdb::Reply const& reply : stored)
    if (reply.outcome != bcdb::Outcome::ok) return "then a put heard: " + reply.text;
  if (stored.size() != 2) return fmt::format("then {} of 2 puts were answered", stored.size());
  std::string const shown = ask(victim.local(), "GET table=blobs;key=large");
  return shown.starts_with("BLOB") && shown.find("length=1048576") != std::string::npos ? std::string{}
                                                                                        : "then GET: " + shown;
}

// No blob of these names is there.
std::string unless_absent(Victim& victim, std::string_view name) {
  std::string const shown = ask(victim.local(), fmt::format("GET table=blobs;key={}", name));
  return shown.find("result=absent") != std::string::npos ? std::string{} : fmt::format("{} is there: {}", name, shown);
}

// The files of the table take at most this, once jobs have given back what is to be given back: as long as they take less
// and less it is waited for.
std::string unless_small(Victim& victim, std::uint64_t mib_max) {
  std::uint64_t mib = UINT64_MAX;
  for (int tries = 0; tries < 5000; ++tries) {
    std::uint64_t const now = victim.blob_disk_bytes() / kMiB;
    if (now <= mib_max) return {};
    if (now < mib) tries = 0;
    mib = std::min(mib, now);
    static_cast<void>(ask(victim.local(), "STATS table=blobs"));
  }
  return fmt::format("its files take {} MiB of the disk, expected {} at the most", mib, mib_max);
}

Outcome lying_lengths(Victim& victim, Scale scale) {
  Swarm lies{victim.blob_write(), true};
  for (std::uint64_t i = scale.pick(8, 100); i > 0; --i)
    for (std::uint64_t const length :
         {UINT64_MAX, std::uint64_t{INT64_MAX}, std::uint64_t{1} << 40U, kBlobMiB * kMiB + 1})
      lies.add({.head = hello() + frame(Op::put, "lie", length), .fill = kMiB});
  lies.drive(kQuiet, UINT32_MAX);
  std::string wrong;
  for (std::size_t i = 0; i < lies.size() && wrong.empty(); ++i)
    if (lies.heard(i).size() < bcdb::kHelloBytes + bcdb::kReplyBytes) wrong = "a length that lies was not refused";
  // Of a length that is allowed, and nothing behind it.
  Swarm held{victim.blob_write(), true};
  for (std::uint64_t i = scale.pick(12, 100); i > 0; --i)
    held.add({.head = hello() + frame(Op::put, "lie", kBlobMiB * kMiB)});
  held.drive(kQuiet, UINT32_MAX);
  std::uint64_t const held_mib = victim.blob_disk_bytes() / kMiB;
  held.dribble(kUntilEnded, kUntilEnded);
  if (wrong.empty() && held.ended() != held.size()) wrong = "a put was not ended in time";
  // Before anything else is stored, as then its space lies behind the end of the file.
  wrong = first_of(wrong, unless_small(victim, kAheadMiB));
  return {
      fmt::format("{} puts of up to 2^64 bytes: all refused; {} of {} MiB of which nothing came: ended in time, {} MiB "
                  "of the disk meanwhile, {} MiB afterwards",
                  lies.size(), held.size(), kBlobMiB, held_mib, victim.blob_disk_bytes() / kMiB),
      first_of(wrong, first_of(unless_absent(victim, "lie"), unless_serves(victim)))};
}

Outcome held_puts(Victim& victim, Scale scale) {
  std::string const some(100'000, 'x');
  Swarm one{victim.blob_write(), true};
  for (std::uint64_t i = scale.pick(50, 400); i > 0; --i) one.add({.head = ask_for("held") + some});
  one.drive(kQuiet, UINT32_MAX);
  Swarm two{victim.blob_write(), true};
  for (std::uint64_t i = scale.pick(50, 400); i > 0; --i)
    two.add({.head = hello() + frame(Op::put, "held", kMiB) + some});
  two.drive(kQuiet, UINT32_MAX);
  std::string wrong = first_of(unless_serves(victim), unless_absent(victim, "held"));
  one.dribble(kUntilEnded, kUntilEnded);
  two.dribble(kUntilEnded, kUntilEnded);
  std::size_t const open = one.size() + two.size() - one.ended() - two.ended();
  if (wrong.empty() && open != 0) wrong = fmt::format("{} puts are open after their time", open);
  wrong = first_of(wrong, unless_absent(victim, "held"));
  return {
      fmt::format("{} puts of version 1 and {} of version 2 that were begun and held open: all but {} ended in time",
                  one.size(), two.size(), open),
      first_of(wrong, unless_small(victim, kAheadMiB))};
}

Outcome trickles(Victim& victim, Scale scale) {
  Swarm one{victim.blob_write(), true};
  for (std::uint64_t i = scale.pick(50, 500); i > 0; --i) one.add({.head = ask_for("slow"), .fill = kMiB});
  Swarm two{victim.blob_write(), true};
  for (std::uint64_t i = scale.pick(50, 500); i > 0; --i)
    two.add({.head = hello() + frame(Op::put, "slow", kMiB), .fill = kMiB});
  one.dribble(20ms, kUntilEnded);
  two.dribble(20ms, kUntilEnded);
  std::size_t const open = one.size() + two.size() - one.ended() - two.ended();
  std::string wrong = open == 0 ? std::string{} : fmt::format("{} slow writers were not ended", open);
  wrong = first_of(first_of(wrong, unless_absent(victim, "slow")), unless_serves(victim));
  return {fmt::format("a byte each 20 ms by {} writers: all but {} were ended in time", one.size() + two.size(), open),
          first_of(wrong, unless_small(victim, kAheadMiB))};
}

Outcome half_frames(Victim& victim, Scale scale) {
  std::string const whole = hello() + put("part", std::string(60'000, 'v'));
  std::string const parts = hello() + fetch("part");
  Swarm swarm{victim.blob_write(), true};
  for (std::uint64_t i = scale.pick(100, 400); i > 0; --i) swarm.add({.head = whole.substr(0, whole.size() - 1)});
  swarm.drive(kQuiet);
  Swarm heads{victim.blob_read(), true};
  for (std::uint64_t i = scale.pick(64, 90); i > 0; --i) heads.add({.head = parts.substr(0, i % parts.size())});
  heads.drive(kQuiet);
  return {fmt::format("{} puts of 60 kB that lack their last byte, {} parts of a head", swarm.size(), heads.size()),
          first_of(unless_absent(victim, "part"), unless_serves(victim))};
}

Outcome unread_answers(Victim& victim, Scale scale) {
  Swarm fill{victim.blob_write(), true};
  fill.add({.head = hello() + put("much", std::string(8 * kMiB, 'm'))});
  fill.drive(kQuiet, UINT32_MAX);
  Swarm fetches{victim.blob_read(), false};
  for (std::uint64_t i = scale.pick(40, 200); i > 0; --i) fetches.add({.head = hello() + fetch("much")});
  for (std::uint64_t i = scale.pick(20, 100); i > 0; --i)
    fetches.add({.head = hello() + fetch("much") + fetch("much")});
  Swarm queries{victim.blob_read(), false};
  for (std::uint64_t i = scale.pick(20, 100); i > 0; --i) queries.add({.head = ask_for("much"), .repeat = 200'000});
  fetches.drive(kQuiet);
  queries.drive(kQuiet);
  Swarm read{victim.blob_read(), true};
  for (std::uint64_t i = scale.pick(4, 16); i > 0; --i)
    read.add({.head = ask_for("much"), .repeat = scale.pick(20'000, 200'000)});
  read.drive(kQuiet, UINT32_MAX);
  std::string wrong;
  for (std::size_t i = 0; i < read.size() && wrong.empty(); ++i)
    if (read.heard(i).size() < bcdb::kResponseBytes) wrong = "one who reads was not answered";
  return {fmt::format("fetches of 8 MiB by {} connections and 200,000 queries by each of {} that never read, and {} "
                      "that do",
                      fetches.size(), queries.size(), read.size()),
          first_of(wrong, unless_serves(victim))};
}

Outcome random_packets(Victim& victim, Scale scale) {
  std::mt19937_64 random{1};
  std::uint64_t const times = scale.pick(400, 20'000);
  for (std::uint64_t i = 0; i < times; i += 100) {
    Swarm readers{victim.blob_read(), true};
    Swarm writers{victim.blob_write(), true};
    for (int one = 0; one < 100; ++one) {
      std::string bytes = one % 2 == 0 ? hello() : std::string{};
      // An unknown kind, or a known one with fields of any value.
      if (one % 4 == 0) bytes += std::string{static_cast<char>(random() % 6), 0, 0, 0};
      for (std::uint64_t left = random() % 2000; left > 0; --left) bytes.push_back(static_cast<char>(random()));
      (one % 3 == 0 ? writers : readers).add({.head = bytes});
    }
    readers.drive(100ms, UINT32_MAX);
    writers.drive(100ms);
  }
  return {fmt::format("random bytes and kinds by {} connections, half of them behind a hello (seed 1)", times),
          unless_serves(victim)};
}

// A socket with an address of its own, as answers go to it.
class DatagramSender {
 public:
  DatagramSender(std::string const& to, std::string const& own) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    to_.sun_family = AF_UNIX;
    std::strncpy(to_.sun_path, to.c_str(), sizeof to_.sun_path - 1);
    sockaddr_un self{};
    self.sun_family = AF_UNIX;
    std::strncpy(self.sun_path, own.c_str(), sizeof self.sun_path - 1);
    static_cast<void>(::bind(fd_, reinterpret_cast<sockaddr const*>(&self), sizeof self));
  }
  ~DatagramSender() { ::close(fd_); }
  DatagramSender(DatagramSender const&) = delete;
  DatagramSender& operator=(DatagramSender const&) = delete;

  // Waits while the daemon's queue is full: a flood as fast as it reads.
  [[nodiscard]] bool send(std::string_view bytes) const {
    return ::sendto(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr const*>(&to_),
                    sizeof to_) >= 0;
  }
  [[nodiscard]] std::string receive(std::chrono::milliseconds limit) const {
    pollfd wait{.fd = fd_, .events = POLLIN, .revents = 0};
    char bytes[64];
    if (::poll(&wait, 1, static_cast<int>(limit.count())) <= 0) return {};
    ssize_t const got = ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
    return got <= 0 ? std::string{} : std::string{bytes, static_cast<std::size_t>(got)};
  }

 private:
  int fd_;
  sockaddr_un to_{};
};

Outcome datagrams(Victim& victim, Scale scale) {
  DatagramSender const flood{victim.blob_ask(), victim.file("flood")};
  std::uint64_t const count = scale.pick(60'000, 600'000);
  std::uint64_t sent = 0;
  std::string const right = ask_for("any");
  std::string const large(60'000, 'x');
  // Its answers are never read, so its own queue is full soon.
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string_view const one = i % 3 == 0   ? std::string_view{right}
                                 : i % 3 == 1 ? std::string_view{large}.substr(0, i % 64)
                                              : std::string_view{large}.substr(0, i % 30'000);
    if (flood.send(one)) ++sent;
  }
  DatagramSender const honest{victim.blob_ask(), victim.file("honest")};
  std::string wrong;
  if (!honest.send(right) || honest.receive(kAnswerPatience).size() != bcdb::kResponseBytes)
    wrong = "a query behind the flood has no answer";
  return {fmt::format("{} datagrams of 0 to 30,000 bytes, a third of them queries whose answers are never read", sent),
          first_of(wrong, unless_serves(victim))};
}

Outcome aborted_puts(Victim& victim, Scale scale) {
  std::uint64_t const times = scale.pick(300, 5000);
  std::string const some(900'000, 'x');
  std::uint64_t largest = 0;
  for (std::uint64_t i = 0; i < times; i += 10) {
    // Ended by the destructor, before the last byte.
    Swarm swarm{victim.blob_write(), true};
    for (int one = 0; one < 10; ++one) swarm.add({.head = hello() + frame(Op::put, "aborted", kMiB) + some});
    swarm.drive(100ms);
    largest = std::max(largest, victim.blob_disk_bytes());
  }
  // Each leaves at most a block at each of its ends.
  std::uint64_t const most = kAheadMiB + times * 8192 / kMiB;
  return {
      fmt::format("{} puts of 1 MiB that were ended after 900 kB: at most {} MiB of the disk", times, largest / kMiB),
      first_of(first_of(unless_absent(victim, "aborted"), unless_serves(victim)), unless_small(victim, most))};
}

Outcome wrong_hashes(Victim& victim, Scale scale) {
  std::string const small(1000, 's');
  std::string const large(200'000, 'l');
  std::string all = hello();
  for (std::string const& bytes : {small, large}) all += frame(Op::put, "wrong", bytes.size(), {1, 2}) + bytes;
  std::size_t const count = scale.pick(20, 100);
  std::string wrong;
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i < count && wrong.empty(); ++i) {
    test::LineClient client{victim.blob_write()};
    for (std::size_t one = 0; one < 10 && wrong.empty(); ++one) {
      std::string const again = one == 0 ? all : all.substr(bcdb::kHelloBytes);
      if (!client.send(again) || (one == 0 && !client.read_bytes(bcdb::kHelloBytes))) wrong = "a put was not taken";
      for (bcdb::Reply const& reply : replies_of(client, 2)) {
        refused += reply.outcome == bcdb::Outcome::damaged ? 1U : 0U;
        if (reply.outcome != bcdb::Outcome::damaged) wrong = "a wrong hash was answered with " + reply.text;
      }
    }
  }
  if (wrong.empty() && refused != count * 20) wrong = fmt::format("{} of {} were answered", refused, count * 20);
  return {fmt::format("{} puts of 1 kB and 200 kB with other hashes than theirs: all were refused", refused),
          first_of(first_of(wrong, unless_absent(victim, "wrong")),
                   first_of(unless_serves(victim), unless_small(victim, kAheadMiB + count * 20 * 8192 / kMiB)))};
}

}  // namespace blob_attacks

std::vector<Attack> attacks_on_blobs() {
  using namespace blob_attacks;
  auto const attack = [](char const* name, char const* what, std::function<Outcome(Victim&, Scale)> run) {
    return Attack{.name = name,
                  .what = what,
                  .configuration = "<limits memory-bytes=\"256MiB\"/>",
                  .prepare = [](Victim& victim) { victim.declare_blobs(); },
                  .run = std::move(run),
                  .peak_mib_max = kSmallPeakMiB};
  };
  return {attack("lengths", "blobs that are announced and not sent", lying_lengths),
          attack("held", "puts that are held open", held_puts),
          attack("trickles", "writers of a byte now and then", trickles),
          attack("parts", "packets that never end", half_frames),
          attack("fetches", "readers of blobs that never read", unread_answers),
          attack("packets", "random bytes at the ports of blobs", random_packets),
          attack("datagrams", "datagrams without a pause", datagrams),
          attack("aborted", "puts that end early", aborted_puts),
          attack("hashes", "puts with wrong hashes", wrong_hashes)};
}

}  // namespace fastjournal::hostile
