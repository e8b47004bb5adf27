// Rows inserted and handed out, by number: a figure is not valid if a row was lost or handed out twice.
#pragma once

#include <cstdint>
#include <vector>

namespace fastjournal::bench {

class Ledger {
 public:
  // The next row number; they are consecutive, whatever happens to the row.
  [[nodiscard]] std::uint64_t next() {
    states_.push_back(0);
    return states_.size() - 1;
  }
  void acknowledged(std::uint64_t number) { states_[number] |= kAcknowledged; }
  // The date of a row that has one: wall clock, ms.
  void set_due(std::uint64_t number, std::int64_t due) {
    if (dues_.size() <= number) dues_.resize(number + 1);
    dues_[number] = due;
  }
  [[nodiscard]] std::int64_t due(std::uint64_t number) const { return number < dues_.size() ? dues_[number] : 0; }
  void handed_out(std::uint64_t number) {
    if (number >= states_.size()) {
      ++strangers_;
    } else if ((states_[number] & kHandedOut) != 0) {
      ++twice_;
    } else {
      states_[number] |= kHandedOut;
    }
  }
  // A merge: the earlier row of the key will not be handed out.
  void replaced(std::uint64_t number) { states_[number] |= kHandedOut; }

  [[nodiscard]] std::uint64_t twice() const { return twice_ + strangers_; }
  // Number of rows acknowledged but not handed out: they wait, or are lost.
  [[nodiscard]] std::uint64_t outstanding() const {
    std::uint64_t count = 0;
    for (std::uint8_t const state : states_) count += state == kAcknowledged ? 1 : 0;
    return count;
  }

 private:
  static constexpr std::uint8_t kAcknowledged = 1;
  static constexpr std::uint8_t kHandedOut = 2;

  std::vector<std::uint8_t> states_;
  std::vector<std::int64_t> dues_;
  std::uint64_t twice_{0};
  std::uint64_t strangers_{0};  // rows with numbers that were never given
};

}  // namespace fastjournal::bench
