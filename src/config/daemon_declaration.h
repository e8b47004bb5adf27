// What conf/fastjournal.xml says, as values, with the defaults of an empty
// <fastjournal/>. Folders and files are absolute or relative to where the
// daemon stands: the reader has joined them with the folder of the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/rights.h"

namespace fastjournal::config {

// Of unix sockets' files where no other mode is given: of administrators', and of others.
inline constexpr std::uint32_t kAdministratorMode = 0600;
inline constexpr std::uint32_t kSocketMode = 0660;

struct ListenDeclaration {
  std::string address{
      "127.0.0.1:4050"};   // "127.0.0.1:4050", "[::1]:0" (port 0: the system chooses), "unix:/run/fastjournal.sock"
  bool loopback{true};     // nobody beyond this machine reaches it
  bool plain_text{false};  // true is required where loopback is false
  Rights rights{kLoopbackRights};        // of those who come here
  std::uint32_t unix_mode{kSocketMode};  // of a unix socket's file

  bool operator==(ListenDeclaration const&) const = default;
};

enum class WhenEmpty : std::uint8_t { reset, truncate, remove };
enum class SyncMethod : std::uint8_t { automatic, fdatasync, direct };
enum class SyncPlace : std::uint8_t { automatic, on_loop, on_thread };

struct LogDeclaration {
  std::string name{"shared"};
  std::uint64_t container_bytes{16U << 20U};
  std::uint32_t initial_containers{2};
  std::uint32_t sync_interval_ms{0};           // 0: every acknowledgement is synced; else sync="interval"
  SyncPlace sync_place{SyncPlace::automatic};  // who waits for a sync
  SyncMethod sync_method{SyncMethod::automatic};
  std::uint64_t write_buffer_bytes{64U << 20U};  // decided and not synced yet; then nothing more is taken
  WhenEmpty when_empty{WhenEmpty::reset};        // what an empty log keeps of its files
  std::int64_t scrub_ms{86'400'000};             // what is durable is read and checked once in this time; 0: never
  bool wipe{false};                              // files are overwritten with zeros when nothing in them is needed

  bool operator==(LogDeclaration const&) const = default;
};

// What a start takes.
struct StartDeclaration {
  std::int64_t clock_behind_ms_max{3'600'000};  // the computer's clock behind the log's last date

  bool operator==(StartDeclaration const&) const = default;
};

struct LimitsDeclaration {
  std::uint32_t connections{10'000};
  std::uint64_t line_bytes{1U << 20U};      // of a text message
  std::uint64_t frame_bytes{32U << 20U};    // of a binary message: a row of 16 MiB and its names
  std::uint64_t output_bytes{64U << 20U};   // waiting to be sent to one connection
  std::uint64_t memory_bytes{4ULL << 30U};  // of rows; above it only what removes is done
  std::uint32_t reserved_connections{16};   // beside `connections`, for administrators' sockets
  std::uint32_t connections_per_peer{0};    // 0: three quarters of `connections`
  std::int64_t first_message_ms{30'000};    // a connection that says nothing for so long is closed; 0: never
  std::int64_t idle_ms{0};                  // the same later on

  // Of everything that clients cause beside rows: unread, unsent, waiting.
  std::uint64_t client_memory_bytes{1U << 30U};

  bool operator==(LimitsDeclaration const&) const = default;
};

struct LoggingDeclaration {
  std::string level{"info"};  // trace, debug, info, warn, error
  std::string file;           // empty: standard error

  bool operator==(LoggingDeclaration const&) const = default;
};

// Where alerts go beside ALERTS; empty: not there.
struct AlertsDeclaration {
  std::string flags_folder;  // of the watcher
  std::string service;       // is told by FLAG messages, by way of the communicatord ...
  std::string address;       // ... or here
  std::string command;       // is run
  std::int64_t command_limit_ms{30'000};
  std::int64_t interval_ms{600'000};  // a cause that goes on is told again after this

  bool operator==(AlertsDeclaration const&) const = default;
};

struct CommunicatorDeclaration {
  std::string address;  // empty: the daemon is a service of none
  std::string service{"fastjournal"};

  bool operator==(CommunicatorDeclaration const&) const = default;
};

// Messages that come as datagrams.
struct UdpDeclaration {
  std::string address;
  std::string interface;    // where a group is joined; empty: the system chooses
  std::string secret_file;  // empty: none is asked for
  std::uint32_t messages_per_second{10'000};

  bool operator==(UdpDeclaration const&) const = default;
};

struct DaemonDeclaration {
  std::string file;                       // where it was read, for messages
  std::vector<ListenDeclaration> listen;  // at least one by TCP; unix sockets last
  std::vector<UdpDeclaration> udp;
  std::string data_folder;
  std::string tables_folder;
  std::string plugins_folder;        // empty: where the daemon was installed with its plugins
  std::vector<LogDeclaration> logs;  // "shared" is always among them
  LimitsDeclaration limits;
  StartDeclaration start;
  LoggingDeclaration logging;
  AlertsDeclaration alerts;
  CommunicatorDeclaration communicator;

  // Null if there is none of this name.
  [[nodiscard]] LogDeclaration const* log(std::string_view name) const {
    for (LogDeclaration const& one : logs)
      if (one.name == name) return &one;
    return nullptr;
  }
  [[nodiscard]] std::vector<std::string> log_names() const {
    std::vector<std::string> out;
    for (LogDeclaration const& one : logs) out.push_back(one.name);
    return out;
  }
};

}  // namespace fastjournal::config
