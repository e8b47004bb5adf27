// What the daemon answers, in the words of beanstalkd.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "plugins/queue/beanstalk_protocol.h"

namespace fastjournal::queue::beanstalk {
namespace {

constexpr std::array<std::string_view, kOps> kOpNames{
    "put",       "peek",    "peek-ready", "peek-delayed", "peek-buried", "reserve",        "reserve-with-timeout",
    "delete",    "release", "use",        "watch",        "ignore",      "bury",           "kick",
    "touch",     "stats",   "stats-job",  "stats-tube",   "list-tubes",  "list-tube-used", "list-tubes-watched",
    "pause-tube"};

std::int64_t number_of(Value const& value) {
  switch (value.kind) {
    case Value::Kind::integer: return value.integer;
    case Value::Kind::unsigned_integer: return static_cast<std::int64_t>(value.unsigned_integer);
    default: return std::strtoll(std::string{value.bytes}.c_str(), nullptr, 10);
  }
}
Param const* find(Outgoing const& message, std::string_view name) {
  auto const found = std::ranges::find(message.params, name, &Param::name);
  return found == message.params.end() ? nullptr : &*found;
}
std::int64_t number_in(Outgoing const& message, std::string_view name) {
  Param const* const param = find(message, name);
  return param == nullptr ? 0 : number_of(param->value);
}
std::string_view text_in(Outgoing const& message, std::string_view name) {
  Param const* const param = find(message, name);
  return param == nullptr ? std::string_view{} : param->value.bytes;
}

std::string of_data(std::string_view data) { return fmt::format("OK {}\r\n{}\r\n", data.size(), data); }

}  // namespace

// Names of queues are not kept: there may be many.
void BeanstalkProtocol::answer(std::string_view text, std::string& out) {
  out += text;
  is_answered_ = !std::exchange(is_consumed_, false);
  if (!names_.empty()) std::vector<std::string>{}.swap(names_);
}

void BeanstalkProtocol::refuse(Status const& /*why*/, std::string& out) { out += "INTERNAL_ERROR\r\n"; }

void BeanstalkProtocol::write(Outgoing const& message, std::string& out) {
  if (message.is_push) return;
  Doing const doing = doing_;
  if (message.command == "ERROR") {
    doing_ = Doing::nothing;
    return write_error(doing, text_in(message, "code"), out);
  }
  bool const of_queues =
      doing == Doing::stats_tube || doing == Doing::stats || doing == Doing::list || doing == Doing::look;
  if (of_queues) return write_queues(doing, message, out);
  if (!message.is_last) return;
  doing_ = Doing::nothing;
  switch (doing) {
    case Doing::put: {
      ++tubes_->totals.jobs;
      ++tubes_->at(used_).jobs;
      out += fmt::format("INSERTED {}\r\n", number_in(message, "message"));
      return;
    }
    case Doing::reserve:
    case Doing::reserve_job:
      if (message.command != "MESSAGE") return write_nothing(message, out);
      end_waiting();
      if (!std::exchange(is_worker_, true)) ++tubes_->totals.workers;
      jobs_[static_cast<std::uint64_t>(number_in(message, "message"))] = {
          static_cast<std::uint64_t>(number_in(message, "epoch")), std::string{text_in(message, "queue")}};
      return write_job("RESERVED", message, out);
    case Doing::accept: {
      auto const found = jobs_.find(job_);
      ++tubes_->at(found->second.tube).deletes;
      jobs_.erase(found);
      return answer("DELETED\r\n", out);
    }
    case Doing::remove: ++tubes_->at(text_in(message, "queue")).deletes; return answer("DELETED\r\n", out);
    case Doing::release: jobs_.erase(job_); return answer("RELEASED\r\n", out);
    case Doing::bury:
      jobs_.erase(job_);
      return answer(message.command == "PARKED" ? std::string_view{"BURIED\r\n"} : kNotFound, out);
    case Doing::touch: return answer("TOUCHED\r\n", out);
    case Doing::kick:
      kicked_ += static_cast<std::uint64_t>(number_in(message, "count"));
      if (find(message, "more") != nullptr && kicked_ < kicks_) {
        next_ = Doing::kick;
        return;
      }
      return answer(fmt::format("KICKED {}\r\n", kicked_), out);
    case Doing::kick_buried:
    case Doing::kick_delayed: return answer("KICKED\r\n", out);
    case Doing::peek: return message.command == "MESSAGE" ? write_job("FOUND", message, out) : answer(kNotFound, out);
    case Doing::stats_job: return write_stats_job(message, out);
    case Doing::figures: return write_stats(message, out);
    case Doing::pause: {
      Tube& tube = tubes_->at(tube_);
      ++tube.pauses;
      tube.pause_s = delay_s_;
      return answer("PAUSED\r\n", out);
    }
    default: return;
  }
}

void BeanstalkProtocol::write_error(Doing doing, std::string_view code, std::string& out) {
  bool const is_gone = code == "unknown_row" || code == "wrong_state" || code == "not_leased" ||
                       code == "stale_epoch" || code == "not_found" || code == "expired";
  bool const is_full = code == "over_limit" || code == "no_space";
  std::string_view const word = is_gone               ? kNotFound
                                : code == "too_large" ? std::string_view{"JOB_TOO_BIG\r\n"}
                                : is_full             ? std::string_view{"OUT_OF_MEMORY\r\n"}
                                                      : std::string_view{"INTERNAL_ERROR\r\n"};
  switch (doing) {
    case Doing::nothing:
    case Doing::put: out += word; return;
    case Doing::reserve: end_waiting(); break;
    case Doing::accept:
      if (is_gone) jobs_.erase(job_);
      // Its lease is over: it is a job like any other.
      if (is_gone && code != "unknown_row") {
        next_ = Doing::remove;
        return;
      }
      break;
    case Doing::release:
    case Doing::bury:
    case Doing::touch:
      if (is_gone) jobs_.erase(job_);
      break;
    case Doing::kick:
      if (is_gone) return answer(fmt::format("KICKED {}\r\n", kicked_), out);
      break;
    case Doing::kick_buried:
      if (code == "wrong_state") {
        next_ = Doing::kick_delayed;
        return;
      }
      break;
    // A tube that is named, and whose queue is not there, is not paused.
    case Doing::pause:
      if (is_gone) return answer("PAUSED\r\n", out);
      break;
    case Doing::resume: return;
    default: break;
  }
  answer(word, out);
}

void BeanstalkProtocol::write_nothing(Outgoing const& message, std::string& out) {
  bool const ends_soon = find(message, "lease_end") != nullptr;
  end_waiting();
  answer(ends_soon ? "DEADLINE_SOON\r\n" : "TIMED_OUT\r\n", out);
}

void BeanstalkProtocol::write_job(std::string_view word, Outgoing const& message, std::string& out) {
  Param const* const text = find(message, "body");
  std::string_view const body = text != nullptr ? text->value.bytes : text_in(message, "body_binary");
  answer(fmt::format("{} {} {}\r\n", word, number_in(message, "message"), body.size()), out);
  out.append(body).append(kEnd);
}

void BeanstalkProtocol::write_stats_job(Outgoing const& message, std::string& out) {
  std::string_view const status = text_in(message, "status");
  std::int64_t const now = number_in(message, "now");
  std::int64_t const date = number_in(message, "process_date");
  std::int64_t const sent = number_in(message, "sent_date");
  std::string_view state = "ready";
  std::int64_t left = 0;
  if (status == "acquired") {
    state = "reserved";
    left = number_in(message, "lease_end") - now;
  } else if (status == "waiting") {
    state = "delayed";
    left = date - now;
  } else if (status == "parked") {
    state = "buried";
  }
  answer(of_data(fmt::format(
             "---\nid: {}\ntube: {}\nstate: {}\npri: {}\nage: {}\ndelay: {}\nttr: {}\ntime-left: {}\n"
             "file: 0\nreserves: {}\ntimeouts: {}\nreleases: {}\nburies: {}\nkicks: {}\n",
             number_in(message, "message"), text_in(message, "queue"), state, number_in(message, "priority"),
             (now - sent) / 1000, std::max<std::int64_t>(0, date - sent) / 1000, number_in(message, "lease") / 1000,
             std::max<std::int64_t>(0, left) / 1000, number_in(message, "leases"), number_in(message, "timeouts"),
             number_in(message, "returns"), number_in(message, "parkings"), number_in(message, "kicks"))),
         out);
}

// Each message of the answer is a queue, or says that there is none.
void BeanstalkProtocol::write_queues(Doing doing, Outgoing const& message, std::string& out) {
  if (message.command == "QUEUE") {
    std::int64_t const messages = number_in(message, "messages");
    std::int64_t const ready = number_in(message, "due");
    std::int64_t const reserved = number_in(message, "acquired");
    std::int64_t const buried = number_in(message, "parked");
    sums_.urgent += number_in(message, "urgent");
    sums_.ready += ready;
    sums_.reserved += reserved;
    sums_.buried += buried;
    sums_.delayed += messages - ready - reserved - buried;
    if (find(message, "paused_until") != nullptr)
      sums_.pause_left_ms = number_in(message, "paused_until") - number_in(message, "now");
    sums_.is_paused = find(message, "paused") != nullptr;
    if (messages > 0) names_.emplace_back(text_in(message, "queue"));
  }
  if (!message.is_last) return;
  doing_ = Doing::nothing;
  if (Param const* const more = find(message, "after"); more != nullptr && doing != Doing::look) {
    after_ = more->value.bytes;
    next_ = doing;
    return;
  }
  switch (doing) {
    case Doing::stats_tube: return write_stats_tube(out);
    case Doing::stats: next_ = Doing::figures; return;
    case Doing::list: return write_tubes(out);
    default: break;
  }
  // What was looked for: the line goes on, with what is known now.
  has_looked_ = true;
  bool const has_jobs = !names_.empty();
  if (!has_jobs) tubes_->forget_if_unnamed(tube_);
  if (next_ != Doing::pause && !has_jobs && sums_.is_paused) next_ = Doing::resume;
  if (next_ != Doing::pause || has_jobs) return;
  next_ = Doing::nothing;
  answer(kNotFound, out);
}

void BeanstalkProtocol::write_stats_tube(std::string& out) {
  static constexpr Tube kNone{};
  Tube const* tube = tubes_->find(tube_);
  bool const is_there = !names_.empty() || (tube != nullptr && tube->is_named()) || tube_ == "default";
  if (!is_there) {
    tubes_->forget_if_unnamed(tube_);
    return answer(kNotFound, out);
  }
  if (tube == nullptr) tube = &kNone;
  std::int64_t const left = (sums_.pause_left_ms + 999) / 1000;
  answer(
      of_data(fmt::format("---\nname: {}\ncurrent-jobs-urgent: {}\ncurrent-jobs-ready: {}\ncurrent-jobs-reserved: {}\n"
                          "current-jobs-delayed: {}\ncurrent-jobs-buried: {}\ntotal-jobs: {}\ncurrent-using: {}\n"
                          "current-watching: {}\ncurrent-waiting: {}\ncmd-delete: {}\ncmd-pause-tube: {}\npause: {}\n"
                          "pause-time-left: {}\n",
                          tube_, sums_.urgent, sums_.ready, sums_.reserved, sums_.delayed, sums_.buried, tube->jobs,
                          tube->using_it, tube->watching, tube->waiting, tube->deletes, tube->pauses,
                          left == 0 ? 0 : std::max(tube->pause_s, left), left)),
      out);
}

void BeanstalkProtocol::write_tubes(std::string& out) {
  names_.emplace_back("default");
  for (auto const& [name, tube] : tubes_->all())
    if (tube.is_named()) names_.push_back(name);
  std::ranges::sort(names_);
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  std::string data = "---\n";
  for (std::string const& name : names_) data += "- " + name + "\n";
  answer(of_data(data), out);
}

void BeanstalkProtocol::write_stats(Outgoing const& figures, std::string& out) {
  Totals const& all = tubes_->totals;
  std::uint64_t tubes = names_.size();
  for (auto const& [name, tube] : tubes_->all())
    tubes += tube.is_named() && !std::ranges::binary_search(names_, name) ? 1 : 0;
  std::string data = fmt::format(
      "---\ncurrent-jobs-urgent: {}\ncurrent-jobs-ready: {}\ncurrent-jobs-reserved: {}\ncurrent-jobs-delayed: {}\n"
      "current-jobs-buried: {}\n",
      sums_.urgent, sums_.ready, sums_.reserved, sums_.delayed, sums_.buried);
  for (std::size_t i = 0; i < kOps; ++i) data += fmt::format("cmd-{}: {}\n", kOpNames[i], all.ops[i]);
  data += fmt::format(
      "job-timeouts: {}\ntotal-jobs: {}\nmax-job-size: {}\ncurrent-tubes: {}\ncurrent-connections: "
      "{}\ncurrent-producers: {}\n"
      "current-workers: {}\ncurrent-waiting: {}\ntotal-connections: {}\nversion: \"fastjournal\"\n",
      number_in(figures, "overdue"), all.jobs, job_bytes_max(), tubes, all.connections, all.producers, all.workers,
      all.waiting, all.connections_ever);
  answer(of_data(data), out);
}

}  // namespace fastjournal::queue::beanstalk
