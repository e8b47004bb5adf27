// Maintenance: what is kept is copied into a new file while everything goes on, then the files are exchanged.
//
//   idle -> building (begun): readers and writers use the current file, copies go to the next one (moved)
//        -> exchanged (swapped), in the step that states the last copy: all coordinates are those of the new file, and
//           what has no copy is gone. The old file stays for a minute, for those who have coordinates in it
//        -> idle (ended): the old file goes
//   building -> idle (cancelled): the copies failed, or a person wanted it
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fastjournal/capabilities.h"
#include "fastjournal/table.h"
#include "plugins/blob/shared.h"

namespace fastjournal::blob {

class Maintenance {
 public:
  explicit Maintenance(Shared const& shared) : shared_(shared) {}

  Verdict maintain(Command const& command, Decision& decision) const;

  // -- time -------------------------------------------------------------------
  // The next date at which decide_timer has something to do.
  [[nodiscard]] std::int64_t next_due() const;
  // True: it appended a step.
  bool decide_timer(Decision& decision) const;
  void decide_time_lost(DurationMs lost, Decision& decision) const;

  // -- files and copies (Stores) ------------------------------------------------
  void list_files(std::vector<FileWish>& files) const;
  [[nodiscard]] bool holds_new() const;
  [[nodiscard]] std::uint32_t wish_to_copy(std::uint64_t bytes_max, std::vector<CopyWish>& wishes) const;
  [[nodiscard]] bool decide_moved(std::span<Moved const> moved, Decision& decision) const;
  void decide_not_moved(std::span<CopyWish const> wishes, Status const& why, Decision& decision) const;

 private:
  // All that is kept has its copy, but for `left` of them.
  [[nodiscard]] bool is_copied_but(std::size_t left) const;
  // And nobody was told of a place by the file's name of late. If somebody was, no more are from now on.
  [[nodiscard]] bool may_swap(std::size_t left, std::int64_t now) const;
  [[nodiscard]] std::int64_t due() const;
  void begin(Policy const& policy, Decision& decision) const;
  void swap(Decision& decision) const;
  void cancel(std::string const& why, Decision& decision) const;
  [[nodiscard]] Policy policy_of(std::int64_t age, std::uint64_t bytes_max, std::int64_t unreferenced,
                                 std::int64_t now) const;

  Shared const& shared_;
};

}  // namespace fastjournal::blob
