// The layer table of src/README.md; every #include and the libraries that CMake links are held against it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/house/source.h"

namespace fastjournal::house {

struct Layer {
  std::string name;
  std::string folder;                // "src/engine"; "plugins/*" for each folder inside
  std::vector<std::string> ours;     // the layers that it may include; each stands above it
  std::vector<std::string> foreign;  // "fmt" for fmt/..., "event2/*", "xxhash.h"; "POSIX"
  bool core{false};                  // up to the layer `engine`, and the plugins: values in, values out
};

class LayerTable {
 public:
  // Reads the table whose first heading is `layer`; what it cannot read goes to `findings`.
  LayerTable(std::string_view path, std::string_view markdown, std::vector<Finding>& findings);

  // The layer of a file, by the longest folder that fits.
  [[nodiscard]] Layer const* of(std::string_view path) const;
  [[nodiscard]] std::vector<Layer> const& layers() const { return layers_; }

 private:
  std::vector<Layer> layers_;
};

// What an #include means: the path from the root of the file it names, if that is one of ours.
using Resolve = std::function<std::optional<std::string>(std::string_view includer, std::string_view name)>;

void check_includes(LayerTable const& table, Source const& source, Resolve const& resolve,
                    std::vector<Finding>& findings);

// What a fifth of the sources reads, directly or through others, is read hundreds of times in a build: such a header of
// ours names no header but those of the standard library that take little to read.
void check_wide_headers(std::vector<Source> const& sources, Resolve const& resolve, std::vector<Finding>& findings);

// What CMake is told to link, from the text of one of its files: each `fj_layer(NAME FOLDER... DEPS ...)`, `fj_plugin`,
// `fj_part` and `target_link_libraries(TARGET ...)`, with the libraries of ours in it (fj_...).
struct Links {
  std::string target;
  std::string folder;  // that it is made of
  std::string file;
  int line{0};
  std::vector<std::string> ours;
};
[[nodiscard]] std::vector<Links> read_links(std::string_view path, std::string_view text);

// A library links those of its own layer, and of the layers that its row names. One that it uses and does not link the
// linker misses.
void check_links(LayerTable const& table, std::vector<Links> const& links, std::vector<Finding>& findings);

}  // namespace fastjournal::house
