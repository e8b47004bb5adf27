#include "plugins/queue/beanstalk_protocol.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::queue::beanstalk {
namespace {

constexpr std::string_view kBadFormat = "BAD_FORMAT\r\n";
// How long before its end a lease ends a wait, as in beanstalkd.
constexpr std::int64_t kMarginMs = 1000;
constexpr std::uint64_t kKickMax = 1'000;
// Memory of a job that is reserved, in the map.
constexpr std::size_t kJobBytes = 72;
// A lease is no longer, whatever its job says.
constexpr std::uint32_t kTtrMax = 365 * 86'400;

bool takes(std::string_view& line, std::string_view word) {
  if (!line.starts_with(word)) return false;
  line.remove_prefix(word.size());
  return true;
}

// Of a tube, as beanstalkd has it.
bool is_name(std::string_view name) {
  auto const fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"-+/;.$_()"}.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kTubeNameBytesMax && name.front() != '-' && std::ranges::all_of(name, fits);
}

// A number in front of the line, behind blanks. False: there is none, or it is too large.
template <typename T>
bool take_number(std::string_view& line, T& number) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  auto const [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return error == std::errc{};
}
template <typename T>
bool take_last_number(std::string_view line, T& number) {
  return take_number(line, number) && line.empty();
}

Value copied(std::string_view text, Message& message) { return Value::of_text(message.arena().copy(text)); }
// So many seconds from now.
Value after(std::int64_t seconds, Message& message) { return copied(fmt::format("+{}", seconds * 1000), message); }

}  // namespace

BeanstalkProtocol::BeanstalkProtocol(std::size_t piece_bytes_max, std::shared_ptr<Tubes> tubes)
    : piece_bytes_max_(piece_bytes_max), tubes_(std::move(tubes)) {
  ++tubes_->totals.connections;
  ++tubes_->totals.connections_ever;
  ++tubes_->at(used_).using_it;
  ++tubes_->at(watched_.front()).watching;
}

BeanstalkProtocol::~BeanstalkProtocol() {
  end_waiting();
  --tubes_->totals.connections;
  if (is_producer_) --tubes_->totals.producers;
  if (is_worker_) --tubes_->totals.workers;
  --tubes_->at(used_).using_it;
  tubes_->leave(used_);
  for (std::string const& name : watched_) {
    --tubes_->at(name).watching;
    tubes_->leave(name);
  }
}

std::size_t BeanstalkProtocol::kept_bytes() const {
  return watched_bytes_ + watched_.size() * sizeof(std::string) + jobs_.capacity() * kJobBytes +
         names_.capacity() * sizeof(std::string);
}

// ---------------------------------------------------------------------------
// Lines

Protocol::Piece BeanstalkProtocol::read(std::string_view unread, Message& message, std::string& out) {
  if (unread.empty()) return {};
  if (ends_) return {.kind = Kind::nothing, .ends = true, .consumed = unread.size(), .bytes = unread.size()};
  if (skipped_ > 0) {
    std::size_t const bytes = std::min(skipped_, unread.size());
    skipped_ -= bytes;
    if (skipped_ == 0) out += "JOB_TOO_BIG\r\n";
    return {.kind = Kind::nothing, .consumed = bytes, .bytes = bytes};
  }
  if (skips_line_) {
    std::size_t const end = unread.find(kEnd);
    skips_line_ = end == std::string_view::npos;
    if (!skips_line_) out += kBadFormat;
    std::size_t const bytes =
        !skips_line_ ? end + kEnd.size() : unread.size() - static_cast<std::size_t>(unread.back() == '\r');
    return bytes == 0 ? Piece{} : Piece{.kind = Kind::nothing, .consumed = bytes, .bytes = bytes};
  }
  if (is_answered_) return done();
  if (next_ != Doing::nothing) return command(next_, message);
  return read_line(unread, message, out);
}

// The first carriage return ends it, or none does.
Protocol::Piece BeanstalkProtocol::read_line(std::string_view unread, Message& message, std::string& out) {
  std::string_view const front = unread.substr(0, kLineBytesMax);
  std::size_t const end = front.find('\r');
  if (end == std::string_view::npos || end + 1 >= front.size() || front[end + 1] != '\n') {
    if (front.size() < kLineBytesMax) return {};
    skips_line_ = true;
    return {.kind = Kind::nothing, .consumed = front.size(), .bytes = front.size()};
  }
  line_bytes_ = end + kEnd.size();
  std::string_view const line = front.substr(0, end);
  if (line.find('\0') != std::string_view::npos) return said(kBadFormat, out);
  return carry_out(line, unread, message, out);
}

Protocol::Piece BeanstalkProtocol::said(std::string_view answer, std::string& out) {
  out += answer;
  return done();
}

Protocol::Piece BeanstalkProtocol::done() {
  is_answered_ = has_looked_ = false;
  next_ = Doing::nothing;
  return {.kind = Kind::nothing, .ends = ends_, .consumed = line_bytes_, .bytes = line_bytes_};
}

// Words in the order in which beanstalkd looks for them; a longer word may begin with one of them.
Protocol::Piece BeanstalkProtocol::carry_out(std::string_view line, std::string_view unread, Message& message,
                                             std::string& out) {
  std::string_view rest = line;
  if (takes(rest, "put ")) return put(rest, unread, message, out);
  if (takes(rest, "peek ")) return about_job(Doing::peek, rest, message, out);
  for (auto const& [word, op, status] :
       {std::tuple{"peek-ready", Op::peek_ready, "due"}, std::tuple{"peek-delayed", Op::peek_delayed, "waiting"},
        std::tuple{"peek-buried", Op::peek_buried, "parked"}}) {
    if (!takes(rest, word)) continue;
    if (!rest.empty()) return said(kBadFormat, out);
    count(op);
    return peek_first(status, message);
  }
  if (takes(rest, "reserve-with-timeout ")) {
    count(Op::reserve_with_timeout);
    return reserve(std::strtol(std::string{rest}.c_str(), nullptr, 10), message);
  }
  if (takes(rest, "reserve-job ")) return about_job(Doing::reserve_job, rest, message, out);
  if (takes(rest, "reserve")) {
    if (!rest.empty()) return said(kBadFormat, out);
    count(Op::reserve);
    return reserve(-1, message);
  }
  if (takes(rest, "delete ")) return about_job(Doing::accept, rest, message, out);
  if (takes(rest, "release ")) return release(rest, message, out);
  if (takes(rest, "bury ")) return bury(rest, message, out);
  if (takes(rest, "kick ")) return kick(rest, message, out);
  if (takes(rest, "kick-job ")) return about_job(Doing::kick_buried, rest, message, out);
  if (takes(rest, "touch ")) return about_job(Doing::touch, rest, message, out);
  if (takes(rest, "stats-job ")) return about_job(Doing::stats_job, rest, message, out);
  if (takes(rest, "stats-tube ")) return stats_tube(rest, message, out);
  if (takes(rest, "stats")) {
    if (!rest.empty()) return said(kBadFormat, out);
    count(Op::stats);
    return of_queues(Doing::stats, message);
  }
  if (takes(rest, "use ")) return use(rest, message, out);
  if (takes(rest, "watch ")) return watch(rest, message, out);
  if (takes(rest, "ignore ")) return ignore(rest, out);
  if (takes(rest, "list-tubes-watched")) return rest.empty() ? list_watched(out) : said(kBadFormat, out);
  if (takes(rest, "list-tube-used")) {
    if (!rest.empty()) return said(kBadFormat, out);
    count(Op::list_tube_used);
    return said(fmt::format("USING {}\r\n", used_), out);
  }
  if (takes(rest, "list-tubes")) {
    if (!rest.empty()) return said(kBadFormat, out);
    count(Op::list_tubes);
    return of_queues(Doing::list, message);
  }
  if (takes(rest, "quit")) {
    ends_ = true;
    return done();
  }
  if (takes(rest, "pause-tube ")) return pause_tube(rest, message, out);
  return said("UNKNOWN_COMMAND\r\n", out);
}

// ---------------------------------------------------------------------------
// Commands

Protocol::Piece BeanstalkProtocol::put(std::string_view rest, std::string_view unread, Message& message,
                                       std::string& out) {
  std::uint32_t delay = 0;
  std::uint32_t ttr = 0;
  std::uint32_t bytes = 0;
  if (!take_number(rest, priority_) || !take_number(rest, delay) || !take_number(rest, ttr) ||
      !take_number(rest, bytes))
    return said(kBadFormat, out);
  if (bytes > job_bytes_max()) {
    count(Op::put);
    skipped_ = bytes + kEnd.size();
    return done();
  }
  if (!rest.empty()) {
    count(Op::put);
    return said(kBadFormat, out);
  }
  std::size_t const whole = line_bytes_ + bytes + kEnd.size();
  if (unread.size() < whole) return {};
  count(Op::put);
  if (!std::exchange(is_producer_, true)) ++tubes_->totals.producers;
  std::string_view const body = unread.substr(line_bytes_, bytes);
  line_bytes_ = whole;
  if (unread.substr(whole - kEnd.size(), kEnd.size()) != kEnd) return said("EXPECTED_CRLF\r\n", out);
  message.clear();
  message.command = "SEND";
  message.add("queue", Value::of_text(used_));
  message.add("body_binary", Value::of_binary(body));
  message.add("priority", Value::of_unsigned(priority_));
  message.add("lease", Value::of_integer(std::int64_t{std::clamp(ttr, 1U, kTtrMax)} * 1000));
  if (delay > 0) message.add("process_date", after(delay, message));
  doing_ = Doing::put;
  return {.kind = Kind::message, .consumed = whole, .bytes = whole};
}

Protocol::Piece BeanstalkProtocol::command(Doing as, Message& message) {
  next_ = Doing::nothing;
  doing_ = as;
  message.clear();
  fill(as, message);
  is_consumed_ = as == Doing::reserve && waits_s_ > 0;
  return {.kind = Kind::message, .consumed = is_consumed_ ? line_bytes_ : 0, .bytes = line_bytes_};
}

void BeanstalkProtocol::fill(Doing as, Message& message) {
  auto const of_job = [&](std::string_view name) {
    message.command = name;
    message.add("message", Value::of_unsigned(job_));
  };
  auto const of_lease = [&](std::string_view name) {
    of_job(name);
    message.add("epoch", Value::of_unsigned(jobs_[job_].epoch));
  };
  switch (as) {
    case Doing::reserve: {
      message.command = "ACQUIRE";
      std::string names;
      for (std::string const& name : watched_) names += (names.empty() ? "" : " ") + name;
      message.add("queues", copied(names, message));
      message.add("lease_margin", Value::of_integer(kMarginMs));
      if (waits_s_ == 0) return;
      message.add("wait", Value::of_integer(waits_s_ * 1000));
      message.add("request", Value::of_integer(1));
      return;
    }
    case Doing::reserve_job: return of_job("ACQUIRE");
    case Doing::accept: return of_lease("ACCEPT");
    case Doing::remove: return of_job("DELETE");
    case Doing::touch: return of_lease("TOUCH");
    case Doing::release:
      of_lease("RELEASE");
      message.add("priority", Value::of_unsigned(priority_));
      if (delay_s_ > 0) message.add("process_date", after(delay_s_, message));
      return;
    case Doing::bury: of_lease("PARK"); return message.add("priority", Value::of_unsigned(priority_));
    case Doing::kick_buried:
    case Doing::kick_delayed:
      of_job("KICK");
      return message.add("status", Value::of_text(as == Doing::kick_buried ? "parked" : "waiting"));
    case Doing::kick:
      message.command = "KICK";
      message.add("queue", Value::of_text(used_));
      return message.add("count", Value::of_unsigned(std::min(kicks_ - kicked_, kKickMax)));
    case Doing::peek:
      if (status_.empty()) return of_job("READ");
      message.command = "PEEK";
      message.add("queue", Value::of_text(used_));
      return message.add("status", Value::of_text(status_));
    case Doing::stats_job: return of_job("READ");
    case Doing::stats_tube:
    case Doing::look: message.command = "QUEUES"; return message.add("queue", Value::of_text(tube_));
    case Doing::stats:
    case Doing::list:
      message.command = "QUEUES";
      if (!after_.empty()) message.add("after", copied(after_, message));
      return message.add("count", Value::of_integer(1000));
    case Doing::pause:
      message.command = "PAUSE";
      message.add("queue", Value::of_text(tube_));
      return message.add("until", after(delay_s_, message));
    case Doing::figures: message.command = "STATS"; return;
    case Doing::resume: message.command = "RESUME"; return message.add("queue", Value::of_text(tube_));
    case Doing::nothing:
    case Doing::put: return;
  }
}

void BeanstalkProtocol::begin_waiting() {
  if (std::exchange(is_waiting_, true)) return;
  ++tubes_->totals.waiting;
  for (std::string const& name : watched_) ++tubes_->at(name).waiting;
}

void BeanstalkProtocol::end_waiting() {
  if (!std::exchange(is_waiting_, false)) return;
  --tubes_->totals.waiting;
  for (std::string const& name : watched_) --tubes_->at(name).waiting;
}

Protocol::Piece BeanstalkProtocol::reserve(std::int64_t timeout_s, Message& message) {
  if (!std::exchange(is_worker_, true)) ++tubes_->totals.workers;
  waits_s_ = timeout_s < 0 ? kWaitMaxS : std::min(timeout_s, kWaitMaxS);
  begin_waiting();
  return command(Doing::reserve, message);
}

Protocol::Piece BeanstalkProtocol::about_job(Doing as, std::string_view rest, Message& message, std::string& out) {
  if (!take_last_number(rest, job_)) return said(kBadFormat, out);
  status_ = {};
  bool const is_mine = jobs_.contains(job_);
  switch (as) {
    case Doing::peek: count(Op::peek); break;
    case Doing::accept:
      count(Op::delete_job);
      if (!is_mine) as = Doing::remove;
      break;
    case Doing::touch:
      count(Op::touch);
      if (!is_mine) return said(kNotFound, out);
      break;
    case Doing::stats_job: count(Op::stats_job); break;
    default: break;  // reserve-job and kick-job, which `stats` does not count
  }
  return command(as, message);
}

Protocol::Piece BeanstalkProtocol::release(std::string_view rest, Message& message, std::string& out) {
  std::uint32_t delay = 0;
  if (!take_number(rest, job_) || !take_number(rest, priority_) || !take_last_number(rest, delay))
    return said(kBadFormat, out);
  count(Op::release);
  delay_s_ = delay;
  return jobs_.contains(job_) ? command(Doing::release, message) : said(kNotFound, out);
}

Protocol::Piece BeanstalkProtocol::bury(std::string_view rest, Message& message, std::string& out) {
  if (!take_number(rest, job_) || !take_last_number(rest, priority_)) return said(kBadFormat, out);
  count(Op::bury);
  return jobs_.contains(job_) ? command(Doing::bury, message) : said(kNotFound, out);
}

// Whatever follows the number is passed over, as there.
Protocol::Piece BeanstalkProtocol::kick(std::string_view rest, Message& message, std::string& out) {
  std::string const text{rest};
  char* end = nullptr;
  errno = 0;
  kicks_ = std::strtoul(text.c_str(), &end, 10);
  if (end == text.c_str() || errno != 0) return said(kBadFormat, out);
  count(Op::kick);
  kicked_ = 0;
  return kicks_ == 0 ? said("KICKED 0\r\n", out) : command(Doing::kick, message);
}

Protocol::Piece BeanstalkProtocol::peek_first(std::string_view status, Message& message) {
  status_ = status;
  return command(Doing::peek, message);
}

bool BeanstalkProtocol::must_look(std::string_view name) const {
  Tube const* const tube = tubes_->find(name);
  return (tube == nullptr || !tube->is_named()) && !has_looked_;
}

Protocol::Piece BeanstalkProtocol::use(std::string_view name, Message& message, std::string& out) {
  if (!is_name(name)) return said(kBadFormat, out);
  if (must_look(name)) {
    tube_ = name;
    return of_queues(Doing::look, message);
  }
  count(Op::use);
  ++tubes_->at(name).using_it;
  --tubes_->at(used_).using_it;
  tubes_->leave(used_);
  used_ = name;
  return said(fmt::format("USING {}\r\n", used_), out);
}

Protocol::Piece BeanstalkProtocol::watch(std::string_view name, Message& message, std::string& out) {
  if (!is_name(name)) return said(kBadFormat, out);
  if (must_look(name)) {
    tube_ = name;
    return of_queues(Doing::look, message);
  }
  count(Op::watch);
  if (std::ranges::find(watched_, name) == watched_.end()) {
    if (watched_.size() == kWatchedMax || watched_bytes_ + name.size() + 1 > kWatchedBytesMax)
      return said("OUT_OF_MEMORY\r\n", out);
    ++tubes_->at(name).watching;
    watched_bytes_ += name.size() + 1;
    watched_.emplace_back(name);
  }
  return said(fmt::format("WATCHING {}\r\n", watched_.size()), out);
}

Protocol::Piece BeanstalkProtocol::ignore(std::string_view name, std::string& out) {
  if (!is_name(name)) return said(kBadFormat, out);
  count(Op::ignore);
  auto const found = std::ranges::find(watched_, name);
  if (found != watched_.end()) {
    if (watched_.size() == 1) return said("NOT_IGNORED\r\n", out);
    --tubes_->at(name).watching;
    tubes_->leave(name);
    watched_bytes_ -= name.size() + 1;
    watched_.erase(found);
  }
  return said(fmt::format("WATCHING {}\r\n", watched_.size()), out);
}

Protocol::Piece BeanstalkProtocol::list_watched(std::string& out) {
  count(Op::list_tubes_watched);
  std::string data = "---\n";
  for (std::string const& name : watched_) data += "- " + name + "\n";
  return said(fmt::format("OK {}\r\n{}\r\n", data.size(), data), out);
}

Protocol::Piece BeanstalkProtocol::of_queues(Doing as, Message& message) {
  after_.clear();
  names_.clear();
  sums_ = {};
  return command(as, message);
}

Protocol::Piece BeanstalkProtocol::stats_tube(std::string_view name, Message& message, std::string& out) {
  if (!is_name(name)) return said(kBadFormat, out);
  count(Op::stats_tube);
  tube_ = name;
  return of_queues(Doing::stats_tube, message);
}

// One that nobody names is there if it has jobs: that is asked first.
Protocol::Piece BeanstalkProtocol::pause_tube(std::string_view rest, Message& message, std::string& out) {
  std::size_t const end = rest.find(' ');
  std::uint32_t delay = 0;
  if (end == std::string_view::npos || !is_name(rest.substr(0, end)) || !take_last_number(rest.substr(end), delay))
    return said(kBadFormat, out);
  count(Op::pause_tube);
  tube_ = rest.substr(0, end);
  delay_s_ = delay;
  Tube const* const tube = tubes_->find(tube_);
  if (tube != nullptr && tube->is_named()) return command(Doing::pause, message);
  Piece const piece = of_queues(Doing::look, message);
  next_ = Doing::pause;
  return piece;
}

std::unique_ptr<Protocol> make_protocol(ProtocolPlace place, std::shared_ptr<void> const& shared) {
  return std::make_unique<BeanstalkProtocol>(place.piece_bytes_max, std::static_pointer_cast<Tubes>(shared));
}

std::shared_ptr<void> share() { return std::make_shared<Tubes>(); }

}  // namespace fastjournal::queue::beanstalk
