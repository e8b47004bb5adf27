#include "clients/programs/fastjournal/dated_backups.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "model/date.h"

namespace fastjournal::cli {
namespace {

// Digits stand for digits.
constexpr std::string_view kPattern = "0000-00-00T00-00-00.000Z";

}  // namespace

std::string name_of_backup(std::int64_t ms) {
  std::string out = model::format_date(ms);
  std::replace(out.begin(), out.end(), ':', '-');
  return out;
}

bool is_name_of_backup(std::string_view name) {
  return std::equal(name.begin(), name.end(), kPattern.begin(), kPattern.end(),
                    [](char c, char wanted) { return wanted == '0' ? c >= '0' && c <= '9' : c == wanted; });
}

std::vector<std::string> surplus_of(std::vector<std::string> names, std::uint64_t keep, std::string_view made) {
  std::erase_if(names, [made](std::string const& name) { return name == made || !is_name_of_backup(name); });
  std::sort(names.begin(), names.end());
  std::size_t const others = keep > 0 ? keep - 1 : 0;
  names.resize(names.size() > others ? names.size() - others : 0);
  return names;
}

Result<DatedBackups> DatedBackups::open(std::string const& folder) {
  tools::Place place = tools::place_of(folder);
  if (Status status = place.disk->make_folder(place.name); !status.ok()) return status;
  auto lock = place.disk->lock_folder(place.name);
  if (!lock.ok()) return lock.status();
  DatedBackups out{std::move(place), std::move(lock).value()};
  Result<std::vector<std::string>> const all = out.names();
  if (!all.ok()) return all.status();
  for (std::string const& name : all.value()) {
    if (!name.ends_with(kUnfinished)) continue;
    std::string_view const dated = std::string_view{name}.substr(0, name.size() - std::string_view{kUnfinished}.size());
    if (!is_name_of_backup(dated)) continue;
    if (Status status = out.remove(name); !status.ok()) return status;
  }
  return out;
}

Result<std::vector<std::string>> DatedBackups::names() const { return place_.disk->list(place_.name); }

Status DatedBackups::remove(std::string const& name) {
  std::error_code error;
  std::filesystem::remove_all(path_of(name), error);
  return error ? Status{Code::io_error, "remove " + path_of(name) + ": " + error.message()} : Status{};
}

Status DatedBackups::keep(std::uint64_t count, std::string_view made) {
  Result<std::vector<std::string>> all = names();
  if (!all.ok()) return all.status();
  std::erase_if(all.value(), [this](std::string const& name) {
    std::error_code error;
    return !std::filesystem::is_regular_file(path_of(name) + "/" + kAbout, error);
  });
  for (std::string const& name : surplus_of(all.value(), count, made)) {
    // Half removed it is no backup any more.
    if (Status status = place_.disk->rename(place_.name + "/" + name, place_.name + "/" + name + kUnfinished);
        !status.ok())
      return status;
    if (Status status = remove(name + kUnfinished); !status.ok()) return status;
  }
  return {};
}

}  // namespace fastjournal::cli
