// The folder with the folders of all logs, at a start: whether it is the right one, and whether a missing log may be
// created. A daemon that creates an empty log where one was removed, or where a disk is not mounted, would silently
// lose everything.
//
// The folder's lock lists each log that was created here ("log NAME"). A listed log that is missing is never created
// again. Another one is created if the folder contains nothing else, or with `create`. `create` does not apply to
// listed logs: left in a unit file, the option would cause what the lock prevents. To create such a log, an
// operator removes the lock, once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env/disk.h"
#include "fastjournal/status.h"

namespace fastjournal::log::file {

// Where a log is that is not in a folder of its name.
struct LogPlace {
  env::Disk* disk{nullptr};  // null: that of the data folder
  std::string path{};        // on it; empty: its root
  std::string text{};        // for messages
};

struct DataFolderRequest {
  std::string folder{};                                   // for messages
  std::vector<std::string> logs{};                        // declared logs
  std::map<std::string, LogPlace, std::less<>> places{};  // of some of them
  std::vector<std::string> beside{};                      // names that are ignored: sockets, the daemon's log
  bool create{false};                                     // creates logs also beside other files
  bool was_used{false};  // it is known, elsewhere, that there was a journal: an empty folder is refused
  bool begins{false};    // the administrator says that there is none
};

class DataFolder {
 public:
  // Locks it; makes it unless it was used. in_use: another daemon has it; damaged: a listed log is missing, or all of it
  // is; bad_configuration: there are other files, and a log is missing, or there is a journal though none was expected.
  [[nodiscard]] static Result<DataFolder> open(env::Disk& disk, DataFolderRequest const& wish);
  // The log was opened: from now on it is listed.
  [[nodiscard]] Status know(std::string_view log);

 private:
  explicit DataFolder(std::unique_ptr<env::FolderLock> lock) : lock_(std::move(lock)) {}
  [[nodiscard]] bool knows(std::string_view log) const;
  [[nodiscard]] Result<bool> is_empty(env::Disk& disk, DataFolderRequest const& wish) const;
  [[nodiscard]] Status check_used(env::Disk& disk, DataFolderRequest const& wish) const;

  std::unique_ptr<env::FolderLock> lock_;
};

}  // namespace fastjournal::log::file
