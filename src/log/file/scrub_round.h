// The rounds of scrubbing of a log: which part of the stream the next step reads, and what its result means for the log
// as it is by then. Reads no file: that is the step's (scrub.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fastjournal/types.h"
#include "log/file/chain.h"
#include "log/file/scrub.h"
#include "log/log_store.h"

namespace fastjournal::log::file {

// Owned by Scrubber. Invariant: a round reads everything that was durable when it began and is still needed, once;
// and what is not needed any more when a step ends is never damage.
class ScrubRound {
 public:
  [[nodiscard]] bool is_under_way() const { return !until_.is_none(); }
  // `durable`: where the round ends. `bytes`: to read, about.
  void begin(Lsn durable, std::uint64_t bytes);
  // Nothing: the round is over. `base`: in effect.
  [[nodiscard]] std::optional<ScrubStep::Task> next(Chain const& chain, Lsn base) const;
  // It was begun.
  void began(ScrubStep::Task const& task) { report_.round_done += task.limit.value - task.from.value; }
  // `folder`: for messages.
  void finish(ScrubStep const& step, Chain const& chain, Lsn base, std::string const& folder);
  void end();

  [[nodiscard]] ScrubReport const& report() const { return report_; }
  // Something that is needed cannot be read: a start would be refused.
  [[nodiscard]] bool is_damaged() const { return damaged_generation_ != 0; }
  // The last segment that must be freed because of damage; 0: none.
  [[nodiscard]] std::uint64_t damaged_generation() const { return damaged_generation_; }
  // End of what is in damaged segments, but for the current one, which is not freed before it is full.
  [[nodiscard]] Lsn damaged_end(Chain const& chain) const;
  void healed() { damaged_generation_ = 0; }

 private:
  ScrubReport report_;
  Lsn at_{};                     // where the next step begins
  Lsn until_{};                  // none: no round is under way
  std::uint64_t step_bytes_{0};  // the next step reads more than usual
  bool lost_{false};
  bool passed_over_{false};
  std::uint64_t damaged_generation_{0};
};

}  // namespace fastjournal::log::file
