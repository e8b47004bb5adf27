// <listen> and <socket>, of the daemon's file and of tables' files: addresses that others connect to. Apart from both
// readers because the rules of addresses that other machines reach are the same in both.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/daemon_declaration.h"
#include "config/xml.h"

namespace fastjournal::config {

// The kernel's limit in sockaddr_un, without the terminating zero.
inline constexpr std::size_t kSocketPathBytesMax = 107;

[[nodiscard]] std::string joined(std::filesystem::path const& base, std::string_view path);

// The file that a listener is declared in.
struct ListenSource {
  std::string file;
  std::string table{};  // whose file it is: its listeners are bound to it; empty: the daemon's
  // <access> and <tls> of the daemon's file; null: not known, and what depends on it is not checked.
  DaemonDeclaration const* daemon{nullptr};
};

// Adds it to those before it, unless one of them has its address.
void read_listen(Element const& element, ListenSource const& source, std::vector<ListenDeclaration>& out);
void read_socket(Element const& element, ListenSource const& source, std::vector<ListenDeclaration>& out);

}  // namespace fastjournal::config
