#include "platform/os/ballast.h"

#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/may_fail.h"

namespace fastjournal::os {
namespace {

// In pieces, so that a fragmented heap can provide them again; from malloc, since the heap may have memory when the
// kernel has none. The new-handler takes no argument, hence these globals without an owner.
constexpr std::size_t kPieces = 16;

enum class Standing : int { there, leaving, gone };
std::atomic<Standing> g_standing{Standing::gone};
std::atomic<unsigned> g_left{0};  // number of times
std::atomic<bool> g_is_thrifty{false};
std::array<void*, kPieces> g_pieces{};
std::string g_log_file;

constexpr std::string_view kLastWords =
    "fastjournald: error: memory has ended, and what was kept for this is used up: the step under way cannot be "
    "finished, so the daemon ends. What was acknowledged is in the log; give the process more memory, or lower <limits "
    "memory-bytes> and client-memory, then start again\n";

void say(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t const written = ::write(fd, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void free_pieces() {
  for (void*& piece : g_pieces) std::free(std::exchange(piece, nullptr));
}

// Returns if the caller should retry.
void on_memory_end() {
  // An allocation that may fail must not use up the ballast.
  if (MayFail::is_on_here()) throw std::bad_alloc{};
  // The heap grows in steps (heap_ahead.h): with smaller steps there may be enough room.
  if (!g_is_thrifty.exchange(true)) {
    ::mallopt(M_TOP_PAD, 0);
    return;
  }
  Standing there = Standing::there;
  if (g_standing.compare_exchange_strong(there, Standing::leaving)) {
    free_pieces();
    ++g_left;
    g_standing = Standing::gone;
    return;
  }
  // Another thread has given up the ballast since this one last looked: there is room.
  static thread_local unsigned seen = 0;
  if (g_standing == Standing::leaving || seen != g_left) {
    seen = g_left;
    ::sched_yield();
    return;
  }
  say(STDERR_FILENO, kLastWords);
  if (!g_log_file.empty())
    if (int const fd = ::open(g_log_file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); fd >= 0) say(fd, kLastWords);
  std::_Exit(1);
}

}  // namespace

Ballast::Ballast(std::size_t bytes, std::string log_file) : bytes_(bytes) {
  FJ_CHECK(g_pieces.front() == nullptr, "a process has one ballast");
  g_log_file = std::move(log_file);
  static_cast<void>(restore());
  std::set_new_handler(on_memory_end);
}

Ballast::~Ballast() {
  std::set_new_handler(nullptr);
  free_pieces();
  g_standing = Standing::gone;
}

bool Ballast::is_gone() const { return g_standing.load(std::memory_order_relaxed) != Standing::there; }

// The pieces are not touched: if an allocation can fail at all, the kernel counts promised memory.
bool Ballast::restore() {
  if (!is_gone()) return true;
  for (void*& piece : g_pieces) {
    piece = std::malloc(bytes_ / kPieces);
    if (piece != nullptr) continue;
    free_pieces();
    return false;
  }
  g_is_thrifty = false;
  g_standing = Standing::there;
  return true;
}

}  // namespace fastjournal::os
