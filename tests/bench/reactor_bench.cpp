// The rate at which the reactor answers, and the lateness of its timer, on this computer.
//
//   fj_measure reactor [seconds per line]
//
// Echo in a closed loop: one thread drives all clients with blocking system calls through epoll, and each client sends
// its next line after the answer. Both sides share the computer, so the figures compare settings, not computers.
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "platform/reactor/address.h"
#include "platform/reactor/reactor.h"
#include "tests/bench/measure.h"
#include "tests/support/temporary_folder.h"

namespace fastjournal::bench {
namespace reactor_bench {

using fastjournal::ConnectionId;
using fastjournal::reactor::Reactor;
using fastjournal::reactor::ReactorOptions;

std::int64_t now_us() { return fastjournal::reactor::monotonic_us(); }

// CPU time of the calling thread, in seconds.
double thread_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_THREAD, &use);
  auto const seconds = [](timeval const& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// Collects the answers of a turn and sends them at its end, as the server does.
class Echo final : public fastjournal::env::NetworkHandler {
 public:
  Echo(Reactor& reactor, std::int64_t sync_us) : reactor_(reactor), sync_us_(sync_us) {}
  void on_open(ConnectionId, fastjournal::env::Peer const&) override {}
  void on_bytes(ConnectionId id, std::string_view bytes) override { answers_.emplace_back(id, bytes); }
  void on_writable(ConnectionId) override {}
  void on_end_of_input(ConnectionId id) override { reactor_.close(id); }
  void on_closed(ConnectionId, std::string_view) override {}
  void on_timer() override {}
  void on_turn_end() override {
    // Takes as long as a sync, so that gathering has something to save.
    if (sync_us_ > 0 && !answers_.empty()) {
      std::int64_t const end = now_us() + sync_us_;
      while (now_us() < end) {
      }
    }
    for (auto const& [id, bytes] : answers_) (void)reactor_.send(id, bytes);
    answers_.clear();
  }

 private:
  Reactor& reactor_;
  std::int64_t sync_us_;
  std::vector<std::pair<ConnectionId, std::string>> answers_;
};

class Clients {
 public:
  Clients(fastjournal::reactor::SocketAddress const& server, int count) : epoll_(::epoll_create1(0)) {
    for (int i = 0; i < count; ++i) {
      int const fd = ::socket(server.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
      FJ_CHECK(::connect(fd, server.get(), server.length) == 0, "the server listens");
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = fd;
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
      fds_.push_back(fd);
    }
  }
  ~Clients() {
    for (int const fd : fds_) ::close(fd);
    ::close(epoll_);
  }

  // Returns the number of round trips in this time.
  std::uint64_t run(double seconds) {
    for (int const fd : fds_) ask(fd);
    std::int64_t const end = now_us() + static_cast<std::int64_t>(seconds * 1e6);
    std::uint64_t done = 0;
    epoll_event ready[64];
    char answer[256];
    while (now_us() < end) {
      int const count = ::epoll_wait(epoll_, ready, 64, 1000);
      for (int i = 0; i < count; ++i) {
        int const fd = ready[i].data.fd;
        FJ_CHECK(::recv(fd, answer, sizeof answer, 0) > 0, "the echo answers");
        ++done;
        ask(fd);
      }
    }
    return done;
  }

 private:
  static void ask(int fd) {
    static char const line[] = "pagelist/INSERT uri=http://example.com/some/page;priority=20;\n";
    FJ_CHECK(::send(fd, line, sizeof line - 1, MSG_NOSIGNAL) == sizeof line - 1, "a line fits");
  }

  int epoll_;
  std::vector<int> fds_;
};

struct Load {
  std::string address;
  int clients;
  std::int64_t sync_us;
};

struct Figures {
  double per_second;
  double cpu_us;  // of the loop, for each round trip
  double in_a_turn;
};

Figures echo(Load const& load, bool gather, double seconds) {
  ReactorOptions options;
  options.gather = gather;
  auto made = Reactor::create(options);
  FJ_CHECK(made.ok(), "the reactor starts");
  Reactor& reactor = *made.value();
  Echo handler{reactor, load.sync_us};
  reactor.set_handler(handler);
  auto bound = reactor.listen({load.address}, {});
  FJ_CHECK(bound.ok(), "the address is free");
  auto server = fastjournal::reactor::parse_address(bound.value().text);
  FJ_CHECK(server.ok(), "a bound address can be read");

  double used = 0;
  std::thread loop{[&] {
    double const before = thread_seconds();
    FJ_CHECK(reactor.run().ok(), "the loop runs");
    used = thread_seconds() - before;
  }};
  double done = 0;
  {
    Clients peers{server.value(), load.clients};
    done = static_cast<double>(peers.run(seconds));
    reactor.stop();
  }
  loop.join();
  return {done / seconds, used * 1e6 / done,
          done / static_cast<double>(std::max<std::uint64_t>(reactor.counters().turns, 1))};
}

// With and without gathering alternately, and their medians: other load on the computer then affects both.
void compare(Load const& load, double seconds) {
  constexpr int kRounds = 5;
  std::vector<Figures> rounds[2];
  for (int i = 0; i < kRounds; ++i)
    for (bool const gather : {false, true}) rounds[gather ? 1 : 0].push_back(echo(load, gather, seconds / kRounds));
  auto const median = [](std::vector<Figures> const& of, double Figures::*figure) {
    std::vector<double> values;
    for (Figures const& one : of) values.push_back(one.*figure);
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  for (bool const gather : {false, true}) {
    std::vector<Figures> const& of = rounds[gather ? 1 : 0];
    std::printf(
        "echo %-4s clients=%-3d sync_us=%-3lld gather=%-3s  %8.0f round trips/s  %6.2f us cpu each  %5.1f in a turn\n",
        load.address[0] == '/' ? "unix" : "tcp", load.clients, static_cast<long long>(load.sync_us),
        gather ? "on" : "off", median(of, &Figures::per_second), median(of, &Figures::cpu_us),
        median(of, &Figures::in_a_turn));
  }
}

// Asks for dates a little ahead, one after the other, and records how late each comes.
class Lateness final : public fastjournal::env::NetworkHandler {
 public:
  Lateness(Reactor& reactor, int dates) : reactor_(reactor), left_(dates) {}
  void on_open(ConnectionId, fastjournal::env::Peer const&) override {}
  void on_bytes(ConnectionId, std::string_view) override {}
  void on_writable(ConnectionId) override {}
  void on_end_of_input(ConnectionId) override {}
  void on_closed(ConnectionId, std::string_view) override {}
  void on_timer() override { late_us_.push_back(now_us() - date_us_); }
  void on_turn_end() override { next(); }
  void next() {
    if (left_-- == 0) {
      reactor_.stop();
      return;
    }
    date_us_ = now_us() + 300 + (left_ * 37) % 1500;
    reactor_.wake_at(date_us_);
  }
  std::vector<std::int64_t>& late_us() { return late_us_; }

 private:
  Reactor& reactor_;
  int left_;
  std::int64_t date_us_{0};
  std::vector<std::int64_t> late_us_;
};

void timer() {
  auto made = Reactor::create({});
  FJ_CHECK(made.ok(), "the reactor starts");
  Lateness handler{*made.value(), 3000};
  made.value()->set_handler(handler);
  handler.next();
  FJ_CHECK(made.value()->run().ok(), "the loop runs");
  auto& late = handler.late_us();
  std::sort(late.begin(), late.end());
  std::printf("timer: %zu dates, late by %lld us at the median, %lld at 99 %%, %lld at most\n", late.size(),
              static_cast<long long>(late[late.size() / 2]), static_cast<long long>(late[late.size() * 99 / 100]),
              static_cast<long long>(late.back()));
}

}  // namespace reactor_bench

int measure_reactor(int argc, char** argv) {
  using namespace reactor_bench;
  double const seconds = argc > 1 ? std::atof(argv[1]) : 1.0;
  timer();
  test::TemporaryFolder const folder;
  for (std::string const& address : {std::string{"127.0.0.1:0"}, folder / "socket"})
    for (std::int64_t const sync_us : {0, 80})
      for (int const clients : {1, 8, 64}) compare({address, clients, sync_us}, seconds);
  return 0;
}

}  // namespace fastjournal::bench
