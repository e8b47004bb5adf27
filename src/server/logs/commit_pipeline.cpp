#include "server/logs/commit_pipeline.h"

#include <algorithm>

namespace fastjournal::server {
namespace {

// The most entries that wait for one log; beyond it the loop waits too, if the log is local.
constexpr std::size_t kWaitingMax = 65'536;

}  // namespace

void CommitPipeline::rest_on_all(Session& session) const {
  for (ServedLog const& served : logs_.all())
    if (served.serves()) rest_on(session, *served.log);
}

bool CommitPipeline::commit_turn() {
  return logs_.end_turn([this](std::size_t log) { return queues_[log].sessions.size() >= kWaitingMax; },
                        [this](std::size_t log) {
                          queues_[log].sessions.clear();
                          queues_[log].notices.clear();
                          close_all_resting_on(*queues_[log].log);
                        });
}

// Also those whose commands came in this turn.
void CommitPipeline::close_all_resting_on(log::Log const& log) {
  std::vector<ConnectionId> closing;
  sessions_.for_each([&](Session const& session) {
    if (std::ranges::find(session.out.marks, &log, &Mark::log) != session.out.marks.end())
      closing.push_back(session.id);
  });
  for (ConnectionId const id : closing)
    if (Session* const session = sessions_.find(id)) sessions_.close(*session);
}

void CommitPipeline::leave() {
  std::int64_t const now_us = logs_.monotonic_us();
  for (Queue& queue : queues_) {
    queue.needed = queue.log->needed_lsn();
    queue.is_held = !queue.log->may_answer(now_us);
    queue.is_behind = queue.is_held || queue.log->durable_lsn() < queue.needed;
  }
  for (Queue& queue : queues_)
    if (!queue.is_held) release(queue);
  leave_notices();
  // Moved out first: messages that flushing makes room for belong to the next turn.
  sessions_.take_dirty(flushing_);
  for (Session* const session : flushing_) {
    session->out.dirty = false;
    close_marks(*session);
    session->out.commit();
    output_.flush(*session);
  }
  flushing_.clear();
  if (sessions_.has_dirty()) network_.turn_again();
}

void CommitPipeline::leave_notices() {
  for (log::AlertNotice& notice : engine_.alerting().take_notices()) {
    Queue* const queue = queue_of(notice.log);
    if (queue != nullptr && (queue->is_behind || !queue->notices.empty()))
      queue->notices.emplace_back(queue->needed, std::move(notice));
    else
      alerts_.tell_alert(notice);
  }
}

// As far as the log is durable.
void CommitPipeline::release(Queue& queue) {
  Lsn const durable = queue.log->durable_lsn();
  while (!queue.notices.empty() && queue.notices.front().first <= durable) {
    log::AlertNotice const notice = std::move(queue.notices.front().second);
    queue.notices.pop_front();
    alerts_.tell_alert(notice);
  }
  while (!queue.sessions.empty() && queue.sessions.front().first <= durable) {
    ConnectionId const id = queue.sessions.front().second;
    queue.sessions.pop_front();
    if (Session* const session = sessions_.find(id)) release(*session);
  }
}

bool CommitPipeline::is_held(Mark const& mark) {
  Queue const* const queue = queue_of(mark.log);
  return mark.log->durable_lsn() < mark.lsn || (queue != nullptr && queue->is_held);
}

void CommitPipeline::release(Session& session) {
  auto const holds = [this](Mark const& mark) { return is_held(mark); };
  auto const closed = session.out.marks.begin() + static_cast<std::ptrdiff_t>(session.out.marks_closed);
  auto const first = std::find_if(session.out.marks.begin(), closed, holds);
  session.out.marks_closed -= static_cast<std::size_t>(first - session.out.marks.begin());
  session.out.marks.erase(session.out.marks.begin(), first);
  session.out.commit();
  output_.flush(session);
}

// At the end of the turn the LSN of its marks is known.
void CommitPipeline::close_marks(Session& session) {
  std::size_t kept = session.out.marks_closed;
  for (std::size_t i = session.out.marks_closed; i < session.out.marks.size(); ++i) {
    Mark const& mark = session.out.marks[i];
    Queue* const queue = queue_of(mark.log);
    if (queue == nullptr || !queue->is_behind) continue;
    queue->sessions.emplace_back(queue->needed, session.id);
    session.out.marks[kept++] = {mark.begin, mark.log, queue->needed};
  }
  session.out.marks.resize(kept);
  session.out.marks_closed = kept;
}

CommitPipeline::Queue* CommitPipeline::queue_of(log::Log const* log) {
  for (Queue& queue : queues_)
    if (queue.log == log) return &queue;
  return nullptr;
}

}  // namespace fastjournal::server
