// A layer between a program and the kernel, loaded by LD_PRELOAD. For tests only. It watches the files whose names
// begin with "container-", and is controlled by the environment:
//
//   FJ_FAULT=CALL:N:HOW   the N-th CALL (write, sync) to them since the start fails with HOW: EIO, ENOSPC, or
//                         short (half is written, then EIO for that file). Failures are announced on standard error.
//                         A segment that is being made does not count: a chore makes it at any time, and may fail.
//   FJ_QUOTA=FILE         FILE has the number of bytes that they may have together; it is read each time one of
//                         them grows or free space is asked for.
//   FJ_UNDO=FOLDER        before each write the old bytes are saved in FOLDER/NAME.undo, which a sync of that file
//                         empties: a test that killed the program can undo unsynced writes, as a power cut does.
//   FJ_SIGNAL=N:NUMBER    the N-th read of them sends this signal to the program, which is announced on standard
//                         error.
//   FJ_SYNCS=FIFO         a byte is written to FIFO for each of their syncs that returned ok, after it. Making a
//                         segment does not count.
//
// It covers only the calls of the POSIX implementation of base/env/disk.h.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr char kPrefix[] = "container-";
constexpr std::size_t kDescriptorsMax = 65536;

struct Fault {
  std::string call;
  unsigned long number{0};
  std::string how;
};

struct Layer {
  std::array<std::atomic<int>, kDescriptorsMax> undo{};  // descriptor of the undo file + 1; -1: watched without one
  std::array<std::atomic<bool>, kDescriptorsMax> is_unfinished{};  // opened before it got its final name
  std::atomic<unsigned long> writes{0};
  std::atomic<unsigned long> syncs{0};
  std::atomic<int> short_fd{-1};  // written by half; -1: none
  std::atomic<unsigned long> reads{0};
  std::mutex mutex;
};

Layer& layer() {
  static Layer one;
  return one;
}

char const* setting(char const* name) {
  char const* text = ::getenv(name);
  return text == nullptr || *text == '\0' ? nullptr : text;
}

template <typename Function>
Function next(char const* name, Function) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

Fault const& planned() {
  static Fault const fault = [] {
    Fault out;
    char const* text = setting("FJ_FAULT");
    if (text == nullptr) return out;
    std::string const all = text;
    std::size_t const first = all.find(':');
    std::size_t const second = all.find(':', first + 1);
    if (second == std::string::npos) return out;
    out.call = all.substr(0, first);
    out.number = ::strtoul(all.c_str() + first + 1, nullptr, 10);
    out.how = all.substr(second + 1);
    return out;
  }();
  return fault;
}

bool is_watched(int fd) {
  return fd >= 0 && static_cast<std::size_t>(fd) < kDescriptorsMax &&
         layer().undo[static_cast<std::size_t>(fd)].load() != 0;
}

bool counts(int fd) { return !layer().is_unfinished[static_cast<std::size_t>(fd)].load(); }

void announce(Fault const& fault) {
  ::fprintf(stderr, "fault layer: %s number %lu fails with %s\n", fault.call.c_str(), fault.number, fault.how.c_str());
}

int error_of(std::string const& how) { return how == "ENOSPC" ? ENOSPC : EIO; }

// Bytes of all segments in the folder of this file; the quota is for all of them together.
std::int64_t bytes_in(std::string const& folder) {
  std::int64_t sum = 0;
  DIR* const open = ::opendir(folder.c_str());
  if (open == nullptr) return 0;
  while (dirent const* entry = ::readdir(open)) {
    struct stat info {};
    std::string const name = entry->d_name;
    if (name.rfind(kPrefix, 0) == 0 && ::stat((folder + "/" + name).c_str(), &info) == 0) sum += info.st_size;
  }
  ::closedir(open);
  return sum;
}

std::int64_t quota() {
  char const* name = setting("FJ_QUOTA");
  if (name == nullptr) return INT64_MAX;
  std::int64_t bytes = 0;
  if (FILE* const file = ::fopen(name, "r")) {
    long long read = 0;
    if (::fscanf(file, "%lld", &read) == 1) bytes = read;
    ::fclose(file);
  }
  return bytes;
}

std::string path_of(int fd) {
  std::array<char, 4096> text{};
  std::string const link = "/proc/self/fd/" + std::to_string(fd);
  ssize_t const length = ::readlink(link.c_str(), text.data(), text.size() - 1);
  return {text.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

bool fits(int fd, std::size_t count, off_t offset) {
  if (setting("FJ_QUOTA") == nullptr) return true;
  struct stat info {};
  if (::fstat(fd, &info) != 0 || offset + static_cast<off_t>(count) <= info.st_size) return true;
  std::string const path = path_of(fd);
  return bytes_in(path.substr(0, path.rfind('/'))) + (offset + static_cast<off_t>(count) - info.st_size) <= quota();
}

// An entry has the offset and number of the old bytes, then these bytes. Growing is not undone: segments only grow
// before they have their name.
void remember(int fd, std::size_t count, off_t offset) {
  int const undo = layer().undo[static_cast<std::size_t>(fd)].load() - 1;
  if (undo < 0) return;
  std::vector<char> old(count);
  ssize_t const got = ::pread(fd, old.data(), count, offset);
  std::int64_t const head[2] = {offset, got > 0 ? got : 0};
  std::vector<char> entry(sizeof head + static_cast<std::size_t>(head[1]));
  ::memcpy(entry.data(), head, sizeof head);
  ::memcpy(entry.data() + sizeof head, old.data(), static_cast<std::size_t>(head[1]));
  if (::write(undo, entry.data(), entry.size()) != static_cast<ssize_t>(entry.size())) ::abort();
}

void watch(int fd, char const* path) {
  char const* const slash = ::strrchr(path, '/');
  std::string const name = slash == nullptr ? path : slash + 1;
  if (fd < 0 || static_cast<std::size_t>(fd) >= kDescriptorsMax || name.rfind(kPrefix, 0) != 0) return;
  int mark = -1;
  if (char const* folder = setting("FJ_UNDO")) {
    // A segment has another name while it is made; its undo file has the final one.
    std::string const undo = std::string(folder) + "/" + name.substr(0, name.find('.')) + ".undo";
    auto const real_open = next("open", static_cast<int (*)(char const*, int, ...)>(nullptr));
    int const file = real_open(undo.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) mark = file + 1;
  }
  layer().is_unfinished[static_cast<std::size_t>(fd)] = name.find('.') != std::string::npos;
  layer().undo[static_cast<std::size_t>(fd)] = mark;
}

// Found by name, as files that are only read are not in the table.
ssize_t was_read(int fd, void* bytes, std::size_t count, off_t offset) {
  auto const real = next("pread64", static_cast<ssize_t (*)(int, void*, std::size_t, off_t)>(nullptr));
  static char const* const plan = setting("FJ_SIGNAL");
  if (plan != nullptr) {
    std::string const path = path_of(fd);
    char* rest = nullptr;
    unsigned long const number = ::strtoul(plan, &rest, 10);
    if (path.compare(path.rfind('/') + 1, sizeof kPrefix - 1, kPrefix) == 0 && ++layer().reads == number) {
      ::fprintf(stderr, "fault layer: read number %lu sends a signal\n", number);
      ::kill(::getpid(), ::atoi(rest + 1));
    }
  }
  return real(fd, bytes, count, offset);
}

void tell_sync(int fd) {
  char const* const name = setting("FJ_SYNCS");
  if (name == nullptr || !counts(fd)) return;
  static int const fifo = [name] {
    auto const real = next("open", static_cast<int (*)(char const*, int, ...)>(nullptr));
    return real(name, O_WRONLY | O_CLOEXEC);
  }();
  if (::write(fifo, "s", 1) != 1) ::abort();
}

// The rest of what was written by half: of that file, whatever other threads write to others meanwhile.
bool fails_after_short(int fd) {
  int expected = fd;
  return layer().short_fd.compare_exchange_strong(expected, -1);
}

ssize_t written(int fd, void const* bytes, std::size_t count, off_t offset) {
  auto const real = next("pwrite64", static_cast<ssize_t (*)(int, void const*, std::size_t, off_t)>(nullptr));
  if (!is_watched(fd)) return real(fd, bytes, count, offset);
  Fault const& fault = planned();
  unsigned long const number = counts(fd) ? ++layer().writes : 0;
  if (fails_after_short(fd)) {
    errno = EIO;
    return -1;
  }
  if (fault.call == "write" && number != 0 && number == fault.number) {
    announce(fault);
    if (fault.how != "short") {
      errno = error_of(fault.how);
      return -1;
    }
    layer().short_fd = fd;
    count = std::max<std::size_t>(1, count / 2);
  }
  if (!fits(fd, count, offset)) {
    errno = ENOSPC;
    return -1;
  }
  std::lock_guard const lock(layer().mutex);
  remember(fd, count, offset);
  return real(fd, bytes, count, offset);
}

ssize_t written_through(int fd, struct iovec const* parts, int count, off_t offset, int flags) {
  auto const real = next("pwritev64v2", static_cast<ssize_t (*)(int, struct iovec const*, int, off_t, int)>(nullptr));
  if (!is_watched(fd)) return real(fd, parts, count, offset, flags);
  Fault const& fault = planned();
  unsigned long const number = ++layer().writes;
  // Segments are made without it.
  bool const is_it =
      fault.call == "write" ? number == fault.number : fault.call == "sync" && ++layer().syncs == fault.number;
  if (fails_after_short(fd)) {
    errno = EIO;
    return -1;
  }
  struct iovec part = *parts;
  if (is_it) {
    announce(fault);
    if (fault.how != "short") {
      errno = error_of(fault.how);
      return -1;
    }
    layer().short_fd = fd;
    part.iov_len = std::max<std::size_t>(512, part.iov_len / 1024 * 512);
  }
  ssize_t const result = real(fd, &part, count, offset, flags);
  if (result > 0) tell_sync(fd);
  return result;
}

int synced(int fd, char const* call) {
  auto const real = next(call, static_cast<int (*)(int)>(nullptr));
  if (!is_watched(fd)) return real(fd);
  Fault const& fault = planned();
  if (fault.call == "sync" && counts(fd) && ++layer().syncs == fault.number) {
    announce(fault);
    errno = error_of(fault.how);
    return -1;
  }
  std::lock_guard const lock(layer().mutex);
  int const result = real(fd);
  int const undo = layer().undo[static_cast<std::size_t>(fd)].load() - 1;
  if (result == 0 && undo >= 0 && ::ftruncate(undo, 0) != 0) ::abort();
  if (result == 0) tell_sync(fd);
  return result;
}

int opened(char const* call, char const* path, int flags, va_list arguments) {
  auto const real = next(call, static_cast<int (*)(char const*, int, ...)>(nullptr));
  mode_t const mode = (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
  int const fd = real(path, flags, mode);
  if ((flags & O_ACCMODE) != O_RDONLY) watch(fd, path);
  return fd;
}

}  // namespace

#define FJ_EXPORT extern "C" __attribute__((visibility("default")))

FJ_EXPORT int open(char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int const fd = opened("open", path, flags, arguments);
  va_end(arguments);
  return fd;
}
FJ_EXPORT int open64(char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int const fd = opened("open64", path, flags, arguments);
  va_end(arguments);
  return fd;
}
// A name relative to an open folder; the names of segments are the same.
FJ_EXPORT int openat(int folder, char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
  va_end(arguments);
  int const fd = next("openat", static_cast<int (*)(int, char const*, int, ...)>(nullptr))(folder, path, flags, mode);
  if ((flags & O_ACCMODE) != O_RDONLY) watch(fd, path);
  return fd;
}
FJ_EXPORT int openat64(int folder, char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, unsigned)) : 0;
  va_end(arguments);
  int const fd = next("openat64", static_cast<int (*)(int, char const*, int, ...)>(nullptr))(folder, path, flags, mode);
  if ((flags & O_ACCMODE) != O_RDONLY) watch(fd, path);
  return fd;
}
FJ_EXPORT int close(int fd) {
  if (is_watched(fd)) {
    int const undo = layer().undo[static_cast<std::size_t>(fd)].exchange(0) - 1;
    if (undo >= 0) next("close", static_cast<int (*)(int)>(nullptr))(undo);
  }
  return next("close", static_cast<int (*)(int)>(nullptr))(fd);
}
FJ_EXPORT ssize_t pread(int fd, void* bytes, std::size_t count, off_t offset) {
  return was_read(fd, bytes, count, offset);
}
FJ_EXPORT ssize_t pread64(int fd, void* bytes, std::size_t count, off_t offset) {
  return was_read(fd, bytes, count, offset);
}
FJ_EXPORT ssize_t pwrite(int fd, void const* bytes, std::size_t count, off_t offset) {
  return written(fd, bytes, count, offset);
}
FJ_EXPORT ssize_t pwrite64(int fd, void const* bytes, std::size_t count, off_t offset) {
  return written(fd, bytes, count, offset);
}
// Bypasses the kernel's cache: the write is synced as a whole, or fails. So it needs no undo.
FJ_EXPORT ssize_t pwritev2(int fd, struct iovec const* parts, int count, off_t offset, int flags) {
  return written_through(fd, parts, count, offset, flags);
}
FJ_EXPORT ssize_t pwritev64v2(int fd, struct iovec const* parts, int count, off64_t offset, int flags) {
  return written_through(fd, parts, count, offset, flags);
}
FJ_EXPORT int fdatasync(int fd) { return synced(fd, "fdatasync"); }
FJ_EXPORT int fsync(int fd) { return synced(fd, "fsync"); }
FJ_EXPORT int statvfs(char const* path, struct statvfs* out) {
  int const result = next("statvfs", static_cast<int (*)(char const*, struct statvfs*)>(nullptr))(path, out);
  if (result != 0 || setting("FJ_QUOTA") == nullptr) return result;
  // There is one log, named shared, in the data folder.
  std::int64_t const left = std::max<std::int64_t>(0, quota() - bytes_in(std::string(path) + "/shared"));
  out->f_bavail = static_cast<fsblkcnt_t>(left) / out->f_frsize;
  return 0;
}
