#include "log/file/data_folder.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "log/file/format.h"
#include "log/file/newest.h"

namespace fastjournal::log::file {

namespace {

constexpr std::string_view kLogNote = "log ";
constexpr std::string_view kLockName = "lock";
// Names that systems and daemons create in a data folder.
constexpr std::array<std::string_view, 4> kHarmless{"lock", "lost+found", "refused.messages", "bytes"};
constexpr std::size_t kNamesTold = 5;

// Of a log's folder; empty: it is not there.
Result<std::vector<std::string>> names_in(LogPlace const& place) {
  auto names = place.disk->list(place.path);
  if (!names.ok() && names.status().code() == Code::not_found) return std::vector<std::string>{};
  return names;
}

// Whether there is a log, or a part of one.
bool has_log(std::vector<std::string> const& names) {
  return std::ranges::any_of(
      names, [](std::string const& name) { return index_of_segment(name).has_value() || name == kNewestName; });
}

LogPlace place_of(env::Disk& disk, DataFolderRequest const& wish, std::string const& log) {
  auto const found = wish.places.find(log);
  if (found == wish.places.end()) return {&disk, log, wish.folder + "/" + log};
  LogPlace out = found->second;
  if (out.disk == nullptr) out.disk = &disk;
  return out;
}

// Of the names in the folder of a log that has one elsewhere: those which are no log's.
std::vector<std::string> others_of(std::vector<std::string> const& names) {
  std::vector<std::string> out;
  for (std::string const& name : names)
    if (name.front() != '.' && std::ranges::find(kHarmless, name) == kHarmless.end()) out.push_back(name);
  return out;
}

std::string told(std::vector<std::string> const& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesTold); ++i)
    out.append(out.empty() ? "" : ", ").append(names[i]);
  return names.size() > kNamesTold ? out + ", ..." : out;
}

}  // namespace

bool DataFolder::knows(std::string_view log) const {
  if (lock_ == nullptr) return false;
  std::string const line = fmt::format("{}{}\n", kLogNote, log);
  std::string const& note = lock_->note();
  std::size_t const at = note.find(line);
  return at != std::string::npos && (at == 0 || note[at - 1] == '\n');
}

// None of the logs of this folder is there, nor does its lock know of any; others may be on disks of their own.
Result<bool> DataFolder::is_empty(env::Disk& disk, DataFolderRequest const& wish) const {
  for (std::string const& log : wish.logs) {
    if (knows(log)) return false;
    LogPlace const place = place_of(disk, wish, log);
    if (place.disk != &disk) continue;
    auto const there = names_in(place);
    if (!there.ok()) return there.status();
    if (has_log(there.value())) return false;
  }
  return true;
}

Status DataFolder::check_used(env::Disk& disk, DataFolderRequest const& wish) const {
  if (!wish.was_used && !wish.begins) return {};
  Result<bool> const empty = is_empty(disk, wish);
  if (!empty.ok()) return empty.status();
  if (wish.begins && !empty.value())
    return {
        Code::bad_configuration,
        fmt::format("{}: there is a journal in this folder; --new-data is for one start with an empty folder: leave "
                    "it out. Nothing was changed",
                    wish.folder)};
  if (wish.begins || !empty.value()) return {};
  return {Code::damaged,
          fmt::format("{}: this installation had a journal in this folder, and there is none: is its disk mounted? "
                      "Nothing was made. Mount it, or restore a backup. To begin with an empty journal all the same, "
                      "start once with --new-data",
                      wish.folder)};
}

Result<DataFolder> DataFolder::open(env::Disk& disk, DataFolderRequest const& wish) {
  // Where there is no lock, none is made in a folder that may be the wrong one.
  auto const found = disk.list("");
  bool const has_lock = found.ok() && std::ranges::find(found.value(), kLockName) != found->end();
  if (!has_lock)
    if (Status status = DataFolder{nullptr}.check_used(disk, wish); !status.ok()) return status;
  if (Status status = disk.make_folder(""); !status.ok()) return status;
  auto const names = disk.list("");
  if (!names.ok()) return names.status();
  auto lock = disk.lock_folder("");
  if (!lock.ok()) return lock.status();
  DataFolder out{std::move(lock).value()};
  if (Status status = out.check_used(disk, wish); !status.ok()) return status;
  std::vector<std::string> others;
  auto const is_of_log = [&](std::string const& name) {
    return std::ranges::any_of(wish.places, [&](auto const& one) {
      LogPlace const& place = one.second;
      return (place.disk == nullptr || place.disk == &disk) &&
             (place.path == name || place.path.starts_with(name + "/"));
    });
  };
  for (std::string const& name : names.value()) {
    bool const expected = name.front() == '.' || std::ranges::find(kHarmless, name) != kHarmless.end() ||
                          std::ranges::find(wish.logs, name) != wish.logs.end() || is_of_log(name) ||
                          std::ranges::find(wish.beside, name) != wish.beside.end();
    if (!expected) others.push_back(name);
  }
  for (std::string const& log : wish.logs) {
    LogPlace const place = place_of(disk, wish, log);
    auto const there = names_in(place);
    if (!there.ok()) return there.status();
    if (has_log(there.value())) continue;
    std::vector<std::string> const here = place.disk == &disk ? others : others_of(there.value());
    if (out.knows(log))
      return Status{
          Code::damaged,
          fmt::format("{2}: log {1} was here and is gone: it was removed, or another disk is mounted there. "
                      "Nothing was made. Put the folder back, or restore a backup. To begin with an empty log "
                      "all the same, remove {0}/lock first",
                      wish.folder, log, place.text)};
    if (!here.empty() && !wish.create)
      return Status{
          Code::bad_configuration,
          fmt::format("{}: there is no log {} in this folder, but there are other things ({}): is it the right "
                      "one? A new log is made in an empty folder, or with --create. Nothing was made",
                      place.disk == &disk ? wish.folder : place.text, log, told(here))};
  }
  return out;
}

Status DataFolder::know(std::string_view log) {
  return knows(log) ? Status{} : lock_->add_note(fmt::format("{}{}", kLogNote, log));
}

}  // namespace fastjournal::log::file
