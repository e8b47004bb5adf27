// The command line of fastjournal-client.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of the library
class App;
}

namespace fastjournal::forwarder {

struct Options {
  std::string folder;
  std::vector<std::string> servers;  // the best first; at least one
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  std::string token_file;
  std::int64_t period_s{3600};
  std::uint64_t file_bytes_max{std::uint64_t{64} << 20U};
  std::string lines_command;
  std::string metrics_file;  // empty: metrics.prom in the forwarder's own folder
  std::string flags_folder;
  std::string alert_command;
  std::string log_file;
  std::string log_level{"info"};
  bool once{false};
};

// All options, for parse_options, the manual and completion.
void declare_options(CLI::App& app, Options& options);

// Exits by itself after --help, --version and mistakes (status 2).
[[nodiscard]] Options parse_options(int count, char** words);

}  // namespace fastjournal::forwarder
