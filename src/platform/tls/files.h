// Reads the files of certificates and keys: bounded, and a key only if it is not everybody's. Apart from the contexts so
// that a reload can tell whether anything has changed.
#pragma once

#include <string>

#include "fastjournal/status.h"

namespace fastjournal::tls {

// A file, and what named it, for messages: `fastjournal.xml:12: attribute "key"`, or "--key".
struct NamedFile {
  std::string path;
  std::string source;
};

// A larger file is refused.
inline constexpr std::size_t kFileBytesMax = 1U << 20U;

// bad_configuration, with the source and the path, if the file cannot be read.
[[nodiscard]] Result<std::string> read_file(NamedFile const& file);
// The same; also not ok if others than owner and group may read it.
[[nodiscard]] Result<std::string> read_key_file(NamedFile const& file);

// "SOURCE: PATH: what".
[[nodiscard]] Status file_problem(NamedFile const& file, std::string_view what);

}  // namespace fastjournal::tls
