#include "clients/programs/fastjournal/refused_rows.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "clients/programs/fastjournal/json_line.h"

namespace fastjournal::cli {
namespace {

Status file_failed(char const* call, std::string const& path) {
  return {Code::io_error, std::string{call} + " " + path + ": " + std::strerror(errno)};
}

Status sync_at(std::string const& path, int flags) {
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (fd < 0) return file_failed("open", path);
  Status const status = ::fsync(fd) == 0 ? Status{} : file_failed("sync", path);
  ::close(fd);
  return status;
}

// Files are on the disk, with their names, before a state says so.
Status sync_name(std::string const& path) {
  std::string const folder = std::filesystem::path{path}.parent_path().string();
  return sync_at(folder.empty() ? "." : folder, O_DIRECTORY);
}

Status sync_file_and_name(std::string const& path) {
  if (Status status = sync_at(path, 0); !status.ok()) return status;
  return sync_name(path);
}

using Json = nlohmann::ordered_json;

// Limit of reasons on standard error; the file has all of them.
constexpr std::uint64_t kReasonsToldMax = 100;

std::string reason_line(Record const& row, Status const& why) {
  Json out = Json::object();
  out["line"] = row.line;
  out["error"] = row_of(why.code()).wire_name;
  out["message"] = why.message();
  for (auto const& [name, value] : why.facts())
    if (name != "command") out["facts"][name] = value;
  out["text"] = row.text;
  return json_line(out);
}

std::uint64_t size_of(std::string const& file) {
  std::error_code none;
  std::uint64_t const bytes = std::filesystem::file_size(file, none);
  return none ? 0 : bytes;
}

}  // namespace

bool is_about_the_row(Code code) {
  switch (code) {
    case Code::invalid:
    case Code::missing_parameter:
    case Code::unknown_parameter:
    case Code::bad_parameter:
    case Code::too_large:
    case Code::expired:
    case Code::not_supported: return true;
    default: return false;
  }
}

std::string_view ending_of(RowFormat format) {
  switch (format) {
    case RowFormat::json: return "refused.jsonl";
    case RowFormat::csv: return "refused.csv";
    case RowFormat::lines: return "refused.txt";
  }
  return "refused";
}

Status RefusedRows::begin(std::string file, std::string header) {
  file_ = std::move(file);
  header_ = std::move(header);
  sizes_ = {size_of(file_), size_of(file_ + std::string{kReasonsSuffix})};
  if (header_.empty()) return {};
  std::ifstream before(file_, std::ios::binary);
  std::string there(header_.size(), '\0');
  before.read(there.data(), static_cast<std::streamsize>(there.size()));
  there.resize(static_cast<std::size_t>(before.gcount()));
  if (!before.is_open() || there.empty() || there == header_) return {};
  return {Code::bad_parameter,
          file_ + " is for the refused rows, and there are others in it, without this header: --refused names another"};
}

Status RefusedRows::cut(Sizes sizes) {
  // It is shorter if rows were taken out meanwhile.
  auto const cut_file = [](std::string const& file, std::uint64_t& bytes) -> Status {
    std::uint64_t const there = size_of(file);
    bytes = std::min(bytes, there);
    std::error_code error;
    if (there > bytes) std::filesystem::resize_file(file, bytes, error);
    return error ? Status{Code::io_error, "cannot shorten " + file + ": " + error.message()} : Status{};
  };
  Status status = cut_file(file_, sizes.rows);
  if (status.ok()) status = cut_file(file_ + std::string{kReasonsSuffix}, sizes.reasons);
  sizes_ = sizes;
  return status;
}

Status RefusedRows::sync() {
  if (!std::exchange(is_unsynced_, false)) return {};
  for (std::string const& file : {file_, file_ + std::string{kReasonsSuffix}})
    if (Status status = sync_file_and_name(file); !status.ok()) return status;
  return {};
}

Status RefusedRows::open() {
  std::string const reasons = file_ + std::string{kReasonsSuffix};
  rows_.open(file_, std::ios::binary | std::ios::app);
  if (!rows_) return {Code::io_error, "cannot write the refused rows to " + file_};
  reasons_.open(reasons, std::ios::binary | std::ios::app);
  if (!reasons_) return {Code::io_error, "cannot write the reasons of the refused rows to " + reasons};
  rows_.seekp(0, std::ios::end);
  if (rows_.tellp() == 0) rows_ << header_;
  return {};
}

Status RefusedRows::add(Record const& row, Status const& why) {
  if (!rows_.is_open())
    if (Status status = open(); !status.ok()) return status;
  rows_ << row.text << '\n' << std::flush;
  reasons_ << reason_line(row, why) << std::flush;
  is_unsynced_ = true;
  if (!rows_ || !reasons_) return {Code::io_error, "cannot write the refused row to " + file_ + " and its reason"};
  sizes_ = {static_cast<std::uint64_t>(rows_.tellp()), static_cast<std::uint64_t>(reasons_.tellp())};
  if (++told_ > kReasonsToldMax) return {};
  call_.tell(why, fmt::format("line {}", row.line), {});
  if (told_ == kReasonsToldMax) call_.note("no more reasons are shown");
  return {};
}

}  // namespace fastjournal::cli
