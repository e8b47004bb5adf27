// The remaining work of a running maintenance. Derived: it goes through the index from the front, a bounded number of
// entries at a time (Timed::advance), and begins again after a start; what has a copy by then is passed over.
//
//   measure   if bytes are limited: which blobs the other rules leave, and how many bytes were entered in each second
//   cut       from the newest second down: from which on everything has room
//   gather    keys of blobs to be copied, ahead of the copies; those put meanwhile behind this place are noted apart; and,
//             where these are to be gone at once, keys of blobs that are left out
//   done      the place is at the end
#pragma once

#include <cstdint>

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include "plugins/blob/index.h"
#include "plugins/blob/state.h"

namespace fastjournal::blob {

class Survey {
 public:
  // `tells_left`: it notes what is left out.
  void begin(Policy const& policy, std::uint32_t began_s, bool tells_left);
  void end() { *this = Survey{}; }

  // There is something to look at; looks at about `work_units` entries. `start_s`: when this daemon began to note reads.
  [[nodiscard]] bool has_work() const { return phase_ == Phase::measure || phase_ == Phase::cut || wants_more(); }
  void work(Index const& index, std::uint32_t work_units, std::uint32_t start_s);
  [[nodiscard]] bool is_on() const { return phase_ != Phase::off; }

  // -- what happens meanwhile -------------------------------------------------
  void note_put(Key const& key, std::uint64_t size);
  // It has a copy, or gets none, or is gone.
  void note_done(Key const& key);

  // -- what is to be copied -----------------------------------------------------
  // Calls look(key) for each until it returns false.
  template <typename Look>
  void for_each(Look const& look) const {
    for (auto const* keys : {&ahead_, &behind_})
      for (auto const& [key, size] : *keys)
        if (!look(key)) return;
  }
  [[nodiscard]] bool has(Key const& key) const { return ahead_.contains(key) || behind_.contains(key); }
  [[nodiscard]] std::size_t size() const { return ahead_.size() + behind_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Calls look(key) for each that is left out, and not gone so far, until it returns false.
  template <typename Look>
  void for_each_left(Look const& look) const {
    for (Key const& key : left_)
      if (!look(key)) return;
  }
  [[nodiscard]] bool has_left() const { return !left_.empty(); }
  [[nodiscard]] bool is_judging() const { return phase_ == Phase::measure || phase_ == Phase::cut; }
  // Nothing else will be found.
  [[nodiscard]] bool has_seen_all() const { return phase_ == Phase::done; }
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  enum class Phase : std::uint8_t { off, measure, cut, gather, done };
  using Sizes = absl::btree_map<Key, std::uint64_t>;

  [[nodiscard]] bool wants_more() const;
  [[nodiscard]] bool is_left_out(Blob const& blob) const;
  // Put since the maintenance began. In the very second also what was put during one that was given up.
  [[nodiscard]] bool is_new(Blob const& blob) const;
  // Of one that the other rules leave; takes its room.
  [[nodiscard]] bool has_room(Blob const& blob);
  void measure(Index const& index, std::uint32_t work_units);
  void cut(std::uint32_t work_units);
  void gather(Index const& index, std::uint32_t work_units);

  Phase phase_{Phase::off};
  Policy policy_{};
  std::uint32_t began_s_{0};
  std::uint32_t start_s_{0};
  Key at_{};  // the next entry to look at
  absl::btree_map<std::uint32_t, std::uint64_t> bytes_by_second_;
  std::uint64_t room_{0};   // for the bytes of the second of the cut
  std::uint32_t cut_s_{0};  // later ones have room, earlier ones do not
  Sizes ahead_;             // found by gathering
  Sizes behind_;            // put meanwhile, where it had passed
  std::uint64_t bytes_{0};  // of both
  bool tells_left_{false};
  absl::btree_set<Key> left_;
};

}  // namespace fastjournal::blob
