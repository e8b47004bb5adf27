#include "clients/spool/core/folder_tools.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>

#include "clients/spool/core/aside.h"
#include "clients/spool/core/disk.h"
#include "clients/spool/core/place.h"
#include "clients/spool/core/reader.h"

namespace fastjournal::spool {
namespace {

// The folders of a spool, as far as they are there: no forwarder may have run so far. What else has their names is not
// followed.
struct Folders {
  files::Folder spool;
  std::optional<files::Folder> closing{};
  std::optional<files::Folder> held{};
  std::optional<files::Folder> aside{};
};

Result<std::optional<files::Folder>> find_folder(files::Folder const& in, std::string_view name) {
  if (!in.has(std::string{name})) return std::optional<files::Folder>{};
  Result<files::Folder> out = in.inner(std::string{name});
  if (!out.ok()) return out.status();
  return std::optional<files::Folder>{std::move(out).value()};
}

Result<Folders> open_folders(std::string const& path) {
  Result<files::Folder> spool = files::Folder::open(path);
  if (!spool.ok()) return spool.status();
  Folders out{std::move(spool).value()};
  Result<std::optional<files::Folder>> closing = find_folder(out.spool, kClosingFolder);
  if (!closing.ok()) return closing.status();
  out.closing = std::move(closing).value();
  Result<std::optional<files::Folder>> const own = find_folder(out.spool, kOwnFolder);
  if (!own.ok()) return own.status();
  if (!own.value()) return out;
  Result<std::optional<files::Folder>> held = find_folder(*own.value(), kHeldFolder);
  if (!held.ok()) return held.status();
  out.held = std::move(held).value();
  Result<std::optional<files::Folder>> aside = find_folder(*own.value(), kAsideFolder);
  if (!aside.ok()) return aside.status();
  out.aside = std::move(aside).value();
  return out;
}

struct Named {
  Where where;
  files::Folder const* folder;
  std::string name;
  std::string table;  // of held and aside
};

// The names in a folder that `take` wants, sorted.
template <typename Take>
Status take_names(files::Folder const& folder, Take const& take) {
  Result<std::vector<std::string>> names = folder.names();
  if (!names.ok()) return names.status();
  std::sort(names.value().begin(), names.value().end());
  for (std::string const& name : names.value()) take(name);
  return {};
}

Status waiting_in(files::Folder const& folder, std::vector<Named>& out) {
  std::vector<std::pair<Place, std::string>> places;
  Status status = take_names(folder, [&](std::string const& name) {
    std::optional<Place> const place = place_of(name);
    if (place && place->kind == Kind::rows) places.emplace_back(*place, name);
  });
  std::sort(places.begin(), places.end());
  for (auto& [place, name] : places) out.push_back({Where::waiting, &folder, std::move(name), {}});
  return status;
}

Status tables_in(files::Folder const& folder, Where where, std::vector<Named>& out) {
  return take_names(folder, [&](std::string const& name) {
    if (std::optional<std::string> table = table_of_file(name))
      out.push_back({where, &folder, name, std::move(*table)});
  });
}

Result<std::vector<Named>> files_of(Folders const& folders, RowsWanted const& wanted) {
  std::vector<Named> out;
  Status status;
  if (wanted.waiting && folders.closing) status = waiting_in(*folders.closing, out);
  if (wanted.waiting && status.ok()) status = waiting_in(folders.spool, out);
  if (wanted.held && status.ok() && folders.held) status = tables_in(*folders.held, Where::held, out);
  if (wanted.aside && status.ok() && folders.aside) status = tables_in(*folders.aside, Where::aside, out);
  if (!status.ok()) return status;
  return out;
}

// Calls `take` with each record, until it returns false. `damaged`: of what was read.
template <typename Take>
Status read_records(files::Folder const& folder, std::string const& name, std::uint64_t& damaged, Take const& take) {
  std::string const path = folder.path_of(name);
  Descriptor const file{folder.open_file(name, O_RDONLY)};
  // Gone, or no file of ours.
  if (file.fd < 0) return errno == ENOENT || errno == ELOOP ? Status{} : failure("open of", path, errno);
  struct stat look {};
  if (::fstat(file.fd, &look) != 0) return failure("fstat of", path, errno);
  RecordReader reader{file.fd, path};
  for (;;) {
    Result<std::optional<RecordReader::Record>> const next = reader.next();
    if (!next.ok()) return next.status();
    bool const is_headless = !reader.has_head() && look.st_size > static_cast<off_t>(kFileHeadBytes);
    damaged = is_headless ? static_cast<std::uint64_t>(look.st_size) : reader.damaged_bytes();
    if (!next.value() || !take(*next.value())) return {};
  }
}

Result<std::uint64_t> count_in(files::Folder const& folder, std::string const& name) {
  std::uint64_t rows = 0;
  std::uint64_t damaged = 0;
  Status const status = read_records(folder, name, damaged, [&rows](RecordReader::Record const&) {
    ++rows;
    return true;
  });
  if (!status.ok()) return status;
  return rows;
}

// A file of rows that were set aside, under its lock.
struct Locked {
  Folders folders;
  Descriptor file{};
  std::string name{};
};

Result<Locked> lock_aside(std::string const& folder, std::string const& table) {
  if (!is_table_name(table) && table != kOtherTable)
    return Status{Code::bad_parameter, "no table has such a name: 1 to 64 letters, digits, _ and -"}.with("parameter",
                                                                                                          "table");
  Result<Folders> folders = open_folders(folder);
  if (!folders.ok()) return folders.status();
  Locked out{std::move(folders).value()};
  Status const none = Status{Code::not_found, "no rows of " + table + " were set aside"}.with("table", table);
  if (!out.folders.aside) return none;
  out.name = file_of_table(table);
  std::string const path = out.folders.aside->path_of(out.name);
  out.file = Descriptor{out.folders.aside->open_file(out.name, O_RDONLY)};
  if (!out.file.is_open()) return errno == ENOENT ? none : failure("open of", path, errno);
  if (::flock(out.file.fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failure("flock of", path, errno);
    return Status{Code::in_use, path + " is in use by the forwarder or somebody else: try again"}.with("path", path);
  }
  // Resent or purged between open and lock.
  if (!out.folders.aside->is_name_of(out.name, out.file.fd)) return none;
  return out;
}

}  // namespace

Status list_rows(std::string const& folder, RowsWanted const& wanted,
                 std::function<bool(RowInFolder const&)> const& on_row) {
  Result<Folders> const folders = open_folders(folder);
  if (!folders.ok()) return folders.status();
  Result<std::vector<Named>> const files = files_of(folders.value(), wanted);
  if (!files.ok()) return files.status();
  bool goes_on = true;
  Message row;
  for (Named const& file : files.value()) {
    std::uint64_t damaged = 0;
    Status status = read_records(*file.folder, file.name, damaged, [&](RecordReader::Record const& record) {
      Unwrapped unwrapped;
      bool const is_row = unwrap(record.body, row, unwrapped).ok();
      RowInFolder seen{.where = file.where, .row = is_row ? &row : nullptr, .body = unwrapped.row};
      if (is_row) seen.table = row.text("table");
      if (!wanted.table.empty() && seen.table != wanted.table && file.table != wanted.table) return true;
      if (is_row) seen.date_ms = row.integer("insertion_date").value_or(0);
      if (file.where == Where::aside) {
        seen.date_ms = unwrapped.aside.date_ms;
        seen.code = unwrapped.aside.code;
        seen.reason = unwrapped.aside.reason;
      }
      goes_on = on_row(seen);
      return goes_on;
    });
    if (!status.ok() || !goes_on) return status;
  }
  return {};
}

Result<std::vector<FileOfRows>> count_rows(std::string const& folder) {
  Result<Folders> const folders = open_folders(folder);
  if (!folders.ok()) return folders.status();
  Result<std::vector<Named>> const files = files_of(folders.value(), {});
  if (!files.ok()) return files.status();
  std::vector<FileOfRows> out;
  for (Named const& file : files.value()) {
    std::string const path = file.folder->path_of(file.name);
    FileOfRows counted{.where = file.where, .path = path.substr(folder.size() + 1), .table = file.table};
    Status status =
        read_records(*file.folder, file.name, counted.damaged_bytes, [&](RecordReader::Record const& record) {
          ++counted.rows;
          counted.bytes += record.end - record.begin;
          return true;
        });
    if (!status.ok()) return status;
    out.push_back(std::move(counted));
  }
  return out;
}

std::vector<std::string> aside_tables(std::string const& folder) {
  Result<Folders> const folders = open_folders(folder);
  std::vector<Named> files;
  if (!folders.ok() || !folders->aside || !tables_in(*folders->aside, Where::aside, files).ok()) return {};
  std::vector<std::string> out;
  for (Named const& file : files) {
    struct stat look {};
    if (file.folder->look(file.name, look) && look.st_size > static_cast<off_t>(kFileHeadBytes))
      out.push_back(file.table);
  }
  return out;
}

Result<std::uint64_t> resend(std::string const& folder, std::string const& table) {
  Result<Locked> locked = lock_aside(folder, table);
  if (!locked.ok()) return locked.status();
  std::string const& name = locked->name;
  files::Folder const& aside = *locked->folders.aside;
  Result<std::uint64_t> rows = count_in(aside, name);
  if (!rows.ok()) return rows;
  if (std::string const made{kClosingFolder};
      ::mkdirat(locked->folders.spool.fd(), made.c_str(), 0750) != 0 && errno != EEXIST)
    return failure("mkdir of", locked->folders.spool.path_of(made), errno);
  Result<files::Folder> const closing = locked->folders.spool.inner(std::string{kClosingFolder});
  if (!closing.ok()) return closing.status();
  Place place{static_cast<std::int64_t>(::time(nullptr)), 0};
  for (; place.number < kFilesOfPeriodMax; ++place.number) {
    if (aside.move(name, closing.value(), name_of(place)) == 0) break;
    if (errno != EEXIST) return failure("rename of", aside.path_of(name), errno);
  }
  if (place.number == kFilesOfPeriodMax) return failure("rename of", aside.path_of(name), EEXIST);
  // As of any closing file. Of another account's it cannot be cleared, and is not written to all the same.
  struct stat look {};
  if (::fstat(locked->file.fd, &look) == 0) static_cast<void>(::fchmod(locked->file.fd, look.st_mode & 0555U));
  for (files::Folder const* const changed : {&closing.value(), &aside})
    if (Status status = changed->sync(); !status.ok()) return status;
  return rows;
}

Result<std::uint64_t> purge(std::string const& folder, std::string const& table) {
  Result<Locked> const locked = lock_aside(folder, table);
  if (!locked.ok()) return locked.status();
  files::Folder const& aside = *locked->folders.aside;
  Result<std::uint64_t> rows = count_in(aside, locked->name);
  if (!rows.ok()) return rows;
  if (aside.remove(locked->name) != 0) return failure("unlink of", aside.path_of(locked->name), errno);
  if (Status status = aside.sync(); !status.ok()) return status;
  return rows;
}

}  // namespace fastjournal::spool
