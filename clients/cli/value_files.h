// Values of a row that no environment holds, as files: a folder for each row, only for this user, removed with its object.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fastjournal/status.h"

namespace fastjournal::cli {

class ValueFiles {
 public:
  ValueFiles() = default;
  ValueFiles(ValueFiles const&) = delete;
  ValueFiles& operator=(ValueFiles const&) = delete;
  ~ValueFiles();

  // The path of a file with this value, below TMPDIR (/tmp); io_error or no_space with the reason.
  [[nodiscard]] Result<std::string> write(std::string_view value);

 private:
  std::string folder_;  // empty: none was made
  std::size_t count_{0};
};

}  // namespace fastjournal::cli
