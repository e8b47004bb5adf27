#include "clients/programs/forwarder/service.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "clients/spool/core/folder_tools.h"
#include "clients/spool/core/place.h"
#include "platform/files/new_file.h"
#include "platform/os/clock.h"
#include "platform/os/event_log.h"
#include "platform/os/installation.h"
#include "platform/os/posix_disk.h"
#include "platform/os/random.h"

namespace fastjournal::forwarder {
namespace {

constexpr std::int64_t kReportEveryMs = 1'000;
constexpr std::int64_t kTroubleMs = 60'000;   // a daemon that is away so long is an alert
constexpr std::int64_t kRememberMs = 60'000;  // a failure of the folder is one until so long after it
constexpr std::int64_t kDamageMs = 3'600'000;
constexpr std::chrono::seconds kSilenceMax{5};

TimeMs wall_now() { return TimeMs{os::PosixClock{}.wall_us() / 1000}; }

TimeMs date_of(std::chrono::system_clock::time_point at) {
  return TimeMs{std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count()};
}

std::string drawn_name() { return fmt::format("spool-{:016x}{:016x}", os::random_bits(), os::random_bits()); }

std::vector<LineOptions> lines_of(Options const& options) {
  std::vector<LineOptions> out;
  for (std::string const& server : options.servers)
    out.push_back({.address = server,
                   .ca_file = options.ca_file,
                   .certificate_file = options.certificate_file,
                   .key_file = options.key_file,
                   .token_file = options.token_file,
                   // Of several, one without power says nothing, and another decides soon.
                   .answer_limit = options.servers.size() > 1 ? kSilenceMax : LineOptions{}.answer_limit});
  return out;
}

std::string_view state_of(Line const& line) {
  if (line.state() == Line::State::up) return "connected";
  return line.problem().code() == Code::not_allowed ? "refused" : "away";
}

// In one step, so that it is never read half. Not synced: it is rewritten each second.
Status write_file(Result<files::NewFile> file, std::string_view text) {
  if (!file.ok()) return file.status();
  if (Status status = file->write(text); !status.ok()) return status;
  return file->finish(files::NewFile::Durable::no);
}

}  // namespace

Service::Service(Options options) : options_(std::move(options)), since_(wall_now()) {}
Service::~Service() = default;

Status Service::prepare() {
  if (Status status = os::open_event_log("fastjournal-client", options_.log_file, options_.log_level); !status.ok())
    return status;
  if (::mkdir(options_.folder.c_str(), 0750) != 0 && errno != EEXIST)
    return {Code::io_error, "mkdir of " + options_.folder + ": " + std::strerror(errno)};
  auto const open = [this] { return spool::PosixFolder::open(options_.folder, !options_.lines_command.empty()); };
  Result<std::unique_ptr<spool::PosixFolder>> folder = open();
  // Who looks whether a forwarder runs holds the lock for a moment.
  for (int tries = 0; !folder.ok() && folder.status().code() == Code::in_use && tries < 10; ++tries) {
    ::poll(nullptr, 0, 20);
    folder = open();
  }
  if (!folder.ok()) return folder.status();
  folder_ = std::move(folder).value();
  Result<std::unique_ptr<Wakes>> wakes = Wakes::open(folder_->own(), {&folder_->spool(), &folder_->closing()});
  if (!wakes.ok()) return wakes.status();
  wakes_ = std::move(wakes).value();
  if (!wakes_->without_changes().ok())
    os::log_warning(wakes_->without_changes().message() + "; the folder is looked at once a second");
  link_ = std::make_unique<DaemonLink>(
      lines_of(options_),
      Line::Events{.answered = [this](std::uint64_t number,
                                      Status const& answer) { forwarder_->answered(number, answer, wall_now()); },
                   .lost = [this] { forwarder_->lost(); }});
  forwarder_ = std::make_unique<spool::Forwarder>(*folder_, *link_,
                                                  spool::ForwarderRules{.period_s = options_.period_s,
                                                                        .file_bytes_max = options_.file_bytes_max,
                                                                        .lines_command = options_.lines_command},
                                                  drawn_name);
  if (Status status = forwarder_->start(); !status.ok()) return status;
  if (options_.flags_folder.empty() && options_.alert_command.empty()) return {};
  alerts::TellerOptions alert_sender;
  // Readable by everybody: the watcher runs as another user.
  if (!options_.flags_folder.empty()) flags_ = std::make_unique<os::PosixDisk>(options_.flags_folder, 0644);
  alert_sender.flags = flags_.get();
  alert_sender.origin = {os::host_name(), FJ_VERSION, unit_of(options_.folder)};
  alert_sender.command = options_.alert_command;
  alert_sender_ = std::make_unique<alerts::AlertSender>(std::move(alert_sender), std::vector<log::Alert>{});
  return {};
}

int Service::serve() {
  os::log_info(fmt::format("brings the rows of {} to {}", options_.folder, fmt::join(options_.servers, ", ")));
  while (!is_stopping_) {
    link_->turn(std::chrono::steady_clock::now());
    // Before rows go over a new connection: no status says of a daemon that has them that it is away.
    if (is_news_of_lines()) publish(true);
    forwarder_->run(wall_now(), is_changed_);
    link_->flush();
    publish(false);
    if (options_.once && is_drained()) break;
    wait();
  }
  publish(true);
  if (!options_.once || is_stopping_) return 0;
  spool::ForwarderFigures const figures = forwarder_->figures();
  return figures.tables_held > 0 || figures.set_aside > 0 || !folder_->skipped().empty() ? 1 : 0;
}

// Of which daemons take rows. Asked once.
bool Service::is_news_of_lines() {
  std::vector<bool> up;
  for (Line const& line : link_->lines()) up.push_back(line.state() == Line::State::up);
  return std::exchange(up_, up) != up;
}

// All that can go now has gone.
bool Service::is_drained() const { return link_->is_up() && forwarder_->is_idle(); }

void Service::wait() {
  std::vector<pollfd> polled;
  // Rows that are added while as many as may be are in flight, or while there is no daemon, wait for that.
  wakes_->add_polled(polled, link_->is_up() && forwarder_->has_room());
  link_->add_polled(polled);
  Moment const now = std::chrono::steady_clock::now();
  TimeMs const date = std::min(forwarder_->next_date(), next_report_);
  std::int64_t ms = std::clamp<std::int64_t>(date.value - wall_now().value, 0, kReportEveryMs);
  Moment const link = link_->next_date();
  if (link != Moment::max())
    ms = std::min<std::int64_t>(
        ms, std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(link - now).count()));
  if (::poll(polled.data(), polled.size(), static_cast<int>(ms)) < 0 && errno != EINTR)
    os::log_error(std::string{"poll: "} + std::strerror(errno));
  take_signals();
  bool const is_pinged = wakes_->take_pings();
  if (is_pinged) link_->hurry(std::chrono::steady_clock::now());
  is_changed_ = wakes_->take_changes() || is_pinged;
}

void Service::take_signals() {
  while (int const number = wakes_->next_signal()) {
    if (number == SIGHUP) {
      link_->hurry(std::chrono::steady_clock::now());
    } else if (number == SIGUSR1) {
      if (Status status = os::reopen_event_log(); !status.ok()) os::log_error(status.message());
    } else {
      os::log_info("stops by a signal");
      is_stopping_ = true;
    }
  }
}

// ---------------------------------------------------------------------------
// What is told

Report Service::report() const {
  Report out;
  out.process = ::getpid();
  out.date = wall_now();
  out.since = since_;
  for (Line const& line : link_->lines())
    out.servers.push_back({line.address(), state_of(line), date_of(line.since()), line.problem().message()});
  out.figures = forwarder_->figures();
  out.problem = forwarder_->problem();
  out.held = forwarder_->held();
  if (std::vector<Status> skipped = folder_->skipped(); out.problem.ok() && !skipped.empty())
    out.problem = std::move(skipped.front());
  return out;
}

void Service::publish(bool is_last) {
  TimeMs const now = wall_now();
  // The clock may have been set back.
  if (!is_last && now < next_report_ && next_report_.value <= now.value + kReportEveryMs) return;
  next_report_ = TimeMs{now.value + kReportEveryMs};
  Report const what = report();
  note_changes(what);
  tell(what, now);
  std::string const status = json_of(what);
  constexpr mode_t kFileMode = 0644;
  Status written = write_file(files::NewFile::make(folder_->own(), "status.json", kFileMode), status);
  if (written.ok())
    written = write_file(options_.metrics_file.empty() ? files::NewFile::make(folder_->own(), "metrics.prom", kFileMode)
                                                       : files::NewFile::make(options_.metrics_file, kFileMode),
                         metrics_of(what, options_.folder));
  if (!written.ok() && reported_ != written.message()) os::log_warning(written.message());
  reported_ = written.message();
}

// Each news about a daemon once.
void Service::note_changes(Report const& report) {
  // More may have been told since.
  said_.resize(report.servers.size());
  for (std::size_t at = 0; at < report.servers.size(); ++at) {
    ServerReport const& server = report.servers[at];
    std::string news = std::string{server.state} + server.problem;
    if (news == said_[at] || news == "away") continue;
    if (server.state == "connected")
      os::log_info(server.address + " takes rows");
    else
      os::log_warning(server.problem.find(server.address) == std::string::npos ? server.address + ": " + server.problem
                                                                               : server.problem);
    said_[at] = std::move(news);
  }
}

void Service::tell(Report const& report, TimeMs now) {
  for (log::AlertNotice const& notice : desk_.look(causes(report, now), now)) {
    std::string const text =
        fmt::format("alert {} {}: {}", notice.alert.table, notice.alert.name, notice.alert.message);
    if (notice.up)
      os::log_warning(text);
    else
      os::log_info(fmt::format("alert {} {} is over", notice.alert.table, notice.alert.name));
    if (alert_sender_ != nullptr) alert_sender_->tell(notice);
  }
  if (alert_sender_ == nullptr) return;
  for (alerts::Report const& one : alert_sender_->collect())
    if (one.kind != alerts::Report::Kind::flags_agree) os::log_warning("alerts: " + one.text);
}

std::vector<Cause> Service::causes(Report const& report, TimeMs now) {
  std::vector<Cause> out;
  std::string const section{kForwarderSection};
  spool::ForwarderFigures const& figures = report.figures;
  if (link_->is_up() || figures.waiting_bytes == 0)
    away_since_ = {};
  else if (away_since_.value == 0)
    away_since_ = now;
  if (away_since_.value != 0 && now.value >= away_since_.value + kTroubleMs) {
    std::string who;
    for (ServerReport const& server : report.servers)
      who += fmt::format("{}{}: {}", who.empty() ? "" : "; ", server.address, server.problem);
    out.push_back({section, "daemon-away", 60,
                   fmt::format("rows of {} wait, and no daemon takes them: {}", options_.folder, who)});
  }
  if (std::exchange(failures_, figures.failures) < figures.failures) {
    failed_at_ = now;
    failure_ = report.problem.message();
  }
  if (failed_at_.value != 0 && now.value < failed_at_.value + kRememberMs)
    out.push_back(
        {section, "folder-failed", 70, fmt::format("the spool folder {} fails: {}", options_.folder, failure_)});
  if (std::optional<Cause> cause = cause_of_skipped(options_.folder, folder_->skipped()))
    out.push_back(std::move(*cause));
  if (std::optional<Cause> cause = cause_of_doubtful(folder_->doubtful())) out.push_back(std::move(*cause));
  if (std::exchange(damaged_bytes_, figures.damaged_bytes) < figures.damaged_bytes) damaged_at_ = now;
  if (damaged_at_.value != 0 && now.value < damaged_at_.value + kDamageMs)
    out.push_back(
        {section, "rows-damaged", 50,
         fmt::format("{0} bytes of files in {1} were no rows and were passed over: a producer was killed while it "
                     "wrote, or the disk is damaged: look at the kernel's log. Rows in files whose beginning is "
                     "damaged were not read: ls {1}/closing/*.damaged",
                     figures.damaged_bytes, options_.folder)});
  for (spool::HeldTable const& held : report.held)
    if (now.value >= held.since.value + kTroubleMs)
      out.push_back(
          {held.table, "table-held", 50,
           fmt::format("the rows of table {} in {} are held, no daemon takes them: {}", held.table, options_.folder,
                       held.reason.ok() ? "no daemon was asked since the start" : held.reason.message())});
  // A watcher reads only so many.
  for (std::string const& table : spool::aside_tables(options_.folder))
    if (out.size() < communicator::kFlagsMax)
      out.push_back({table, "row-aside", 60,
                     fmt::format("rows of table {0} in {1} were refused for good: fastjournal spool list {1} --aside",
                                 table == spool::kOtherTable ? "without a proper name" : table, options_.folder)});
  return out;
}

}  // namespace fastjournal::forwarder
