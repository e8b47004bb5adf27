// The members of an etcd as people write them: "https://10.0.0.1:2379, https://10.0.0.2:2379".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::config {

struct Endpoints {
  std::vector<std::string> addresses;  // as env::Address: "10.0.0.1:2379", "[fd00::1]:2379"
  bool tls{false};

  bool operator==(Endpoints const&) const = default;
};

inline constexpr std::size_t kEndpointsMax = 16;

// 1 to kEndpointsMax of them, with commas between them. Each is HOST:PORT, with or without "http://" or "https://" before
// it; if one is https, all are. Hosts are addresses, of IPv6 also with a scope: a name needs a query to a server, and
// the loop must not wait for one. bad_configuration, with the endpoint and what is expected, for any other text.
[[nodiscard]] Result<Endpoints> read_endpoints(std::string_view text);

}  // namespace fastjournal::config
