#include "plugins/queue/on_queue.h"

namespace fastjournal::queue {

std::uint32_t first_of(TableState const& shared, std::string_view name, std::optional<Which> which) {
  Queue const* const queue = shared.queues.find_any(name);
  if (queue == nullptr) return rows::kNoRow;
  rows::State const& rows = shared.rows();
  rows::Domains const& domains = rows.order().domains();
  std::uint32_t const number = domains.find(name);
  if (which != Which::parked && number != rows::kNoDomain) {
    rows::Domain const& domain = domains[number];
    if (std::uint32_t const row = rows.order().head_of(domain); row != rows::kNoRow) return row;
    if (!domain.future.empty()) return *domain.future.begin();
  }
  if (which == Which::waiting || queue->parked.empty()) return rows::kNoRow;
  return rows.find(ObjectId{*queue->parked.begin()});
}

std::uint64_t count_of(TableState const& shared, Queue const& queue, std::optional<Which> which) {
  rows::Domains const& domains = shared.rows().order().domains();
  std::uint32_t const number = domains.find(queue.name);
  std::uint64_t const waiting =
      number == rows::kNoDomain ? 0 : std::uint64_t{domains[number].due} + domains[number].future.size();
  std::uint64_t const parked = queue.parked.size();
  return which == Which::waiting ? waiting : which == Which::parked ? parked : waiting + parked;
}

}  // namespace fastjournal::queue
