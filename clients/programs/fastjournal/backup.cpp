// `fastjournal backup DIR`: a copy of all logs of a running daemon and of the bytes outside of them, at one moment. The
// daemon only names the files and keeps them; this client copies them, within its speed limit.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ostream>
#include <thread>

#include "clients/cpp/value_text.h"
#include "clients/programs/fastjournal/dated_backups.h"
#include "clients/programs/fastjournal/progress.h"
#include "clients/programs/fastjournal/verbs.h"
#include "clients/programs/logs/copy.h"
#include "clients/programs/logs/copy_bytes.h"
#include "clients/programs/logs/places.h"
#include "config/fields.h"

namespace fastjournal::cli {
namespace {

// At most so many bytes per second on average; 0: unlimited.
tools::Pace pace_of(std::uint64_t bytes_per_second) {
  if (bytes_per_second == 0) return [](std::uint64_t) {};
  auto const begin = std::chrono::steady_clock::now();
  return [begin, bytes_per_second, written = std::uint64_t{0}](std::uint64_t bytes) mutable {
    written += bytes;
    std::this_thread::sleep_until(begin + std::chrono::microseconds(written * 1'000'000 / bytes_per_second));
  };
}

std::uint64_t backup_number(Message const& message, std::string_view name) {
  Value const* const value = message.find(name);
  std::string const text = value == nullptr ? std::string{} : client::text_of(*value);
  std::uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

log::LogSnapshot snapshot_of(Message const& held) {
  log::LogSnapshot out;
  out.store_id = backup_number(held, "store");
  out.base = Lsn{backup_number(held, "base")};
  out.end = Lsn{backup_number(held, "end")};
  std::string_view rest = held.text("containers");
  while (!rest.empty()) {
    std::uint32_t index = 0;
    auto const [stopped, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
    if (error != std::errc{}) break;
    out.segments.push_back(index);
    rest.remove_prefix(std::min(rest.size(), static_cast<std::size_t>(stopped - rest.data()) + 1));
  }
  return out;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

struct BackupOptions {
  OptionSet& to;
  Text folder{to, "DIR", "folder to be made, with one below it for each log", required, alone};
  Size rate{to, "--rate", "bytes a second at the most, as 50MiB (default: as fast as the disks allow)"};
  Number<> keep{
      to, "--keep",
      "DIR holds many backups, each named by its date: make one more, and remove the oldest until there are so many",
      WholeNumbers{1, 10'000}};
  Flag digest{
      to, "--digest",
      "have the daemon say the digest of that moment; it looks at every row for it and serves nobody meanwhile"};
};

class Backup {
 public:
  Backup(BackupOptions const& given, Call& call, std::string const& target)
      : one_(given), call_(call), target_(tools::place_of(target)) {}

  ExitCode run();

 private:
  ExitCode complain(Status const& status);
  Status make_ready();
  Status copy(Message const& held);
  Status copy_log(Message const& held);
  Status copy_bytes(Message const& held);
  Status finish();

  BackupOptions const& one_;
  Call& call_;
  tools::Place target_;
  std::string unfinished_{target_.name + kUnfinished};
  std::vector<Message> done_;
};

ExitCode Backup::complain(Status const& status) {
  ExitCode const code = call_.complain_of_files(status);
  if (target_.disk->list(unfinished_).ok())
    call_.note(target_.text() + kUnfinished + " holds what was copied and is no backup: remove it");
  return code;
}

Status Backup::make_ready() {
  if (target_.disk->list(target_.name).ok())
    return {Code::bad_parameter, target_.text() + " is there already: a backup wants a new folder"};
  if (target_.disk->list(unfinished_).ok())
    return {Code::bad_parameter, target_.text() + kUnfinished + " is there already"};
  return target_.disk->make_folder(unfinished_);
}

Status Backup::copy(Message const& held) {
  if (held.command == "BACKUP_BYTES") return copy_bytes(held);
  if (held.command != "BACKUP_ELSEWHERE") return copy_log(held);
  call_.console.err << "fastjournal backup: log " << printable(held.text("log"))
                    << " is shared with other nodes and not in this copy: `etcdctl snapshot save` copies it\n";
  return {};
}

Status Backup::copy_log(Message const& held) {
  std::string const log{held.text("log")};
  // The name becomes a folder of the backup, so it must not lead anywhere else.
  if (!config::is_name(log, config::kLogName))
    return {Code::damaged,
            fmt::format("the daemon names a log {}: expected a letter a-z, then a-z, 0-9, _ or -, at most 64 "
                        "characters. It is no fastjournald, or a broken one; nothing of this log was copied",
                        printable(log.substr(0, 80)))};
  tools::Place const from = tools::place_of(std::string{held.text("folder")});
  Result<tools::Copied> const copied = tools::copy_log(
      *from.disk, from.name, *target_.disk, unfinished_ + "/" + log, snapshot_of(held), pace_of(one_.rate.value_or(0)),
      progress_on(call_.console, "fastjournal backup: " + std::string{held.text("folder")}));
  if (!copied.ok()) return copied.status();
  Message done("LOG");
  for (std::string_view const name : {"log", "folder", "end", "digest"})
    if (Value const* const value = held.find(name)) done.set(name, *value);
  done.set("bytes", Value::of_unsigned(copied->bytes));
  done.set("records", Value::of_unsigned(copied->records));
  done_.push_back(std::move(done));
  return {};
}

Status Backup::copy_bytes(Message const& held) {
  std::string const table{held.text("table")};
  if (!config::is_name(table, config::kColumnName))
    return {Code::damaged, fmt::format("the daemon names a table {}: it is no fastjournald, or a broken one; nothing "
                                       "of this table's files was copied",
                                       printable(table.substr(0, 80)))};
  if (Status status = target_.disk->make_folder(unfinished_ + "/bytes"); !status.ok()) return status;
  tools::Place const from = tools::place_of(std::string{held.text("folder")});
  Result<std::uint64_t> const copied =
      tools::copy_bytes(*from.disk, from.name, *target_.disk, unfinished_ + "/bytes/" + table,
                        words_of(held.text("files")), pace_of(one_.rate.value_or(0)),
                        progress_on(call_.console, "fastjournal backup: " + std::string{held.text("folder")}));
  if (!copied.ok()) return copied.status();
  if (Status status = target_.disk->sync_folder(unfinished_ + "/bytes"); !status.ok()) return status;
  Message done("BYTES");
  for (std::string_view const name : {"table", "folder"})
    if (Value const* const value = held.find(name)) done.set(name, *value);
  done.set("bytes", Value::of_unsigned(copied.value()));
  done_.push_back(std::move(done));
  return {};
}

// The final name means that the backup is complete.
Status Backup::finish() {
  std::string about;
  for (Message const& log : done_) about += render_json(log);
  auto file = target_.disk->open(unfinished_ + "/" + kAbout, env::OpenMode::create_new);
  if (!file.ok()) return file.status();
  if (Status status = file.value()->write(0, std::as_bytes(std::span(about))); !status.ok()) return status;
  if (Status status = file.value()->sync(); !status.ok()) return status;
  if (Status status = target_.disk->sync_folder(unfinished_); !status.ok()) return status;
  if (Status status = target_.disk->rename(unfinished_, target_.name); !status.ok()) return status;
  return target_.disk->sync_folder("");
}

ExitCode Backup::run() {
  if (Status status = make_ready(); !status.ok()) return complain(status);
  Message begin("BACKUP");
  if (one_.digest) begin.set_integer("digest", 1);
  Result<client::Reply> const held = call_.connection().call(begin);
  if (!held.ok()) {
    static_cast<void>(target_.disk->remove(unfinished_));
    return call_.complain(held.status());
  }
  Status status;
  for (auto log = held->messages.begin(); status.ok() && log != held->messages.end(); ++log) status = copy(*log);
  // Over the same connection; otherwise the daemon knows of no backup, and the files were not kept to the end. Missing
  // or changed files are only a symptom of that.
  Result<client::Reply> const kept = call_.connection().call(Message("BACKUP_DONE"));
  if (!kept.ok() && (status.ok() || kept.status().code() == Code::no_space)) status = kept.status();
  if (status.ok()) status = finish();
  if (!status.ok()) return complain(status);
  call_.show(done_);
  return ExitCode::ok;
}

struct BackupVerb {
  OptionSet& to;
  BackupOptions given{to};

  ExitCode run(Call& call) {
    if (!given.keep) return Backup{given, call, given.folder}.run();
    Result<DatedBackups> dated = DatedBackups::open(given.folder);
    if (!dated.ok()) return call.complain_of_files(dated.status());
    using std::chrono::milliseconds;
    auto const now = std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
    std::string const name = name_of_backup(now.count());
    ExitCode const code = Backup{given, call, dated->path_of(name)}.run();
    if (code != ExitCode::ok) return code;
    Status const kept = dated->keep(*given.keep, name);
    return kept.ok() ? code : call.complain_of_files(kept);
  }
};

constexpr Verb kBackup[]{
    {"backup", "copy all logs of a running daemon, as they are at one moment", Needs::connection, declare<BackupVerb>,
     "fastjournal backup /backup/2026-11-23 --rate 50MiB",
     "Needs the right admin (the administrator's socket), and may read its files. DIR appears when all of it is\n"
     "there, synced and read again; until then it is called DIR.partial. To restore, give the daemon DIR as its\n"
     "data folder, with the tables folder that it had. Never let a copy serve beside its original: both would give "
     "out\nthe same row numbers and epochs. The daemon keeps the files that are being copied, at most what the log "
     "held at that\nmoment; on a full disk it takes them back, and the backup fails."},
};

}  // namespace

Verbs backup_verbs() { return kBackup; }

}  // namespace fastjournal::cli
