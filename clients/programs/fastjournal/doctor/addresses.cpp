#include "clients/programs/fastjournal/doctor/addresses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "config/address.h"

namespace fastjournal::doctor {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr char kTcp[] = "/proc/net/tcp";
constexpr char kTcp6[] = "/proc/net/tcp6";

// As the kernel spells a local address.
std::string spelled(std::span<std::uint32_t const> words, std::uint16_t port) {
  std::string out;
  for (std::uint32_t const word : words) out += fmt::format("{:08X}", word);
  return out + fmt::format(":{:04X}", port);
}

std::optional<uid_t> listener_in(char const* table, std::string const& wanted) {
  std::ifstream lines{table};
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    std::istringstream words{line};
    std::string number, local, remote, state, queues, timer, retransmits;
    uid_t user = 0;
    words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user;
    // Those that listen stand first.
    if (!words || state != "0A") break;
    if (local == wanted) return user;
  }
  return {};
}

// Who listens where a connection to this address arrives.
std::optional<uid_t> listener_at(std::string const& address) {
  std::optional<config::ParsedAddress> const parsed = config::parse_address(address);
  if (!parsed) return {};
  std::string host = address.substr(0, address.rfind(':'));
  if (!parsed->ipv4) host = host.substr(1, host.size() - 2);
  std::array<std::uint32_t, 4> words{};
  constexpr std::array<std::uint32_t, 4> kAny{};
  if (::inet_pton(parsed->ipv4 ? AF_INET : AF_INET6, host.c_str(), words.data()) != 1) return {};
  std::size_t const size = parsed->ipv4 ? 1 : words.size();
  char const* const table = parsed->ipv4 ? kTcp : kTcp6;
  std::optional<uid_t> out = listener_in(table, spelled(std::span{words}.first(size), parsed->port));
  if (!out) out = listener_in(table, spelled(std::span{kAny}.first(size), parsed->port));
  if (!out && parsed->ipv4) out = listener_in(kTcp6, spelled(kAny, parsed->port));
  return out;
}

std::string name_of_user(uid_t user) {
  passwd const* const found = ::getpwuid(user);
  return found == nullptr ? std::to_string(user) : found->pw_name;
}

// Members of which group may open it, if any may.
std::string advice_on(struct stat const& socket) {
  if (!S_ISSOCK(socket.st_mode) || (socket.st_mode & S_IWGRP) == 0) return {};
  group const* const found = ::getgrgid(socket.st_gid);
  return ", but by members of group " + (found == nullptr ? std::to_string(socket.st_gid) : found->gr_name);
}

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

std::string stranger_at(std::string const& port, std::string const& socket) {
  // Where a folder above it is closed, that is the daemon's.
  struct stat found {};
  std::filesystem::path path{socket.substr(kUnix.size())};
  while (::stat(path.c_str(), &found) != 0 && path.has_relative_path()) path = path.parent_path();
  std::optional<uid_t> const user = listener_at(port);
  if (user && (*user == 0 || *user == found.st_uid)) return {};
  return fmt::format(
      "{} may not be opened{}, and at {} listens a program {}, not of {}, the socket's user: it may be another daemon",
      socket, advice_on(found), port, user ? "of user " + name_of_user(*user) : "whose user is not told",
      name_of_user(found.st_uid));
}

}  // namespace fastjournal::doctor
