#include "log/file/scrubber.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace fastjournal::log::file {
namespace {

constexpr std::string_view kDamageAlert = "log-damaged";
// At most 50 MiB a second are scrubbed, however much there is: a log is not worth the whole disk.
constexpr std::int64_t kStepEveryUs = 20'000;

}  // namespace

// ---------------------------------------------------------------------------
// Steps

// Steps of a round come evenly over its time, so that a round is over when the next one begins.
std::unique_ptr<ScrubStep> Scrubber::take_step_in_time(std::int64_t now_us) {
  if (round_us_ == 0 || !writer_.error().ok()) return nullptr;
  tell_damage(now_us);
  if (now_us < next_us_) return nullptr;
  ScrubReport const& report = round_.report();
  if (report.round_total == 0) round_began_us_ = now_us;
  std::unique_ptr<ScrubStep> step = take_step();
  double const part =
      report.round_total == 0
          ? 1.0
          : std::min(1.0, static_cast<double>(report.round_done) / static_cast<double>(report.round_total));
  next_us_ = std::max(now_us + kStepEveryUs,
                      round_began_us_ + static_cast<std::int64_t>(part * static_cast<double>(round_us_)));
  return step;
}

std::unique_ptr<ScrubStep> Scrubber::take_step() {
  if (!writer_.error().ok()) return nullptr;
  if (!round_.is_under_way()) round_.begin(writer_.durable().durable(), writer_.usage().logical_bytes);
  LogSpace const& space = writer_.space();
  if (step_out_ || space.is_chore_out()) return nullptr;
  std::optional<ScrubStep::Task> task = round_.next(space.chain(), writer_.base().in_effect().lsn);
  if (!task) {
    round_.end();
    // Damage that the round did not read is not needed any more, and no start must read it either.
    if (space.base_on_disk() < space.base_for_header()) static_cast<void>(writer_.put_base_on_disk());
    return nullptr;
  }
  round_.began(*task);
  step_out_ = true;
  return std::make_unique<ScrubStep>(disk_, folder_, std::move(*task));
}

void Scrubber::finish_step(std::unique_ptr<ScrubStep> step) {
  FJ_CHECK(step_out_, "a step that was taken comes back");
  step_out_ = false;
  round_.finish(*step, writer_.space().chain(), writer_.base().in_effect().lsn, folder_);
}

// ---------------------------------------------------------------------------
// Damage

Status Scrubber::mend() {
  if (!writer_.error().ok() || !is_damaged()) return writer_.error();
  LogSpace const& space = writer_.space();
  std::uint64_t const damaged = round_.damaged_generation();
  if (space.chain().current().header.generation <= damaged) return writer_.leave_segment();
  SegmentHeader const& oldest = space.chain().oldest().header;
  if (oldest.generation <= damaged) return {};
  // A start would still read it, down to the base in the headers.
  if (space.base_on_disk() < oldest.cut)
    if (Status status = writer_.put_base_on_disk(); !status.ok()) return status;
  round_.healed();
  return {};
}

void Scrubber::tell_damage(std::int64_t now_us) {
  if (report().damaged != damaged_told_) {
    damaged_told_ = report().damaged;
    mending_ = true;
    news_.push_back(
        {kDamageAlert, 90,
         "what was durable cannot be read back: " + report().last_damage +
             ". Its rows are still in memory, and are written again elsewhere in the log; do not stop the daemon "
             "before its log says that this is done, or its next start is refused. Check the disk, and make a "
             "backup (fastjournal backup)"});
  }
  if (!mending_) return;
  // An error is told by state().
  static_cast<void>(mend());
  if (is_damaged()) {
    next_us_ = std::min(next_us_, now_us + kStepEveryUs);
    return;
  }
  mending_ = false;
  news_.push_back({{},
                   0,
                   "log " + writer_.options().name +
                       ": what the damaged place held stands elsewhere now; the next start does not need it"});
}

void Scrubber::take_news(std::vector<log::LogNews>& into) {
  std::move(news_.begin(), news_.end(), std::back_inserter(into));
  news_.clear();
}

}  // namespace fastjournal::log::file
