#include "clients/forwarder/link.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace fastjournal::forwarder {
namespace {

constexpr std::size_t kRoutesMax = 1'000;
constexpr std::chrono::seconds kFirstTry{2};

}  // namespace

DaemonLink::DaemonLink(std::vector<LineOptions> lines, Line::Events events)
    : events_(std::move(events)), done_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (std::size_t at = 0; at < lines.size(); ++at)
    lines_.emplace_back(std::move(lines[at]), done_fd_,
                        Line::Events{.answered = [this, at](std::uint64_t number,
                                                            Status const& answer) { answered(at, number, answer); },
                                     .lost =
                                         [this] {
                                           routes_.clear();
                                           tables_.clear();
                                           events_.lost();
                                         }});
}

DaemonLink::~DaemonLink() {
  lines_.clear();
  ::close(done_fd_);
}

bool DaemonLink::is_up() const { return is_up_; }

// The first that is up, from there on and around.
std::size_t DaemonLink::next_up(std::size_t from) const {
  for (std::size_t step = 0; step < lines_.size(); ++step) {
    std::size_t const at = (from + step) % lines_.size();
    if (lines_[at].state() == Line::State::up) return at;
  }
  return 0;
}

void DaemonLink::send(Message const& insert, std::string_view body, std::uint64_t number) {
  std::size_t from = 0;
  if (lines_.size() > 1) {
    std::string_view const table = insert.text("table");
    if (auto const route = routes_.find(table); route != routes_.end()) from = route->second;
    tables_.emplace_hint(tables_.end(), number, table);
  }
  lines_[next_up(from)].send(insert, body, number);
}

void DaemonLink::answered(std::size_t line, std::uint64_t number, Status const& answer) {
  if (auto const flight = tables_.find(number); flight != tables_.end()) {
    // The forwarder holds the rows of the table, and tries again: then it is another daemon's turn.
    if (answer.code() == Code::unknown_table && (routes_.size() < kRoutesMax || routes_.contains(flight->second)))
      routes_[flight->second] = (line + 1) % lines_.size();
    tables_.erase(flight);
  }
  events_.answered(number, answer);
}

void DaemonLink::turn(Moment now) {
  std::uint64_t count = 0;
  while (::read(done_fd_, &count, sizeof count) > 0) continue;
  bool const was_first = lines_.front().state() == Line::State::up;
  for (Line& line : lines_) line.turn(now);
  auto const first =
      std::find_if(lines_.begin(), lines_.end(), [](Line const& line) { return line.state() == Line::State::up; });
  is_up_ = first != lines_.end() &&
           (now >= started_ + kFirstTry ||
            std::none_of(lines_.begin(), first, [](Line const& line) { return line.is_starting(); }));
  // The best one is back: it may have learned of tables meanwhile.
  if (!was_first && lines_.front().state() == Line::State::up) routes_.clear();
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
