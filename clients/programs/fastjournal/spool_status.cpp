#include "clients/programs/fastjournal/spool_status.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include <nlohmann/json.hpp>

#include "clients/spool/core/disk.h"
#include "clients/spool/core/folder_tools.h"
#include "clients/spool/core/place.h"
#include "platform/files/folder.h"

namespace fastjournal::cli {
namespace {

using StatusJson = nlohmann::json;

constexpr std::size_t kStatusBytesMax = std::size_t{1} << 20U;

// Members that are missing, or of another kind, are as good as empty: the file may be of another version.
std::string text_of(StatusJson const& json, char const* name) {
  auto const at = json.find(name);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

std::int64_t json_number(StatusJson const& json, char const* name) {
  auto const at = json.find(name);
  return at != json.end() && at->is_number_integer() ? at->get<std::int64_t>() : 0;
}

StatusJson const& list_of(StatusJson const& json, char const* name) {
  static StatusJson const kNone = StatusJson::array();
  auto const at = json.find(name);
  return at != json.end() && at->is_array() ? *at : kNone;
}

SpoolStatus::Table& table_in(std::vector<SpoolStatus::Table>& tables, std::string const& name) {
  auto const at = std::ranges::find(tables, name, &SpoolStatus::Table::name);
  if (at != tables.end()) return *at;
  return tables.emplace_back(SpoolStatus::Table{.name = name, .code = {}, .message = {}});
}

// The folder of the forwarder. not_found: there is none.
Result<files::Folder> own_folder(std::string const& folder) {
  std::string const name{spool::kOwnFolder};
  Result<files::Folder> spool = files::Folder::open(folder);
  if (!spool.ok()) return spool;
  if (!spool->has(name)) return Status{Code::not_found, spool->path_of(name) + " is not there"};
  return spool->inner(name);
}

void read_status_file(SpoolStatus& out) {
  std::string text;
  if (Result<files::Folder> const own = own_folder(out.folder); own.ok()) {
    files::Descriptor const file{own->open_file("status.json", O_RDONLY)};
    if (file.is_open() && !spool::read_at(file.fd, own->path_of("status.json"), 0, kStatusBytesMax, text).ok()) return;
  }
  StatusJson const json = StatusJson::parse(text, nullptr, false);
  if (!json.is_object()) return;
  // Of one that ran before: what it said of servers is over.
  std::int64_t const process = json_number(json, "process");
  if (!out.is_running || (process != 0 && out.process != 0 && process != out.process)) return;
  out.has_said = true;
  out.since_ms = json_number(json, "since");
  out.date_ms = json_number(json, "date");
  for (StatusJson const& one : list_of(json, "servers"))
    if (one.is_object())
      out.servers.push_back(
          {text_of(one, "address"), text_of(one, "state"), json_number(one, "since"), text_of(one, "problem")});
  if (auto const problem = json.find("problem"); problem != json.end() && problem->is_object()) {
    out.problem_code = text_of(*problem, "code");
    out.problem = text_of(*problem, "message");
  }
  if (auto const figures = json.find("figures"); figures != json.end() && figures->is_object())
    out.figures = figures->dump(-1, ' ', false, StatusJson::error_handler_t::replace);
  for (StatusJson const& one : list_of(json, "held")) {
    // Only what still has rows.
    auto const at = one.is_object() ? std::ranges::find(out.held, text_of(one, "table"), &SpoolStatus::Table::name)
                                    : out.held.end();
    if (at == out.held.end()) continue;
    at->code = text_of(one, "code");
    at->message = text_of(one, "message");
    at->next_try_ms = json_number(one, "next_try");
  }
}

Status count(SpoolStatus& out) {
  Result<std::vector<spool::FileOfRows>> const files = spool::count_rows(out.folder);
  if (!files.ok()) return files.status();
  for (spool::FileOfRows const& file : files.value()) {
    out.damaged_bytes += file.damaged_bytes;
    if (file.where == spool::Where::waiting) {
      out.waiting_rows += file.rows;
      out.waiting_bytes += file.bytes;
      ++out.waiting_files;
    } else if (file.rows > 0) {
      SpoolStatus::Table& table = table_in(file.where == spool::Where::held ? out.held : out.aside, file.table);
      table.rows += file.rows;
      table.bytes += file.bytes;
    }
  }
  return {};
}

// Rows wait in the order in which they were saved, so the first one is the oldest. Held ones are in files by table.
Status find_oldest(SpoolStatus& out) {
  auto const look = [&out](spool::RowInFolder const& row) {
    if (row.row == nullptr || row.date_ms <= 0) return true;
    std::optional<std::int64_t>& oldest =
        row.where == spool::Where::held ? table_in(out.held, std::string{row.table}).oldest_ms : out.oldest_ms;
    oldest = std::min(oldest.value_or(INT64_MAX), row.date_ms);
    return row.where == spool::Where::held;
  };
  Status status = spool::list_rows(out.folder, {.waiting = true, .held = false, .aside = false, .table = {}}, look);
  if (status.ok() && !out.held.empty())
    status = spool::list_rows(out.folder, {.waiting = false, .held = true, .aside = false, .table = {}}, look);
  return status;
}

Status find_reasons(SpoolStatus& out) {
  for (SpoolStatus::Table& table : out.aside) {
    Status status = spool::list_rows(out.folder, {.waiting = false, .held = false, .aside = true, .table = table.name},
                                     [&table](spool::RowInFolder const& row) {
                                       table.code = std::string{row.code};
                                       table.message = std::string{row.reason};
                                       return false;
                                     });
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace

Status check_spool_folder(std::string const& folder) {
  struct stat look {};
  if (::stat(folder.c_str(), &look) != 0) {
    Code const code = errno == ENOENT ? Code::not_found : Code::io_error;
    return {code, "stat of " + folder + ": " + std::strerror(errno)};
  }
  return S_ISDIR(look.st_mode) ? Status{} : Status{Code::not_found, folder + " is no folder"};
}

// Its lock is tried for a moment, shared: a forwarder that starts in that moment says that somebody else has it.
Status read_forwarder(std::string const& folder, SpoolStatus& out) {
  out.folder = folder;
  Result<files::Folder> const own = own_folder(folder);
  // No forwarder ran so far.
  if (own.status().code() == Code::not_found) return {};
  if (!own.ok()) return own.status();
  files::Descriptor const lock{own->open_file("lock", O_RDONLY)};
  int const fd = lock.fd;
  if (!lock.is_open()) return errno == ENOENT ? Status{} : files::failure("open of", own->path_of("lock"), errno);
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) {
    out.is_running = errno == EWOULDBLOCK;
    char digits[24];
    ssize_t const size = ::read(fd, digits, sizeof digits);
    if (size > 0) std::from_chars(digits, digits + size, out.process);
  }
  return {};
}

Result<SpoolStatus> read_spool_status(std::string const& folder) {
  SpoolStatus out;
  Status status = check_spool_folder(folder);
  if (status.ok()) status = read_forwarder(folder, out);
  if (status.ok()) status = count(out);
  if (status.ok()) status = find_oldest(out);
  if (status.ok()) status = find_reasons(out);
  if (!status.ok()) return status;
  read_status_file(out);
  return out;
}

}  // namespace fastjournal::cli
