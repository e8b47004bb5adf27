// The files of a folder as documents of a pipeline: each with its path below the folder as URI, and the hash of its
// content. A file that has neither another size nor another date since the last scan is not read again.
//
//   FolderScanner scanner({.folder = "pages"});
//   Status scanned = scanner.scan([&](ScannedFile const& file) {
//     Result<Document> found = docs.found("pages", file.uri, file.hash);
//     ...
//     return true;  // go on
//   });
//   static_cast<void>(FolderScanner::wait_change({&scanner}, Milliseconds{10'000}));
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "clients/cpp/client.h"
#include "fastjournal/status.h"

namespace fastjournal::client {

enum class ContentHash : std::uint8_t { xxh3, sha256, none };

struct ScannedFile {
  std::string uri{};   // below the folder, with '/'
  std::string path{};  // to be opened
  std::string hash{};  // hexadecimal; empty without one
  std::uint64_t bytes{0};
};

struct ScanOptions {
  std::string folder{};
  ContentHash hash{ContentHash::xxh3};
};

class FolderScanner {
 public:
  explicit FolderScanner(ScanOptions options) : options_(std::move(options)) {}
  ~FolderScanner();
  FolderScanner(FolderScanner const&) = delete;
  FolderScanner& operator=(FolderScanner const&) = delete;

  // Every regular file below the folder once, in the order of names; links are not followed. `each` returns false to
  // end. A file that goes away meanwhile is left out; one that cannot be read is an error.
  [[nodiscard]] Status scan(std::function<bool(ScannedFile const&)> const& each);
  // Of the last scan that went to its end, with hashes.
  [[nodiscard]] bool has(std::string const& uri) const { return known_.contains(uri); }
  [[nodiscard]] bool is_empty() const { return known_.empty(); }
  // How many files of an earlier scan the last ones have not found any more.
  [[nodiscard]] std::uint64_t gone() const { return gone_; }
  // True: something below one of the folders may have changed since its last scan. False: the limit is over.
  [[nodiscard]] static bool wait_change(std::vector<FolderScanner const*> const& scanners, Milliseconds limit,
                                        int wake_fd = -1);

 private:
  struct Known {
    std::uint64_t bytes{0};
    std::int64_t changed_ns{0};
    std::string hash{};
    std::uint64_t scan{0};  // that has seen it last
  };

  [[nodiscard]] Status scan_folder(std::filesystem::path const& folder, bool& goes_on,
                                   std::function<bool(ScannedFile const&)> const& each);
  [[nodiscard]] Status look_at(std::filesystem::path const& path, bool& goes_on,
                               std::function<bool(ScannedFile const&)> const& each);
  void watch(std::filesystem::path const& folder);

  ScanOptions options_;
  std::map<std::string, Known> known_;  // by uri
  std::uint64_t scan_{0};
  std::uint64_t gone_{0};
  int watches_{-1};  // inotify; -1: none
};

// Of a file's content, hexadecimal. not_found: there is no such file; io_error: it cannot be read.
[[nodiscard]] Result<std::string> hash_of_file(std::string const& path, ContentHash hash);

}  // namespace fastjournal::client
