#include "server/logs/served_logs.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "server/admin/declarations.h"

namespace fastjournal::server {

void ServedLogs::add(log::LogStore& log) {
  logs_.push_back({.log = &log});
  tell_news(log);
}

void ServedLogs::add(log::SharedLog& log, engine::FollowedLog& followed) {
  has_shared_ = true;
  logs_.push_back({.log = &log,
                   .state = log::State::unavailable,
                   .shared = std::make_unique<SharedLog>(log, followed, clock_, notes_, alerts_)});
}

Status ServedLogs::commit() {
  for (ServedLog const& served : logs_)
    if (served.shared != nullptr)
      continue;
    else if (Status status = served.log->commit(); !status.ok())
      return status;
  return {};
}

Status ServedLogs::settle() {
  for (ServedLog const& served : logs_) {
    if (!served.serves()) continue;
    host_.wait_for_sync(*served.log);
    if (Status status = served.log->commit(); !status.ok()) return status;
    if (Status status = served.log->look(); !status.ok()) return status;
  }
  return {};
}

Status ServedLogs::shut_down() {
  for (ServedLog const& served : logs_) {
    if (!served.serves()) continue;
    Status status = served.log->shut_down();
    // Who asked for what is not durable there asks another node.
    if (served.shared != nullptr && !status.ok()) notes_.note(status.message());
    if (served.shared == nullptr && !status.ok()) return status;
  }
  return {};
}

bool ServedLogs::leave() {
  bool out = true;
  for (ServedLog const& served : logs_) out = (served.shared == nullptr || served.shared->leave()) && out;
  return out;
}

// ---------------------------------------------------------------------------
// Turns

// True: it has just been fenced.
bool ServedLogs::end_turn_of(ServedLog& served, bool is_crowded) {
  log::LogStore& log = *served.log;
  if (log.is_full() || (is_crowded && log.is_local())) host_.wait_for_sync(log);
  if (log.end_turn(time_.monotonic_us())) ++commits_;
  std::int64_t const now_us = time_.monotonic_us();
  for (log::Lane const lane : log::kLanes)
    if (std::unique_ptr<log::LogJob> job = log.take_job(lane, now_us)) host_.run_job(log, lane, std::move(job));
  tell_news(log);
  if (served.shared != nullptr) return log.state() == log::State::fenced;
  if (log.state() == served.state) return false;
  served.state = log.state();
  note_state(served);
  return served.state == log::State::fenced;
}

// One alert for all logs, raised anew where it tells something else by now.
void ServedLogs::compare_declarations() {
  std::string text;
  for (ServedLog const& served : logs_) {
    if (served.shared == nullptr) continue;
    std::string const differing = served.shared->differing();
    if (!differing.empty()) text.append(text.empty() ? "log " : "; log ").append(served.log->name() + ", " + differing);
  }
  if (text == differing_) return;
  differing_ = std::move(text);
  // An alert that is up keeps its words for a while.
  alerts_.lower(kDeclarationDiffers);
  if (!differing_.empty())
    alerts_.raise(kDeclarationDiffers, 40,
                  "nodes declare tables otherwise than this one, which is how they would serve them as owners: " +
                      differing_ + ". Make the files of these tables equal on all nodes, and RELOAD there",
                  "log,manual");
}

// A fenced node drops its tables; they are back when it has reread the log.
void ServedLogs::advance(ServedLog& served) {
  SharedLog& shared = *served.shared;
  if (shared.advance()) network_.turn_again();
  log::Owner owner = shared.log().owner();
  if (shared.state() == served.state && owner == served.owner) return;
  served.state = shared.state();
  served.owner = std::move(owner);
  note_state(served);
}

void ServedLogs::note_state(ServedLog& served) {
  log::LogStore const& log = *served.log;
  Status away;
  std::string text = "log " + log.name() + " is " + std::string{name_of(served.state)};
  if (!served.serves()) {
    text.append(": ").append(log.why().message());
    away = served.shared == nullptr ? Status{Code::unavailable, text} : served.shared->away();
  }
  if (served.serves())
    notes_.inform(text + " again");
  else
    notes_.note(text);
  for (auto const& hosted : engine_.logs())
    if (hosted->log == &log) engine_.set_serving(*hosted, away, time_.now());
  network_.turn_again();
}

bool ServedLogs::take_changed() {
  bool out = false;
  for (ServedLog const& served : logs_) out = (served.shared != nullptr && served.shared->take_changed()) || out;
  return out;
}

void ServedLogs::retry_shared() {
  for (ServedLog const& served : logs_)
    if (served.shared != nullptr) served.shared->retry();
}

void ServedLogs::for_each_shared(std::function<void(One const&)> const& visit) {
  for (ServedLog const& served : logs_)
    if (served.shared != nullptr) visit({.log = served.shared->log(), .state = served.state});
}

Status ServedLogs::step_down(std::string_view log, DurationMs for_so_long) {
  for (ServedLog const& served : logs_) {
    if (served.shared == nullptr || served.log->name() != log) continue;
    network_.turn_again();
    return served.shared->step_down(for_so_long.value * 1000);
  }
  return {Code::not_found,
          "no log \"" + std::string{log.substr(0, 64)} + "\" is shared with other nodes; CLUSTER lists those"};
}

std::string ServedLogs::nodes() const {
  std::string out;
  for (ServedLog const& served : logs_) {
    if (served.shared == nullptr) continue;
    log::SharedLog const& log = served.shared->log();
    std::string const owner = log.owner().node;
    if (!out.empty()) out += "; ";
    out += log.name() + ": " + (owner.empty() ? "no owner" : "owner " + owner);
    for (log::Node const& node : log.nodes())
      if (node.name != owner) out += ", " + node.name;
  }
  return out;
}

void ServedLogs::tell_news(log::LogStore& log) {
  for (log::LogNews const& news : log.take_news()) {
    if (news.alert.empty())
      notes_.note(news.text);
    else
      alerts_.raise(news.alert, news.priority, news.text, "log,manual");
  }
}

bool ServedLogs::check() {
  for (ServedLog const& served : logs_) {
    if (served.log->state() != log::State::failed) continue;
    die(served.log->why());
    return false;
  }
  return true;
}

void ServedLogs::die(Status const& status) {
  is_dead_ = true;
  host_.fatal(status);
}

void ServedLogs::sync_soon() {
  for (ServedLog const& served : logs_) served.log->sync_soon();
}

std::int64_t ServedLogs::next_us() const {
  std::int64_t next = INT64_MAX;
  for (ServedLog const& served : logs_) {
    next = std::min(next, served.log->next_us());
    if (served.shared != nullptr) next = std::min(next, served.shared->next_us());
  }
  return next;
}

// ---------------------------------------------------------------------------
// Backups

Status ServedLogs::check_serving() const {
  for (ServedLog const& served : logs_)
    if (!served.serves() && served.shared == nullptr)
      return {Code::unavailable, "log " + served.log->name() + " does not serve: " + served.log->why().message()};
  return {};
}

std::vector<std::string> ServedLogs::elsewhere() const {
  std::vector<std::string> out;
  for (ServedLog const& served : logs_)
    if (served.shared != nullptr) out.push_back(served.log->name());
  return out;
}

std::vector<ServedLogs::Pinned> ServedLogs::pin_all() {
  std::vector<Pinned> out;
  for (ServedLog const& served : logs_) {
    // etcd's own snapshots have what is in a shared one.
    if (served.shared != nullptr) continue;
    log::LogStore& log = *served.log;
    host_.wait_for_sync(log);
    Result<log::LogSnapshot> pinned = log.pin();
    if (!pinned.ok()) {
      die(pinned.status());
      return {};
    }
    out.push_back({&log, host_.folder_of(log), std::move(pinned).value()});
  }
  return out;
}

bool ServedLogs::unpin_all() {
  bool pinned = true;
  for (ServedLog const& served : logs_)
    if (served.shared == nullptr) pinned = served.log->unpin() && pinned;
  return pinned;
}

// ---------------------------------------------------------------------------
// For people

std::string ServedLogs::durability() const {
  std::string text;
  for (ServedLog const& served : logs_) {
    if (!text.empty()) text += "; ";
    text += "log " + served.log->name() + ": " + served.log->describe().durability;
  }
  std::string volatile_ones;
  for (auto const& table : engine_.tables())
    if (table->table != nullptr && !table->declaration->persistent) volatile_ones += " " + table->name;
  if (!volatile_ones.empty()) text += "; in memory only, gone with a stop:" + volatile_ones;
  return text;
}

std::int64_t ServedLogs::unsynced_ms(log::LogDescription const& log) const {
  return log.unsynced_since_us == INT64_MAX ? 0 : (monotonic_us() - log.unsynced_since_us) / 1000;
}

// Of the log with the slowest disk.
void ServedLogs::tell_syncs(MetricSink& sink) const {
  std::array<std::uint64_t, 3> slowest{};
  std::int64_t on_threads = 0;
  std::int64_t oldest_ms = 0;
  for (ServedLog const& served : logs_) {
    log::LogDescription const log = served.log->describe();
    if (log.syncs_elsewhere) ++on_threads;
    oldest_ms = std::max(oldest_ms, unsynced_ms(log));
    if (log.sync_us == nullptr) continue;
    slowest = std::max(slowest, {log.sync_us->percentile(99), log.sync_us->percentile(50), log.sync_us->max()});
  }
  auto const put = [&](std::string_view name, std::uint64_t value) {
    sink.gauge(name, admin::help_of_figure(name), value);
  };
  put("sync_us_p50", slowest[1]);
  put("sync_us_p99", slowest[0]);
  put("sync_us_max", slowest[2]);
  put("syncs_on_threads", static_cast<std::uint64_t>(on_threads));
  put("unsynced_ms", static_cast<std::uint64_t>(oldest_ms));
}

void ServedLogs::tell_scrubbing(MetricSink& sink) const {
  log::ScrubReport scrubbed;
  std::int64_t mending = 0;
  for (ServedLog const& served : logs_) {
    log::LogDescription const log = served.log->describe();
    mending += log.is_mending ? 1 : 0;
    if (log.scrubbed == nullptr) continue;
    scrubbed.bytes += log.scrubbed->bytes;
    scrubbed.rounds += log.scrubbed->rounds;
    scrubbed.damaged += log.scrubbed->damaged;
  }
  auto const put = [&](std::string_view name, std::uint64_t value) {
    sink.counter(name, admin::help_of_figure(name), value);
  };
  put("log_scrubbed_bytes", scrubbed.bytes);
  put("log_scrub_rounds", scrubbed.rounds);
  put("log_damaged", scrubbed.damaged);
  sink.gauge("logs_mending", admin::help_of_figure("logs_mending"), static_cast<std::uint64_t>(mending));
}

void ServedLogs::tell_shared(SharedLog const& shared, MetricSink& sink) {
  log::SharedLog const& log = shared.log();
  sink.integer({"owner", "1: this node decides for the log's tables"}, log.is_owned() ? 1 : 0);
  sink.integer({"nodes", "nodes that share the log"}, static_cast<std::int64_t>(log.nodes().size()));
  Lsn first{};
  Lsn last{UINT64_MAX};
  for (log::Node const& node : log.nodes()) {
    first = std::max(first, node.applied);
    last = std::min(last, node.applied);
  }
  sink.integer({"behind", "bytes by which the last of them is behind the first"},
               log.nodes().empty() ? 0 : static_cast<std::int64_t>(first.value - last.value));
  sink.integer({"lag_p99_ms", "while this node follows: 99 of 100 times a record is applied so soon after its date"},
               static_cast<std::int64_t>(shared.lag_ms().percentile(99)));
  sink.histogram({"lag_ms", "while this node follows: how long after its date a record is applied"}, shared.lag_ms());
}

void ServedLogs::tell_each(std::function<MetricSink&(std::string_view log)> const& sink_of) const {
  for (ServedLog const& served : logs_) {
    MetricSink& sink = sink_of(served.log->name());
    sink.integer({"serving", "1: the log's tables can be used"}, served.serves() ? 1 : 0);
    if (served.shared != nullptr) tell_shared(*served.shared, sink);
    log::LogDescription const log = served.log->describe();
    if (log.sync_us == nullptr) continue;
    sink.histogram({"sync_us", "how long a sync takes"}, *log.sync_us);
    sink.integer({"unsynced_ms", "age of the log's oldest record that was written and is not synced"},
                 unsynced_ms(log));
  }
}

Status ServedLogs::readiness() const {
  for (ServedLog const& served : logs_) {
    // Another node that decides is as good.
    if (served.serves() || served.state == log::State::following) continue;
    return {Code::unavailable, "log " + served.log->name() + " is " + std::string{name_of(served.state)} + ": " +
                                   served.log->why().message()};
  }
  return {};
}

}  // namespace fastjournal::server
