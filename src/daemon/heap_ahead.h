// Memory is touched before it is needed: the first touch of a page costs some
// microseconds, many times what a row costs else. The heap grows in steps, and
// a thread of its own touches each step while the loop uses what stands before.
#pragma once

#include "daemon/background.h"

namespace fastjournal::daemon {

class HeapAhead {
 public:
  HeapAhead();
  // Once a turn, on the thread whose heap it is (the main one: its heap is the program's break).
  void look();

 private:
  void set_step();

  char* begin_;
  char* end_;  // of what was looked at
  Background toucher_;
};

}  // namespace fastjournal::daemon
