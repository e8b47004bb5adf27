// Addresses to listen on, as text: "127.0.0.1:4050", "[::1]:4050". Numbers
// only: a name would have to be resolved, and could resolve to anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::config {

struct ParsedAddress {
  bool loopback;      // 127.0.0.0/8 or ::1: nobody beyond this machine reaches it
  bool group{false};  // 224.0.0.0/4: whoever joined it
  bool ipv4{true};
  std::uint16_t port{0};
};

// Nothing if it is no address with a port (0 to 65535).
[[nodiscard]] std::optional<ParsedAddress> parse_address(std::string_view text);
// What is wrong with an address to listen on; empty: nothing. `what`: who names it, for the message, as "--listen";
// `consent`: what must stand beside an address that others reach (`plain_text`: it does).
[[nodiscard]] std::string listen_problem(std::string_view text, bool plain_text, std::string_view what,
                                         std::string_view consent);
// Four numbers, as in 192.168.1.5.
[[nodiscard]] bool is_ipv4(std::string_view text);

}  // namespace fastjournal::config
