// How an address or a socket is listened on, and what those who come by it may do without a login: a <listen> or
// <socket>, as a value. Here because config/ reads it and server/ runs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fastjournal/rights.h"

namespace fastjournal::access {

// Default modes of unix sockets' files: the administrator's, and all others.
inline constexpr std::uint32_t kAdministratorMode = 0600;
inline constexpr std::uint32_t kSocketMode = 0660;

// The protocol of the connections of a listener; any other name is that of a protocol of table types.
inline constexpr char kMessages[] = "messages";
inline constexpr char kHttp[] = "http";

struct ListenDeclaration {
  std::string address{
      "127.0.0.1:4050"};   // "127.0.0.1:4050", "[::1]:0" (port 0: the system chooses), "unix:/run/fastjournal.sock"
  bool loopback{true};     // not reachable from other machines
  bool plain_text{false};  // this or tls must be true if loopback is false
  Rights rights{kLoopbackRights};        // of its connections; users who log in have theirs in addition
  std::uint32_t unix_mode{kSocketMode};  // of a unix socket's file
  bool open{false};  // must be true if loopback is false and its clients have rights without a login
  bool tls{false};
  std::string protocol{kMessages};
  std::vector<std::string> hosts{};  // of http: its names, beside localhost and IP addresses
  std::string table{};               // the only one that its connections reach; empty: all
  // Of a unix socket: names or numbers of those who may come, beside root and the daemon's user; both empty: everybody.
  std::vector<std::string> users{};
  std::vector<std::string> groups{};
  bool datagrams{false};  // a unix socket for datagrams, not for connections
  std::string place{};    // "FILE:LINE: <listen>", for messages; empty: of the command line, or a default

  bool operator==(ListenDeclaration const&) const = default;

  // Whether connections see no difference, wherever it is declared.
  [[nodiscard]] bool is_as(ListenDeclaration const& other) const {
    return address == other.address && rights == other.rights && unix_mode == other.unix_mode && tls == other.tls &&
           protocol == other.protocol && hosts == other.hosts && table == other.table && users == other.users &&
           groups == other.groups && datagrams == other.datagrams;
  }
  [[nodiscard]] bool speaks_messages() const { return protocol == kMessages; }
  [[nodiscard]] bool speaks_http() const { return protocol == kHttp; }
  // The system chooses the port: others may be declared in the same way.
  [[nodiscard]] bool is_at_any_port() const { return !address.starts_with("unix:") && address.ends_with(":0"); }
};

}  // namespace fastjournal::access
