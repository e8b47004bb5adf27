// The list of a cluster's endpoints as people write it, "https://10.0.0.1:2379, https://10.0.0.2:2379", for whoever reads
// a configuration. Apart from the client, which takes addresses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/status.h"

namespace fastjournal::etcd {

struct Endpoints {
  std::vector<std::string> addresses{};  // ClientOptions::endpoints: "10.0.0.1:2379", "[fd00::1]:2379"
  bool tls{false};
};

inline constexpr std::size_t kEndpointsMax = 16;

// 1 to kEndpointsMax of them, with commas between them. Each is HOST:PORT, with or without "http://" or "https://" before
// it; if one is https, all are. Hosts are addresses: a name needs a query to a server, and the loop must not wait for
// one. bad_configuration, with the endpoint and what is expected, for any other text.
[[nodiscard]] Result<Endpoints> read_endpoints(std::string_view text);

}  // namespace fastjournal::etcd
