// Runs a typed command line, from its words to the exit code, against the scripted daemon of fake_server.h.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/programs/fastjournal/command_line.h"
#include "tests/unit/clients/fake_server.h"

namespace fastjournal::test {

struct Said {
  cli::ExitCode code{};
  std::string out;
  std::string err;
};

inline std::unique_ptr<cli::CommandLine> parsed(std::vector<std::string> words) {
  cli::Parsed out = cli::parse_arguments(std::move(words));
  BOOST_REQUIRE_MESSAGE(out.command != nullptr, out.output);
  return std::move(out.command);
}

// The error message of a line that is a mistake; `group`: its first word, if any.
inline std::string refused(std::vector<std::string> words, std::string const& group = {}) {
  if (!group.empty()) words.insert(words.begin(), group);
  cli::Parsed const out = cli::parse_arguments(std::move(words));
  BOOST_TEST(out.command == nullptr);
  BOOST_TEST((out.exit_code == cli::ExitCode::usage));
  return out.output;
}

// `asks`: as if somebody sat at a terminal.
inline Said run_line(std::string const& server, std::vector<std::string> words, std::string const& input = {},
                     bool asks = false) {
  words.insert(words.begin(), {"--server", server});
  std::unique_ptr<cli::CommandLine> const command = parsed(std::move(words));
  command->all.asks = asks;
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  cli::Console console{in, out, err, {.json = command->all.json}};
  cli::ExitCode const code = command->run(console);
  return {code, out.str(), err.str()};
}

inline Said talk(client::FakeServer::Script script, std::vector<std::string> words, std::string const& input = {},
                 bool asks = false) {
  client::FakeServer server(std::move(script));
  return run_line(server.address(), std::move(words), input, asks);
}

inline bool says(std::string const& all, std::string_view part) { return all.find(part) != std::string::npos; }

using client::FakeServer;
using client::number;
using client::Peer;
using client::text;
using client::want;

}  // namespace fastjournal::test
