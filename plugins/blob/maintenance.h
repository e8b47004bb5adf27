// Maintenance: what is kept is copied into a new file while everything goes on, then the files are exchanged.
//
//   idle -> building (begun): readers and writers use the current file, copies go to the next one (moved)
//        -> exchanged (swapped), in the step that states the last copy: all coordinates are those of the new file, and
//           what has no copy is gone. The old file stays for a minute, for those who have coordinates in it
//        -> idle (ended): the old file goes
//   building -> idle (cancelled): the copies failed, or an operator wanted it
//
// BlobCacher's two ways are modes of the same states (state.h):
//
//   both      while it is built the new file has the name bcdb_data.new; the former file is bcdb_data.old behind the
//             exchange, and goes when the next maintenance begins; streams of readers by name are ended before the minute
//             in which they are refused
//   offline   no blob is stored while the new file is built. One whose bytes came before is refused as well: it would
//             wait for hours, and no client was told that it is stored
//   online    readers by name are told the place in the newer file of what has a copy there, with a flag; what is left
//             out is gone as soon as that is durable (left), and stays gone if the maintenance is given up. New bytes go
//             to the older file and are copied like all others: so a blob is in one file until its copy is durable, an
//             answer is right whichever file it names, and a maintenance can be given up at any time. The file of one
//             that was given up stays for a minute under its name, for those who have coordinates in it
//
// Other readers (by number or descriptor) are told the older file until the exchange, in each mode. Which file has
// which name is seen from the last record of the state alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/blob/table_state.h"

namespace fastjournal::blob {

class Maintenance {
 public:
  explicit Maintenance(TableState const& shared) : shared_(shared) {}

  Verdict maintain(Command const& command, Decision& decision) const;

  // For people.
  enum class Phase : std::uint8_t {
    idle,
    judging,   // what is left out by size
    copying,   // what is kept
    quiet,     // all is copied: readers by name are refused for a minute
    finished,  // exchanged or given up: the other file has its minute
  };
  static constexpr std::array<std::string_view, 5> kPhaseNames{"idle", "judging", "copying", "quiet", "finished"};
  static constexpr std::array<std::string_view, 3> kModeNames{"modern", "online", "offline"};
  [[nodiscard]] Phase phase() const;

  // -- time -------------------------------------------------------------------
  // The next date at which decide_timer has something to do.
  [[nodiscard]] std::int64_t next_due() const;
  // True: it appended a step.
  bool decide_timer(Decision& decision) const;
  void decide_time_lost(DurationMs lost, Decision& decision) const;

  // -- files and copies (Stores) ------------------------------------------------
  void list_files(std::vector<FileRequest>& files) const;
  [[nodiscard]] bool holds_new() const;
  [[nodiscard]] std::uint32_t request_copies(std::uint64_t bytes_max, std::vector<CopyRequest>& requests) const;
  [[nodiscard]] bool decide_moved(std::span<Moved const> moved, Decision& decision) const;
  void decide_not_moved(std::span<CopyRequest const> requests, Status const& why, Decision& decision) const;

 private:
  // All that is kept has its copy, but for `left` of them.
  [[nodiscard]] bool is_copied_but(std::size_t left) const;
  // And no client was told of a place by the file's name of late. If one was, no more are from now on.
  [[nodiscard]] bool may_swap(std::size_t left, std::int64_t now) const;
  // The file that is being built is there.
  [[nodiscard]] bool is_made() const;
  [[nodiscard]] std::int64_t due() const;
  void begin(Policy const& policy, Decision& decision) const;
  // Some of what is left out; false: there is none.
  bool leave_out(Decision& decision) const;
  void swap(Decision& decision) const;
  void cancel(std::string const& why, Decision& decision) const;
  [[nodiscard]] Policy policy_of(std::int64_t age, std::uint64_t bytes_max, std::int64_t unreferenced,
                                 std::int64_t now) const;

  TableState const& shared_;
  mutable std::int64_t look_at_{0};  // whether the file is there
};

}  // namespace fastjournal::blob
