#include "tests/bench/driver.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "tests/bench/tls_pipe.h"
#include "tests/support/line_client.h"

namespace fastjournal::bench {
namespace {

constexpr int kAnswerMilliseconds = 20'000;

std::int64_t now_us(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return std::int64_t{at.tv_sec} * 1'000'000 + at.tv_nsec / 1000;
}

struct Link {
  Link(std::string const& address, bool is_encrypted) : client(address) {
    if (is_encrypted) tls = std::make_unique<TlsPipe>(client);
  }
  test::LineClient client;
  std::unique_ptr<TlsPipe> tls;  // null: plain
  std::string wire;              // sealed, and not sent yet
  std::unique_ptr<Protocol> protocol;
  std::string in;
  std::string out;
  bool ready{true};
  bool writing{false};  // the kernel took only a part of `out`
  bool asked{false};    // an operation was added to `out` since the last flush
  std::uint32_t outstanding{0};
  std::uint32_t idle{0};                // operations in flight that found no work
  std::deque<std::uint64_t> inserting;  // row numbers, in the order of their answers
  std::deque<std::int64_t> sent;        // times of the requests, us, in the order of their answers
  std::deque<bool> chains;              // for each DONE under way: whether the answer has the next row
};

class Driver {
 public:
  Driver(Peer const& peer, Plan const& plan, Ledger& ledger)
      : plan_(plan),
        ledger_(ledger),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        timer_(::timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC)),
        buffer_(1U << 20U) {
    for (std::uint32_t i = 0; i < plan.connections; ++i) {
      links_.push_back(std::make_unique<Link>(peer.address(), peer.is_encrypted()));
      links_.back()->protocol = peer.protocol();
      watch(EPOLL_CTL_ADD, i, EPOLLIN);
    }
    epoll_event event{.events = EPOLLIN, .data = {.u32 = kTimer}};
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, timer_, &event);
  }
  ~Driver() {
    ::close(timer_);
    ::close(epoll_);
  }
  Driver(Driver const&) = delete;
  Driver& operator=(Driver const&) = delete;

  Outcome run() {
    say_hello();
    if (plan_.connected) plan_.connected();
    now_us_ = now_us(CLOCK_MONOTONIC);
    std::int64_t const start = now_us_;
    std::int64_t const busy = now_us(CLOCK_THREAD_CPUTIME_ID);
    end_us_ = start + static_cast<std::int64_t>(plan_.seconds * 1e6);
    for (auto const& link : links_) begin(*link);
    while (outcome_.supported && !is_over()) {
      if (!turn()) {
        outcome_.finished = is_over();
        break;
      }
    }
    if (is_counted() && outcome_.operations < plan_.rows) outcome_.finished = false;
    std::int64_t const stop = is_counted() ? last_us_ : now_us(CLOCK_MONOTONIC);
    outcome_.seconds = static_cast<double>(std::max(stop, start + 1) - start) / 1e6;
    outcome_.driver_busy = static_cast<double>(now_us(CLOCK_THREAD_CPUTIME_ID) - busy) /
                           static_cast<double>(now_us(CLOCK_MONOTONIC) - start);
    return std::move(outcome_);
  }

 private:
  static constexpr std::uint32_t kTimer = UINT32_MAX;

  // ---------------------------------------------------------------------------
  // The plan

  [[nodiscard]] bool is_late() const { return now_us_ >= end_us_; }
  // No new operation is begun.
  [[nodiscard]] bool is_closing() const { return is_late() || begun_ >= plan_.rows; }
  // Rows are delivered one after the other, so only their number tells when all have come.
  [[nodiscard]] bool is_counted() const { return plan_.work == Work::deliver || plan_.work == Work::wait; }
  [[nodiscard]] bool is_over() const {
    if (is_counted()) return outcome_.operations >= plan_.rows || is_late();
    for (auto const& link : links_)
      if (link->outstanding > 0) return false;
    return true;
  }

  void say_hello() {
    for (auto const& link : links_) {
      link->ready = !link->protocol->hello(link->out);
      send(*link);
    }
    now_us_ = now_us(CLOCK_MONOTONIC);
    while (std::any_of(links_.begin(), links_.end(), [](auto const& link) { return !link->ready; }))
      if (!turn()) break;
  }

  void begin(Link& link) {
    switch (plan_.work) {
      case Work::insert: fill(link); break;
      case Work::cycle:
        for (std::uint32_t i = 0; i < plan_.in_flight && !is_closing(); ++i) insert(link);
        break;
      case Work::lease_done:
      case Work::chained:
        for (std::uint32_t i = 0; i < plan_.in_flight && !is_closing(); ++i) take(link);
        break;
      case Work::deliver: outcome_.supported = link.protocol->subscribe(plan_.in_flight, link.out); break;
      case Work::wait:
        if (!link.protocol->subscribe(plan_.in_flight, link.out)) take(link);
        break;
    }
    if (plan_.work == Work::chained && !link.protocol->can_chain()) outcome_.supported = false;
    link.asked = true;
    send(link);
  }

  void fill(Link& link) {
    while (link.outstanding + plan_.batch <= plan_.in_flight && !is_closing())
      for (std::uint32_t i = 0; i < plan_.batch; ++i) insert(link);
  }

  void insert(Link& link) {
    std::uint64_t const number = ledger_.next();
    Row row{.number = number, .key = number, .data = payloads_[number]};
    if (plan_.keys > 0) {
      row.key = begun_ % plan_.keys;
      row.merge = true;
    }
    if (plan_.delay_ms) {
      row.delay_ms = plan_.delay_ms(begun_);
      row.due_ms = now_us(CLOCK_REALTIME) / 1000 + row.delay_ms;
      ledger_.set_due(number, row.due_ms);
    }
    ++begun_;
    link.protocol->insert(row, link.out);
    link.inserting.push_back(number);
    ask(link);
  }
  void take(Link& link) {
    link.protocol->take(plan_.work == Work::wait, link.out);
    ask(link);
  }
  void ask(Link& link) {
    ++link.outstanding;
    link.asked = true;
    link.sent.push_back(now_us_);
  }

  // ---------------------------------------------------------------------------
  // Answers

  void handle(Link& link, Event const& event) {
    switch (event.kind) {
      case Event::Kind::none: break;
      case Event::Kind::ready: link.ready = true; break;
      case Event::Kind::inserted:
        for (std::uint32_t i = 0; i < event.count; ++i) inserted(link);
        break;
      case Event::Kind::leased: leased(link, event); break;
      case Event::Kind::nothing: nothing(link, event.next_ms); break;
      case Event::Kind::done: done(link); break;
      case Event::Kind::woken: take(link); break;
      case Event::Kind::refused:
        if (outcome_.refused++ == 0) outcome_.first_refusal = event.text;
        if (!link.inserting.empty()) link.inserting.pop_front();
        answered(link);
        break;
    }
  }

  void answered(Link& link) {
    if (link.outstanding > 0) --link.outstanding;
    if (link.sent.empty()) return;
    if (plan_.work != Work::wait)
      outcome_.latency_us.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, now_us_ - link.sent.front())));
    link.sent.pop_front();
  }

  void inserted(Link& link) {
    ledger_.acknowledged(link.inserting.front());
    link.inserting.pop_front();
    answered(link);
    if (plan_.work == Work::cycle) {
      take(link);
    } else {
      ++outcome_.operations;
    }
  }

  void leased(Link& link, Event const& event) {
    ledger_.handed_out(event.lease.number);
    if (plan_.work == Work::wait) {
      std::int64_t const late = now_us(CLOCK_REALTIME) - ledger_.due(event.lease.number) * 1000;
      outcome_.latency_us.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, late)));
    }
    bool const pushed = link.sent.empty();
    if (!pushed) answered(link);
    bool const chain = plan_.work == Work::chained && !is_closing();
    link.protocol->done(event.lease, chain, link.out);
    link.chains.push_back(chain);
    if (pushed) {
      ++link.outstanding;
      link.asked = true;
    } else {
      ask(link);
    }
  }

  void nothing(Link& link, std::int64_t next_ms) {
    answered(link);
    if (plan_.work == Work::wait && !link.protocol->wakes()) {
      ++link.idle;
      set_timer(next_ms);
    }
  }

  void done(Link& link) {
    ++outcome_.operations;
    last_us_ = now_us_;
    bool const chain = link.chains.front();
    link.chains.pop_front();
    if (chain) return;  // the next row follows in the same answer
    bool const pushed = link.sent.empty();
    answered(link);
    if (pushed) return;
    if (plan_.work == Work::cycle) {
      if (!is_closing()) insert(link);
    } else if (plan_.work == Work::wait || (plan_.work == Work::lease_done && !is_late())) {
      take(link);
    }
  }

  // ---------------------------------------------------------------------------
  // Sockets

  // False if nothing arrived for too long.
  bool turn() {
    epoll_event events[64];
    int const left = static_cast<int>((end_us_ - now_us_) / 1000) + 1;
    int const patience = is_counted() ? std::clamp(left, 1, kAnswerMilliseconds) : kAnswerMilliseconds;
    int const count = ::epoll_wait(epoll_, events, 64, patience);
    now_us_ = now_us(CLOCK_MONOTONIC);
    if (count == 0) return is_counted() && !is_late();
    if (count < 0) return errno == EINTR;
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u32 == kTimer) {
        ask_again();
      } else {
        Link& link = *links_[events[i].data.u32];
        if ((events[i].events & EPOLLOUT) != 0) send(link);
        if ((events[i].events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 && !read(link)) return false;
      }
    }
    return true;
  }

  bool read(Link& link) {
    ssize_t const got = ::recv(link.client.fd(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR);
    std::string_view const received{buffer_.data(), static_cast<std::size_t>(got)};
    if (link.tls == nullptr)
      link.in.append(received);
    else if (!link.tls->open(received, link.in))
      return false;
    std::size_t at = 0;
    while (true) {
      Event event;
      std::size_t const taken = link.protocol->read(std::string_view{link.in}.substr(at), event);
      if (taken == 0 && event.kind == Event::Kind::none) break;
      handle(link, event);
      at += taken;
    }
    link.in.erase(0, at);
    if (plan_.work == Work::insert && end_us_ != 0 && link.ready) fill(link);
    send(link);
    return true;
  }

  void send(Link& link) {
    if (link.asked) link.protocol->flush(link.out);
    link.asked = false;
    if (link.tls != nullptr) link.tls->seal(link.out, link.wire);
    std::string& out = link.tls == nullptr ? link.out : link.wire;
    if (out.empty()) return;
    out.erase(0, link.client.send_some(out));
    bool const rest = !out.empty();
    if (rest == link.writing) return;
    link.writing = rest;
    for (std::uint32_t i = 0; i < links_.size(); ++i)
      if (links_[i].get() == &link) watch(EPOLL_CTL_MOD, i, rest ? EPOLLIN | EPOLLOUT : EPOLLIN);
  }

  void watch(int what, std::uint32_t index, unsigned events) {
    epoll_event event{.events = events, .data = {.u32 = index}};
    ::epoll_ctl(epoll_, what, links_[index]->client.fd(), &event);
  }

  // A peer that does not wake its workers is asked again at the date that it told, or soon.
  void set_timer(std::int64_t next_ms) {
    std::int64_t const soon = now_us(CLOCK_REALTIME) + 10'000;
    std::int64_t const at = next_ms > 0 ? std::min(next_ms * 1000, soon + 1'000'000) : soon;
    itimerspec when{};
    when.it_value.tv_sec = at / 1'000'000;
    when.it_value.tv_nsec = at % 1'000'000 * 1000 + 1;
    ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &when, nullptr);
  }
  void ask_again() {
    std::uint64_t expired = 0;
    static_cast<void>(::read(timer_, &expired, sizeof expired));
    for (auto const& link : links_) {
      for (; link->idle > 0; --link->idle) take(*link);
      send(*link);
    }
  }

  Plan const& plan_;
  Ledger& ledger_;
  int epoll_;
  int timer_;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<char> buffer_;
  Payloads payloads_;
  std::uint64_t begun_{0};
  std::int64_t now_us_{0};
  std::int64_t end_us_{0};
  std::int64_t last_us_{0};
  Outcome outcome_;
};

}  // namespace

Payloads::Payloads() : letters_(64U << 10U, ' ') {
  std::mt19937_64 random{42};
  for (char& c : letters_) c = static_cast<char>('a' + random() % 26);
}

Outcome run(Peer const& peer, Plan const& plan, Ledger& ledger) { return Driver{peer, plan, ledger}.run(); }

}  // namespace fastjournal::bench
