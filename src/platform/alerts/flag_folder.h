// The flag files of this program, by its unit, in the watcher's folder, kept in agreement with the active alerts. Files of others are
// never touched. Lives on AlertSender's thread: every call may wait for a disk.
#pragma once

#include <map>
#include <string>

#include "base/env/disk.h"
#include "fastjournal/status.h"
#include "log/flag.h"

namespace fastjournal::alerts {

class FlagFolder {
 public:
  // The root of `disk` is the flags folder.
  FlagFolder(env::Disk& disk, communicator::Origin origin) : disk_(disk), origin_(std::move(origin)) {}

  void up(log::Alert const& alert);
  void down(log::Alert const& alert);
  // Writes and removes files until they match the active alerts; if these exceed the watcher's limit, those of the
  // highest priority. The first call also removes the files of an earlier start. After an error a later call continues.
  [[nodiscard]] Status agree();

 private:
  using Files = std::map<std::string, std::string>;  // name -> content
  [[nodiscard]] Files wanted() const;
  [[nodiscard]] Status look();
  [[nodiscard]] Status write(std::string const& name, std::string const& content);

  env::Disk& disk_;
  communicator::Origin origin_;
  std::map<std::string, log::Alert> standing_;  // by file name
  Files written_;
  bool looked_{false};
};

}  // namespace fastjournal::alerts
