// The daemon's command line.
#pragma once

#include <string>
#include <vector>

#include "config/daemon_declaration.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace fastjournal::daemon {

struct Options {
  std::string config;
  // Empty: the value of the configuration.
  std::string tables;
  std::string data;
  std::string plugins;
  std::vector<config::ListenDeclaration> listen;
  std::vector<std::string> forget;  // tables to drop with their rows
  bool accept_clock{false};         // even if it is behind the log's last date
  bool create{false};               // make missing logs, whatever else is in the data folder
  bool new_data{false};             // begin an empty journal where one was before
  std::string state;                // folder that knows data folders that were used; empty: there is none
  std::string message_files;        // a folder: write them there and exit
  bool check{false};                // read everything, report mistakes, do not start
};

// Values that the command line gives as text, and that depend on each other.
struct ListenWords {
  std::vector<std::string> addresses;
  bool plain_text{false};
  std::string rights;
};

// All options, for parse_options, the manual and completion.
void declare_options(CLI::App& app, Options& options, ListenWords& listen);

// Exits by itself after --help, --version and mistakes (status 2).
[[nodiscard]] Options parse_options(int count, char** words);

}  // namespace fastjournal::daemon
