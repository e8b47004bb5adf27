#include "config/endpoints.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "config/address.h"

namespace fastjournal::config {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kSpace = " \t\r\n";

Status bad(std::string_view endpoint, std::string_view why) {
  return {Code::bad_configuration,
          "endpoint \"" + std::string{endpoint} + "\": " + std::string{why} +
              "; expected numbers as in 10.0.0.1:2379, https://10.0.0.1:2379 or https://[fd00::1]:2379"};
}

// With a scope where it has one: "fe80::1%eth0".
bool is_scoped_ipv6(std::string_view text) { return !text.ends_with('%') && is_ipv6(take_until(text, '%')); }

Status check_address(std::string_view endpoint, std::string_view address) {
  std::size_t const colon = address.rfind(':');
  bool const has_brackets = address.starts_with('[');
  if (colon == std::string_view::npos || (has_brackets && address.ends_with(']')))
    return bad(endpoint, "the port is missing");
  if (parse_port(address.substr(colon + 1)).value_or(0) == 0)
    return bad(endpoint, "the port is no number from 1 to 65535");
  std::string_view host = address.substr(0, colon);
  if (host.empty()) return bad(endpoint, "the host is missing");
  if (has_brackets) {
    host = host.substr(1);
    if (!host.ends_with(']') || !is_scoped_ipv6(host.substr(0, host.size() - 1)))
      return bad(endpoint, "what stands in brackets is no IPv6 address");
  } else if (host.find(':') != std::string_view::npos) {
    return bad(endpoint, "an IPv6 address stands in brackets");
  } else if (!is_ipv4(host)) {
    return bad(endpoint, "the host is no IPv4 address, and names are not looked up");
  }
  return {};
}

}  // namespace

Result<Endpoints> read_endpoints(std::string_view text) {
  Endpoints out;
  std::string_view first;
  for (bool more = true; more;) {
    more = text.find(',') != std::string_view::npos;
    std::string_view endpoint = take_until(text, ',');
    endpoint.remove_prefix(std::min(endpoint.find_first_not_of(kSpace), endpoint.size()));
    endpoint = endpoint.substr(0, endpoint.find_last_not_of(kSpace) + 1);
    bool const tls = endpoint.starts_with(kHttps);
    std::string_view address = endpoint;
    if (tls)
      address.remove_prefix(kHttps.size());
    else if (address.starts_with(kHttp))
      address.remove_prefix(kHttp.size());
    if (address.empty()) return bad(endpoint, "the address is missing");
    if (Status status = check_address(endpoint, address); !status.ok()) return status;
    if (std::find(out.addresses.begin(), out.addresses.end(), address) != out.addresses.end())
      return bad(endpoint, "it stands there twice");
    if (out.addresses.size() == kEndpointsMax)
      return Status{Code::bad_configuration, "more than " + std::to_string(kEndpointsMax) + " endpoints"};
    if (out.addresses.empty()) first = endpoint;
    if (!out.addresses.empty() && tls != out.tls)
      return Status{Code::bad_configuration, "endpoints \"" + std::string{first} + "\" and \"" + std::string{endpoint} +
                                                 "\": one is https, and the other is not; expected all or none"};
    out.tls = tls;
    out.addresses.emplace_back(address);
  }
  return out;
}

}  // namespace fastjournal::config
