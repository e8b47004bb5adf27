#include "platform/os/file_access.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "platform/os/accounts.h"

namespace fastjournal::os {
namespace {

constexpr char kModeOption[] = "file-mode";
constexpr char kGroupOption[] = "file-group";

std::uint32_t octal(std::string_view text) {
  std::uint32_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out, 8);
  return out;
}

// As the kernel tells it: umask(2) would change it for a moment, for all threads.
std::uint32_t mask() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Umask:")) return octal(std::string_view{line}.substr(line.find_first_not_of(" \t", 6)));
  return 0;
}

// Whether it may give its files to this group.
bool is_in(std::uint32_t group) {
  if (::geteuid() == 0 || ::getegid() == group) return true;
  int const count = ::getgroups(0, nullptr);
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(count, 0)));
  int const got = ::getgroups(count, groups.data());
  return got > 0 && std::find(groups.begin(), groups.begin() + got, group) != groups.begin() + got;
}

}  // namespace

std::optional<config::FileStamp> file_stamp(std::string const& path) {
  // Times of files come in steps of some milliseconds; of some file systems, of two seconds.
  constexpr std::int64_t kQuietNs = 3'000'000'000;
  auto const in_ns = [](timespec const& at) { return at.tv_sec * 1'000'000'000 + at.tv_nsec; };
  struct stat is {};
  timespec now{};
  if (::stat(path.c_str(), &is) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0) return std::nullopt;
  if (in_ns(is.st_ctim) + kQuietNs > in_ns(now)) return std::nullopt;
  return config::FileStamp{.device = is.st_dev,
                           .inode = is.st_ino,
                           .bytes = static_cast<std::uint64_t>(is.st_size),
                           .modified_ns = in_ns(is.st_mtim),
                           .changed_ns = in_ns(is.st_ctim)};
}

Result<std::optional<env::Access>> declared_access(TableDeclaration const& table) {
  OptionValue const& mode = table.option(kModeOption);
  OptionValue const& group = table.option(kGroupOption);
  if (!mode.given && group.text.empty()) return std::optional<env::Access>{};
  if (mode.text != "0600" && mode.text != "0640" && mode.text != "0644")
    return Status{Code::bad_configuration, fmt::format("{}: <{}>: found \"{}\", expected 0600, 0640 or 0644",
                                                       table.at(kModeOption), kModeOption, mode.text)};
  env::Access out{.mode = octal(mode.text)};
  if (group.text.empty()) return std::optional{out};
  Result<std::vector<std::uint32_t>> const ids = group_ids({group.text});
  if (!ids.ok())
    return Status{ids.status().code(),
                  fmt::format("{}: <{}>: {}", table.at(kGroupOption), kGroupOption, ids.status().message())};
  out.group = ids->front();
  return std::optional{out};
}

Result<std::optional<env::Access>> file_access(TableDeclaration const& table) {
  Result<std::optional<env::Access>> out = declared_access(table);
  if (!out.ok() || !out.value() || !out.value()->group || is_in(*out.value()->group)) return out;
  std::string const& group = table.option(kGroupOption).text;
  return Status{Code::bad_configuration,
                fmt::format("{}: <{}>: the daemon (user {}) is not in the group {}, and cannot give it files; add it "
                            "(usermod -aG {} USER, or SupplementaryGroups= of its unit) and restart it",
                            table.at(kGroupOption), kGroupOption, ::geteuid(), group, group)};
}

env::Access usual_access() { return {.mode = 0640U & ~mask(), .group = ::getegid()}; }

}  // namespace fastjournal::os
