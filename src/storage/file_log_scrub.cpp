// Scrubbing on the side of the log: what a step reads, and what its result means for the log. The reading is in
// scrub.cpp.
//
// Damaged objects are still in memory: the engine copies them forward, as if their container were the oldest. At the
// end of a round the base is written to a header, since a start reads down to the base of the headers, but scrubbing
// only to that of the batches.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "storage/file_log.h"
#include "storage/segment.h"

namespace fastjournal::storage {

std::unique_ptr<Chore> FileLog::take_scrub() {
  if (!error_.ok()) return nullptr;
  if (scrub_.until.is_none()) {
    scrub_.at = kNoLsn;
    scrub_.until = durable_;
    scrub_.report.round_total = std::max<std::uint64_t>(1, usage().logical_bytes);
  }
  if (chore_out_) return nullptr;
  std::optional<ScrubStep::Task> task = next_scrub_task();
  if (!task) {
    ++scrub_.report.rounds;
    scrub_.report.round_done = scrub_.report.round_total = 0;
    scrub_.until = kNoLsn;
    // Damage that the round did not read is not needed any more, and no start must read it either.
    if (base_in_header_ < base_for_header())
      if (Status status = put_base_on_disk(); !status.ok()) static_cast<void>(fail(status));
    return nullptr;
  }
  scrub_.report.round_done += task->limit.value - task->from.value;
  chore_out_ = true;
  return std::make_unique<Chore>(disk_, ScrubStep(folder_, std::move(*task)));
}

std::optional<ScrubStep::Task> FileLog::next_scrub_task() {
  auto const limit_of = [this](auto container) {
    auto const next = std::next(container);
    return next == chain_.end() ? container->header.end() : std::min(container->header.end(), next->header.cut);
  };
  auto container = std::partition_point(chain_.begin(), chain_.end(),
                                        [this](Container const& one) { return one.header.end() <= scrub_.at; });
  // Nothing of it is left after a cut.
  while (container != chain_.end() && limit_of(container) <= scrub_.at) ++container;
  if (container == chain_.end()) return std::nullopt;
  ScrubStep::Task task;
  task.from = std::max(scrub_.at, container->header.first);
  if (task.from >= scrub_.until) return std::nullopt;
  bool const goes_on = task.from == scrub_.at;
  task.lost = goes_on && scrub_.lost;
  task.passed_over = goes_on && scrub_.passed_over;
  task.base = base_safe_;

  Lsn const wanted{task.from.value + std::max(kScrubStepBytes, scrub_.step_bytes)};
  Lsn end = limit_of(container);
  task.containers.push_back(container->header);
  for (auto next = std::next(container); next != chain_.end() && end < std::min(wanted, scrub_.until); ++next) {
    if (next->header.first != end || next->header.cut != end) break;
    end = limit_of(next);
    task.containers.push_back(next->header);
  }
  task.limit = std::min({end, wanted, scrub_.until});
  task.is_rest = task.limit < wanted;
  return task;
}

void FileLog::finish_scrub(ScrubStep const& step) {
  ScrubStep::Result const& result = step.result();
  scrub_.at = result.next;
  scrub_.step_bytes = result.bytes_needed;
  scrub_.lost = result.lost;
  scrub_.passed_over = result.passed_over;
  scrub_.report.bytes += result.bytes;
  for (ScrubStep::Damage const& damage : result.damaged) {
    ContainerHeader const& header = step.container_at(damage.lsn);
    // Freed meanwhile, and perhaps in use again: the result is meaningless.
    bool const needed =
        damage.lsn >= base_safe_ &&
        std::any_of(chain_.begin(), chain_.end(), [&](Container const& one) { return one.header.lap == header.lap; });
    if (!needed) continue;
    ++scrub_.report.damaged;
    scrub_.report.last_damage = fmt::format("{}/{} offset {} (LSN {}): {}", folder_, container_name(header.index),
                                            offset_in(header, damage.lsn), damage.lsn.value, damage.status.message());
    scrub_.damaged_lap = std::max(scrub_.damaged_lap, header.lap);
  }
}

// The current container is not freed before it is full.
Lsn FileLog::damaged_end() const {
  Lsn end;
  for (auto container = chain_.begin(); std::next(container) != chain_.end(); ++container) {
    if (container->header.lap > scrub_.damaged_lap) break;
    end = std::max(end, container->live_until);
  }
  return end;
}

Status FileLog::mend() {
  if (!error_.ok() || scrub_.damaged_lap == 0) return error_;
  if (chain_.back().header.lap <= scrub_.damaged_lap) return leave_container();
  if (chain_.front().header.lap <= scrub_.damaged_lap) return {};
  // A start would still read it, down to the base in the headers.
  if (base_in_header_ < chain_.front().header.cut)
    if (Status status = put_base_on_disk(); !status.ok()) return fail(status);
  scrub_.damaged_lap = 0;
  return {};
}

}  // namespace fastjournal::storage
