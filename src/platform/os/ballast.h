// Reserve memory for the moment when there is no more. Decided records must be applied, so the step under way must not
// fail. The new-handler then returns the ballast to the heap, and the step goes on; until the ballast is restored, the
// process takes nothing more. If memory ends again before that, the process writes a last line and ends: acknowledged
// data is in the log.
//
// The ballast is many pieces from malloc, since a fragmented heap may never again have one large block. It is not
// touched: if an allocation can fail at all, the kernel counts promised memory, not used memory.
#pragma once

#include <cstddef>
#include <string>

namespace fastjournal::os {

class Ballast {
 public:
  // The memory of a step, without buffers that may fail: a row of 16 MiB, its record and its answer.
  static constexpr std::size_t kBytes = std::size_t{32} << 20U;

  // One per process. `log_file` also gets the last line; empty: standard error only.
  Ballast(std::size_t bytes, std::string log_file);
  ~Ballast();
  Ballast(Ballast const&) = delete;
  Ballast& operator=(Ballast const&) = delete;

  // Memory ended, and the ballast is not restored yet. From any thread.
  [[nodiscard]] bool is_gone() const;
  // Tries to allocate it again; true if it is there.
  bool restore();

 private:
  std::size_t bytes_;
};

}  // namespace fastjournal::os
