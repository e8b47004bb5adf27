#include "tests/etcd/disks.h"

#include <fcntl.h>
#include <linux/types.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tests/support/child_process.h"

namespace fastjournal::test {
namespace {

namespace fs = std::filesystem;

// Of the kernel's ext4; no header for programs has them.
constexpr unsigned long kShutDown = _IOR('X', 125, __u32);
constexpr __u32 kWithoutJournal = 2;

constexpr char kBytes[] = "512M";

[[noreturn]] void fail(std::string const& what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

std::string Disks::missing() {
  if (::geteuid() != 0) return "only root can mount filesystems";
  ChildProcess made{{"losetup", "--find"}};
  return made.wait() == 0 ? "" : "there are no loop devices here: " + made.output();
}

Disks::Disks(std::vector<std::string> folders)
    : folders_(std::move(folders)), before_(::open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC)) {
  if (before_ < 0 || ::unshare(CLONE_NEWNS) != 0) fail("mounts of one's own");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) fail("mounts of one's own");
  for (std::size_t at = 0; at < folders_.size(); ++at) {
    run_program({"truncate", "--size", kBytes, image(at)});
    run_program({"mkfs.ext4", "-q", image(at)});
    mount(at);
  }
}

Disks::~Disks() {
  for (std::string const& folder : folders_) ::umount2(folder.c_str(), MNT_DETACH);
  if (::setns(before_, CLONE_NEWNS) != 0) std::perror("setns: the mounts of before");
  ::close(before_);
}

std::string Disks::image(std::size_t at) const {
  return images_ / ("disk" + std::to_string(at) + "-" + std::to_string(cuts_));
}

// The device goes when the mount does (autoclear).
void Disks::mount(std::size_t at) const { run_program({"mount", "-o", "loop", image(at), folders_[at]}); }

void Disks::unmount(std::size_t at) const {
  if (::umount2(folders_[at].c_str(), 0) != 0) fail("umount " + folders_[at]);
}

void Disks::lose_power() {
  std::vector<int> fds;
  for (std::string const& folder : folders_) {
    fds.push_back(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fds.back() < 0) fail("open " + folder);
  }
  for (std::size_t at = 0; at < fds.size(); ++at) {
    __u32 how = kWithoutJournal;
    if (::ioctl(fds[at], kShutDown, &how) != 0) fail("shut down " + folders_[at]);
  }
  for (int const fd : fds) ::close(fd);
}

void Disks::come_back() {
  for (std::size_t at = 0; at < folders_.size(); ++at) {
    std::string const before = image(at);
    std::string const after = images_ / ("disk" + std::to_string(at) + "-" + std::to_string(cuts_ + 1));
    run_program({"cp", "--sparse=always", before, after});
    unmount(at);
    fs::remove(before);
  }
  ++cuts_;
  for (std::size_t at = 0; at < folders_.size(); ++at) mount(at);
}

}  // namespace fastjournal::test
