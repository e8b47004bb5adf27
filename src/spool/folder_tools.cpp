#include "spool/folder_tools.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <memory>

#include "spool/aside.h"
#include "spool/disk.h"
#include "spool/place.h"
#include "spool/reader.h"

namespace fastjournal::spool {
namespace {

struct Named {
  Where where;
  std::string path;   // within the folder
  std::string table;  // of held and aside
};

// The names in a folder that `take` wants, sorted. None if the folder is not there: no forwarder ran so far.
template <typename Take>
Status take_names(std::string const& path, Take const& take) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return {};
  Result<std::vector<std::string>> names = names_in(path);
  if (!names.ok()) return names.status();
  std::sort(names.value().begin(), names.value().end());
  for (std::string const& name : names.value()) take(name);
  return {};
}

Status waiting_in(std::string const& folder, std::string const& inner, std::vector<Named>& out) {
  std::vector<std::pair<Place, std::string>> places;
  Status status = take_names(folder + "/" + inner, [&](std::string const& name) {
    std::optional<Place> const place = place_of(name);
    if (place && place->kind == Kind::rows) places.emplace_back(*place, inner + name);
  });
  std::sort(places.begin(), places.end());
  for (auto& [place, path] : places) out.push_back({Where::waiting, std::move(path), {}});
  return status;
}

Status tables_in(std::string const& folder, std::string_view inner, Where where, std::vector<Named>& out) {
  return take_names(folder + "/" + std::string{inner}, [&](std::string const& name) {
    if (std::optional<std::string> table = table_of_file(name))
      out.push_back({where, std::string{inner} + "/" + name, std::move(*table)});
  });
}

Result<std::vector<Named>> files_of(std::string const& folder, RowsWanted const& wanted) {
  struct stat look {};
  if (::stat(folder.c_str(), &look) != 0) return failure("stat of", folder, errno);
  std::vector<Named> out;
  Status status;
  if (wanted.waiting) status = waiting_in(folder, std::string{kClosingFolder} + "/", out);
  if (wanted.waiting && status.ok()) status = waiting_in(folder, {}, out);
  if (wanted.held && status.ok()) status = tables_in(folder, kHeldFolder, Where::held, out);
  if (wanted.aside && status.ok()) status = tables_in(folder, kAsideFolder, Where::aside, out);
  if (!status.ok()) return status;
  return out;
}

// Calls `take` with each record, until it returns false. `damaged`: of what was read.
template <typename Take>
Status read_records(std::string const& path, std::uint64_t& damaged, Take const& take) {
  Descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  // Gone, or no file of ours.
  if (file.fd < 0) return errno == ENOENT || errno == ELOOP ? Status{} : failure("open of", path, errno);
  struct stat look {};
  if (::fstat(file.fd, &look) != 0) return failure("fstat of", path, errno);
  if (!S_ISREG(look.st_mode)) return {};
  RecordReader reader{file.fd, path};
  for (;;) {
    Result<std::optional<RecordReader::Record>> const next = reader.next();
    if (!next.ok()) return next.status();
    bool const is_headless = !reader.has_head() && look.st_size > static_cast<off_t>(kFileHeadBytes);
    damaged = is_headless ? static_cast<std::uint64_t>(look.st_size) : reader.damaged_bytes();
    if (!next.value() || !take(*next.value())) return {};
  }
}

Result<std::uint64_t> count_in(std::string const& path) {
  std::uint64_t rows = 0;
  std::uint64_t damaged = 0;
  Status const status = read_records(path, damaged, [&rows](RecordReader::Record const&) {
    ++rows;
    return true;
  });
  if (!status.ok()) return status;
  return rows;
}

// A file of rows that were set aside, under its lock.
struct Locked {
  Descriptor file;
  std::string path;
};

Result<std::unique_ptr<Locked>> lock_aside(std::string const& folder, std::string const& table) {
  if (!is_table_name(table) && table != kOtherTable)
    return Status{Code::bad_parameter, "no table has such a name: 1 to 64 letters, digits, _ and -"}.with("parameter",
                                                                                                          "table");
  std::string const path = folder + "/" + std::string{kAsideFolder} + "/" + file_of_table(table);
  std::unique_ptr<Locked> out{
      new Locked{Descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)}, path}};
  Status const none = Status{Code::not_found, "no rows of " + table + " were set aside"}.with("table", table);
  if (out->file.fd < 0) return errno == ENOENT ? none : failure("open of", path, errno);
  if (::flock(out->file.fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failure("flock of", path, errno);
    return Status{Code::in_use, path + " is in use by the forwarder or somebody else: try again"}.with("path", path);
  }
  struct stat opened {};
  struct stat named {};
  if (::fstat(out->file.fd, &opened) != 0) return failure("fstat of", path, errno);
  // Resent or purged between open and lock.
  if (::lstat(path.c_str(), &named) != 0 || named.st_ino != opened.st_ino || named.st_dev != opened.st_dev) return none;
  return out;
}

}  // namespace

Status list_rows(std::string const& folder, RowsWanted const& wanted,
                 std::function<bool(RowInFolder const&)> const& on_row) {
  Result<std::vector<Named>> const files = files_of(folder, wanted);
  if (!files.ok()) return files.status();
  bool goes_on = true;
  Message row;
  for (Named const& file : files.value()) {
    std::uint64_t damaged = 0;
    Status status = read_records(folder + "/" + file.path, damaged, [&](RecordReader::Record const& record) {
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
  Result<std::vector<Named>> const files = files_of(folder, {});
  if (!files.ok()) return files.status();
  std::vector<FileOfRows> out;
  for (Named const& file : files.value()) {
    FileOfRows counted{.where = file.where, .path = file.path, .table = file.table};
    Status status =
        read_records(folder + "/" + file.path, counted.damaged_bytes, [&](RecordReader::Record const& record) {
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
  std::vector<Named> files;
  if (!tables_in(folder, kAsideFolder, Where::aside, files).ok()) return {};
  std::vector<std::string> out;
  for (Named const& file : files) {
    struct stat look {};
    std::string const path = folder + "/" + file.path;
    if (::stat(path.c_str(), &look) == 0 && look.st_size > static_cast<off_t>(kFileHeadBytes))
      out.push_back(file.table);
  }
  return out;
}

Result<std::uint64_t> resend(std::string const& folder, std::string const& table) {
  Result<std::unique_ptr<Locked>> locked = lock_aside(folder, table);
  if (!locked.ok()) return locked.status();
  Locked const& aside = *locked.value();
  Result<std::uint64_t> rows = count_in(aside.path);
  if (!rows.ok()) return rows;
  std::string const closing = folder + "/" + std::string{kClosingFolder};
  if (Status status = make_folder(closing); !status.ok()) return status;
  Place place{static_cast<std::int64_t>(::time(nullptr)), 0};
  for (; place.number < kFilesOfPeriodMax; ++place.number) {
    std::string const next = closing + "/" + name_of(place);
    if (::renameat2(AT_FDCWD, aside.path.c_str(), AT_FDCWD, next.c_str(), RENAME_NOREPLACE) == 0) break;
    if (errno != EEXIST) return failure("rename of", aside.path, errno);
  }
  if (place.number == kFilesOfPeriodMax) return failure("rename of", aside.path, EEXIST);
  // As of any closing file. Of somebody else's it cannot be cleared, and nobody writes there all the same.
  struct stat look {};
  if (::fstat(aside.file.fd, &look) == 0) static_cast<void>(::fchmod(aside.file.fd, look.st_mode & 0555U));
  for (std::string const& changed : {closing, folder + "/" + std::string{kAsideFolder}})
    if (Status status = sync_folder(changed); !status.ok()) return status;
  return rows;
}

Result<std::uint64_t> purge(std::string const& folder, std::string const& table) {
  Result<std::unique_ptr<Locked>> locked = lock_aside(folder, table);
  if (!locked.ok()) return locked.status();
  Locked const& aside = *locked.value();
  Result<std::uint64_t> rows = count_in(aside.path);
  if (!rows.ok()) return rows;
  if (::unlink(aside.path.c_str()) != 0) return failure("unlink of", aside.path, errno);
  if (Status status = sync_folder(folder + "/" + std::string{kAsideFolder}); !status.ok()) return status;
  return rows;
}

}  // namespace fastjournal::spool
