// Memory is touched before it is needed: the first touch of a page costs some microseconds, many times what a row costs
// else. The heap grows in steps, and a thread of its own touches each step while the loop uses what stands before.
// malloc has no hook for that, but the program's break tells how far the heap is.
#pragma once

#include <cstdint>

#include "os/background.h"

namespace fastjournal::os {

class HeapAhead {
 public:
  HeapAhead();
  // Once a turn, on the thread whose heap it is (the main one: its heap is the program's break). While a log is
  // read: what is still to be read of it, as much memory may be needed.
  void look(std::uint64_t bytes_to_come = 0);

 private:
  void set_step(std::uint64_t bytes_to_come);

  char* begin_;
  char* end_;  // of what was looked at
  Background toucher_;
};

}  // namespace fastjournal::os
