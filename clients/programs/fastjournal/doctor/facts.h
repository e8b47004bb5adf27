// Observations of an installation, as plain values: filled by look.h, judged by findings.h. Apart from both, so that
// each judgement can be tested without such a computer. An empty value was not seen, or does not exist here.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clients/programs/fastjournal/check/check.h"

namespace fastjournal::doctor {

enum class Role : std::uint8_t {
  configuration,
  tables,
  plugins,
  data,
  log,
  socket,
  users,
  key,
  secret,
  token,
  file,
  bytes
};

// A file or folder that the daemon, or this command line, uses.
struct PathFacts {
  Role role{Role::data};
  std::string path{};
  int error{0};  // of the call that looked at it; ENOENT: there is none
  bool is_folder{false};
  uid_t uid{0};
  gid_t gid{0};
  mode_t mode{0};
  mode_t declared_mode{0};  // of a socket, and of the files of a table
  std::optional<gid_t> declared_group{};
  bool is_administrators{false};       // a socket with the right admin
  std::uint64_t other_owners{0};       // entries of a folder that belong to another user than the folder
  std::string other_owners_example{};  // one of them
  std::uint64_t entries{0};            // of a data folder, or a log's, but for lost+found
  bool is_mount{false};                // a file system is mounted there
  bool is_missed{false};               // a data folder that the state folder knows, without a lock: its journal is gone
  std::string not_mounted{};  // the nearest folder at or above it that fstab names, and where nothing is mounted
};

enum class Medium : std::uint8_t { local, memory, network, overlay };

struct SyncFacts {
  std::uint64_t count{0};
  std::uint32_t us_p50{0};
  std::uint32_t us_p99{0};
};

// The file system of the data folder, or of a log's folder on another one.
struct DiskFacts {
  std::string folder{};
  std::string type{};  // "ext4", or the number of an unknown one
  Medium medium{Medium::local};
  bool is_read_only{false};
  std::uint64_t bytes{0};
  std::uint64_t bytes_free{0};  // for ordinary users
  std::uint64_t files{0};       // 0: this file system does not count them
  std::uint64_t files_free{0};
  std::uint64_t segment_bytes{0};  // the largest of its logs
  std::uint32_t logs{0};           // that have their files here
  std::optional<SyncFacts> syncs{};
  std::string syncs_problem{};
};

struct ClockFacts {
  std::int64_t now_ms{0};
  std::optional<bool> is_synchronised{};
  std::int64_t error_us_max{0};             // as the kernel estimates it
  std::optional<std::int64_t> daemon_ms{};  // the daemon's time minus the clock
  std::uint64_t daemon_ms_uncertain{0};     // half of the time that asking took
};

struct LimitFacts {
  bool is_of_daemon{false};  // else of this command
  std::optional<std::uint64_t> files_hard{};
  std::optional<std::uint64_t> core_soft{};
  std::optional<std::uint64_t> memory_bytes{};   // of the computer
  std::optional<std::uint64_t> group_bytes{};    // what its control group may have
  std::optional<std::uint64_t> swapped_bytes{};  // of the daemon
};

struct KernelFacts {
  std::optional<std::int64_t> somaxconn{};
  std::optional<std::int64_t> rmem_max{};
  std::optional<std::int64_t> overcommit{};
  std::string huge_pages{};  // always, madvise or never
};

struct VersionFacts {
  std::string own{};     // of this command line
  std::string daemon{};  // of the installed program; empty: none was found
  std::string daemon_program{};
};

struct AlertFacts {
  std::string name{};
  std::string table{};
  std::string message{};
  std::uint64_t priority{0};
};

struct DaemonFacts {
  std::vector<std::string> tried{};  // addresses
  std::string server{};              // the one that answered; empty: none
  std::string problem{};             // why none did
  bool is_refused{false};            // one is there, and does not let us in
  std::optional<pid_t> pid{};
  std::optional<uid_t> uid{};
  std::string program{};
  bool is_program_replaced{false};              // its file was removed or replaced since its start
  std::vector<std::string> replaced_plugins{};  // the same
  bool are_plugins_seen{false};
  std::string not_ready{};  // of HEALTH; empty: all logs serve
  bool has_figures{false};  // of STATS; without the right to read there are none
  std::vector<AlertFacts> alerts{};
  std::uint64_t alerts_dropped{0};
  std::uint64_t logs_mending{0};
  std::uint64_t log_disk_bytes{0};
  std::uint64_t log_disk_bound{0};
  std::uint64_t rows_bytes{0};         // memory
  std::vector<std::string> waiting{};  // what a RELOAD would change; without the right admin not seen
  std::vector<std::string> paused{};
  std::vector<std::string> draining{};
};

// What the configuration wants.
struct WishFacts {
  std::string file{};
  bool is_read{false};
  std::uint32_t connections{0};  // with the reserved ones
  std::uint64_t rows_bytes_max{0};
  std::uint64_t clients_bytes_max{0};
  bool has_tcp{false};
  bool has_udp{false};
};

struct Facts {
  uid_t uid{0};  // who looked
  WishFacts wish;
  check::Report configuration{};
  std::vector<check::Problem> forbidden{};  // files of it that may not be read by who looks
  std::vector<PathFacts> paths{};
  std::vector<DiskFacts> disks{};
  ClockFacts clock;
  LimitFacts limits;
  KernelFacts kernel;
  VersionFacts versions;
  DaemonFacts daemon;
};

}  // namespace fastjournal::doctor
