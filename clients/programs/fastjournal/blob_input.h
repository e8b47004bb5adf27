// The bytes of a blob that is to be stored: of a file as it lies there, of anything else from a temporary file. Neither
// is in memory as a whole.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "fastjournal/status.h"

namespace fastjournal::cli {

class BlobInput {
 public:
  // "-": the rest of `in`. bad_parameter: it cannot be read; io_error: the temporary file cannot be written.
  [[nodiscard]] static Result<BlobInput> open(std::string const& path, std::istream& in);
  BlobInput(BlobInput&& other) noexcept
      : mapped_(std::exchange(other.mapped_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  BlobInput& operator=(BlobInput&&) = delete;
  ~BlobInput();

  // A file that is shortened meanwhile ends this program.
  [[nodiscard]] std::string_view bytes() const { return {static_cast<char const*>(mapped_), size_}; }

 private:
  BlobInput() = default;
  [[nodiscard]] static Result<BlobInput> map(int descriptor, std::string const& name);

  void* mapped_{nullptr};
  std::size_t size_{0};
};

}  // namespace fastjournal::cli
