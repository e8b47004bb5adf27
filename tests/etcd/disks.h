// Disks that can lose their power: each is an ext4 on a file (a loop device), mounted where only this process and those
// that it starts see it. What a program was told to be synced is there afterwards; what only the kernel's memory had is not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace fastjournal::test {

class Disks {
 public:
  // Empty: they can be had here. Else the reason why not.
  [[nodiscard]] static std::string missing();

  // One over each of these folders. Throws if one cannot be made; only on a thread that shares its folders with no other.
  explicit Disks(std::vector<std::string> folders);
  // Loop devices go with the last process that has something open on them.
  ~Disks();
  Disks(Disks const&) = delete;
  Disks& operator=(Disks const&) = delete;

  // From now on nothing reaches any of the files: each filesystem is shut down without its journal being written, and
  // whoever writes gets an error.
  void lose_power();
  // What the files have is mounted, as copies. Whoever used the folders must have ended.
  void come_back();

 private:
  void mount(std::size_t at) const;
  void unmount(std::size_t at) const;
  [[nodiscard]] std::string image(std::size_t at) const;

  TemporaryFolder images_;
  std::vector<std::string> folders_;
  int before_;  // the mounts of the others
  int cuts_{0};
};

}  // namespace fastjournal::test
