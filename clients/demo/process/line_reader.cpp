#include "clients/demo/process/line_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace fastjournal::process {
namespace {

Status failed(std::string_view call, std::filesystem::path const& path) {
  return {Code::io_error, fmt::format("{} {}: {}", call, path.string(), std::strerror(errno))};
}

}  // namespace

LineReader::LineReader(LineReader&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), held_(std::move(other.held_)) {}

LineReader::~LineReader() {
  if (fd_ >= 0) ::close(fd_);
}

Status LineReader::fetch() {
  if (fd_ < 0) fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) return errno == ENOENT ? Status{} : failed("open", path_);
  std::array<char, 65536> buffer;
  while (true) {
    ssize_t const got = ::read(fd_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path_);
    if (got == 0) return {};
    held_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace fastjournal::process
