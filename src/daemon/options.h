// The daemon's command line.
#pragma once

#include <string>
#include <vector>

#include "config/daemon_declaration.h"

namespace fastjournal::daemon {

struct Options {
  std::string config;
  // Empty: as the configuration says.
  std::string tables;
  std::string data;
  std::string plugins;
  std::vector<config::ListenDeclaration> listen;
  std::vector<std::string> forget;  // tables to be dropped with their rows
  bool accept_clock{false};         // though it is behind the log's last date
  bool create{false};               // make logs that are not there, whatever else is in the data folder
  std::string message_files;        // folder: write them there and end
  bool check{false};                // read everything, say what is wrong, do not start
};

// Exits by itself on --help, --version and mistakes (status 2).
[[nodiscard]] Options parse_options(int count, char** words);

}  // namespace fastjournal::daemon
