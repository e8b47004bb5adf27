#include "plugins/queue/effects.h"

#include "base/failure.h"

namespace fastjournal::queue {

void Effects::count_end(std::uint32_t row, rows::Reason reason, std::int64_t now) {
  Statistics& counted = shared_.statistics;
  switch (reason) {
    case rows::Reason::done:
      ++counted.accepted;
      if (rows().row(row).place() != rows::Place::processing) break;
      counted.processing_ms.add(since(rows().lease_of(row).began, now));
      counted.deliveries.succeeded(now);
      break;
    case rows::Reason::deleted: ++counted.deleted; break;
    case rows::Reason::expired: ++counted.expired; break;
    case rows::Reason::failed: ++counted.dropped; break;
  }
}

void Effects::alert_parked(std::uint32_t row, TableObserver& observer) const {
  rows::Counters const counters = rows().counters_of(row);
  std::string message = "message " + std::to_string(rows().id_of(row).value) + " is parked on queue " +
                        std::string{shared_.queue_of(row)} + " of table " + shared_.table() + " after " +
                        std::to_string(counters.attempts()) +
                        " deliveries that failed or timed out: its consumer said so, or the queue has no dead letters";
  if (std::string_view const error = failure::error_of(rows().view(row).failure); !error.empty())
    message.append("; last error: ").append(error);
  observer.alert("message-failed", 60, message, "queue");
}

}  // namespace fastjournal::queue
