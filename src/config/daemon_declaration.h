// The contents of conf/fastjournal.xml as values, with the defaults of an empty <fastjournal/>. Folders and files are
// absolute, or relative to the daemon's working folder: the reader has joined them with the folder of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/access/listen_declaration.h"
#include "config/endpoints.h"
#include "log/file_choices.h"

namespace fastjournal::config {

using access::kAdministratorMode;
using access::kSocketMode;
using access::ListenDeclaration;

// Whether clients show a certificate: `accepted`, they may, and a wrong one is refused.
enum class ClientCertificates : std::uint8_t { none, accepted, required };

// Of all listeners with TLS.
struct TlsDeclaration {
  // With its place, for messages of its reader: "FILE:LINE: attribute \"key\"".
  struct File {
    std::string path;
    std::string place;

    bool operator==(File const&) const = default;
  };
  File certificate;
  File key;
  File client_ca;  // without a path unless clients may show certificates
  ClientCertificates client_certificates{ClientCertificates::none};

  bool operator==(TlsDeclaration const&) const = default;
};

struct LogDeclaration {
  std::string name{"shared"};
  std::uint64_t segment_bytes{16U << 20U};
  std::uint32_t initial_segments{2};
  std::uint32_t sync_interval_ms{0};                     // 0: every acknowledgement is synced; else sync="interval"
  log::SyncPlace sync_place{log::SyncPlace::automatic};  // the thread that waits for a sync
  log::SyncMethod sync_method{log::SyncMethod::automatic};
  std::uint64_t write_buffer_bytes{64U << 20U};      // decided, not yet synced; at the limit nothing more is taken
  log::WhenEmpty when_empty{log::WhenEmpty::reset};  // the files kept by an empty log
  log::Period period{log::Period::none};             // after which new rows go to new files
  std::int64_t scrub_ms{86'400'000};                 // interval in which all durable data is read and checked; 0: never
  bool wipe{false};                                  // files without needed data are overwritten with zeros
  // engine="etcd": with the nodes of the cluster; then none of the above counts but the name.
  bool is_shared{false};
  std::int64_t lease_ms{2000};
  std::uint64_t bytes_max{256U << 20U};  // in etcd
  std::string folder{};                  // of its files: absolute, or in the data folder; empty: its name

  bool operator==(LogDeclaration const&) const = default;
};

// This daemon as a node, and the etcd where the logs are that nodes share.
struct ClusterDeclaration {
  // With its place, as in TlsDeclaration; without a path: none.
  using File = TlsDeclaration::File;

  std::string node;     // its name, its own in the cluster
  std::string address;  // where its clients reach it
  Endpoints etcd;
  std::uint64_t quota_bytes{2ULL << 30U};  // what etcd was given for everything in it
  std::string prefix{"/fastjournal/"};     // of all keys
  std::string user;                        // of etcd; empty: none
  File password_file;
  std::string server_name;  // that the members' certificates are for; empty: the address of each
  File ca;                  // empty: the system's
  File certificate;
  File key;

  bool operator==(ClusterDeclaration const&) const = default;
};

// Limits of a start.
struct StartDeclaration {
  std::int64_t clock_behind_ms_max{3'600'000};  // how far the computer's clock may be behind the log's last date

  bool operator==(StartDeclaration const&) const = default;
};

struct LimitsDeclaration {
  std::uint32_t connections{10'000};
  std::uint64_t line_bytes{1U << 20U};      // of a text message
  std::uint64_t frame_bytes{32U << 20U};    // of a binary message: a row of 16 MiB and its names
  std::uint64_t output_bytes{64U << 20U};   // waiting to be sent on one connection
  std::uint64_t memory_bytes{4ULL << 30U};  // of rows; above it only removals are accepted
  std::uint32_t reserved_connections{16};   // in addition to `connections`, for administrators' sockets
  std::uint32_t connections_per_peer{0};    // 0: three quarters of `connections`
  std::int64_t first_message_ms{30'000};    // of silence after connecting; then the connection is closed; 0: no limit
  std::int64_t idle_ms{0};                  // of silence later; 0: no limit
  std::int64_t transaction_ms{60'000};      // from BEGIN to COMMIT

  // Memory caused by clients, other than rows: unread and unsent bytes, waiting commands.
  std::uint64_t client_memory_bytes{1U << 30U};

  bool operator==(LimitsDeclaration const&) const = default;
};

struct LoggingDeclaration {
  std::string level{"info"};  // trace, debug, info, warn, error
  std::string file;           // empty: standard error

  bool operator==(LoggingDeclaration const&) const = default;
};

// Destinations of alerts besides ALERTS; empty: none.
struct AlertsDeclaration {
  std::string flags_folder;  // of the watcher
  std::string service;       // receives FLAG messages, through the communicatord ...
  std::string address;       // ... or at this address
  std::string command;       // program to run
  std::int64_t command_limit_ms{30'000};
  std::int64_t interval_ms{600'000};  // an alert that stays up is sent again after this time

  bool operator==(AlertsDeclaration const&) const = default;
};

struct CommunicatorDeclaration {
  std::string address;  // empty: not a service of any communicatord
  std::string service{"fastjournal"};

  bool operator==(CommunicatorDeclaration const&) const = default;
};

// The users who may log in.
struct AccessDeclaration {
  std::string users_file;  // empty: no users

  bool operator==(AccessDeclaration const&) const = default;
};

// Messages received as datagrams.
struct UdpDeclaration {
  std::string address;
  std::string interface;    // network card for joining a group; empty: the system chooses
  std::string secret_file;  // empty: no secret is required
  std::uint32_t messages_per_second{10'000};
  std::string table;  // the only one that its messages reach; empty: all
  std::string place;  // "FILE:LINE: <udp>", for messages

  bool operator==(UdpDeclaration const&) const = default;
};

struct DaemonDeclaration {
  std::string file;                       // its source, for messages
  std::vector<ListenDeclaration> listen;  // at least one for TCP; unix sockets last
  std::vector<UdpDeclaration> udp;
  AccessDeclaration access;
  std::optional<TlsDeclaration> tls;
  std::string data_folder;
  std::string tables_folder;
  bool auto_reload{false};           // its files are loaded as soon as all of them are good
  std::string plugins_folder;        // empty: the plugins of the daemon's installation
  std::vector<LogDeclaration> logs;  // always includes "shared"
  std::optional<ClusterDeclaration> cluster;
  LimitsDeclaration limits;
  StartDeclaration start;
  LoggingDeclaration logging;
  AlertsDeclaration alerts;
  CommunicatorDeclaration communicator;

  // Null if there is no log of this name.
  [[nodiscard]] LogDeclaration const* log(std::string_view name) const {
    for (LogDeclaration const& one : logs)
      if (one.name == name) return &one;
    return nullptr;
  }
  // Of its files.
  [[nodiscard]] std::string folder_of(LogDeclaration const& log) const {
    if (log.folder.starts_with('/')) return log.folder;
    return data_folder + "/" + (log.folder.empty() ? log.name : log.folder);
  }
  [[nodiscard]] std::vector<std::string> log_names() const {
    std::vector<std::string> out;
    for (LogDeclaration const& one : logs) out.push_back(one.name);
    return out;
  }
  // Those with files in the data folder; and those that are shared.
  [[nodiscard]] std::vector<std::string> log_names(bool is_shared) const {
    std::vector<std::string> out;
    for (LogDeclaration const& one : logs)
      if (one.is_shared == is_shared) out.push_back(one.name);
    return out;
  }
};

}  // namespace fastjournal::config
