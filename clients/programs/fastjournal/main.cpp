// The program `fastjournal`. All of its code is in fj_cli, which tests link too.
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "clients/programs/fastjournal/command_line.h"
#include "clients/programs/fastjournal/find_server.h"
#include "clients/programs/fastjournal/token.h"

namespace {

using namespace fastjournal::cli;

Look look_of(Globals const& one) {
  Look out{.json = one.json, .terminal = ::isatty(STDOUT_FILENO) == 1};
  out.utc = one.utc || one.json || !out.terminal;
  winsize size{};
  if (out.terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) out.width = size.ws_col;
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  // A reader such as `head` that closes the pipe ends this program, as with every tool.
  std::signal(SIGPIPE, SIG_DFL);
  Parsed const parsed = parse_arguments(std::vector<std::string>(argv + 1, argv + argc));
  if (parsed.command == nullptr) {
    (parsed.exit_code == ExitCode::ok ? std::cout : std::cerr) << parsed.output;
    return static_cast<int>(parsed.exit_code);
  }
  CommandLine& command = *parsed.command;
  Globals& all = command.all;
  bool const has_person = ::isatty(STDERR_FILENO) == 1 && !all.json;
  all.asks = ::isatty(STDIN_FILENO) == 1 && has_person;
  Console console{std::cin, std::cout, std::cerr, look_of(all), has_person};
  Needs const needs = command.needs();
  if (all.server.empty() && needs >= Needs::address) {
    fastjournal::Result<FoundServer> found = find_server();
    if (!found.ok()) {
      Call{all, command.verb->name, console}.tell(found.status(), {}, {});
      return static_cast<int>(exit_code_of(found.status().code()));
    }
    all.server = std::move(found->address);
    all.server_origin = std::move(found->origin);
  }
  if (needs >= Needs::daemon) {
    fastjournal::Result<std::string> token = find_token(all, TokenSources::of_environment());
    if (!token.ok()) return static_cast<int>(Call{all, command.verb->name, console}.misuse(token.status().message()));
    all.token = std::move(token).value();
  }
  ExitCode const code = command.run(console);
  std::cout.flush();
  return static_cast<int>(code);
}
