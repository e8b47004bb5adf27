// The flag files of this daemon in the watcher's folder, held to what stands.
// Files of others are never touched. Lives on the thread of Teller: every call may wait for a disk.
#pragma once

#include <map>
#include <string>

#include "core/flag.h"
#include "env/disk.h"
#include "fastjournal/status.h"

namespace fastjournal::alerts {

class FlagFolder {
 public:
  // `disk` has the flags folder as its root.
  FlagFolder(env::Disk& disk, core::Origin origin) : disk_(disk), origin_(std::move(origin)) {}

  void up(core::Alert const& alert);
  void down(core::Alert const& alert);
  // Writes and removes files until they are what stands: of more than the watcher reads, those of the highest
  // priority. The first call also removes what an earlier start left. After an error a later call goes on.
  [[nodiscard]] Status agree();

 private:
  using Files = std::map<std::string, std::string>;  // name -> content
  [[nodiscard]] Files wanted() const;
  [[nodiscard]] Status look();
  [[nodiscard]] Status write(std::string const& name, std::string const& content);

  env::Disk& disk_;
  core::Origin origin_;
  std::map<std::string, core::Alert> standing_;  // by file name
  Files written_;
  bool looked_{false};
};

}  // namespace fastjournal::alerts
