#include "etcd/endpoints.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace fastjournal::etcd {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";
constexpr std::string_view kSpace = " \t\r\n";

Status bad(std::string_view endpoint, std::string_view why) {
  return {Code::bad_configuration,
          "endpoint \"" + std::string{endpoint} + "\": " + std::string{why} +
              "; expected numbers as in 10.0.0.1:2379, https://10.0.0.1:2379 or https://[fd00::1]:2379"};
}

// A number of this many digits at most, and of nothing else.
std::optional<unsigned> number_of(std::string_view text, std::size_t digits_max, int base) {
  unsigned number = 0;
  char const* const end = text.data() + text.size();
  if (text.empty() || text.size() > digits_max) return std::nullopt;
  auto const [at, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc{} || at != end) return std::nullopt;
  return number;
}

// The part before the separator, which is taken away with it.
std::string_view take_part(std::string_view& text, char separator) {
  std::size_t const at = text.find(separator);
  std::string_view const part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  return part;
}

bool is_ipv4(std::string_view text) {
  if (std::count(text.begin(), text.end(), '.') != 3) return false;
  for (int i = 0; i < 4; ++i) {
    std::string_view const part = take_part(text, '.');
    std::optional<unsigned> const number = number_of(part, 3, 10);
    if (!number || *number > 255 || (part.size() > 1 && part.front() == '0')) return false;
  }
  return true;
}

// So many groups of 16 bits, none of them empty; nothing: it is none.
std::optional<int> groups_of(std::string_view text) {
  int groups = 0;
  if (text.ends_with(':')) return std::nullopt;
  while (!text.empty()) {
    std::string_view const part = take_part(text, ':');
    if (text.empty() && is_ipv4(part)) return groups + 2;
    if (!number_of(part, 4, 16)) return std::nullopt;
    ++groups;
  }
  return groups;
}

// With a scope where it has one: "fe80::1%eth0".
bool is_ipv6(std::string_view text) {
  if (std::size_t const scope = text.find('%'); scope != std::string_view::npos) {
    if (scope + 1 == text.size()) return false;
    text = text.substr(0, scope);
  }
  std::size_t const gap = text.find("::");
  if (gap == std::string_view::npos) return groups_of(text) == 8;
  std::optional<int> const before = groups_of(text.substr(0, gap));
  std::optional<int> const after = groups_of(text.substr(gap + 2));
  // Groups before the gap cannot end in four numbers.
  return before && after && text.substr(0, gap).find('.') == std::string_view::npos && *before + *after < 8;
}

Status check_address(std::string_view endpoint, std::string_view address) {
  std::size_t const colon = address.rfind(':');
  bool const has_brackets = address.starts_with('[');
  if (colon == std::string_view::npos || (has_brackets && address.ends_with(']')))
    return bad(endpoint, "the port is missing");
  std::optional<unsigned> const port = number_of(address.substr(colon + 1), 5, 10);
  if (!port || *port == 0 || *port > 65535) return bad(endpoint, "the port is no number from 1 to 65535");
  std::string_view host = address.substr(0, colon);
  if (host.empty()) return bad(endpoint, "the host is missing");
  if (has_brackets) {
    host = host.substr(1);
    if (!host.ends_with(']') || !is_ipv6(host.substr(0, host.size() - 1)))
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
    std::string_view endpoint = take_part(text, ',');
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

}  // namespace fastjournal::etcd
