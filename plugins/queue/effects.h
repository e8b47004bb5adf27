// Effects of the records of messages beside their rows: what is on each queue, who uses a shared shared body,
// statistics and alerts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "fastjournal/table.h"
#include "plugins/queue/table_state.h"
#include "plugins/rows/effects.h"

namespace fastjournal::queue {

// Of one table, beside what it shares, which outlives it; called by RowTable::apply.
class Effects : public rows::NoEffects {
 public:
  explicit Effects(TableState& shared) : shared_(shared) {}

  void added(ObjectId message, ApplyContext const& context) {
    std::uint32_t const row = rows().find(message);
    MessageBody const message_body = front(row);
    shared_.queues.add_message(shared_.queue_of(row), message_body.bytes());
    if (rows().row(row).place() == rows::Place::parked) park(row);
    if (!message_body.origin().is_none()) shared_.shared_bodies.use(message_body.origin());
    if (context.live) ++shared_.statistics.sent;
  }
  void leasing(std::uint32_t row, std::int64_t began, ApplyContext const& context) {
    if (!context.live) return;
    ++shared_.statistics.leased;
    shared_.statistics.lateness_ms.add(since(rows().row(row).date(), began));
    if (rows().row(row).lifetime() == 0) shared_.statistics.wait_ms.add(since(rows().arrival_of(row), began));
  }
  void unparking(std::uint32_t row) {
    shared_.queues.unpark(shared_.queue_of(row), rows().view(row).facts.parked_at, rows().id_of(row));
  }
  void parked(std::uint32_t row, ApplyContext const& context, TableObserver& observer) {
    park(row);
    if (!context.live) return;
    ++shared_.statistics.failed;
    alert_parked(row, observer);
  }
  void moving(std::uint32_t row, TableObserver&) { leave_queue(row); }
  void moved(std::uint32_t row, ApplyContext const&, TableObserver&) {
    shared_.queues.add_message(shared_.queue_of(row), front(row).bytes());
  }
  void removing(std::uint32_t row, rows::RemoveBody const& body, ApplyContext const& context, TableObserver& observer) {
    if (context.live) count_end(row, body.reason, context.now.value);
    MessageBody const message_body = front(row);
    leave_queue(row);
    if (message_body.origin().is_none()) return;
    // The log of a replay may begin behind the shared body, and have copies of further rows of it later on.
    bool const all_are_known = context.live || message_body.origin().value >= context.base.value;
    shared_.shared_bodies.leave(message_body.origin(), all_are_known, observer);
  }
  void none_parked(TableObserver& observer) { observer.lower_alert("message-failed"); }
  // Dates of parking among them.
  void clock_lowered(std::int64_t from, std::int64_t to, TableObserver& observer) {
    shared_.queues.lower_clock(from, to, [&](Queue const& queue) {
      shared_.table_of_rows.pause(queue.name, queue.settings.paused_until, observer);
    });
    shared_.deduplications.lower_clock(from, to);
    shared_.queues.unpark_all();
    for (auto const& [date, row] : rows().places().parked()) park(row);
  }

 private:
  static std::uint64_t since(std::int64_t date, std::int64_t now) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - date));
  }
  [[nodiscard]] rows::State const& rows() const { return shared_.rows(); }
  [[nodiscard]] MessageBody front(std::uint32_t row) const { return MessageBody::front(rows().view(row).data); }
  void park(std::uint32_t row) {
    shared_.queues.park(shared_.queue_of(row), rows().view(row).facts.parked_at, rows().id_of(row));
  }
  void leave_queue(std::uint32_t row) {
    if (rows().row(row).place() == rows::Place::parked) unparking(row);
    shared_.queues.remove_message(shared_.queue_of(row), front(row).bytes());
  }
  void count_end(std::uint32_t row, rows::Reason reason, std::int64_t now);
  void alert_parked(std::uint32_t row, TableObserver& observer) const;

  TableState& shared_;
};

}  // namespace fastjournal::queue
