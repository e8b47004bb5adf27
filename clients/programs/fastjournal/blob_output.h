// Where the bytes of a blob go: standard output, or a file that appears when all of it is there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "clients/programs/fastjournal/call.h"
#include "fastjournal/status.h"
#include "platform/files/new_file.h"

namespace fastjournal::cli {

class BlobOutput {
 public:
  // Empty: standard output. `console` must outlive it.
  BlobOutput(Console& console, std::string path) : console_(console), path_(std::move(path)) {}
  BlobOutput(BlobOutput const&) = delete;
  BlobOutput& operator=(BlobOutput const&) = delete;
  // Without finish() nothing of a new file is left.
  ~BlobOutput();

  [[nodiscard]] Status open();
  // On a terminal, nothing that controls it.
  [[nodiscard]] Status write(std::string_view bytes);
  // False: bytes are out that cannot be taken back.
  [[nodiscard]] bool begin_again();
  [[nodiscard]] Status finish();
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  Console& console_;
  std::string path_;
  std::optional<files::NewFile> new_;
  files::Descriptor as_it_is_;  // of what is no file
  std::uint64_t size_{0};
};

}  // namespace fastjournal::cli
