// How the C API fails: no exception leaves, and each failure is told by thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"

namespace fastjournal::c {

// The code of `status`; remembers a failure as the last one of this thread.
int told(Status status) noexcept;
// There is no memory to say more.
int told_no_memory() noexcept;
// A pointer that is needed is NULL.
Status missing(std::string_view what);

// Runs `act`, which returns a Status. What it may throw is that there is too little memory.
template <typename Do>
int guarded(Do const& act) noexcept {
  try {
    return told(act());
  } catch (...) {
    return told_no_memory();
  }
}

// The same for what makes something: `act` fills in the pointer that is returned.
template <typename T, typename Do>
T* made(Do const& act) noexcept {
  T* out = nullptr;
  guarded([&] { return act(out); });
  return out;
}

// Structures of options begin with their size: that of an older program is smaller, that of a newer one larger. `given`
// may be null.
template <typename T>
Status read_options(T const* given, T& out) {
  constexpr std::size_t kSizeMax = 4096;
  out = {};
  if (given == nullptr) return {};
  if (given->size < sizeof given->size || given->size > kSizeMax)
    return Status{Code::bad_parameter, "these options were not made by their ..._init"}.with("parameter", "size");
  auto const* const bytes = reinterpret_cast<char const*>(given);
  if (std::any_of(bytes + std::min(given->size, sizeof out), bytes + given->size, [](char c) { return c != 0; }))
    return {Code::not_supported, "an option of a newer version of this library is set; this one is " FJ_VERSION};
  std::memcpy(&out, given, std::min(given->size, sizeof out));
  return {};
}

template <typename T>
void init_options(T* options, std::size_t size) noexcept {
  if (options == nullptr || size < sizeof options->size) return;
  std::memset(options, 0, size);
  options->size = size;
}

}  // namespace fastjournal::c
