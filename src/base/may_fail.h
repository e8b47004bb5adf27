// Memory that somebody can do without. Where memory ends, what must not fail uses
// the ballast of the process (os/ballast.h); what may fail is told so first: an
// allocation under a MayFail throws std::bad_alloc and leaves the ballast where it is.
// So it stands around buffers of clients and around tries, never around what is
// decided or applied.
#pragma once

#include <cstddef>
#include <new>

namespace fastjournal {

class MayFail {
 public:
  // Not `so`: as if it were not there.
  explicit MayFail(bool so = true) : before_(is_on) { is_on = is_on || so; }
  ~MayFail() { is_on = before_; }
  MayFail(MayFail const&) = delete;
  MayFail& operator=(MayFail const&) = delete;

  // Of this thread. For who handles that memory ends.
  [[nodiscard]] static bool is_on_here() { return is_on; }

 private:
  static inline thread_local bool is_on{false};
  bool before_;
};

// Whether so much could be had at once. It is given back: what follows takes it in its own pieces.
[[nodiscard]] inline bool is_memory_there(std::size_t bytes) {
  MayFail const may_fail{};
  // Volatile: else it is never asked for, as nobody uses it.
  void* volatile const tried = ::operator new(bytes, std::nothrow);
  ::operator delete(tried);
  return tried != nullptr;
}

}  // namespace fastjournal
