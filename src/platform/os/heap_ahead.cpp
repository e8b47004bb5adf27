#include "platform/os/heap_ahead.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace fastjournal::os {
namespace {

// A step's share of the heap: at most so much may be touched in vain.
constexpr std::size_t kStepPart = 64;
// A step's share of the memory still to come: the larger the steps, the more of their pages are large ones.
constexpr std::uint64_t kStepPartToCome = 4;
constexpr std::size_t kStepMin = std::size_t{256} << 10U;
constexpr std::size_t kStepMax = std::size_t{32} << 20U;
constexpr std::size_t kHugeBytes = std::size_t{2} << 20U;

char* round_up(char* at, std::size_t to) {
  return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(at) + to - 1) / to * to);
}

// Best effort: where the kernel cannot do it (before 5.14), pages are touched on first use.
void touch(char* begin, char* end) {
  char* const huge = round_up(begin, kHugeBytes);
  // Large pages also make page look-ups faster.
  if (huge < end) static_cast<void>(::madvise(huge, static_cast<std::size_t>(end - huge), MADV_HUGEPAGE));
  begin = round_up(begin, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  if (begin < end) static_cast<void>(::madvise(begin, static_cast<std::size_t>(end - begin), MADV_POPULATE_WRITE));
}

}  // namespace

HeapAhead::HeapAhead() : begin_(static_cast<char*>(::sbrk(0))), end_(begin_), toucher_([] {}) { set_step(0); }

void HeapAhead::set_step(std::uint64_t bytes_to_come) {
  auto const grown = static_cast<std::size_t>(end_ - begin_);
  std::size_t const step = std::max(grown / kStepPart, static_cast<std::size_t>(bytes_to_come / kStepPartToCome));
  ::mallopt(M_TOP_PAD, static_cast<int>(std::clamp(step, kStepMin, kStepMax)));
}

void HeapAhead::look(std::uint64_t bytes_to_come) {
  char* const end = static_cast<char*>(::sbrk(0));
  if (end == end_) return;
  if (end > end_) toucher_.run([begin = end_, end] { touch(begin, end); }, [] {});
  end_ = std::max(begin_, end);
  toucher_.collect();
  set_step(bytes_to_come);
}

}  // namespace fastjournal::os
