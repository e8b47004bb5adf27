#include "log/file/scrub_round.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "log/file/segment_run.h"

namespace fastjournal::log::file {

void ScrubRound::begin(Lsn durable, std::uint64_t bytes) {
  at_ = kNoLsn;
  until_ = durable;
  report_.round_total = std::max<std::uint64_t>(1, bytes);
}

void ScrubRound::end() {
  ++report_.rounds;
  report_.round_done = report_.round_total = 0;
  until_ = kNoLsn;
}

std::optional<ScrubStep::Task> ScrubRound::next(Chain const& chain, Lsn base) const {
  auto segment =
      std::partition_point(chain.begin(), chain.end(), [this](Segment const& one) { return one.header.end() <= at_; });
  // Nothing of it is left after a cut.
  while (segment != chain.end() && chain.limit_of(segment) <= at_) ++segment;
  if (segment == chain.end()) return std::nullopt;
  ScrubStep::Task task;
  task.from = std::max(at_, segment->header.first);
  if (task.from >= until_) return std::nullopt;
  bool const goes_on = task.from == at_;
  task.lost = goes_on && lost_;
  task.passed_over = goes_on && passed_over_;
  task.base = base;

  Lsn const wanted{task.from.value + std::max(kScrubStepBytes, step_bytes_)};
  Lsn end = chain.limit_of(segment);
  task.segments.push_back(segment->header);
  for (auto next = std::next(segment); next != chain.end() && end < std::min(wanted, until_); ++next) {
    if (next->header.first != end || next->header.cut != end) break;
    end = chain.limit_of(next);
    task.segments.push_back(next->header);
  }
  task.limit = std::min({end, wanted, until_});
  task.is_rest = task.limit < wanted;
  return task;
}

void ScrubRound::finish(ScrubStep const& step, Chain const& chain, Lsn base, std::string const& folder) {
  ScrubStep::Result const& result = step.result();
  at_ = result.next;
  step_bytes_ = result.bytes_needed;
  lost_ = result.lost;
  passed_over_ = result.passed_over;
  report_.bytes += result.bytes;
  for (ScrubStep::Damage const& damage : result.damaged) {
    SegmentHeader const& header = step.segment_at(damage.lsn);
    // Freed meanwhile, and perhaps in use again: the result is meaningless.
    if (damage.lsn < base || !chain.has_generation(header.generation)) continue;
    ++report_.damaged;
    report_.last_damage = fmt::format("{}/{} offset {} (LSN {}): {}", folder, segment_name(header.index),
                                      offset_in(header, damage.lsn), damage.lsn.value, damage.status.message());
    damaged_generation_ = std::max(damaged_generation_, header.generation);
  }
}

Lsn ScrubRound::damaged_end(Chain const& chain) const {
  Lsn end;
  for (auto segment = chain.begin(); std::next(segment) != chain.end(); ++segment) {
    if (segment->header.generation > damaged_generation_) break;
    end = std::max(end, segment->live_until);
  }
  return end;
}

}  // namespace fastjournal::log::file
