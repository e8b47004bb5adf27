#include "plugins/queue/on_queue.h"

namespace fastjournal::queue {

std::uint32_t first_due(TableState const& shared, std::string_view name) {
  rows::Order const& order = shared.rows().order();
  std::uint32_t const number = order.domains().find(name);
  return number == rows::kNoDomain ? rows::kNoRow : order.head_of(order.domains()[number]);
}

std::uint32_t first_future(TableState const& shared, std::string_view name) {
  rows::Domains const& domains = shared.rows().order().domains();
  std::uint32_t const number = domains.find(name);
  bool const has_none = number == rows::kNoDomain || domains[number].future.empty();
  return has_none ? rows::kNoRow : *domains[number].future.begin();
}

std::uint32_t first_behind(TableState const& shared, std::string_view name) {
  rows::Domains const& domains = shared.rows().order().domains();
  std::uint32_t const number = domains.find(name);
  bool const has_none = number == rows::kNoDomain || domains[number].behind.empty();
  return has_none ? rows::kNoRow : *domains[number].behind.begin();
}

std::uint32_t first_of(TableState const& shared, std::string_view name, std::optional<Which> which) {
  Queue const* const queue = shared.queues.find_any(name);
  if (queue == nullptr) return rows::kNoRow;
  if (which != Which::parked) {
    if (std::uint32_t const row = first_due(shared, name); row != rows::kNoRow) return row;
    if (std::uint32_t const row = first_future(shared, name); row != rows::kNoRow) return row;
    if (std::uint32_t const row = first_behind(shared, name); row != rows::kNoRow) return row;
  }
  if (which == Which::waiting || queue->parked.empty()) return rows::kNoRow;
  return shared.rows().find(ObjectId{queue->parked.begin()->second});
}

std::uint64_t count_of(TableState const& shared, Queue const& queue, std::optional<Which> which) {
  rows::Domains const& domains = shared.rows().order().domains();
  std::uint32_t const number = domains.find(queue.name);
  std::uint64_t const waiting =
      number == rows::kNoDomain
          ? 0
          : std::uint64_t{domains[number].due} + domains[number].future.size() + domains[number].behind.size();
  std::uint64_t const parked = queue.parked.size();
  return which == Which::waiting ? waiting : which == Which::parked ? parked : waiting + parked;
}

}  // namespace fastjournal::queue
