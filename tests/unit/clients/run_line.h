// Runs a typed command line, from its words to the exit code, against the scripted daemon of fake_server.h.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/programs/fastjournal/commands.h"
#include "tests/unit/clients/fake_server.h"

namespace fastjournal::test {

struct Said {
  cli::ExitCode code{};
  std::string out;
  std::string err;
};

// `asks`: as if somebody sat at a terminal.
inline Said run_line(std::string const& server, std::vector<std::string> words, std::string const& input = {},
                     bool asks = false) {
  words.insert(words.begin(), {"--server", server});
  cli::Parsed parsed = cli::parse_arguments(std::move(words));
  BOOST_REQUIRE_MESSAGE(parsed.invocation.has_value(), parsed.output);
  parsed.invocation->asks = asks;
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  cli::Console console{in, out, err, {.json = parsed.invocation->json}};
  cli::ExitCode const code = cli::run(*parsed.invocation, console);
  return {code, out.str(), err.str()};
}

inline Said talk(client::FakeServer::Script script, std::vector<std::string> words, std::string const& input = {},
                 bool asks = false) {
  client::FakeServer server(std::move(script));
  Said said = run_line(server.address(), std::move(words), input, asks);
  server.finish();
  return said;
}

inline bool says(std::string const& all, std::string_view part) { return all.find(part) != std::string::npos; }

using client::want;

}  // namespace fastjournal::test
