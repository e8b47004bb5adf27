#include "clients/spool/core/progress_file.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/hash.h"
#include "clients/spool/core/disk.h"
#include "platform/files/new_file.h"

namespace fastjournal::spool {
namespace {

constexpr char kProgressName[] = "progress";
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

Status ProgressFile::open() {
  std::string const path = own_.path_of(kProgressName);
  file_ = Descriptor{own_.open_file(kProgressName, O_RDWR | O_CREAT | O_APPEND, 0640)};
  if (!file_.is_open()) return failure("open of", path, errno);
  struct stat look {};
  if (::fstat(file_.fd, &look) != 0) return failure("fstat of", path, errno);
  std::string text;
  if (Status status = read_at(file_.fd, path, 0, static_cast<std::size_t>(look.st_size), text); !status.ok())
    return status;
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
                  line, own_.path_of(kProgressName), folder_.path())}
      .with("path", own_.path_of(kProgressName));
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
  if (Status status = append(file_.fd, own_.path_of(kProgressName), lines); !status.ok()) {
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
  return ::fstat(file_.fd, &mine) == 0 && own_.look(kProgressName, named) && mine.st_dev == named.st_dev &&
         mine.st_ino == named.st_ino;
}

Status ProgressFile::write_anew() {
  is_whole_ = false;
  // What is left out is of files that were deleted. A power cut must not bring them back: nothing would tell that their
  // rows were sent.
  for (files::Folder const* const folder : {&folder_, &closing_})
    if (Status status = folder->sync(); !status.ok()) return status;
  std::string lines;
  for (auto const& [instance, kept] : kept_) lines += text_of(kept, lines.size());
  Result<files::NewFile> next = files::NewFile::make(own_, kProgressName, 0640, O_APPEND);
  if (!next.ok()) return next.status();
  // Rows are erased behind what is kept here: on a full disk it needs its space before there is any. Without it, and on
  // file systems that know no such call, it gets its space as it grows.
  static_cast<void>(::fallocate(next->fd(), FALLOC_FL_KEEP_SIZE, 0, kBytesMax));
  if (Status status = next->write(lines); !status.ok()) return status;
  if (Status status = next->finish(files::NewFile::Durable::yes); !status.ok()) return status;
  file_ = Descriptor{next->release()};
  bytes_ = lines.size();
  is_whole_ = true;
  return {};
}

}  // namespace fastjournal::spool
