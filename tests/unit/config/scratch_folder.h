// A folder of its own for a test that reads files; removed when the test ends.
#pragma once

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace fastjournal::config {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fastjournal-config-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(ScratchFolder const&) = delete;
  ScratchFolder& operator=(ScratchFolder const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  std::filesystem::path write(std::string const& name, std::string_view text) const {
    std::ofstream{path_ / name, std::ios::binary} << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace fastjournal::config
