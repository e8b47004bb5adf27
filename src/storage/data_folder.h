// The folder that holds the folders of all logs, as a start finds it: is it the
// right one, and may a log that is not there be made? A daemon that makes an
// empty journal where somebody removed one, or where a disk is not mounted,
// loses everything without a word.
//
// The folder's lock notes each log that was made here ("log NAME"). A log that is noted and not there is never made
// again. One that is not noted is made where the folder holds nothing else, or where somebody said so (`create`).
// `create` does not make a log again that the lock notes: an option is left in a unit file, and would then do what the
// lock is there to prevent. Whoever really wants that removes the lock, once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/disk.h"
#include "fastjournal/status.h"

namespace fastjournal::storage {

struct DataFolderWish {
  std::string folder{};               // for messages
  std::vector<std::string> logs{};    // that are wanted
  std::vector<std::string> beside{};  // names that may stand there without saying anything: sockets, the daemon's log
  bool create{false};                 // new logs beside whatever is there
};

class DataFolder {
 public:
  // Locks it. in_use: another daemon has it; damaged: a log that was here is gone; bad_configuration: other things
  // are here, and a log is not.
  [[nodiscard]] static Result<DataFolder> open(env::Disk& disk, DataFolderWish const& wish);
  // It was opened: from now on it is missed.
  [[nodiscard]] Status know(std::string_view log);

 private:
  explicit DataFolder(std::unique_ptr<env::FolderLock> lock) : lock_(std::move(lock)) {}
  [[nodiscard]] bool knows(std::string_view log) const;

  std::unique_ptr<env::FolderLock> lock_;
};

}  // namespace fastjournal::storage
