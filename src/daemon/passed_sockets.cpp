#include "daemon/passed_sockets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace fastjournal::daemon {
namespace {

constexpr int kFirst = 3;
constexpr int kSocketsMax = 1024;

std::string_view variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

std::optional<int> number_of(std::string_view text) {
  int out = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && out > 0 ? std::optional{out} : std::nullopt;
}

Status wrong(std::string_view what) {
  return {
      Code::bad_configuration,
      fmt::format("sockets passed by the supervisor: {}; expected LISTEN_FDS and LISTEN_PID as in sd_listen_fds(3), "
                  "or neither",
                  what)};
}

Result<std::vector<PassedSocket>> read_passed() {
  std::vector<PassedSocket> out;
  if (variable("LISTEN_PID").empty() || variable("LISTEN_FDS").empty()) return out;
  std::optional<int> const process = number_of(variable("LISTEN_PID"));
  if (!process) return wrong("LISTEN_PID is no process id");
  if (*process != ::getpid()) return out;
  std::optional<int> const count = number_of(variable("LISTEN_FDS"));
  if (!count || *count > kSocketsMax) return wrong("LISTEN_FDS is no number of descriptors");
  std::string_view names = variable("LISTEN_FDNAMES");
  for (int descriptor = kFirst; descriptor < kFirst + *count; ++descriptor) {
    if (::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0)
      return wrong(fmt::format("descriptor {} is not open", descriptor));
    std::string_view const name = names.substr(0, names.find(':'));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    out.push_back({descriptor, name.empty() ? "unknown" : std::string{name}});
  }
  return out;
}

}  // namespace

Result<std::vector<PassedSocket>> take_passed_sockets() {
  Result<std::vector<PassedSocket>> out = read_passed();
  for (char const* const name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  return out;
}

}  // namespace fastjournal::daemon
