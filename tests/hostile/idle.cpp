#include "tests/hostile/idle.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>

#include "tests/hostile/honest.h"
#include "tests/support/tls_client.h"

namespace fastjournal::hostile {
namespace {

using Clock = std::chrono::steady_clock;
using test::LineClient;

// Of the daemon's address space: enough for buffers of OpenSSL in each connection.
constexpr std::uint64_t kAddressSpaceBytes = std::uint64_t{16} << 30U;
// Besides the connections: of this process and of the daemon, whose own share is in src/platform/reactor/listeners.cpp.
constexpr std::uint64_t kOtherDescriptors = 512;
constexpr std::string_view kAlive = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

void raise_descriptors(std::uint64_t wanted) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur >= wanted) return;
  if (files.rlim_max < wanted)
    throw std::runtime_error(
        fmt::format("{} descriptors are needed and {} allowed: raise the hard limit (ulimit -Hn), "
                    "or choose fewer connections",
                    wanted, files.rlim_max));
  files.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Rounds {
 public:
  void add(std::vector<double> us, double seconds, double processor_seconds) {
    if (us.empty()) return;
    std::sort(us.begin(), us.end());
    rate_.push_back(static_cast<double>(us.size()) / seconds);
    p50_.push_back(us[us.size() / 2]);
    p99_.push_back(us[us.size() * 99 / 100]);
    processor_us_.push_back(processor_seconds * 1e6 / static_cast<double>(us.size()));
  }
  [[nodiscard]] Pace pace() const { return {median(rate_), median(p50_), median(p99_), median(processor_us_)}; }

 private:
  std::vector<double> rate_;
  std::vector<double> p50_;
  std::vector<double> p99_;
  std::vector<double> processor_us_;
};

using Ask = std::function<bool()>;

std::string go_on(Victim const& victim, Ask const& ask, double seconds, Rounds& rounds) {
  std::vector<double> us;
  double const busy = victim.loop_seconds();
  auto const begin = Clock::now();
  Seconds passed{0};
  while (passed.count() < seconds) {
    auto const sent = Clock::now();
    if (!ask()) return "the honest client was not answered";
    us.push_back(Seconds{Clock::now() - sent}.count() * 1e6);
    passed = Clock::now() - begin;
  }
  rounds.add(std::move(us), passed.count(), victim.loop_seconds() - busy);
  return {};
}

// The honest client of one daemon: it speaks what the idle ones speak.
struct Honest {
  Ask insert;
  Ask alive;
};

Honest over_http(Victim const& victim) {
  auto const client = std::make_shared<LineClient>(victim.http());
  auto const number = std::make_shared<std::uint64_t>(0);
  auto const answered = [client](std::string const& request) {
    if (!client->send(request)) return false;
    std::optional<HttpAnswer> const answer = read_http_answer(*client);
    return answer && answer->status == 200;
  };
  return {[=] { return answered(http_post("INSERT", fmt::format(R"({{"table":"jobs","name":"k{}"}})", ++*number))); },
          [=] { return answered(std::string{kAlive}); }};
}

Honest over_messages(Victim const& victim) {
  auto const client = std::make_shared<LineClient>(victim.tcp());
  auto const number = std::make_shared<std::uint64_t>(0);
  return {[=] { return client->ask(fmt::format("INSERT table=jobs;name=k{}", ++*number)).starts_with("INSERTED "); },
          [=] { return client->ask("ALIVE").starts_with("ABSOLUTELY "); }};
}

Honest over_tls(Victim const& victim) {
  auto const client = std::make_shared<test::TlsClient>(victim.tls(), test::TlsClientOptions{.ca = victim.authority()});
  if (!client->handshake()) throw std::runtime_error("handshake: " + client->error());
  auto const number = std::make_shared<std::uint64_t>(0);
  auto const answered = [client](std::string const& line, std::string_view begin) {
    return client->send(line + "\n") && client->read_line().value_or("").starts_with(begin);
  };
  return {[=] { return answered(fmt::format("INSERT table=jobs;name=k{}", ++*number), "INSERTED "); },
          [=] { return answered("ALIVE", "ABSOLUTELY "); }};
}

struct Kind {
  char const* name;
  Honest (*honest)(Victim const&);
  LineClient (*open)(Victim const&);
};

LineClient open_messages(Victim const& victim) { return LineClient{victim.tcp()}; }
LineClient open_http(Victim const& victim) { return LineClient{victim.http()}; }

LineClient keep_http(Victim const& victim) {
  LineClient client{victim.http()};
  std::optional<HttpAnswer> const answer = client.send(kAlive) ? read_http_answer(client) : std::nullopt;
  if (!answer || answer->status != 200) throw std::runtime_error("an idle connection's only request was not answered");
  return client;
}

// Nothing is read or written afterwards, so only the socket is kept.
LineClient keep_tls(Victim const& victim, std::string const& address, std::string const& request) {
  test::TlsClient client{address, {.ca = victim.authority()}};
  if (!client.handshake()) throw std::runtime_error("an idle connection's handshake: " + client.error());
  if (!client.send(request) || !client.read_line())
    throw std::runtime_error("an idle connection's only request was not answered");
  return std::move(client.line());
}
LineClient keep_tls_messages(Victim const& victim) { return keep_tls(victim, victim.tls(), "ALIVE\n"); }
LineClient keep_https(Victim const& victim) { return keep_tls(victim, victim.https(), std::string{kAlive}); }

constexpr Kind kKinds[] = {{"messages, silent", over_messages, open_messages},
                           {"HTTP, silent", over_http, open_http},
                           {"HTTP, kept after a request", over_http, keep_http},
                           {"messages over TLS", over_tls, keep_tls_messages},
                           {"HTTP over TLS, kept", over_tls, keep_https}};

IdleFigure measure(Programs const& programs, IdlePlan const& plan, Kind const& kind) {
  IdleFigure out{.kind = kind.name};
  std::string const limits = fmt::format(
      "<limits connections=\"{0}\" connections-per-peer=\"{0}\" first-message=\"0\"/>", plan.connections + 100);
  Victim alone{programs, kAddressSpaceBytes, limits};
  Victim beside{programs, kAddressSpaceBytes, limits};
  for (Victim* const one : {&alone, &beside}) {
    one->declare("jobs");
    static_cast<void>(one->start());
  }
  Honest const here = kind.honest(alone);
  Honest const there = kind.honest(beside);
  // What the first of them need is not counted.
  std::vector<LineClient> idle;
  for (int i = 0; i < 20; ++i) idle.push_back(kind.open(beside));
  if (!there.alive()) out.wrong = "the honest client was not answered";
  std::uint64_t const before = beside.resident_bytes();
  while (idle.size() < plan.connections) idle.push_back(kind.open(beside));
  if (!there.alive()) out.wrong = "the honest client was not answered";
  out.bytes_each = (static_cast<double>(beside.resident_bytes()) - static_cast<double>(before)) /
                   static_cast<double>(std::max<std::uint64_t>(plan.connections, 21) - 20);
  {
    double const busy = beside.loop_seconds();
    auto const begin = Clock::now();
    // Nothing comes: the wait is the measurement.
    static_cast<void>(idle.front().read_line(std::chrono::milliseconds{static_cast<int>(plan.seconds * 2000)}));
    out.processor_share = (beside.loop_seconds() - busy) / Seconds{Clock::now() - begin}.count();
  }
  Rounds insert_here;
  Rounds insert_there;
  Rounds alive_here;
  Rounds alive_there;
  auto const work = [&](Victim const& victim, Ask const& ask, Rounds& into) {
    if (out.wrong.empty()) out.wrong = go_on(victim, ask, plan.seconds, into);
  };
  for (std::uint32_t round = 0; round < plan.rounds; ++round) {
    work(alone, here.insert, insert_here);
    work(beside, there.insert, insert_there);
    work(alone, here.alive, alive_here);
    work(beside, there.alive, alive_there);
  }
  out.insert_alone = insert_here.pace();
  out.insert_beside = insert_there.pace();
  out.alive_alone = alive_here.pace();
  out.alive_beside = alive_there.pace();
  std::size_t const ended = static_cast<std::size_t>(std::count_if(idle.begin(), idle.end(), [](LineClient& one) {
    static_cast<void>(one.read_line(std::chrono::milliseconds{0}));
    return one.closed();
  }));
  if (ended != 0) out.wrong = fmt::format("{} idle connections were ended", ended);
  if (std::string const ending = beside.ending(); !ending.empty()) out.wrong = "the daemon " + ending;
  return out;
}

std::string shown(char const* what, Pace const& alone, Pace const& beside) {
  std::string out = fmt::format("  {:<16}", what);
  for (Pace const& one : {alone, beside})
    out +=
        fmt::format(" {:>10.0f} {:>8.0f} {:>8.0f} {:>8.1f}", one.per_second, one.p50_us, one.p99_us, one.processor_us);
  return out + "\n";
}

}  // namespace

std::vector<IdleFigure> measure_idle(Programs const& programs, IdlePlan const& plan) {
  raise_descriptors(plan.connections + kOtherDescriptors);
  std::vector<IdleFigure> out;
  for (Kind const& kind : kKinds) {
    fmt::print(stderr, "{} idle connections: {}\n", plan.connections, kind.name);
    try {
      out.push_back(measure(programs, plan, kind));
    } catch (std::exception const& error) {
      out.push_back({.kind = kind.name, .wrong = error.what()});
    }
  }
  return out;
}

std::string as_table(std::vector<IdleFigure> const& figures, IdlePlan const& plan) {
  std::string out =
      fmt::format("{} idle connections; one honest client of the same kind; medians of {} rounds of {} s\n",
                  plan.connections, plan.rounds, plan.seconds);
  out += fmt::format("  {:<16} {:>10} {:>8} {:>8} {:>8} {:>10} {:>8} {:>8} {:>8}\n", "", "alone /s", "p50 us", "p99 us",
                     "loop us", "beside /s", "p50 us", "p99 us", "loop us");
  for (IdleFigure const& one : figures) {
    out += fmt::format("{}: {:.0f} bytes each, {:.1f} % of a processor while nothing is said\n", one.kind,
                       one.bytes_each, one.processor_share * 100);
    out += shown("INSERT, synced", one.insert_alone, one.insert_beside);
    out += shown("ALIVE", one.alive_alone, one.alive_beside);
    if (!one.wrong.empty()) out += "WRONG: " + one.wrong + "\n";
  }
  return out;
}

}  // namespace fastjournal::hostile
