// The logs of the daemon: those in files, which are recovered before it serves, and those that it shares with other nodes.
#include "daemon/daemon.h"

#include <fmt/format.h>

#include <fstream>

#include "engine/log_replay.h"
#include "log/file/file_log.h"
#include "platform/os/event_log.h"
#include "platform/os/known_folders.h"
#include "platform/os/plugin_loader.h"
#include "platform/os/random.h"
#include "platform/os/workers.h"

namespace fastjournal::daemon {
namespace {

// A start that takes longer reports its progress.
constexpr std::int64_t kProgressEveryUs = 1'000'000;

std::string progress_text(std::string_view log, log::file::ReadProgress const& progress) {
  return fmt::format("log {}: {} {} of {} MiB, {} records, segment {} of {}", log,
                     progress.catalogue ? "checked" : "recovered", progress.bytes >> 20U, progress.bytes_total >> 20U,
                     progress.records, progress.segments + 1, progress.segments_total);
}

// The size of a log that is there stays.
void tell_segment_size(config::LogDeclaration const& declared, log::file::LogOptions const& options) {
  std::uint64_t const wanted = log::file::round_up(declared.segment_bytes, options.block_bytes);
  if (options.segment_bytes == wanted) return;
  os::log_warning(
      fmt::format("log {0}: container-size is {1} bytes, and its files have {2}, with which it was made: "
                  "`fastjournal log resize` changes that, while the daemon is stopped; or say "
                  "container-size=\"{2}\"",
                  declared.name, wanted, options.segment_bytes));
}

}  // namespace

Status Daemon::open_logs() {
  engine::Engine& engine = server_->engine();
  engine.hash_with(os::random_bits());
  engine.tell_zones(zones_);
  engine.declare(tables_, tables_to_forget());
  server_->clock().judge_by({DurationMs{declared_.start.clock_behind_ms_max}, options_.accept_clock});
  etcd_certificates_.use(*reactor_);
  os::ThreadWorkers workers{os::ThreadWorkers::threads_wanted()};
  for (config::LogDeclaration const& log : declared_.logs) {
    Status status = log.is_shared ? open_shared_log(log) : open_file_log(log, workers);
    if (!status.ok()) return status;
  }
  if (!options_.state.empty()) {
    os::PosixDisk state{options_.state};
    if (Status const status = os::remember_folder(state, data_folder()); !status.ok())
      os::log_warning("where the data is could not be remembered, for the day when its disk is not mounted: " +
                      status.message());
  }
  return server_->start_serving();
}

Status Daemon::open_file_log(config::LogDeclaration const& log, os::ThreadWorkers& workers) {
  engine::Engine& engine = server_->engine();
  engine::HostedLog& hosted = engine.add_log(log.name);
  log::file::LogOptions options;
  options.name = log.name;
  options.segment_bytes = log.segment_bytes;
  options.initial_segments = log.initial_segments;
  options.sync = log.sync_interval_ms == 0 ? log::file::SyncPolicy::always : log::file::SyncPolicy::interval;
  options.sync_interval_ms = log.sync_interval_ms;
  options.sync_place = log.sync_place;
  options.sync_method = log.sync_method;
  options.write_buffer_bytes = log.write_buffer_bytes;
  options.when_empty = log.when_empty;
  options.period = log.period;
  options.scrub_ms = static_cast<std::uint64_t>(log.scrub_ms);
  options.wipe = log.wipe;
  options.store_id_seed = os::random_bits();
  options.workers = &workers;
  options.clock = &clock_;
  std::int64_t const before = clock_.monotonic_us();
  std::int64_t tell_at = before + kProgressEveryUs;
  engine::LogReplay replay{engine, hosted,
                           [&](log::file::ReadProgress const& progress) {
                             end_start_if_told();
                             heap_.look(progress.bytes_total - progress.bytes);
                             std::int64_t const now = clock_.monotonic_us();
                             supervisor_.starting(progress_text(log.name, progress), now);
                             if (now < tell_at) return;
                             tell_at = now + kProgressEveryUs;
                             os::log_info(progress_text(log.name, progress));
                           },
                           [this, &hosted] { return server_->clock().check(hosted); }};
  log::file::LogPlace const place = place_of(log);
  log::file::RecoveryReport report;
  Result<std::unique_ptr<log::file::FileLog>> opened =
      log::file::FileLog::open(*place.disk, place.path, options, replay, report);
  if (!opened.ok()) return {opened.status().code(), place.text + ": " + opened.status().message()};
  tell_segment_size(log, opened.value()->writer().options());
  end_start_if_told();
  logs_.push_back(std::move(opened).value());
  if (Status status = engine.recovery().attach(hosted, *logs_.back()); !status.ok()) return status;
  server_->add_log(*logs_.back());
  if (Status status = data_->know(log.name); !status.ok()) return status;
  recovered_.push_back(fmt::format("{}{}: start {}, {} records in {} segments read in {} ms{}{}", log.name,
                                   log.folder.empty() ? "" : " in " + place.text, logs_.back()->start(), report.records,
                                   report.segments, (clock_.monotonic_us() - before) / 1000,
                                   report.cut ? "; its tail was cut: " : "", report.cut_reason));
  for (std::string const& odd : report.notes) os::log_warning(odd);
  return {};
}

Status Daemon::read_cluster() {
  if (!declared_.cluster) return {};
  Result<void const*> const part = os::load_part(declared_.plugins_folder, kEtcdPart, FJ_BUILD);
  if (!part.ok()) return {Code::bad_configuration, "logs on etcd: " + part.status().message()};
  etcd_part_ = static_cast<EtcdPart const*>(part.value());
  config::ClusterDeclaration const& cluster = *declared_.cluster;
  if (cluster.etcd.tls)
    if (Status status = etcd_certificates_.read({.ca = {cluster.ca.path, cluster.ca.place},
                                                 .certificate = {cluster.certificate.path, cluster.certificate.place},
                                                 .key = {cluster.key.path, cluster.key.place}});
        !status.ok())
      return status;
  config::ClusterDeclaration::File const& file = cluster.password_file;
  if (file.path.empty()) return {};
  std::ifstream in{file.path};
  std::getline(in, etcd_password_);
  if (in && !etcd_password_.empty()) return {};
  return {Code::bad_configuration,
          file.place + ": " + file.path +
              " cannot be read, or its first line is empty; expected the password of etcd's user"};
}

Status Daemon::open_shared_log(config::LogDeclaration const& declared) {
  config::ClusterDeclaration const& cluster = *declared_.cluster;
  engine::FollowedLog& followed = server_->engine().add_shared_log(declared.name);
  SharedLog& made = *shared_logs_.emplace_back(etcd_part_->open(
      *reactor_, cluster, declared,
      {etcd_password_, cluster.etcd.tls ? EtcdCertificates::kNumber : 0, os::random_bits()}, followed));
  engine::Engine::attach_shared(followed, made.log());
  server_->add_dialer(made.client());
  server_->add_log(made.log(), followed);
  recovered_.push_back(fmt::format("{}: on etcd at {}, this is node {}", declared.name,
                                   fmt::join(cluster.etcd.addresses, ", "), cluster.node));
  return {};
}

}  // namespace fastjournal::daemon
