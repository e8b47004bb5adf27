// Scrubbing: everything durable is read and checked again while the log runs, so that a failing medium is detected
// while everything is still in memory, and not at the next start.
//
// A round reads the durable stream once, in steps. A step may run on any thread: it has a copy of what the log knew
// when it began, opens the files by itself, and changes nothing. Its result is judged when it has ended
// (scrub_round.h), since segments may have been freed meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/format.h"
#include "log/log_store.h"

namespace fastjournal::log::file {

// Read by one step, if no batch is larger.
inline constexpr std::uint64_t kScrubStepBytes = 1U << 20U;

class ScrubStep final : public log::LogJob {
 public:
  // The stretch [from, limit) of the stream, in segments that follow one another.
  struct Task {
    std::vector<SegmentHeader> segments;
    Lsn from{};
    Lsn limit{};
    bool is_rest{false};      // no batch reaches beyond `limit`
    Lsn base{};               // batches that end below are not needed, and are not checked
    bool lost{false};         // damage before `from` is known, and the next batch is looked for
    bool passed_over{false};  // something below base that is no batch
  };
  struct Damage {
    Lsn lsn{};
    Status status;  // not ok: it could not even be read
  };
  struct Result {
    Lsn next{};                     // where the next step goes on,
    std::uint64_t bytes_needed{0};  // which must reach as far at least
    bool lost{false};
    bool passed_over{false};
    std::uint64_t bytes{0};  // read
    std::vector<Damage> damaged;
  };

  ScrubStep(env::Disk& disk, std::string folder, Task task)
      : disk_(disk), folder_(std::move(folder)), task_(std::move(task)) {}
  void run() override;

  // Valid after run().
  [[nodiscard]] Result const& result() const { return result_; }
  // Of the task's segments the one that holds it.
  [[nodiscard]] SegmentHeader const& segment_at(Lsn lsn) const;

 private:
  Status read(std::vector<std::byte>& bytes) const;
  void check(std::vector<std::byte> const& bytes);
  void note_damage(Lsn lsn, Status status);

  env::Disk& disk_;
  std::string folder_;
  Task task_;
  Result result_;
};

}  // namespace fastjournal::log::file
