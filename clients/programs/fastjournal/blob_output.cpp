#include "clients/programs/fastjournal/blob_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>

namespace fastjournal::cli {

BlobOutput::~BlobOutput() = default;

Status BlobOutput::open() {
  if (path_.empty()) return {};
  struct stat facts {};
  bool const is_there = ::stat(path_.c_str(), &facts) == 0;
  if (is_there && S_ISDIR(facts.st_mode)) return {Code::io_error, path_ + " is a folder; expected a file"};
  // A pipe or a device keeps its place.
  if (is_there && !S_ISREG(facts.st_mode)) {
    as_it_is_ = files::Descriptor{::open(path_.c_str(), O_WRONLY | O_CLOEXEC)};
    return as_it_is_.is_open() ? Status{} : files::failure("open of", path_, errno);
  }
  Result<files::NewFile> made = files::NewFile::make(path_, 0666);
  if (!made.ok()) return made.status();
  new_.emplace(std::move(made).value());
  return {};
}

Status BlobOutput::write(std::string_view bytes) {
  size_ += bytes.size();
  if (path_.empty()) {
    if (console_.look.terminal)
      console_.out << printable_lines(bytes);
    else
      console_.out << bytes;
    return console_.out ? Status{} : Status{Code::io_error, "standard output takes no more"};
  }
  if (new_) return new_->write(bytes);
  while (!bytes.empty()) {
    ssize_t const took = ::write(as_it_is_.fd, bytes.data(), bytes.size());
    if (took < 0 && errno == EINTR) continue;
    if (took < 0) return files::failure("write to", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(took));
  }
  return {};
}

bool BlobOutput::begin_again() {
  if (size_ == 0) return true;
  if (!new_ || ::ftruncate(new_->fd(), 0) != 0 || ::lseek(new_->fd(), 0, SEEK_SET) != 0) return false;
  size_ = 0;
  return true;
}

Status BlobOutput::finish() {
  if (path_.empty()) return {};
  if (new_) return new_->finish(files::NewFile::Durable::no);
  return ::close(as_it_is_.release()) == 0 ? Status{} : files::failure("close of", path_, errno);
}

}  // namespace fastjournal::cli
