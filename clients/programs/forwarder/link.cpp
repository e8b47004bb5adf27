#include "clients/programs/forwarder/link.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fastjournal::forwarder {
namespace {

constexpr std::chrono::seconds kFirstTry{2};
// More are never in flight: spool::ForwarderRules::span_max.
constexpr std::uint64_t kNumbersMax = 65'536;

std::vector<std::string> addresses_of(std::vector<LineOptions> const& lines) {
  std::vector<std::string> out;
  for (LineOptions const& line : lines) out.push_back(line.address);
  return out;
}

}  // namespace

DaemonLink::DaemonLink(std::vector<LineOptions> lines, Line::Events events)
    : events_(std::move(events)),
      as_first_(lines.front()),
      done_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      routes_(addresses_of(lines)) {
  for (LineOptions& line : lines) add_line(std::move(line));
}

void DaemonLink::add_line(LineOptions options) {
  std::size_t const at = lines_.size();
  lines_.emplace_back(
      std::move(options), done_fd_,
      Line::Events{.answered = [this, at](std::uint64_t number, Status const& answer) { answered(at, number, answer); },
                   .lost =
                       [this] {
                         routes_.forget();
                         runs_.clear();
                         events_.lost();
                       }});
}

DaemonLink::~DaemonLink() {
  lines_.clear();
  ::close(done_fd_);
}

bool DaemonLink::is_up() const { return is_up_; }

void DaemonLink::send(Message const& insert, std::string_view body, std::uint64_t number) {
  std::string_view const table = insert.text("table");
  std::size_t const line = routes_.daemon_of(
      table, [this](std::size_t at) { return at < lines_.size() && lines_[at].state() == Line::State::up; });
  if (runs_.empty() || runs_.back().second != table) runs_.emplace_back(number, table);
  while (runs_.size() > 1 && runs_[1].first + kNumbersMax <= number) runs_.pop_front();
  lines_[line].send(insert, body, number);
}

// A refused row is held with its table by the forwarder, and tried again: then by the route that is learned here.
void DaemonLink::answered(std::size_t line, std::uint64_t number, Status const& answer) {
  if (!answer.ok()) {
    auto const behind = std::ranges::upper_bound(runs_, number, {}, [](auto const& run) { return run.first; });
    if (behind != runs_.begin()) routes_.answered(std::prev(behind)->second, line, answer);
  }
  events_.answered(number, answer);
}

void DaemonLink::turn(Moment now) {
  std::uint64_t count = 0;
  while (::read(done_fd_, &count, sizeof count) > 0) continue;
  bool const was_first = lines_.front().state() == Line::State::up;
  for (Line& line : lines_) line.turn(now);
  // Not while they have their turns, which is when nodes are told.
  while (lines_.size() < routes_.addresses().size()) {
    LineOptions told = as_first_;
    told.address = routes_.addresses()[lines_.size()];
    add_line(std::move(told));
    lines_.back().turn(now);
  }
  auto const first =
      std::find_if(lines_.begin(), lines_.end(), [](Line const& line) { return line.state() == Line::State::up; });
  is_up_ = first != lines_.end() &&
           (now >= started_ + kFirstTry ||
            std::none_of(lines_.begin(), first, [](Line const& line) { return line.is_starting(); }));
  // The best one is back: it may have learned of tables meanwhile.
  if (!was_first && lines_.front().state() == Line::State::up) routes_.forget();
}

void DaemonLink::flush() {
  for (Line& line : lines_) line.flush();
}

void DaemonLink::hurry(Moment now) {
  for (Line& line : lines_) line.hurry(now);
}

void DaemonLink::add_polled(std::vector<pollfd>& to) const {
  to.push_back({done_fd_, POLLIN, 0});
  for (Line const& line : lines_)
    if (line.fd() >= 0)
      to.push_back({line.fd(), static_cast<short>(line.wants_write() ? POLLIN | POLLOUT : POLLIN), 0});
}

Moment DaemonLink::next_date() const {
  Moment out = Moment::max();
  for (Line const& line : lines_) out = std::min(out, line.next_date());
  return out;
}

}  // namespace fastjournal::forwarder
