#include "tests/bench/load.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/support/line_client.h"

namespace fastjournal::bench {
namespace {

using Clock = std::chrono::steady_clock;

double thread_seconds() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

struct Line {
  explicit Line(std::string const& address) : client(address) {}
  test::LineClient client;
  std::string in;
  std::uint32_t waiting{0};
  Clock::time_point sent;
};

class Driver {
 public:
  explicit Driver(LoadPlan const& plan) : plan_(plan), epoll_(::epoll_create1(EPOLL_CLOEXEC)), buffer_(1U << 20U) {
    for (std::uint32_t i = 0; i < plan.connections; ++i) {
      lines_.push_back(std::make_unique<Line>(plan.address));
      epoll_event event{.events = EPOLLIN, .data = {.u32 = i}};
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, lines_.back()->client.fd(), &event);
    }
  }
  ~Driver() { ::close(epoll_); }
  Driver(Driver const&) = delete;
  Driver& operator=(Driver const&) = delete;

  LoadResult run() {
    auto const start = Clock::now();
    double const busy = thread_seconds();
    end_ = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(plan_.seconds));
    for (auto const& line : lines_) send_round(*line);
    epoll_event events[64];
    while (open_ > 0) {
      int const count = ::epoll_wait(epoll_, events, 64, 20'000);
      if (count <= 0) break;
      for (int i = 0; i < count; ++i) read(*lines_[events[i].data.u32]);
    }
    result_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    result_.driver_busy = (thread_seconds() - busy) / result_.seconds;
    return std::move(result_);
  }

 private:
  // A round: as many as are allowed in flight; the next follows when all are answered.
  void send_round(Line& line) {
    out_.clear();
    for (std::uint32_t i = 0; i < plan_.in_flight; ++i) plan_.message(next_++, out_);
    line.sent = Clock::now();
    if (!line.client.send(out_)) return;
    line.waiting = plan_.in_flight;
    ++open_;
  }

  void read(Line& line) {
    ssize_t const got = ::recv(line.client.fd(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got <= 0) {
      if (got == 0) --open_;
      return;
    }
    line.in.append(buffer_.data(), static_cast<std::size_t>(got));
    std::size_t at = 0;
    while (void const* found = std::memchr(line.in.data() + at, '\n', line.in.size() - at)) {
      auto const end = static_cast<std::size_t>(static_cast<char const*>(found) - line.in.data());
      note(std::string_view{line.in}.substr(at, end - at));
      --line.waiting;
      at = end + 1;
    }
    line.in.erase(0, at);
    if (line.waiting > 0) return;
    --open_;
    auto const now = Clock::now();
    result_.latency_us.add(
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now - line.sent).count()));
    if (now < end_) send_round(line);
  }

  void note(std::string_view answer) {
    if (answer.starts_with(plan_.good)) {
      ++result_.good;
    } else if (result_.bad++ == 0) {
      result_.first_bad = answer;
    }
  }

  LoadPlan const& plan_;
  int epoll_;
  std::vector<std::unique_ptr<Line>> lines_;
  std::vector<char> buffer_;
  std::string out_;
  std::uint64_t next_{0};
  std::uint32_t open_{0};
  Clock::time_point end_;
  LoadResult result_;
};

}  // namespace

LoadResult run_load(LoadPlan const& plan) { return Driver{plan}.run(); }

}  // namespace fastjournal::bench
