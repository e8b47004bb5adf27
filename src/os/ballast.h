// Memory kept for the moment in which there is no more. What was decided must be
// applied, so the step under way may not fail: the new-handler
// gives the ballast back to the heap, the step goes on, and the process knows that it must take
// nothing more until the ballast is there again. If memory ends once more before
// that, the process says so in its last line and ends: what was acknowledged is in the log.
//
// The ballast is many pieces from malloc, since a fragmented heap may never again have one large block. It is not
// touched: where an allocation can fail at all, the kernel counts what it has promised, not what is in use.
#pragma once

#include <cstddef>
#include <string>

namespace fastjournal::os {

class Ballast {
 public:
  // What a step takes beside buffers that may fail: a row of 16 MiB, its record and its answer.
  static constexpr std::size_t kBytes = std::size_t{32} << 20U;

  // One for a process. `log_file`: gets the last line too; empty: standard error alone.
  Ballast(std::size_t bytes, std::string log_file);
  ~Ballast();
  Ballast(Ballast const&) = delete;
  Ballast& operator=(Ballast const&) = delete;

  // Memory ended, and the ballast is not there. From any thread.
  [[nodiscard]] bool is_gone() const;
  // Tries to have it again; true if it is there.
  bool restore();

 private:
  std::size_t bytes_;
};

}  // namespace fastjournal::os
