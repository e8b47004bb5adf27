// The room for the records of one step of compaction, or of one page of a snapshot.
#pragma once

#include <cstddef>

namespace fastjournal::rows {

class CopyRoom {
 public:
  explicit CopyRoom(std::size_t bytes) : bytes_(bytes) {}

  // Takes the room of one object; false: it does not fit, and nothing more is taken.
  [[nodiscard]] bool take(std::size_t bytes) {
    if (is_full_ || used_ + bytes > bytes_) {
      refused_ = is_full_ ? refused_ : bytes;
      is_full_ = true;
      return false;
    }
    used_ += bytes;
    return true;
  }
  // The same, but the first object has room whatever its size.
  [[nodiscard]] bool take_one_at_least(std::size_t bytes) {
    if (used_ > 0 || is_full_) return take(bytes);
    used_ = bytes;
    return true;
  }

  [[nodiscard]] bool is_full() const { return is_full_; }
  // The size of the object that did not fit, if it is larger than all the room; else 0.
  [[nodiscard]] std::size_t needed() const { return refused_ > bytes_ ? refused_ : 0; }

 private:
  std::size_t bytes_;
  std::size_t used_{0};
  std::size_t refused_{0};
  bool is_full_{false};
};

}  // namespace fastjournal::rows
