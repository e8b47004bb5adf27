// How the C API fails: no exception leaves, and each failure is told by thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"

namespace fastjournal::c {

// The code of `status`; remembers a failure as the last one of this thread.
int told(Status status) noexcept;
// There is no memory to say more.
int told_no_memory() noexcept;
// bad_parameter, with the name of the parameter.
Status refused(std::string_view parameter, std::string text);
Status bad(char const* parameter, std::string const& expected);

// The pointers that a caller must give, with their names. Not ok: the first one that is NULL.
struct Needed {
  void const* given;
  char const* name;
};
using AllNeeded = std::initializer_list<Needed>;
Status check(AllNeeded needed);

// Where an answer goes: NULL until it is there.
template <typename T>
Needed cleared(T** place, char const* name) noexcept {
  if (place != nullptr) *place = nullptr;
  return {place, name};
}

// Runs `act`, which returns a Status, if nothing that it needs is missing. What may be thrown is that there is too little
// memory.
template <typename Do>
int guarded(AllNeeded needed, Do const& act) noexcept {
  try {
    Status given = check(needed);
    return told(given.ok() ? act() : std::move(given));
  } catch (...) {
    return told_no_memory();
  }
}

// The same for what makes something, which is returned: `act` returns a Result with a unique_ptr.
template <typename T, typename Do>
T* made(AllNeeded needed, Do const& act) noexcept {
  T* out = nullptr;
  guarded(needed, [&]() -> Status {
    Result<std::unique_ptr<T>> one = act();
    if (one.ok()) out = one.value().release();
    return one.status();
  });
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
    return refused("size", "these options were not made by their ..._init");
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
