// What conf/fastjournal.xml says, as values, with the defaults of an empty
// <fastjournal/>. Folders and files are absolute or relative to where the
// daemon stands: the reader has joined them with the folder of the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/types.h"

namespace fastjournal::config {

struct ListenDeclaration {
  std::string address{"127.0.0.1:4050"};  // "127.0.0.1:4050", "[::1]:0"; port 0: the system chooses
  bool loopback{true};
  bool plain_text{false};  // true is required of an address beyond the machine

  bool operator==(ListenDeclaration const&) const = default;
};

enum class SyncPolicy : std::uint8_t { always, interval };

struct LogDeclaration {
  std::string name{"shared"};
  std::uint64_t container_bytes{16U << 20U};
  std::uint32_t initial_containers{2};
  SyncPolicy sync{SyncPolicy::always};
  DurationMs sync_interval{100};  // with SyncPolicy::interval

  bool operator==(LogDeclaration const&) const = default;
};

struct LimitsDeclaration {
  std::uint32_t connections{10'000};
  std::uint64_t line_bytes{1U << 20U};      // of a text message
  std::uint64_t frame_bytes{32U << 20U};    // of a binary message: a row of 16 MiB and its names
  std::uint64_t output_bytes{64U << 20U};   // waiting to be sent to one connection
  std::uint64_t memory_bytes{4ULL << 30U};  // of rows; above it only what removes is done

  bool operator==(LimitsDeclaration const&) const = default;
};

enum class LogLevel : std::uint8_t { trace, debug, info, warning, error };

struct LoggingDeclaration {
  LogLevel level{LogLevel::info};
  std::string file;  // empty: standard error

  bool operator==(LoggingDeclaration const&) const = default;
};

struct SocketDeclaration {
  std::string path;  // empty only while nothing was read: the default is fastjournal.sock in the data folder
  std::uint32_t mode{0660};

  bool operator==(SocketDeclaration const&) const = default;
};

struct DaemonDeclaration {
  std::string file;                       // where it was read, for messages
  std::vector<ListenDeclaration> listen;  // at least one
  std::string data_folder;
  std::string tables_folder;
  std::string plugins_folder;  // empty: where the daemon was installed with its plugins
  std::vector<LogDeclaration> logs;  // "shared" is always among them
  LimitsDeclaration limits;
  LoggingDeclaration logging;
  SocketDeclaration socket;

  // Null if there is none of this name.
  [[nodiscard]] LogDeclaration const* log(std::string_view name) const {
    for (LogDeclaration const& one : logs)
      if (one.name == name) return &one;
    return nullptr;
  }
};

}  // namespace fastjournal::config
