// How many temporary queues one connection, one origin and all together may have, so that no client takes the places of
// others, nor of queues that last. Derived, not logged: they end with their connections, at a start all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/table.h"
#include "plugins/queue/queues.h"

namespace fastjournal::queue {

class TemporaryShares {
 public:
  // Of so many places, at least a few: a small table has no crowd.
  [[nodiscard]] static std::uint64_t of_all(std::uint64_t places) { return places - places / 4; }
  [[nodiscard]] static std::uint64_t of_origin(std::uint64_t places) { return std::max(kFew, places / 2); }
  [[nodiscard]] static std::uint64_t of_connection(std::uint64_t places) { return std::max(kFew, places / 4); }

  // Those of an origin: of its connections that have any. Each is a look.
  [[nodiscard]] std::uint64_t count(std::string_view origin, Queues const& queues, Decision& decision) {
    auto const found = connections_of_.find(origin);
    if (found == connections_of_.end()) return 0;
    std::vector<std::uint64_t>& connections = found->second;
    decision.work_units += static_cast<std::uint32_t>(connections.size());
    std::erase_if(connections, [&queues](std::uint64_t connection) { return queues.temporary_of(connection) == 0; });
    std::uint64_t sum = 0;
    for (std::uint64_t const connection : connections) sum += queues.temporary_of(connection);
    if (connections.empty()) connections_of_.erase(found);
    return sum;
  }
  // The connection makes one.
  void note(std::string_view origin, std::uint64_t connection) {
    if (connections_of_.size() >= kOriginsMax) connections_of_.clear();
    std::vector<std::uint64_t>& connections = connections_of_.try_emplace(std::string{origin}).first->second;
    if (std::ranges::find(connections, connection) == connections.end()) connections.push_back(connection);
  }

 private:
  static constexpr std::uint64_t kFew = 16;
  static constexpr std::size_t kOriginsMax = 64U << 10U;

  std::map<std::string, std::vector<std::uint64_t>, std::less<>> connections_of_;
};

}  // namespace fastjournal::queue
