// See accounts.h.
#include "platform/os/accounts.h"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

#include <fmt/format.h>

namespace fastjournal::os {
namespace {

// An entry of a database, with all members of a group; far more than any has.
constexpr std::size_t kEntryBytesMax = 16U << 20U;

std::optional<std::uint32_t> number_of(std::string const& name) {
  std::uint32_t out = 0;
  auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), out);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return out;
}

// `look`: getpwnam_r or getgrnam_r.
template <typename Entry, typename Look>
Result<std::optional<Entry>> entry_of(std::string const& name, Look look) {
  std::vector<char> room(1024);
  while (true) {
    Entry entry{};
    Entry* found = nullptr;
    int const error = look(name.c_str(), &entry, room.data(), room.size(), &found);
    if (found != nullptr) return std::optional<Entry>{entry};
    if (error == ERANGE && room.size() < kEntryBytesMax) {
      room.resize(room.size() * 4);
      continue;
    }
    // "No such name" has many numbers: getpwnam(3).
    if (error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM)
      return std::optional<Entry>{};
    return Status{Code::io_error, fmt::format("look up \"{}\": {}", name, std::generic_category().message(error))};
  }
}

Status nobody(std::string_view kind, std::string const& name) {
  return {Code::bad_configuration,
          fmt::format("no {0} \"{1}\" on this computer, expected the name of one, or its number", kind, name)};
}

}  // namespace

Result<std::vector<std::uint32_t>> user_ids(std::vector<std::string> const& names) {
  std::vector<std::uint32_t> out;
  for (std::string const& name : names) {
    std::optional<std::uint32_t> number = number_of(name);
    if (!number) {
      Result<std::optional<passwd>> const entry = entry_of<passwd>(name, ::getpwnam_r);
      if (!entry.ok()) return entry.status();
      if (!entry.value()) return nobody("user", name);
      number = entry.value()->pw_uid;
    }
    out.push_back(*number);
  }
  return out;
}

Result<std::vector<std::uint32_t>> group_ids(std::vector<std::string> const& names) {
  std::vector<std::uint32_t> out;
  for (std::string const& name : names) {
    std::optional<std::uint32_t> number = number_of(name);
    if (!number) {
      Result<std::optional<group>> const entry = entry_of<group>(name, ::getgrnam_r);
      if (!entry.ok()) return entry.status();
      if (!entry.value()) return nobody("group", name);
      number = entry.value()->gr_gid;
    }
    out.push_back(*number);
  }
  return out;
}

}  // namespace fastjournal::os
