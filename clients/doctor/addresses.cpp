#include "clients/doctor/addresses.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace fastjournal::doctor {
namespace {

constexpr std::string_view kUnix = "unix:";

}  // namespace

Addresses addresses_of(config::DaemonDeclaration const& daemon) {
  Addresses out;
  auto const add = [](std::string const& address, std::vector<std::string>& to) {
    if (std::find(to.begin(), to.end(), address) == to.end()) to.push_back(address);
  };
  for (bool const is_administrators : {true, false})
    for (config::ListenDeclaration const& one : daemon.listen)
      if (one.address.starts_with(kUnix) && one.speaks_messages() && one.rights.has(Right::admin) == is_administrators)
        add(one.address, out.sockets);
  for (config::ListenDeclaration const& one : daemon.listen)
    if (one.loopback && !one.tls && !one.is_at_any_port() && !one.address.starts_with(kUnix) && one.speaks_messages())
      add(one.address, out.ports);
  return out;
}

bool is_closed_to_us(std::string const& address) {
  return address.starts_with(kUnix) && ::access(address.c_str() + kUnix.size(), R_OK | W_OK) != 0 && errno == EACCES;
}

}  // namespace fastjournal::doctor
