#include "clients/demo/main_job/documents.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/hash.h"
#include "clients/demo/main_job/extract.h"

namespace fastjournal::main_job {
namespace {

namespace fs = std::filesystem;

// The part of a file that is examined to recognise text.
constexpr std::size_t kLookBytes = 4096;
// Limit of files examined below one folder; there are more than enough to choose from.
constexpr std::size_t kFilesMax = 400'000;
constexpr std::string_view kScheme = "file://";

struct CloseGz {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzFile = std::unique_ptr<gzFile_s, CloseGz>;

Status failed(std::string_view call, fs::path const& path, int error) {
  return {Code::io_error, fmt::format("{} {}: {}", call, path.string(), std::strerror(error))};
}

// gzread returns unpacked files unchanged. Never waits: a FIFO in place of the file is refused.
Result<GzFile> open_file(fs::path const& path) {
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return failed("open", path, errno);
  struct stat facts {};
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(fd);
    return Status{Code::io_error, fmt::format("open {}: not a regular file", path.string())};
  }
  GzFile file{gzdopen(fd, "rb")};
  if (!file) {
    ::close(fd);
    return failed("gzdopen", path, ENOMEM);
  }
  gzbuffer(file.get(), 64U * 1024);
  return file;
}

Result<std::string> read_unpacked(fs::path const& path, std::size_t bytes_max) {
  auto opened = open_file(path);
  if (!opened.ok()) return opened.status();
  gzFile file = opened.value().get();
  std::string bytes;
  while (bytes.size() < bytes_max) {
    std::size_t const had = bytes.size();
    bytes.resize(std::min(bytes_max, had + 64U * 1024));
    int const got = gzread(file, bytes.data() + had, static_cast<unsigned>(bytes.size() - had));
    bytes.resize(had + static_cast<std::size_t>(std::max(got, 0)));
    int error = Z_OK;
    char const* const text = gzerror(file, &error);
    if (got < 0 && error == Z_ERRNO) return failed("read", path, errno);
    // Z_BUF_ERROR: the packed stream is incomplete.
    if (got < 0 || error == Z_BUF_ERROR)
      return Status{Code::damaged, fmt::format("unpack {}: {}", path.string(), text)};
    if (got == 0) break;
  }
  return bytes;
}

bool looks_like_text(fs::path const& path) {
  auto const head = read_unpacked(path, kLookBytes);
  return head.ok() && !head.value().empty() && head.value().find('\0') == std::string::npos;
}

bool is_markup(fs::path const& path) {
  fs::path const name = path.extension() == ".gz" ? path.stem() : path;
  std::string const extension = name.extension().string();
  return extension == ".html" || extension == ".htm" || extension == ".xhtml" || extension == ".xml";
}

// The files below one folder, in a fixed order that mixes neighbours.
class Candidates {
 public:
  explicit Candidates(fs::path const& folder) {
    std::error_code error;
    auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator() && files_.size() < kFilesMax; at.increment(error)) {
      std::error_code unseen;
      if (at->symlink_status(unseen).type() == fs::file_type::regular)
        files_.push_back({hash64(at->path().string()), at->path()});
    }
    std::sort(files_.begin(), files_.end());
  }

  // The next text; empty: there is none left.
  fs::path next_text() {
    while (next_ < files_.size()) {
      fs::path const& path = files_[next_++].second;
      if (looks_like_text(path)) return path;
    }
    return {};
  }

 private:
  std::vector<std::pair<std::uint64_t, fs::path>> files_;
  std::size_t next_{0};
};

std::string names_of(std::vector<fs::path> const& folders) {
  std::string text;
  for (fs::path const& folder : folders) text += (text.empty() ? "" : ", ") + folder.string();
  return text;
}

bool is_plain_in_uri(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/-._~+,@:").find(c) != std::string_view::npos;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::vector<fs::path> default_folders() {
  return {"/usr/share/doc", "/usr/share/common-licenses", "/usr/share/perl5", "/usr/share/perl", "/usr/include"};
}

Result<std::vector<fs::path>> find_documents(std::vector<fs::path> const& folders, std::size_t documents_max) {
  std::vector<Candidates> open;
  for (fs::path const& folder : folders) open.emplace_back(folder);
  std::vector<fs::path> found;
  while (!open.empty() && found.size() < documents_max) {
    // One from each folder in turn; exhausted folders are removed.
    for (auto at = open.begin(); at != open.end() && found.size() < documents_max;) {
      fs::path path = at->next_text();
      if (path.empty()) {
        at = open.erase(at);
      } else {
        found.push_back(std::move(path));
        ++at;
      }
    }
  }
  if (found.empty()) return Status{Code::not_found, fmt::format("no text file below {}", names_of(folders))};
  return found;
}

Result<Document> read_document(fs::path const& path) {
  auto bytes = read_unpacked(path, kDocumentBytesMax);
  if (!bytes.ok()) return bytes.status();
  Document document;
  document.bytes_read = bytes.value().size();
  std::string const text = clean_text(bytes.value());
  if (is_markup(path)) {
    document.title = html_title(text);
    document.text = without_markup(text);
  } else {
    document.text = text;
  }
  if (document.title.empty()) document.title = first_title(document.text);
  if (document.title.empty()) document.title = clean_text(path.filename().string());
  return document;
}

std::string uri_of(fs::path const& path) {
  std::string uri{kScheme};
  for (char const c : path.string()) {
    if (is_plain_in_uri(c)) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

Result<fs::path> path_of(std::string_view uri) {
  auto const refused = [&](std::string_view why) {
    return Status{Code::bad_parameter, fmt::format("uri {}: {}", uri, why)};
  };
  if (!uri.starts_with(kScheme) || uri.substr(kScheme.size()).empty() || uri[kScheme.size()] != '/')
    return refused("expected file:///PATH");
  std::string path;
  for (std::size_t at = kScheme.size(); at < uri.size(); ++at) {
    if (uri[at] != '%') {
      path += uri[at];
      continue;
    }
    int const high = at + 2 < uri.size() ? digit_of(uri[at + 1]) : -1;
    int const low = high >= 0 ? digit_of(uri[at + 2]) : -1;
    if (low < 0 || (high == 0 && low == 0)) return refused("expected two hexadecimal digits, not 00, after %");
    path += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return fs::path{path};
}

}  // namespace fastjournal::main_job
