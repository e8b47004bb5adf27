#include "plugins/queue/dead_letter_policy.h"

#include "base/check.h"

namespace fastjournal::queue {

bool is_after_last_delivery(TableState const& shared, std::uint32_t row, rows::Counters const& counters) {
  Queue const* const queue = shared.queues.find(shared.queue_of(row));
  std::uint32_t const own = queue == nullptr ? 0 : queue->settings.max_deliveries;
  std::uint32_t const most = own == 0 ? shared.options.max_deliveries : own;
  return most != 0 && counters.attempts() >= most;
}

Queue const* DeadLetterPolicy::dead_letters_of(std::uint32_t row) const {
  Queue const* const queue = shared_.queues.find(shared_.queue_of(row));
  if (queue == nullptr || queue->settings.dead_letters.empty()) return nullptr;
  Queue const* const dead = shared_.queues.find(queue->settings.dead_letters);
  return dead == queue ? nullptr : dead;
}

bool DeadLetterPolicy::move(std::uint32_t row, rows::GiveBackBody const& body, Decision& decision) const {
  Queue const* const dead = dead_letters_of(row);
  if (dead == nullptr) return false;
  rows::GiveBackBody moved = body;
  // Its attempts begin again; that of its life does not.
  moved.counters.timeouts = moved.counters.failures = 0;
  moved.date = decision.now.value;
  append_move(row, dead->name, shared_.queue_of(row), moved, decision);
  ++shared_.statistics.dead;
  return true;
}

void DeadLetterPolicy::append_move(std::uint32_t row, std::string_view queue, std::string_view dead_of,
                                   rows::GiveBackBody const& body, Decision& decision) const {
  writer_.clear();
  writer_.set(Part::queue, queue).set(Part::dead_of, dead_of);
  Status const status = writer_.write(shared_body_schema(), data_);
  FJ_CHECK(status.ok(), "names of queues were checked when these were declared");
  model::append_record(
      decision.records, shared_.rows().id_of(row),
      rows::MoveBody{body.date, body.counters, shared_.rows().view(row).facts.schema, body.error, data_, body.detail});
}

}  // namespace fastjournal::queue
