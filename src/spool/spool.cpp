#include "spool/spool.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "spool/place.h"
#include "spool/record.h"

namespace fastjournal::spool {
namespace {

constexpr int kOpenTriesMax = 64;
constexpr std::size_t kBufferBytesMax = std::size_t{64} << 10U;  // kept by a thread between two rows

Status failure(std::string_view call, std::string const& path, int error) {
  Code const code = error == ENOSPC || error == EDQUOT ? Code::no_space : Code::io_error;
  return Status{code, std::string{call} + " " + path + ": " + std::strerror(error)}.with("path", path);
}

struct Clock {
  std::int64_t ms;
  [[nodiscard]] std::int64_t s() const { return ms / 1000; }
};

Clock clock_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return {static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000};
}

// A file of the folder that is written, under its shared lock.
struct File {
  File(int descriptor, std::string where, std::int64_t until) : fd(descriptor), path(std::move(where)), ends_s(until) {}
  File(File const&) = delete;
  File& operator=(File const&) = delete;
  ~File() { ::close(fd); }

  int const fd;
  std::string const path;
  std::int64_t const ends_s;
};

using FilePtr = std::shared_ptr<File>;

// What a look at the file says.
enum class Fate : std::uint8_t {
  goes_on,
  ended,  // by the forwarder, or it is as large as it may be
  gone,   // somebody deleted it: what was written last is lost with it
};

Fate fate_of(struct stat const& look, std::size_t bytes_max) {
  if (look.st_nlink == 0) return Fate::gone;
  bool const ended = (look.st_mode & S_IWUSR) == 0 || static_cast<std::size_t>(look.st_size) >= bytes_max;
  return ended ? Fate::ended : Fate::goes_on;
}

Status check(Options const& options) {
  auto const wrong = [](std::string_view name, std::string text) {
    return Status{Code::bad_parameter, std::move(text)}.with("parameter", std::string{name});
  };
  if (options.folder.empty()) return wrong("folder", "a spool needs a folder");
  if (options.period < std::chrono::seconds{1} || options.period > std::chrono::hours{168})
    return wrong("period", "the period of a file is 1 s to 7 days");
  if (options.file_bytes_max < kHeadBytes || options.file_bytes_max > std::size_t{1} << 40U)
    return wrong("file_bytes_max", "a file has 16 bytes to 1 TiB");
  if (options.sync == Sync::interval &&
      (options.interval < std::chrono::milliseconds{1} || options.interval > std::chrono::hours{1}))
    return wrong("interval", "the interval between two syncs is 1 ms to 1 h");
  if ((options.file_mode & 0600U) != 0600U || options.file_mode > 0777U)
    return wrong("file_mode", "the mode of a file lets its owner read and write");
  return {};
}

Status check_row(Message const& row) {
  if (row.command != "INSERT" || !row.has("table"))
    return Status{Code::missing_parameter, "a row is an INSERT with a table"}.with("parameter", "table");
  for (std::string_view const name : {"client", "sequence", "request"})
    if (row.has(name))
      return Status{Code::bad_parameter, "the forwarder sets " + std::string{name}}.with("parameter",
                                                                                         std::string{name});
  return {};
}

Status sync_file(File const& file) {
  // Once a sync has failed, the kernel may have dropped what was written: it is not tried again.
  if (::fdatasync(file.fd) == 0) return {};
  return failure("fdatasync of", file.path, errno);
}

}  // namespace

class Spool::Body {
 public:
  explicit Body(Options options) : options_(std::move(options)) {
    if (options_.sync == Sync::interval)
      syncer_ = std::jthread{[this](std::stop_token const& stop) { sync_often(stop); }};
  }
  ~Body() {
    if (!syncer_.joinable()) return;
    syncer_.request_stop();
    wakes_.notify_all();
    syncer_.join();
    static_cast<void>(sync());
  }

  Status save(Message const& row) {
    if (Status status = check_row(row); !status.ok()) return status;
    static thread_local std::string record;
    record.clear();
    Clock const now = clock_now();
    static thread_local std::vector<Param> params;
    params.assign(row.params().begin(), row.params().end());
    if (!row.has("insertion_date")) params.push_back({"insertion_date", Value::of_integer(now.ms)});
    Status encoded = append_record(params, record);
    Status saved = encoded.ok() ? write(record, now) : std::move(encoded);
    if (record.capacity() > kBufferBytesMax) record = {};
    return saved;
  }

  Status sync() {
    FilePtr current;
    {
      std::lock_guard const lock{mutex_};
      if (!failed_.ok()) return std::exchange(failed_, Status{});
      current = current_;
      is_dirty_ = false;
    }
    return current == nullptr ? Status{} : sync_file(*current);
  }

 private:
  // Twice, as one file may end, or be deleted, meanwhile.
  Status write(std::string_view record, Clock now) {
    for (int tries = 0; tries < 2; ++tries) {
      Result<FilePtr> file = file_for(now);
      if (!file.ok()) return file.status();
      FilePtr const& to = file.value();
      if (Status status = append(*to, record); !status.ok()) return status;
      struct stat look {};
      if (::fstat(to->fd, &look) != 0) return failure("fstat of", to->path, errno);
      Fate const fate = fate_of(look, options_.file_bytes_max);
      if (fate != Fate::goes_on) leave(to);
      if (fate == Fate::gone) continue;
      return settle(*to);
    }
    return Status{Code::io_error, "the files of " + options_.folder + " are deleted while they are written"}.with(
        "path", options_.folder);
  }

  // Half a record is damage between two records: readers pass over it. The rest could not follow it, as another
  // producer may have written behind it.
  Status append(File const& file, std::string_view record) {
    for (int tries = 0; tries < 3; ++tries) {
      ssize_t const written = ::write(file.fd, record.data(), record.size());
      if (written == static_cast<ssize_t>(record.size())) return {};
      if (written < 0 && errno != EINTR) return failure("write to", file.path, errno);
    }
    return failure("write to", file.path, ENOSPC);
  }

  Status settle(File const& file) {
    if (options_.sync == Sync::each) return sync_file(file);
    if (options_.sync == Sync::none) return {};
    std::lock_guard const lock{mutex_};
    if (!failed_.ok()) return std::exchange(failed_, Status{});
    if (!std::exchange(is_dirty_, true)) wakes_.notify_one();
    return {};
  }

  Result<FilePtr> file_for(Clock now) {
    std::lock_guard const lock{mutex_};
    if (current_ != nullptr && now.s() < current_->ends_s && now.s() >= current_->ends_s - options_.period.count())
      return current_;
    Status status = leave_locked();
    if (!status.ok()) return status;
    Result<FilePtr> opened = open_file(now);
    if (opened.ok()) current_ = opened.value();
    return opened;
  }

  void leave(FilePtr const& file) {
    std::lock_guard const lock{mutex_};
    if (current_ != file) return;
    if (Status status = leave_locked(); !status.ok()) failed_ = std::move(status);
  }

  // What was promised to be synced in time is synced before the file is given up.
  Status leave_locked() {
    FilePtr const file = std::exchange(current_, nullptr);
    if (file == nullptr || !std::exchange(is_dirty_, false)) return {};
    return sync_file(*file);
  }

  // The first file of the period that takes rows.
  Result<FilePtr> open_file(Clock now) {
    std::int64_t const begin = begin_of_period(now.s(), options_.period.count());
    int tries = 0;
    for (std::uint32_t number = 0; number < kFilesOfPeriodMax;) {
      std::string path = options_.folder + "/" + name_of({begin, number});
      int const fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                            static_cast<mode_t>(options_.file_mode));
      // A file that the forwarder has ended may be there for a moment, before it is moved.
      if (fd < 0 && errno == EACCES && ::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        ++number;
        continue;
      }
      if (fd < 0) return failure("open of", path, errno);
      auto file = std::make_shared<File>(fd, std::move(path), begin + options_.period.count());
      struct stat look {};
      if (::flock(fd, LOCK_SH | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return failure("flock of", file->path, errno);
        ++number;  // the forwarder is about to delete it
        continue;
      }
      if (::fstat(fd, &look) != 0) return failure("fstat of", file->path, errno);
      if (!S_ISREG(look.st_mode))
        return Status{Code::io_error, file->path + " is no regular file: a spool folder belongs to rows only"}.with(
            "path", file->path);
      Fate const fate = fate_of(look, options_.file_bytes_max);
      if (fate == Fate::ended) {
        ++number;
        continue;
      }
      if (fate == Fate::gone && ++tries < kOpenTriesMax) continue;  // deleted between open and lock
      if (fate == Fate::gone) break;
      if (look.st_size == 0 && options_.sync != Sync::none)
        if (Status status = sync_folder(); !status.ok()) return status;
      return file;
    }
    return Status{Code::over_limit, "no file of " + options_.folder + " takes rows of the period that began " +
                                        std::to_string(begin) + ": remove files, or let the forwarder run"}
        .with("path", options_.folder);
  }

  // So that the name of a new file is durable as well.
  Status sync_folder() {
    int const fd = ::open(options_.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return failure("open of", options_.folder, errno);
    int const error = ::fsync(fd) == 0 ? 0 : errno;
    ::close(fd);
    return error == 0 ? Status{} : failure("fsync of", options_.folder, error);
  }

  void sync_often(std::stop_token const& stop) {
    while (!stop.stop_requested()) {
      FilePtr file;
      {
        std::unique_lock lock{mutex_};
        if (!wakes_.wait(lock, stop, [this] { return is_dirty_; })) return;
        wakes_.wait_for(lock, stop, options_.interval, [] { return false; });
        if (!std::exchange(is_dirty_, false)) continue;
        file = current_;
      }
      Status status = file == nullptr ? Status{} : sync_file(*file);
      if (status.ok()) continue;
      std::lock_guard const lock{mutex_};
      failed_ = std::move(status);
    }
  }

  Options const options_;
  std::mutex mutex_;
  FilePtr current_;
  bool is_dirty_{false};  // a row was written that no sync has begun for
  Status failed_;         // of a sync that no save was waiting for: told once, by the next call
  std::condition_variable_any wakes_;
  std::jthread syncer_;
};

Result<std::unique_ptr<Spool>> Spool::open(Options options) {
  if (Status status = check(options); !status.ok()) return status;
  while (options.folder.size() > 1 && options.folder.ends_with('/')) options.folder.pop_back();
  if (::mkdir(options.folder.c_str(), 0750) != 0 && errno != EEXIST) return failure("mkdir of", options.folder, errno);
  struct stat look {};
  if (::stat(options.folder.c_str(), &look) != 0) return failure("stat of", options.folder, errno);
  if (!S_ISDIR(look.st_mode)) return failure("open of", options.folder, ENOTDIR);
  if (::access(options.folder.c_str(), W_OK | X_OK) != 0) return failure("access to", options.folder, errno);
  return std::unique_ptr<Spool>{new Spool{std::make_unique<Body>(std::move(options))}};
}

Spool::Spool(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Spool::~Spool() = default;

Message Spool::row_of(std::string_view table) {
  Message out{"INSERT"};
  out.set("table", table);
  return out;
}

Status Spool::save(Message const& row) { return body_->save(row); }
Status Spool::sync() { return body_->sync(); }

}  // namespace fastjournal::spool
