#include "platform/alerts/alert_sender.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace fastjournal::alerts {
namespace {

constexpr std::size_t kReportsMax = 1024;

std::int64_t monotonic_us() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

AlertSender::AlertSender(TellerOptions options, std::vector<log::Alert> const& standing)
    : options_(std::move(options)), wake_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  FJ_CHECK(wake_fd_ >= 0, "an eventfd can be made at the start");
  if (options_.flags != nullptr) {
    flags_ = std::make_unique<FlagFolder>(*options_.flags, options_.origin);
    for (log::Alert const& alert : standing) flags_->up(alert);
  }
  thread_ = std::thread{[this] { work(); }};
}

AlertSender::~AlertSender() {
  {
    std::scoped_lock const lock{mutex_};
    ending_ = true;
  }
  std::uint64_t const one = 1;
  [[maybe_unused]] ssize_t const put = ::write(wake_fd_, &one, sizeof one);
  thread_.join();
  ::close(wake_fd_);
}

void AlertSender::tell(log::AlertNotice const& notice) {
  {
    std::scoped_lock const lock{mutex_};
    if (notices_.size() >= kNoticesMax) {
      ++notices_dropped_;
      return;
    }
    notices_.push_back(notice);
  }
  std::uint64_t const one = 1;
  [[maybe_unused]] ssize_t const put = ::write(wake_fd_, &one, sizeof one);
}

std::vector<Report> AlertSender::collect() {
  std::scoped_lock const lock{mutex_};
  return std::exchange(reports_, {});
}

void AlertSender::report(Report::Kind kind, std::string text) {
  {
    std::scoped_lock const lock{mutex_};
    if (reports_.size() >= kReportsMax) return;
    reports_.push_back({kind, std::move(text)});
  }
  if (options_.wake) options_.wake();
}

// ---------------------------------------------------------------------------
// The thread

void AlertSender::work() {
  for (;;) {
    bool const ending = take_notices();
    std::int64_t const now_us = monotonic_us();
    write_flags(now_us);
    finish_commands(now_us);
    if (ending) return;
    start_commands(now_us);
    wait(now_us);
  }
}

// True: the last round.
bool AlertSender::take_notices() {
  std::deque<log::AlertNotice> taken;
  std::uint64_t dropped = 0;
  bool ending = false;
  {
    std::scoped_lock const lock{mutex_};
    taken.swap(notices_);
    dropped = std::exchange(notices_dropped_, 0);
    ending = ending_;
  }
  for (log::AlertNotice& notice : taken) {
    if (flags_ != nullptr) {
      if (notice.up)
        flags_->up(notice.alert);
      else
        flags_->down(notice.alert);
      flags_dirty_ = true;
    }
    if (options_.command.empty()) continue;
    if (to_run_.size() < kCommandsWaitingMax)
      to_run_.push_back(std::move(notice));
    else
      ++dropped;
  }
  if (dropped > 0)
    report(Report::Kind::command_failed, fmt::format("{} alerts came too fast to be told; ALERTS lists them", dropped));
  return ending;
}

void AlertSender::write_flags(std::int64_t now_us) {
  if (flags_ == nullptr || (!flags_dirty_ && !(flags_failed_ && now_us >= flags_again_us_))) return;
  Status const status = flags_->agree();
  flags_dirty_ = false;
  if (!status.ok()) {
    flags_again_us_ = now_us + kFlagsAgainUs;
    if (!flags_failed_) report(Report::Kind::flags_failed, status.message());
  } else if (flags_failed_ || !flags_agreed_) {
    report(Report::Kind::flags_agree, {});
  }
  flags_failed_ = !status.ok();
  flags_agreed_ = status.ok();
}

void AlertSender::start_commands(std::int64_t now_us) {
  while (!to_run_.empty() && running_.size() < kCommandsAtOnce) {
    log::AlertNotice const notice = std::move(to_run_.front());
    to_run_.pop_front();
    std::vector<std::string> const arguments{notice.up ? "up" : "down", communicator::section_of(notice.alert.table),
                                             notice.alert.name};
    std::string const what = fmt::format("{} {}", options_.command, fmt::join(arguments, " "));
    Result<std::unique_ptr<RunningCommand>> started = RunningCommand::start(
        options_.command, arguments, alert_environment(notice), now_us + options_.command_limit_us);
    if (started.ok())
      running_.push_back({std::move(started).value(), what});
    else
      report(Report::Kind::command_failed, started.status().message());
  }
}

void AlertSender::finish_commands(std::int64_t now_us) {
  for (auto at = running_.begin(); at != running_.end();) {
    RunningCommand& command = *at->command;
    if (command.output_fd() >= 0) command.read_output();
    if (now_us >= command.deadline_us()) command.kill();
    std::string how;
    if (!command.collect(how)) {
      ++at;
      continue;
    }
    if (!how.empty()) report(Report::Kind::command_failed, at->what + " " + how);
    std::string_view output = command.output();
    while (!output.empty()) {
      std::size_t const end = std::min(output.find('\n'), output.size());
      if (end > 0) report(Report::Kind::command_output, fmt::format("{}: {}", at->what, output.substr(0, end)));
      output.remove_prefix(std::min(end + 1, output.size()));
    }
    at = running_.erase(at);
  }
}

void AlertSender::wait(std::int64_t now_us) {
  std::int64_t until_us = flags_failed_ ? flags_again_us_ : INT64_MAX;
  std::vector<pollfd> watched{{wake_fd_, POLLIN, 0}};
  for (Running const& one : running_) {
    if (one.command->output_fd() >= 0) watched.push_back({one.command->output_fd(), POLLIN, 0});
    watched.push_back({one.command->ended_fd(), POLLIN, 0});
    // A killed command has no deadline any more: only its end is awaited.
    if (one.command->deadline_us() > now_us) until_us = std::min(until_us, one.command->deadline_us());
  }
  int timeout_ms = -1;
  if (until_us != INT64_MAX)
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>((until_us - now_us) / 1000 + 1, 1, 60'000));
  ::poll(watched.data(), watched.size(), timeout_ms);
  std::uint64_t count = 0;
  [[maybe_unused]] ssize_t const got = ::read(wake_fd_, &count, sizeof count);
}

}  // namespace fastjournal::alerts
