// Marks allocations that are allowed to fail. When the process gets no more memory, allocations that must not fail use
// its ballast (platform/os/ballast.h). An allocation under a MayFail throws std::bad_alloc before that and leaves the ballast
// alone. It is used for buffers of clients and for attempts, never for deciding or applying.
#pragma once

#include <cstddef>
#include <new>

namespace fastjournal {

class MayFail {
 public:
  // With false it has no effect.
  explicit MayFail(bool so = true) : before_(is_on) { is_on = is_on || so; }
  ~MayFail() { is_on = before_; }
  MayFail(MayFail const&) = delete;
  MayFail& operator=(MayFail const&) = delete;

  // Of this thread; for the new-handler.
  [[nodiscard]] static bool is_on_here() { return is_on; }

 private:
  static inline thread_local bool is_on{false};
  bool before_;
};

// Whether an allocation of this size succeeds now. The memory is freed again; the caller then allocates it in pieces.
[[nodiscard]] inline bool is_memory_there(std::size_t bytes) {
  MayFail const may_fail{};
  // Volatile: otherwise the unused allocation is optimised away.
  void* volatile const tried = ::operator new(bytes, std::nothrow);
  ::operator delete(tried);
  return tried != nullptr;
}

}  // namespace fastjournal
