#include "clients/programs/fastjournal/synced_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

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

}  // namespace

Status sync_name(std::string const& path) {
  std::string const folder = std::filesystem::path{path}.parent_path().string();
  return sync_at(folder.empty() ? "." : folder, O_DIRECTORY);
}

Status sync_file_and_name(std::string const& path) {
  if (Status status = sync_at(path, 0); !status.ok()) return status;
  return sync_name(path);
}

}  // namespace fastjournal::cli
