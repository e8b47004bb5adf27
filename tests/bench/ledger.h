// Who was inserted and who was handed out, by number: no figure counts when a
// row was lost or came twice.
#pragma once

#include <cstdint>
#include <vector>

namespace fastjournal::bench {

class Ledger {
 public:
  // Numbers go up by one, whatever becomes of the row.
  [[nodiscard]] std::uint64_t next() {
    states_.push_back(0);
    return states_.size() - 1;
  }
  void acknowledged(std::uint64_t number) { states_[number] |= kAcknowledged; }
  // Dates of rows that have one: wall clock, ms.
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
  // A merge: the row that was there before it never comes.
  void replaced(std::uint64_t number) { states_[number] |= kHandedOut; }

  [[nodiscard]] std::uint64_t twice() const { return twice_ + strangers_; }
  // Acknowledged and never handed out: what still waits, or is lost.
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
  std::uint64_t strangers_{0};  // numbers that nobody gave
};

}  // namespace fastjournal::bench
