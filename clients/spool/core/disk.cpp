#include "clients/spool/core/disk.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"
#include "platform/files/new_file.h"

namespace fastjournal::spool {

Status read_at(int fd, std::string const& path, std::uint64_t offset, std::size_t bytes, std::string& to) {
  std::size_t const before = to.size();
  to.resize(before + bytes);
  std::size_t done = 0;
  while (done < bytes) {
    ssize_t const got = ::pread(fd, to.data() + before + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      int const error = errno;
      to.resize(before);
      return failure("read of", path, error);
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  to.resize(before + done);
  return {};
}

Status write_all(int fd, std::string const& path, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write to", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status append(int fd, std::string const& path, std::string_view bytes) {
  if (Status status = write_all(fd, path, bytes); !status.ok()) return status;
  return ::fdatasync(fd) == 0 ? Status{} : failure("fdatasync of", path, errno);
}

Status make_file(files::Folder const& folder, std::string const& name, std::string_view bytes) {
  Result<files::NewFile> file = files::NewFile::make(folder, name, 0640);
  if (!file.ok()) return file.status();
  if (Status status = file->write(bytes); !status.ok()) return status;
  return file->finish(files::NewFile::Durable::yes);
}

Status punch(int fd, std::string const& path, std::uint64_t from, std::uint64_t to) {
  if (from >= to) return {};
  if (::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                  static_cast<off_t>(to - from)) == 0)
    return {};
  return errno == EOPNOTSUPP ? fill(fd, path, from, to, '\0') : failure("fallocate of", path, errno);
}

Status rename_damaged(files::Folder const& folder, std::string const& name) {
  constexpr int kDamagedMax = 1'000;
  for (int number = 1; number <= kDamagedMax; ++number) {
    std::string const damaged = name + (number == 1 ? ".damaged" : ".damaged-" + std::to_string(number));
    if (folder.move(name, folder, damaged) == 0) return {};
    if (errno != EEXIST) return failure("rename of", folder.path_of(name), errno);
  }
  return failure("rename of", folder.path_of(name) + " to *.damaged, of which there are enough: remove them; it",
                 EEXIST);
}

Status fill(int fd, std::string const& path, std::uint64_t from, std::uint64_t to, char byte) {
  std::string const bytes(std::size_t{64} << 10U, byte);
  while (from < to) {
    ssize_t const written =
        ::pwrite(fd, bytes.data(), std::min<std::uint64_t>(bytes.size(), to - from), static_cast<off_t>(from));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write to", path, errno);
    from += static_cast<std::uint64_t>(written);
  }
  return {};
}

Seed draw_seed() {
  Seed seed;
  ssize_t got = -1;
  for (int tries = 0; got < 0 && tries < 1000; ++tries) got = ::getrandom(&seed.value, sizeof seed.value, 0);
  FJ_CHECK(got == sizeof seed.value, "the kernel has chance for everybody");
  return seed;
}

Result<std::optional<Seed>> read_seed(int fd, std::string const& path) {
  std::string head;
  if (Status status = read_at(fd, path, 0, kFileHeadBytes, head); !status.ok()) return status;
  return seed_of_file(head);
}

}  // namespace fastjournal::spool
