// Configuration, files and folders, certificates, disks.
#include <errno.h>
#include <string.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "clients/programs/fastjournal/doctor/findings.h"
#include "model/date.h"

namespace fastjournal::doctor {
namespace {

constexpr mode_t kOthersRead = 0004;
constexpr mode_t kOthersWrite = 0002;
constexpr mode_t kOthers = 0007;
constexpr mode_t kAllButOwner = 0077;

// Below it a log cannot be rotated and compacted at once.
constexpr std::uint64_t kSegmentsWanted = 4;
constexpr double kShareWanted = 0.05;
constexpr std::uint64_t kFilesWanted = 1000;

// No medium answers in less: the fastest with a protected cache take some 15 us behind a file system.
constexpr std::uint32_t kImpossibleUs = 8;
constexpr std::uint32_t kSlowUs = 20'000;
constexpr std::uint32_t kVerySlowUs = 200'000;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kRenewSoonDays = 30;
constexpr std::int64_t kRenewNowDays = 7;

std::string_view word_of(Role role) {
  constexpr std::array<std::string_view, 12> kNames{
      "configuration", "tables folder", "types folder", "data folder", "log folder", "socket",
      "users file",    "key file",      "secret file",  "token file",  "file",       "files of a table"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string mode_text(mode_t mode) { return fmt::format("mode {:04o}", mode & 07777U); }
std::string error_text(int error) { return ::strerrordesc_np(error); }

// The user of the daemon that answers, or else of its data.
std::optional<uid_t> daemons_user(Facts const& facts) {
  if (facts.daemon.uid) return facts.daemon.uid;
  auto const data = std::find_if(facts.paths.begin(), facts.paths.end(),
                                 [](PathFacts const& one) { return one.role == Role::data && one.error == 0; });
  return data == facts.paths.end() ? std::nullopt : std::optional{data->uid};
}

class PathJudge {
 public:
  PathJudge(Facts const& facts, Findings& out) : facts_(facts), out_(out) {
    daemon_ = daemons_user(facts);
    for (PathFacts const& one : facts.paths)
      if (one.role == Role::data && one.error == 0 && one.uid == daemon_) group_ = one.gid;
  }

  void run() {
    std::size_t good = 0;
    std::size_t const before = out_.size();
    for (PathFacts const& one : facts_.paths) {
      std::size_t const so_far = out_.size();
      judge(one);
      if (out_.size() == so_far) ++good;
    }
    if (good > 0)
      out_.insert(
          out_.begin() + static_cast<std::ptrdiff_t>(before),
          {Severity::ok, "rights", fmt::format("{} files and folders have the right owner and mode", good), {}, {}});
  }

 private:
  void add(Severity severity, PathFacts const& one, std::string const& found, std::string expected,
           std::string advice) {
    out_.push_back({severity, "rights", fmt::format("{} {}: {}", word_of(one.role), one.path, found),
                    std::move(expected), std::move(advice)});
  }

  void judge(PathFacts const& one) {
    if (one.error != 0) return judge_missing(one);
    switch (one.role) {
      case Role::data:
      case Role::log: return judge_data(one);
      case Role::configuration:
      case Role::tables:
      case Role::plugins:
      case Role::file: return judge_read(one);
      case Role::socket: return judge_socket(one);
      case Role::users:
      case Role::key:
      case Role::secret: return judge_secret(one, kOthers);
      case Role::token: return judge_secret(one, kAllButOwner);
      case Role::bytes: return judge_bytes(one);
    }
  }

  void judge_missing(PathFacts const& one) {
    if (one.error == ENOENT && (one.role == Role::data || one.role == Role::log) && judge_lost(one)) return;
    if (one.error == ENOENT && one.role == Role::data)
      return add(Severity::advice, one, "does not exist", "a folder that the daemon's user may write",
                 "nothing if the daemon was never started and may create it; else create it, or correct <data folder>");
    if (one.error == ENOENT &&
        (one.role == Role::log || one.role == Role::socket || one.role == Role::token || one.role == Role::bytes))
      return;
    if (one.error == ENOENT)
      return add(Severity::error, one, "does not exist", {}, "create it, or correct the configuration");
    bool const is_daemons_user = daemon_ && *daemon_ == facts_.uid;
    if (is_daemons_user)
      return add(Severity::error, one, error_text(one.error), "what the daemon's user can open",
                 "give the daemon's user the rights on it and on the folders above it");
    add(Severity::unseen, one, error_text(one.error), {},
        "run this as root or as the daemon's user to have it checked");
  }

  // A folder of data without what should be in it: missing, or empty. False: nothing says that more was there.
  bool judge_lost(PathFacts const& one) {
    std::string const found = one.error == ENOENT ? "does not exist" : one.entries == 0 ? "is empty" : "has no log";
    if (!facts_.daemon.server.empty() && facts_.daemon.pid) {
      add(Severity::error, one, found + ", while the daemon runs: its files were removed, or something is mounted here",
          "the files of the daemon",
          "do not stop the daemon; unmount what is above its files, or make a backup (`fastjournal backup FOLDER`) and "
          "start it with that");
      return true;
    }
    if (!one.not_mounted.empty()) {
      add(Severity::error, one, fmt::format("{}: fstab names {}, and nothing is mounted there", found, one.not_mounted),
          "the disk with the data",
          fmt::format("mount {} before the daemon is started: {}", one.not_mounted,
                      one.is_missed ? "no start is possible without it" : "a start would make new, empty logs"));
      return true;
    }
    if (one.is_missed) {
      add(Severity::error, one, found + ", and this installation had a journal here: no daemon starts with it",
          "the disk with the data",
          "mount it, or restore a backup; to begin with an empty journal all the same, start the daemon once with "
          "--new-data");
      return true;
    }
    bool const is_empty_mount = one.error == 0 && one.is_mount;
    if (!is_empty_mount && (one.role == Role::data || !was_started(facts_))) return false;
    add(Severity::warning, one, is_empty_mount ? "an empty file system is mounted here" : found,
        is_empty_mount ? "the disk with the data, unless none was here before" : "its segments",
        "nothing if it is new; else mount its disk, or restore a backup: a start would make a new, empty log");
    return true;
  }

  // Or one cannot be looked at.
  [[nodiscard]] bool has_logs() const {
    return std::any_of(facts_.paths.begin(), facts_.paths.end(), [](PathFacts const& one) {
      return one.role == Role::log && (one.entries > 0 || (one.error != 0 && one.error != ENOENT));
    });
  }

  void judge_data(PathFacts const& one) {
    if (one.is_folder && (one.entries == 0 || (one.is_missed && !has_logs()))) judge_lost(one);
    if (!one.is_folder) return add(Severity::error, one, "is no folder", "a folder", "correct <data folder>");
    if (daemon_ && one.uid != *daemon_)
      add(Severity::error, one, fmt::format("belongs to user {}", one.uid), fmt::format("user {}", *daemon_),
          fmt::format("chown -R {} {}", *daemon_, one.path));
    if (one.other_owners > 0)
      add(Severity::error, one,
          fmt::format("{} of its entries belong to another user than the folder, as {}", one.other_owners,
                      one.other_owners_example),
          fmt::format("user {}", one.uid),
          fmt::format("stop the daemon, then chown -R {} {}; it was started once as another user", one.uid, one.path));
    if ((one.mode & kOthersWrite) != 0)
      add(Severity::error, one, "everybody may write it, " + mode_text(one.mode), "mode 0750 or less",
          "chmod o= " + one.path);
    else if ((one.mode & kOthersRead) != 0)
      add(Severity::advice, one, "everybody may read it, " + mode_text(one.mode), "mode 0750 or less",
          "chmod o= " + one.path + " if rows are not for everybody");
    if (!has(one, 7))
      add(Severity::error, one, fmt::format("its owner has too few rights, {}", mode_text(one.mode)), "mode 0750",
          "chmod u=rwx " + one.path);
  }

  void judge_read(PathFacts const& one) {
    if ((one.mode & kOthersWrite) != 0)
      add(Severity::error, one, "everybody may change it, " + mode_text(one.mode), "nobody but its owner and group",
          "chmod o-w " + one.path);
    if (!has(one, one.is_folder ? 5 : 4))
      add(Severity::error, one,
          fmt::format("the daemon's user {} may not read it, {} of user {}", *daemon_, mode_text(one.mode), one.uid),
          {}, fmt::format("chmod {} {}", one.is_folder ? "o+rx" : "o+r", one.path));
  }

  void judge_socket(PathFacts const& one) {
    if (one.is_administrators && (one.mode & kOthersWrite) != 0)
      return add(Severity::error, one, "everybody may administer the daemon, " + mode_text(one.mode),
                 fmt::format("mode {:04o}", one.declared_mode),
                 fmt::format("chmod {:04o} {}", one.declared_mode, one.path));
    if ((one.mode & 0777U) != one.declared_mode)
      add(Severity::warning, one, mode_text(one.mode), fmt::format("mode {:04o}, as it is declared", one.declared_mode),
          "restart the daemon, or chmod; sockets of systemd have the mode of their unit");
    if (daemon_ && one.uid != *daemon_ && one.uid != 0)
      add(Severity::warning, one, fmt::format("belongs to user {}", one.uid), fmt::format("user {}", *daemon_),
          "look who made it: its folder must not be for others to write");
  }

  void judge_bytes(PathFacts const& one) {
    bool const has_group = !one.declared_group || one.gid == *one.declared_group;
    if ((one.mode & 0777U) == one.declared_mode && has_group) return;
    std::string expected = fmt::format("mode {:04o}", one.declared_mode);
    if (one.declared_group) expected += fmt::format(" and group {}", *one.declared_group);
    add(Severity::warning, one, fmt::format("{} and group {}", mode_text(one.mode), one.gid),
        expected + ", as its table declares", "restart the daemon: a start gives them these; look who changed them");
  }

  void judge_secret(PathFacts const& one, mode_t forbidden) {
    if ((one.mode & forbidden) != 0)
      add(Severity::error, one, "others may use it, " + mode_text(one.mode),
          forbidden == kOthers ? "its owner and group alone" : "its owner alone",
          fmt::format("chmod {} {}, then make new secrets: these may be known",
                      forbidden == kOthers ? "o=" : "go=", one.path));
    if (one.role != Role::token && !has(one, 4))
      add(Severity::error, one, fmt::format("the daemon's user {} may not read it, {}", *daemon_, mode_text(one.mode)),
          {}, fmt::format("chown {} {}", *daemon_, one.path));
  }

  // Whether the daemon's user has these rights (4 read, 2 write, 1 enter). Other groups of his are not known: what any
  // group may do is taken as his.
  [[nodiscard]] bool has(PathFacts const& one, mode_t wanted) const {
    if (!daemon_ || *daemon_ == 0) return true;
    mode_t rights = one.mode & 7U;
    if (one.uid == *daemon_)
      rights = (one.mode >> 6U) & 7U;
    else if (group_ != one.gid || ((one.mode >> 3U) & wanted) == wanted)
      rights |= (one.mode >> 3U) & 7U;
    return (rights & wanted) == wanted;
  }

  Facts const& facts_;
  Findings& out_;
  std::optional<uid_t> daemon_;
  std::optional<gid_t> group_;
};

std::string place_of(check::Problem const& problem) {
  return problem.line > 0 ? fmt::format("{}:{}", problem.file, problem.line) : problem.file;
}

void judge_syncs(DiskFacts const& disk, Findings& out) {
  if (!disk.syncs) {
    out.push_back({Severity::unseen,
                   "sync",
                   "the speed of syncs: " + disk.syncs_problem,
                   {},
                   "run this as root or as the daemon's user to have it measured"});
    return;
  }
  SyncFacts const& syncs = *disk.syncs;
  std::string const found = fmt::format("{}: {} syncs of 4 KiB, p50 {:.2f} ms, p99 {:.2f} ms", disk.folder, syncs.count,
                                        syncs.us_p50 / 1e3, syncs.us_p99 / 1e3);
  if (disk.medium == Medium::local && syncs.us_p50 < kImpossibleUs)
    out.push_back({Severity::warning, "sync", found,
                   fmt::format("at least {} us: no medium is so quick", kImpossibleUs),
                   "find out what answers for the disk (a write cache without protection, a virtual computer's host, a "
                   "mount option like nobarrier): rows that were acknowledged would be lost at a power cut"});
  else if (syncs.us_p50 > kVerySlowUs)
    out.push_back({Severity::warning, "sync", found, fmt::format("less than {} ms", kSlowUs / 1000),
                   "look at the disk's health and at who else writes to it; each answer waits for a sync"});
  else if (syncs.us_p50 > kSlowUs)
    out.push_back({Severity::advice, "sync", found, fmt::format("less than {} ms", kSlowUs / 1000),
                   "answers take this long, many at once share a sync; a faster disk, or sync=\"interval\" where the "
                   "last rows may be lost at a power cut"});
  else
    out.push_back({Severity::ok, "sync", found, {}, {}});
}

void judge_medium(DiskFacts const& disk, Findings& out) {
  std::string const found = fmt::format("{} is on {}", disk.folder, disk.type);
  switch (disk.medium) {
    case Medium::local: out.push_back({Severity::ok, "file-system", found, {}, {}}); return;
    case Medium::memory:
      out.push_back({Severity::error, "file-system", found + ", in memory", "a file system on a disk",
                     "correct <data folder>: every row is lost when the computer stops"});
      return;
    case Medium::network:
      out.push_back(
          {Severity::warning, "file-system", found + ", over a network", "a local file system",
           "use a local disk: whether a sync is one, and a lock is one, depends on the server and its options"});
      return;
    case Medium::overlay:
      out.push_back({Severity::warning, "file-system", found + ", the layers of a container", "a volume",
                     "mount a volume there: the rows are lost with the container"});
      return;
  }
}

void judge_space(DiskFacts const& disk, Findings& out) {
  std::uint64_t const wanted = kSegmentsWanted * disk.segment_bytes * std::max(disk.logs, 1U);
  std::string const found =
      fmt::format("{}: {} of {} free", disk.folder, size_text(disk.bytes_free), size_text(disk.bytes));
  std::string const expected = fmt::format("{} segments of {} for each log here: {}", kSegmentsWanted,
                                           size_text(disk.segment_bytes), size_text(wanted));
  bool const is_tight = static_cast<double>(disk.bytes_free) < kShareWanted * static_cast<double>(disk.bytes);
  if (disk.is_read_only)
    out.push_back({Severity::error, "disk-space", disk.folder + ": the file system is read-only", "one to write to",
                   "look into the kernel's messages for its reason (dmesg), then mount it again"});
  else if (disk.bytes_free < disk.segment_bytes)
    out.push_back({Severity::error, "disk-space", found, expected,
                   "free space: inserts are refused when the next segment cannot be made; done and delete still work"});
  else if (disk.bytes_free < wanted)
    out.push_back({Severity::warning, "disk-space", found, expected, "free space, or finish and delete rows"});
  else if (is_tight)
    out.push_back({Severity::advice, "disk-space", found, "5 % free", "free space before it is short"});
  else
    out.push_back({Severity::ok, "disk-space", found, {}, {}});
  if (disk.files > 0 && disk.files_free < kFilesWanted)
    out.push_back({disk.files_free < kSegmentsWanted ? Severity::error : Severity::warning, "disk-files",
                   fmt::format("{}: {} of {} inodes free", disk.folder, disk.files_free, disk.files),
                   fmt::format("{} at least", kFilesWanted), "remove files that nobody needs: df -i " + disk.folder});
}

}  // namespace

void judge_configuration(Facts const& facts, Findings& out) {
  check::Report const& report = facts.configuration;
  for (check::Problem const& problem : report.problems)
    out.push_back({Severity::error, "configuration", place_of(problem) + ": " + problem.text,
                   "a file as a start takes it", "correct it; `fastjournal check` says when it is right"});
  bool const is_daemons_user = daemons_user(facts) == facts.uid;
  for (check::Problem const& one : facts.forbidden)
    out.push_back({is_daemons_user ? Severity::error : Severity::unseen, "configuration",
                   place_of(one) + ": " + one.text, is_daemons_user ? "what the daemon's user can read" : "",
                   is_daemons_user ? "chmod or chown it: the daemon does not start without it"
                                   : "run this as root or as the daemon's user to have it checked"});
  for (check::Problem const& note : report.notes) {
    // Judged by its date.
    bool const is_certificate =
        std::any_of(report.certificates.begin(), report.certificates.end(),
                    [&](auto const& one) { return note.text.find(one.file) != std::string::npos; });
    if (!is_certificate) out.push_back({Severity::advice, "configuration", place_of(note) + ": " + note.text, {}, {}});
  }
  if (report.problems.empty() && facts.forbidden.empty() && facts.wish.is_read)
    out.push_back({Severity::ok,
                   "configuration",
                   fmt::format("{} and what it names: {} files are good", facts.wish.file, report.files.size()),
                   {},
                   {}});
}

void judge_paths(Facts const& facts, Findings& out) { PathJudge{facts, out}.run(); }

void judge_certificates(Facts const& facts, Findings& out) {
  for (check::Certificate const& one : facts.configuration.certificates) {
    std::int64_t const left_ms = one.valid_until_s * 1000 - facts.clock.now_ms;
    std::int64_t const days = left_ms / kDayMs;
    std::string const date = model::format_date(one.valid_until_s * 1000);
    std::string const advice = "renew it, then `fastjournal reload`: connections stay";
    if (left_ms <= 0)
      out.push_back({Severity::error, "certificate",
                     fmt::format("{} (its chain and the CAs of clients included) expired on {}", one.file, date),
                     "one that is valid", advice});
    else if (days < kRenewSoonDays)
      out.push_back(
          {days < kRenewNowDays ? Severity::warning : Severity::advice, "certificate",
           fmt::format("{} (its chain and the CAs of clients included) ends on {}, in {} days", one.file, date, days),
           fmt::format("{} days at least", kRenewSoonDays), advice});
    else
      out.push_back(
          {Severity::ok, "certificate", fmt::format("{} ends on {}, in {} days", one.file, date, days), {}, {}});
  }
}

void judge_disks(Facts const& facts, Findings& out) {
  for (DiskFacts const& disk : facts.disks) {
    judge_medium(disk, out);
    judge_space(disk, out);
    if (!disk.is_read_only) judge_syncs(disk, out);
  }
}

}  // namespace fastjournal::doctor
