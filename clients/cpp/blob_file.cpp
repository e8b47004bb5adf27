#include "clients/cpp/blob_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/bytes.h"

namespace fastjournal::client {
namespace {

// Of the header at the begin of each file, a reader needs these.
constexpr std::uint64_t kHeaderBytes = 4096;
constexpr std::string_view kMagic{"FJBYTES\n"};
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kNumberAt = 12;
constexpr std::uint32_t kVersion = 1;

std::string file_reason(int error) { return std::strerror(error); }

}  // namespace

BlobView::~BlobView() {
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
}

BlobFile& BlobFile::operator=(BlobFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(number_, other.number_);
  std::swap(name_, other.name_);
  return *this;
}

BlobFile::~BlobFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<BlobFile> BlobFile::open(std::string const& path) {
  // Not blocking: what is no file, such as a pipe, must not keep us here.
  int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return Status{Code::unavailable, "open " + path + ": " + file_reason(errno)};
  return adopt(descriptor, path);
}

std::string BlobFile::numbered(std::string const& data_file, std::uint32_t number) {
  return fmt::format("{}data.{:06}", std::string_view{data_file}.substr(0, data_file.rfind('/') + 1), number);
}

Result<BlobFile> BlobFile::adopt(int descriptor, std::string name) {
  BlobFile out{descriptor, std::move(name)};
  if (Status const status = out.read_header(); !status.ok()) return status;
  return out;
}

Status BlobFile::read_header() {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) return {Code::io_error, "stat " + name_ + ": " + file_reason(errno)};
  if (!S_ISREG(facts.st_mode)) return {Code::damaged, name_ + " is no file; expected the data file of a blob table"};
  std::array<char, kNumberAt + sizeof(std::uint32_t)> head{};
  if (Status const status = read_at(0, head.data(), head.size()); !status.ok()) return status;
  if (std::string_view{head.data(), kMagic.size()} != kMagic ||
      load_little<std::uint32_t>(head.data() + kVersionAt) != kVersion)
    return {Code::damaged, name_ + " is no data file of a blob table of version 1: its header is another one"};
  number_ = load_little<std::uint32_t>(head.data() + kNumberAt);
  return {};
}

Status BlobFile::read_at(std::uint64_t offset, char* into, std::size_t bytes) const {
  while (bytes > 0) {
    ssize_t const got = ::pread(descriptor_, into, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {Code::io_error, "read " + name_ + ": " + file_reason(errno)};
    if (got == 0) return {Code::damaged, name_ + " ends at " + std::to_string(offset) + ", within what was wanted"};
    into += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return {};
}

Status BlobFile::check_place(std::uint64_t begin, std::uint64_t end, std::uint64_t bytes_max) const {
  if (begin < kHeaderBytes || begin > end || end > static_cast<std::uint64_t>(INT64_MAX))
    return {Code::damaged, "no blob is from " + std::to_string(begin) + " to " + std::to_string(end)};
  if (end - begin > bytes_max)
    return {Code::too_large,
            "the blob has " + std::to_string(end - begin) + " bytes; expected at most " + std::to_string(bytes_max)};
  // An empty one begins where the next one does, which may be behind the end.
  if (begin == end) return {};
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) return {Code::io_error, "stat " + name_ + ": " + file_reason(errno)};
  if (static_cast<std::uint64_t>(facts.st_size) < end)
    return {Code::damaged,
            name_ + " has " + std::to_string(facts.st_size) + " bytes; the blob ends at " + std::to_string(end)};
  return {};
}

Result<std::string> BlobFile::read(std::uint64_t begin, std::uint64_t end, std::uint64_t bytes_max) const {
  if (Status const status = check_place(begin, end, bytes_max); !status.ok()) return status;
  std::string out(static_cast<std::size_t>(end - begin), '\0');
  if (Status const status = read_at(begin, out.data(), out.size()); !status.ok()) return status;
  return out;
}

Result<BlobView> BlobFile::view(std::uint64_t begin, std::uint64_t end, std::uint64_t bytes_max) const {
  if (Status const status = check_place(begin, end, bytes_max); !status.ok()) return status;
  BlobView out;
  if (begin == end) return out;
  auto const page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t const from = begin - begin % page;
  auto const bytes = static_cast<std::size_t>(end - from);
  void* const at = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor_, static_cast<off_t>(from));
  if (at == MAP_FAILED) return Status{Code::io_error, "map " + name_ + ": " + file_reason(errno)};
  out.mapped_ = at;
  out.mapped_bytes_ = bytes;
  out.bytes_ = std::string_view{static_cast<char const*>(at), bytes}.substr(static_cast<std::size_t>(begin - from));
  return out;
}

}  // namespace fastjournal::client
