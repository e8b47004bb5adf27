// Addresses to listen on, as text: "127.0.0.1:4050", "[::1]:4050". Numeric only: a name would have to be resolved, with
// an unpredictable result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastjournal::config {

struct ParsedAddress {
  bool loopback;      // 127.0.0.0/8 or ::1: not reachable from other machines
  bool group{false};  // 224.0.0.0/4: a multicast group
  bool ipv4{true};
  std::uint16_t port{0};
};

// Empty if it is not an address with a port (0 to 65535).
[[nodiscard]] std::optional<ParsedAddress> parse_address(std::string_view text);
// The problem of an address to listen on; empty: none. For the message: `what` is the source of the address, as
// "--listen"; `consent` is the setting that an address reachable from other machines requires (`plain_text`: it is
// set, or TLS is).
[[nodiscard]] std::string listen_problem(std::string_view text, bool plain_text, std::string_view what,
                                         std::string_view consent);
// Four decimal numbers, as in 192.168.1.5.
[[nodiscard]] bool is_ipv4(std::string_view text);
// Without brackets, and without a scope.
[[nodiscard]] bool is_ipv6(std::string_view text);
[[nodiscard]] std::optional<std::uint16_t> parse_port(std::string_view text);
// The part before the separator, which is taken away with it; everything if there is no separator.
[[nodiscard]] std::string_view take_until(std::string_view& text, char separator);

}  // namespace fastjournal::config
