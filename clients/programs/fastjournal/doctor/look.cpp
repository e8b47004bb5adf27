#include "clients/programs/fastjournal/doctor/look.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "config/daemon_reader.h"
#include "platform/os/installation.h"
#include "platform/os/known_folders.h"
#include "platform/os/posix_disk.h"
#include "platform/os/sync_probe.h"

namespace fastjournal::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSyncsMax = 200;
constexpr std::size_t kSyncBlocks = 64;
// Entries of a folder that are looked at: a data folder has a few, a log a few thousand at the most.
constexpr std::size_t kEntriesMax = 100'000;

struct FileSystem {
  std::uint32_t magic;
  std::string_view name;
  Medium medium;
};
// Numbers that linux/magic.h does not have are from statfs(2).
constexpr FileSystem kFileSystems[] = {
    {EXT4_SUPER_MAGIC, "ext4", Medium::local},   {0x58465342, "xfs", Medium::local},
    {BTRFS_SUPER_MAGIC, "btrfs", Medium::local}, {F2FS_SUPER_MAGIC, "f2fs", Medium::local},
    {0x2fc12fc1, "zfs", Medium::local},          {0xca451a4e, "bcachefs", Medium::local},
    {TMPFS_MAGIC, "tmpfs", Medium::memory},      {RAMFS_MAGIC, "ramfs", Medium::memory},
    {NFS_SUPER_MAGIC, "nfs", Medium::network},   {0xff534d42, "cifs", Medium::network},
    {0xfe534d42, "smb", Medium::network},        {0x00c36400, "ceph", Medium::network},
    {0x65735546, "fuse", Medium::network},       {V9FS_MAGIC, "9p", Medium::network},
    {0x5346414f, "afs", Medium::network},        {0x47504653, "gpfs", Medium::network},
    {0x01161970, "gfs2", Medium::network},       {0x7461636f, "ocfs2", Medium::network},
    {0x0bd00bd0, "lustre", Medium::network},     {OVERLAYFS_SUPER_MAGIC, "overlay", Medium::overlay},
};

// The nearest mount point of fstab at or above `path` at which nothing is mounted; empty: none.
std::string not_mounted(std::string const& path) {
  std::string out;
  std::error_code error;
  std::string const whole = fs::weakly_canonical(path, error).string() + "/";
  std::ifstream table{"/etc/fstab"};
  for (std::string line; std::getline(table, line);) {
    std::istringstream words{line};
    std::string device;
    std::string point;
    words >> device >> point;
    for (std::size_t at = 0; (at = point.find("\\040", at)) != std::string::npos;) point.replace(at, 4, " ");
    bool const is_above = point.size() > 1 && point.front() == '/' && whole.starts_with(point + "/");
    if (device.starts_with('#') || !is_above || point.size() < out.size()) continue;
    struct stat here {};
    struct stat above {};
    bool const is_there = ::stat(point.c_str(), &here) == 0;
    if (!is_there || (::stat((point + "/..").c_str(), &above) == 0 && above.st_dev == here.st_dev)) out = point;
  }
  return out;
}

PathFacts path_facts(Role role, std::string const& path) {
  PathFacts out{.role = role, .path = path};
  if (role == Role::data || role == Role::log) out.not_mounted = not_mounted(path);
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    out.error = errno;
    return out;
  }
  out.is_folder = S_ISDIR(found.st_mode);
  out.uid = found.st_uid;
  out.gid = found.st_gid;
  out.mode = found.st_mode & 07777U;
  if (role != Role::data && role != Role::log) return out;
  struct stat above {};
  out.is_mount = out.is_folder && ::stat((path + "/..").c_str(), &above) == 0 &&
                 (above.st_dev != found.st_dev || above.st_ino == found.st_ino);
  // The folders of logs are looked at by themselves: not below.
  std::error_code error;
  std::size_t seen = 0;
  fs::directory_iterator at{path, error};
  for (; !error && at != fs::directory_iterator{} && seen < kEntriesMax; at.increment(error), ++seen) {
    if (at->path().filename() != "lost+found") ++out.entries;
    struct stat entry {};
    if (::lstat(at->path().c_str(), &entry) != 0 || entry.st_uid == found.st_uid) continue;
    if (role == Role::data && S_ISSOCK(entry.st_mode)) continue;
    ++out.other_owners;
    out.other_owners_example = at->path().string();
  }
  if (error.value() == EACCES) out.error = EACCES;
  return out;
}

// What the daemon reads: files of tables and types, certificates. Those with secrets, and its own, are looked at anyway.
void look_at_read_files(config::DaemonDeclaration const& daemon, Facts& facts) {
  std::vector<std::string> files = facts.configuration.files;
  if (daemon.tls) files.insert(files.end(), {daemon.tls->certificate.path, daemon.tls->client_ca.path});
  for (std::string const& file : files) {
    bool const is_there =
        std::any_of(facts.paths.begin(), facts.paths.end(), [&](PathFacts const& one) { return one.path == file; });
    if (!file.empty() && !is_there) facts.paths.push_back(path_facts(Role::file, file));
  }
}

// Not seen, as for those who may not read there: false.
bool is_missed(Request const& wish, Facts const& facts, std::string const& folder) {
  std::string state = wish.state;
  if (state.empty() && facts.daemon.pid) state = option_of(*facts.daemon.pid, "--state");
  if (state.empty()) state = os::installed_state();
  if (state.empty()) return false;
  os::PosixDisk disk{state};
  std::error_code ignored;
  if (fs::exists(fs::path{folder} / "lock", ignored)) return false;
  Result<bool> const known = os::is_known_folder(disk, fs::absolute(folder, ignored).lexically_normal().string());
  return known.ok() && known.value();
}

void look_at_paths(config::DaemonDeclaration const& daemon, std::vector<std::string> const& tokens, Facts& facts) {
  auto const add = [&](Role role, std::string const& path) -> PathFacts* {
    if (path.empty()) return nullptr;
    facts.paths.push_back(path_facts(role, path));
    return &facts.paths.back();
  };
  add(Role::configuration, daemon.file);
  add(Role::tables, daemon.tables_folder);
  add(Role::plugins, daemon.plugins_folder.empty() ? os::installed_plugins() : daemon.plugins_folder);
  add(Role::data, daemon.data_folder);
  // One on other computers has no folder here.
  for (config::LogDeclaration const& log : daemon.logs)
    if (!log.is_shared) add(Role::log, daemon.folder_of(log));
  for (config::ListenDeclaration const& one : daemon.listen) {
    if (!one.address.starts_with("unix:")) continue;
    PathFacts* const socket = add(Role::socket, one.address.substr(5));
    socket->declared_mode = one.unix_mode;
    socket->is_administrators = one.rights.has(Right::admin);
  }
  add(Role::users, daemon.access.users_file);
  if (daemon.tls) add(Role::key, daemon.tls->key.path);
  for (config::UdpDeclaration const& one : daemon.udp) add(Role::secret, one.secret_file);
  for (std::string const& token : tokens) add(Role::token, token);
  for (check::FileAccess const& one : facts.configuration.accesses) {
    fs::path const folder = fs::path{daemon.data_folder} / "bytes" / one.table;
    std::vector<fs::path> paths{folder};
    std::error_code error;
    fs::directory_iterator at{folder, error};
    for (; !error && at != fs::directory_iterator{} && paths.size() < kEntriesMax; at.increment(error))
      if (at->path().filename().string().starts_with("data.")) paths.push_back(at->path());
    for (fs::path const& path : paths) {
      PathFacts* const bytes = add(Role::bytes, path.string());
      // Whoever may read a folder may enter it.
      bytes->declared_mode = bytes->is_folder ? one.mode | 0100U | ((one.mode & 0444U) >> 2U) : one.mode;
      bytes->declared_group = one.group;
    }
  }
  look_at_read_files(daemon, facts);
}

void measure(std::chrono::milliseconds limit, DiskFacts& disk) {
  Result<os::SyncTimes> const times =
      os::probe_syncs(disk.folder, {.limit = limit, .count_max = kSyncsMax, .blocks = kSyncBlocks});
  if (times.ok())
    disk.syncs = SyncFacts{times->us.size(), times->us_at(0.5), times->us_at(0.99)};
  else
    disk.syncs_problem = times.status().message();
}

std::optional<DiskFacts> disk_facts(std::string const& folder) {
  struct statfs type {};
  struct statvfs space {};
  if (::statfs(folder.c_str(), &type) != 0 || ::statvfs(folder.c_str(), &space) != 0) return std::nullopt;
  DiskFacts out{.folder = folder};
  auto const magic = static_cast<std::uint32_t>(type.f_type);
  auto const* const known = std::find_if(std::begin(kFileSystems), std::end(kFileSystems),
                                         [&](auto const& one) { return one.magic == magic; });
  out.type =
      known == std::end(kFileSystems) ? fmt::format("a file system of type {:#x}", magic) : std::string{known->name};
  if (known != std::end(kFileSystems)) out.medium = known->medium;
  out.is_read_only = (space.f_flag & ST_RDONLY) != 0;
  out.bytes = std::uint64_t{space.f_blocks} * space.f_frsize;
  out.bytes_free = std::uint64_t{space.f_bavail} * space.f_frsize;
  out.files = space.f_files;
  out.files_free = space.f_favail;
  return out;
}

// The nearest folder that exists: that of the data may be made by the first start.
std::string existing(std::string const& folder) {
  fs::path path{folder};
  std::error_code error;
  while (!fs::exists(path, error) && path.has_parent_path() && path != path.parent_path()) path = path.parent_path();
  return path.string();
}

void look_at_disks(config::DaemonDeclaration const& daemon, std::chrono::milliseconds limit, Facts& facts) {
  struct Seen {
    dev_t device;
    std::size_t place;
  };
  std::vector<Seen> seen;
  // The data folder itself, and each log: its folder may be a link, or a mount point.
  std::vector<std::pair<std::string, config::LogDeclaration const*>> folders{{existing(daemon.data_folder), nullptr}};
  for (config::LogDeclaration const& log : daemon.logs) folders.emplace_back(existing(daemon.folder_of(log)), &log);
  for (auto const& [folder, log] : folders) {
    struct stat found {};
    if (::stat(folder.c_str(), &found) != 0) continue;
    auto at = std::find_if(seen.begin(), seen.end(), [&](Seen const& one) { return one.device == found.st_dev; });
    if (at == seen.end()) {
      std::optional<DiskFacts> disk = disk_facts(folder);
      if (!disk) continue;
      facts.disks.push_back(*std::move(disk));
      seen.push_back({found.st_dev, facts.disks.size() - 1});
      at = seen.end() - 1;
    }
    if (log == nullptr) continue;
    DiskFacts& disk = facts.disks[at->place];
    disk.segment_bytes = std::max(disk.segment_bytes, log->segment_bytes);
    ++disk.logs;
  }
  for (DiskFacts& disk : facts.disks) measure(limit, disk);
}

Addresses wished_addresses(Request const& wish, config::DaemonDeclaration const* daemon) {
  if (!wish.server.empty()) return {{wish.server}, {}};
  Addresses out;
  if (daemon != nullptr) out = addresses_of(*daemon);
  if (!wish.config.empty()) return out;
  // A daemon that was started with another file has the socket of the installation all the same.
  for (std::string const& path : os::administrator_sockets())
    if (std::string const address = "unix:" + path;
        std::find(out.sockets.begin(), out.sockets.end(), address) == out.sockets.end() &&
        (daemon == nullptr || ::access(path.c_str(), F_OK) == 0))
      out.sockets.push_back(address);
  return out;
}

// The command line of the daemon may name other folders than its file does. One that answers may be of another file.
void take_options(Request const& wish, Facts const& facts, config::DaemonDeclaration& declared) {
  std::error_code ignored;
  std::string const used = facts.daemon.pid ? option_of(*facts.daemon.pid, "--config") : std::string{};
  if (facts.daemon.pid && (used.empty() ? wish.config.empty() : fs::equivalent(used, facts.wish.file, ignored))) {
    auto const take = [&](char const* name, std::string& folder) {
      if (std::string given = option_of(*facts.daemon.pid, name); !given.empty()) folder = std::move(given);
    };
    take("--data", declared.data_folder);
    take("--tables", declared.tables_folder);
    take("--plugins", declared.plugins_folder);
  }
  if (!wish.plugins.empty()) declared.plugins_folder = wish.plugins;
}

// `own_tables`: the folder that the file names, where the daemon was given another one.
void look_at_configuration(Request const& wish, config::DaemonDeclaration const* declared,
                           std::string const& own_tables, Facts& facts) {
  std::vector<std::string> files{facts.wish.file};
  bool const has_others = declared != nullptr && declared->tables_folder != own_tables;
  if (has_others) files.push_back(declared->tables_folder);
  facts.configuration = check::check_files(files, declared == nullptr ? wish.plugins : declared->plugins_folder);
  std::vector<check::Problem>& problems = facts.configuration.problems;
  if (has_others) std::erase_if(problems, [&](check::Problem const& one) { return one.file.starts_with(own_tables); });
  std::string const denied = ::strerrordesc_np(EACCES);
  auto const is_forbidden = [&](check::Problem const& one) {
    return one.text.find(denied) != std::string::npos || (::access(one.file.c_str(), R_OK) != 0 && errno == EACCES);
  };
  std::copy_if(problems.begin(), problems.end(), std::back_inserter(facts.forbidden), is_forbidden);
  std::erase_if(problems, is_forbidden);
}

void look_at_wishes(config::DaemonDeclaration const& daemon, WishFacts& out) {
  out.is_read = true;
  out.connections = daemon.limits.connections + daemon.limits.reserved_connections;
  out.rows_bytes_max = daemon.limits.memory_bytes;
  out.clients_bytes_max = daemon.limits.client_memory_bytes;
  out.has_udp = !daemon.udp.empty();
  for (config::ListenDeclaration const& one : daemon.listen) out.has_tcp |= !one.address.starts_with("unix:");
}

}  // namespace

Facts look(Request const& wish) {
  Facts facts;
  facts.uid = ::geteuid();
  std::error_code ignored;
  facts.wish.file = wish.config.empty() ? os::default_configuration()
                                        : fs::absolute(wish.config, ignored).lexically_normal().string();
  Result<config::DaemonDeclaration> declared = config::read_daemon(facts.wish.file);
  look_at_daemon(wish, wished_addresses(wish, declared.ok() ? &declared.value() : nullptr), facts);
  if (facts.daemon.pid && wish.config.empty()) {
    std::string const used = option_of(*facts.daemon.pid, "--config");
    if (!used.empty() && used != facts.wish.file) {
      facts.wish.file = used;
      declared = config::read_daemon(used);
    }
  }
  std::string const own_tables = declared.ok() ? declared->tables_folder : std::string{};
  if (declared.ok()) take_options(wish, facts, declared.value());
  look_at_configuration(wish, declared.ok() ? &declared.value() : nullptr, own_tables, facts);
  if (declared.ok()) {
    look_at_wishes(declared.value(), facts.wish);
    look_at_paths(declared.value(), wish.tokens, facts);
    for (PathFacts& one : facts.paths)
      if (one.role == Role::data) one.is_missed = is_missed(wish, facts, one.path);
    look_at_disks(declared.value(), wish.syncs, facts);
  }
  look_at_computer(facts);
  look_at_versions(wish, facts);
  ask_daemon(wish, facts);
  return facts;
}

}  // namespace fastjournal::doctor
