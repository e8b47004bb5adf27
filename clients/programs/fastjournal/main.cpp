// The program `fastjournal`. All of its code is in fj_cli, which tests link too.
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "clients/programs/fastjournal/commands.h"
#include "clients/programs/fastjournal/find_server.h"
#include "clients/programs/fastjournal/options.h"
#include "clients/programs/fastjournal/token.h"

namespace {

using namespace fastjournal::cli;

Look look_of(Invocation const& one) {
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
  if (!parsed.invocation) {
    (parsed.exit_code == ExitCode::ok ? std::cout : std::cerr) << parsed.output;
    return static_cast<int>(parsed.exit_code);
  }
  Invocation invocation = *parsed.invocation;
  invocation.asks = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1 && !invocation.json;
  Console console{std::cin, std::cout, std::cerr, look_of(invocation),
                  ::isatty(STDERR_FILENO) == 1 && !invocation.json};
  if (invocation.server.empty() && asks_daemon(invocation)) {
    fastjournal::Result<FoundServer> found = find_server();
    if (!found.ok()) {
      tell(invocation, console, found.status(), {}, {});
      return static_cast<int>(exit_code_of(found.status().code()));
    }
    invocation.server = std::move(found->address);
    invocation.server_origin = std::move(found->origin);
  }
  if (asks_daemon(invocation) && invocation.verb != "login") {
    fastjournal::Result<std::string> token = find_token(invocation, TokenSources::of_environment());
    if (!token.ok()) return static_cast<int>(misuse(invocation, console, token.status().message()));
    invocation.token = std::move(token).value();
  }
  ExitCode const code = run(invocation, console);
  std::cout.flush();
  return static_cast<int>(code);
}
