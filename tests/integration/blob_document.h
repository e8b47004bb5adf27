// doc/blob.md beside a daemon of a test: the table that it declares, and its paths in the daemon's folder.
#pragma once

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>

#include "tests/integration/daemon.h"
#include "tests/support/documents.h"

namespace fastjournal::test {

inline constexpr char const* kBlobDocument = "doc/blob.md";

// The document's paths, as the daemon has them.
inline std::string with_own_paths(std::string text, RealDaemon const& daemon) {
  std::string const folder = daemon.folder().string();
  std::pair<std::string, std::string> const all[] = {{"/run/fastjournal/", folder + "/"},
                                                     {"/var/lib/fastjournal/", folder + "/data/"}};
  for (auto const& [from, to] : all)
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  return text;
}

inline std::string text_of(Example const& example) {
  std::string out;
  for (std::string const& line : example.lines) out += line + '\n';
  return out;
}

// Its first declaration, as a table of the daemon.
inline void declare_table_of_blob_document(RealDaemon const& daemon, std::string const& root) {
  for (Example const& example : examples_of(root, kBlobDocument)) {
    if (example.language != "xml") continue;
    daemon.write("tables/images.xml", with_own_paths(text_of(example), daemon));
    return;
  }
  BOOST_FAIL("doc/blob.md declares no table");
}

}  // namespace fastjournal::test
