// Files by system calls. Every errno becomes a Status on the spot.
#include "os/posix_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace fastjournal::os {

namespace {

constexpr mode_t kFolderMode = 0750;
constexpr std::string_view kLockName = "lock";

Status failure(std::string_view call, std::string_view path, int error) {
  Code code = Code::io_error;
  if (error == ENOSPC || error == EDQUOT) code = Code::no_space;
  if (error == ENOENT) code = Code::not_found;
  if (error == EEXIST || error == EWOULDBLOCK) code = Code::in_use;
  return {code, fmt::format("{} {}: {}", call, path, std::generic_category().message(error))};
}

// Calls until no signal interrupts it.
template <typename Call>
auto uninterrupted(Call call) {
  decltype(call()) result{};
  do {
    result = call();
  } while (result == -1 && errno == EINTR);
  return result;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    // Not repeated on EINTR: Linux has closed it already.
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

class PosixFile final : public env::File {
 public:
  PosixFile(Descriptor descriptor, std::string path) : fd_(std::move(descriptor)), path_(std::move(path)) {}

  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      ssize_t const got = uninterrupted([&] {
        return ::pread(fd_.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      });
      if (got < 0) return failure("read", path_, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  void expect(std::uint64_t offset, std::uint64_t bytes) override {
    static_cast<void>(
        ::posix_fadvise(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_WILLNEED));
  }
  void forget_cached(std::uint64_t offset, std::uint64_t bytes) override {
    static_cast<void>(
        ::posix_fadvise(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED));
  }

  Status write(std::uint64_t offset, std::span<std::byte const> bytes) override {
    while (!bytes.empty()) {
      ssize_t const put =
          uninterrupted([&] { return ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
      if (put < 0) return failure("write", path_, errno);
      // The kernel took nothing and says no reason: asking again could go on for ever.
      if (put == 0) return failure("write", path_, EIO);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
      offset += static_cast<std::uint64_t>(put);
    }
    return {};
  }

  Status write_through(std::uint64_t offset, std::span<std::byte const> bytes) override {
    if (!direct_.is_open())
      direct_ = Descriptor{uninterrupted([&] { return ::open(path_.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC); })};
    if (!direct_.is_open()) return not_direct(errno);
    for (bool first = true; !bytes.empty(); first = false) {
      // The kernel only reads what it is given.
      iovec const part{const_cast<std::byte*>(bytes.data()), bytes.size()};
      ssize_t const put =
          uninterrupted([&] { return ::pwritev2(direct_.get(), &part, 1, static_cast<off_t>(offset), RWF_DSYNC); });
      if (put < 0) return first ? not_direct(errno) : failure("write", path_, errno);
      if (put == 0) return failure("write", path_, EIO);
      bytes = bytes.subspan(static_cast<std::size_t>(put));
      offset += static_cast<std::uint64_t>(put);
    }
    return {};
  }

  Status sync() override {
    // Not repeated, whatever the error.
    if (::fdatasync(fd_.get()) != 0) return failure("sync", path_, errno);
    return {};
  }

  Result<std::uint64_t> size() override {
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0) return failure("fstat", path_, errno);
    return static_cast<std::uint64_t>(info.st_size);
  }

  Status truncate(std::uint64_t size) override {
    if (uninterrupted([&] { return ::ftruncate(fd_.get(), static_cast<off_t>(size)); }) != 0)
      return failure("truncate", path_, errno);
    return {};
  }

 private:
  [[nodiscard]] Status not_direct(int error) const {
    if (error == EINVAL || error == EOPNOTSUPP || error == ENOSYS)
      return {Code::not_supported, fmt::format("direct write {}: {}", path_, std::generic_category().message(error))};
    return failure("write", path_, error);
  }

  Descriptor fd_;
  Descriptor direct_{-1};
  std::string path_;
};

class PosixLock final : public env::FolderLock {
 public:
  explicit PosixLock(Descriptor descriptor) : fd_(std::move(descriptor)) {}

 private:
  // Closing it releases the lock. The file stays: removing it would let a third opener lock another one.
  Descriptor fd_;
};

std::string holder_of(int fd) {
  char text[32]{};
  ssize_t const got = ::pread(fd, text, sizeof text - 1, 0);
  std::string_view const pid(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  std::size_t const digits = std::min(pid.find_first_not_of("0123456789"), pid.size());
  return std::string(pid.substr(0, digits));
}

// Somebody has it. The file names the last who wrote here: one who only reads does not write, not even that.
Status held(std::string const& name, int fd) {
  if (uninterrupted([&] { return ::flock(fd, LOCK_SH | LOCK_NB); }) == 0)
    return {Code::in_use, fmt::format("lock {}: held by a program that reads the folder", name)};
  std::string const pid = holder_of(fd);
  return Status(Code::in_use, fmt::format("lock {}: held by process {}", name, pid.empty() ? "unknown" : pid))
      .with("holder", pid);
}

}  // namespace

std::string PosixDisk::full(std::string_view path) const {
  if (path.empty()) return root_;
  return fmt::format("{}/{}", root_, path);
}

Result<std::unique_ptr<env::File>> PosixDisk::open(std::string_view path, env::OpenMode mode) {
  int flags = O_CLOEXEC;
  if (mode == env::OpenMode::read_only) flags |= O_RDONLY;
  if (mode == env::OpenMode::read_write) flags |= O_RDWR;
  if (mode == env::OpenMode::create_new) flags |= O_RDWR | O_CREAT | O_EXCL;
  std::string name = full(path);
  Descriptor descriptor(uninterrupted([&] { return ::open(name.c_str(), flags, file_mode_); }));
  if (!descriptor.is_open()) return failure("open", name, errno);
  return std::unique_ptr<env::File>(std::make_unique<PosixFile>(std::move(descriptor), std::move(name)));
}

Status PosixDisk::make_folder(std::string_view path) {
  std::string const name = full(path);
  for (std::size_t slash = name.find('/', 1);; slash = name.find('/', slash + 1)) {
    std::string const part = name.substr(0, slash);
    if (::mkdir(part.c_str(), kFolderMode) != 0 && errno != EEXIST) return failure("make folder", part, errno);
    if (slash == std::string::npos) break;
  }
  // EEXIST says nothing about what is there.
  struct stat info {};
  if (::stat(name.c_str(), &info) != 0) return failure("stat", name, errno);
  if (!S_ISDIR(info.st_mode)) return failure("make folder", name, ENOTDIR);
  return {};
}

Result<std::vector<std::string>> PosixDisk::list(std::string_view path) {
  std::string const name = full(path);
  std::unique_ptr<DIR, int (*)(DIR*)> const folder(::opendir(name.c_str()), [](DIR* dir) { return ::closedir(dir); });
  if (folder == nullptr) return failure("list", name, errno);
  std::vector<std::string> out;
  for (;;) {
    errno = 0;
    dirent const* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    std::string_view const found = entry->d_name;
    if (found != "." && found != "..") out.emplace_back(found);
  }
  if (errno != 0) return failure("list", name, errno);
  std::sort(out.begin(), out.end());
  return out;
}

Status PosixDisk::rename(std::string_view from, std::string_view to) {
  if (::rename(full(from).c_str(), full(to).c_str()) != 0) return failure("rename", full(from), errno);
  return {};
}

Status PosixDisk::exchange(std::string_view one, std::string_view other) {
  std::string const name = full(one);
  if (::renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, full(other).c_str(), RENAME_EXCHANGE) == 0) return {};
  Status const status = failure("exchange names with", name, errno);
  // A file system that knows no flags says so in this way, as does an old kernel.
  if (errno == EINVAL || errno == ENOSYS) return {Code::not_supported, status.message()};
  return status;
}

Status PosixDisk::remove(std::string_view path) {
  std::string const name = full(path);
  if (::unlink(name.c_str()) == 0) return {};
  int const error = errno;
  if (error == EISDIR && ::rmdir(name.c_str()) == 0) return {};
  return failure("remove", name, error);
}

Status PosixDisk::sync_folder(std::string_view path) {
  std::string const name = full(path);
  Descriptor const descriptor(uninterrupted([&] { return ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.is_open()) return failure("open", name, errno);
  if (::fsync(descriptor.get()) != 0) return failure("sync folder", name, errno);
  return {};
}

Result<std::unique_ptr<env::FolderLock>> PosixDisk::lock_folder(std::string_view path) {
  std::string const name = fmt::format("{}/{}", full(path), kLockName);
  Descriptor descriptor(uninterrupted([&] { return ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, file_mode_); }));
  if (!descriptor.is_open()) return failure("open", name, errno);
  if (uninterrupted([&] { return ::flock(descriptor.get(), LOCK_EX | LOCK_NB); }) != 0) {
    int const error = errno;
    if (error != EWOULDBLOCK) return failure("lock", name, error);
    return held(name, descriptor.get());
  }
  std::string const pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor.get(), 0) != 0) return failure("truncate", name, errno);
  // Only for people: a full disk must not keep the daemon from starting.
  static_cast<void>(uninterrupted([&] { return ::pwrite(descriptor.get(), pid.data(), pid.size(), 0); }));
  return std::unique_ptr<env::FolderLock>(std::make_unique<PosixLock>(std::move(descriptor)));
}

Result<std::unique_ptr<env::FolderLock>> PosixDisk::lock_folder_to_read(std::string_view path) {
  std::string const name = fmt::format("{}/{}", full(path), kLockName);
  Descriptor descriptor(uninterrupted([&] { return ::open(name.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!descriptor.is_open() && errno != ENOENT) return failure("open", name, errno);
  if (descriptor.is_open() && uninterrupted([&] { return ::flock(descriptor.get(), LOCK_SH | LOCK_NB); }) != 0) {
    int const error = errno;
    if (error != EWOULDBLOCK) return failure("lock", name, error);
    return held(name, descriptor.get());
  }
  return std::unique_ptr<env::FolderLock>(std::make_unique<PosixLock>(std::move(descriptor)));
}

Result<std::uint64_t> PosixDisk::free_bytes() {
  struct statvfs info {};
  if (uninterrupted([&] { return ::statvfs(root_.c_str(), &info); }) != 0) return failure("statvfs", root_, errno);
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace fastjournal::os
