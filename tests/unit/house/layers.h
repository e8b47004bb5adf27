// The layer table of src/README.md, and every #include held against it.
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
  std::string folder;                // "src/core"; "plugins/*" for each folder inside
  bool all_above{false};             // may include every layer that stands before it ...
  std::vector<std::string> ours;     // ... or just these
  std::vector<std::string> foreign;  // "fmt" for fmt/..., "event2/*", "xxhash.h"; "POSIX"
  bool core{false};                  // up to the layer `core`, and the plugins: values in, values out
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

}  // namespace fastjournal::house
