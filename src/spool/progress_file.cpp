#include "spool/progress_file.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "spool/disk.h"

namespace fastjournal::spool {
namespace {

constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 20U;  // then it is written anew

struct Line {
  Kept kept;
  std::uint64_t begin{0};
};

std::string text_of(Kept const& kept, std::uint64_t begin) {
  Progress const& progress = kept.progress;
  std::string const seed = kept.seed ? fmt::format("{:016x}", kept.seed->value) : "-";
  std::string line =
      fmt::format("{} {} {} {} {} {} {} {}", progress.instance.device, progress.instance.inode,
                  progress.instance.birth_ns, progress.client, progress.offset, progress.ordinal, begin, seed);
  return line + fmt::format(" {:016x}\n", hash64(line));
}

// `at`: its offset in the file. Nothing: cut, or damaged.
std::optional<Line> read_line(std::string_view text, std::uint64_t at) {
  std::size_t const mark = text.rfind(' ');
  if (mark == std::string::npos || fmt::format("{:016x}", hash64(text.substr(0, mark))) != text.substr(mark + 1))
    return std::nullopt;
  Line line;
  Progress& progress = line.kept.progress;
  std::istringstream in{std::string{text.substr(0, mark)}};
  in >> progress.instance.device >> progress.instance.inode >> progress.instance.birth_ns >> progress.client >>
      progress.offset >> progress.ordinal;
  if (in.fail()) return std::nullopt;
  if (!(in >> line.begin)) line.begin = at;
  std::uint64_t seed = 0;
  if (in >> std::hex >> seed) line.kept.seed = Seed{seed};
  return line;
}

}  // namespace

ProgressFile::ProgressFile(std::string const& folder)
    : folder_(folder), own_(folder + "/forwarder"), path_(own_ + "/progress") {}

ProgressFile::~ProgressFile() {
  if (fd_ >= 0) ::close(fd_);
}

Status ProgressFile::open() {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (fd_ < 0) return failure("open of", path_, errno);
  struct stat look {};
  if (::fstat(fd_, &look) != 0) return failure("fstat of", path_, errno);
  std::string text;
  if (Status status = read_at(fd_, path_, 0, static_cast<std::size_t>(look.st_size), text); !status.ok()) return status;
  return parse(text);
}

// Of what no sync covered a power cut leaves zeros in place of any part, and whole lines behind them.
Status ProgressFile::parse(std::string const& text) {
  std::optional<std::pair<std::size_t, std::size_t>> cut;  // the first one: its number and offset
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = text.find('\n', at);
    std::string_view const line = std::string_view{text}.substr(at, end == std::string::npos ? end : end - at);
    ++number;
    std::optional<Line> const read = read_line(line, at);
    if (read && cut && read->begin > cut->second) return damaged(cut->first);
    if (read) kept_[read->kept.progress.instance] = read->kept;
    if (!read && !line.empty()) {
      if (end != std::string::npos && line.find('\0') == std::string_view::npos) return damaged(number);
      if (!cut) cut = {number, at};
    }
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return {};
}

Status ProgressFile::damaged(std::size_t line) const {
  return Status{
      Code::damaged,
      fmt::format("line {0} of {1} is damaged, and with it the progress of a file of rows; without it new rows "
                  "would be taken for ones that were sent. Bring {1} back from a copy that was made since the "
                  "forwarder ended; or remove it: then rows that were confirmed and are still in the files of "
                  "{2} count again",
                  line, path_, folder_)}
      .with("path", path_);
}

Status ProgressFile::keep(std::vector<Kept> const& kept) {
  std::string lines;
  for (Kept const& one : kept) lines += text_of(one, bytes_);
  if (!is_whole_ || bytes_ + lines.size() > kBytesMax || !is_in_place()) {
    std::map<Instance, Kept> before = kept_;
    for (Kept const& one : kept) kept_[one.progress.instance] = one;
    Status status = write_anew();
    if (!status.ok()) kept_ = std::move(before);
    return status;
  }
  if (Status status = append(fd_, path_, lines); !status.ok()) {
    is_whole_ = false;
    return status;
  }
  bytes_ += lines.size();
  for (Kept const& one : kept) kept_[one.progress.instance] = one;
  return {};
}

// A file that was removed takes lines like any other, and the next start would not know what was sent.
bool ProgressFile::is_in_place() const {
  struct stat mine {};
  struct stat named {};
  return ::fstat(fd_, &mine) == 0 && ::lstat(path_.c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
         mine.st_ino == named.st_ino;
}

Status ProgressFile::write_anew() {
  is_whole_ = false;
  // What is left out is of files that were deleted. A power cut must not bring them back: nothing would tell that their
  // rows were sent.
  for (std::string const& folder : {folder_, folder_ + "/" + std::string{kClosingFolder}})
    if (Status status = sync_folder(folder); !status.ok()) return status;
  std::string const next = path_ + ".new";
  std::string lines;
  for (auto const& [instance, kept] : kept_) lines += text_of(kept, lines.size());
  int const fd = ::open(next.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0640);
  if (fd < 0) return failure("open of", next, errno);
  // Rows are erased behind what is kept here: on a full disk it needs its space before there is any. Without it, and on
  // file systems that know no such call, it gets its space as it grows.
  static_cast<void>(::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, kBytesMax));
  Status status = append(fd, next, lines);
  if (status.ok() && ::rename(next.c_str(), path_.c_str()) != 0) status = failure("rename of", next, errno);
  if (status.ok()) status = sync_folder(own_);
  if (!status.ok()) {
    ::close(fd);
    return status;
  }
  ::close(fd_);
  fd_ = fd;
  bytes_ = lines.size();
  is_whole_ = true;
  return {};
}

}  // namespace fastjournal::spool
