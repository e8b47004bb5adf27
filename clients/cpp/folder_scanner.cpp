#include "clients/cpp/folder_scanner.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <vector>

#include "base/hash.h"
#include "base/hex.h"
#include "platform/files/folder.h"

namespace fastjournal::client {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kWatched = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR;

Status failed(std::string const& what, std::string const& path, int error) {
  return {error == ENOENT ? Code::not_found : Code::io_error, what + " " + path + ": " + std::strerror(error)};
}

}  // namespace

Result<std::string> hash_of_file(std::string const& path, ContentHash hash) {
  files::Descriptor const file{files::open_regular(path, O_RDONLY)};
  if (!file.is_open()) return failed("open", path, errno);
  Hasher128 fast;
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> const slow{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  if (hash == ContentHash::sha256 && EVP_DigestInit_ex(slow.get(), EVP_sha256(), nullptr) != 1)
    return Status{Code::io_error, "SHA-256 is not there"};
  std::vector<char> buffer(std::size_t{256} << 10U);
  for (;;) {
    ssize_t const got = ::read(file.fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path, errno);
    if (got == 0) break;
    if (hash == ContentHash::sha256)
      EVP_DigestUpdate(slow.get(), buffer.data(), static_cast<std::size_t>(got));
    else
      fast.add({buffer.data(), static_cast<std::size_t>(got)});
  }
  std::string out;
  if (hash != ContentHash::sha256) {
    append_hex(out, fast.hash().high);
    append_hex(out, fast.hash().low);
    return out;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int bytes = 0;
  EVP_DigestFinal_ex(slow.get(), digest.data(), &bytes);
  for (unsigned int at = 0; at < bytes; ++at) append_hex(out, digest[at]);
  return out;
}

FolderScanner::~FolderScanner() {
  if (watches_ >= 0) ::close(watches_);
}

Status FolderScanner::scan(std::function<bool(ScannedFile const&)> const& each) {
  if (watches_ < 0) watches_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  bool goes_on = true;
  ++scan_;
  Status const done = scan_folder(options_.folder, goes_on, each);
  // Files that are gone are forgotten, so that memory is that of what is there.
  if (done.ok() && goes_on) gone_ += std::erase_if(known_, [&](auto const& one) { return one.second.scan != scan_; });
  return done;
}

// Without a watch (there are limits) changes are found by the next scan.
void FolderScanner::watch(fs::path const& folder) {
  if (watches_ >= 0) static_cast<void>(::inotify_add_watch(watches_, folder.c_str(), kWatched));
}

Status FolderScanner::scan_folder(fs::path const& folder, bool& goes_on,
                                  std::function<bool(ScannedFile const&)> const& each) {
  watch(folder);
  std::error_code error;
  fs::directory_iterator entries{folder, error};
  if (error) return failed("read", folder.string(), error.value());
  std::vector<fs::path> found;
  for (; entries != fs::directory_iterator{}; entries.increment(error)) {
    if (error) return failed("read", folder.string(), error.value());
    found.push_back(entries->path());
  }
  std::sort(found.begin(), found.end());
  for (fs::path const& path : found) {
    if (!goes_on) return {};
    fs::file_status const status = fs::symlink_status(path, error);
    if (status.type() == fs::file_type::directory) {
      Status const below = scan_folder(path, goes_on, each);
      if (!below.ok() && below.code() != Code::not_found) return below;
    } else if (status.type() == fs::file_type::regular) {
      Status const looked = look_at(path, goes_on, each);
      if (!looked.ok() && looked.code() != Code::not_found) return looked;
    }
  }
  return {};
}

Status FolderScanner::look_at(fs::path const& path, bool& goes_on,
                              std::function<bool(ScannedFile const&)> const& each) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) return failed("look at", path.string(), errno);
  ScannedFile file;
  file.uri = path.lexically_relative(options_.folder).generic_string();
  file.path = path.string();
  file.bytes = static_cast<std::uint64_t>(about.st_size);
  if (options_.hash != ContentHash::none) {
    std::int64_t const changed_ns = about.st_mtim.tv_sec * std::int64_t{1'000'000'000} + about.st_mtim.tv_nsec;
    Known& known = known_[file.uri];
    if (known.hash.empty() || known.bytes != file.bytes || known.changed_ns != changed_ns) {
      Result<std::string> hash = hash_of_file(file.path, options_.hash);
      if (!hash.ok()) return hash.status();
      known = {file.bytes, changed_ns, std::move(hash).value()};
    }
    known.scan = scan_;
    file.hash = known.hash;
  }
  goes_on = each(file);
  return {};
}

bool FolderScanner::wait_change(std::vector<FolderScanner const*> const& scanners, Milliseconds limit, int wake_fd) {
  std::vector<pollfd> polled;
  for (FolderScanner const* const one : scanners)
    if (one->watches_ >= 0) polled.push_back({one->watches_, POLLIN, 0});
  if (wake_fd >= 0) polled.push_back({wake_fd, POLLIN, 0});
  int const ms = static_cast<int>(std::clamp<Milliseconds::rep>(limit.count(), 0, INT_MAX));
  if (::poll(polled.data(), polled.size(), ms) <= 0) return false;
  // What they say in detail does not matter: everything is looked at again.
  std::array<char, 4096> events{};
  for (pollfd const& one : polled)
    while (one.fd != wake_fd && ::read(one.fd, events.data(), events.size()) > 0) {
    }
  return true;
}

}  // namespace fastjournal::client
