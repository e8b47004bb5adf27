// `fastjournal backup DIR --keep N`, for timers: DIR holds backups that are named by their date, and the oldest are
// removed. Nothing else in DIR is touched: neither other names nor folders that are no whole backup.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/programs/logs/places.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

// Behind the name of a backup that is not whole. No run goes on with one; the name is fixed so that what a run that was
// killed has left is found: by people, beside the backup that they miss, by the next run, which refuses it, and by one
// with --keep, which removes it. A random name would be unknown, and it may be as large as all logs.
inline constexpr char kUnfinished[] = ".partial";
// In each whole backup; written last.
inline constexpr char kAbout[] = "backup.json";

// "2026-11-23T09-35-00.123Z": in the order of dates, and a name for every file system.
[[nodiscard]] std::string name_of_backup(std::int64_t ms);
[[nodiscard]] bool is_name_of_backup(std::string_view name);
// Those of `names` to remove so that `keep` (1 and more) stay: `made`, whatever dates the others have, and the latest of
// them. Other names do not count.
[[nodiscard]] std::vector<std::string> surplus_of(std::vector<std::string> names, std::uint64_t keep,
                                                  std::string_view made);

class DatedBackups {
 public:
  // Makes the folder, locks it, and removes what an interrupted run left there. in_use: another run has it.
  [[nodiscard]] static Result<DatedBackups> open(std::string const& folder);

  [[nodiscard]] std::string path_of(std::string const& name) const { return place_.text() + "/" + name; }
  // `made`: the name of the backup that was just made.
  [[nodiscard]] Status keep(std::uint64_t count, std::string_view made);

 private:
  DatedBackups(tools::Place place, std::unique_ptr<env::FolderLock> lock)
      : place_(std::move(place)), lock_(std::move(lock)) {}
  [[nodiscard]] Result<std::vector<std::string>> names() const;
  [[nodiscard]] Status remove(std::string const& name);

  tools::Place place_;
  std::unique_ptr<env::FolderLock> lock_;
};

}  // namespace fastjournal::cli
