#include "platform/os/sync_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace fastjournal::os {
namespace {

constexpr std::size_t kBlock = 4096;

using Clock = std::chrono::steady_clock;

Status failed(char const* call, std::filesystem::path const& folder) {
  int const error = errno;
  Code const code = error == EACCES || error == EPERM || error == EROFS ? Code::not_allowed
                    : error == ENOSPC || error == EDQUOT                ? Code::no_space
                                                                        : Code::io_error;
  return {code, fmt::format("{} in {}: {}", call, folder.string(), ::strerrordesc_np(error))};
}

struct ProbeFile {
  explicit ProbeFile(int of) : fd(of) {}
  ~ProbeFile() {
    if (fd >= 0) ::close(fd);
  }
  ProbeFile(ProbeFile const&) = delete;
  ProbeFile& operator=(ProbeFile const&) = delete;
  int fd;
};

int open_nameless(std::filesystem::path const& folder) {
  if (int const fd = ::open(folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600); fd >= 0 || errno == EACCES)
    return fd;
  // Not on this file system. A leading dot: such names do not count in a data folder.
  std::string const name = (folder / fmt::format(".sync-probe-{}", ::getpid())).string();
  int const fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

}  // namespace

std::uint32_t SyncTimes::us_at(double share) const {
  auto const place = static_cast<std::size_t>(share * static_cast<double>(us.size()));
  return us[std::min(place, us.size() - 1)];
}

Result<SyncTimes> probe_syncs(std::filesystem::path const& folder, SyncProbe const& probe) {
  ProbeFile const file{open_nameless(folder)};
  if (file.fd < 0) return failed("create a file", folder);
  std::vector<char> block(kBlock, '\0');
  // With its blocks in place a sync has only the data to write, as in a segment.
  for (std::size_t i = 0; i < probe.blocks; ++i)
    if (::pwrite(file.fd, block.data(), kBlock, static_cast<off_t>(i * kBlock)) != ssize_t{kBlock})
      return failed("write", folder);
  if (::fsync(file.fd) != 0) return failed("fsync", folder);
  SyncTimes out;
  auto const begin = Clock::now();
  auto before = begin;
  while (out.us.size() < probe.count_max && before - begin < probe.limit && !(probe.stop && probe.stop())) {
    std::size_t const count = out.us.size();
    block[count % kBlock] = static_cast<char>(count + 1);
    if (::pwrite(file.fd, block.data(), kBlock, static_cast<off_t>(count % probe.blocks * kBlock)) != ssize_t{kBlock})
      return failed("write", folder);
    if (::fdatasync(file.fd) != 0) return failed("fdatasync", folder);
    auto const now = Clock::now();
    out.us.push_back(
        static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(now - before).count()));
    before = now;
  }
  if (out.us.empty()) return Status{Code::timed_out, "stopped before the first sync in " + folder.string()};
  out.seconds = std::chrono::duration<double>(before - begin).count();
  std::sort(out.us.begin(), out.us.end());
  return out;
}

}  // namespace fastjournal::os
