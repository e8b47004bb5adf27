// Touches memory before it is needed: the first touch of a page takes some microseconds, many times the rest of the
// cost of a row. The heap grows in steps, and a separate thread touches each step while the loop uses the memory before
// it. malloc has no hook for this, but the program break tells the end of the heap.
#pragma once

#include <cstdint>

#include "platform/os/background.h"

namespace fastjournal::os {

class HeapAhead {
 public:
  HeapAhead();
  // Once a turn, on the thread that owns the heap (the main thread: its heap ends at the program break). While a log is
  // read: `bytes_to_come` is the unread rest, and about as much memory may be needed.
  void look(std::uint64_t bytes_to_come = 0);

 private:
  void set_step(std::uint64_t bytes_to_come);

  char* begin_;
  char* end_;  // of the part already looked at
  Background toucher_;
};

}  // namespace fastjournal::os
