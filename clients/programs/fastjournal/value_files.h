// Values of a row that no environment holds, as files: a folder for each row, only for this user, removed with its object.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "clients/programs/fastjournal/work_folder.h"
#include "fastjournal/status.h"

namespace fastjournal::cli {

class ValueFiles {
 public:
  ValueFiles() = default;
  ValueFiles(ValueFiles const&) = delete;
  ValueFiles& operator=(ValueFiles const&) = delete;

  // Those of workers that were killed.
  static void remove_left();

  // The path of a file with this value, below TMPDIR (/tmp); io_error or no_space with the reason.
  [[nodiscard]] Result<std::string> write(std::string_view value);

 private:
  WorkFolder folder_;
  std::size_t count_{0};
};

}  // namespace fastjournal::cli
