// On which tables a connection may hold leases or wait. Never too few; a connection may have ended there since.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/hosted.h"

namespace fastjournal::engine {

class LeasesByConnection {
 public:
  void remember(ConnectionId connection, HostedTable const& table) {
    // Mostly as by the command before.
    if (connection == last_.first && table.number == last_.second) return;
    if (connection == ConnectionId::none) return;
    last_ = {connection, table.number};
    std::vector<std::uint32_t>& tables = tables_of_[connection];
    auto const place = std::lower_bound(tables.begin(), tables.end(), table.number);
    if (place == tables.end() || *place != table.number) tables.insert(place, table.number);
  }
  // Their numbers, in order.
  [[nodiscard]] std::vector<std::uint32_t> of(ConnectionId connection) const {
    auto const found = tables_of_.find(connection);
    return found == tables_of_.end() ? std::vector<std::uint32_t>{} : found->second;
  }
  // It is closed.
  [[nodiscard]] std::vector<std::uint32_t> take(ConnectionId connection) {
    if (connection == last_.first) last_ = {};
    auto const found = tables_of_.find(connection);
    if (found == tables_of_.end()) return {};
    std::vector<std::uint32_t> numbers = std::move(found->second);
    tables_of_.erase(found);
    return numbers;
  }

 private:
  std::unordered_map<ConnectionId, std::vector<std::uint32_t>> tables_of_;  // never iterated
  std::pair<ConnectionId, std::uint32_t> last_{};
};

}  // namespace fastjournal::engine
