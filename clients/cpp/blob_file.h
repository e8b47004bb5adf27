// The data file of a blob table, read directly: a client on the daemon's computer is told where a blob lies and reads it
// there. The file is append-only and never changes where a blob is; maintenance makes another one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"
#include "wire/bcdb/key.h"

namespace fastjournal::client {

// Where a blob is, as the daemon said.
struct BlobPlace {
  bcdb::Key key{};
  std::uint32_t entry_time{0};  // when it was stored, in seconds since 1970
  std::uint64_t begin{0};       // offset of the first byte in the data file
  std::uint64_t end{0};         // offset of the last byte + 1
  std::uint32_t file{0};        // the number of the file; 0: not told, as in version 1
  bool newer{false};            // it is in the newer file of two
  // Of Blobs: when it was asked for, and over which connection.
  std::chrono::steady_clock::time_point asked{};
  std::uint64_t connection{0};

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

// Bytes of a file in memory, as long as this object lives; it outlives the file's name and its BlobFile.
class BlobView {
 public:
  BlobView() = default;
  BlobView(BlobView&& other) noexcept { swap(other); }
  BlobView& operator=(BlobView&& other) noexcept {
    swap(other);
    return *this;
  }
  BlobView(BlobView const&) = delete;
  BlobView& operator=(BlobView const&) = delete;
  ~BlobView();

  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  friend class BlobFile;
  void swap(BlobView& other) noexcept {
    std::swap(mapped_, other.mapped_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    std::swap(bytes_, other.bytes_);
  }

  void* mapped_{nullptr};
  std::size_t mapped_bytes_{0};
  std::string_view bytes_{};
};

class BlobFile {
 public:
  // unavailable: it cannot be opened; damaged: it is no data file.
  [[nodiscard]] static Result<BlobFile> open(std::string const& path);
  // The path of the file of this number, beside the link `data_file`.
  [[nodiscard]] static std::string numbered(std::string const& data_file, std::uint32_t number);
  // Of an open descriptor, which is closed at the end in any case. `name`: for people.
  [[nodiscard]] static Result<BlobFile> adopt(int descriptor, std::string name);

  BlobFile(BlobFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), number_(other.number_), name_(std::move(other.name_)) {}
  BlobFile& operator=(BlobFile&& other) noexcept;
  BlobFile(BlobFile const&) = delete;
  BlobFile& operator=(BlobFile const&) = delete;
  ~BlobFile();

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // The caller's from now on; this object can do nothing more.
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

  // damaged: the file has no such bytes; too_large: more than `bytes_max`; io_error.
  [[nodiscard]] Result<std::string> read(std::uint64_t begin, std::uint64_t end, std::uint64_t bytes_max) const;
  // The same without a copy. Never truncated by the daemon, so that reading it is safe.
  [[nodiscard]] Result<BlobView> view(std::uint64_t begin, std::uint64_t end, std::uint64_t bytes_max) const;

 private:
  BlobFile(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  [[nodiscard]] Status read_header();
  [[nodiscard]] Status read_at(std::uint64_t offset, char* into, std::size_t bytes) const;
  [[nodiscard]] Status check_place(std::uint64_t begin, std::uint64_t end, std::uint64_t bytes_max) const;

  int descriptor_{-1};
  std::uint32_t number_{0};
  std::string name_;
};

}  // namespace fastjournal::client
