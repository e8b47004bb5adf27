// The segments of an open log that the stream does not use: free ones, one that is being overwritten, and those that
// a backup holds. Each is made, wiped or removed by a chore, or made on the spot if that cannot wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/file/log_options.h"
#include "log/file/segment.h"

namespace fastjournal::log::file {

// Owned by LogSpace. Invariant: nothing in them is needed; one chore is out at a time, and no segment that it
// works on is given out; none that a pin covers is used again before the pin has ended.
class Spares {
 public:
  // `index`: the highest in a segment's name. `options` outlive this.
  Spares(env::Disk& disk, std::string folder, LogOptions const& options, std::uint64_t store_id, std::uint32_t index,
         std::vector<Segment> free)
      : disk_(disk),
        folder_(std::move(folder)),
        options_(options),
        store_id_(store_id),
        index_(index),
        free_(std::move(free)) {}

  // Free ones.
  [[nodiscard]] std::size_t count() const { return free_.size(); }
  [[nodiscard]] bool is_wiping() const { return wiped_.has_value(); }
  // A chore creates one, or wipes one.
  [[nodiscard]] bool is_coming() const { return coming_; }
  // Preferably one that needs no wiping. Requires that there is one.
  [[nodiscard]] Segment take();
  void add(Segment segment) { free_.push_back(std::move(segment)); }
  // Makes one, which takes as long as writing it.
  [[nodiscard]] Status extend();

  // Segments up to this generation are held when the stream gives them up.
  void pin(std::uint64_t generation) { pinned_generation_ = generation; }
  [[nodiscard]] bool is_pinned() const { return pinned_generation_ != 0; }
  [[nodiscard]] std::size_t pinned() const { return pinned_.size(); }
  void give_up_pin();
  // From the stream.
  void retire(Segment segment);

  [[nodiscard]] bool is_chore_out() const { return chore_out_; }
  // Once before the following three: after a failure chores pause for some calls.
  void count_call();
  // Null: not now.
  [[nodiscard]] std::unique_ptr<Chore> make();
  // The segments that wipe() and remove() take; null: none.
  [[nodiscard]] Segment const* next_to_wipe() const;
  [[nodiscard]] Segment const* next_to_remove() const;
  [[nodiscard]] std::unique_ptr<Chore> wipe();
  [[nodiscard]] std::unique_ptr<Chore> remove();
  void finish(Chore const& chore);

 private:
  [[nodiscard]] SegmentHeader unused_header();
  [[nodiscard]] Status check_disk_space() const;
  [[nodiscard]] std::vector<Segment>::const_iterator find_unclean() const;

  env::Disk& disk_;
  std::string folder_;
  LogOptions const& options_;
  std::uint64_t store_id_;
  std::uint32_t index_;
  std::vector<Segment> free_;
  std::optional<Segment> wiped_;
  std::vector<Segment> pinned_;
  std::uint64_t pinned_generation_{0};  // 0: no pin
  bool chore_out_{false};
  bool coming_{false};
  std::uint32_t failures_{0};
  std::uint32_t pause_{0};  // calls to skip
};

}  // namespace fastjournal::log::file
