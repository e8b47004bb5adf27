// Scrubbing an open log, and healing it: rounds in time, and the log's part in getting rid of a damaged segment.
//
// Damaged objects are still in memory: the engine compacts them, as if their segment were the oldest. The log
// leaves a damaged current segment, since only others can be freed. At the end of a round the base is written to a
// header, since a start reads down to the base of the headers, but scrubbing only to that of the batches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/log_writer.h"
#include "log/file/scrub.h"
#include "log/file/scrub_round.h"
#include "log/log_store.h"

namespace fastjournal::log::file {

// Owned by FileLog, on its thread; steps may run on another one. Invariant: one step is out at a time, and none
// beside a chore.
class Scrubber {
 public:
  // `writer` outlives this. `round_ms`: a round takes this long; 0: never.
  Scrubber(env::Disk& disk, std::string folder, LogWriter& writer, std::uint64_t round_ms)
      : disk_(disk),
        folder_(std::move(folder)),
        writer_(writer),
        round_us_(static_cast<std::int64_t>(round_ms) * 1000) {}

  // The next step in time; heals before that. Null: not now.
  [[nodiscard]] std::unique_ptr<ScrubStep> take_step_in_time(std::int64_t now_us);
  // The next step at once. Null: a chore is out, or the round is over and the next call begins another one.
  [[nodiscard]] std::unique_ptr<ScrubStep> take_step();
  void finish_step(std::unique_ptr<ScrubStep> step);
  [[nodiscard]] bool is_step_out() const { return step_out_; }
  // When take_step_in_time() has something to do; INT64_MAX: never.
  [[nodiscard]] std::int64_t next_us() const { return round_us_ == 0 ? INT64_MAX : next_us_; }

  [[nodiscard]] ScrubReport const& report() const { return round_.report(); }
  [[nodiscard]] bool is_damaged() const { return round_.is_damaged(); }
  [[nodiscard]] Lsn damaged_end() const { return round_.damaged_end(writer_.space().chain()); }
  // Between batches, until is_damaged() is false.
  [[nodiscard]] Status mend();
  // News for an operator since the last call.
  void take_news(std::vector<log::LogNews>& into);

 private:
  void tell_damage(std::int64_t now_us);

  env::Disk& disk_;
  std::string folder_;
  LogWriter& writer_;
  std::int64_t round_us_;
  ScrubRound round_;
  bool step_out_{false};
  std::int64_t next_us_{0};  // the next step
  std::int64_t round_began_us_{0};
  std::uint64_t damaged_told_{0};
  bool mending_{false};
  std::vector<log::LogNews> news_;
};

}  // namespace fastjournal::log::file
