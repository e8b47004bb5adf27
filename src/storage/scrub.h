// Scrubbing: what is durable is read and checked again while the log goes on, so
// that a medium that forgets is noticed while everything is still in memory, not at the next start.
//
// A round goes once over the durable stream, in steps. A step is work for any
// thread: it knows what the log knew when the step began, opens the files by itself, and changes nothing.
// What it found is judged when it comes back (FileLog::finish_chore): a container that
// was given up meanwhile may hold anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/disk.h"
#include "fastjournal/status.h"
#include "storage/format.h"

namespace fastjournal::storage {

// What one step reads, if no batch is larger.
inline constexpr std::uint64_t kScrubStepBytes = 1U << 20U;

// What rounds found, for statistics and alerts.
struct ScrubReport {
  std::uint64_t rounds{0};   // that came to their end
  std::uint64_t bytes{0};    // read and checked
  std::uint64_t damaged{0};  // places; one that stays is counted once a round
  std::string last_damage;   // for people; names file and offset
  // Of this round; 0 of 0: none is under way.
  std::uint64_t round_done{0};
  std::uint64_t round_total{0};
};

class ScrubStep {
 public:
  // The stretch [from, limit) of the stream, in containers that follow one another.
  struct Task {
    std::vector<ContainerHeader> containers;
    Lsn from{};
    Lsn limit{};
    bool is_rest{false};      // no batch reaches beyond `limit`
    Lsn base{};               // what ends below is needed no more, and may be anything
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

  ScrubStep(std::string folder, Task task) : folder_(std::move(folder)), task_(std::move(task)) {}
  void run(env::Disk& disk);

  [[nodiscard]] Task const& task() const { return task_; }
  // Valid after run().
  [[nodiscard]] Result const& result() const { return result_; }
  // Of the task's containers the one that holds it.
  [[nodiscard]] ContainerHeader const& container_at(Lsn lsn) const;

 private:
  Status read(env::Disk& disk, std::vector<std::byte>& bytes) const;
  void check(std::vector<std::byte> const& bytes);
  void note_damage(Lsn lsn, Status status);

  std::string folder_;
  Task task_;
  Result result_;
};

}  // namespace fastjournal::storage
